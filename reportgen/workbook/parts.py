"""What a sheet carries besides cells: tables, drop-downs, conditional formats, charts, the printed page."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, eq=False)
class Table:
    """A real table over header and data rows. Filter buttons only where the list is long."""

    name: str
    row: int  # of the header
    column: int
    last_row: int
    last_column: int

    MIN_ROWS_FOR_FILTER = 12

    @property
    def filtered(self) -> bool:
        """Whether the header carries filter buttons."""
        return self.last_row - self.row >= self.MIN_ROWS_FOR_FILTER


@dataclass(frozen=True, eq=False)
class Validation:
    """What may be typed into cells: a list (a range, by symbol or name) or a number between two limits."""

    cells: tuple[tuple[int, int], ...]
    source: Any = None  # of a list
    low: float | None = None
    high: float | None = None
    whole: bool = False
    title: str = ""
    prompt: str = ""
    error: str = ""


@dataclass(frozen=True, eq=False)
class ConditionalFormat:
    """A look for cells where a condition holds, written for the first cell: an expression, or text without the =."""

    row: int
    column: int
    last_row: int
    last_column: int
    condition: Any
    ink: str = ""
    fill: str = ""
    bold: bool = False
    rule_above: str = ""  # colour of a line above
    stop: bool = False


@dataclass(frozen=True, eq=False)
class Series:
    """Values of a chart with the cell that names them."""

    values: Any  # a range
    name: Any  # a cell
    colour: str
    label_ink: str = ""  # colour of the value on the bar; empty: no label
    dash: str = "solid"
    marker: str = ""
    outlined: bool = False
    along: Any = None  # a range: where the values of a chart of points stand on its horizontal axis


@dataclass(frozen=True, eq=False)
class Chart:
    """Bars, lines or points over planned ranges; sizes in centimetres."""

    kind: str  # bars, stacked bars, lines, points
    title: str
    categories: Any
    series: tuple[Series, ...]
    width: float
    height: float
    value_title: str = ""
    category_title: str = ""
    value_format: str = "#,##0"
    label_format: str = ""
    legend: bool = True
    minimum: float | None = None
    maximum: float | None = None
    row: int = 1  # of the upper left corner
    column: int = 1


@dataclass
class Page:
    """How a sheet prints: A4, as many pages wide as it says, unless a scale is given."""

    portrait: bool = False
    title_rows: tuple[int, int] | None = None
    title_columns: tuple[int, int] | None = None
    last_column: int | None = None  # of the print area; None: all that is filled
    first_row: int = 1
    last_row: int | None = None  # of the print area; None: all that is filled
    parts: list[tuple[int, int]] = field(default_factory=list)  # first and last rows that stay on one page if they fit
    row_breaks: list[int] = field(default_factory=list)  # after these rows
    column_breaks: list[int] = field(default_factory=list)
    pages_wide: int = 1
    scale: int | None = None  # percent; None: fit to the width
    footer_left: str = ""  # in place of the title of the document
    header_left: str = ""
    header_right: str = ""
    centred: bool = False
