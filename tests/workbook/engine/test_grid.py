"""The grid: one formula along a row, equal to what each cell's own expression says."""

import math

import numpy as np
import pytest

from reportgen.formula import (
    MISSING,
    FormulaError,
    Symbol,
    at_most,
    ceil,
    evaluate,
    exp,
    formula,
    is_known,
    join,
    least,
    ln,
    maximum,
    minimum,
    pick,
    position,
    round_half_up,
    sqrt,
    text,
    total,
    where,
)  # fmt: skip
from reportgen.workbook.calculate import Values, formula_text, settle
from reportgen.workbook.cells import Book
from reportgen.workbook.grid import Grid, RowFormula, first_of, from_mapping
from reportgen.workbook.references import CellRef
from tests.workbook.engine.demo_book import Demo
from tests.workbook.engine.recalculate import same

A, B = Symbol("a"), Symbol("b")


def book_with_grid(a, b, outer=None):
    book = Book()
    sheet = book.add_sheet("calc", "Calc")
    grid = Grid(sheet, 6, range(5, 5 + len(a)), outer)
    grid.add("a", a, "input")
    grid.add("b", b, "input")
    return book, grid


def check_every_cell(book):
    """Text and value of each cell of every row are those of its own expression."""
    settle(book)
    values = Values(book)
    for key, sheet in book.sheets.items():
        for (row, column), cell in sheet.cells.items():
            live = cell.content
            if not isinstance(live, RowFormula):
                continue
            index = live.grid.columns.index(column)
            tree = live.expression_at(index)
            assert same(cell.value, evaluate(tree, values.value_of), 1e-15), (key, row, column)
            alone = formula_text(tree, book.prefixes, CellRef(key, row, column))
            assert cell.formula.replace("$", "") == alone.replace("$", "")


OPERATIONS = [
    A * B / (A + 3) - B**2,
    ceil(A * 0.7) + round_half_up(B / 3, 2),
    where(at_most(A, B), A / B, MISSING),
    where(at_most(B, 0), MISSING, A / B),
    where(is_known(B), total(A, B), A),
    minimum(A, B, 4) + maximum(A, 2) * sqrt(A),
    exp(A / 10) + ln(A),
    join("a = ", text(A, "0.0"), where(at_most(A, B), ", fits", ", too big")),
    at_most(A, B),
    Symbol("price") * A,
]


@pytest.mark.parametrize("tree", OPERATIONS, ids=repr)
@pytest.mark.parametrize("columns", [1, 3, 40])
def test_a_row_equals_the_expression_of_each_cell(tree, columns):
    generator = np.random.default_rng(columns)
    a = list(generator.uniform(0.1, 9, columns))
    b = [0.0 if index % 4 == 3 else float(value) for index, value in enumerate(generator.uniform(0.1, 9, columns))]
    book, grid = book_with_grid(a, b)
    price = book["calc"].put(1, "A", 2.5)
    grid.outer = from_mapping({"price": price})
    grid.add("x", tree)
    grid.add("y", where(at_most(A, 4), A + 1, B))
    check_every_cell(book)


def test_the_text_is_relative_along_the_row_and_absolute_outside():
    book, grid = book_with_grid([1, 2, 3], [4, 5, 6])
    price = book["calc"].put(6, "B", 2)  # in the row of a, yet outside the grid
    grid.outer = from_mapping({"price": price})
    grid.add("cost", A * B * Symbol("price"))
    settle(book)
    assert [book["calc"].cells[8, column].formula for column in (5, 6, 7)] == [
        "=E6*E7*$B$6",
        "=F6*F7*$B$6",
        "=G6*G7*$B$6",
    ]


def test_a_truth_or_a_text_can_be_read_by_later_rows():
    book, grid = book_with_grid([1, 9], [4, 5])
    grid.add("fits", at_most(A, B))
    grid.add("word", where(Symbol("fits"), "yes", "no"))
    grid.add("sentence", join("fits: ", Symbol("word")))
    check_every_cell(book)
    assert [cell.value for cell in grid.live[grid.rows["sentence"]].cells] == ["fits: yes", "fits: no"]


