"""Quantities in text: what is read, what is refused with which fix, and that writing and reading agree."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen.scenario import units
from reportgen.scenario.units import Amount, QuantityError, Range, base_of, read_money, read_quantity

READ = [
    ("COUNT", "5B", 5e9),
    ("COUNT", "5e9", 5e9),
    ("COUNT", "1.5T", 1.5e12),
    ("COUNT", "5B tokens", 5e9),
    ("COUNT", "300 M samples", 3e8),
    ("COUNT", "2 million", 2e6),
    ("COUNT", "50 亿", 5e9),
    ("COUNT", "50亿词元", 5e9),
    ("COUNT", "3 万条", 3e4),
    ("COUNT", "1.2 万亿", 1.2e12),
    ("COUNT", "12,500,000", 12_500_000),
    ("COUNT", 7, 7),
    ("COUNT", "4k", 4000),
    ("COUNT", "６４", 64),
    ("COUNT", "3 x", 3),
    ("COUNT", "+5", 5),
    ("COUNT", ".5", 0.5),
    ("LENGTH", "4k", 4096),
    ("LENGTH", "128K", 131072),
    ("LENGTH", "1M", 1048576),
    ("LENGTH", "32k tokens", 32768),
    ("SHARE", "65%", 0.65),
    ("SHARE", "35%", 0.35),
    ("SHARE", "7 %", 0.07),
    ("SHARE", "0.42", 0.42),
    ("SHARE", "12 percent", 0.12),
    ("SHARE", "５０％", 0.5),
    ("SIZE", "80 GB", 80e9),
    ("SIZE", "80GiB", 80 * 2**30),
    ("SIZE", "1.5 TB", 1.5e12),
    ("SIZE", "512 字节", 512),
    ("DAYS", "14 days", 14),
    ("DAYS", "2 weeks", 14),
    ("DAYS", "36 hours", 1.5),
    ("DAYS", "3 个月", 90),
    ("DAYS", "1 day", 1),
    ("DAYS", "1.5 Years", 547.5),
    ("DAYS", "10天", 10),
    ("DAYS", "86400 s", 1),
    ("SECONDS", "500ms", 0.5),
    ("SECONDS", "2 s", 2),
    ("SECONDS", "10 hours", 36000),
    ("SECONDS", "7 ms", 0.007),
    ("SECONDS", "15 分钟", 900),
    ("YEARS", "3 years", 3),
    ("YEARS", "18 months", 540 / 365),
    ("POWER", "200 kW", 200),
    ("POWER", "1.2 MW", 1200),
    ("POWER", "700 W", 0.7),
    ("POWER", "30 千瓦", 30),
    ("SPEED", "400 Gbit/s", 400),
    ("SPEED", "400Gbps", 400),
    ("SPEED", "50 GB/s", 400),
    ("SPEED", "1.6 Tb/s", 1600),
]


@pytest.mark.parametrize(("name", "text", "value"), READ, ids=[f"{name} {text}" for name, text, _ in READ])
def test_read(name, text, value):
    assert read_quantity(text, getattr(units, name)) == pytest.approx(value, rel=1e-15)


REFUSED = [
    ("SIZE", "5 gb", "unit-case", "write '5 GB'"),
    ("SIZE", "5 gib", "unit-case", "write '5 GiB'"),
    ("COUNT", "5b", "unit-case", "write '5B'"),
    ("COUNT", "1.5t", "unit-case", "write '1.5T'"),
    ("POWER", "200KW", "unit-case", "write '200 kW'"),
    ("DAYS", "14", "unit-missing", "write '14 days'"),
    ("DAYS", 14, "unit-missing", "write '14 days'"),
    ("SIZE", 50, "unit-missing", "write '50 GB'"),
    ("SECONDS", "0.5", "unit-missing", "write '0.5 ms'"),
    ("COUNT", "1_000", "not-a-quantity", "write '1000'"),
    ("COUNT", "1,5", "not-a-quantity", "write '1.5'"),
    ("COUNT", "1 000 000", "not-a-quantity", "write '1000000'"),
    ("COUNT", "nan", "not-a-quantity", ""),
    ("COUNT", "", "not-a-quantity", ""),
    ("COUNT", "about 5", "not-a-quantity", ""),
    ("COUNT", "5 apples", "unit-unknown", ""),
    ("COUNT", True, "not-a-quantity", ""),
    ("COUNT", None, "not-a-quantity", ""),
    ("COUNT", [1], "not-a-quantity", ""),
    ("COUNT", math.nan, "not-finite", ""),
    ("COUNT", math.inf, "not-finite", ""),
    ("COUNT", 10**400, "not-finite", ""),
    ("COUNT", "1e999", "not-finite", ""),
    ("COUNT", "1e300", "too-large", "write a smaller number"),
    ("COUNT", "1e99999999", "unit-unknown", ""),
    ("COUNT", "9" * 500, "not-a-quantity", ""),
    ("SPEED", "400 GB", "unit-unknown", ""),
    ("SHARE", "5 kW", "unit-unknown", ""),
]


@pytest.mark.parametrize(("name", "value", "code", "fix"), REFUSED, ids=[f"{r[0]} {str(r[1])[:12]}" for r in REFUSED])
def test_refused(name, value, code, fix):
    with pytest.raises(QuantityError) as caught:
        read_quantity(value, getattr(units, name))
    assert caught.value.code == code
    assert caught.value.fix.startswith(fix) and caught.value.fix
    assert len(caught.value.message) < 250


MONEY = {
    "12.5 M CNY": (12.5e6, "CNY"),
    "3 万元": (3e4, "CNY"),
    "1.2 亿": (1.2e8, ""),
    "$2M": (2e6, "USD"),
    "CNY 3000": (3000, "CNY"),
    "¥12,500,000": (12.5e6, "CNY"),
    "￥300 万": (3e6, "CNY"),
    "30万美元": (3e5, "USD"),
    "3.2 million usd": (3.2e6, "USD"),
    "€40k": (4e4, "EUR"),
    "8 亿元人民币": None,
    "CNY 5 USD": None,
    "5 dollars": None,
    "": None,
    "M CNY": None,
}


@pytest.mark.parametrize("text", MONEY)
def test_money(text):
    if MONEY[text] is None:
        with pytest.raises(QuantityError):
            read_money(text)
    else:
        assert read_money(text) == Amount(*MONEY[text])


def test_money_a_kilowatt_hour():
    assert read_money("0.8 CNY/kWh", "/kWh") == Amount(0.8, "CNY")
    assert read_money("0.8 元 / kWh", "/kWh") == Amount(0.8, "CNY")
    with pytest.raises(QuantityError):
        read_money("0.8 CNY/kWh")


DIMENSIONS = [
    units.COUNT,
    units.LENGTH,
    units.SHARE,
    units.SIZE,
    units.DAYS,
    units.SECONDS,
    units.YEARS,
    units.POWER,
    units.SPEED,
]
NUMBERS = st.floats(0, 1e6, allow_nan=False).map(lambda number: float(f"{number:.6g}"))


@given(st.sampled_from(DIMENSIONS), NUMBERS, st.data(), st.sampled_from(["", " ", "  "]))
def test_number_with_any_unit_is_number_times_factor(dimension, number, data, gap):
    unit = data.draw(st.sampled_from(sorted([*dimension.units, *dimension.words])))
    factor = dimension.units.get(unit) or dimension.words[unit]
    assert read_quantity(f"{number!r}{gap}{unit}", dimension) == pytest.approx(number * float(factor), rel=1e-12)


@given(st.floats(0, 1e20, allow_nan=False, allow_infinity=False))
def test_bare_numbers_come_back_unchanged(number):
    assert read_quantity(number, units.COUNT) == number
    assert read_quantity(repr(number), units.COUNT) == number


@given(st.integers(0, 10**15))
def test_thousands_separators_do_not_change_a_number(number):
    assert read_quantity(f"{number:,}", units.COUNT) == number


@given(st.integers(0, 1000))
def test_percent_is_rounded_once(percent):
    assert read_quantity(f"{percent}%", units.SHARE) == percent / 100


ANYTHING = st.one_of(
    st.text(max_size=80), st.none(), st.booleans(), st.floats(), st.integers(), st.lists(st.integers(), max_size=2)
)


@given(ANYTHING, st.sampled_from(DIMENSIONS))
def test_anything_is_a_finite_number_or_a_clear_refusal(value, dimension):
    for read in (lambda: read_quantity(value, dimension), lambda: read_money(value).value):
        try:
            assert math.isfinite(read())
        except QuantityError as error:
            assert error.code and error.message and error.fix


def test_base_of_a_range():
    assert base_of(Range(1.0, 2.0, 3.0)) == 2.0
    assert base_of(4.0) == 4.0
    assert base_of(None) is None
    assert Range.of(4.0) == Range(4.0, 4.0, 4.0)
