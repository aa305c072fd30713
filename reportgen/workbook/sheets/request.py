"""Request: the hardware list on two leaves. A to H go to suppliers, without a price; I to R are the buyer's."""

from __future__ import annotations

from reportgen.estimator.request_list import Line, lines_of
from reportgen.evaluation.result import Line as ResultLine
from reportgen.formula import MISSING, equals, is_known, where
from reportgen.workbook.frame import HEADER_ROW, WORDS_ROW, group_bands, rejected_rows
from reportgen.workbook.model import FIRST_ROW, Model
from reportgen.workbook.palette import palette
from reportgen.workbook.parts import ConditionalFormat, Validation
from reportgen.workbook.references import ALONG_ROW
from reportgen.workbook.sheets.price_basis import PriceBasis
from reportgen.workbook.sheets.readers import headers, heading
from reportgen.workbook.sheets.request_totals import write_totals
from reportgen.workbook.sheets.specification import words_of_line

WIDTHS = (6, 13, 23, 58, 26, 10, 12, 21, 13, 13, 11, 15, 8, 15, 14, 15, 12, 10)
SUPPLIER = ("number", "category", "item", "specification", "equivalent", "quantity", "unit", "purpose")
BUYER = ("unit_price", "offer", "discount", "amount", "tax", "amount_with_tax", "basis", "source", "as_of", "lead_time")
WORDS = {
    "specification": "D", "quantity": "F", "unit_price": "I", "offer": "J", "discount": "K", "amount": "L",
    "amount_with_tax": "N", "lead_time": "R",
}  # fmt: skip
PRICE = "[<100]#,##0.00;#,##0"
TYPED_PRICE = '[=0]"";#,##0.00'
TYPED_SHARE = '[=0]"";0.0%'
SCALE = {"en": 84, "zh": 72}
LAST_OF_SUPPLIER, LAST_OF_NAMES = 8, 3
ONE_PAGE = 8  # lines that leave room for what stands below
CONDITIONS = ("deliver_to", "deliver_by", "valid", "warranty", "acceptance", "contact")


def write(model: Model) -> None:
    """The list, the conditions for offers under its left leaf, the totals under its right leaf."""
    sheet = model.frame("request", WIDTHS, names=3)
    for key, column in WORDS.items():
        sheet.put(WORDS_ROW, column, model.words.label(f"request_words_{key}"), "words")
    sheet.put(2, "I", model.words.label("request_buyer_sentence"), "subtitle")
    rules = lines_of(model.features)
    last = HEADER_ROW + len(rules)
    titles = headers(model, "request_column", SUPPLIER + BUYER)
    sheet.table("HardwareList", HEADER_ROW, "A", titles, last)
    lines = {line.key: line for line in model.result.lines}
    for number, rule in enumerate(rules, start=1):
        _supplier_side(model, HEADER_ROW + number, number, rule)
        _buyer_side(model, HEADER_ROW + number, rule, lines[rule.key])
    model.book.name("request_amounts", sheet.range(FIRST_ROW, "L", last, "L"))
    _dress(model, last)
    _conditions(model, last + 2)
    write_totals(model, last + 2, rules)
    _page(model, last)


def _supplier_side(model: Model, row: int, number: int, rule: Line) -> None:
    sheet = model.book["request"]
    sheet.put(row, "A", number, "number")
    sheet.put(row, "B", model.words.label(f"category_{rule.category}"), "text")
    sheet.put(row, "C", words_of_line(model, rule.key, "item"), "text_bold")
    sheet.put(row, "D", words_of_line(model, rule.key, "specification"), "text")
    sheet.put(row, "E", words_of_line(model, rule.key, "equivalent"), "note")
    sheet.put(row, "F", model.base(rule.quantity), "link", quantity_format(rule.unit))
    sheet.put(row, "G", model.unit(rule.unit), "unit")
    sheet.put(row, "H", words_of_line(model, rule.key, "purpose"), "note")


def quantity_format(unit: str) -> str:
    """Whole pieces; a decimal for years, which may be halves."""
    return "#,##0.0" if unit.endswith("years") else "#,##0"