def test_grids_read_each_other_by_case_by_fixed_column_and_by_range():
    demo = Demo()
    check_every_cell(demo.book)
    assert demo.book["calc"].cells[9, 5].formula.startswith("=6*Inputs!E7*Inputs!E8/")
    assert demo.book["layouts"].cells[11, 4].formula == "=Calc!$F$9/(D6*8)"


def test_a_range_for_each_column():
    book, grid = book_with_grid([1, 2], [0, 0])
    sheet = book.add_sheet("layouts", "Layouts")
    for column, values in (("A", (5, 3, 8)), ("B", (7, 9, 6))):
        for row, value in enumerate(values, start=1):
            sheet.put(row, column, value)
    ranges = [sheet.range(1, column, 3, column) for column in "AB"]
    grid.outer = first_of(from_mapping({}), from_mapping({"keys": ranges}))
    grid.add("best", position(Symbol("keys"), least(Symbol("keys"))))
    grid.add("key", pick(Symbol("keys"), Symbol("best")))
    check_every_cell(book)
    assert book["calc"].cells[8, 6].formula == "=MATCH(MIN(Layouts!$B$1:$B$3),Layouts!$B$1:$B$3,0)"
    assert [book["calc"].cells[9, column].value for column in (5, 6)] == [3.0, 6.0]


@formula(unit="GPUs", symbol="G", source="x")
def gpus(a, b):
    """Chosen in the base case only."""
    return ceil(a / b)


def test_a_row_can_follow_one_column():
    book, grid = book_with_grid([10, 20, 30], [4, 0, 5])
    grid.add("gpus", gpus, ["link", "formula_answer", "link"], follow=2)
    grid.add("double", Symbol("gpus") * 2)
    check_every_cell(book)
    assert [book["calc"].cells[8, column].formula for column in (5, 6, 7)] == [
        "=$G8",
        "=$G8",
        "=ROUNDUP(G6/G7*(1-1E-12),0)",
    ]
    assert [book["calc"].cells[9, column].value for column in (5, 6, 7)] == [12.0, 12.0, 12.0]


def test_columns_can_differ():
    book, grid = book_with_grid([10, 20, 30], [4, 2, 5])
    grid.add("gpus", [gpus, 7, gpus])
    check_every_cell(book)
    assert [book["calc"].cells[8, column].value for column in (5, 6, 7)] == [3.0, 7.0, 6.0]


def test_errors_name_the_row_and_the_column():
    book, grid = book_with_grid([1, 2], [4, 0])
    grid.add("ratio", A / B)
    with pytest.raises(FormulaError, match=r"calc!8 \(ratio\), column F"):
        settle(book)
    book, grid = book_with_grid([1, 2], [4, 0])
    grid.add("x", Symbol("aa"))
    with pytest.raises(FormulaError, match=r"row x on calc needs aa.*rows like it: a"):
        settle(book)
    with pytest.raises(FormulaError, match="two rows named x"):
        grid.add("x", A)


def test_rows_in_a_circle_are_reported():
    book, grid = book_with_grid([1, 2], [4, 0])
    grid.add("x", A + Symbol("y"))
    grid.add("y", Symbol("x") * 2)
    with pytest.raises(FormulaError, match="circle: calc!8 .x. -> calc!9 .y. -> calc!8 .x."):
        settle(book)


def test_an_overflow_is_an_error_not_an_infinite_cell():
    book, grid = book_with_grid([1e200, 2], [1e200, 2])
    grid.add("x", A * B)
    with pytest.raises(FormulaError, match="column E: the result is infinite"):
        settle(book)


def test_missing_runs_through_arrays_as_it_does_through_cells():
    book, grid = book_with_grid([MISSING, 2.0, 3.0], [4, 5, 6])
    grid.add("cost", where(is_known(A), A * B, MISSING))
    grid.add("sum", total(A, B))
    check_every_cell(book)
    assert math.isnan(book["calc"].cells[8, 5].value) and book["calc"].cells[9, 5].value == 4.0


def test_a_cell_of_a_row_formula_cannot_be_written_over():
    book, grid = book_with_grid([1, 2], [4, 5])
    grid.add("x", A * B)
    with pytest.raises(FormulaError, match=r"calc!F8 belongs to the row formula calc!8 \(x\)"):
        book["calc"].put(8, "F", 3)
