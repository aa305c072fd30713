"""Evaluating the same formulas in several cases at once: favourable, base, adverse, and every end of every range."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from reportgen.evaluation.result import InputValue, Test
from reportgen.formula import Graph

OBJECTIVES = (  # the first that an input moves decides which of its ends is favourable
    "total_cost", "capital_cost", "rental_cost", "training_days", "batch_hours", "gpus", "tpot_s", "it_power_kw",
    "memory_per_gpu_gib", "memory_usable_gib",
)  # fmt: skip
MORE_IS_BETTER = {"memory_usable_gib"}
TEST_RESULTS = (
    "training_days", "training_days_p90", "batch_hours", "replicas_before_rounding", "tpot_s", "gpus",
    "capital_cost", "rental_cost", "energy_cost_per_year", "total_cost", "memory_per_gpu_gib", "it_power_kw",
    "memory_usable_gib",
)  # fmt: skip


def spread(inputs: Sequence[InputValue], changes: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Every input as an array over the cases; each case changes some inputs and keeps the rest at their base."""
    arrays: dict[str, Any] = {}
    for item in inputs:
        values = [change.get(item.key, item.value) for change in changes]
        is_text = isinstance(item.value, str)
        arrays[item.key] = np.array(values, dtype=object if is_text else float)
    return arrays


def evaluate_cases(
    graph: Graph, inputs: Sequence[InputValue], shared: Mapping[str, Any], changes: Sequence[Mapping[str, Any]]
) -> dict[str, np.ndarray]:
    """Values of all quantities, an array over the cases. shared: columns and ranges that are the same in each."""
    with np.errstate(all="ignore"):
        values = graph.evaluate({**spread(inputs, changes), **shared})
    size = (len(changes),)
    return {
        name: np.broadcast_to(np.asarray(values[name]), size)
        for name in (*graph.formulas, *(item.key for item in inputs))
    }


def ends(inputs: Sequence[InputValue]) -> list[tuple[str, str, float]]:
    """Input, end, value of every end of every range."""
    return [(item.key, end, getattr(item, end)) for item in inputs if item.ranged for end in ("low", "high")]


def sided(inputs: Sequence[InputValue], tests: Sequence[Test], at_base: Mapping[str, float]) -> tuple[InputValue, ...]:
    """The inputs, each end put on its side: favourable is the end with the lower cost (or time, where cost stands still)."""
    effects: dict[str, dict[str, Test]] = {}
    for test in tests:
        effects.setdefault(test.input, {})[test.end] = test
    return tuple(_sided(item, effects.get(item.key), at_base) for item in inputs)


def _sided(item: InputValue, pair: dict[str, Test] | None, at_base: Mapping[str, float]) -> InputValue:
    if pair is None:
        return item
    low, high = pair["low"], pair["high"]
    for objective in OBJECTIVES:
        sign = -1.0 if objective in MORE_IS_BETTER else 1.0
        difference = sign * (low.results.get(objective, np.nan) - high.results.get(objective, np.nan))
        if difference == difference and abs(difference) > 1e-9 * abs(at_base.get(objective, 1.0) or 1.0):
            good, bad = (item.low, item.high) if difference < 0 else (item.high, item.low)
            return dataclasses.replace(item, favourable=good, adverse=bad)
    return dataclasses.replace(item, favourable=item.low, adverse=item.high)


def tests_of(inputs: Sequence[InputValue], values: Mapping[str, np.ndarray], first: int) -> tuple[Test, ...]:
    """The results of the ends, which stand in the cases from `first` on."""
    found = []
    for index, (key, end, value) in enumerate(ends(inputs), start=first):
        results = {name: float(values[name][index]) for name in TEST_RESULTS if name in values}
        found.append(Test(key, end, value, results))
    return tuple(found)
