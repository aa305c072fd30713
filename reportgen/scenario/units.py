"""Quantities as people write them, read into base units by the dimension that a key expects.

Base units: counts plain (tokens, samples, users, GPUs), sizes in bytes, deadlines in days, latencies and windows in
seconds, shares 0..1, power in kW, network speed in Gbit/s, money in units of its own currency. `k` is 1000 except in
token lengths (sequence length, context), where `4k` means 4096 as the field says it. A month is 30 days.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction


class QuantityError(ValueError):
    """A text that is not a quantity of the dimension: what is wrong, how to write it."""

    def __init__(self, code: str, message: str, fix: str = ""):
        super().__init__(message)
        self.code, self.message, self.fix = code, message, fix

DATE_LIKE = re.compile(r"\d{4}-\d{1,2}-\d{1,2}")


@dataclass(frozen=True)
class Dimension:
    """What a key measures: its units with their factor to the base unit, and whether a bare number is clear enough."""

    name: str
    base: str
    units: Mapping[str, float | Fraction]
    example: str
    bare: bool = False
    counted: bool = False  # may be followed by the thing counted: `5B tokens`
    words: Mapping[str, float | Fraction] = field(default_factory=dict)  # units in any case


@dataclass(frozen=True)
class Amount:
    """Money in one currency; the currency is empty when the text named none."""

    value: float
    currency: str = ""


@dataclass(frozen=True)
class Range:
    """An uncertain input: the ends and the value to plan with, in base units."""

    low: float
    base: float
    high: float

    @classmethod
    def of(cls, value: float | Range) -> Range:
        """A plain number as a range without width."""
        return value if isinstance(value, Range) else cls(value, value, value)


def base_of(value: float | Range | None) -> float | None:
    """The value to plan with."""
    return value.base if isinstance(value, Range) else value


MULTIPLES = {"k": 1e3, "K": 1e3, "M": 1e6, "G": 1e9, "B": 1e9, "T": 1e12}
MULTIPLES |= {
    "千": 1e3,
    "万": 1e4,
    "百万": 1e6,
    "千万": 1e7,
    "亿": 1e8,
    "十亿": 1e9,
    "百亿": 1e10,
    "千亿": 1e11,
    "万亿": 1e12,
}
MULTIPLE_WORDS = {"thousand": 1e3, "million": 1e6, "mn": 1e6, "billion": 1e9, "bn": 1e9, "trillion": 1e12}
NOUNS = (
    r"(tokens?|samples?|sequences?|examples?|requests?|users?|items?|documents?|images?|"
    r"gpus?|nodes?|racks?|runs?|epochs?|times|x)"
)
CHINESE_NOUNS = "(个|条|次|台|张|人|份|轮|块|卡|词元|样本|用户)+"

COUNT = Dimension("a number", "", MULTIPLES, "1000", bare=True, counted=True, words=MULTIPLE_WORDS)
LENGTH = Dimension(
    "a length in tokens", "tokens", {"k": 1024, "K": 1024, "M": 1024**2}, "4096", bare=True, counted=True
)
SHARE = Dimension("a share", "", {"%": 0.01}, "65%", bare=True, words={"percent": 0.01})
SIZE = Dimension(
    "a size",
    "B",
    {"B": 1, "kB": 1e3, "KB": 1e3, "MB": 1e6, "GB": 1e9, "TB": 1e12, "PB": 1e15}
    | {"KiB": 2**10, "MiB": 2**20, "GiB": 2**30, "TiB": 2**40, "PiB": 2**50},
    "80 GB",
    words={"bytes": 1, "byte": 1, "字节": 1},
)
POWER = Dimension("a power", "kW", {"W": 1e-3, "kW": 1, "MW": 1e3, "GW": 1e6, "千瓦": 1, "兆瓦": 1e3}, "200 kW")
SPEED = Dimension(
    "a network speed",
    "Gbit/s",
    {
        "Mbit/s": 1e-3,
        "Gbit/s": 1,
        "Tbit/s": 1e3,
        "Mb/s": 1e-3,
        "Gb/s": 1,
        "Tb/s": 1e3,
        "Mbps": 1e-3,
        "Gbps": 1,
        "Tbps": 1e3,
    }
    | {"MB/s": 8e-3, "GB/s": 8, "TB/s": 8e3},
    "400 Gbit/s",
)
_SECONDS = {
    ("us", "µs", "μs", "microsecond", "microseconds", "微秒"): 1e-6,
    ("ms", "millisecond", "milliseconds", "毫秒"): 1e-3,
    ("s", "sec", "secs", "second", "seconds", "秒"): 1,
    ("min", "mins", "minute", "minutes", "分", "分钟"): 60,
    ("h", "hr", "hrs", "hour", "hours", "小时"): 3600,
    ("d", "day", "days", "天", "日"): 86400,
    ("w", "week", "weeks", "周", "星期"): 7 * 86400,
    ("mo", "month", "months", "月", "个月"): 30 * 86400,
    ("y", "yr", "year", "years", "年"): 365 * 86400,
}
_TIMES = {unit: factor for units, factor in _SECONDS.items() for unit in units}
SECONDS = Dimension("a time", "s", {}, "500 ms", words=_TIMES)
DAYS = Dimension(
    "a time", "days", {}, "14 days", words={unit: Fraction(str(factor)) / 86400 for unit, factor in _TIMES.items()}
)
YEARS = Dimension(
    "a time",
    "years",
    {},
    "3 years",
    words={unit: Fraction(str(factor)) / (365 * 86400) for unit, factor in _TIMES.items()},
)

NUMBER = r"[-+]?(?:\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d{1,3})?"
QUANTITY = re.compile(rf"(?P<number>{NUMBER})\s*(?P<unit>.*)", re.DOTALL)
LARGEST = 1e21  # in base units: a zettabyte, a million times the tokens of the largest training
LONGEST_TEXT = 60


def read_quantity(value, dimension: Dimension) -> float:
    """A number in the base unit of the dimension; QuantityError for anything else."""
    shown = quoted(value)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise QuantityError(
            "not-a-quantity", f"{shown} is not {dimension.name}", f"write it like '{dimension.example}'"
        )
    if isinstance(value, str):
        return _finite(_read_text(value, dimension), shown)
    number = _finite(value, shown)
    if not dimension.bare:
        raise QuantityError("unit-missing", f"{shown} has no unit", _unit_fix(shown.strip("'"), dimension))
    return number


def quoted(value) -> str:
    """A value as the user wrote it, in quotes, never longer than a line."""
    if isinstance(value, list | tuple | dict):
        return "a mapping" if isinstance(value, dict) else "a list"
    text = getattr(value, "text", None) or {None: "null", True: "true", False: "false"}.get(
        value if _is_word(value) else ""
    )
    text = str(value) if text is None else text
    text = " ".join(text.split())
    return f"'{text if len(text) <= LONGEST_TEXT else text[: LONGEST_TEXT - 1] + '…'}'"


def _is_word(value) -> bool:
    return value is None or isinstance(value, bool)


def _finite(number, shown: str) -> float:
    try:
        number = float(number)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise QuantityError("not-finite", f"{shown} is not a finite number", "write a number")
    if abs(number) > LARGEST:
        raise QuantityError("too-large", f"{shown} is more than can be planned", "write a smaller number")
    return number


def _read_text(text: str, dimension: Dimension) -> float:
    plain = normal(text)
    match = QUANTITY.fullmatch(plain) if len(plain) <= LONGEST_TEXT else None
    if not match:
        raise QuantityError("not-a-quantity", f"{quoted(text)} is not {dimension.name}", _number_fix(plain, dimension))
    number = match["number"].replace(",", "")
    unit = match["unit"].strip()
    if dimension.counted:
        unit = strip_noun(unit)
    if not unit:
        if dimension.bare:
            return float(number)
        raise QuantityError("unit-missing", f"{quoted(text)} has no unit", _unit_fix(match["number"], dimension))
    return multiply(number, _factor(unit, dimension, text, match["number"]))


def multiply(number: str, factor: float | Fraction) -> float:
    """Decimal text times a factor, rounded once: 35% is 0.35."""
    exact = Fraction(Decimal(number)) * (factor if isinstance(factor, Fraction) else Fraction(repr(factor)))
    try:
        return float(exact)
    except OverflowError:
        return math.inf


def normal(text: str) -> str:
    """Full-width digits and signs as plain ones, one space between words."""
    return " ".join(unicodedata.normalize("NFKC", text).replace("−", "-").split())


def strip_noun(unit: str) -> str:
    """'B tokens' -> 'B': the thing counted stands in the key already."""
    unit = re.sub(rf"(^|\s+|(?<=[kKMGBT])\s*){NOUNS}$", "", unit, flags=re.IGNORECASE)
    return re.sub(f"{CHINESE_NOUNS}$", "", unit).strip()


def _factor(unit: str, dimension: Dimension, text: str, number: str) -> float:
    if unit in dimension.units:
        return dimension.units[unit]
    if unit.lower() in dimension.words:
        return dimension.words[unit.lower()]
    mended = _mended(text)
    if mended:
        raise QuantityError("not-a-quantity", f"{quoted(text)} is not {dimension.name}", f"write '{mended}'")
    nearest = [known for known in dimension.units if known.lower() == unit.lower()]
    if nearest:
        fix = f"write '{number}{'' if dimension.counted else ' '}{nearest[-1]}'"
        raise QuantityError("unit-case", f"{quoted(text)}: capital letters matter in '{unit}'", fix)
    if DATE_LIKE.fullmatch(text.strip()):
        fix = f"write {{by: {text.strip()}}}, or a span such as '14 days'"
        raise QuantityError("date-for-a-span", f"{quoted(text)} is a date, not a span", fix)
    known = list(dimension.units) or ["ms", "s", "min", "hours", "days", "weeks", "months", "years"]
    message = f"{quoted(text)}: '{unit[:20]}' is not a unit of {dimension.name.removeprefix('a ')}"
    raise QuantityError(
        "unit-unknown", message, f"write it like '{dimension.example}' (units: {', '.join(_latin(known))})"
    )


def _latin(units: list[str]) -> list[str]:
    return [unit for unit in units if unit.isascii()]


def _unit_fix(number: str, dimension: Dimension) -> str:
    unit = re.sub(r"^[\d.]+", "", dimension.example)
    return f"write '{number}{unit}'" if unit else f"write it like '{dimension.example}'"


def _number_fix(text: str, dimension: Dimension) -> str:
    mended = _mended(text)
    return f"write '{mended}'" if mended else f"write it like '{dimension.example}'"


def _mended(text: str) -> str:
    """The same number without separators that mean different things to different people; empty when that is not it."""
    plain = re.sub(r"(?<=\d)[_' ](?=\d)", "", text)
    plain = re.sub(r"^([-+]?\d+),(\d+)(?!\d|,)", r"\1.\2", plain)
    return plain if plain != text else ""


CURRENCIES = ("CNY", "USD", "EUR", "GBP", "JPY", "HKD", "SGD", "KRW", "INR", "AUD", "CAD", "CHF", "TWD")
CURRENCY_SIGNS = {
    "元": "CNY",
    "人民币": "CNY",
    "RMB": "CNY",
    "¥": "CNY",
    "$": "USD",
    "US$": "USD",
    "美元": "USD",
    "€": "EUR",
    "欧元": "EUR",
}
CURRENCY_SIGNS |= {"£": "GBP", "港元": "HKD", "日元": "JPY"} | {code: code for code in CURRENCIES}
_SIGNS = "|".join(re.escape(sign) for sign in sorted(CURRENCY_SIGNS, key=len, reverse=True))
MONEY = re.compile(
    rf"(?P<before>{_SIGNS})?\s*(?P<number>{NUMBER})\s*(?P<multiple>[^\W\d]*?)\s*(?P<after>{_SIGNS})?", re.IGNORECASE
)


def read_money(value, per: str = "") -> Amount:
    """Money such as `12.5 M CNY`, `3 万元`, `$2M`; a bare number has no currency. `per`: an ending such as `/kWh`."""
    shown = quoted(value)
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise QuantityError("not-a-quantity", f"{shown} is not an amount of money", "write it like '12.5 M CNY'")
    if not isinstance(value, str):
        return Amount(_finite(value, shown))
    text = normal(value)
    if per and text.lower().replace(" ", "").endswith(per.lower()):
        text = text[: text.rindex("/")].rstrip()
    match = MONEY.fullmatch(text) if len(text) <= LONGEST_TEXT else None
    if not match or (match["before"] and match["after"]):
        raise QuantityError(
            "not-a-quantity", f"{shown} is not an amount of money", "write it like '12.5 M CNY' or '3 万元'"
        )
    sign = match["before"] or match["after"] or ""
    number = multiply(match["number"].replace(",", ""), _multiple(match["multiple"], shown, match["number"], sign))
    return Amount(_finite(number, shown), CURRENCY_SIGNS[sign.upper()] if sign else "")


def _multiple(word: str, shown: str, number: str, sign: str) -> float:
    if not word:
        return 1.0
    if word in MULTIPLES:
        return MULTIPLES[word]
    if word.lower() in MULTIPLE_WORDS:
        return MULTIPLE_WORDS[word.lower()]
    if word.upper() in MULTIPLES:
        raise QuantityError(
            "unit-case",
            f"{shown}: capital letters matter in '{word}'",
            f"write '{number} {word.upper()} {sign}".rstrip() + "'",
        )
    fix = f"currencies: {', '.join(CURRENCIES)}; multiples: k, M, B, 万, 亿"
    raise QuantityError("unit-unknown", f"{shown}: '{word[:20]}' is neither a currency nor a multiple", fix)
