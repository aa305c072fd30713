"""The totals under the buyer's leaf: by category, and the parts that make up what is asked for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reportgen.estimator.request_list import Line, categories
from reportgen.formula import MISSING, Symbol, above, any_of, equals, is_known, sum_of, where
from reportgen.workbook.model import ADVERSE, FAVOURABLE, Model
from reportgen.workbook.palette import palette
from reportgen.workbook.parts import ConditionalFormat
from reportgen.workbook.sheets.readers import heading

PURCHASE = ("price_movement_allowance", "contingency", "purchase_tax")
RENTAL = ("rental_contingency", "rental_tax")
LARGE = {"en": 1e6, "zh": 1e4}  # millions, or ten thousands in Chinese


def write_purchase(model: Model, row: int, header: int, rules: Sequence[Line]) -> int:
    """The sums of the hardware list, whose header stands in a row; returns the last row."""
    totals, sheet = Totals(model, row), model.book["request"]
    totals.head("request_sums")
    for category in categories(rules):
        at = [header + number for number, rule in enumerate(rules, start=1) if rule.category == category]
        taxed = sum_of(sheet.range(at[0], "N", at[-1], "N"))
        known = any_of(equals(model.base(f"{category}_unpriced"), 0), above(model.base(f"{category}_total"), 0))
        amounts = (where(known, amount, MISSING) for amount in (model.base(f"{category}_total"), taxed))
        totals.line(model.words.label(f"category_{category}"), *amounts)
    everything = sum_of(sheet.range(header + 1, "N", header + len(rules), "N"))
    totals.quantity("list_total", everything, total=True)
    for key in PURCHASE:
        totals.quantity(key)
    totals.quantity("purchase_cost", total=True)
    totals.large(model.base("purchase_cost"))
    totals.unpriced("unpriced_lines")
    return totals.row


def write_rental(model: Model, row: int, header: int, last: int) -> int:
    """The sums of the rental list; returns the last row."""
    totals, sheet = Totals(model, row), model.book["request"]
    totals.head("request_sums")
    everything = sum_of(sheet.range(header + 1, "N", last, "N"))
    totals.quantity("rental_list_total", everything, total=True)
    for key in RENTAL:
        totals.quantity(key)
    totals.quantity("rental_cost", total=True)
    totals.large(model.base("rental_cost"))
    totals.unpriced("rental_unpriced_lines")
    return totals.row


class Totals:
    """Writes lines of label, amount, amount with tax, one under the other."""

    def __init__(self, model: Model, row: int):
        self.model, self.row = model, row
        self.sheet = model.book["request"]

    def head(self, key: str) -> None:
        """A heading and the header of the block."""
        words, sheet = self.model.words, self.sheet
        heading(sheet, self.row, words.label(key), "I")
        self.row += 1
        sheet.put_row(self.row, "I", [words.label("request_sum_of"), None, None], "head")
        sheet.put(self.row, "L", words.label("request_column_amount"), "head_right")
        sheet.put(self.row, "M", None, "head")
        sheet.put(self.row, "N", words.label("request_column_amount_with_tax"), "head_right")
        for column, end in (("O", "favourable"), ("P", "adverse")):
            sheet.put(self.row, column, words.label(f"request_sum_{end}"), "head_right")

    def line(
        self, label: str, amount: Any, taxed: Any = None, total: bool = False, number_format: str = "#,##0"
    ) -> None:
        """A sum; a total carries a rule above."""
        self.row += 1
        sheet, row = self.sheet, self.row
        names, numbers = ("total_text", "total") if total else ("line", "link" if isinstance(amount, Symbol) else "formula")
        sheet.put(row, "I", label, names)
        sheet.put_row(row, "J", [None, None], names)
        sheet.put(row, "L", amount, numbers, number_format)
        sheet.put(row, "M", None, names)
        sheet.put(row, "N", taxed, "total" if total else "formula", "#,##0")

    def quantity(self, name: str, taxed: Any = None, total: bool = False) -> None:
        """A quantity of the cost model, with what it is when every range turns out well, and badly."""
        self.line(self.model.label(name), self.model.base(name), taxed, total)
        for column, case in (("O", FAVOURABLE), ("P", ADVERSE)):
            self.sheet.put(self.row, column, self.model.base(name, case), "total" if total else "link", "#,##0")

    def large(self, amount: Any) -> None:
        """The same total in millions, or in ten thousands in Chinese."""
        size = LARGE[self.model.result.facts.language]
        label = self.model.words.text("request_large", currency=self.model.unit("money"))
        self.line(label, where(is_known(amount), amount / size, MISSING), total=True, number_format="#,##0.00")

    def unpriced(self, name: str) -> None:
        """How many lines still wait for a price; amber while there are any."""
        self.line(self.model.label(name), self.model.base(name))
        colours = palette().states["look"]
        condition = f"$L{self.row}>0"
        self.sheet.conditional_formats.append(
            ConditionalFormat(self.row, 9, self.row, 14, condition, ink=colours.ink, fill=colours.fill)
        )
