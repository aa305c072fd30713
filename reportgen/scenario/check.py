"""What a scenario means: contradictions, missing essentials, impossible numbers. Rules yield findings, none raises."""

from __future__ import annotations

from collections.abc import Callable

from reportgen.scenario import (
    check_formats,
    check_inference,
    check_layout,
    check_measured,
    check_request,
    check_stages,
    check_training,
)
from reportgen.scenario.question import Findings, Question

RULES: tuple[Callable[[Question], Findings], ...] = (
    check_request.hardware,
    check_request.dates,
    check_request.model,
    check_request.options,
    check_request.site,
    check_training.data,
    check_training.rollouts,
    check_training.method,
    check_training.adapters,
    check_training.cut_samples,
    check_training.batch,
    check_training.objective,
    check_training.utilization,
    check_measured.known_run,
    check_measured.measured_runs,
    check_layout.lengths,
    check_layout.degrees,
    check_layout.recomputation,
    check_layout.offloading,
    check_stages.stages,
    check_formats.precision,
    check_formats.engine,
    check_formats.engine_of_a_maker,
    check_formats.quantized_shards,
    check_formats.quantized_tensors,
    check_formats.expert_groups,
    check_formats.groups_of_states,
    check_inference.serving,
    check_inference.room,
    check_inference.batch,
)


def findings(question: Question) -> Findings:
    """All rules, one after the other."""
    for rule in RULES:
        yield from rule(question)
