"""Price books end to end: a thousand lines, other currencies, no price, the same item twice, names made to do harm."""

import csv
import io
import json
import zipfile

import pytest

from reportgen.errors import CatalogError
from reportgen.evaluation.evaluate import evaluate
from reportgen.evaluation.result import Result
from reportgen.scenario import scenario_from_mapping
from reportgen.text.csv import hardware_list
from reportgen.workbook import build_workbook
from tests.evaluation.conftest import DAY

HARM = "=cmd|' /C calc'!A0"
HEAD = "item,kind,price,currency,unit,tax,as_of,source\n"
SMALL = {
    "title": "A test", "job": "fine-tuning", "model": "qwen3-8b", "data": {"tokens": 1e9},
    "hardware": {"accelerator": "h100-sxm", "count": 64},
}  # fmt: skip


def priced(tmp_path, text: str | bytes, name: str = "book.csv", **keys) -> Result:
    """The result with a price book."""
    path = tmp_path / name
    path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return evaluate(scenario_from_mapping({**SMALL, **keys}, date=DAY), prices_file=str(path))


def line(result: Result, key: str):
    """A line of the list by its key."""
    return next(item for item in result.lines if item.key == key)


def test_a_book_in_yuan_prices_the_list(tmp_path):
    book = HEAD + "H100,server,2000000,CNY,,excluded,2026-11-20,offer 17\nrack,line,7000,CNY,,,2026-11-21,\n"
    item = priced(tmp_path, book)
    servers = line(item, "accelerator_servers")
    assert (servers.unit_price, servers.basis, servers.as_of) == (2e6, "quote", "2026-11-20")
    assert line(item, "equipment_racks").unit_price == 7000
    assert item.facts.price_date == "2026-11-30" or item.facts.price_date >= "2026-11-21"


@pytest.mark.parametrize(("tax", "net"), [("included", 2e6), ("excluded", 2.26e6), ("", 2.26e6)])
def test_prices_with_and_without_tax(tmp_path, tax, net):
    item = priced(tmp_path, f"{HEAD}h100-sxm,server,2260000,CNY,,{tax},,\n")
    assert line(item, "accelerator_servers").unit_price == pytest.approx(net)
    assert line(item, "accelerator_servers").amount_with_tax == pytest.approx(net * 9 * 1.13)


def test_a_scenario_may_say_that_its_prices_include_tax(tmp_path):
    book = f"{HEAD}h100-sxm,server,2260000,CNY,,,,\nrack,line,7000,CNY,,excluded,,\n"
    item = priced(tmp_path, book, tax={"included": True})
    assert line(item, "accelerator_servers").unit_price == pytest.approx(2e6)
    assert line(item, "equipment_racks").unit_price == 7000


def test_a_rent_with_tax_is_a_service(tmp_path):
    book = f"{HEAD}h100-sxm,rent,10.6,CNY,GPU-hour,included,,\n"
    item = priced(tmp_path, book, hardware={"accelerator": "h100-sxm", "count": 64, "acquire": "rent"})
    assert item.value("rental_price") == pytest.approx(10.0)


@pytest.mark.parametrize(("region", "rates"), [("US", (0.0, 0.0)), ("CN", (0.13, 0.06))])
@pytest.mark.parametrize("currency", ["USD", "CNY"])
def test_the_region_decides_the_tax_whatever_the_currency(tmp_path, region, rates, currency):
    path = tmp_path / "book.csv"
    path.write_text(f"{HEAD}h100-sxm,server,300000,USD,,included,,\n", encoding="utf-8")
    scenario = scenario_from_mapping({**SMALL, "currency": "USD", "region": region}, date=DAY)
    item = evaluate(scenario, prices_file=str(path), currency=currency)
    assert tuple(item.value(f"value_added_tax_{kind}") for kind in ("goods", "services")) == rates
    rate = 6.7394 if currency == "CNY" else 1
    assert line(item, "accelerator_servers").unit_price == pytest.approx(300000 * rate / (1 + rates[0]))


def test_a_given_rate_is_that_of_prices_and_of_the_list(tmp_path):
    book = f"{HEAD}h100-sxm,rent,11.3,CNY,GPU-hour,included,,\n"
    rented = {"accelerator": "h100-sxm", "count": 64, "acquire": "rent"}
    item = priced(tmp_path, book, hardware=rented, tax={"rate": "13 %"})
    assert item.value("rental_price") == pytest.approx(10.0)
    assert item.value("rental_tax") == pytest.approx(
        0.13 * (item.value("rental_list_total") + item.value("rental_contingency"))
    )


def test_a_book_of_a_spreadsheet_in_chinese(tmp_path):
    text = "名称,类别,单价,币种,含税情况,日期\nH100,服务器,2260000,人民币,含税,2026-11-20\nrack,清单项,7000,人民币,不含税,\n"
    for encoded in (text.encode("gb18030"), text.encode("utf-8-sig")):
        item = priced(tmp_path, encoded)
        assert line(item, "accelerator_servers").unit_price == pytest.approx(2e6)
        assert line(item, "equipment_racks").unit_price == 7000


