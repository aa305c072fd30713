"""Rents, server prices, component lines, exchange rates, and the private price book that wins over them."""

from __future__ import annotations

import time

import pytest

from reportgen.catalog import load_catalog
from reportgen.catalog.accelerator_table import TableJob, accelerator_table
from reportgen.catalog.money import BookPrice, Money, middle, tax_rates
from reportgen.catalog.price_book import component_price, rent, server_price
from reportgen.catalog.price_records import ExchangeRateRecord
from reportgen.catalog.private_prices import read_price_book
from reportgen.catalog.rent_terms import rent_of_term
from reportgen.errors import CatalogError

CATALOG = load_catalog()
CNY = Money.of(CATALOG)
USD = Money.of(CATALOG, "USD")
RATE = 6.7394

RENTS = {  # (accelerator, term) -> USD an hour, basis
    ("h100-sxm", "hour"): (3.21, "median"),
    ("h200-sxm", "hour"): (4.20, "median"),
    ("h100-sxm", "year"): (87000 / 8 / 720 / RATE, "node_month_1y"),
    ("a100-sxm-80gb", "month"): (25000 / 8 / 720 / RATE, "node_month"),
    ("h800-sxm", "hour"): (69000 / 8 / 720 / RATE, "node_month_1y"),
    ("a800-sxm-80gb", "hour"): (35000 / 8 / 720 / RATE, "node_month"),
    ("ascend-910b3", "hour"): (15000 / 8 / 720 / RATE, "node_month"),
    ("tpu-v5p", "hour"): (4.2, "on_demand"),
    ("a100-pcie-80gb", "hour"): (middle(1.39, 3.673), "on_demand"),
}


@pytest.mark.parametrize(("case", "expected"), RENTS.items())
def test_rents(case, expected):
    price = rent(CATALOG, USD, *case)
    assert (price.base, price.basis) == (pytest.approx(expected[0]), expected[1])
    assert price.low < price.base < price.high
    assert price.tax_assumed_excluded


def test_rents_follow_the_currency():
    assert rent(CATALOG, CNY, "h100-sxm").base == pytest.approx(3.21 * RATE)
    assert rent(CATALOG, CNY, "h20-sxm") is None


def test_spot_rents_are_of_the_last_year():
    offers = {item.per_gpu_hour_spot: item.as_of for item in CATALOG.rents.values() if item.accelerator == "h100-sxm"}
    assert offers[1.25] == "2025"
    price = rent_of_term(CATALOG, USD, "h100-sxm", "spot")
    assert (price.basis, price.low, price.high, price.as_of) == ("spot", 0.8015, 2.2712, "2026-09-06")
    assert price.base == pytest.approx(middle(0.8015, 2.2712))


TAXES = {  # region, given rate -> goods, services
    ("CN", None): (0.13, 0.06),
    ("CN-JS", None): (0.13, 0.06),
    ("US", None): (0.0, 0.0),
    (None, None): (0.0, 0.0),
    ("DE", 0.19): (0.19, 0.19),
    ("CN", 0.13): (0.13, 0.13),
}


@pytest.mark.parametrize(("case", "expected"), TAXES.items())
def test_the_region_decides_the_tax(case, expected):
    assert tax_rates(CATALOG, *case) == expected


SERVERS = {  # accelerator -> CNY low, high, basis
    "h100-sxm": (2.3e6, 3.2e6, "market"),
    "a100-sxm-80gb": (0.9e6, 1.4e6, "market"),
    "h20-sxm": (1.09e6, 1.09e6, "market"),
    "gb200": (3e6 / 18 * RATE, 3e6 / 18 * RATE, "estimate"),
}


@pytest.mark.parametrize(("accelerator", "expected"), SERVERS.items())
def test_server_prices(accelerator, expected):
    price = server_price(CATALOG, CNY, accelerator)
    low, high, basis = expected
    assert (price.low, price.high, price.basis) == (pytest.approx(low), pytest.approx(high), basis)
    assert price.base == pytest.approx(middle(low, high))
    assert price.as_of
    assert price.source


