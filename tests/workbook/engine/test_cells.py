"""The plan: references, values and formula texts from one expression, circles, blanks, what spreadsheets refuse."""

import datetime
import math

import numpy as np
import pytest

from reportgen.formula import (
    MISSING,
    FormulaError,
    Symbol,
    at_most,
    count_if,
    equals,
    greatest,
    is_known,
    join,
    sum_of,
    text,
    where,
)
from reportgen.workbook.calculate import is_missing, settle
from reportgen.workbook.cells import Book, constant
from reportgen.workbook.limits import MAX_CELL_TEXT, check_formula, check_name, check_title, clean_text, escaped
from reportgen.workbook.references import ALONG_COLUMN, ALONG_ROW, CellRef, column_letter, column_number, sheet_prefix


@pytest.fixture
def book():
    book = Book()
    book.add_sheet("calc", "Calc")
    book.add_sheet("read", "Read me")
    return book


def test_letters_and_numbers_of_columns():
    assert [column_letter(number) for number in (1, 26, 27, 702, 703, 16384)] == ["A", "Z", "AA", "ZZ", "AAA", "XFD"]
    assert all(column_number(column_letter(number)) == number for number in range(1, 800))
    with pytest.raises(FormulaError):
        column_number("F5")


@pytest.mark.parametrize(
    ("title", "prefix"),
    [
        ("Calc", "Calc!"),
        ("Read me", "'Read me'!"),
        ("TP1", "'TP1'!"),
        ("R", "'R'!"),
        ("O'x", "'O''x'!"),
        ("计算", "'计算'!"),
    ],
)
def test_titles_are_quoted_where_a_formula_would_misread_them(title, prefix):
    assert sheet_prefix(title) == prefix


def test_references_follow_the_place_of_their_reader(book):
    calc = book["calc"]
    for row, column in ((5, "F"), (6, "E"), (9, "H")):
        calc.put(row, column, 2.0)
    here = calc.ref
    calc.put(6, "F", here(5, "F") + here(6, "E") + here(9, "H"))
    calc.put(7, "F", here(5, "F", ALONG_COLUMN) + here(6, "E", ALONG_ROW))
    book["read"].put(6, "F", here(5, "F") * 1)
    settle(book)
    assert calc.cells[6, 6].formula == "=F5+$E6+$H$9"
    assert calc.cells[7, 6].formula == "=F$5+$E6"
    assert book["read"].cells[6, 6].formula == "=Calc!$F$5*1"
    assert calc.cells[6, 6].value == 6.0


def test_ranges_follow_the_place_of_their_reader(book):
    calc = book["calc"]
    for row in (5, 6, 7):
        calc.put_row(row, "D", [1.0, 2.0, 3.0])
    calc.put(8, "E", sum_of(calc.range(5, "E", 7, "E")))
    calc.put(5, "H", sum_of(calc.range(5, "D", 5, "F")))
    calc.put(9, "H", greatest(calc.range(5, "D", 7, "F")))
    settle(book)
    assert [calc.cells[key].formula for key in ((8, 5), (5, 8), (9, 8))] == [
        "=SUM(E5:E7)",
        "=SUM($D5:$F5)",
        "=MAX($D$5:$F$7)",
    ]
    assert [calc.cells[key].value for key in ((8, 5), (5, 8), (9, 8))] == [6.0, 6.0, 3.0]


def test_cells_settle_in_any_order_and_deeply(book):
    calc = book["calc"]
    depth = 3000
    for row in range(1, depth):
        calc.put(row, "A", calc.ref(row + 1, "A") + 1)
    calc.put(depth, "A", 0)
    settle(book)
    assert calc.cells[1, 1].value == depth - 1


def test_a_running_number_reads_the_cells_above_it(book):
    calc = book["calc"]
    calc.put(5, "N", "Change", "head")
    for row, changed in enumerate((1, 0, 1, 1), start=6):
        calc.put(row, "F", changed)
        calc.put(row, "N", where(equals(calc.ref(row, "F"), 1), 1 + count_if(calc.range(6, "F", row, "F"), 1), 0))
    settle(book)
    assert [calc.cells[row, 14].value for row in range(6, 10)] == [2.0, 0.0, 3.0, 4.0]


def test_a_circle_names_its_cells(book):
    calc = book["calc"]
    calc.put(1, "A", calc.ref(2, "B") + 1)
    calc.put(2, "B", sum_of(calc.range(3, "C", 4, "C")))
    calc.put(3, "C", calc.ref(1, "A"))
    calc.put(4, "C", 1)
    with pytest.raises(FormulaError, match=r"circle: calc!\w+ -> calc!\w+ -> calc!\w+ -> calc!\w+"):
        settle(book)


