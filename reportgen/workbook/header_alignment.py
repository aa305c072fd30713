"""A header takes the alignment of its column, and so do the words above it."""

from __future__ import annotations

from collections import Counter

from reportgen.workbook.cells import Sheet
from reportgen.workbook.parts import Table
from reportgen.workbook.styles import cell_style

HEADERS = {"right": "head_right", "center": "head_center"}
LOOKED_AT = 40  # rows
WORDS = {"right": "words_right", "center": "words_center"}


def align_headers(sheet: Sheet) -> None:
    """Give plain headers of tables, and the words in the row above, the alignment of most cells below."""
    for table in sheet.tables:
        for column in range(table.column, table.last_column + 1):
            alignment = _common_alignment(sheet, table, column)
            for row, style, aligned in ((table.row, "head", HEADERS), (table.row - 1, "words", WORDS)):
                cell = sheet.cells.get((row, column))
                if cell is not None and cell.style == style and alignment in aligned:
                    cell.style = aligned[alignment]


def _common_alignment(sheet: Sheet, table: Table, column: int) -> str | None:
    last = min(table.last_row, table.row + LOOKED_AT)
    cells = (sheet.cells.get((row, column)) for row in range(table.row + 1, last + 1))
    counted = Counter(cell_style(cell.style).horizontal for cell in cells if cell is not None)
    return counted.most_common(1)[0][0] if counted else None
