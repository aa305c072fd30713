"""What an answer is made of, in no format: tables, lists and lines. The terminal and Markdown both print these."""

from __future__ import annotations

from dataclasses import dataclass


class Cell(str):
    """A text with a meaning: good, look, bad, strong or soft. A terminal may colour it; the words stand alone."""

    mark: str

    def __new__(cls, content: str, mark: str = "") -> Cell:
        cell = super().__new__(cls, content)
        cell.mark = mark
        return cell


@dataclass(frozen=True)
class Table:
    """Rows under a head. `right` names the columns of figures, `flexible` those that wrap when space is short."""

    title: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right: frozenset[int] = frozenset()
    flexible: tuple[int, ...] = (0,)
    note: str = ""


@dataclass(frozen=True)
class Bars:
    """Parts of a whole, largest first: name, printed figure, share of the limit (0..1)."""

    title: str
    rows: tuple[tuple[str, str, float], ...]
    note: str = ""


@dataclass(frozen=True)
class Lines:
    """Sentences, one a line. `bullets` sets a dash before each; `running` lets short entries share lines."""

    title: str
    lines: tuple[str, ...]
    bullets: bool = True
    running: bool = False


Block = Table | Bars | Lines


@dataclass(frozen=True)
class Answer:
    """The whole answer: title, the request in a sentence, then blocks."""

    title: str
    sentence: str
    blocks: tuple[Block, ...]
    footer: str = ""
