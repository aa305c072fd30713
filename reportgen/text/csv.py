"""The hardware list as CSV that spreadsheets open well: UTF-8 with mark, and no text that could become a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

from reportgen.evaluation.result import Line, Result
from reportgen.text.headline import HEADLINE
from reportgen.text.speech import Speech

DANGEROUS = (
    "=",
    "+",
    "-",
    "@",
    "\t",
    "\r",
    "\n",
    "|",
    "%",
    "＝",
    "＋",
    "－",
    "＠",
)  # the first sign of what spreadsheets may execute
COLUMNS = (
    "number",
    "key",
    "category",
    "item",
    "quantity",
    "unit",
    "unit_price",
    "amount",
    "tax_rate",
    "amount_with_tax",
    "currency",
    "basis",
    "source",
    "as_of",
    "lead_time_weeks",
    "specification",
    "quantity_low",
    "quantity_high",
    "amount_low",
    "amount_high",
)


def hardware_list(result: Result, language: str | None = None) -> bytes:
    """The list, a row a line. Column names are keys of the result, so that programs can read them in any language."""
    speech = Speech(result, language)
    return table(
        [COLUMNS, *(_row(number, line, speech) for number, line in enumerate(result.rental or result.lines, start=1))]
    )


def _row(number: int, line: Line, speech: Speech) -> tuple:
    return (
        number,
        line.key,
        line.category,
        speech.line(line.key),
        line.quantity,
        line.unit,
        line.unit_price,
        line.amount,
        line.tax_rate,
        line.amount_with_tax,
        speech.currency,
        line.basis,
        line.source,
        line.as_of,
        line.lead_time_weeks,
        speech.specification(line),
        line.quantity_low,
        line.quantity_high,
        line.amount_low,
        line.amount_high,
    )


def table(rows: Iterable[Sequence[Any]]) -> bytes:
    """Rows as CSV bytes. Missing numbers are empty cells, never 0."""
    stream = io.StringIO(newline="")
    writer = csv.writer(stream, lineterminator="\r\n")
    writer.writerows([cell(value) for value in row] for row in rows)
    return stream.getvalue().encode("utf-8-sig", errors="replace")


def cell(value: Any) -> Any:
    """A value as a cell: whole numbers without a point, text made harmless."""
    if isinstance(value, bool) or value is None:
        return "" if value is None else str(value).lower()
    if isinstance(value, (int, float)):
        return (
            ""
            if value != value
            else (int(value) if float(value).is_integer() and abs(value) < 1e15 else repr(float(value)))
        )
    text = str(value).replace("\0", "")
    return f"'{text}" if text.lstrip(" \ufeff").startswith(DANGEROUS) else text


def summary(results: Sequence[Result]) -> bytes:
    """A row a scenario: its headline values in base units."""
    present = [key for key in HEADLINE if any(key in result.quantities for result in results)]
    rows: list[tuple] = [("scenario", "id", "title", "accelerator", "currency", *present)]
    for result in results:
        facts = result.facts
        rows.append(
            (facts.name, result.id, facts.title, facts.accelerator, facts.currency, *(result.beside(key) for key in present))
        )
    return table(rows)
