"""Other engines, and the estimate itself, recalculate every workbook to the values that stand in it, also after changes inside."""

from __future__ import annotations

import math
import tempfile
from pathlib import Path

import formualizer
import numpy as np
import pytest

from reportgen.workbook.calculate import is_missing
from reportgen.workbook.model import Model
from tests.workbook.engine.missing_rules import unguarded
from tests.workbook.engine.recalculate import (
    Reader,
    blank_in_pandas,
    differences,
    formula_cells,
    iron_calc,
    is_office_left_out,
    libre_office,
    settled_values,
    stored_values,
    with_inputs,
)
from tests.workbook.sheets.books import (
    ALL,
    SHIPPED,
    built,
    planned,
    positions,
    python_values,
    random_changes,
    result_of,
    retype,
)

MAIN = ("finetune-70b", "serve-70b-chat", "batch-1000-requests", "stages-8b", "owned-finetune-32b", "nothing-fits")
ALIKE = ("finetune-70b-lora", "finetune-70b-qlora", "finetune-70b-zh")  # to finetune-70b
CHANGED = (*(name for name in SHIPPED if name not in ALIKE), "experts", "service-measured", "rented")
CHANGES = dict.fromkeys(CHANGED, math.ceil(60 / len(CHANGED)))


def formualizer_values(content: bytes) -> Reader:
    """formualizer's values of a file, all recalculated first."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "book.xlsx"
        path.write_bytes(content)
        workbook = formualizer.load_workbook(str(path))
    workbook.evaluate_all()
    return lambda position: workbook.get_value(*position)


@pytest.mark.parametrize("name", ALL)
def test_another_engine_finds_the_values_of_the_file(name):
    book = built(name)
    cells, values = formula_cells(book.model.book), settled_values(book.model.book)
    assert not differences(cells, values, iron_calc(book.content))
    assert not blank_in_pandas(book.content, cells), "readers that do not calculate see no blank"
    assert not disagreements(book.model, result_cases(book.result)), "the book says what the result says"


@pytest.mark.parametrize("name", MAIN)
def test_a_third_engine_finds_the_values_of_the_file(name):
    book = built(name)
    cells, values = formula_cells(book.model.book), settled_values(book.model.book)
    assert not differences(cells, values, formualizer_values(book.content))
    assert not unguarded(book.model.book)


@pytest.mark.parametrize("name", MAIN)
def test_the_values_stand_in_the_file(name):
    book = built(name)
    assert not differences(formula_cells(book.model.book), settled_values(book.model.book), stored_values(book.content))


def result_cases(result) -> dict[str, list]:
    """The three cases of every quantity of a result."""
    return {key: [item.favourable, item.value, item.adverse] for key, item in result.quantities.items()}


def disagreements(model: Model, cases: dict) -> list[tuple]:
    """Quantities whose cells hold something else than the three cases."""
    found = []
    for name in model.calc.rows:
        cells = [model.book.value(model.calc.ref(name, case)) for case in range(3)]
        for cell, value in zip(cells, cases[name], strict=True):
            value = value.item() if isinstance(value, np.generic) else value
            if not alike(cell, value):
                found.append((name, cell, value))
    return found


def alike(cell, value) -> bool:
    if isinstance(cell, str) or isinstance(value, str):
        return cell == value
    if is_missing(cell) or is_missing(value):
        return is_missing(cell) and is_missing(value)
    return math.isclose(cell, value, rel_tol=1e-9, abs_tol=1e-12)


@pytest.mark.parametrize("name", CHANGES)
def test_changed_inside_the_file_it_says_what_python_says(name):
    """After edits a workbook equals the evaluation of the same inputs over its listed layouts."""
    original, model = built(name), planned(name)
    for seed in range(CHANGES[name]):
        changes = random_changes(model, np.random.default_rng([seed, len(name)]))
        issued = retype(model, changes)
        assert not disagreements(model, python_values(original.result, changes)), f"change {seed}: {changes}"
        content = with_inputs(original.content, positions(model, changes))
        wrong = differences(formula_cells(model.book), settled_values(model.book), iron_calc(content))
        assert not wrong, f"change {seed}: {changes}"
        if seed < 1:
            assert not unguarded(model.book), f"change {seed}: {changes}"
        retype(model, issued, settled=False)


def test_the_changes_reach_every_kind_of_answer():
    kinds: dict[str, set] = {"cost known": set(), "layout found": set(), "chosen": set()}
    for name in CHANGES:
        result = result_of(name)
        for seed in range(CHANGES[name]):
            changes = random_changes(Model(result), np.random.default_rng([seed, len(name)]))
            values = python_values(result, changes)
            kinds["cost known"].add(not is_missing(float(values["node_price"][1])))
            kinds["layout found"].add(float(values["layout_found"][1]))
            kinds["chosen"].add((name, float(values["chosen_layout"][1])))
    assert kinds["cost known"] == {True, False}
    assert kinds["layout found"] == {0.0, 1.0}
    assert len(kinds["chosen"]) > 4


@pytest.mark.skipif(is_office_left_out(), reason="LibreOffice is not installed")
def test_libre_office_recalculates_to_the_same_values():
    books = {name: built(name) for name in (*SHIPPED, "nothing-fits")}
    readers = libre_office({name: book.content for name, book in books.items()})
    for name, book in books.items():
        cells, values = formula_cells(book.model.book), settled_values(book.model.book)
        wrong = differences(cells, values, readers[name], 1e-9)
        assert not [item for item in wrong if not nearly_nothing(*item[1:])], name


def nearly_nothing(one, other) -> bool:
    """LibreOffice turns the difference of two almost equal numbers into zero."""
    return other == 0 and isinstance(one, float) and abs(one) < 1e-6
