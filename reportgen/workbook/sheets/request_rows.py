"""Rows of the request sheet: a line of the hardware list or of the rental list, on both leaves."""

from __future__ import annotations

from typing import Any

from reportgen.estimator.rental import RentalLine
from reportgen.estimator.request_list import Line
from reportgen.evaluation.result import Line as ResultLine
from reportgen.formula import MISSING, equals, is_known, where
from reportgen.workbook.frame import group_bands, rejected_rows
from reportgen.workbook.model import Model
from reportgen.workbook.palette import palette
from reportgen.workbook.parts import ConditionalFormat, Validation
from reportgen.workbook.references import ALONG_ROW
from reportgen.workbook.sheets import request_offers
from reportgen.workbook.sheets.price_basis import PriceBasis, RentalBasis
from reportgen.workbook.sheets.specification import Specification

WIDTHS = (6, 13, 27, 58, 26, 10, 12, 21, 13, 13, 11, 15, 8, 15, 14, 15, 12, 10) + request_offers.WIDTHS
COLUMNS = (
    "number", "category", "item", "specification", "equivalent", "quantity", "unit", "purpose", "unit_price", "offer", "discount",
    "amount", "tax", "amount_with_tax", "basis", "source", "as_of", "lead_time", *request_offers.COLUMNS,
)  # fmt: skip
PRICE = "[<100]#,##0.00;#,##0"
TYPED_SHARE = '[=0]"";0.0%'
WEEKS = '[=0]"–";#,##0'
AREAS = (("A", "A"), ("C", "I"), ("L", "R"))  # without the names of categories and the typed cells


def hardware_row(said: Specification, row: int, number: int, rule: Line, line: ResultLine) -> None:
    """A line of the hardware list: its offer and its discount are typed here."""
    model = said.model
    _supplier_side(said, row, number, rule.key, rule.category, rule.quantity, rule.unit)
    sheet, inputs = model.book["request"], model.inputs_by_key
    sheet.put(row, "I", model.base(rule.unit_price), "link", PRICE)
    discount = sheet.put(row, "K", inputs[rule.discount].value, "input", TYPED_SHARE)
    model.offers[rule.discount] = model.typed[rule.discount] = discount
    request_offers.offered_row(model, row, rule.offer, discount)
    _money(model, row, model.base(rule.amount), rule.tax_rate)
    _origin(model, row, PriceBasis(model, rule, line), line)


def rental_row(said: Specification, row: int, number: int, rule: RentalLine, line: ResultLine) -> None:
    """A line of the rental list: its price is typed on the inputs sheet, to which a link leads."""
    model = said.model
    _supplier_side(said, row, number, rule.key, "rental", rule.quantity, rule.unit)
    sheet = model.book["request"]
    sheet.put(row, "I", model.base(rule.price), "link", PRICE)
    if rule.key == "rental_instances":
        request_offers.offered_row(model, row, "offer_rental", 0)
    else:
        request_offers.blank_row(model, row)
        _where_typed(model, row, rule.price_input)
    sheet.put(row, "K", "–", "formula")
    basis = RentalBasis(model, rule, line)
    _money(model, row, basis.amount(), "value_added_tax_services")
    _origin(model, row, basis, line)


def _where_typed(model: Model, row: int, typed: str) -> None:
    """A link to the price on the inputs sheet, where there is one."""
    sheet = model.book["request"]
    if typed:
        cell = model.base(typed)
        where_typed = model.words.text(
            "readme_where", sheet=model.words.label("sheet_inputs"), row=model.inputs.rows[typed]
        )
        sheet.put(row, "J", where_typed, "jump", link=cell)
    else:
        sheet.put(row, "J", "–", "formula")


def _supplier_side(
    said: Specification, row: int, number: int, key: str, category: str, quantity: str, unit: str
) -> None:
    model, sheet = said.model, said.sheet
    sheet.put(row, "A", number, "number")
    sheet.put(row, "B", model.words.label(f"category_{category}"), "text")
    sheet.put(row, "C", said.words(key, "item"), "text_bold")
    sheet.put(row, "D", said.words(key, "specification"), "text")
    sheet.put(row, "E", said.words(key, "equivalent"), "note")
    sheet.put(row, "F", model.base(quantity), "link", quantity_format(unit))
    sheet.put(row, "G", model.unit(unit), "unit")
    sheet.put(row, "H", said.words(key, "purpose"), "note")


def quantity_format(unit: str) -> str:
    """Whole pieces; a decimal for years and months, which may be halves."""
    return "#,##0.0" if unit.endswith(("years", "months")) else "#,##0"


def _money(model: Model, row: int, amount: Any, rate: str) -> None:
    sheet = model.book["request"]
    cell = sheet.put(row, "L", amount, "link", "#,##0")
    tax = sheet.put(row, "M", model.base(rate), "link", "0.0%")
    sheet.put(row, "N", where(is_known(cell), cell * (1 + tax), MISSING), "formula", "#,##0")


def _origin(model: Model, row: int, basis: PriceBasis | RentalBasis, line: ResultLine) -> None:
    sheet = model.book["request"]
    sheet.put(row, "O", basis.basis(), "text")
    link = model.source_link(line.source)
    sheet.put(row, "P", basis.source(), "note" if link is None else "jump", link=link)
    sheet.put(row, "Q", basis.as_of(), "number")
    sheet.put(row, "R", line.lead_time_weeks, "fact", WEEKS)


def dress(model: Model, first: int, last: int) -> None:
    """Bands of categories, grey for what is not needed, amber for what has no price."""
    sheet, needed = model.book["request"], model.words.label("basis_quote_needed")
    look, unpriced = palette().states["look"], f'$O{first}="{needed}"'
    for column, end in ((9, 9), (12, 17)):
        sheet.conditional_formats.append(
            ConditionalFormat(first, column, last, end, unpriced, ink=look.ink, fill=look.fill)
        )
    for column, end in AREAS:
        rejected_rows(sheet, (first, column, last, end), equals(sheet.ref(first, "F", ALONG_ROW), 0))
    group_bands(sheet, first, last, AREAS, group="B")


def limit_typed_cells(model: Model, first: int, last: int) -> None:
    """What may be typed as a discount; what as an offer."""
    say = model.words.label
    cells = tuple((row, 11) for row in range(first, last + 1))
    title, prompt, error = (say(f"request_{key}") for key in ("column_discount", "discount_prompt", "discount_error"))
    limits = Validation(cells, low=0.0, high=1.0, title=title, prompt=prompt, error=error)
    model.book["request"].validations.append(limits)
    request_offers.dress(model, first, last)
