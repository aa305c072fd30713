"""The supplier's leaf as a file of its own: what is asked for, without a price, a brand or the title; boxes for the offer."""

from __future__ import annotations

import datetime
from typing import Any

from reportgen.catalog.wording import Wording
from reportgen.evaluation.result import Result
from reportgen.formula import above, sum_of, where
from reportgen.workbook.book import plan
from reportgen.workbook.calculate import settle
from reportgen.workbook.cells import Book, Properties, Sheet
from reportgen.workbook.frame import FIRST_ROW, HEADER_ROW, WORDS_ROW, frame, group_bands
from reportgen.workbook.model import Model
from reportgen.workbook.parts import Table, Validation
from reportgen.workbook.write import workbook_bytes

ASKED = ("number", "category", "item", "specification", "equivalent", "quantity", "unit")
OFFERED = ("supplier_price", "supplier_tax", "supplier_amount", "supplier_weeks", "supplier_model")
WIDTHS = (6, 13, 27, 58, 26, 10, 12, 15, 9, 17, 11, 34)
FORMATS = {"H": '[=0]"";#,##0.00', "I": '[=0]"";0.0%', "K": '[=0]"";#,##0'}
LIMITS = {"H": 1e12, "I": 1.0, "K": 520.0}
LAST_OF_NAMES = 3


def build_supplier_workbook(result: Result) -> bytes:
    """One sheet for a supplier to fill in; the words are those of the Request sheet."""
    model = Model(result)
    settle(plan(model))
    book = Book(result.facts.language, _properties(model))
    sheet = book.add_sheet("supplier", model.words.label("supplier_sheet"))
    frame(sheet, _title(model), model.words.label("supplier_about"), WIDTHS, names=LAST_OF_NAMES)
    last = _lines(model, sheet)
    _total(model.words, sheet, last)
    _conditions(model, sheet, last + 3)
    return workbook_bytes(book)


def _title(model: Model) -> str:
    return model.words.label(f"supplier_title_{'rent' if 'rent' in model.features else 'buy'}")


def _properties(model: Model) -> Properties:
    """Nothing about what the equipment is for."""
    facts, say = model.result.facts, model.words.label
    return Properties(
        title=_title(model),
        version=model.result.tool,
        scenario_id=model.result.id,
        date=datetime.date.fromisoformat(facts.date),
        footer_left=_title(model),
        footer_page=say("book_page"),
        custom={"Language": facts.language, "Currency": facts.currency},
    )


def _list(model: Model) -> Table:
    """The list that is asked for, on the Request sheet."""
    return model.book["request"].tables[0]


def _lines(model: Model, sheet: Sheet) -> int:
    """The needed lines with their numbers on the Request sheet, and boxes; returns the last row."""
    table, asked, say = _list(model), model.book["request"], model.words.label
    needed = [row for row in range(table.row + 1, table.last_row + 1) if asked.cells[row, 6].value > 0]
    last = HEADER_ROW + len(needed)
    heads = [say(f"request_column_{key}") for key in ASKED] + [say(key) for key in OFFERED]
    sheet.table("Offer", HEADER_ROW, "A", heads, last)
    currency = model.unit("money")
    for column in "HJ":
        sheet.put(WORDS_ROW, column, currency, "words_right")
    for at, row in enumerate(needed, start=FIRST_ROW):
        for column in range(1, len(ASKED) + 1):
            cell = asked.cells[row, column]
            style = {"link": "fact"}.get(cell.style, cell.style)
            sheet.put(at, column, cell.value, style, cell.number_format)
        _boxes(sheet, at)
    group_bands(sheet, FIRST_ROW, last, (("A", "A"), ("C", "G")), group="B")
    _limits(model.words, sheet, last)
    sheet.page.title_columns = (1, LAST_OF_NAMES)
    return last


def _boxes(sheet: Sheet, row: int) -> None:
    """What the supplier types, and the amount that follows."""
    for column, layout in FORMATS.items():
        sheet.put(row, column, 0.0, "input", layout)
    amount = sheet.ref(row, "F") * sheet.ref(row, "H")
    sheet.put(row, "J", where(above(sheet.ref(row, "H"), 0), amount, 0), "formula", '[=0]"";#,##0.00')
    sheet.put(row, "L", None, "input_text")


def _limits(words: Wording, sheet: Sheet, last: int) -> None:
    for column, high in LIMITS.items():
        number = "ABCDEFGHIJKL".index(column) + 1
        title = str(sheet.cells[HEADER_ROW, number].content)
        cells = tuple((row, number) for row in range(FIRST_ROW, last + 1))
        error = words.label("supplier_error")
        sheet.validations.append(Validation(cells, low=0.0, high=high, title=title, prompt=title, error=error))


def _total(words: Wording, sheet: Sheet, last: int) -> None:
    """The sum of what is offered, without and with tax."""
    rows = range(FIRST_ROW, last + 1)
    taxed: Any = sum(
        (sheet.ref(row, "J") * (1 + sheet.ref(row, "I")) for row in rows[1:]),
        sheet.ref(FIRST_ROW, "J") * (1 + sheet.ref(FIRST_ROW, "I")),
    )
    sums = {"supplier_total": sum_of(sheet.range(FIRST_ROW, "J", last, "J")), "supplier_total_taxed": taxed}
    for offset, (key, content) in enumerate(sums.items(), start=1):
        sheet.put(last + offset, "D", words.label(key), "total_text")
        sheet.put_row(last + offset, "E", [None] * 5, "total_text")
        sheet.put(last + offset, "J", content, "total", '[=0]"";#,##0.00')


def _conditions(model: Model, sheet: Sheet, row: int) -> None:
    """The conditions as they stand on the Request sheet, and who offers."""
    asked, say = model.book["request"], model.words.label
    heading = next(at for (at, column), cell in asked.cells.items() if cell.value == say("request_conditions") and column == 4)
    while asked.cells.get((heading, 4)) is not None:
        for column in (4, 5):
            cell = asked.cells.get((heading, column))
            if cell is not None:
                sheet.put(row, column, cell.value, cell.style)
        heading, row = heading + 1, row + 1
    for key in ("supplier_name", "supplier_date", "supplier_valid"):
        sheet.put(row, "D", say(key), "text")
        sheet.put(row, "E", None, "input_text")
        row += 1