def test_other_currencies_by_dated_rates(tmp_path):
    item = priced(tmp_path, f"{HEAD}h100-sxm,server,300000,USD,,excluded,,\n")
    assert line(item, "accelerator_servers").unit_price == pytest.approx(300000 * 6.7394)
    rate = next(message.values for message in item.remarks if message.key == "remark_exchange_rate")
    assert (rate["from"], rate["rate"], rate["day"]) == ("USD", "6.7394", "2026-08-22")


def test_the_book_brings_its_own_rates(tmp_path):
    book = f"{HEAD}EUR,rate,8.1,CNY,,,2026-11-01,bank\nusd,rate,7,CNY,,,2026-11-01,bank\n"
    item = priced(tmp_path, f"{book}h100-sxm,server,250000,EUR,,excluded,,\n")
    assert line(item, "accelerator_servers").unit_price == pytest.approx(250000 * 8.1)
    rate = next(message.values for message in item.remarks if message.key == "remark_exchange_rate")
    assert (rate["rate"], rate["day"]) == ("7.0000", "2026-11-01")


def test_a_currency_without_a_rate_is_refused(tmp_path):
    with pytest.raises(CatalogError, match="no exchange rate from GBP to CNY"):
        priced(tmp_path, f"{HEAD}h100-sxm,server,250000,GBP,,,,\n")


def test_an_empty_price_is_not_quoted_yet(tmp_path):
    item = priced(tmp_path, f"{HEAD}out_of_band_switch,line,,CNY,,,,\nrack,line,7000,CNY,,,,\n")
    assert line(item, "out_of_band_network_switches").basis == "quote_needed"
    assert line(item, "equipment_racks").unit_price == 7000
    assert "out_of_band_network_switches" in item.missing


def test_the_last_of_two_lines_counts_and_is_said(tmp_path):
    item = priced(tmp_path, f"{HEAD}rack,line,7000,CNY,,,,\nrack,line,8000,CNY,,,,\n")
    assert line(item, "equipment_racks").unit_price == 8000
    said = next(message.values for message in item.remarks if message.key == "remark_price_twice")
    assert said == {"items": "rack", "count": 1.0}


def test_a_thousand_lines_twenty_of_which_count(tmp_path):
    rows = "".join(f"rack,line,{5000 + number},CNY,,,,\n" for number in range(980))
    rows += "".join(f"h100-sxm,server,{2_000_000 + number},CNY,,,,\n" for number in range(20))
    item = priced(tmp_path, HEAD + rows)
    assert line(item, "equipment_racks").unit_price == 5979
    assert line(item, "accelerator_servers").unit_price == 2_000_019


def test_an_item_named_to_do_harm_is_unknown_and_said_so(tmp_path):
    with pytest.raises(CatalogError, match="unknown item") as caught:
        priced(tmp_path, f'{HEAD}"{HARM}",line,1,CNY,,,,\n')
    assert caught.value.problems[0].place.line == 2


@pytest.mark.parametrize("harm", [HARM, "+1+1", "-2", "@SUM(A1)", "\tx", "＝1"])
def test_texts_made_to_do_harm_stay_texts(tmp_path, harm):
    item = priced(tmp_path, f'{HEAD}h100-sxm,server,2000000,CNY,,,"{harm}","{harm}"\n')
    rows = list(csv.reader(io.StringIO(hardware_list(item).decode("utf-8-sig"))))
    for row in rows[1:]:
        for cell in row:
            number = cell.lstrip("-").replace(".", "").replace("e", "").replace("+", "").isdigit()
            assert number or not cell.startswith(("=", "+", "-", "@", "\t", "|", "＝")), cell


def test_a_workbook_of_such_a_book_holds_no_such_formula(tmp_path):
    content = build_workbook(priced(tmp_path, f'{HEAD}h100-sxm,server,2000000,CNY,,,"{HARM}","{HARM}"\n'))
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        sheets = [archive.read(name).decode() for name in archive.namelist() if name.startswith("xl/worksheets/sheet")]
    assert not any("<f>cmd" in sheet or "<f>=cmd" in sheet for sheet in sheets)
    assert not any("ddeLink" in sheet for sheet in sheets)


def test_list_total_in_every_place(tmp_path):
    """The cost model, the list, JSON and CSV give one total."""
    item = priced(tmp_path, f"{HEAD}h100-sxm,server,2000000,CNY,,,,\n")
    known = sum(entry.amount for entry in item.lines if entry.amount == entry.amount)
    rows = list(csv.DictReader(io.StringIO(hardware_list(item).decode("utf-8-sig"))))
    listed = sum(float(row["amount"]) for row in rows if row["amount"])
    data = json.loads(item.dumps())
    written = sum(entry["amount"] for entry in data["lines"] if entry["amount"] is not None)
    assert known == pytest.approx(item.value("list_total"), rel=1e-12)
    assert listed == pytest.approx(known, rel=1e-12) and written == pytest.approx(known, rel=1e-12)


def test_other_methods_are_priced_by_the_same_book(tmp_path):
    item = priced(tmp_path, f"{HEAD}h100-sxm,server,1000,CNY,,excluded,,\n")
    other = next(option for option in item.options if option.key == "method-lora")
    assert other.values["node_price"] == 1000
    path = tmp_path / "book.csv"
    item = evaluate(scenario_from_mapping(SMALL, date=DAY), prices_file=str(path), currency="USD")
    other = next(option for option in item.options if option.key == "method-lora")
    assert other.values["node_price"] == pytest.approx(1000 / 6.7394) == item.value("node_price")
