"""The grid: rows are quantities in dependency order, columns are cases, trials or candidate layouts.

A formula of the grid is the same along its row. Its text is emitted once as a template and filled with each column's
letter; its values are computed once over arrays, a number a column. Both come from the one expression of the row.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from reportgen.formula import Expression, Formula, FormulaError, Symbol, evaluate, symbols_of
from reportgen.formula.as_excel import excel_formula
from reportgen.workbook.calculate import COMPUTING_ERRORS, failed, plain
from reportgen.workbook.cells import Cell, Live, Sheet
from reportgen.workbook.limits import check_formula, clean_text
from reportgen.workbook.references import (
    ALONG_ROW,
    BOTH,
    FREE,
    CellRef,
    RangeRef,
    absolute_text,
    column_letter,
    column_number,
    key_of,
)

COLUMN = "\x00"  # in a template: the letter of the cell's own column
SLOT = "\x01"  # in a template: a reference that differs from column to column

Outer = Callable[[str], Any]  # name -> Symbol, a list of symbols (one a column), or None when it does not know the name


class Own:
    """A parameter that the grid has as a row: read in the cell's own column."""

    def __init__(self, row: int):
        self.row = row


class Each:
    """A parameter that stands outside the grid, in another place for each column."""

    def __init__(self, keys: list):
        self.keys = keys

    def same_column(self, columns: Sequence[int]) -> str | None:
        """Text after the column letter when each key is the cell of the same column in one row of a sheet."""
        first = self.keys[0]
        if not isinstance(first, CellRef) or first.anchor:
            return None
        for key, column in zip(self.keys, columns, strict=True):
            if not isinstance(key, CellRef) or key[:2] != first[:2] or key.column != column:
                return None
        return str(first.row)


class Grid:
    """Writes rows of quantities over the columns of a sheet."""

    def __init__(self, sheet: Sheet, first_row: int, columns: Sequence[int | str], outer: Outer | None = None):
        self.sheet = sheet
        self.columns = [column_number(column) for column in columns]
        self.next_row = first_row
        self.outer = outer or (lambda name: None)
        self.rows: dict[str, int] = {}
        self.live: dict[int, RowFormula] = {}
        self._outside: dict[str, Any] = {}  # what names stand for, found once

    def add(
        self,
        name: str,
        content: Any,
        style: str | Sequence[str] = "formula",
        number_format: str = "",
        row: int | None = None,
        follow: int | None = None,
    ) -> int:
        """Write the next row (or a given one) and return its number.

        content: a Formula or an expression over names of quantities, one for all columns; or one constant for all; or a
        list with a Formula, a constant or an expression over cells for each column.
        follow: only this column has the content, the others repeat its cell.
        """
        row = self.next_row if row is None else row
        self.next_row = row + 1
        if name in self.rows:
            raise FormulaError(f"the grid on {self.sheet.key} has two rows named {name}")
        if follow is None and isinstance(content, (Formula, Expression)):
            self._write_one_formula(name, row, content, style, number_format)
            self.rows[name] = row
            return row
        contents = list(content) if isinstance(content, (list, tuple)) else [content] * len(self.columns)
        if follow is not None:
            leader = self.sheet.ref(row, self.columns[follow], ALONG_ROW)
            contents = [item if index == follow else leader for index, item in enumerate(contents)]
        styles = [style] * len(self.columns) if isinstance(style, str) else list(style)
        self._write(name, row, contents, styles, number_format, whole=content)
        self.rows[name] = row
        return row

    def _write_one_formula(
        self, name: str, row: int, content: Formula | Expression, style: str | Sequence[str], number_format: str
    ) -> None:
        """The same formula in every column."""
        tree = content.expression if isinstance(content, Formula) else content
        styles = [style] * len(self.columns) if isinstance(style, str) else style
        if not isinstance(tree, Expression):
            for column, own in zip(self.columns, styles, strict=True):
                self.sheet.put(row, column, tree, own, number_format)
            return
        live = self.live[row] = RowFormula(self, name, row, tree)
        live.indexes = list(range(len(self.columns)))
        live.cells = [Cell(live, own, number_format) for own in styles]
        self.sheet.cells.update(zip(((row, column) for column in self.columns), live.cells, strict=True))

    def _write(self, name: str, row: int, contents: list, styles: list[str], number_format: str, whole: Any) -> None:
        formulas: dict[int, RowFormula] = {}
        for index, (column, item, style) in enumerate(zip(self.columns, contents, styles, strict=True)):
            tree = item.expression if isinstance(item, Formula) else item
            if not isinstance(tree, Expression) or (tree is item and item is not whole):
                self.sheet.put(row, column, tree, style, number_format)
                continue
            live = formulas.get(id(item))
            if live is None:
                live = formulas[id(item)] = RowFormula(self, name, row, tree)
            cell = self.sheet.cells[row, column] = Cell(live, style, number_format)
            live.indexes.append(index)
            live.cells.append(cell)
        for live in formulas.values():
            live.whole = len(live.indexes) == len(self.columns)
            if live.whole:
                self.live[row] = live

    def operand(self, user: str, key: Any) -> Any:
        """What a parameter stands for: a row of the grid first, then whatever the outside knows under the name."""
        if not isinstance(key, str):
            return key
        if key in self.rows:
            return Own(self.rows[key])
        known = self._outside.get(key)
        if known is None:
            known = self._outside[key] = self._found_outside(user, key)
        return known

    def _found_outside(self, user: str, key: str) -> Any:
        found = self.outer(key)
        if found is None:
            near = difflib.get_close_matches(key, self.rows, n=3, cutoff=0.6)
            hint = f"; rows like it: {', '.join(near)}" if near else ""
            raise FormulaError(f"row {user} on {self.sheet.key} needs {key}, which stands nowhere{hint}")
        if isinstance(found, (list, tuple)):
            keys = [key_of(item) for item in found]
            return keys[0] if all(item == keys[0] for item in keys) else Each(keys)
        return key_of(found)

    def ref(self, name: str, index: int, anchor: str = "") -> Symbol:
        """The cell of a quantity in the index-th column."""
        return Symbol(CellRef(self.sheet.key, self.rows[name], self.columns[index], anchor))

    def each(self, name: str) -> list[Symbol] | None:
        """The cells of a quantity, one a column: the outside of another grid with as many columns."""
        return [self.ref(name, index) for index in range(len(self.columns))] if name in self.rows else None

    def fixed(self, index: int) -> Outer:
        """The outside of another grid that reads one column of this one."""
        return lambda name: self.ref(name, index, BOTH) if name in self.rows else None

    def range(self, name: str) -> Symbol:
        """All cells of a quantity; the columns of the grid must be neighbours."""
        row = self.rows[name]
        return Symbol(RangeRef(self.sheet.key, row, self.columns[0], row, self.columns[-1]))

    def array(self, row: int, indexes: list[int] | None = None) -> np.ndarray:
        """Settled values of a row (of some columns): floats, or objects where a column holds a text or truth value."""
        live = self.live.get(row)
        if live is not None:
            return live.values if indexes is None else live.values[indexes]
        columns = self.columns if indexes is None else [self.columns[index] for index in indexes]
        return as_array([self.sheet.cells[row, column].value for column in columns])


