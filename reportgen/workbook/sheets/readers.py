"""What the sheets for readers share: words of verdicts, headers, headings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reportgen.workbook.cells import Sheet
from reportgen.workbook.model import Model
from reportgen.workbook.palette import palette


def states(model: Model) -> dict[str, str]:
    """The word of each verdict."""
    return {state: model.words.label(f"state_{state}") for state in palette().states}


def headers(model: Model, prefix: str, keys: Sequence[str], **values: Any) -> list[str]:
    """Header texts by key."""
    return [model.words.text(f"{prefix}_{key}", **values) for key in keys]


def heading(sheet: Sheet, row: int, text: str, column: int | str = 1) -> None:
    """A heading between tables."""
    sheet.put(row, column, text, "section")
