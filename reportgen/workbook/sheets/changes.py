"""Changes: results and inputs as issued and now, live, and a log that people write."""

from __future__ import annotations

from typing import Any

from reportgen.formula import MISSING, Symbol, all_of, at_least, is_known, pick, position, where
from reportgen.workbook.frame import CHECK_ROW
from reportgen.workbook.model import FIRST_ROW, Model
from reportgen.workbook.sheets.readers import headers, heading

WIDTHS = (44, 20, 20, 16, 16, 84)
RESULTS = ("result", "issued", "now", "difference", "unit")
INPUTS = ("input", "issued", "now", "difference", "unit", "turn")
LOG = ("version", "date", "who", "amount", "id", "what")
FIRST = 5  # header of the first table
SHOWN = (
    "gpus", "nodes_bought", "training_days", "training_days_p90", "batch_hours", "replicas", "ttft_s", "tpot_s",
    "memory_per_gpu_gib", "it_power_kw", "requested_amount", "total_cost",
)  # fmt: skip
LISTED = 8  # changed inputs that are listed
EMPTY_LINES = 4  # of the log
NUMBERS = "N"  # column of the inputs sheet
ANY_NUMBER = "[>=1000]#,##0;[>=1]0.0##;0.0#####"
ANY_CHANGE = "[>=0]+#,##0.0#####;-#,##0.0#####"


def write(model: Model) -> None:
    """Three tables: results, inputs, log."""
    sheet = model.frame("changes", WIDTHS, names=1)
    sheet.freeze, sheet.page.title_rows = (CHECK_ROW + 1, 1), (1, CHECK_ROW)
    sheet.protected = False
    row = _results(model, FIRST)
    row = _inputs(model, row + 2)
    _log(model, row + 2)


def _results(model: Model, row: int) -> int:
    sheet, result = model.book["changes"], model.result
    keys = [key for key in SHOWN if key in result.quantities]
    sheet.table("ChangedResults", row, "A", headers(model, "changes_column", RESULTS), row + len(keys))
    for key in keys:
        row += 1
        item, layout = result.quantities[key], model.format_of(key)
        sheet.put(row, "A", model.label(key), "text")
        issued = sheet.put(row, "B", item.value, "fact", layout)
        now = sheet.put(row, "C", model.base(key), "link", layout)
        _difference(model, row, issued, now, layout)
        sheet.put(row, "E", model.unit(item.unit), "unit")
    return row


def _difference(model: Model, row: int, issued: Symbol, now: Symbol, layout: str) -> None:
    changed = where(all_of(is_known(issued), is_known(now)), now - issued, MISSING)
    signed = f"+{layout};-{layout};0" if layout and '"' not in layout and ";" not in layout else ANY_CHANGE
    model.book["changes"].put(row, "D", changed, "formula", signed)


def _inputs(model: Model, row: int) -> int:
    """The first inputs that were changed, found by their running number on the inputs sheet."""
    sheet = model.book["changes"]
    heading(sheet, row, model.words.label("changes_inputs"))
    row += 1
    sheet.table("ChangedInputs", row, "A", headers(model, "changes_column", INPUTS), row + LISTED)
    for number in range(1, LISTED + 1):
        row += 1
        sheet.put(row, "A", _found(model, "B", number), "link_text")
        issued = sheet.put(row, "B", _found(model, "L", number), "link", ANY_NUMBER)
        now = sheet.put(row, "C", _found(model, "F", number), "link", ANY_NUMBER)
        _difference(model, row, issued, now, "")
        sheet.put(row, "E", _found(model, "D", number), "unit")
        sheet.put(row, "F", number, "number")
    sheet.put(row + 1, "A", model.words.text("changes_more", count=LISTED), "subtitle")
    return row + 1


def _found(model: Model, column: str, number: int) -> Any:
    """A column of the inputs sheet in the row whose running number of changes is this one."""
    inputs = model.book["inputs"]
    last = FIRST_ROW + len(model.listed_inputs) - 1
    place = position(inputs.range(FIRST_ROW, NUMBERS, last, NUMBERS), number)
    changed = at_least(Symbol("changed_inputs"), number)
    return where(changed, pick(inputs.range(FIRST_ROW, column, last, column), place), MISSING)


def _log(model: Model, row: int) -> None:
    sheet, facts = model.book["changes"], model.result.facts
    heading(sheet, row, model.words.label("changes_log"))
    row += 1
    titles = headers(model, "changes_log", LOG, currency=model.unit("money"))
    sheet.table("VersionLog", row, "A", titles, row + 1 + EMPTY_LINES)
    first = row + 1
    sheet.put(first, "A", "1.0", "text")
    sheet.put(first, "B", facts.date, "number")
    sheet.put(first, "C", "reportgen", "text")
    amount = model.result.value("requested_amount")
    sheet.put(first, "D", amount, "fact", "#,##0")
    sheet.put(first, "E", model.result.id, "number")
    sheet.put(first, "F", model.words.label("changes_first_issue"), "text")
    for line in range(first + 1, first + 1 + EMPTY_LINES):
        for column in "ABCDEF":
            sheet.put(line, column, None, "input_text" if column != "D" else "input", "" if column != "D" else "#,##0")
