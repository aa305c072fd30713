"""Offers side by side on the buyer's second leaf: three unit prices a line, the one that is taken, what each supplier asks in all."""

from __future__ import annotations

import operator
from functools import reduce
from typing import Any

from reportgen.formula import MISSING, Symbol, above, below, equals, is_known, minimum, sum_of, where
from reportgen.workbook.frame import WORDS_ROW
from reportgen.workbook.model import Model
from reportgen.workbook.palette import palette
from reportgen.workbook.parts import ConditionalFormat, Validation
from reportgen.workbook.sheets.readers import heading

SUPPLIERS = ("A", "B", "C")
PRICES, CHOICE, LOWEST, AMOUNTS, REMARK = ("S", "T", "U"), "V", "W", ("X", "Y", "Z"), "AA"
COLUMNS = (*(f"offer_{name.lower()}" for name in SUPPLIERS), "taken", "lowest")
COLUMNS += (*(f"amount_{name.lower()}" for name in SUPPLIERS), "remark")
WIDTHS = (12, 12, 12, 11, 12, 15, 15, 15, 24)
TYPED_PRICE = '[=0]"";#,##0.00'
NO_OFFER = 1e15  # stands for a supplier who offered nothing while the lowest is looked for


def choices(model: Model) -> tuple[str, ...]:
    """What the drop-down of a line offers: the lowest by itself, one supplier, or no offer at all."""
    return (model.words.label("request_take_lowest"), *SUPPLIERS, model.words.label("request_take_none"))


def offered_row(model: Model, row: int, offer: str, discount: Any) -> Symbol:
    """Cells of one line; returns the cell of the unit price that is taken, in the column of offers of the first leaf.

    An offer that the scenario fixes stands with the first supplier. discount: cell of the discount on the unit price.
    """
    sheet = model.book["request"]
    first = model.inputs_by_key[offer].value
    prices = [
        sheet.put(row, column, price, "input", TYPED_PRICE)
        for column, price in zip(PRICES, (first, 0.0, 0.0), strict=True)
    ]
    model.typed[offer] = prices[0]
    lowest_word, *_, none_word = choices(model)
    choice = sheet.put(row, CHOICE, lowest_word, "input_text")
    lowest = sheet.put(row, LOWEST, _lowest(prices), "formula", TYPED_PRICE)
    for column, price in zip(AMOUNTS, prices, strict=True):
        amount = sheet.ref(row, "F") * price * (1 - discount)
        sheet.put(row, column, where(above(price, 0), amount, MISSING), "formula", "#,##0")
    sheet.put(row, REMARK, None, "input_text")
    taken: Any = where(equals(choice, none_word), 0, lowest)
    for name, price in zip(reversed(SUPPLIERS), reversed(prices), strict=True):
        taken = where(equals(choice, name), price, taken)
    model.offers[offer] = sheet.put(row, "J", taken, "formula", TYPED_PRICE)
    return model.offers[offer]


def _lowest(prices: list[Symbol]) -> Any:
    """The lowest of the offers that there are; 0 without any."""
    least = minimum(*(where(above(price, 0), price, NO_OFFER) for price in prices))
    return where(below(least, NO_OFFER), least, 0)


def blank_row(model: Model, row: int) -> None:
    """A line of the rental list whose price stands on the inputs sheet: nothing is compared here."""
    for column in (*PRICES, CHOICE, LOWEST, *AMOUNTS, REMARK):
        model.book["request"].put(row, column, "–", "formula")


def write_names(model: Model, names: list[Symbol]) -> None:
    """The suppliers over the columns of their prices and amounts."""
    for columns in (PRICES, AMOUNTS):
        for column, name in zip(columns, names, strict=True):
            model.book["request"].put(WORDS_ROW, column, name, "words_right")


def write_sums(model: Model, row: int, first: int, last: int) -> list[Symbol]:
    """Name, sum, and needed lines without an offer of each supplier, under the lines; returns the cells of the names."""
    sheet, say = model.book["request"], model.words.label
    heading(sheet, row, say("request_offers"), "S")
    sheet.put_row(row + 1, "S", [say("request_supplier"), *[None] * 4], "head")
    names = [
        sheet.put(row + 1, column, model.words.text("request_supplier_name", letter=name), "input_text")
        for column, name in zip(AMOUNTS, SUPPLIERS, strict=True)
    ]
    for offset, key in enumerate(("request_offered_sum", "request_offered_lines", "request_not_offered"), start=2):
        total = offset == 2
        sheet.put(row + offset, "S", say(key), "total_text" if total else "line")
        sheet.put_row(row + offset, "T", [None] * 4, "total_text" if total else "line")
        for column in AMOUNTS:
            content = _sum_row(model, key, column, first, last)
            sheet.put(row + offset, column, content, "total" if total else "formula", "#,##0")
    sheet.put(row + 6, "S", say("request_offers_note"), "say")
    return names


def _sum_row(model: Model, key: str, column: str, first: int, last: int) -> Any:
    sheet = model.book["request"]
    if key == "request_offered_sum":
        return sum_of(sheet.range(first, column, last, column))
    rows = range(first, last + 1)
    needed = [above(sheet.ref(row, "F"), 0) for row in rows]
    offered = [is_known(sheet.ref(row, column)) for row in rows]
    yes, no = (1, 0) if key == "request_offered_lines" else (0, 1)
    counts = [where(need, where(there, yes, no), 0) for need, there in zip(needed, offered, strict=True)]
    return reduce(operator.add, counts)


def dress(model: Model, first: int, last: int) -> None:
    """The offer that is taken stands out; prices and choices are limited to what makes sense."""
    sheet, words = model.book["request"], model.words
    for column in range(19, 22):
        letter = "STU"[column - 19]
        taken = f"AND({letter}{first}>0,{letter}{first}=$J{first})"
        sheet.conditional_formats.append(
            ConditionalFormat(first, column, last, column, taken, ink=palette().states["ok"].ink, bold=True)
        )
    cells = tuple((row, column) for row in range(first, last + 1) for column in range(19, 22))
    limits = Validation(
        cells, low=0.0, high=1e12, title=words.label("request_column_offer"), prompt=words.label("request_offer_prompt"),
        error=words.label("request_offer_error"),
    )  # fmt: skip
    listed = Validation(
        tuple((row, 22) for row in range(first, last + 1)), source=model.lists["offer"],
        title=words.label("request_column_taken"), prompt=words.label("request_taken_prompt"),
        error=words.label("request_taken_error"),
    )  # fmt: skip
    sheet.validations += [limits, listed]
