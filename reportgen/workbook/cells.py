"""The plan of a workbook: sheets of cells, each a constant or an expression over other cells. Knows nothing of files.

A symbol inside an expression stands for a cell (`CellRef`), a range (`RangeRef`) or a defined name. The text of the
formula and the value beside it are two readings of that one expression.
"""

from __future__ import annotations

import datetime
import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from reportgen.formula import MISSING, Expression, FormulaError, Symbol
from reportgen.workbook import limits
from reportgen.workbook.parts import Chart, ConditionalFormat, Page, Table, Validation
from reportgen.workbook.references import CellRef, RangeRef, column_number, key_of, sheet_prefix

DASH = "–"  # how a missing value stands in a cell
FIRST_DAY = datetime.date(1899, 12, 30)  # day 0 of spreadsheets


class Cell:
    """One cell. Settling the book fills `value` and `formula`; a missing value is NaN and shows as a dash."""

    __slots__ = ("content", "style", "number_format", "link", "value", "formula")

    def __init__(self, content: Any, style: str = "text", number_format: str = "", link: Any = None):
        self.content = content
        self.style = style
        self.number_format = number_format
        self.link = link  # a cell of the book, or an https address
        self.value: Any = None
        self.formula = ""

    @property
    def live(self) -> bool:
        """Whether the cell holds a formula."""
        return isinstance(self.content, (Expression, Live))


class Live(ABC):
    """Content that a row of cells shares: one formula with its own text and value in each of them (see grid.py)."""

    @abstractmethod
    def needs(self) -> Iterable[Any]:
        """Keys of the cells, ranges and names that the row reads."""

    @abstractmethod
    def compute(self, value_of: Callable[[Any], Any]) -> None:
        """Fill the value of every cell of the row."""

    @abstractmethod
    def emit(self, prefixes: Mapping[str, str]) -> None:
        """Fill the formula text of every cell of the row."""


def constant(content: Any) -> Any:
    """A constant as cells hold it: plain Python, text without refused characters, the dash for missing."""
    if isinstance(content, np.generic):
        content = content.item()
    if content is None or isinstance(content, (bool, int, datetime.date)):
        return content
    if isinstance(content, str):
        return limits.clean_text(content)
    if isinstance(content, float):
        if math.isinf(content):
            raise FormulaError("a cell cannot hold an infinite number")
        return DASH if content != content else float(content)
    raise FormulaError(f"a cell cannot hold {type(content).__name__}: {content!r}")


def constant_value(content: Any) -> Any:
    """What a formula reads from a constant cell: numbers as floats, days as their serial, the dash as missing."""
    if isinstance(content, bool) or content is None:
        return content
    if isinstance(content, str):
        return MISSING if content == DASH else content
    if isinstance(content, datetime.date):
        return float((content - FIRST_DAY).days)
    return float(content)


