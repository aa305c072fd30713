"""The hardware list: the amounts of the result, a supplier's leaf without prices and brands, offers that win."""

from __future__ import annotations

import re

import pytest

from reportgen.catalog import load_catalog
from reportgen.estimator.request_list import lines_of
from reportgen.workbook.calculate import settle
from reportgen.workbook.model import FIRST_ROW, Model
from tests.workbook.sheets.reader_books import SCENARIOS, changed, made, shipped, shipped_result, texts, value

VENDORS = sorted({record.vendor.casefold() for record in load_catalog().accelerators.values()})
BRANDS = [*VENDORS, "geforce", "instinct", "ascend", "cuda", "nvlink", "mellanox", "dell", "supermicro", "cisco"]


def same(left: float, right: float) -> bool:
    return (left != left and right != right) or left == pytest.approx(right, rel=1e-12, abs=1e-9)


def first_row(model: Model) -> int:
    """The first row of the hardware list, which stands below the rental list in a request to rent."""
    return next(table.row for table in model.book["request"].tables if table.name == "HardwareList") + 1


@pytest.mark.parametrize("name", SCENARIOS)
def test_lines_carry_the_numbers_of_the_result(name):
    model, result = shipped(name), shipped_result(name)
    sheet = model.book["request"]
    for row, line in enumerate(result.lines, start=first_row(model)):
        found = [sheet.cells[row, column].value for column in (6, 9, 12, 13, 14)]
        wanted = [line.quantity, line.unit_price, line.amount, line.tax_rate, line.amount_with_tax]
        assert all(map(same, found, wanted)), line.key


@pytest.mark.parametrize("name", SCENARIOS)
def test_amounts_add_up_to_the_list_total(name):
    model = shipped(name)
    amounts = [model.book.value(model.base(line.amount)) for line in lines_of(model.features)]
    known = sum(amount for amount in amounts if amount == amount)
    assert known == pytest.approx(value(model, model.base("list_total")), rel=1e-12)


@pytest.mark.parametrize("name", SCENARIOS)
def test_basis_source_and_date_are_those_of_the_result(name):
    model, result = shipped(name), shipped_result(name)
    sheet, say = model.book["request"], model.words.label
    for row, line in enumerate(result.lines, start=first_row(model)):
        basis, source, date = (sheet.cells[row, column].value for column in (15, 16, 17))
        if line.quantity == 0:
            assert basis == say("request_not_needed")
            continue
        assert basis == say(f"basis_{line.basis}"), line.key
        if line.basis != "quote_needed":
            assert source == line.source
            assert (date if date == date else "") in (line.as_of, "–", "")


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["finetune-70b", "serve-deepseek-v3", "qlora-8b-workstation"])
def test_the_supplier_reads_no_brand_and_no_price(name, language):
    model = shipped(name, language)
    leaf = texts(model.book, "request", "ABCDEFGH", first=4)
    for text in leaf:
        assert not [brand for brand in BRANDS if brand in text.casefold()], text
        assert not re.search(r"CNY|USD|[\d万亿] ?元", text), text
    page = model.book["request"].page
    assert page.column_breaks == [8, 18] and page.title_columns == (1, 3) and page.first_row == 4
    assert not [brand for brand in BRANDS if brand in page.header_left.casefold()]


@pytest.mark.parametrize("name", ["finetune-70b", "serve-70b-chat", "qlora-8b-workstation"])
def test_minimum_specifications_admit_the_accelerator_planned_with(name):
    model = shipped(name)
    text = model.book["request"].cells[FIRST_ROW, 4].value
    assert f"{model.result.value('memory_capacity_gib'):g} GiB" in text
    assert "–" not in text


def typed(name: str, **cells: float) -> Model:
    """The book after typing into boxed cells of the request."""
    model = made(shipped_result(name))
    for key, content in cells.items():
        model.book.cell(model.typed[key]).content = content
    settle(model.book)
    return model


def test_an_offer_wins_over_everything():
    model = typed("finetune-70b", offer_accelerator_servers=2_000_000.0)
    row = [model.book["request"].cells[FIRST_ROW, column].value for column in (9, 12, 14, 15, 16, 17)]
    nodes = model.result.value("nodes_bought")
    price, amount, taxed, basis, source, date = row
    assert price == 2_000_000 and amount == nodes * 2_000_000
    assert taxed == pytest.approx(amount * 1.13)
    assert basis == "quote" and source == "this offer" and date == "–"
    before = shipped("finetune-70b")
    assert value(model, model.base("unpriced_lines")) < value(before, before.base("unpriced_lines"))
    assert value(model, model.base("list_total")) > value(before, before.base("list_total")) + amount


def test_a_discount_lowers_the_amount():
    before, model = shipped("finetune-70b"), typed("finetune-70b", discount_compute_leaf_switches=0.25)
    amounts = [value(book, book.base("compute_leaf_switches_amount")) for book in (before, model)]
    assert amounts[1] == pytest.approx(0.75 * amounts[0])


def test_a_line_without_a_price_is_never_zero():
    model = shipped("finetune-70b")
    unpriced = [line for line in model.result.lines if line.basis == "quote_needed" and line.quantity > 0]
    assert unpriced
    for line in unpriced:
        found = value(model, model.base(f"{line.key}_amount"))
        assert found != found and found is not None


@pytest.fixture(scope="module")
def rented() -> Model:
    sets = ("hardware={accelerators: [h800-sxm, a800-sxm-80gb], acquire: rent, term: month}",)
    return changed("finetune-70b", *sets)


def test_a_request_to_rent_shows_the_rental_list_first(rented):
    sheet, result = rented.book["request"], rented.result
    assert result.rental
    for row, line in enumerate(result.rental, start=FIRST_ROW):
        found = [sheet.cells[row, column].value for column in (6, 9, 12, 14)]
        assert all(map(same, found, [line.quantity, line.unit_price, line.amount, line.amount_with_tax])), line.key
        assert sheet.cells[row, 15].value == rented.words.label(f"basis_{line.basis}"), line.key
    leaf = texts(rented.book, "request", "ABCDEFGH", first=4)
    assert not [text for text in leaf if [brand for brand in BRANDS if brand in text.casefold()]]


def test_the_hardware_list_of_a_request_to_rent_stands_on_pages_of_its_own(rented):
    sheet = rented.book["request"]
    rental, hardware = sheet.tables
    assert rental.name == "RentalList" and hardware.name == "HardwareList"
    assert any(rental.last_row < row < hardware.row for row in sheet.page.row_breaks)


def test_the_name_of_the_room_is_where_it_is_delivered():
    model = shipped("owned-finetune-32b")
    assert model.result.facts.site == "Hall 2"
    sheet = model.book["request"]
    row = next(row for (row, column), cell in sheet.cells.items() if column == 4 and cell.value == "Deliver to")
    assert sheet.cells[row, 5].value == "Hall 2"


def test_totals_say_how_well_and_how_badly_they_may_turn_out():
    model = shipped("finetune-70b")
    sheet, cost = model.book["request"], model.result.quantities["purchase_cost"]
    row = next(row for (row, column), cell in sheet.cells.items() if column == 9 and cell.value == model.label("purchase_cost"))
    found = [sheet.cells[row, column].value for column in (12, 15, 16)]
    assert found == pytest.approx([cost.value, cost.favourable, cost.adverse]) and found[1] < found[0] < found[2]
