"""Where a sheet of several tables turns the page: before a part that the rest of the page cannot hold."""

from __future__ import annotations

from reportgen.workbook.cells import Sheet

PAPER = (595.3, 841.9)  # points of A4
SIDES, TOP_AND_BOTTOM = 2 * 0.35 * 72, (0.45 + 0.55) * 72  # margins
DIGIT = 5.25  # points of a character of width; more in Chinese fonts, which then print smaller and hold more rows
DEFAULT_HEIGHT = 15.0
SPARE = 0.97  # programs round the scale down


def breaks_between(sheet: Sheet) -> list[int]:
    """Rows after which the page turns, so that no part in `sheet.page.parts` is cut that fits on one page."""
    whole = _room(sheet)
    later = whole - _height(sheet, *(sheet.page.title_rows or (1, 0)))
    found: list[int] = []
    start, room = 1, whole
    for first, last in sheet.page.parts:
        if _height(sheet, start, last) > room and first > start:
            found.append(first - 1)
            start, room = first, later
        while _height(sheet, start, last) > room:
            start, room = _first_of_next_page(sheet, start, room), later
    return found


def _first_of_next_page(sheet: Sheet, start: int, room: float) -> int:
    row = start + 1
    while _height(sheet, start, row) <= room:
        row += 1
    return row


def _room(sheet: Sheet) -> float:
    """Height of a page in points of the sheet, which is printed one page wide."""
    across, down = PAPER if sheet.page.portrait else PAPER[::-1]
    columns = sheet.page.last_column or sheet.size[1]
    wide = sum(sheet.widths.get(column, 9.0) for column in range(1, columns + 1)) * DIGIT
    scale = min(1.0, (across - SIDES) / wide) if wide else 1.0
    return (down - TOP_AND_BOTTOM) / scale * SPARE


def _height(sheet: Sheet, first: int, last: int) -> float:
    return sum(sheet.heights.get(row, DEFAULT_HEIGHT) for row in range(first, last + 1))
