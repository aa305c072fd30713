"""Missing values are guarded before anything computes with them."""

from reportgen.formula import MISSING, at_least, is_known, where
from reportgen.workbook.calculate import settle
from reportgen.workbook.cells import Book
from tests.workbook.engine.demo_book import ACCELERATORS, Demo
from tests.workbook.engine.missing_rules import unguarded


def test_the_demo_guards_every_missing_price():
    for name, *_ in ACCELERATORS:
        demo = Demo()
        demo.inputs.cells[6, 6].content = name
        assert not unguarded(settle(demo.book))


def test_computing_and_comparing_with_missing_is_found():
    book = Book()
    sheet = book.add_sheet("a", "A")
    price = sheet.put(1, "A", MISSING, "fact")
    sheet.put(2, "A", price * 2, "formula")
    sheet.put(3, "A", where(at_least(price, 5), 1, 0), "formula")
    sheet.put(4, "A", where(is_known(price), price * 2, MISSING), "formula")
    assert [fault.split(" in ")[0] for fault in unguarded(settle(book))] == [
        "a!A2: multiply of a missing value",
        "a!A3: at_least of a missing value",
    ]
