"""Other engines recalculate the written file to the values that stand in it, also after changes made inside it."""

import numpy as np
import pytest

from reportgen.workbook.calculate import is_missing, settle
from reportgen.workbook.write import workbook_bytes
from tests.workbook.engine.demo_book import ACCELERATORS, INPUTS, Demo
from tests.workbook.engine.recalculate import (
    blank_in_pandas,
    differences,
    formualizer_values,
    formula_cells,
    iron_calc,
    is_office_left_out,
    libre_office,
    settled_values,
    stored_values,
    with_inputs,
)  # fmt: skip

CHANGES = 60
SPREADS = {  # lowest and highest base value, drawn evenly on a logarithmic scale
    "parameters": (1e8, 6e11),
    "tokens": (1e8, 2e13),
    "utilization": (0.05, 0.9),
    "contingency": (1e-3, 0.5),
    "deadline_days": (0.5, 400.0),
    "usable_share": (0.5, 1.0),
}


def random_inputs(seed: int) -> dict[str, float | str]:
    """New base values for some inputs."""
    generator = np.random.default_rng(seed)
    changed = {"accelerator": str(generator.choice([name for name, *_ in ACCELERATORS]))}
    for name, (low, high) in SPREADS.items():
        if generator.random() < 0.7:
            changed[name] = float(np.exp(generator.uniform(np.log(low), np.log(high))))
    return changed


def positions(demo: Demo, changes: dict[str, float | str]) -> dict:
    """Where the base values of the inputs stand."""
    return {(demo.inputs.title, demo.input_grid.rows[name], 6): value for name, value in changes.items()}


def changed_demo(changes: dict[str, float | str], language: str = "en") -> Demo:
    """The book that Python makes of the changed inputs."""
    demo = Demo(language)
    for (_, row, column), value in positions(demo, changes).items():
        demo.inputs.cells[row, column].content = value
    settle(demo.book)
    return demo


@pytest.fixture(scope="module", params=["en", "zh"])
def written(request):
    demo = Demo(request.param)
    return demo, workbook_bytes(demo.book)


def test_the_book_has_formulas(written):
    demo, _ = written
    assert len(formula_cells(demo.book)) > 100
    assert list(INPUTS) == list(demo.input_grid.rows)


@pytest.mark.parametrize("oracle", [stored_values, iron_calc, formualizer_values])
def test_values_in_the_file_are_those_of_the_engine(written, oracle):
    demo, content = written
    assert not differences(formula_cells(demo.book), settled_values(demo.book), oracle(content))


def test_readers_that_do_not_calculate_see_no_blank(written):
    demo, content = written
    assert not blank_in_pandas(content, formula_cells(demo.book))


@pytest.mark.parametrize("oracle", [iron_calc, formualizer_values])
@pytest.mark.parametrize("seed", range(CHANGES))
def test_changed_inside_the_file_it_recalculates_to_what_python_says(original, oracle, seed):
    changes = random_inputs(seed)
    demo = changed_demo(changes)
    content = with_inputs(original, positions(demo, changes))
    assert not differences(formula_cells(demo.book), settled_values(demo.book), oracle(content))


@pytest.fixture(scope="module")
def original() -> bytes:
    return workbook_bytes(Demo().book)


def test_the_changes_reach_every_kind_of_answer():
    books = [changed_demo(random_inputs(seed)) for seed in range(CHANGES)]
    values = [(demo.book.value("purchase"), demo.book.value("best_layout"), demo.layout_grid) for demo in books]
    assert any(is_missing(price) for price, _, _ in values) and not all(is_missing(price) for price, _, _ in values)
    assert len({best for _, best, _ in values}) > 3
    keys = [grid.live[grid.rows["rank_key"]].values for _, _, grid in values]
    assert any((row >= 1e9).all() for row in keys), "one in which nothing is feasible"


@pytest.mark.parametrize(
    ("found", "server", "left_out"), [(None, "", True), (None, "true", False), ("/bin/soffice", "", False)]
)
def test_a_build_server_without_libre_office_fails(monkeypatch, found, server, left_out):
    monkeypatch.setattr("shutil.which", lambda name: found)
    monkeypatch.setenv("CI", server)
    assert is_office_left_out() == left_out


@pytest.mark.skipif(is_office_left_out(), reason="LibreOffice is not installed")
def test_libre_office_recalculates_to_the_same_values(original):
    books = {f"change{seed}": (random_inputs(seed), changed_demo(random_inputs(seed))) for seed in range(5)}
    files = {name: with_inputs(original, positions(demo, changes)) for name, (changes, demo) in books.items()}
    for language in ("en", "zh"):
        demo = Demo(language)
        files[language], books[language] = workbook_bytes(demo.book), ({}, demo)
    for name, reader in libre_office(files).items():
        demo = books[name][1]
        assert not differences(formula_cells(demo.book), settled_values(demo.book), reader, 1e-9), name


def test_the_oracles_recalculate_and_do_not_repeat_what_is_stored(original):
    demo = Demo()
    changes = positions(demo, {"tokens": 1e12})
    stale = with_inputs(original, changes)
    settle(demo.book)
    cells, old = formula_cells(demo.book), settled_values(demo.book)
    assert not differences(cells, old, stored_values(stale))
    assert differences(cells, old, iron_calc(stale)) and differences(cells, old, formualizer_values(stale))
    if not is_office_left_out():
        assert differences(cells, old, libre_office({"stale": stale})["stale"], 1e-9)
