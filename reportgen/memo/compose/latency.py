"""The time to the first token and the time of each next one, each in its parts, against their objectives."""

from __future__ import annotations

from reportgen.memo.chart_schema import LatencyChart, LatencyPart, LatencyRow
from reportgen.memo.compose.case import Case
from reportgen.memo.compose.head import seconds
from reportgen.memo.compose.memory_figure import apportioned
from reportgen.memo.context_schema import Figure

NARROW = 0.08  # share of the objective below which a figure does not fit into its bar


def latency_figure(case: Case) -> Figure | None:
    """Both latencies at the peak; nothing without objectives."""
    if not case.known("ttft_objective_s") or not case.known("ttft_s") or not case.known("wait_s"):
        return None
    voice = case.voice
    rows = (_first(case), _next(case))
    return Figure(
        caption=_caption(case),
        unit=voice.say("latency_unit_spare" if case.value("spare_nodes") > 0 else "latency_unit"),
        chart=LatencyChart(
            rows=rows,
            alt=voice.say(
                "latency_alt",
                first=rows[0].total_text,
                first_limit=rows[0].objective_text,
                next=rows[1].total_text,
                next_limit=rows[1].objective_text,
            ),
        ),
    )


def _caption(case: Case) -> str:
    """Waiting or reading, whichever is the larger part of the first token."""
    wait, read = case.value("wait_s"), case.value("prefill_s")
    return case.voice.say("latency_waiting" if wait > read else "latency_reading")


def _first(case: Case) -> LatencyRow:
    """Waiting and reading are named; what is left of the whole is fixed: front end and steps under way."""
    wait, read = case.value("wait_s"), case.value("prefill_s")
    fixed = case.value("ttft_s") - wait - read
    parts = (("part_fixed", fixed), ("part_waiting", wait), ("part_reading", read))
    share = case.voice.number(case.value("ttft_percentile") * 100)
    note = case.voice.say("first_token_note", share=share)
    return _row(case, "first_token", note, "ttft_s", parts, "ttft_objective_s", 1.0, 2)


def _next(case: Case) -> LatencyRow:
    """The step itself, and what is left of the whole: prompts of others between two steps."""
    whole, step = case.value("tpot_s"), case.value("decode_step_at_peak_s")
    parts = (("part_step", step), ("part_others", whole - step)) if step < whole else (("part_step", whole),)
    return _row(case, "next_token", case.voice.say("next_token_note"), "tpot_s", parts, "tpot_objective_s", 1000.0, 0)


def _row(
    case: Case, label: str, note: str, key: str, parts: tuple, objective_key: str, factor: float, decimals: int
) -> LatencyRow:
    voice = case.voice
    total, objective = case.value(key), case.value(objective_key)
    low, high = case.ends(key)
    unit = voice.say("milliseconds" if factor == 1000 else "seconds", n="{}")
    printed = apportioned([value * factor for _, value in parts], total * factor, decimals)
    texts = [voice.fixed(value, decimals) for value in printed]
    drawn = tuple(
        _part(voice, name, value * factor, text, value < NARROW * objective)
        for (name, value), text in zip(parts, texts, strict=True)
    )
    band = "–".join(voice.fixed(end * factor, decimals) for end in (low, high)) if low == low else ""
    return LatencyRow(
        label=voice.say(label),
        note=note,
        parts=drawn,
        total=total * factor,
        total_text=unit.format(voice.fixed(total * factor, decimals)),
        low=(low if low == low else total) * factor,
        high=(high if high == high else total) * factor,
        band_text=unit.format(band) if band else "",
        objective=objective * factor,
        objective_text=voice.say("objective", time=seconds(case, objective)),
        missed=total > objective,
    )


def _part(voice, name: str, value: float, text: str, narrow: bool) -> LatencyPart:
    """A part with its figure inside, or beside its name where the bar is too narrow."""
    word = voice.say(name)
    return LatencyPart(value=value, name=f"{word} {text}" if narrow else word, text="" if narrow else text)
