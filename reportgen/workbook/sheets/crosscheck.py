"""Cross-check: the rules of thumb that people know, live beside this estimate, and why they differ."""

from __future__ import annotations

from reportgen.evaluation.result import CrossCheck
from reportgen.formula import MISSING, above, all_of, is_known, where
from reportgen.workbook.model import Model
from reportgen.workbook.sheets.readers import headers

WIDTHS = (6, 32, 40, 14, 30, 14, 10, 11, 62)
COLUMNS = ("number", "method", "words", "result", "compared", "estimate", "ratio", "unit", "why")
FIRST = 6


def write(model: Model) -> None:
    """A row a method."""
    sheet = model.frame("crosscheck", WIDTHS)
    found = model.result.cross_checks
    sheet.table(
        "CrossChecks", FIRST - 1, "A", headers(model, "crosscheck_column", COLUMNS), FIRST + max(1, len(found)) - 1
    )
    for number, item in enumerate(found, start=1):
        _write_row(model, FIRST + number - 1, number, item)
    if not found:
        sheet.put_row(FIRST, "A", ["–"] * len(COLUMNS), "note")


def _write_row(model: Model, row: int, number: int, item: CrossCheck) -> None:
    sheet, words = model.book["crosscheck"], model.words
    layout = model.number_format(item.unit, item.result, item.estimate)
    sheet.put(row, "A", number, "number")
    sheet.put(row, "B", words.label(item.key), "text_bold")
    sheet.put(row, "C", words.label(f"rule_{item.key}_words"), "note")
    theirs = sheet.put(row, "D", model.base(item.key), "link", layout)
    sheet.put(row, "E", words.label(item.compared_with), "note")
    ours = sheet.put(row, "F", model.base(item.compared_with), "link", layout)
    comparable = all_of(is_known(theirs), is_known(ours), above(ours, 0))
    sheet.put(row, "G", where(comparable, theirs / ours, MISSING), "formula", "[<0.01]0.0000;[<10]0.00;#,##0")
    sheet.put(row, "H", model.unit(item.unit), "unit")
    sheet.put(row, "I", words.label(f"rule_{item.key}_why"), "text")
