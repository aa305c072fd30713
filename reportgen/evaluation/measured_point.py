"""The user's own measured point of serving: what it measured a token, and what the formulas say of the same point."""

from __future__ import annotations

import dataclasses

import numpy as np

from reportgen.catalog.accelerator_table import TableJob, accelerator_table
from reportgen.evaluation.draft import Draft
from reportgen.evaluation.features import features_of, measured_accelerator
from reportgen.evaluation.subgraph import graph_of
from reportgen.scenario import Scenario, base_of
from reportgen.scenario.serving_keys import TokenLength

WANTED = ("tpot_at_limit_s", "prefill_interference_s", "benchmark_ttft_s")
MILLISECONDS = 1e3


def put_measured_point(draft: Draft, point: Draft) -> None:
    """Inputs of the correction. `point`: the inputs of a scenario that asks for the measured load alone."""
    measured = draft.scenario.measured
    accelerator = measured_accelerator(draft.scenario)
    estimate = _estimate(point, draft.scenario, accelerator)
    tpot = _measured_tpot(draft.scenario, point, estimate)
    told = f"{tpot * MILLISECONDS:.1f} ms a token measured, {estimate['tpot_at_limit_s'] * MILLISECONDS:.1f} ms estimated for the same load"
    draft.take("measured_accelerator", accelerator, "measured.accelerator")
    draft.take("measured_concurrency", measured.concurrency, "measured.concurrency", confidence="measured")
    draft.put(
        "measured_tpot_s", tpot, origin="given", source="scenario", as_of=draft.scenario.date.isoformat(),
        confidence="measured", path="measured", note=told,
    )  # fmt: skip
    for key, name in (
        ("estimated_tpot_at_point_s", "tpot_at_limit_s"),
        ("estimated_interference_at_point_s", "prefill_interference_s"),
    ):
        draft.put(key, estimate[name], origin="catalog", source="serving-fit", confidence="measured", note=told)


def point_scenario(scenario: Scenario) -> Scenario:
    """The scenario of the measured load: its lengths, formats and engine where they are given, the plan's otherwise.

    A point that gives no prompt under conversations was measured on those: their mean prompt, and what of it is cached.
    """
    measured = scenario.measured
    precision = scenario.precision.model_copy(update={"weights": measured.weights or scenario.precision.weights})
    lengths = {
        key: TokenLength(tokens=value)
        for key in ("prompt_tokens", "answer_tokens")
        if (value := getattr(measured, key)) is not None
    }
    conversing = scenario.conversation is not None and measured.prompt_tokens is None
    return dataclasses.replace(
        scenario,
        measured=None,
        precision=precision,
        engine=measured.engine or scenario.engine,
        prefix_hit=scenario.prefix_hit if conversing else 0.0,
        conversation=scenario.conversation if conversing else None,
        **lengths,
    )


def _estimate(point: Draft, scenario: Scenario, accelerator: str) -> dict[str, float]:
    """The formulas at the measured load, on as many accelerators of one replica."""
    measured, catalog = scenario.measured, point.catalog
    features = features_of(point.scenario, catalog) - {"disaggregated"} | {"published_methods"}
    table = accelerator_table(catalog, point.money, TableJob(job="serving"))
    inputs = {
        **{key: float(record.value) for key, record in catalog.constants.items()},
        **{key: item.value for key, item in point.inputs.items()},
        **{key: base_of(value) for key, value in scenario.overrides.items()},
        **{f"accelerators_{key}": column for key, column in table.items()},
        "accelerator": accelerator,
        "tensor_parallel": float(measured.count),
        "batch_per_replica": float(base_of(measured.concurrency)),
        "benchmark_users": float(base_of(measured.concurrency)),
    }
    with np.errstate(all="ignore"):
        values = graph_of(features, frozenset(inputs), WANTED).evaluate(inputs)
    return {name: float(values[name]) for name in WANTED}


def _measured_tpot(scenario: Scenario, point: Draft, estimate: dict[str, float]) -> float:
    """The time a token as measured; from the rate, by Little's law, where only that is given."""
    measured = scenario.measured
    if measured.tpot is not None:
        return float(base_of(measured.tpot))
    answer = max(2.0, float(point.inputs["answer_tokens"].value))
    request = base_of(measured.concurrency) * answer / base_of(measured.tokens_per_second)
    first = estimate["benchmark_ttft_s"] if measured.ttft is None else base_of(measured.ttft)
    return max(request / 10, request - first) / (answer - 1)
