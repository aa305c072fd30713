"""Which input moves the answer most: the ends of every range, one at a time."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.memo.chart_schema import TornadoChart, TornadoRow
from reportgen.memo.compose.case import Case
from reportgen.memo.compose.derivation import figure_text
from reportgen.memo.compose.scales import MoneyScale
from reportgen.memo.context_schema import Figure

MOST = 5
LEAST_EFFECT = 0.002  # of the base: smaller moves are not drawn
FEW_REPLICAS = 10.0  # below it a decimal more, else both ends print alike
TIMES = "×"  # before a factor


@dataclass(frozen=True)
class Move:
    """An input at both its ends, and the answer there."""

    input: str
    low_input: float
    high_input: float
    at_low: float
    at_high: float

    @property
    def span(self) -> float:
        """How far the answer moves."""
        return abs(self.at_high - self.at_low)


@dataclass(frozen=True)
class Target:
    """The answer that is moved."""

    key: str
    base: float
    limit: float = float("nan")


def target(case: Case) -> Target:
    """Days for training, replicas before rounding for serving, hours for batch work; cost where those stand still."""
    wanted = {"training": "training_days", "serving": "replicas_before_rounding", "batch": "batch_hours"}[case.kind]
    limits = {"training": case.deadline, "serving": case.value("replicas"), "batch": case.value("window_hours")}
    if len(moves(case, wanted)) >= 2:
        return Target(wanted, case.value(wanted), limits[case.kind])
    money = "rental_cost" if case.rents else "capital_cost"
    return Target(money, case.value(money))


def moves(case: Case, key: str, count: int = MOST) -> list[Move]:
    """The inputs that move a quantity most."""
    base = case.value(key)
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for test in case.result.sensitivity:
        if test.results.get(key, float("nan")) == test.results.get(key, float("nan")):
            found.setdefault(test.input, {})[test.end] = (test.value, test.results[key])
    pairs = [
        Move(name, ends["low"][0], ends["high"][0], ends["low"][1], ends["high"][1])
        for name, ends in found.items()
        if len(ends) == 2
    ]
    telling = [move for move in pairs if _effect(move, base) > LEAST_EFFECT * abs(base)]
    return sorted(telling, key=lambda move: (-_effect(move, base), move.input))[:count]


def _effect(move: Move, base: float) -> float:
    return max(move.at_low, move.at_high, base) - min(move.at_low, move.at_high, base)


def tornado_figure(case: Case) -> Figure | None:
    """The tornado; nothing when no input has a range that matters."""
    voice, aim = case.voice, target(case)
    found = moves(case, aim.key)
    if not found or aim.base != aim.base:
        return None
    scaled, text, unit = _printing(case, aim)
    rows = tuple(_row(case, move, scaled, text, aim.base) for move in found if text(move.at_low) != text(move.at_high))
    if not rows:
        return None
    limit = aim.limit == aim.limit and aim.limit <= 2.5 * max(
        aim.base, *(max(move.at_low, move.at_high) for move in found)
    )
    return Figure(
        caption=voice.say(f"tornado_{aim.key}"),
        unit=unit,
        chart=TornadoChart(
            rows=rows,
            base=scaled(aim.base),
            base_text=text(aim.base),
            limit=scaled(aim.limit) if limit else None,
            limit_text=voice.say(f"tornado_limit_{case.kind}", limit=_limit_text(case, aim)) if limit else "",
            unit=unit,
            alt=voice.say(
                "tornado_alt", rows=voice.joined([f"{row.label}: {row.span}" for row in rows], "semicolon"), unit=unit
            ),
        ),
    )


def _limit_text(case: Case, aim: Target) -> str:
    if case.kind == "serving":
        return case.voice.number(aim.limit)
    return case.time.limit(aim.limit / (24 if case.kind == "batch" else 1))


def _printing(case: Case, aim: Target):
    """How the answer is drawn and printed: a scale, a text, the unit."""
    voice, time = case.voice, case.time
    if aim.key == "training_days":
        return time.scaled, time.text, time.name
    if aim.key == "batch_hours":
        return (lambda hours: time.scaled(hours / 24)), (lambda hours: time.text(hours / 24)), time.name
    if aim.key == "replicas_before_rounding":
        decimals = 1 if aim.base >= FEW_REPLICAS else 2
        return (
            (lambda value: value),
            (lambda value: voice.fixed(value, decimals)),
            voice.say("replicas_before_rounding"),
        )
    scale = MoneyScale.for_totals(voice, [aim.base])
    return (lambda value: value / scale.divisor), scale.text, scale.unit


def _row(case: Case, move: Move, scaled, text, base: float) -> TornadoRow:
    low, high = sorted((move.at_low, move.at_high))
    low, high = min(low, base), max(high, base)
    return TornadoRow(
        label=input_range(case, move), low=scaled(low), high=scaled(high), span=f"{text(low)}–{text(high)}"
    )


def _unit_after(text: str) -> str:
    """The letters behind a figure, such as µs: printed once in a range."""
    return text.lstrip("0123456789.,−+× ").removeprefix("%")


def input_name(case: Case, key: str) -> str:
    """A short name of an input for labels, else its label."""
    return case.voice.say(f"short_{key}") if case.voice.has(f"short_{key}") else case.voice.label(key)


def input_range(case: Case, move: Move) -> str:
    """ "Lost time, 1 to 1.4"."""
    low, high = (end_text(case, move.input, value) for value in (move.low_input, move.high_input))
    high, tail = high.removeprefix(TIMES), _unit_after(low)
    if tail and high.endswith(tail):
        low = low.removesuffix(tail).rstrip()
    return case.voice.say("input_range", name=input_name(case, move.input), low=low, high=high)


def _short_time(case: Case, key: str, value: float) -> str:
    """Seconds in the unit of the larger end."""
    found = case.inputs.get(key)
    largest = max(
        abs(end) for end in (value, found.low if found else None, found.high if found else None) if end is not None
    )
    factor, name = (
        (1e6, "microseconds") if largest < 1e-3 else ((1e3, "milliseconds") if largest < 1 else (1.0, "seconds"))
    )
    return case.voice.say(name, n=f"{value * factor:.3g}")


def _against(case: Case, value: float, base: float) -> str:
    """A price against its base: "−16%", "+20%"."""
    if not base:
        return case.voice.number(value, "price")
    change = round(value / base - 1, 2)
    return f"+{case.voice.share(change)}" if change > 0 else case.voice.share(change)


def input_at(case: Case, move: Move) -> str:
    """An input at the end where the answer is largest, for a sentence: "lost time ×1.4", "full runs at 5"."""
    voice = case.voice
    end = move.high_input if move.at_high > move.at_low else move.low_input
    name = input_name(case, move.input)
    key = "input_at_factor" if case.unit(move.input) == "factor" else "input_at"
    return voice.say(key, name=voice.lowered(name), end=end_text(case, move.input, end))


def end_text(case: Case, key: str, value: float) -> str:
    """An end of an input as a label writes it."""
    unit, voice = case.unit(key), case.voice
    if unit == "share":
        return voice.share(round(value, 2)) if abs(value) >= 0.1 else voice.share(value)
    if unit.startswith("money"):
        return _against(case, value, case.value(key))
    if unit in ("tokens", "parameters"):
        return voice.number(value, unit)
    if unit == "s":
        return _short_time(case, key, value)
    return f"{TIMES}{figure_text(round(value, 2))}" if unit == "factor" else figure_text(value)
