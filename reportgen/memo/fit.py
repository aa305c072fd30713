"""Two pages: what gives way, in which order, when a case needs more room.

A memo is first laid out whole. If a page overflows, parts are dropped in the order below until they free what is
missing, by their heights; a second round mends what was reckoned short. Type is never set smaller.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import ceil

from reportgen.memo.chart_schema import LoadChart, MemoryChart, RangeChart, TimelineChart, TornadoChart
from reportgen.memo.context_schema import SECTIONS, Figure, Memo
from reportgen.memo.faces import text_width

MANY = 99
BODY = 394.0  # points across the column beside the heads
DECISION = 468.0  # points across the decision
LONG_DECISION, MANY_OPTIONS, MANY_RISKS = 5, 6, 4  # lines and rows from which a page is nearly full


@dataclass(frozen=True)
class Fit:
    """How much of each part is shown. The first layout shows everything."""

    memory_rows: int = MANY
    range_rows: int = MANY
    subtitle: bool = True
    why: int = MANY
    symbols: bool = True
    groups: int = MANY
    load: bool = True
    dense: bool = False
    dense_later: bool = False
    options: int = MANY
    risks: int = MANY
    tornado: int = MANY
    tasks: int = MANY
    more: bool = True
    cost_lines: int = MANY
    flow: bool = False  # page two follows page one without a break: the last resort


@dataclass(frozen=True)
class Step:
    """One part that may give way: in which section, how many points it frees in this memo, and the change."""

    section: str
    saving: Callable[[Memo, Fit], float]
    change: dict


def _lines(text: str, width: float, size: float) -> int:
    """About how many lines a text takes."""
    return max(1, ceil(text_width(text, size) * 1.04 / width))


def _charts(memo: Memo, kind: type) -> list:
    return [figure.chart for figure in memo.size.figures if isinstance(figure.chart, kind)]


def _rows_over(rows: Callable[[Memo], int], height: float, name: str, keep: int) -> Callable[[Memo, Fit], float]:
    """Points freed by showing only `keep` rows of a part that is now limited by the field `name`."""
    return lambda memo, fit: max(0, min(rows(memo), getattr(fit, name)) - keep) * height


def _longest(memo: Memo, kind: type) -> int:
    return max((len(chart.rows) for chart in _charts(memo, kind)), default=0)


def _tasks(memo: Memo) -> int:
    timeline = memo.conditions.timeline
    return len(timeline.rows) if isinstance(timeline, TimelineChart) else 0


def _tornado(keep: int) -> Callable[[Memo, Fit], float]:
    """Fewer bars free room only while the chart is taller than the sentences beside it."""

    def saving(memo: Memo, fit: Fit) -> float:
        figure = memo.confidence.figure
        if not figure or not isinstance(figure.chart, TornadoChart):
            return 0.0
        rows = min(len(figure.chart.rows), fit.tornado)
        words = sum(_lines(line, 140, 8.2) * 12.2 + 4 for line in memo.confidence.lines)
        return max(0.0, min(max(rows - keep, 0) * 14.5, 33 + rows * 14.5 - words))

    return saving


def _risks(keep: int) -> Callable[[Memo, Fit], float]:
    def saving(memo: Memo, fit: Fit) -> float:
        gone = memo.risks[keep : min(len(memo.risks), fit.risks)]
        return sum(4.8 + 10.2 * max(_lines(risk.risk, 96, 7.6), _lines(risk.effect, 77, 7.6),
                                    _lines(risk.measure, 116, 7.6)) for risk in gone)  # fmt: skip

    return saving


def _paragraphs(texts: Callable[[Memo], tuple[str, ...]], name: str, size: float) -> Callable[[Memo, Fit], float]:
    """Points freed by keeping only the first paragraph of a part."""

    def saving(memo: Memo, fit: Fit) -> float:
        gone = texts(memo)[1 : min(len(texts(memo)), getattr(fit, name))]
        return sum(_lines(text, BODY, size) * size * 1.45 + 4 for text in gone)

    return saving


STEPS = (
    Step("size", _rows_over(lambda memo: _longest(memo, MemoryChart), 17.5, "memory_rows", 3), {"memory_rows": 3}),
    Step("size", _rows_over(lambda memo: _longest(memo, RangeChart), 13.5, "range_rows", 3), {"range_rows": 3}),
    Step("decision", lambda memo, fit: 0.0 if fit.dense else 12.0, {"dense": True}),
    Step("size", _rows_over(lambda memo: _longest(memo, MemoryChart), 17.5, "memory_rows", 2), {"memory_rows": 2}),
    Step("size", _rows_over(lambda memo: _longest(memo, RangeChart), 13.5, "range_rows", 2), {"range_rows": 2}),
    Step("size", lambda memo, fit: 12.0 if fit.symbols and any(f.symbols for f in memo.size.figures) else 0.0,
         {"symbols": False}),
    Step("decision", lambda memo, fit: 18.0 if fit.subtitle and memo.title.sub else 0.0, {"subtitle": False}),
    Step("why", _paragraphs(lambda memo: memo.why, "why", 9.1), {"why": 1}),
    Step("needs", _rows_over(lambda memo: len(memo.needs.groups), 15.0, "groups", 6), {"groups": 6}),
    Step("size", _rows_over(lambda memo: _longest(memo, RangeChart), 13.5, "range_rows", 1), {"range_rows": 1}),
    Step("size", _rows_over(lambda memo: _longest(memo, MemoryChart), 17.5, "memory_rows", 1), {"memory_rows": 1}),
    Step("size", lambda memo, fit: 100.0 if fit.load and _charts(memo, LoadChart) else 0.0, {"load": False}),
    Step("approval", lambda memo, fit: 0.0 if fit.dense_later else 26.0, {"dense_later": True}),
    Step("options", _rows_over(lambda memo: len(memo.options.rows), 16.0, "options", 7), {"options": 7}),
    Step("risks", _risks(4), {"risks": 4}),
    Step("conditions", _rows_over(_tasks, 11.4, "tasks", 6), {"tasks": 6}),
    Step("confidence", _tornado(4), {"tornado": 4}),
    Step("options", _rows_over(lambda memo: len(memo.options.rows), 16.0, "options", 6), {"options": 6}),
    Step("cost", _paragraphs(lambda memo: memo.cost.lines, "cost_lines", 8.2), {"cost_lines": 1}),
    Step("risks", _risks(3), {"risks": 3}),
    Step("confidence", lambda memo, fit: 84.0 if fit.more and memo.confidence.more else 0.0, {"more": False}),
    Step("conditions", _rows_over(_tasks, 11.4, "tasks", 5), {"tasks": 5}),
    Step("confidence", _tornado(3), {"tornado": 3}),
)  # fmt: skip


def first_fit(memo: Memo) -> Fit:
    """Closer lines from the start where much is said: a second layout would cost as much as the first."""
    decision = sum(_lines(text, DECISION, 10.4) for text in memo.decision)
    later = len(memo.options.rows) >= MANY_OPTIONS and (len(memo.risks) >= MANY_RISKS or bool(memo.confidence.more))
    return Fit(dense=decision >= LONG_DECISION, dense_later=later)


def tightened(fit: Fit, memo: Memo, missing: tuple[float, float], spare: float = 3.0) -> tuple[Fit, float]:
    """The first parts in order whose heights cover what is missing (points on page one and two), and what page one
    will lack all the same."""
    lacking = []
    for sections, needed in zip(SECTIONS[memo.document.style], missing, strict=True):
        freed = 0.0
        for step in STEPS:
            if needed <= 0 or freed >= needed + spare:
                break
            saving = step.saving(memo, fit) if step.section in sections else 0.0
            if saving > 0:
                fit, freed = replace(fit, **step.change), freed + saving
        lacking.append(max(needed - freed, 0.0))
    return fit, lacking[0]


def shown_figures(figures: tuple[Figure, ...], fit: Fit) -> tuple[Figure, ...]:
    """The figures of section 4 with as many rows as there is room for; the requested size always stays."""
    kept = [figure for figure in figures if fit.load or not isinstance(figure.chart, LoadChart)]
    return tuple(fitted(figure, fit) for figure in kept)


def fitted(figure: Figure | None, fit: Fit) -> Figure | None:
    """A figure with fewer rows; without any row it is dropped, if its chart was all it had."""
    chart = figure.chart if figure else None
    if isinstance(chart, MemoryChart):
        if len(chart.rows) > fit.memory_rows:
            last = chart.rows[-1:] if fit.memory_rows > 1 else ()
            chart = replace(chart, rows=(*chart.rows[: max(fit.memory_rows - 1, 1)], *last))
        return replace(figure, chart=chart)
    if isinstance(chart, RangeChart):
        return replace(figure, chart=replace(chart, rows=_around_chosen(chart.rows, fit.range_rows)))
    if isinstance(chart, TornadoChart):
        if not chart.rows:
            return replace(figure, chart=None) if figure.formula else None
        return replace(figure, chart=replace(chart, rows=chart.rows[: fit.tornado]))
    return figure


def _around_chosen(rows: tuple, count: int) -> tuple:
    """So many rows, the chosen one and those before it first."""
    if len(rows) <= count:
        return rows
    chosen = next((index for index, row in enumerate(rows) if row.chosen), 0)
    start = max(0, min(chosen - count + 1, len(rows) - count))
    return rows[start : start + count]


def shown_tasks(timeline: TimelineChart, fit: Fit) -> TimelineChart:
    """The timeline with so many tasks: the requested work and the last ones stay, earlier ones give way."""
    if not isinstance(timeline, TimelineChart) or len(timeline.rows) <= fit.tasks:
        return timeline
    drop = len(timeline.rows) - fit.tasks
    free = [index for index, row in enumerate(timeline.rows) if not row.chosen][1 : 1 + drop]
    return replace(timeline, rows=tuple(row for index, row in enumerate(timeline.rows) if index not in free))
