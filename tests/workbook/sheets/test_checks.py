"""Checks: the verdicts of the result, the line that all sheets repeat, and what edits do to them."""

from __future__ import annotations

import pytest

from reportgen.workbook.calculate import settle
from reportgen.workbook.frame import FIRST_ROW
from reportgen.workbook.model import BASE, Model
from tests.workbook.sheets.reader_books import SCENARIOS, changed, made, shipped, shipped_result, texts, value


def verdicts(model: Model) -> dict[str, str]:
    """Label of each check -> its word."""
    sheet = model.book["checks"]
    table = sheet.tables[0]
    rows = range(table.row + 1, table.last_row + 1)
    return {sheet.cells[row, 2].value: sheet.cells[row, 9].value for row in rows}


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_verdicts_are_those_of_the_result(name, language):
    model, result = shipped(name, language), shipped_result(name)
    sheet = model.book["checks"]
    for row, check in enumerate(result.checks, start=FIRST_ROW):
        assert sheet.cells[row, 2].value == model.words.label(f"check_{check.key}")
        assert sheet.cells[row, 9].value == model.words.label(f"state_{check.status.lower()}"), check.key


@pytest.mark.parametrize("name", SCENARIOS)
def test_a_book_as_issued_agrees_with_itself(name):
    model = shipped(name)
    found = verdicts(model)
    own = list(found.values())[len(model.result.checks) :]
    assert len(own) >= 10
    assert not [label for label, word in list(found.items())[len(model.result.checks) :] if word in ("FAIL", "CHANGED")]


@pytest.mark.parametrize("name", SCENARIOS)
def test_the_master_check_begins_with_the_worst_word(name):
    model = shipped(name)
    words = list(verdicts(model).values())
    state = next((key for key in ("fail", "look") if model.words.label(f"state_{key}") in words), "ok")
    assert value(model, "master_check").startswith(model.words.label(f"state_{state}"))
    for key, sheet in model.book.sheets.items():
        assert sheet.cells[3, 1].value == value(model, "master_check"), key


def test_turns_count_failures_first():
    model = changed("finetune-70b", "site.power=1 kW")
    sheet = model.book["checks"]
    rows = [row for (row, column) in sheet.cells if column == 11 and row >= FIRST_ROW]
    turns = {sheet.cells[row, 11].value: sheet.cells[row, 9].value for row in rows}
    assert turns[1.0] == "FAIL" and turns[2.0] == "LOOK"
    assert value(model, "checks_failed") == 1
    shown = texts(model.book, "readme", "A")[3]
    assert shown.startswith(f"To look at: {model.words.label('check_site_power_kept')}")
    failed = next(row for row in rows if sheet.cells[row, 9].value == "FAIL")
    over = model.result.value("it_power_kw") - 1
    assert f"As issued: {over:.1f} kW too much" in sheet.cells[failed, 10].value, "what would have had to change"


UNKNOWN = {
    "site_power_kept": ("hardware.accelerators=[ascend-910c]", "site.power=50 kW"),
    "budget_kept": ("hardware.accelerators=[h800-sxm]", "budget=10 M CNY"),
}


@pytest.mark.parametrize(("key", "sets"), UNKNOWN.items(), ids=UNKNOWN)
def test_what_is_not_known_is_to_be_looked_at(key, sets):
    model = changed("finetune-70b", *sets)
    check = next(item for item in model.result.checks if item.key == key)
    assert check.left != check.left and check.status == "LOOK"
    assert verdicts(model)[model.words.label(f"check_{key}")] == "LOOK"
    settle(model.book)
    assert verdicts(model)[model.words.label(f"check_{key}")] == "LOOK"


def edited(name: str, **inputs: object) -> Model:
    model = made(shipped_result(name))
    for key, content in inputs.items():
        model.book.cell(model.inputs.ref(key, BASE)).content = content
    settle(model.book)
    return model


def test_an_edited_input_is_told_and_listed():
    model = edited("finetune-70b", contingency_share=0.2)
    found = verdicts(model)
    assert found["Inputs as issued"] == "CHANGED"
    assert found["As issued: Amount requested"] == "CHANGED"
    assert "edited since issue" in value(model, "master_check")
    assert value(model, "master_check").startswith("LOOK")
    sheet = model.book["changes"]
    table = next(item for item in sheet.tables if item.name == "ChangedInputs")
    first = [sheet.cells[table.row + 1, column].value for column in (1, 2, 3, 4)]
    assert first == [model.label("contingency_share"), model.result.value("contingency_share"), 0.2, pytest.approx(0.1)]
    assert sheet.cells[table.row + 2, 2].value != sheet.cells[table.row + 2, 2].value


def test_another_accelerator_moves_every_sheet():
    model = edited("finetune-70b", accelerator="a800-sxm-80gb")
    assert value(model, model.base("accelerator_name")).startswith("NVIDIA A800")
    found = verdicts(model)
    assert found["Inputs as issued"] == "CHANGED"
    for label in ("Cost of the requested option is that of Calc", "Base row of Sensitivity is Calc"):
        assert found[label] == "OK"
    lead = next(cell.value for cell in model.book["readme"].cells.values() if cell.style == "lead")
    assert "A800" in lead


def test_ends_that_do_not_enclose_the_base_fail():
    model = made(shipped_result("finetune-70b"))
    ranged = next(item for item in model.listed_inputs if item.favourable is not None and item.unit == "share")
    model.book.cell(model.inputs.ref(ranged.key, 0)).content = 0.99
    model.book.cell(model.inputs.ref(ranged.key, 2)).content = 0.98
    settle(model.book)
    assert verdicts(model)["Ranges whose ends do not enclose the base"] == "FAIL"
