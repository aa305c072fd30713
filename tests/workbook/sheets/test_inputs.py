"""The inputs sheet: order, ranges, drop-downs, limits, what was changed."""

import math

import numpy as np
import pytest

from reportgen.catalog import load_catalog
from reportgen.catalog.wording import wording
from reportgen.evaluation.cases import evaluate_cases
from reportgen.evaluation.evaluate import layout_ranges
from reportgen.formula import MISSING
from reportgen.workbook.calculate import settle
from reportgen.workbook.input_groups import INPUT_GROUPS, input_group
from reportgen.workbook.model import ADVERSE, BASE, FAVOURABLE, Model
from reportgen.workbook.sheets.inputs import REFITS, limits_of
from tests.workbook.sheets.books import built, numbers_of, planned, result_of, retype

KINDS = (
    "finetune-70b", "serve-70b-chat", "batch-1000-requests", "qlora-8b-workstation", "owned-finetune-32b", "rent-finetune-8b",
    "grpo-8b", "stages-8b", "service-measured", "nothing-fits",
)  # fmt: skip


@pytest.mark.parametrize("name", KINDS)
def test_every_input_stands_once_where_it_is_typed(name):
    model = built(name).model
    listed = [item.key for item in model.listed_inputs]
    assert sorted([*listed, *model.offers]) == sorted(item.key for item in model.result.inputs)
    for item in model.listed_inputs:
        cell = model.book.cell(item.key)
        assert cell.style in ("input", "input_text")
        assert model.book.cell(model.inputs.ref(item.key, BASE)) is cell, "the base cell carries the name of the input"


@pytest.mark.parametrize("name", ["finetune-70b", "serve-70b-chat", "batch-1000-requests"])
def test_the_request_comes_first_and_constants_last(name):
    items = built(name).model.listed_inputs
    groups = list(dict.fromkeys(input_group(item) for item in items))
    assert groups[:3] == ["given", "assumed", "model"]
    assert groups == [group for group in INPUT_GROUPS if group in groups], "each group in one piece, in order"
    assert items[0].key == "accelerator"
    assert all(item.path for item in items if input_group(item) in ("given", "assumed"))


@pytest.mark.parametrize("name", ["finetune-70b", "finetune-70b-zh"])
def test_ends_are_typed_only_where_there_is_a_range(name):
    model = built(name).model
    for item in model.listed_inputs:
        ends = [model.book.cell(model.inputs.ref(item.key, case)) for case in (FAVOURABLE, ADVERSE)]
        for end, value in zip(ends, (item.favourable, item.adverse), strict=True):
            if value is None:
                assert end.live and end.style.startswith("shadow"), "follows the base"
            else:
                assert end.content == value and end.style == "input"


@pytest.mark.parametrize("name", ["finetune-70b", "serve-70b-chat", "qlora-8b-workstation", "experts"])
def test_every_typed_cell_says_what_it_takes(name):
    model = built(name).model
    sheet = model.book["inputs"]
    limited = {cell for validation in sheet.validations for cell in validation.cells}
    typed = {place for place, cell in sheet.cells.items() if cell.style in ("input", "input_text")}
    assert typed == limited
    assert all(validation.error and validation.title for validation in sheet.validations)
    sources = {str(validation.source) for validation in sheet.validations if validation.source is not None}
    assert {"accelerators_id", "list_flags", "list_compute_precision"} <= sources


@pytest.mark.parametrize("name", ["finetune-70b", "serve-deepseek-v3", "batch-1000-requests", "finetune-70b-qlora"])
def test_at_its_limits_every_input_leaves_the_calculation_computable(name):
    """What may be typed never divides by zero: no infinite result, none that is missing only then."""
    result = result_of(name)
    model = Model(result)
    ends = [(item.key, end) for item in numbers_of(model) if item.unit == "share" for end in limits_of(item)]
    ends += [(item.key, 0.0) for item in numbers_of(model) if item.unit != "share" and limits_of(item)[0] == 0.0]
    shared = {**result.tables, **layout_ranges(result.layouts[0])}
    values = evaluate_cases(model.graph, result.inputs, shared, [{}, *({key: value} for key, value in ends)])
    faults = []
    for quantity in model.graph.formulas:
        numbers = values[quantity]
        if numbers.dtype.kind == "f":
            for index, (key, value) in enumerate(ends, start=1):
                if np.isinf(numbers[index]):
                    faults.append((key, value, quantity))
    assert not faults


def test_a_changed_value_is_counted_and_numbered():
    model = planned("finetune-70b")
    assert model.book.value("changed_inputs") == 0
    retype(model, {"deadline_days": 20.0, "contingency_share": 0.05, "accelerator": "a800-sxm-80gb"})
    assert model.book.value("changed_inputs") == 3
    sheet = model.book["inputs"]
    numbers = {key: sheet.cells[row, 14].value for key, row in model.inputs.rows.items()}
    changed = {key: number for key, number in numbers.items() if not math.isnan(number)}
    assert changed == {"accelerator": 1.0, "deadline_days": 2.0, "contingency_share": 3.0}, "from the top"


def test_typing_a_price_that_was_missing_is_a_change():
    model = planned("finetune-70b")
    missing = next(item.key for item in model.listed_inputs if item.value != item.value)
    retype(model, {missing: 5000.0})
    assert model.book.value("changed_inputs") == 1
    retype(model, {missing: MISSING})
    assert model.book.value("changed_inputs") == 0


def test_a_base_outside_its_ends_is_found():
    model = planned("finetune-70b")
    assert model.book.value("ranges_not_enclosing") == 0
    item = next(item for item in model.listed_inputs if item.ranged)
    model.book.cell(item.key).content = item.high * 2
    settle(model.book)
    assert model.book.value("ranges_not_enclosing") == 1


def test_translated_notes_are_those_of_the_data():
    noted = {key: record.note.split(REFITS)[0] for key, record in load_catalog().constants.items() if record.note}
    words = wording("en")
    stale = {key for key, said in noted.items() if words.has(f"note_{key}") and words.label(f"note_{key}") != said}
    assert not stale, "translate these notes again"


def test_notes_are_in_the_language_of_the_book():
    model = built("finetune-70b-zh").model
    sheet = model.book["inputs"]
    notes = [sheet.cells[row, 11].content for row in model.inputs.rows.values()]
    assert any(notes)
    assert not [note for note in notes if note and note.isascii()]
