"""Where a formula computes with a missing value that it does not guard: Python says missing, a spreadsheet #VALUE!."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reportgen.formula import Expression, Symbol
from reportgen.formula.operations import NUMBER
from reportgen.workbook.calculate import Values
from reportgen.workbook.cells import Book
from reportgen.workbook.grid import RowFormula
from reportgen.workbook.references import CellRef

TAKE_MISSING = {"is_known", "total", "text"}


def _evaluated(node: Any, value_of: Callable[[Any], Any], found: list[str]) -> Any:
    if isinstance(node, Symbol):
        return value_of(node.key)
    if not isinstance(node, Expression):
        return float(node) if isinstance(node, float) else node
    if node.operation == "where":
        condition, if_true, if_false = node.arguments
        taken = if_true if _evaluated(condition, value_of, found) else if_false
        return _evaluated(taken, value_of, found)
    values = [_evaluated(argument, value_of, found) for argument in node.arguments]
    if node.operation not in TAKE_MISSING and any(isinstance(value, float) and value != value for value in values):
        found.append(f"{node.operation} of a missing value in {node!r}")
        return float("nan")
    return NUMBER[node.operation](*values)


def unguarded(book: Book) -> list[str]:
    """Every cell of a settled book that computes with a missing value, with the operation."""
    value_of, faults = Values(book).value_of, []
    for key, sheet in book.sheets.items():
        for (row, column), cell in sheet.cells.items():
            if not cell.live:
                continue
            content = cell.content
            if isinstance(content, RowFormula):
                content = content.expression_at(content.grid.columns.index(column))
            found: list[str] = []
            _evaluated(content, value_of, found)
            faults.extend(f"{CellRef(key, row, column)}: {fault}" for fault in found)
    return faults
