"""References to cells and ranges: what a symbol stands for inside a workbook, and how a formula writes it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from reportgen.formula import FormulaError, Symbol

# Which part of a reference carries the dollar sign.
BOTH, FREE = "both", "free"
ALONG_ROW, ALONG_COLUMN = "column", "row"  # $F5: stays in its column; F$5: stays in its row


class CellRef(NamedTuple):
    """One cell. Sheets are named by their key, which no language changes."""

    sheet: str
    row: int
    column: int
    anchor: str = ""  # empty: by the place of the formula that reads it

    def __str__(self) -> str:
        return f"{self.sheet}!{column_letter(self.column)}{self.row}"


class RangeRef(NamedTuple):
    """A rectangle of cells, read row by row."""

    sheet: str
    row: int
    column: int
    last_row: int
    last_column: int
    anchor: str = ""

    def __str__(self) -> str:
        corner = f"{column_letter(self.last_column)}{self.last_row}"
        return f"{self.sheet}!{column_letter(self.column)}{self.row}:{corner}"

    def positions(self) -> list[tuple[int, int]]:
        """Row and column of every cell."""
        columns = range(self.column, self.last_column + 1)
        return [(row, column) for row in range(self.row, self.last_row + 1) for column in columns]


@cache
def column_letter(column: int) -> str:
    """6 -> F."""
    letters = ""
    while column > 0:
        column, rest = divmod(column - 1, 26)
        letters = chr(65 + rest) + letters
    return letters


@cache
def column_number(column: int | str) -> int:
    """F -> 6; a number stays itself."""
    if isinstance(column, int):
        return column
    number = 0
    for letter in column.upper():
        if not "A" <= letter <= "Z":
            raise FormulaError(f"{column!r} is not the name of a column")
        number = number * 26 + ord(letter) - 64
    return number


_PLAIN_TITLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LIKE_A_CELL = re.compile(r"[A-Za-z]{1,3}[0-9]+|[Rr][0-9]*([Cc][0-9]*)?|[Cc][0-9]*")


@cache
def sheet_prefix(title: str) -> str:
    """The title as a formula writes it before an address: Calc! or 'Read me'!."""
    plain = _PLAIN_TITLE.fullmatch(title) and not _LIKE_A_CELL.fullmatch(title)
    return f"{title}!" if plain else "'" + title.replace("'", "''") + "'!"


def key_of(reference: Any) -> Any:
    """The key of a symbol; a reference or a name stays itself."""
    return reference.key if isinstance(reference, Symbol) else reference


def address(row: int, column: int, anchor: str = FREE) -> str:
    """Address of a cell with the dollar signs of an anchor."""
    column_sign = "$" if anchor in (BOTH, ALONG_ROW) else ""
    row_sign = "$" if anchor in (BOTH, ALONG_COLUMN) else ""
    return f"{column_sign}{column_letter(column)}{row_sign}{row}"


def absolute_text(key: CellRef | RangeRef, prefixes: Mapping[str, str], sheet: str = "") -> str:
    """The reference with dollar signs everywhere unless it carries its own anchor; read from `sheet`."""
    return _text(key, prefixes, sheet, key.anchor or BOTH)


def reference_text(key: Any, prefixes: Mapping[str, str], here: CellRef) -> str:
    """A symbol's key as the formula of the cell `here` writes it; a defined name is its own text.

    By the place: its own column is relative (F14), its own row keeps the column ($F5), all else is absolute.
    """
    if isinstance(key, str):
        return key
    return _text(key, prefixes, here.sheet, key.anchor or _anchor_by_place(key, here))


def _anchor_by_place(key: CellRef | RangeRef, here: CellRef) -> str:
    if key.sheet != here.sheet:
        return BOTH
    if key.column == here.column and getattr(key, "last_column", key.column) == here.column:
        return FREE
    if key.row == here.row and getattr(key, "last_row", key.row) == here.row:
        return ALONG_ROW
    return BOTH


def _text(key: CellRef | RangeRef, prefixes: Mapping[str, str], sheet: str, anchor: str) -> str:
    prefix = "" if key.sheet == sheet else prefixes[key.sheet]
    first = address(key.row, key.column, anchor)
    if isinstance(key, CellRef):
        return prefix + first
    return f"{prefix}{first}:{address(key.last_row, key.last_column, anchor)}"
