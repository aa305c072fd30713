"""What a memo is made of: the contract between the composer (result -> these records) and the templates.

All words are already in the memo's language; the templates and `catalog/wording/<language>/memo.yaml` add only fixed
words (section names, column heads, form labels). A `str` may hold `**bold**`, `^9` (a superscript) and plain
characters; spaces, no-break spaces and Chinese punctuation are set by `polish`. Charts get raw numbers to draw and
printed texts to show: both in the same unit. `()` or `""` means "nothing to say": the part is left out, or a ruled
blank is printed where only a person knows the answer (purpose, risks, consequences, approvals).

Charts, tables and appendices stand in `chart_schema`, `table_schema`, `appendix_schema`.

Limits are what fits two pages without giving anything up. More is allowed: `fit.py` then drops parts in a fixed order.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from typing import Literal

from reportgen.memo.appendix_schema import Appendices
from reportgen.memo.chart_schema import Chart, Mathematics
from reportgen.memo.table_schema import Line, Table

Style = Literal["memo", "feasibility", "allocation"]


# ---- the head --------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class Field:
    """A named entry of the head or of a form. An empty value prints a ruled blank."""

    name: str
    value: str = ""


@dataclass(frozen=True, kw_only=True)
class Document:
    """What stands on every page and in the properties of the file."""

    title: str  # of the file, plain text, any length
    subject: str = ""  # one line for the properties of the file
    short: str  # running head from page 2 on, about 60 characters
    identity: str  # footer: reference, version, scenario id; the workbook shows the same
    head: tuple[Field, ...] = ()  # to, from, date, reference, decision by: at most 5
    notice: str = ""  # framed in the head, such as a draft or an illustrative case; seldom
    style: Style = "memo"


@dataclass(frozen=True, kw_only=True)
class Title:
    """The request in one sentence (two lines, about 110 characters; longer is set smaller) and what it is for."""

    main: str
    sub: str = ""


@dataclass(frozen=True, kw_only=True)
class KeyFigure:
    """One of the four figures under the decision: `64` `GPUs`, a bold line, a grey note of at most two lines."""

    value: str
    unit: str = ""
    name: str
    note: str = ""
    open: bool = False  # the value is "quote needed" or misses a limit: rust


@dataclass(frozen=True, kw_only=True)
class Figure:
    """A conclusion in bold, the unit in grey, then a formula, a line of symbols, a chart: each optional."""

    caption: str = ""
    unit: str = ""
    formula: Mathematics = None
    symbols: str = ""
    chart: Chart | None = None
    note: str = ""


# ---- the sections ---------------------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class NeedGroup:
    """Lines of the hardware list that are bought for one purpose. `amount` draws the bar; None = no price known."""

    name: str
    content: str
    amount: float | None
    text: str  # "14,560", "quote needed", "at least 1,210"
    open: bool = False


@dataclass(frozen=True, kw_only=True)
class Needs:
    """3 What is needed, on page one: groups only, whatever the length of the list. At most 6 groups, largest first."""

    unit: str  # "Thousand CNY", head of the amounts
    lines: int  # how many lines the whole list has
    groups: tuple[NeedGroup, ...]
    sums: tuple[Line, ...] = ()
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Size:
    """4 How the size follows: the claim in bold, a sentence, and one to three figures."""

    claim: str
    text: str = ""
    figures: tuple[Figure, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Cost:
    """5 What it costs over time: a table (last row the total), a chart beside it, sentences below."""

    table: Table | None = None
    figure: Figure | None = None
    lines: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Option:
    """A way that was weighed. `open` counts the cell (from 0) that is printed as an open point."""

    name: str
    cells: tuple[str, ...]  # under Options.columns; "–" where it does not apply
    reason: str  # verdict and reason, about 40 characters
    chosen: bool = False
    open: int | None = None
    keep: bool = False  # never dropped for want of room: existing equipment, doing nothing


@dataclass(frozen=True, kw_only=True)
class Options:
    """6 Alternatives, the requested one first; existing equipment and doing nothing always among them. At most 7."""

    columns: tuple[str, ...]  # heads between "Option" and "Verdict and reason", all numbers
    rows: tuple[Option, ...]
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Confidence:
    """7 How sure, and what would change the answer: a tornado with sentences beside it, then any further figure."""

    figure: Figure | None = None
    lines: tuple[str, ...] = ()  # at most 3, each opens with its point in bold
    more: tuple[Figure, ...] = ()  # the latency split of a serving job


@dataclass(frozen=True, kw_only=True)
class Risk:
    """8 A risk raised by a named rule. The owner is a person: mostly blank."""

    risk: str
    likely: str = ""
    effect: str = ""
    measure: str = ""
    owner: str = ""


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """9 What must be ready (room, power, cooling, network, people: at most 5) and when."""

    cells: tuple[Field, ...] = ()
    timeline: Chart | None = None
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Approval:
    """11 Boxes to sign. Left empty, the boxes and choices of the wording file are printed."""

    boxes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Memo:
    """A resource request: two pages, then appendices. Order and numbers of sections come from the style."""

    document: Document
    title: Title
    decision: tuple[str, ...]  # at most 3 sentences
    figures: tuple[KeyFigure, ...]  # 4
    why: tuple[str, ...] = ()  # at most 4 lines of print; () = ruled lines for a person
    needs: Needs
    size: Size
    cost: Cost
    options: Options
    confidence: Confidence
    risks: tuple[Risk, ...] = ()  # at most 5; () = ruled rows
    conditions: Conditions
    otherwise: tuple[str, ...] = ()  # () = ruled lines
    approval: Approval = Approval()
    appendices: Appendices


# ---- comparison ------------------------------------------------------------------------------------------------------
@dataclass(frozen=True, kw_only=True)
class Win:
    """When this scenario is the right one."""

    letter: str
    name: str  # "wins if 14 days are firm"
    text: str
    chosen: bool = False


@dataclass(frozen=True, kw_only=True)
class Difference:
    """A quantity that differs: one value a scenario, and because of what."""

    name: str
    values: tuple[str, ...]
    unit: str = ""
    because: str = ""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """Several scenarios on one page. At most 6 are printed; the title is the answer in one sentence."""

    document: Document
    title: Title
    advice: tuple[str, ...]
    figure: Figure | None = None  # a ScatterChart
    wins: tuple[Win, ...] = ()
    scenarios: Table  # first column the letter and name
    all_scenarios: Table | None = None  # on screen instead, where rows are sorted and filtered; any number of rows
    letters: tuple[str, ...]  # heads of the values in the differences
    inputs: tuple[Difference, ...] = ()
    results: tuple[Difference, ...] = ()
    differences_note: str = ""  # what is equal in all


# ---- order -----------------------------------------------------------------------------------------------------------
SECTIONS: dict[str, tuple[tuple[str, ...], ...]] = {
    "memo": (
        ("decision", "figures", "why", "needs", "size"),
        ("cost", "options", "confidence", "risks", "conditions", "otherwise", "approval"),
    ),
    "feasibility": (
        ("decision", "figures", "why", "size", "needs"),
        ("options", "conditions", "cost", "confidence", "otherwise", "risks", "approval"),
    ),
    "allocation": (
        ("decision", "figures", "why", "size", "confidence"),
        ("needs", "cost", "options", "conditions", "risks", "otherwise", "approval"),
    ),
}
"""Sections of each style, page by page. `figures` has no head and so no number."""

APPENDICES = tuple(field.name for field in fields(Appendices))


def section_number(style: str, section: str) -> int:
    """The number of a section, so that a sentence can point to it: section_number("memo", "otherwise") == 10."""
    numbered = [name for page in SECTIONS[style] for name in page if name != "figures"]
    return numbered.index(section) + 1


def appendix_letter(present: Appendices | Iterable[str], appendix: str) -> str:
    """The letter of an appendix among those present, so that a sentence can point to it."""
    if isinstance(present, Appendices):
        present = [name for name in APPENDICES if getattr(present, name) is not None]
    names = [name for name in APPENDICES if name in set(present)]
    return "ABCDEFGHI"[names.index(appendix)]
