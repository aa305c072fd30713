"""The charts of a memo: raw numbers to draw, printed texts to show, both in the same unit.

Every chart carries `alt`, one plain sentence that says what is seen. Limits (rows, parts) are what looks calm; more is
drawn all the same. Colour is chosen by the templates: the requested option, a limit, all others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

Mathematics = Any
"""A text ("T = 6 P D_x ÷ S", `[days]` upright words, `~` a thin space), a list of parts, or one of {"frac": [above,
below]}, {"result": part}, {"text": "words"}, {"root": part}. What `reportgen.formula.as_math` makes is one of these."""


@dataclass(frozen=True, kw_only=True)
class Segment:
    """One part of a stacked bar: raw length and the figure printed inside it."""

    value: float
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class MemoryRow:
    """One way to lay out the job. `over` = does not fit."""

    label: str  # "8 nodes"
    segments: tuple[Segment, ...]  # in the order of MemoryChart.parts
    total: str  # "63.8 GiB"
    free: str = ""  # "16.2 free", printed behind the bar
    chosen: bool = False
    over: bool = False


@dataclass(frozen=True, kw_only=True)
class MemoryChart:
    """Memory of one GPU by component against its capacity; all numbers in GiB. At most 5 parts and 3 rows; the first
    row is the requested one and carries the part names."""

    kind: ClassVar[str] = "memory"
    parts: tuple[str, ...]
    rows: tuple[MemoryRow, ...]
    capacity: float
    capacity_text: str  # "80 GiB"
    limit: float | None = None  # the planning limit below it
    limit_text: str = ""
    alt: str


@dataclass(frozen=True, kw_only=True)
class RangeRow:
    """P10, median, P90 of one size. `late` = the high end misses the limit."""

    label: str
    low: float
    middle: float
    high: float
    low_text: str
    middle_text: str
    high_text: str
    note: str = ""  # the verdict at the right, three or four words
    chosen: bool = False
    late: bool = False


@dataclass(frozen=True, kw_only=True)
class RangeChart:
    """Ranges, mostly of days, against an optional deadline. At most 3 rows, all in `unit`."""

    kind: ClassVar[str] = "ranges"
    rows: tuple[RangeRow, ...]
    unit: str  # after the zero of the axis: "days"
    limit: float | None = None
    limit_text: str = ""  # "deadline"
    limit_value_text: str = ""  # "14", printed on the axis
    alt: str


@dataclass(frozen=True, kw_only=True)
class TornadoRow:
    """One input moved to both its ends; `low` and `high` are the answers there, sorted by span, largest first."""

    label: str  # "Full runs, 3 to 5.5"
    low: float
    high: float
    span: str  # "7.4–13.6"


@dataclass(frozen=True, kw_only=True)
class TornadoChart:
    """What moves the answer most. At most 5 rows; none = the chart is left out."""

    kind: ClassVar[str] = "tornado"
    rows: tuple[TornadoRow, ...]
    base: float
    base_text: str
    limit: float | None = None
    limit_text: str = ""  # "deadline 14"
    unit: str
    alt: str


@dataclass(frozen=True, kw_only=True)
class Bar:
    """One bar; `value=None` has no bar and prints its text in rust ("quote needed")."""

    label: str
    value: float | None
    text: str
    note: str = ""  # rust, behind the bar: "not allowed"
    chosen: bool = False


@dataclass(frozen=True, kw_only=True)
class BarChart:
    """Costs of the ways to get it, in one unit, at most 4 bars, in the order given."""

    kind: ClassVar[str] = "bars"
    rows: tuple[Bar, ...]
    alt: str


@dataclass(frozen=True, kw_only=True)
class Task:
    """One bar of the timeline, in days from the decision."""

    label: str
    start: float
    end: float
    dates: str  # "15–31 Dec"
    chosen: bool = False


@dataclass(frozen=True, kw_only=True)
class Tick:
    """A grid line of the timeline: the day counted from the decision, and its name ("Jan 2027")."""

    day: float
    name: str


@dataclass(frozen=True, kw_only=True)
class TimelineChart:
    """From the decision to the end of the work. At most 6 tasks; ticks too close to print are dropped."""

    kind: ClassVar[str] = "timeline"
    rows: tuple[Task, ...]
    ticks: tuple[Tick, ...]
    start_text: str  # "approval 15 Dec", or "approval" when no date is known
    alt: str


@dataclass(frozen=True, kw_only=True)
class LoadLine:
    """A capacity: `chosen` as requested, `limit` with a node lost, `plain` any other."""

    value: float
    texts: tuple[str, ...]  # one or two short lines at the right
    mood: Literal["chosen", "limit", "plain"]


@dataclass(frozen=True, kw_only=True)
class LoadChart:
    """Load of 24 hours (likely, and at P90) against capacity, in one unit."""

    kind: ClassVar[str] = "load"
    base: tuple[float, ...]
    high: tuple[float, ...] = ()
    lines: tuple[LoadLine, ...]
    axis: tuple[str, ...]  # bold, then one or two grey lines at the left
    peak_text: str  # "peak 25.0"
    high_text: str = ""  # "P90 34.4"
    hour_text: str  # "h"
    alt: str


@dataclass(frozen=True, kw_only=True)
class LatencyPart:
    """One share of a latency: its name above the bar, its figure inside."""

    value: float
    name: str
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class LatencyRow:
    """A latency in its parts against its objective; each row has its own unit, the objectives fall on one line."""

    label: str  # "First token"
    note: str = ""  # "TTFT, p95"
    parts: tuple[LatencyPart, ...]
    total: float
    total_text: str
    low: float
    high: float
    band_text: str
    objective: float
    objective_text: str
    missed: bool = False


@dataclass(frozen=True, kw_only=True)
class LatencyChart:
    """Where the time to the first token and the time of each next one goes. One or two rows."""

    kind: ClassVar[str] = "latency"
    rows: tuple[LatencyRow, ...]
    alt: str


@dataclass(frozen=True, kw_only=True)
class ScatterPoint:
    """A point of a family: one size of one accelerator."""

    x: float
    y: float


@dataclass(frozen=True, kw_only=True)
class ScatterFamily:
    """Points that share an accelerator; the name is placed beside the group."""

    name: str
    points: tuple[ScatterPoint, ...]


@dataclass(frozen=True, kw_only=True)
class ScatterNamed:
    """A compared scenario: its letter in a circle, name and figures beside it."""

    letter: str
    x: float
    y: float
    name: str
    text: str
    chosen: bool = False


@dataclass(frozen=True, kw_only=True)
class ScatterChart:
    """Cost against time. `front` lists the Pareto points from left to right."""

    kind: ClassVar[str] = "scatter"
    named: tuple[ScatterNamed, ...]
    families: tuple[ScatterFamily, ...] = ()
    front: tuple[tuple[float, float], ...] = ()
    x_text: str  # "days, median"
    y_text: str  # "M CNY incl. tax"
    limit: float | None = None  # on x
    limit_text: str = ""
    alt: str


Chart = MemoryChart | RangeChart | TornadoChart | BarChart | TimelineChart | LoadChart | LatencyChart | ScatterChart
