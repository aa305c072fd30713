"""The calc sheet: a row a formula, named, in words, with its source and its readers."""

from dataclasses import replace

import pytest

from reportgen.errors import ScenarioError
from reportgen.formula import symbols_of
from reportgen.workbook.model import BASE, CASE_COLUMNS, FIRST_ROW, Model
from reportgen.workbook.sheets.calc import in_words, section_numbers
from reportgen.workbook.sheets.row_labels import NAMES
from tests.workbook.sheets.books import ALL, built, result_of


@pytest.mark.parametrize("name", ALL)
def test_every_formula_has_its_row_and_its_name(name):
    model = built(name).model
    assert list(model.calc.rows) == [item.name for item in model.calc_order]
    assert set(model.calc.rows) == set(model.result.quantities)
    for key in model.calc.rows:
        assert model.book.names[key] == model.calc.ref(key, BASE).key


@pytest.mark.parametrize("name", ["finetune-70b", "serve-70b-chat"])
def test_a_formula_is_the_same_along_its_row(name):
    model = built(name).model
    sheet = model.book["calc"]
    own, others = CASE_COLUMNS[BASE], (CASE_COLUMNS[0], CASE_COLUMNS[2])
    for row in model.calc.rows.values():
        base = sheet.cells[row, 6].formula
        for column, letter in zip((5, 7), others, strict=True):
            assert len(sheet.cells[row, column].formula) == len(base)
            if f"{own}{row}" not in base:
                assert sheet.cells[row, column].formula.replace(letter, own) == base.replace(letter, own)


@pytest.mark.parametrize("name", ALL)
def test_words_are_made_of_labels(name):
    model = built(name).model
    for item in model.calc_order:
        said = in_words(model, item)
        assert said and "_" not in said, item.name
        names = {key for key in symbols_of(item.expression) if isinstance(key, str)}
        if names and not any(key.startswith(("layouts_", "accelerators_")) for key in names):
            assert any(model.label(key) in said for key in names), item.name


def test_words_of_a_formula():
    model = built("finetune-70b").model
    formulas = {item.name: item for item in model.calc_order}
    assert in_words(model, formulas["run_tokens"]) == "Tokens of one epoch × Epochs"
    assert in_words(model, formulas["nodes"]) == "found on Layouts in the row of the best rank"
    assert in_words(model, formulas["memory_bandwidth_gb_s"]) == "looked up on Catalog in the row of the accelerator"


@pytest.mark.parametrize("name", ["finetune-70b", "serve-70b-chat", "finetune-70b-zh"])
def test_sections_are_numbered_in_their_order(name):
    model = built(name).model
    numbers = section_numbers(model)
    assert list(numbers.values()) == list(range(1, len(numbers) + 1))
    sheet = model.book["calc"]
    seen = list(dict.fromkeys(sheet.cells[row, 1].content for row in model.calc.rows.values()))
    assert [int(section.split()[0]) for section in seen] == list(numbers.values())


@pytest.mark.parametrize("name", ALL)
def test_every_row_is_described(name):
    model = built(name).model
    sheet = model.book["calc"]
    for item in model.calc_order:
        row = model.calc.rows[item.name]
        texts = [sheet.cells[row, column].content for column in (1, 2, 4, 8, 9, 10, 11)]
        assert all(isinstance(text, str) and text for text in texts), item.name
        assert texts[-1] == item.name
    assert min(model.calc.rows.values()) == FIRST_ROW


def test_long_sheets_print_one_page_wide():
    """Without a scale a sheet fits the width; what is for the screen only is left out, and never the chosen layout."""
    model = built("finetune-70b").model
    pages = {key: model.book[key].page for key in ("inputs", "calc", "trials", "layoutcalc")}
    assert all(page.scale is None for page in pages.values())
    assert model.book["calc"].cells[5, pages["calc"].last_column].content == "Source"
    assert model.book["inputs"].cells[5, pages["inputs"].last_column].content == "Note"
    assert pages["trials"].last_column >= len(NAMES) + len(model.result.layouts)
    assert pages["layoutcalc"].last_column > len(NAMES) + model.result.layouts[0].chosen


def test_a_result_that_other_formulas_made_is_refused():
    result = result_of("finetune-70b")
    fewer = tuple(item for item in result.inputs if item.key != "runs")
    with pytest.raises(ScenarioError, match="made by another version"):
        Model(replace(result, inputs=fewer))
