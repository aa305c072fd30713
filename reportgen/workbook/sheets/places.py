"""Where things come to stand on a sheet: columns by centimetres, long texts in lines."""

from __future__ import annotations

from reportgen.workbook.cells import Sheet
from reportgen.workbook.row_heights import text_width

CENTIMETRES_OF_DIGIT = 7 / 96 * 2.54  # 7 pixels; in Chinese fonts 8, so charts then stand further apart


def column_at(sheet: Sheet, centimetres: float) -> int:
    """The first column whose left edge lies at least so far to the right."""
    left, column = 0.0, 1
    while left < centimetres:
        left += sheet.widths[column] * CENTIMETRES_OF_DIGIT
        column += 1
    return column


def in_lines(text: str, width: float) -> list[str]:
    """A text in lines of a width in characters: between words, or anywhere in Chinese and in very long words."""
    lines, line = [], ""
    for piece in _pieces(text):
        if line and text_width(line + piece.rstrip()) > width:
            lines.append(line.rstrip())
            line = ""
        line += piece
        while text_width(line) > width:
            cut = _fitting(line, width)
            lines.append(line[:cut])
            line = line[cut:]
    return [*lines, line.rstrip()] if line.strip() or not lines else lines


def _pieces(text: str) -> list[str]:
    """Words with the space behind them; a wide character is a word of its own."""
    pieces = [""]
    for character in text.replace("\n", " "):
        if character > "\u2e7f" or (pieces[-1] and (pieces[-1][-1] > "\u2e7f" or pieces[-1][-1] == " ")):
            pieces.append("")
        pieces[-1] += character
    return [piece for piece in pieces if piece]


def _fitting(text: str, width: float) -> int:
    cut = 1
    while cut < len(text) and text_width(text[: cut + 1]) <= width:
        cut += 1
    return cut


def breakable(address: str, width: int) -> str:
    """A long web address in lines that end with a slash where there is one."""
    lines = []
    while len(address) > width:
        cut = address.rfind("/", 10, width) + 1 or width
        lines.append(address[:cut])
        address = address[cut:]
    return "\n".join([*lines, address])
