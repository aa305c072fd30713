"""4 How the size follows, for training: memory against capacity, then days against the deadline."""

from __future__ import annotations

from reportgen.memo.chart_schema import RangeChart, RangeRow
from reportgen.memo.compose.case import Case, LayoutRow
from reportgen.memo.compose.decision import quantile_text
from reportgen.memo.compose.derivation import Derivation, figure_text
from reportgen.memo.compose.memory_figure import MOST_ROWS, memory_figure
from reportgen.memo.compose.scales import TimeScale
from reportgen.memo.context_schema import Figure, Size

DAYS_THROUGH = (
    "run_days",
    "run_seconds",
    "calendar_factor",
    "tokens_per_second",
    "tokens_per_second_per_gpu",
    "seconds_per_token_per_gpu",
)


def training_size(case: Case) -> Size:
    """The claim from what the search proves, then both pictures."""
    claim, text = _claim(case)
    return Size(claim=claim, text=text, figures=(_memory(case), _days(case)))


# ---- which limit governs ---------------------------------------------------------------------------------------------
def best_by_count(case: Case) -> dict[float, LayoutRow]:
    """For each number of nodes the best layout that could run: accepted first, then by memory, then by days."""
    found: dict[float, LayoutRow] = {}
    for row in case.layouts:
        if not row.divides and not row.chosen:
            continue
        other = found.get(row["nodes"])
        if other is None or _rank(row) < _rank(other):
            found[row["nodes"]] = row
    return dict(sorted(found.items()))


def _rank(row: LayoutRow) -> tuple:
    return (not row.chosen, not row.accepted, not row.fits, row["training_days"])


def _below(case: Case) -> LayoutRow | None:
    """The layout with one node less, if the search lists one that could run."""
    return best_by_count(case).get(case.chosen_row["nodes"] - 1)


def comparable(case: Case, row: LayoutRow) -> bool:
    """Whether the days of a layout say something of its size: it recomputes no more than the requested one."""
    return row["full_recomputation"] <= case.chosen_row["full_recomputation"]


def _claim(case: Case) -> tuple[str, str]:
    """What governs the size, said only as far as the search goes."""
    voice = case.voice
    nodes = voice.count(case.chosen_row["nodes"], "nodes")
    considered = voice.say("considered", n=voice.number(case.block.considered), accelerator=case.accelerator())
    if not case.feasible:
        return voice.say("claim_nothing"), voice.say(
            "claim_nothing_text", considered=voice.number(case.block.considered)
        )
    if case.fixed_count:
        return _claim_fixed(case), considered
    below = _below(case)
    fewer = voice.count(case.chosen_row["nodes"] - 1, "nodes")
    if case.chosen_row["nodes"] <= 1:
        return voice.say("claim_one"), considered
    if below is None or below.accepted:
        return voice.say(
            "claim_both" if case.deadline == case.deadline else "claim_smallest", nodes=nodes, fewer=fewer
        ), considered
    if not below.fits:
        return voice.say(
            "claim_memory", nodes=nodes, fewer=fewer, needed=voice.amount(below["memory_per_gpu_gib"], "GiB")
        ), considered
    if not comparable(case, below):
        return voice.say("claim_both", nodes=nodes, fewer=fewer), considered
    late = case.time.amount(_days_to_compare(case, below))
    return voice.say("claim_deadline", nodes=nodes, fewer=fewer, time=late, quantile=quantile_text(case)), considered


def _claim_fixed(case: Case) -> str:
    voice = case.voice
    gpus = voice.count(case.value("gpus"), "gpus")
    if case.deadline == case.deadline:
        return voice.say(
            "claim_given_deadline",
            gpus=gpus,
            quantile=quantile_text(case),
            time=case.time.amount(case.value("days_to_deadline")),
        )
    return voice.say("claim_given", gpus=gpus)


def _days_to_compare(case: Case, row: LayoutRow) -> float:
    """Days of a layout as sure as the deadline asks."""
    chosen = case.value("training_days")
    certain = case.value("days_to_deadline")
    ratio = certain / chosen if certain == certain and chosen else row["training_days_p90"] / row["training_days"]
    return row["training_days"] * ratio


# ---- memory ----------------------------------------------------------------------------------------------------------
def _memory(case: Case) -> Figure:
    rows = _memory_rows(case)
    return memory_figure(case, rows, _memory_caption(case, rows))


def _memory_rows(case: Case) -> list[tuple[str, LayoutRow]]:
    """The requested layout, then a larger and the nearest smaller size; other layouts where the size is given."""
    chosen = case.chosen_row
    by_count = best_by_count(case)
    counts = [count for count in by_count if count != chosen["nodes"]]
    if not case.feasible:
        return [(size_name(case, chosen), chosen)]
    if not counts:
        return [(_layout_name(case, chosen), chosen), *_other_layouts(case)]
    larger = [count for count in counts if count > chosen["nodes"]][:1]
    telling = [count for count in counts if not by_count[count].fits or comparable(case, by_count[count])]
    smaller = [count for count in telling if count < chosen["nodes"]][-1:]
    shown = [chosen["nodes"], *larger, *smaller][:MOST_ROWS]
    return [(size_name(case, by_count[count]), by_count[count]) for count in shown]


def size_name(case: Case, row: LayoutRow) -> str:
    """A size in servers; in GPUs where cards are counted."""
    if case.workstation or case.fixed_count:
        return case.voice.count(row["gpus"], "gpus")
    return case.voice.count(row["nodes"], "nodes")


