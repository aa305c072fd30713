"""Several stages in one job: the stage that needs most memory is planned with, and every stage has its own length and method."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from reportgen.evaluation.draft import Draft, mapped
from reportgen.scenario import Scenario, base_of
from reportgen.scenario.training_keys import Data, Stage

if TYPE_CHECKING:
    from reportgen.evaluation.question import Question

TYPICAL = {  # a layout on which the memory of stages is compared
    "nodes": 8.0, "tensor_parallel": 1.0, "pipeline_parallel": 1.0, "expert_parallel": 1.0, "micro_batch": 1.0,
    "zero_stage": 3.0, "offload_level": 0.0, "layout_number": 1.0, "fixed_gpu_count": 0.0,
}  # fmt: skip


def alone(scenario: Scenario, stage: Stage) -> Scenario:
    """One stage as a job of its own."""
    return dataclasses.replace(_at(scenario, stage), stages=(), data=Data(tokens=stage.tokens, epochs=stage.epochs))


def _at(scenario: Scenario, stage: Stage) -> Scenario:
    """The job with length, batch and method of a stage."""
    return dataclasses.replace(
        scenario,
        sequence_length=stage.sequence_length,
        global_batch=stage.global_batch,
        method=stage.method,
        algorithm=stage.algorithm,
    )


def at_worst_stage(scenario: Scenario, asked: Callable[[Scenario], Question]) -> tuple[Scenario, int]:
    """The job planned with the stage that needs most memory, and the place of that stage."""
    if len(scenario.stages) == 1:
        return _at(scenario, scenario.stages[0]), 0
    needs = [_memory(asked(alone(scenario, stage))) for stage in scenario.stages]
    worst = max(range(len(needs)), key=needs.__getitem__)
    return _at(scenario, scenario.stages[worst]), worst


def _memory(question: Question) -> float:
    recompute = question.space(question.scenario.hardware.accelerators[0]).fixed.get("full_recomputation", 0.0)
    values: dict[str, Any] = {**question.base_inputs, **TYPICAL, "full_recomputation": recompute}
    return float(question.layout_graph.evaluate(values, only=("memory_per_gpu_gib",))["memory_per_gpu_gib"])


def stage_features(scenario: Scenario) -> set[str]:
    """The structure of every stage, and how many there are."""
    chosen = {"staged", f"stages_{len(scenario.stages)}"}
    for number, stage in enumerate(scenario.stages, 1):
        chosen |= {f"stage_{number}", f"stage_{number}_{stage.method}"}
        if stage.algorithm == "dpo":
            chosen.add(f"stage_{number}_reference_model")
    return chosen


def put_stage_inputs(draft: Draft) -> None:
    """Tokens, length and batch of every stage."""
    for number, stage in enumerate(draft.scenario.stages, 1):
        path = f"stages.{number - 1}"
        times = base_of(stage.epochs)
        tokens = mapped(stage.tokens, lambda amount, times=times: amount * times)
        draft.take(f"stage_{number}_tokens", tokens, f"{path}.tokens")
        draft.take(f"stage_{number}_sequence_length", stage.sequence_length, f"{path}.sequence_length")
        draft.take(f"stage_{number}_global_batch", stage.global_batch, f"{path}.global_batch")