def test_a_blank_that_a_formula_reads_is_an_error(book):
    book["calc"].put(1, "A", book["calc"].ref(2, "A") + 1)
    with pytest.raises(FormulaError, match=r"calc!A1: calc!A2 is blank"):
        settle(book)


@pytest.mark.parametrize(
    "content", [1 / Symbol(CellRef("calc", 2, 1)), Symbol("nowhere"), Symbol(CellRef("gone", 1, 1))]
)
def test_a_formula_without_a_value_names_its_cell(book, content):
    book["calc"].put(2, "A", 0)
    book["calc"].put(1, "A", content)
    with pytest.raises(FormulaError):
        settle(book)


def test_only_the_branch_taken_is_computed(book):
    calc = book["calc"]
    calc.put(1, "A", 0)
    zero = calc.ref(1, "A")
    calc.put(1, "B", where(equals(zero, 0), MISSING, 1 / zero))
    settle(book)
    assert calc.cells[1, 2].formula == '=IF($A1=0,"–",1/$A1)'
    assert is_missing(calc.cells[1, 2].value)


def test_missing_is_a_dash_that_reads_as_missing(book):
    calc = book["calc"]
    calc.put(1, "A", MISSING)
    calc.put(2, "A", "–")
    for row in (1, 2):
        price = calc.ref(row, "A")
        calc.put(row, "B", where(is_known(price), price * 2, MISSING))
        calc.put(row, "C", join("at ", text(price, "0.0")))
    settle(book)
    for row in (1, 2):
        assert calc.cells[row, 1].content == "–"
        assert is_missing(calc.cells[row, 2].value)
        assert calc.cells[row, 3].value == "at –"


def test_names_stand_for_cells_and_ranges(book):
    calc = book["calc"]
    calc.put(5, "F", 4)
    days = book.name("run_days", calc.ref(5, "F"))
    calc.put(6, "F", where(at_most(days, 5), "OK", "FAIL"))
    settle(book)
    assert calc.cells[6, 6].formula == '=IF(run_days<=5+1E-12*ABS(5),"OK","FAIL")'
    assert book.value("run_days") == 4.0
    with pytest.raises(FormulaError, match="twice"):
        book.name("Run_Days", calc.ref(5, "F"))


@pytest.mark.parametrize(
    "name", ["H100", "TP1", "B200", "R", "C", "r1c1", "two words", "1st", "äö", "", "true", "x" * 256]
)
def test_names_that_spreadsheets_misread_are_refused(name):
    with pytest.raises(FormulaError):
        check_name(name)


@pytest.mark.parametrize("name", ["run_days", "ZERO1", "catalog_h100", "_x", "accelerators_memory_gib"])
def test_plain_names_are_allowed(name):
    check_name(name)


@pytest.mark.parametrize("title", ["", "x" * 32, "a/b", "a:b", "[a]", "'a", "History", "calc"])
def test_titles_that_spreadsheets_refuse(title):
    with pytest.raises(FormulaError):
        check_title(title, ["Calc"])


def test_text_is_cleaned():
    assert clean_text("a\x00b\ud800c\r\nd\te") == "a\ufffdb\ufffdc\nd\te"
    assert clean_text("中文 × “quoted” 𝄞") == "中文 × “quoted” 𝄞"
    cut = clean_text("x" * 40_000)
    assert len(cut) == MAX_CELL_TEXT and cut.endswith("…")
    assert escaped("_x0041_ and _xyz_") == "_x005F_x0041_ and _xyz_"


def test_constants_are_plain():
    assert constant(np.float64(2.5)) == 2.5 and type(constant(np.float64(2.5))) is float
    assert constant(np.bool_(True)) is True
    assert constant(math.nan) == "–"
    for refused in (math.inf, [1], object()):
        with pytest.raises(FormulaError):
            constant(refused)


def test_dates_read_as_their_serial_number(book):
    calc = book["calc"]
    calc.put(1, "A", datetime.date(2026, 11, 30), "number", "yyyy-mm-dd")
    calc.put(2, "A", calc.ref(1, "A") + 14)
    settle(book)
    assert calc.cells[2, 1].value == 46370.0


def test_formulas_too_long_or_too_deep_are_refused():
    with pytest.raises(FormulaError, match="longer"):
        check_formula("=" + "1+" * 5000)
    with pytest.raises(FormulaError, match="nested"):
        check_formula("=" + "(" * 65 + "1" + ")" * 65)
    check_formula("=" + "(1)+" * 100 + "1")


def test_settling_again_follows_a_changed_constant(book):
    calc = book["calc"]
    calc.put(1, "A", 1)
    calc.put(2, "A", calc.ref(1, "A") * 10)
    assert settle(book).value(calc.ref(2, "A")) == 10.0
    calc.cells[1, 1].content = 3
    assert settle(book).value(calc.ref(2, "A")) == 30.0
