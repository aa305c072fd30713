"""Request: the list on three leaves. A to H go to suppliers, without a price; I to R are the buyer's; S to AA compare offers.

A request to buy shows the hardware list. A request to rent shows the rental list, and below it the hardware list that it
stands in place of.
"""

from __future__ import annotations

from reportgen.estimator.rental import rental_lines_of
from reportgen.estimator.request_list import lines_of
from reportgen.workbook.frame import HEADER_ROW, WORDS_ROW
from reportgen.workbook.model import FIRST_ROW, Model
from reportgen.workbook.sheets.readers import headers, heading
from reportgen.workbook.sheets.request_offers import dress as offers
from reportgen.workbook.sheets.request_offers import write_names, write_sums
from reportgen.workbook.sheets.request_rows import COLUMNS, WIDTHS, dress, hardware_row, limit_typed_cells, rental_row
from reportgen.workbook.sheets.request_totals import write_purchase, write_rental
from reportgen.workbook.sheets.specification import Specification

WORDS = {
    "specification": "D", "quantity": "F", "unit_price": "I", "offer": "J", "discount": "K", "amount": "L",
    "amount_with_tax": "N", "lead_time": "R", "taken": "V",
}  # fmt: skip
SCALE = {"en": 74, "zh": 66}
LAST_OF_SUPPLIER, LAST_OF_BUYER, LAST_OF_NAMES = 8, 18, 3
CONDITIONS = {
    "buy": ("deliver_to", "deliver_by", "valid", "warranty", "acceptance", "contact"),
    "rent": ("start_on", "valid", "acceptance", "contact"),
}


def write(model: Model) -> None:
    """The list, the conditions for offers under its left leaf, the totals under its right leaf."""
    sheet = model.frame("request", WIDTHS, names=3)
    for key, column in WORDS.items():
        sheet.put(WORDS_ROW, column, model.words.label(f"request_words_{key}"), "words")
    sheet.put(2, "I", model.words.label("request_buyer_sentence"), "subtitle")
    _page(model)
    said = Specification(model)
    if "rent" in model.features:
        _rented(said)
    else:
        last = _hardware(said, HEADER_ROW)
        model.book.name("request_amounts", sheet.range(FIRST_ROW, "L", last, "L"))
        model.book.name("request_quantities", sheet.range(FIRST_ROW, "F", last, "F"))
        _conditions(model, last + 2, "buy")
        write_purchase(model, last + 2, HEADER_ROW, lines_of(model.features))
        write_names(model, write_sums(model, last + 2, FIRST_ROW, last))


def _rented(said: Specification) -> None:
    """The rental list with its totals; then what buying would take."""
    model = said.model
    sheet, rules = model.book["request"], rental_lines_of(model.features)
    last = HEADER_ROW + len(rules)
    sheet.table("RentalList", HEADER_ROW, "A", headers(model, "request_column", COLUMNS), last)
    lines = {line.key: line for line in model.result.rental}
    for number, rule in enumerate(rules, start=1):
        rental_row(said, HEADER_ROW + number, number, rule, lines[rule.key])
    dress(model, FIRST_ROW, last)
    offers(model, FIRST_ROW, FIRST_ROW)
    model.book.name("request_amounts", sheet.range(FIRST_ROW, "L", last, "L"))
    write_names(model, write_sums(model, last + 2, FIRST_ROW, FIRST_ROW))
    bottom = max(_conditions(model, last + 2, "rent"), write_rental(model, last + 2, HEADER_ROW, last))
    sheet.page.row_breaks.append(bottom + 1)
    heading(sheet, bottom + 2, model.words.label("request_buying_instead"))
    header = bottom + 3
    last = _hardware(said, header)
    write_purchase(model, last + 2, header, lines_of(model.features))


def _hardware(said: Specification, header: int) -> int:
    """The table of the hardware list; returns its last row."""
    model = said.model
    sheet, rules = model.book["request"], lines_of(model.features)
    last = header + len(rules)
    sheet.table("HardwareList", header, "A", headers(model, "request_column", COLUMNS), last)
    lines = {line.key: line for line in model.result.lines}
    for number, rule in enumerate(rules, start=1):
        hardware_row(said, header + number, number, rule, lines[rule.key])
    dress(model, header + 1, last)
    limit_typed_cells(model, header + 1, last)
    return last


def _conditions(model: Model, row: int, way: str) -> int:
    """What every offer must state, and what only the buyer knows, in boxes; returns the last row."""
    sheet, words = model.book["request"], model.words
    heading(sheet, row, words.label("request_conditions"), "D")
    sheet.put_row(row + 1, "D", [words.label("request_condition"), words.label("request_by_buyer")], "head")
    row += 2
    for key in CONDITIONS[way]:
        default = f"request_condition_{key}_default"
        sheet.put(row, "D", words.label(f"request_condition_{key}"), "text")
        known = model.result.facts.site if key == "deliver_to" else ""
        typed = known or (words.label(default) if words.has(default) else None)
        sheet.put(row, "E", typed, "input_text")
        row += 1
    for key in (f"state_{way}", "not_included"):
        sheet.put(row, "D", words.label(f"request_condition_{key}"), "note")
        row += 1
    return row - 1


def _page(model: Model) -> None:
    """Two leaves: the break stands after the supplier's last column, and the names repeat on the buyer's."""
    page, facts = model.book["request"].page, model.result.facts
    page.first_row, page.title_rows, page.title_columns = WORDS_ROW, (WORDS_ROW, HEADER_ROW), (1, LAST_OF_NAMES)
    page.column_breaks, page.scale = [LAST_OF_SUPPLIER, LAST_OF_BUYER], SCALE[facts.language]
    page.footer_left = model.result.tool and f"reportgen {model.result.tool}"
    page.last_column = len(WIDTHS)
    page.header_left = model.words.label(f"request_page_header_{'rent' if 'rent' in model.features else 'buy'}")
    page.header_right = f"{model.result.id} · {facts.date}"
