"""Cross-check: the rules of thumb that people know, live beside this estimate, and the nearest measured runs."""

from __future__ import annotations

from reportgen.evaluation.result import CrossCheck, NearestRun
from reportgen.formula import MISSING, above, all_of, is_known, where
from reportgen.workbook.model import Model
from reportgen.workbook.sheets.readers import headers, heading
from reportgen.workbook.sheets.spoken import accelerator_name

WIDTHS = (6, 32, 40, 14, 30, 14, 10, 11, 62)
COLUMNS = ("number", "method", "words", "result", "compared", "estimate", "ratio", "unit", "why")
RUN_COLUMNS = ("number", "run", "setup", "measured", "software", "estimate", "ratio", "unit", "source")
FIRST = 6
SPEED = "tokens_per_second_per_gpu"


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
    if model.result.nearest_runs:
        _write_runs(model, FIRST + max(1, len(found)) + 1)


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


def _write_runs(model: Model, row: int) -> None:
    """The measured runs below the rules; the estimate of this request, live, is their last row."""
    sheet, words, runs = model.book["crosscheck"], model.words, model.result.nearest_runs
    heading(sheet, row, words.label("crosscheck_runs"), "B")
    sheet.put(row + 1, "B", words.label("crosscheck_runs_about"), "subtitle")
    first = row + 3
    sheet.table("MeasuredRuns", first - 1, "A", headers(model, "crosscheck_run_column", RUN_COLUMNS), first + len(runs))
    layout = model.number_format("tokens/s", *(run.measured for run in runs))
    for number, run in enumerate(runs, start=1):
        _write_run(model, first + number - 1, number, run, layout)
    last = first + len(runs)
    sheet.put(last, "A", len(runs) + 1, "number")
    sheet.put(last, "B", words.label("crosscheck_run_this"), "text_bold")
    sheet.put(last, "F", model.base(SPEED), "link", layout)
    sheet.put(last, "H", model.unit("tokens/s"), "unit")
    for column in "CDEGI":
        sheet.put(last, column, "–", "note")


def _write_run(model: Model, row: int, number: int, run: NearestRun, layout: str) -> None:
    sheet = model.book["crosscheck"]
    name = accelerator_name(model, run.accelerator)
    count = f"{run.gpus:,.0f} × " if run.gpus else ""
    sheet.put(row, "A", number, "number")
    sheet.put(row, "B", run.model if run.method == "full" else f"{run.model}, {run.method}", "text_bold")
    sheet.put(row, "C", f"{count}{name}, {run.precision}, {run.sequence_length:,.0f}", "note")
    measured = sheet.put(row, "D", run.measured, "number", layout)
    sheet.put(row, "E", run.stack or "–", "note")
    estimated = sheet.put(row, "F", run.estimated, "number", layout)
    sheet.put(row, "G", estimated / measured, "formula", "0.00")
    sheet.put(row, "H", model.unit("tokens/s"), "unit")
    sheet.put(row, "I", run.source, "text")