@pytest.mark.parametrize("accelerator", ["h200-sxm", "mi300x", "tpu-v4"])
def test_unpriced_servers(accelerator):
    assert server_price(CATALOG, CNY, accelerator) is None


LINES = {  # line -> USD low, high
    "leaf_switch_ndr": (35000, 50000),
    "transceiver_twin_800g": (1100, 1400),
    "transceiver_400g": (600, 800),
    "fibre_cable": (50, 150),
    "storage_tb": (500, 892.5),
    "rack": (800, 800),
    "pdu": (1170, 1960),
}


@pytest.mark.parametrize(("key", "expected"), LINES.items())
def test_component_lines(key, expected):
    price = component_price(CATALOG, USD, key)
    assert (price.low, price.high) == (pytest.approx(expected[0]), pytest.approx(expected[1]))
    assert price.base == pytest.approx(middle(*expected))


@pytest.mark.parametrize("key", ["leaf_switch_xdr", "out_of_band_switch", "fabric_manager", "no_such_line"])
def test_lines_without_a_public_price(key):
    assert component_price(CATALOG, CNY, key) is None


SHARES = {
    "support_share": (0.04, 0.06, 0.08),
    "installation_share": (0.02, 0.035, 0.05),
    "contingency_share": (0.05, 0.075, 0.1),
}


@pytest.mark.parametrize(("key", "expected"), SHARES.items())
def test_shares_have_no_currency(key, expected):
    price = component_price(CATALOG, CNY, key)
    assert (price.low, price.base, price.high) == pytest.approx(expected)
    assert price.currency == ""


def test_exchange_rates_work_both_ways_and_own_rates_win():
    assert CNY.convert(1, "USD") == pytest.approx(RATE)
    assert USD.convert(RATE, "CNY") == pytest.approx(1)
    assert CNY.convert(1, "EUR") is None
    own = ExchangeRateRecord(
        id="r", base="USD", quote="CNY", rate=7.0, source="bank", as_of="2026-11-30", source_key="scenario"
    )
    assert Money.of(CATALOG, rates=[own]).convert(1, "USD") == 7.0
    assert CNY.rate_from("USD").as_of == "2026-08-22"


BOOK_YAML = """
- {item: H100, kind: server, price: 2260000, high: 2486000, currency: CNY, tax: included, as_of: 2026-11-20}
- item: h800-sxm
  price: 60,000
  currency: CNY
  unit: node-month
- {item: leaf_switch_ndr, price: 31000, currency: USD, tax: excluded}
- {item: dgx-b200, price: 500000, currency: usd}
"""


def _book(tmp_path, text, name="book.yaml"):
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    return path


def test_the_private_book_wins(tmp_path):
    book = read_price_book(_book(tmp_path, BOOK_YAML), CATALOG)
    money = Money.of(CATALOG, price_book=book, taxes=tax_rates(CATALOG, "CN"))
    server = server_price(CATALOG, money, "h100-sxm")
    assert (server.base, server.high, server.basis) == (pytest.approx(2e6), pytest.approx(2.2e6), "quote")
    assert not server.tax_assumed_excluded
    assert server.as_of == "2026-11-20"
    assert rent(CATALOG, money, "h800-sxm").base == pytest.approx(60000 / 8 / 720)
    assert rent(CATALOG, money, "h800-sxm").tax_assumed_excluded
    assert component_price(CATALOG, money, "leaf_switch_ndr").base == pytest.approx(31000 * RATE)
    assert server_price(CATALOG, money, "b200-sxm").base == pytest.approx(500000 * RATE)
    table = accelerator_table(CATALOG, money, TableJob())
    assert table["node_price"].get("h100-sxm") == pytest.approx(2e6)
    assert table["price_source"].get("h100-sxm") == "scenario"