def _buyer_side(model: Model, row: int, rule: Line, line: ResultLine) -> None:
    sheet, inputs = model.book["request"], model.inputs_by_key
    sheet.put(row, "I", model.base(rule.unit_price), "link", PRICE)
    model.offers[rule.offer] = sheet.put(row, "J", inputs[rule.offer].value, "input", TYPED_PRICE)
    model.offers[rule.discount] = sheet.put(row, "K", inputs[rule.discount].value, "input", TYPED_SHARE)
    amount = sheet.put(row, "L", model.base(rule.amount), "link", "#,##0")
    tax = sheet.put(row, "M", model.base(rule.tax_rate), "link", "0.0%")
    sheet.put(row, "N", where(is_known(amount), amount * (1 + tax), MISSING), "formula", "#,##0")
    basis = PriceBasis(model, rule, line)
    sheet.put(row, "O", basis.basis(), "text")
    link = model.source_link(line.source)
    sheet.put(row, "P", basis.source(), "note" if link is None else "jump", link=link)
    sheet.put(row, "Q", basis.as_of(), "number")
    sheet.put(row, "R", line.lead_time_weeks, "fact", '[=0]"–";#,##0')


def _dress(model: Model, last: int) -> None:
    """Bands of categories, grey for what is not needed, amber for what has no price; messages of the typed cells."""
    sheet, words = model.book["request"], model.words
    needed = words.label("basis_quote_needed")
    look, unpriced = palette().states["look"], f'$O{FIRST_ROW}="{needed}"'
    for first, end in ((9, 9), (12, 17)):
        sheet.conditional_formats.append(
            ConditionalFormat(FIRST_ROW, first, last, end, unpriced, ink=look.ink, fill=look.fill)
        )
    for first, end in (("A", "A"), ("C", "I"), ("L", "R")):
        quantity = sheet.ref(FIRST_ROW, "F", ALONG_ROW)
        rejected_rows(sheet, (FIRST_ROW, first, last, end), equals(quantity, 0))
    group_bands(sheet, FIRST_ROW, last, (("A", "A"), ("C", "I"), ("L", "R")), group="B")
    rows = range(FIRST_ROW, last + 1)
    for column, high, key in ((10, 1e12, "offer"), (11, 1.0, "discount")):
        cells = tuple((row, column) for row in rows)
        title, prompt = words.label(f"request_column_{key}"), words.label(f"request_{key}_prompt")
        sheet.validations.append(
            Validation(cells, low=0.0, high=high, title=title, prompt=prompt, error=words.label(f"request_{key}_error"))
        )


def _conditions(model: Model, row: int) -> None:
    """What every offer must state, and what only the buyer knows, in boxes."""
    sheet, words = model.book["request"], model.words
    heading(sheet, row, words.label("request_conditions"), "D")
    sheet.put_row(row + 1, "D", [words.label("request_condition"), words.label("request_by_buyer")], "head")
    row += 2
    for key in CONDITIONS:
        default = f"request_condition_{key}_default"
        sheet.put(row, "D", words.label(f"request_condition_{key}"), "text")
        sheet.put(row, "E", words.label(default) if words.has(default) else None, "input_text")
        row += 1
    for key in ("state", "not_included"):
        sheet.put(row, "D", words.label(f"request_condition_{key}"), "note")
        row += 1


def _page(model: Model, last: int) -> None:
    """Two leaves: the break stands after the supplier's last column, and the names repeat on the buyer's."""
    page, facts = model.book["request"].page, model.result.facts
    page.first_row, page.title_rows, page.title_columns = WORDS_ROW, (WORDS_ROW, HEADER_ROW), (1, LAST_OF_NAMES)
    page.column_breaks, page.scale = [LAST_OF_SUPPLIER], SCALE[facts.language]
    page.last_column = len(WIDTHS)
    if last - HEADER_ROW > ONE_PAGE:
        page.row_breaks = [last + 1]
    page.header_left = model.words.label("request_page_header")
    page.header_right = f"{model.result.id} · {facts.date}"