def _other_layouts(case: Case) -> list[tuple[str, LayoutRow]]:
    """With a given size: the leanest layout beside the requested one."""
    chosen = case.chosen_row
    others = [row for row in case.layouts if not row.chosen and row.divides]
    leanest = min(others, key=lambda row: row["memory_per_gpu_gib"], default=None)
    if leanest is None or leanest["memory_per_gpu_gib"] >= chosen["memory_per_gpu_gib"]:
        return []
    return [(_layout_name(case, leanest), leanest)]


def _layout_name(case: Case, row: LayoutRow) -> str:
    """ "TP 8 × PP 1, ZeRO 3", and that something waits in host memory."""
    voice = case.voice
    return voice.say(
        "layout_name_on_host" if row["offload_level"] else "layout_name",
        t=voice.number(row["tensor_parallel"]),
        p=voice.number(row["pipeline_parallel"]),
        z=voice.number(row["zero_stage"]),
    )


def _memory_caption(case: Case, rows: list[tuple[str, LayoutRow]]) -> str:
    voice = case.voice
    chosen = case.chosen_row
    used, usable = voice.number(chosen["memory_per_gpu_gib"], "GiB"), voice.number(chosen["memory_usable_gib"], "GiB")
    over = [label for label, row in rows if not row.fits and not row.chosen]
    if not chosen.fits:
        return voice.say("memory_over", used=used, usable=usable)
    free = voice.number(chosen["memory_usable_gib"] - chosen["memory_per_gpu_gib"], "GiB")
    if over:
        return voice.say("memory_caption_over", used=used, usable=usable, free=free, over=voice.listed(over))
    return voice.say("memory_caption", used=used, usable=usable, free=free)


# ---- days ------------------------------------------------------------------------------------------------------------
def _days(case: Case) -> Figure:
    voice = case.voice
    derivation = Derivation(case)
    through = ("run_days", *DAYS_THROUGH)
    formula = derivation.product("training_days", through) if derivation.has("training_days") else None
    if formula and case.time != TimeScale(voice, "days", 1.0):
        formula = [*formula[:-1], *_in_scale(case)]
    used = derivation.product_symbols("training_days", through) if formula else []
    rows = tuple(_range_row(case, row) for row in _range_layouts(case))
    limit = case.deadline == case.deadline
    scaled = case.time.scaled(case.deadline)
    return Figure(
        caption=voice.say("days_caption", time=case.time.amount(case.value("training_days"))),
        unit=voice.say("p10_median_p90"),
        formula=formula,
        symbols=symbol_line(case, derivation, used),
        chart=RangeChart(
            rows=rows,
            unit=case.time.name,
            limit=scaled if limit else None,
            limit_text=voice.say("deadline") if limit else "",
            limit_value_text=case.time.limit(case.deadline) if limit else "",
            alt=_range_alt(case, rows),
        ),
    )


def _in_scale(case: Case) -> list:
    """The days of the formula, and what they are in the unit of the memo."""
    days, time = case.value("training_days"), case.time
    if time.unit == "days":
        return [{"result": f"{time.text(days)} [{time.name}]"}]
    return [f"{figure_text(days)} [{case.voice.say('time_days')}] = ", {"result": f"{time.text(days)} [{time.name}]"}]


def symbol_line(case: Case, derivation: Derivation, names: list[str]) -> str:
    """What the symbols of a formula mean, in one line."""
    voice = case.voice
    shown = [name for name in names if case.raw(name) is not None]
    parts = [
        voice.say("symbol_is", symbol=_with_script(derivation.symbol(name)), name=voice.lowered(voice.label(name)))
        for name in shown
    ]
    return voice.say("symbols", parts=voice.joined(parts, "semicolon")) if parts else ""


def _with_script(symbol: str) -> str:
    """A symbol as running text marks its subscript: t_pip as t_{pip}."""
    letter, mark, script = symbol.partition("_")
    return f"{letter}_{{{script}}}" if mark else letter


def _range_layouts(case: Case) -> list[LayoutRow]:
    """One size less, the requested one, one more; as far as the search lists them."""
    chosen = case.chosen_row
    by_count = best_by_count(case)
    if not case.feasible:
        return [chosen]
    telling = {count: row for count, row in by_count.items() if row.fits and comparable(case, row)}
    smaller = [row for count, row in telling.items() if count < chosen["nodes"]][-1:]
    larger = [row for count, row in telling.items() if count > chosen["nodes"]][: MOST_ROWS - 1 - len(smaller)]
    return [*smaller, chosen, *larger]


def _range_row(case: Case, row: LayoutRow) -> RangeRow:
    time = case.time
    middle, high = row["training_days"], row["training_days_p90"]
    if case.facts.deadline_for == "run":
        middle, high = middle / case.runs, high / case.runs
    low = middle * middle / high if high else middle
    late = case.deadline == case.deadline and not row["in_time"]
    return RangeRow(
        label=size_name(case, row),
        low=time.scaled(low),
        middle=time.scaled(middle),
        high=time.scaled(high),
        low_text=time.text(low),
        middle_text=time.text(middle),
        high_text=time.text(high),
        note=_verdict(case, row, middle, late),
        chosen=row.chosen,
        late=late,
    )


def _verdict(case: Case, row: LayoutRow, middle: float, late: bool) -> str:
    voice = case.voice
    if not row.fits:
        return voice.say("verdict_memory")
    if case.deadline != case.deadline:
        return voice.say("verdict_requested") if row.chosen else ""
    if late:
        return voice.say("verdict_late" if middle > case.deadline else "verdict_late_bad")
    return voice.say("verdict_smallest" if row.chosen and not case.fixed_count else "verdict_holds")


def _range_alt(case: Case, rows: tuple[RangeRow, ...]) -> str:
    voice = case.voice
    parts = [voice.say("range_alt_row", label=row.label, low=row.low_text, high=row.high_text) for row in rows]
    return voice.say("range_alt", rows=voice.joined(parts), unit=case.time.name)
