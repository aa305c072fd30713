"""Cells as the file holds them: the formula and, beside it, the value that viewers show without calculating."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any
from xml.sax.saxutils import escape

from reportgen.formula import FormulaError
from reportgen.workbook.cells import DASH, Cell, Sheet, constant_value
from reportgen.workbook.limits import escaped, needs_quote
from reportgen.workbook.references import column_letter

StyleId = Callable[[str, str, bool], int]


def number_text(value: float | int) -> str:
    """A number with every digit; whole numbers without a point."""
    if isinstance(value, float) and not value.is_integer() or abs(value) >= 2**53:
        return repr(float(value))
    return str(int(value))


def _text(text: str) -> str:
    return escape(escaped(text))


def formula_cell(address: str, style: int, cell: Cell) -> str:
    """A formula with its value. Missing is the dash; a formula without a value is an error."""
    value: Any = cell.value
    formula = _text(cell.formula[1:])
    if isinstance(value, bool):
        kind, shown = ' t="b"', "1" if value else "0"
    elif isinstance(value, str):
        kind, shown = ' t="str"', _text(value)
    elif isinstance(value, float):
        kind, shown = ("", number_text(value)) if value == value else (' t="str"', DASH)
    else:
        raise FormulaError(f"{address} has a formula and no value: {cell.formula[:80]}")
    return f'<c r="{address}" s="{style}"{kind}><f>{formula}</f><v>{shown}</v></c>'


def constant_cell(address: str, style: int, content: Any) -> str:
    """A constant. Text is always text, whatever sign it starts with."""
    if content is None or content == "":
        return f'<c r="{address}" s="{style}"/>'
    if isinstance(content, bool):
        return f'<c r="{address}" s="{style}" t="b"><v>{content:d}</v></c>'
    if isinstance(content, str):
        space = ' xml:space="preserve"' if content != content.strip() or "\n" in content else ""
        return f'<c r="{address}" s="{style}" t="inlineStr"><is><t{space}>{_text(content)}</t></is></c>'
    if isinstance(content, datetime.date):
        content = constant_value(content)
    return f'<c r="{address}" s="{style}"><v>{number_text(content)}</v></c>'


def sheet_data(sheet: Sheet, style_id: StyleId) -> str:
    """The sheetData element: all rows with their heights and cells."""
    rows: dict[int, list[int]] = {row: [] for row in sheet.heights}
    for row, column in sheet.cells:
        if row not in rows:
            rows[row] = []
        rows[row].append(column)
    parts, cells = ["<sheetData>"], sheet.cells
    for row in sorted(rows):
        height = sheet.heights.get(row)
        sized = f' ht="{height}" customHeight="1"' if height else ""
        parts.append(f'<row r="{row}"{sized}>')
        for column in sorted(rows[row]):
            cell, address = cells[row, column], f"{column_letter(column)}{row}"
            if cell.formula:
                parts.append(formula_cell(address, style_id(cell.style, cell.number_format, False), cell))
                continue
            content = cell.content
            quoted = isinstance(content, str) and needs_quote(content)
            parts.append(constant_cell(address, style_id(cell.style, cell.number_format, quoted), content))
        parts.append("</row>")
    parts.append("</sheetData>")
    return "".join(parts)
