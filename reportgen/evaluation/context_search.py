"""How many GPUs share one long sequence, where the scenario leaves it open: the degree whose best layout ranks first."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING

import numpy as np

from reportgen.evaluation.candidates import crossed, training_structures
from reportgen.evaluation.result import InputValue

if TYPE_CHECKING:
    from reportgen.evaluation.question import Question

LONG = 32768  # tokens from which sequences are split over GPUs
DEGREES = (1, 2, 4, 8, 16, 32)
COUNTS = sorted({2**power for power in range(13)} | {3 * 2**power for power in range(11)})  # enough to compare degrees
KEY = "context_parallel"


def with_context_degree(question: Question) -> Question:
    """The question with its context-parallel degree searched for; the same one where it is given, or sequences are short."""
    scenario = question.scenario
    length = scenario.sequence_length or 0
    space = question.space(scenario.hardware.accelerators[0])
    if (
        not question.is_training
        or scenario.layout.cp
        or length < LONG
        or space.sharded_only
        or KEY in scenario.overrides
    ):
        return question
    fixed = space.fixed.get("nodes")
    candidates = crossed(training_structures(space), [int(fixed)] if fixed else COUNTS)
    degrees = [degree for degree in DEGREES if length % (2 * degree) == 0 or degree == 1]
    ranks = [_best_rank(question, candidates, degree) for degree in degrees]
    found = float(degrees[int(np.argmin(ranks))])
    if found == 1:
        return question
    inputs = tuple(_changed(item, found) if item.key == KEY else item for item in question.inputs)
    return dataclasses.replace(question, inputs=inputs)


def _best_rank(question: Question, candidates: dict[str, np.ndarray], degree: int) -> float:
    inputs = {**question.base_inputs, KEY: float(degree), "layout_number": 0.0, **candidates}
    with np.errstate(all="ignore"):
        values = question.layout_graph.evaluate(inputs, only=("layout_rank",))
    return float(np.min(values["layout_rank"]))


def _changed(item: InputValue, degree: float) -> InputValue:
    return dataclasses.replace(item, value=degree, source="layouts", confidence="assumed")