class Sheet:
    """A sheet: cells by row and column, and what lies around them."""

    def __init__(self, key: str, title: str):
        self.key = key
        self.title = title
        self.cells: dict[tuple[int, int], Cell] = {}
        self.widths: dict[int, float] = {}
        self.heights: dict[int, float] = {}
        self.tables: list[Table] = []
        self.validations: list[Validation] = []
        self.conditional_formats: list[ConditionalFormat] = []
        self.charts: list[Chart] = []
        self.page = Page()
        self.freeze: tuple[int, int] | None = None  # the first cell that scrolls
        self.zoom = 90
        self.tab = ""  # colour
        self.protected = True

    def put(
        self, row: int, column: int | str, content: Any, style: str = "text", number_format: str = "", link: Any = None
    ) -> Symbol:
        """Fill a cell and return the symbol that stands for it."""
        column = column_number(column)
        limits.check_position(row, column)
        there = self.cells.get((row, column))
        if there is not None and isinstance(there.content, Live):
            raise FormulaError(f"{CellRef(self.key, row, column)} belongs to the row formula {there.content}")
        if not isinstance(content, (Expression, Live)):
            content = constant(content)
        self.cells[row, column] = Cell(content, style, number_format, link)
        return Symbol(CellRef(self.key, row, column))

    def put_row(self, row: int, column: int | str, contents: list, style: str = "text") -> None:
        """Fill neighbours along a row with one style."""
        first = column_number(column)
        for offset, content in enumerate(contents):
            self.put(row, first + offset, content, style)

    def ref(self, row: int, column: int | str, anchor: str = "") -> Symbol:
        """The symbol of a cell, for any function of formulas."""
        return Symbol(CellRef(self.key, row, column_number(column), anchor))

    def range(self, row: int, column: int | str, last_row: int, last_column: int | str, anchor: str = "") -> Symbol:
        """The symbol of a rectangle."""
        return Symbol(RangeRef(self.key, row, column_number(column), last_row, column_number(last_column), anchor))

    def set_widths(self, widths: list[float], first_column: int = 1) -> None:
        """Widths of neighbouring columns, in characters."""
        for offset, width in enumerate(widths):
            self.widths[first_column + offset] = width

    def table(self, name: str, row: int, column: int | str, headers: list[str], last_row: int) -> Table:
        """Write a header row and declare the table under it. Headers are unique texts."""
        first = column_number(column)
        if len({header.casefold() for header in headers}) != len(headers) or not all(headers):
            raise FormulaError(f"table {name}: headers must be filled and unique: {headers}")
        limits.check_name(name)
        self.put_row(row, first, headers, "head")
        declared = Table(name, row, first, last_row, first + len(headers) - 1)
        self.tables.append(declared)
        return declared

    @property
    def size(self) -> tuple[int, int]:
        """Last row and last column that are filled."""
        if not self.cells:
            return 1, 1
        return max(row for row, _ in self.cells), max(column for _, column in self.cells)


@dataclass
class Properties:
    """What the document says about itself."""

    title: str = ""
    subject: str = ""
    description: str = ""
    keywords: str = ""
    version: str = ""
    scenario_id: str = ""
    date: datetime.date = datetime.date(2000, 1, 1)
    footer_left: str = ""
    footer_page: str = "Page &P of &N"
    custom: dict[str, str] = field(default_factory=dict)


class Book:
    """Sheets in order, defined names, document properties, one language."""

    def __init__(self, language: str = "en", properties: Properties | None = None):
        self.language = language
        self.properties = properties or Properties()
        self.sheets: dict[str, Sheet] = {}
        self.names: dict[str, CellRef | RangeRef] = {}
        self._taken: set[str] = set()

    def add_sheet(self, key: str, title: str) -> Sheet:
        """A new sheet at the end. The key is the same in every language, the title is what people see."""
        limits.check_title(title, [sheet.title for sheet in self.sheets.values()])
        if key in self.sheets:
            raise FormulaError(f"sheet {key!r} exists")
        self.sheets[key] = Sheet(key, title)
        return self.sheets[key]

    def __getitem__(self, key: str) -> Sheet:
        return self.sheets[key]

    def name(self, name: str, reference: Any) -> Symbol:
        """Give a cell or range a defined name and return the symbol of the name."""
        limits.check_name(name)
        if name.casefold() in self._taken:
            raise FormulaError(f"name {name!r} is given twice")
        self._taken.add(name.casefold())
        self.names[name] = key_of(reference)
        return Symbol(name)

    @property
    def prefixes(self) -> dict[str, str]:
        """Key of a sheet -> its title as formulas write it, with the exclamation mark."""
        return {key: sheet_prefix(sheet.title) for key, sheet in self.sheets.items()}

    def cell(self, reference: Any) -> Cell | None:
        """The cell behind a symbol, a reference or a name; None when it is blank."""
        key = key_of(reference)
        key = self.names[key] if isinstance(key, str) else key
        return self.sheets[key.sheet].cells.get((key.row, key.column))

    def value(self, reference: Any) -> Any:
        """The settled value of a cell."""
        cell = self.cell(reference)
        return None if cell is None else cell.value
