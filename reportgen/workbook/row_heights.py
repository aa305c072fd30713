"""Widths of text and heights of rows, estimated in both scripts so that wrapped text is never cut."""

from __future__ import annotations

import datetime
import math
import unicodedata
from typing import Any

from reportgen.workbook.cells import DASH, Book, Cell, Sheet
from reportgen.workbook.palette import line_height
from reportgen.workbook.styles import Style, cell_style, cell_styles

WORD_WRAP = 1.05  # lines break between words, so they hold a little less
BOLD = 1.08
PADDING = 1.4
INDENT = 1.2
FIXED = {1: 26.0, 2: 18.0, 3: 20.0}  # title, sentence, master check


class _Widths(dict):
    """Width of a character in digits of the Normal font, found once."""

    def __init__(self, ambiguous_is_wide: bool):
        super().__init__()
        self.wide = "WFA" if ambiguous_is_wide else "WF"

    def __missing__(self, character: str) -> float:
        self[character] = width = self._width(character)
        return width

    def _width(self, character: str) -> float:
        if unicodedata.east_asian_width(character) in self.wide:
            return 1.9
        if character in " ijl.,:;'|":
            return 0.45
        if character in "frt()-I":
            return 0.6
        return 1.2 if character.isupper() or character in "mw%≥≤×÷→" else 1.0


_LATIN, _CHINESE = _Widths(False), _Widths(True)


def text_width(text: str) -> float:
    """Width in digits of the Normal font; signs such as × and · are wide inside Chinese text."""
    if text.isascii():
        return sum(map(_LATIN.__getitem__, text))
    chinese = any(unicodedata.east_asian_width(character) in "WF" for character in text)
    return sum(map((_CHINESE if chinese else _LATIN).__getitem__, text))


def shown(value: Any, number_format: str) -> str:
    """The text that a number format gives, near enough to measure it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, datetime.date):
        return value.isoformat()
    if not isinstance(value, (int, float)):
        return str(value)
    if value != value:
        return DASH
    if '"' in number_format and ";" in number_format:
        return number_format.split('"')[1]
    if number_format in ("", "General"):
        return f"{value:.10g}"
    digits = len(number_format.split(";")[0].partition(".")[2].rstrip('%"'))
    return f"{value * 100:.{digits}f}%" if "%" in number_format else f"{value:,.{digits}f}"


def lines_needed(text: str, style: Style, width: float) -> int:
    """Lines that wrapped text takes in a column of that width."""
    room = max(2.0, width - PADDING - (INDENT if style.horizontal == "right" else 0))
    scale = style.size / 10 * (BOLD if style.bold else 1.0) * WORD_WRAP
    if len(text) * 1.2 * scale <= room and text.isascii() and "\n" not in text:
        return 1
    return sum(max(1, math.ceil(text_width(part) * scale / room)) for part in text.split("\n"))


def set_row_heights(book: Book, sheet: Sheet, first_row: int = 1) -> None:
    """Give every row without a height one that shows its text; a header has room for its filter buttons."""
    line = line_height(book.language)
    needed: dict[int, float] = {table.row: 2.0 for table in sheet.tables if table.filtered}
    styles = cell_styles()
    for (row, column), cell in sheet.cells.items():
        style = styles.get(cell.style) or cell_style(cell.style)
        height = 1.0
        if style.wrap or style.size > 10:
            height = _lines_of(cell, style, sheet.widths.get(column, 9.0))
        if height > needed.get(row, 0.0):
            needed[row] = height
    for row, lines in needed.items():
        if row >= first_row and row not in sheet.heights:
            sheet.heights[row] = FIXED.get(row) or round(lines * line + 4, 1)


def _lines_of(cell: Cell, style: Style, width: float) -> float:
    size = style.size / 10
    if cell.value is None:
        return 1.0
    if not style.wrap:
        return max(1.0, size)
    text = cell.value if isinstance(cell.value, str) else shown(cell.value, cell.number_format)
    return max(1.0, size, lines_needed(text, style, width) * max(size, 0.9))
