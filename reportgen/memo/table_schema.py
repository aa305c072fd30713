"""Tables of a memo whose columns depend on the job, and the sums below a list."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Mood = Literal["", "strong", "quiet", "open"]


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A cell that is more than a text: a grey line below, a mood (`open` = rust and bold), or a bar of 0 to 1."""

    text: str = ""
    below: str = ""
    mood: Mood = ""
    bar: float | None = None
    chosen: bool = False  # of the bar


@dataclass(frozen=True, kw_only=True)
class Column:
    """Head of a column. Numbers stand right, unbroken, with equal decimals. `width` is a share of the table (0 to 1);
    left out, widths follow the content."""

    name: str = ""
    number: bool = False
    mood: Mood = ""
    width: float | None = None


@dataclass(frozen=True, kw_only=True)
class Row:
    """`chosen` is the requested option, `sum` and `total` close a list, `group` opens one with a rule above."""

    cells: tuple[str | Cell, ...]
    kind: Literal["", "chosen", "sum", "total", "group"] = ""


@dataclass(frozen=True, kw_only=True)
class Table:
    """Any table of the memo."""

    columns: tuple[Column, ...]
    rows: tuple[Row, ...]
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Line:
    """A named sum below a list: what it is, how it is reckoned, its amount as printed. The last one is the total."""

    name: str
    how: str = ""
    amount: str
    open: bool = False
