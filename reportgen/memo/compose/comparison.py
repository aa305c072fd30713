"""Several requests on one page: the answer in a sentence, cost against time, the table, what differs and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from reportgen.evaluation.compare import Comparison as Compared
from reportgen.evaluation.compare import Verdict, comparable_cost, compare
from reportgen.evaluation.result import Result
from reportgen.memo.chart_schema import ScatterChart, ScatterNamed
from reportgen.memo.compose.case import Case
from reportgen.memo.compose.comparison_differences import differences, differences_note
from reportgen.memo.compose.comparison_words import advice, clause, title_sentence, wins
from reportgen.memo.compose.head import long_date
from reportgen.memo.compose.scales import MoneyScale, TimeScale
from reportgen.memo.compose.voice import Voice
from reportgen.memo.context_schema import Comparison, Document, Field, Figure, Title
from reportgen.memo.table_schema import Cell, Column, Row, Table

MOST = 6


@dataclass(frozen=True)
class Entry:
    """One of the compared requests that is printed."""

    letter: str
    case: Case
    verdict: Verdict

    @cached_property
    def cost(self) -> float:
        """What is asked for; NaN while it does not compare."""
        return comparable_cost(self.case.result)

    @property
    def partly(self) -> bool:
        """Whether lines are missing from the cost."""
        return self.case.open_lines > 0

    @cached_property
    def days(self) -> float:
        """How long the work takes; NaN for a service."""
        case = self.case
        return case.value("batch_hours") / 24 if case.kind == "batch" else case.value("training_days")


@dataclass(frozen=True)
class Table6:
    """The printed entries and the words they share."""

    compared: Compared
    entries: tuple[Entry, ...]
    voice: Voice

    @property
    def first(self) -> Entry:
        """What the others are held against."""
        return self.entries[0]

    @property
    def timed(self) -> bool:
        """Whether one quantity of time stands for all."""
        return all(entry.days == entry.days for entry in self.entries)

    @cached_property
    def time(self) -> TimeScale:
        """One unit of time for all, fine enough for the shortest."""
        scale = self.first.case.time
        shortest = min((scale.scaled(entry.days) for entry in self.entries if entry.days == entry.days), default=1.0)
        return scale if shortest >= 0.1 else replace(scale, decimals=2)

    @cached_property
    def money(self) -> MoneyScale:
        """One unit of money for all."""
        return MoneyScale.for_totals(self.voice, [entry.cost for entry in self.entries])

    @cached_property
    def best(self) -> Entry | None:
        """The cheapest of those that can run; with no prices the first that can."""
        able = [entry for entry in self.entries if entry.verdict.runs]
        priced = [entry for entry in able if entry.cost == entry.cost]
        if len(priced) == len(able) and priced:
            return min(priced, key=lambda entry: entry.cost)
        return able[0] if len(able) == 1 else None


def compose_comparison(given: Compared | Sequence[Result]) -> Comparison:
    """The page of a comparison, in the language of its first result."""
    compared = given if isinstance(given, Compared) else compare(given)
    view = _view(compared)
    inputs, results = differences(view)
    return Comparison(
        document=_document(view),
        title=Title(main=title_sentence(view), sub=_subject(view)),
        advice=advice(view),
        figure=_scatter(view),
        wins=wins(view),
        scenarios=_table(view),
        letters=tuple(entry.letter for entry in view.entries),
        inputs=inputs,
        results=results,
        differences_note=differences_note(view, inputs, results),
    )


def _view(compared: Compared) -> Table6:
    """The first request and those that come out best, in the order given."""
    language = compared.results[0].facts.language
    every = [
        Entry(letter, Case(result, language), verdict)
        for letter, result, verdict in zip(compared.letters, compared.results, compared.verdicts, strict=True)
    ]
    ranked = sorted(every[1:], key=lambda entry: (not entry.verdict.on_front, entry.verdict.rank or len(every) + 1))
    kept = {every[0].letter, *(entry.letter for entry in ranked[: MOST - 1])}
    return Table6(compared, tuple(entry for entry in every if entry.letter in kept), every[0].case.voice)


def _document(view: Table6) -> Document:
    voice, facts = view.voice, view.first.case.facts
    names = [entry.case.facts.title for entry in view.entries]
    ids = voice.say(
        "comparison_ids", parts=voice.joined([f"{entry.letter} {entry.case.result.id}" for entry in view.entries])
    )
    return Document(
        title=title_sentence(view),
        subject=voice.say("comparison_subject", titles=voice.joined(names)),
        short=title_sentence(view),
        identity=voice.say("identity_mark").join((ids, voice.say("identity_tool", tool=view.first.case.result.tool))),
        head=(
            Field(name=voice.say("head_to")),
            Field(name=voice.say("head_from"), value=facts.requester),
            Field(name=voice.say("head_date"), value=long_date(view.first.case, facts.date)),
            Field(name=voice.say("head_reference"), value=facts.reference),
        ),
    )


def _subject(view: Table6) -> str:
    """What all have in common, where it is one title or one model."""
    titles = {entry.case.facts.title for entry in view.entries}
    models = {entry.case.facts.model_name for entry in view.entries}
    if len(titles) == 1:
        return titles.pop()
    if len(models) == 1:
        return view.voice.say("comparison_model", model=models.pop(), n=len(view.compared.results))
    return view.voice.say("comparison_mixed", n=len(view.compared.results))


# ---- the picture -----------------------------------------------------------------------------------------------------
def _scatter(view: Table6) -> Figure | None:
    """Cost against time; nothing unless two requests have both."""
    voice = view.voice
    shown = [
        entry for entry in view.entries if entry.days == entry.days and entry.cost == entry.cost and entry.cost > 0
    ]
    if len(shown) < 2 or not view.timed:
        return None
    time, scale = view.time, view.money
    named = tuple(
        ScatterNamed(
            letter=entry.letter,
            x=time.scaled(entry.days),
            y=entry.cost / scale.divisor,
            name=name(entry),
            text=voice.joined([time.amount(entry.days), money_text(view, entry)]),
            chosen=entry is view.best,
        )
        for entry in shown
    )
    front = sorted((point.x, point.y) for point, entry in zip(named, shown, strict=True) if entry.verdict.on_front)
    limits = {entry.case.deadline for entry in view.entries}
    limit = limits.pop() if len(limits) == 1 else float("nan")
    return Figure(
        caption=_scatter_caption(view, shown),
        chart=ScatterChart(
            named=named,
            front=tuple(front) if len(front) > 1 else (),
            x_text=voice.say("axis_time", unit=time.name),
            y_text=voice.say("axis_money", unit=scale.unit, tax=view.first.case.tax),
            limit=time.scaled(limit) if limit == limit else None,
            limit_text=voice.say("tornado_limit_training", limit=time.limit(limit)) if limit == limit else "",
            alt=voice.say(
                "scatter_alt", rows=voice.joined([f"{point.letter} {point.text}" for point in named], "semicolon")
            ),
        ),
    )


def _scatter_caption(view: Table6, shown: Sequence[Entry]) -> str:
    """Who lies on the front and who does not."""
    voice = view.voice
    front = [entry.letter for entry in shown if entry.verdict.on_front]
    behind = [entry.letter for entry in shown if entry.verdict.runs and not entry.verdict.on_front]
    if not front:
        return voice.say("scatter_caption")
    if not behind:
        return voice.say("scatter_all_front")
    return voice.plural("scatter_front", len(front), front=voice.listed(front), behind=voice.listed(behind))


def name(entry: Entry) -> str:
    """A request by its hardware."""
    return entry.case.voice.opened(entry.case.request_hardware)


def money_text(view: Table6, entry: Entry) -> str:
    """The cost in the shared unit."""
    if entry.cost != entry.cost:
        return view.voice.say("quote_needed")
    text = view.money.text(entry.cost)
    return f"≥ {text}" if entry.partly else text


# ---- the table -------------------------------------------------------------------------------------------------------
def _table(view: Table6) -> Table:
    voice = view.voice
    serving = all(entry.case.kind == "serving" for entry in view.entries)
    speed = ("column_ttft", "column_tpot") if serving else ()
    columns = [Column(name=voice.say("column_scenario"), width=0.3), Column(name=voice.unit("GPUs"), number=True)]
    if view.timed:
        unit = voice.opened(view.time.name)
        columns += [
            Column(name=voice.say("column_median", unit=unit), number=True),
            Column(name=voice.say("column_eight"), number=True),
        ]
    columns += [Column(name=voice.say(key), number=True) for key in speed]
    columns += [
        Column(name=voice.say("axis_money", unit=view.money.unit, tax=view.first.case.tax), number=True),
        Column(name=voice.say("column_it_power"), number=True),
        Column(name=voice.say("column_holds")),
    ]
    rows = tuple(_row(view, entry, serving) for entry in view.entries)
    hidden = len(view.compared.results) - len(view.entries)
    return Table(columns=tuple(columns), rows=rows, note=voice.plural("comparison_hidden", hidden) if hidden else "")


def _row(view: Table6, entry: Entry, serving: bool) -> Row:
    case, voice = entry.case, view.voice
    cells: list[str | Cell] = [
        voice.say("lettered", letter=entry.letter, name=name(entry)),
        voice.number(case.result.gpus),
    ]
    if view.timed:
        key, a_day = ("batch_hours", 24) if case.kind == "batch" else ("training_days", 1)
        low, high = case.ends(key)
        time = view.time
        cells += [time.text(entry.days), f"{time.text(low / a_day)}–{time.text(high / a_day)}" if low == low else "–"]
    if serving:
        cells += [voice.fixed(case.value("ttft_s"), 2), voice.fixed(case.value("tpot_s") * 1000, 0)]
    known = entry.cost == entry.cost
    money = money_text(view, entry)
    cells.append(money if known and not entry.partly else Cell(text=money, mood="open"))
    power = case.value("it_power_kw")
    cells.append("–" if case.rents else voice.number(power, "kW"))
    holds = entry.verdict.runs
    cells.append(Cell(text=clause(entry), mood="" if holds else "open"))
    return Row(cells=tuple(cells), kind="chosen" if entry is view.best else "")
