"""Memory of one GPU by component, for the requested size and its neighbours."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.memo.chart_schema import MemoryChart, MemoryRow, Segment
from reportgen.memo.compose.case import Case, LayoutRow
from reportgen.memo.compose.voice import rounded_half_up
from reportgen.memo.context_schema import Figure

TRAINING_PARTS = ("weights", "gradients", "optimizer", "activations", "logits", "temporary", "overhead")
COLUMNS = {name: f"{name}_per_gpu_gib" for name in TRAINING_PARTS} | {
    "key_value_cache": "key_value_cache_per_gpu_gib",
    "activation_reserve": "activation_reserve_gib",
    "runtime_reserve": "runtime_reserve_gib",
}
Grouping = tuple[tuple[str, ...], ...]
TRAINING_GROUPINGS: tuple[Grouping, ...] = (
    (("weights",), ("gradients", "optimizer"), ("activations",), ("logits", "temporary"), ("overhead",)),
    (("weights", "gradients", "optimizer"), ("activations",), ("logits", "temporary"), ("overhead",)),
    (("weights",), ("gradients", "optimizer"), ("activations",), ("logits", "temporary", "overhead")),
    (("weights", "gradients", "optimizer"), ("activations",), ("logits", "temporary", "overhead")),
    (("weights", "gradients", "optimizer"), ("activations", "logits", "temporary"), ("overhead",)),
    (("weights", "gradients", "optimizer"), ("activations", "logits", "temporary", "overhead")),
)
INFERENCE_GROUPINGS: tuple[Grouping, ...] = (
    (("weights",), ("key_value_cache",), ("activation_reserve",), ("runtime_reserve",)),
    (("weights",), ("key_value_cache",), ("activation_reserve", "runtime_reserve")),
    (("weights",), ("key_value_cache", "activation_reserve", "runtime_reserve")),
)
MOST_ROWS = 3


def memory_figure(case: Case, labels: Sequence[tuple[str, LayoutRow]], caption: str) -> Figure:
    """The stacked bars of some layouts, the requested one first, against capacity and planning limit."""
    voice = case.voice
    rows = [row for _, row in labels]
    grouping = _grouping(case, rows)
    names = tuple(voice.say(f"part_{'_'.join(group)}") for group in grouping)
    capacity, usable = case.value("memory_capacity_gib"), case.value("memory_usable_gib")
    bars = tuple(_bar(case, label, row, grouping) for label, row in labels)
    return Figure(
        caption=caption,
        unit=voice.say("gib_a_gpu"),
        chart=MemoryChart(
            parts=names,
            rows=bars,
            capacity=capacity,
            capacity_text=voice.amount(capacity, "GiB"),
            limit=usable if usable < capacity else None,
            limit_text=voice.say("planning_limit", limit=voice.number(usable, "GiB")),
            alt=voice.say(
                "memory_alt",
                rows=voice.joined([voice.say("memory_alt_row", label=bar.label, total=bar.total) for bar in bars]),
            ),
        ),
        note=fit_note(case),
    )


def _values(row: LayoutRow, group: Sequence[str]) -> float:
    known = [row[COLUMNS[name]] for name in group]
    return sum(value for value in known if value == value)


def _grouping(case: Case, rows: Sequence[LayoutRow]) -> Grouping:
    """The finest grouping whose printed parts give the printed total in every row; the first where none does."""
    groupings = TRAINING_GROUPINGS if case.kind == "training" else INFERENCE_GROUPINGS
    return next((each for each in groupings if all(_adds_up(row, each) for row in rows)), groupings[0])


def _adds_up(row: LayoutRow, grouping: Grouping) -> bool:
    printed = sum(rounded_half_up(_values(row, group), 1) for group in grouping)
    return abs(printed - rounded_half_up(row["memory_per_gpu_gib"], 1)) < 0.05


def apportioned(values: Sequence[float], total: float, decimals: int = 1) -> list[float]:
    """Values rounded so that they sum to the rounded total: the largest remainders are rounded up."""
    unit = 10.0**-decimals
    floors = [int(value / unit + 1e-9) for value in values]
    missing = round(rounded_half_up(total, decimals) / unit) - sum(floors)
    order = sorted(range(len(values)), key=lambda index: floors[index] - values[index] / unit)
    for index in order[: max(missing, 0)]:
        floors[index] += 1
    return [count * unit for count in floors]


def _bar(case: Case, label: str, row: LayoutRow, grouping: Grouping) -> MemoryRow:
    voice = case.voice
    values = [_values(row, group) for group in grouping]
    total, capacity = row["memory_per_gpu_gib"], row["memory_capacity_gib"]
    printed = apportioned(values, total)
    usable = row["memory_usable_gib"]
    free = usable - total
    return MemoryRow(
        label=label,
        segments=tuple(
            Segment(value=value, text=voice.fixed(text, 1)) for value, text in zip(values, printed, strict=True)
        ),
        total=voice.amount(total, "GiB"),
        free=voice.say("free", free=voice.number(free, "GiB"))
        if row.chosen and free > 0 and capacity == capacity
        else "",
        chosen=row.chosen,
        over=not row.fits,
    )


def fit_note(case: Case) -> str:
    """How likely it is that memory fits, where that is not nearly certain."""
    share = case.value("memory_fit_probability")
    if not share < 0.9 or not case.chosen_row.fits:
        return ""
    low, high = case.ends("memory_per_gpu_gib")
    return case.voice.say("fit_note", share=case.voice.number(share * 100), span=case.voice.span(low, high, "GiB"))
