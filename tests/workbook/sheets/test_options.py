"""Options and sensitivity: live rows equal the result; the order of charts is found live."""

from __future__ import annotations

import pytest

from reportgen.workbook.cells import Book
from reportgen.workbook.frame import FIRST_ROW
from reportgen.workbook.page_breaks import breaks_between
from tests.workbook.sheets.books import built
from tests.workbook.sheets.reader_books import SCENARIOS, shipped, shipped_result, value

PAID = {"buy": "purchase_cost", "rent": "rental_cost"}


@pytest.mark.parametrize("name", SCENARIOS)
def test_options_are_those_of_the_result(name):
    model, result = shipped(name), shipped_result(name)
    sheet = model.book["options"]
    for row, option in enumerate(result.options, start=FIRST_ROW):
        if option.kind != "accelerator":
            continue
        assert sheet.cells[row, 10].value == pytest.approx(option.values[PAID[option.way]], nan_ok=True)
        assert sheet.cells[row, 7].value == pytest.approx(option.values["memory_per_gpu_gib"])
        flags = [sheet.cells[row, column].value for column in (14, 15, 16)]
        assert flags == [float(option.fits), float(option.in_time), float(option.permitted)], option.key
        assert isinstance(sheet.cells[row, 17].value, str) and sheet.cells[row, 17].value


@pytest.mark.parametrize("name", SCENARIOS)
def test_bars_stand_in_order(name):
    sheet = shipped(name).book["options"]
    for table in sheet.tables:
        if table.name in ("CostInOrder", "TimeInOrder"):
            rows = range(table.row + 1, table.last_row + 1)
            shown = [max(sheet.cells[row, 5].value, sheet.cells[row, 6].value) for row in rows]
            known = [item for item in shown if item > 0]
            assert known == sorted(known) and shown[: len(known)] == known
            assert sorted(sheet.cells[row, 2].value for row in rows) == list(range(1, len(shown) + 1))


@pytest.mark.parametrize("name", SCENARIOS)
def test_memory_parts_close_to_the_whole_card(name):
    model = shipped(name)
    sheet = model.book["options"]
    table = next(item for item in sheet.tables if item.name == "MemoryOfOneGpu")
    for index, row in enumerate(range(table.row + 1, table.last_row + 1)):
        parts = [sheet.cells[row, column].value for column in range(table.column + 1, table.last_column + 1)]
        capacity, needed = (value(model, model.trial(f"memory_{key}_gib", index)) for key in ("capacity", "per_gpu"))
        assert sum(parts) == pytest.approx(max(capacity, needed))


@pytest.mark.parametrize("name", SCENARIOS)
def test_live_tests_equal_those_of_the_result(name):
    model, result = shipped(name), shipped_result(name)
    tests = {(test.input, test.end): test for test in result.sensitivity}
    for column in model.test_columns:
        found = value(model, model.trial("total_cost", column.index))
        assert found == pytest.approx(tests[column.input, column.end].results["total_cost"], rel=1e-9)


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_tornado_is_sorted_by_swing(name):
    sheet = shipped(name).book["sensitivity"]
    for table in sheet.tables:
        if table.name in ("OrderByTime", "OrderByCost"):
            rows = range(table.row + 1, table.last_row + 1)
            swings = [sheet.cells[row, 5].value - sheet.cells[row, 4].value for row in rows]
            assert swings == sorted(swings, reverse=True)


@pytest.mark.parametrize("name", SCENARIOS)
def test_cross_checks_are_those_of_the_result(name):
    model, result = shipped(name), shipped_result(name)
    sheet = model.book["crosscheck"]
    for row, item in enumerate(result.cross_checks, start=FIRST_ROW):
        found = [sheet.cells[row, column].value for column in (4, 6, 7)]
        wanted = [item.result, item.estimate, item.result / item.estimate]
        assert found == pytest.approx(wanted, nan_ok=True), item.key
        assert len(sheet.cells[row, 9].value) > 20


@pytest.mark.parametrize("name", SCENARIOS)
def test_measured_runs_stand_below_the_rules(name):
    model, result = shipped(name), shipped_result(name)
    sheet = model.book["crosscheck"]
    tables = [table for table in sheet.tables if table.name == "MeasuredRuns"]
    assert bool(tables) == bool(result.nearest_runs) == ("training" in result.features)
    for table in tables:
        first = table.row + 1
        for row, run in enumerate(result.nearest_runs, start=first):
            measured, estimated, ratio, source = (sheet.cells[row, column].value for column in (4, 6, 7, 9))
            assert (measured, estimated, source) == (run.measured, run.estimated, run.source)
            assert ratio == pytest.approx(run.estimated / run.measured)
        assert sheet.cells[table.last_row, 6].value == pytest.approx(result.value("tokens_per_second_per_gpu"))


@pytest.mark.parametrize("key", ["options", "sensitivity"])
@pytest.mark.parametrize("name", ["finetune-70b", "qlora-8b-workstation", "serve-70b-chat"])
def test_no_page_cuts_a_chart_or_a_table(name, key):
    sheet = built(name).model.book[key]
    breaks = breaks_between(sheet)
    parts = sheet.page.parts
    assert {row + 1 for row in breaks} <= {first for first, _ in parts}, "a page turns inside a part"
    held = [first for first, last in parts for chart in sheet.charts if first <= chart.row <= last]
    tables = [first for first, last in parts for table in sheet.tables if first <= table.row and table.last_row <= last]
    assert (len(held), len(tables)) == (len(sheet.charts), len(sheet.tables))


def test_the_page_turns_before_the_part_that_it_cannot_hold():
    sheet = Book("en").add_sheet("a", "A")
    sheet.put(60, 1, 1.0)
    sheet.set_widths([20.0])
    sheet.heights |= dict.fromkeys(range(1, 101), 20.0)
    sheet.page.parts = [(1, 10), (11, 20), (21, 30), (31, 90), (91, 92)]
    assert breaks_between(sheet) == [20, 30]  # landscape A4 holds 25 such rows; a part longer than a page runs on