def test_a_book_may_be_csv(tmp_path):
    text = (
        "item,kind,price,currency,tax,low,high\nH200,server,2800000,CNY,excluded,2600000,3000000\nrack,,6000,CNY,,,\n"
    )
    first, second = read_price_book(_book(tmp_path, text, "book.csv"), CATALOG)
    assert (first.item, first.kind, first.low, first.high, first.tax) == ("h200-sxm", "server", 2.6e6, 3e6, "excluded")
    assert (second.item, second.kind, second.tax) == ("rack", "line", "unknown")


@pytest.mark.parametrize("header", ["", "h800-sxm,5,CNY", "item,price,price,currency"])
def test_a_csv_begins_with_its_columns(tmp_path, header):
    with pytest.raises(CatalogError, match="must name each of these columns once"):
        read_price_book(_book(tmp_path, f"{header}\n", "book.csv"), CATALOG)


WRONG_LINES = {
    "beyond all prices": ("- {item: h200, price: 1e308, currency: CNY}", 1, "more than anything costs", "in digits"),
    "unknown item": ("- {item: h2OO, price: 1, currency: CNY}", 1, "unknown item 'h2OO'", "did you mean 'h200-sxm'?"),
    "no price": ("- {item: h200, currency: CNY}", 1, "price is missing", "every line needs item, price, currency"),
    "not a number": ("\n- {item: h200, price: two, currency: CNY}", 2, "price 'two' is not a number", "write digits"),
    "zero": ("- {item: h200, price: 0, currency: CNY}", 1, "price must be positive", "quote needed"),
    "unknown column": ("- {item: h200, prise: 1, currency: CNY}", 1, "unknown column 'prise'", "did you mean 'price'?"),
    "range beside the price": ("- {item: h200, price: 5, low: 6, currency: CNY}", 1, "must enclose", "swap them"),
    "unknown tax": (
        "- {item: h200, price: 5, tax: with, currency: CNY}",
        1,
        "tax 'with' is not known",
        "choose one of",
    ),
    "unknown rent unit": ("- {item: h200, kind: rent, price: 5, unit: day, currency: CNY}", 1, "'day'", "GPU-hour"),
    "not a list": ("item: h200", 1, "must be a list", "- item:"),
    "not YAML": ("- {item: h200", 0, "not valid YAML", "mend"),
}


@pytest.mark.parametrize("case", WRONG_LINES)
def test_wrong_lines_are_named(tmp_path, case):
    text, line, said, fix = WRONG_LINES[case]
    path = _book(tmp_path, text)
    with pytest.raises(CatalogError) as caught:
        read_price_book(path, CATALOG)
    problem = caught.value.problems[0]
    assert said in problem.message
    assert fix in problem.fix
    assert problem.place.file == str(path)
    assert line == 0 or problem.place.line == line


def test_all_wrong_lines_are_named_at_once(tmp_path):
    path = _book(tmp_path, "item,price,currency\nh2OO,1,CNY\nh200,1,CNY\nh200,x,CNY\n", "book.csv")
    with pytest.raises(CatalogError) as caught:
        read_price_book(path, CATALOG)
    assert [problem.place.line for problem in caught.value.problems] == [2, 4]


def test_a_missing_book_is_a_catalog_error(tmp_path):
    with pytest.raises(CatalogError, match="cannot read the price book"):
        read_price_book(tmp_path / "none.yaml", CATALOG)


def test_a_book_in_an_unknown_currency_is_refused():
    line = BookPrice("h200-sxm", "server", 1.0, "EUR", "", "unknown", "offer", "2026-11-30")
    with pytest.raises(CatalogError, match="no exchange rate from EUR to CNY"):
        Money.of(CATALOG, price_book=[line])


def test_a_thousand_lines_are_read_quickly(tmp_path):
    rows = "".join(f"h200,server,{2_000_000 + number},CNY\n" for number in range(1000))
    path = _book(tmp_path, "item,kind,price,currency\n" + rows, "book.csv")
    start = time.process_time()
    book = read_price_book(path, CATALOG)
    money = Money.of(CATALOG, price_book=book)
    accelerator_table(CATALOG, money, TableJob())
    assert time.process_time() - start < 0.5
    assert server_price(CATALOG, money, "h200-sxm").base == 2_000_999