def first_of(*outsides: Outer) -> Outer:
    """The outside that asks several in turn."""

    def found(name: str) -> Any:
        return next((answer for outside in outsides if (answer := outside(name)) is not None), None)

    return found


def from_mapping(symbols: Mapping[str, Any]) -> Outer:
    """The outside given by a mapping of names to symbols or lists of symbols."""
    return symbols.get


def as_array(values: list) -> np.ndarray:
    """Floats where all are numbers, otherwise objects."""
    numeric = all(type(value) is float for value in values)
    return np.array(values, dtype=float if numeric else object)


class RowFormula(Live):
    """One formula along a row of a grid."""

    def __init__(self, grid: Grid, name: str, row: int, tree: Expression):
        self.grid = grid
        self.name = name
        self.row = row
        self.tree = tree
        self.indexes: list[int] = []  # of the grid's columns that hold the formula
        self.cells: list[Cell] = []
        self.whole = True  # all columns hold it
        self.values: np.ndarray = np.array([])

    def __str__(self) -> str:
        return f"{self.grid.sheet.key}!{self.row} ({self.name})"

    @cached_property
    def operands(self) -> dict[Any, Any]:
        """What each symbol of the tree stands for; found when the book is settled, so grids may read each other."""
        return {key: self.grid.operand(self.name, key) for key in symbols_of(self.tree)}

    def needs(self) -> Iterable[Any]:
        """Keys of the cells, ranges and names that the row reads."""
        sheet = self.grid.sheet.key
        for operand in self.operands.values():
            if isinstance(operand, Own):
                indexes = self.indexes[:1] if operand.row in self.grid.live else self.indexes
                yield from (CellRef(sheet, operand.row, self.grid.columns[index]) for index in indexes)
            elif isinstance(operand, Each):
                yield from (operand.keys[index] for index in self.indexes)
            else:
                yield operand

    def expression_at(self, index: int) -> Expression:
        """The tree of one column, over cells: what the formula text of that cell says."""
        return _replaced(self.tree, lambda key: Symbol(self._key_at(key, index)))

    def _key_at(self, key: Any, index: int) -> Any:
        operand = self.operands[key]
        if isinstance(operand, Own):
            return CellRef(self.grid.sheet.key, operand.row, self.grid.columns[index], FREE)
        return operand.keys[index] if isinstance(operand, Each) else operand

    def compute(self, value_of: Callable[[Any], Any]) -> None:
        """Fill the values of the row: at once over arrays where all is numbers, column by column otherwise."""
        results = self._at_once(value_of)
        if results is None:
            results = [self._value_at(index, value_of) for index in self.indexes]
        for cell, result in zip(self.cells, results, strict=True):
            cell.value = result
        self.values = as_array(results)

    def _at_once(self, value_of: Callable[[Any], Any]) -> list | None:
        arrays = {key: self._array_of(operand, value_of) for key, operand in self.operands.items()}
        if any(array is None for array in arrays.values()):
            return None
        try:
            with np.errstate(divide="raise", invalid="raise", over="raise"):
                result = evaluate(self.tree, arrays.__getitem__)
        except COMPUTING_ERRORS:  # perhaps in a branch that no column takes
            return None
        if not isinstance(result, np.ndarray) or result.ndim == 0:
            return [plain(result)] * len(self.cells)
        results = result.tolist()
        return results if result.dtype.kind in "fb" else [plain(item) for item in results]

    def _array_of(self, operand: Any, value_of: Callable[[Any], Any]) -> Any:
        """An array over the columns, a single value or a range; None when only column by column will do."""
        if isinstance(operand, Own):
            array = self.grid.array(operand.row, None if self.whole else self.indexes)
            return array if array.dtype == float else None
        if not isinstance(operand, Each):
            return value_of(operand)
        values = [value_of(operand.keys[index]) for index in self.indexes]
        return np.array(values) if all(type(value) is float for value in values) else None

    def _value_at(self, index: int, value_of: Callable[[Any], Any]) -> Any:
        try:
            return plain(evaluate(self.tree, lambda key: value_of(self._key_at(key, index))))
        except FormulaError as error:
            raise FormulaError(f"{self}, column {column_letter(self.grid.columns[index])}: {error}") from None
        except COMPUTING_ERRORS as error:
            raise failed(f"{self}, column {column_letter(self.grid.columns[index])}", self.tree, error) from None

    def emit(self, prefixes: Mapping[str, str]) -> None:
        """Fill the formula text of every cell from one template."""
        slots: list[list[str]] = []
        template = excel_formula(self.tree, lambda key: self._template_text(self.operands[key], prefixes, slots))
        pieces = clean_template(template).split(COLUMN)
        for index, cell in zip(self.indexes, self.cells, strict=True):
            text = column_letter(self.grid.columns[index]).join(pieces)
            for number, texts in enumerate(slots):
                text = text.replace(f"{SLOT}{number}{SLOT}", texts[index])
            cell.formula = text
        check_formula(max((cell.formula for cell in self.cells), key=len))

    def _template_text(self, operand: Any, prefixes: Mapping[str, str], slots: list[list[str]]) -> str:
        sheet = self.grid.sheet.key
        if isinstance(operand, Own):
            return f"{COLUMN}{operand.row}"
        if isinstance(operand, str):
            return operand
        if not isinstance(operand, Each):
            return absolute_text(operand, prefixes, sheet)
        row = operand.same_column(self.grid.columns)
        if row is not None:
            first = operand.keys[0]
            return f"{'' if first.sheet == sheet else prefixes[first.sheet]}{COLUMN}{row}"
        slots.append([key if isinstance(key, str) else absolute_text(key, prefixes, sheet) for key in operand.keys])
        return f"{SLOT}{len(slots) - 1}{SLOT}"


def clean_template(template: str) -> str:
    """The template without refused characters in its texts; its own marks stay."""
    if template.replace(COLUMN, "").replace(SLOT, "").isprintable():
        return template
    return COLUMN.join(SLOT.join(map(clean_text, part.split(SLOT))) for part in template.split(COLUMN))


def _replaced(node: Any, symbol_of: Callable[[Any], Symbol]) -> Any:
    if isinstance(node, Symbol):
        return symbol_of(node.key)
    if isinstance(node, Expression):
        return Expression(node.operation, tuple(_replaced(argument, symbol_of) for argument in node.arguments))
    return node
