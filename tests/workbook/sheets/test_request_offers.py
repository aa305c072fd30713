"""Offers side by side: the one that is taken wins over the price book through every total, also in another engine."""

from __future__ import annotations

import pytest

from reportgen.estimator.request_list import lines_of
from reportgen.workbook.calculate import settle
from reportgen.workbook.frame import FIRST_ROW
from reportgen.workbook.model import Model
from reportgen.workbook.write import workbook_bytes
from tests.workbook.engine.recalculate import differences, formula_cells, iron_calc, settled_values, with_inputs
from tests.workbook.sheets.reader_books import changed, made, shipped, shipped_result, value

TYPED = {  # line -> offers of A, B, C, and the choice
    "accelerator_servers": (2_000_000.0, 1_900_000.0, 2_100_000.0, "lowest"),
    "compute_leaf_switches": (300_000.0, 200_000.0, 0.0, "A"),
    "shared_storage": (4_000.0, 0.0, 0.0, "C"),
    "equipment_racks": (5_000.0, 4_000.0, 3_000.0, "none"),
    "ups_capacity": (0.0, 0.0, 3_500.0, "lowest"),
}
TAKEN = {"accelerator_servers": 1_900_000.0, "compute_leaf_switches": 300_000.0, "ups_capacity": 3_500.0}


def rows(model: Model) -> dict[str, int]:
    """The row of each line of the hardware list."""
    return {line.key: FIRST_ROW + number for number, line in enumerate(lines_of(model.features))}


@pytest.fixture(scope="module")
def compared() -> tuple[Model, bytes, dict]:
    """A book as issued, and the same after three suppliers' prices and choices were typed into it."""
    model = made(shipped_result("finetune-70b"))
    issued, sheet, places = workbook_bytes(model.book), model.book["request"], {}
    for key, typed in TYPED.items():
        for column, content in zip((19, 20, 21, 22), typed, strict=True):
            sheet.cells[rows(model)[key], column].content = content
            places[sheet.title, rows(model)[key], column] = content
    settle(model.book)
    return model, issued, places


def test_the_chosen_offer_is_the_price(compared):
    model, sheet = compared[0], compared[0].book["request"]
    before = shipped("finetune-70b").book["request"]
    for key, row in rows(model).items():
        price, offer, basis = (sheet.cells[row, column].value for column in (9, 10, 15))
        if key in TAKEN:
            assert price == offer == TAKEN[key] and basis == "quote", key
            assert sheet.cells[row, 12].value == pytest.approx(price * sheet.cells[row, 6].value)
        elif key in TYPED:
            assert offer == 0 and price == before.cells[row, 9].value, "what is not taken changes nothing"


def test_every_total_follows(compared):
    model, before = compared[0], shipped("finetune-70b")
    amounts = [value(model, model.base(line.amount)) for line in lines_of(model.features)]
    known = sum(amount for amount in amounts if amount == amount)
    assert value(model, model.base("list_total")) == pytest.approx(known)
    priced = 3  # two by offers; installation goes with the value of the goods
    assert value(model, model.base("unpriced_lines")) == value(before, before.base("unpriced_lines")) - priced
    taken = [amounts[number] for number, line in enumerate(lines_of(model.features)) if line.key in TAKEN]
    assert value(model, model.base("quoted_amount")) == pytest.approx(sum(taken)), "quoted lines do not move with prices"
    cost = value(model, model.base("purchase_cost"))
    assert cost > value(before, before.base("purchase_cost")) + 3 * 1_900_000
    requested = next(row for (row, column), cell in model.book["options"].cells.items() if column == 17 and "✔" in str(cell.value))
    assert model.book["options"].cells[requested, 10].value == pytest.approx(cost)


def test_another_engine_finds_the_same(compared):
    model, issued, places = compared
    found = differences(formula_cells(model.book), settled_values(model.book), iron_calc(with_inputs(issued, places)))
    assert not found, found[:3]


def test_each_supplier_has_a_sum_and_open_lines(compared):
    model, sheet = compared[0], compared[0].book["request"]
    top = next(row for (row, column), cell in sheet.cells.items() if column == 19 and cell.value == "Comparison of offers")
    needed = [row for row in rows(model).values() if sheet.cells[row, 6].value > 0]
    for column, index in zip((24, 25, 26), range(3), strict=True):
        name, total, offered, missing = (sheet.cells[top + offset, column].value for offset in (1, 2, 3, 4))
        prices = {rows(model)[key]: typed[index] for key, typed in TYPED.items() if typed[index] > 0}
        assert total == pytest.approx(sum(price * sheet.cells[row, 6].value for row, price in prices.items()))
        assert offered == len(prices) and offered + missing == len(needed)
        assert sheet.cells[4, column].value == name == f"Supplier {'ABC'[index]}"


def test_offers_stand_on_a_leaf_of_their_own(compared):
    page = compared[0].book["request"].page
    assert page.column_breaks == [8, 18] and page.last_column == 27
    assert compared[0].result.facts.title not in page.footer_left


def test_offers_of_a_rent_are_compared_too():
    model = changed("finetune-70b", "hardware={accelerators: [h800-sxm], acquire: rent, term: month}")
    sheet = model.book["request"]
    before = value(model, model.base("rental_cost"))
    for column, content in zip((19, 20, 21, 22), (30.0, 20.0, 25.0, "lowest"), strict=True):
        sheet.cells[FIRST_ROW, column].content = content
    settle(model.book)
    assert value(model, model.base("rental_price")) == 20.0 and sheet.cells[FIRST_ROW, 15].value == "quote"
    assert value(model, model.base("rental_cost")) != before
    hours = value(model, model.base("rental_billed_gpu_hours"))
    assert sheet.cells[FIRST_ROW, 24].value == pytest.approx(30 * hours)
