"""The user's own training runs: what they took against what is estimated for them, and the factor that follows for the speed."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from reportgen.evaluation.layouts import Search
from reportgen.evaluation.result import Message
from reportgen.scenario import Range, Scenario, base_of
from reportgen.scenario.fields import TokenAmount
from reportgen.scenario.request_keys import Options
from reportgen.scenario.training_keys import Data, Layout, MeasuredTraining

if TYPE_CHECKING:
    from reportgen.evaluation.question import Question

NEAR = 0.2  # how far the size of a measured model may lie from the one planned
LEAST_SPREAD = 0.05  # one run says little of the next
WANTED = ("tokens_per_second", "memory_per_gpu_gib")
GIB = 2**30


@dataclass(frozen=True)
class Compared:
    """One measured run beside its estimate; what is not known is NaN."""

    run: MeasuredTraining
    speed: float  # estimated tokens a second
    memory: float  # estimated GiB a GPU

    @property
    def speed_ratio(self) -> float:
        """Measured over estimated speed."""
        return (base_of(self.run.tokens_per_second) or math.nan) / self.speed

    @property
    def memory_ratio(self) -> float:
        """Measured over estimated memory."""
        return (base_of(self.run.memory_per_gpu) or math.nan) / GIB / self.memory


def compared_runs(scenario: Scenario, asked: Callable[[Scenario], Question]) -> tuple[Compared, ...]:
    """The measured runs of the same model, each with what is estimated for its GPUs, length, batch and precision."""
    if not scenario.is_training or not scenario.measured:
        return ()
    found = (_compared(run, asked(_as_measured(scenario, run))) for run in scenario.measured)
    return tuple(item for item in found if item is not None)


def _same_model(question: Question, run: MeasuredTraining) -> bool:
    if run.params is None:
        return True
    inputs = {item.key: item.value for item in question.inputs}
    size = question.layout_graph.evaluate({**question.base_inputs, **inputs}, only=("parameters",))["parameters"]
    return abs(math.log(base_of(run.params) / float(size))) < NEAR


def _as_measured(scenario: Scenario, run: MeasuredTraining) -> Scenario:
    hardware = scenario.hardware.model_copy(
        update={"accelerators": (run.accelerator,), "accelerator": run.accelerator, "count": run.count, "server": None}
    )
    length = run.sequence_length or scenario.sequence_length
    batch = run.global_batch
    if isinstance(batch, TokenAmount):
        batch = max(1, round(batch / length))
    compute = run.precision or scenario.precision.compute
    return dataclasses.replace(
        scenario,
        hardware=hardware,
        sequence_length=length,
        global_batch=int(batch or scenario.global_batch),
        precision=scenario.precision.model_copy(update={"compute": compute}),
        layout=run.layout or Layout(),
        measured=None,
        stages=(),
        deadline=None,
        deadline_days=None,
        budget=None,
        objective=None,
        overrides={},
        options=Options(),
        data=scenario.data or Data(tokens=scenario.stages[0].tokens, epochs=1.0),
    )


def _compared(run: MeasuredTraining, question: Question) -> Compared | None:
    if not _same_model(question, run):
        return None
    inputs = {**question.base_inputs, "accelerator": run.accelerator}
    space = dataclasses.replace(question.space(run.accelerator), offload_levels=())
    search = Search(question.layout_graph, inputs, space, WANTED, True)
    block = search.block(run.accelerator)
    if not block.columns["layout_divides"][block.chosen]:
        return Compared(run, math.nan, math.nan)
    speed, memory = (float(block.columns[name][block.chosen]) for name in WANTED)
    return Compared(run, speed, memory)


def speed_factor(runs: tuple[Compared, ...]) -> Range | None:
    """The mean ratio of measured and estimated speed, and how far the runs lie apart; None without a measured speed."""
    ratios = [item.speed_ratio for item in runs if item.speed_ratio == item.speed_ratio]
    if not ratios:
        return None
    middle = float(np.exp(np.mean(np.log(ratios))))
    return Range(min(*ratios, middle * (1 - LEAST_SPREAD)), middle, max(*ratios, middle * (1 + LEAST_SPREAD)))


def moving_runs(scenario: Scenario, runs: tuple[Compared, ...]) -> tuple[Compared, ...]:
    """The runs that move the speed: those on the planned accelerator, unless the speed is stated otherwise."""
    stated = (scenario.utilization, scenario.utilization_run, scenario.overrides.get("utilization_factor"))
    if any(value is not None for value in stated):
        return ()
    planned = scenario.hardware.accelerators[0]
    return tuple(item for item in runs if item.run.accelerator == planned)


def measured_messages(scenario: Scenario, runs: tuple[Compared, ...]) -> Iterator[Message]:
    """What the runs took beside their estimates, and which of them are of another model."""
    moving = moving_runs(scenario, runs)
    for item in runs:
        told = {"accelerator": item.run.accelerator, "gpus": float(item.run.count)}
        if item.speed != item.speed:
            yield Message("warning_measured_unplaced", told)
            continue
        if item.speed_ratio == item.speed_ratio:
            speeds = {"tokens_per_second": item.speed * item.speed_ratio, "estimate": f"{item.speed:,.0f}"}
            key = "remark_measured_speed" if item in moving else "remark_measured_speed_shown"
            yield Message(key, {**told, **speeds, "share": item.speed_ratio})
        if item.memory_ratio == item.memory_ratio:
            memory = {"memory_per_gpu_gib": item.memory * item.memory_ratio, "estimate": f"{item.memory:.1f}"}
            yield Message("remark_measured_memory", {**told, **memory, "share": item.memory_ratio})
    others = len(scenario.measured or ()) - len(runs)
    if others:
        yield Message("warning_measured_other_model", {"runs_left_out": float(others)})
