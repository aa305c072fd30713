"""Values and formula texts of a planned workbook, read from the same expressions. Circles and errors name the cell."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from reportgen.formula import MISSING, Expression, FormulaError, Symbol, evaluate, symbols_of
from reportgen.formula.as_excel import excel_formula
from reportgen.workbook.cells import Book, Cell, Live, constant_value
from reportgen.workbook.limits import check_formula, clean_text
from reportgen.workbook.references import CellRef, reference_text

COMPUTING_ERRORS = (ArithmeticError, ValueError, TypeError, IndexError, KeyError)


def settle(book: Book) -> Book:
    """Fill the value and the formula text of every cell from its content; call again after a change."""
    Values(book).settle()
    _emit(book)
    return book


def plain(value: Any) -> Any:
    """A result as a cell holds it: plain Python, finite; missing stays NaN."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        if math.isinf(value):
            raise FormulaError("the result is infinite")
        return value
    if isinstance(value, (bool, str)):
        return value
    if isinstance(value, int):
        return float(value)
    raise FormulaError(f"the result is {type(value).__name__}, not a number, text or truth value")


def failed(where: Any, content: Any, error: Exception) -> FormulaError:
    """The error of a cell that cannot be computed."""
    return FormulaError(f"{where}: {error or type(error).__name__} in {str(content)[:200]}")


class Values:
    """Evaluates a book: every cell after the cells it reads, whole rows of a grid at once."""

    def __init__(self, book: Book):
        self.sheets = {key: sheet.cells for key, sheet in book.sheets.items()}
        self.names = book.names
        self.done: set = set()
        self._ranges: dict[Any, list] = {}
        self._range_nodes: dict[Any, list] = {}
        self._needs: dict[Any, list] = {}

    def settle(self) -> None:
        """Give every cell its value."""
        nodes: dict = {}
        for key, cells in self.sheets.items():
            for (row, column), cell in cells.items():
                content = cell.content
                if isinstance(content, Live):
                    nodes[content] = None
                elif isinstance(content, Expression):
                    nodes[CellRef(key, row, column)] = None
                else:
                    cell.value = constant_value(content)
        for node in nodes:
            if node not in self.done:
                self._settle(node)

    def value_of(self, key: Any) -> Any:
        """Value of a cell, or list of the values of a range."""
        if type(key) is str:
            key = self._named(key)
        if type(key) is not CellRef:
            return self._range(key)
        cell = self._cell(key)
        if cell is None or cell.value is None:
            raise FormulaError(f"{key} is blank; write a value or the dash of missing")
        return cell.value

    def _named(self, name: str) -> Any:
        if name not in self.names:
            raise FormulaError(f"no cell is named {name}")
        return self.names[name]

    def _cell(self, key: Any) -> Cell | None:
        if key.sheet not in self.sheets:
            raise FormulaError(f"no sheet has the key {key.sheet!r}")
        return self.sheets[key.sheet].get((key.row, key.column))

    def _range(self, key: Any) -> list:
        known = self._ranges.get(key)
        if known is None:
            known = [self.value_of(CellRef(key.sheet, row, column)) for row, column in key.positions()]
            self._ranges[key] = known
        return known

    def _settle(self, start: Any) -> None:
        trail, opened = [start], set()
        while trail:
            node = trail[-1]
            if node in self.done:
                trail.pop()
                continue
            waiting = [other for other in self._nodes_needed(node) if other not in self.done]
            if not waiting:
                self._compute(node)
                self.done.add(node)
                opened.discard(node)
                trail.pop()
                continue
            opened.add(node)
            for other in waiting:
                if other in opened:
                    raise FormulaError(f"cells depend on each other in a circle: {_circle(trail, opened, other)}")
            trail.extend(waiting)

    def _compute(self, node: Any) -> None:
        if isinstance(node, Live):
            node.compute(self.value_of)
            return
        cell = self.sheets[node.sheet][node.row, node.column]
        try:
            cell.value = plain(evaluate(cell.content, self.value_of))
        except FormulaError as error:
            raise FormulaError(f"{node}: {error}") from None
        except COMPUTING_ERRORS as error:
            raise failed(node, cell.content, error) from None

    def _nodes_needed(self, node: Any) -> list:
        found = self._needs.get(node)
        if found is None:
            keys = node.needs() if isinstance(node, Live) else self._symbols(node)
            found = []
            for key in keys:
                found.extend(self._nodes_behind(key))
            self._needs[node] = found
        return found

    def _symbols(self, node: CellRef) -> list:
        content = self.sheets[node.sheet][node.row, node.column].content
        return [content.key] if isinstance(content, Symbol) else symbols_of(content)

    def _nodes_behind(self, key: Any) -> list:
        key = self._named(key) if isinstance(key, str) else key
        if isinstance(key, CellRef):
            node = self._node(key)
            return [] if node is None else [node]
        known = self._range_nodes.get(key)
        if known is None:
            cells = (CellRef(key.sheet, row, column) for row, column in key.positions())
            known = list(dict.fromkeys(node for node in map(self._node, cells) if node is not None))
            self._range_nodes[key] = known
        return known

    def _node(self, key: CellRef) -> Any:
        cell = self._cell(key)
        if cell is None or not isinstance(cell.content, (Expression, Live)):
            return None
        return cell.content if isinstance(cell.content, Live) else CellRef(key.sheet, key.row, key.column)


def _circle(trail: list, opened: set, closing: Any) -> str:
    around = [node for node in trail[trail.index(closing) :] if node in opened]
    return " -> ".join(str(node) for node in [*around, closing])


def _emit(book: Book) -> None:
    prefixes = book.prefixes
    rows: dict = {}
    for key, sheet in book.sheets.items():
        for (row, column), cell in sheet.cells.items():
            content = cell.content
            if isinstance(content, Live):
                rows[content] = None
            elif isinstance(content, Expression):
                cell.formula = formula_text(content, prefixes, CellRef(key, row, column))
            else:
                cell.formula = ""
    for row in rows:
        row.emit(prefixes)


def formula_text(content: Expression, prefixes: dict[str, str], here: CellRef) -> str:
    """The formula of one cell, starting with =."""
    if isinstance(content, Symbol):
        return "=" + reference_text(content.key, prefixes, here)
    try:
        text = clean_text(excel_formula(content, lambda key: reference_text(key, prefixes, here)))
        check_formula(text)
    except FormulaError as error:
        raise FormulaError(f"{here}: {error}") from None
    return text


def is_missing(value: Any) -> bool:
    """True for the missing value of a cell."""
    return value is MISSING or (isinstance(value, float) and value != value)
