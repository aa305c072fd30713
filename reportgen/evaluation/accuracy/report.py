"""Medians, ninth deciles, bias and coverage of outcomes, for all rows and by class."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from reportgen.evaluation.accuracy.rows import Outcome

FEWEST_ROWS = 3  # a class with fewer is left out of the report


@dataclass(frozen=True)
class Score:
    """How far estimates of a class of rows were off. Errors are shares: |estimate / measured - 1|."""

    name: str
    rows: int
    median: float
    ninth_decile: float
    bias: float  # median of estimate / measured - 1
    covered: float  # share of measured values inside P10 to P90; NaN without ranges


def score(name: str, outcomes: Sequence[Outcome]) -> Score:
    """The score of outcomes that can be compared, of which there must be at least one."""
    ratios = [outcome.predicted / outcome.measured for outcome in outcomes]
    errors = [abs(ratio - 1) for ratio in ratios]
    ranged = [outcome for outcome in outcomes if outcome.p10 is not None and outcome.p90 is not None]
    inside = sum(outcome.p10 <= outcome.measured <= outcome.p90 for outcome in ranged)
    return Score(
        name,
        len(ratios),
        quantile(errors, 0.5),
        quantile(errors, 0.9),
        quantile(ratios, 0.5) - 1,
        inside / len(ranged) if ranged else math.nan,
    )


def quantile(values: Iterable[float], share: float) -> float:
    """The value below which a share of the values lies, linear between neighbours."""
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (place - low)


def scores(outcomes: Iterable[Outcome], key: Callable[[Outcome], str], fewest: int = FEWEST_ROWS) -> list[Score]:
    """A score for every class with enough rows, largest class first."""
    groups: dict[str, list[Outcome]] = {}
    for outcome in outcomes:
        if outcome.counts and key(outcome):
            groups.setdefault(key(outcome), []).append(outcome)
    found = [score(name, group) for name, group in groups.items() if len(group) >= fewest]
    return sorted(found, key=lambda item: (-item.rows, item.name))


def skip_reasons(outcomes: Iterable[Outcome]) -> list[tuple[str, int]]:
    """Reasons and how many rows each cost, most frequent first."""
    return Counter(outcome.skipped for outcome in outcomes if outcome.skipped).most_common()
