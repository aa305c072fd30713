"""Degrees that all candidates share, where the scenario leaves them open: GPUs a sequence is split over, interleaved chunks."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from reportgen.evaluation.candidates import SENTINEL, Candidates, crossed, narrowed, rows, training_structures
from reportgen.evaluation.training_inputs import stack_facts

if TYPE_CHECKING:
    from reportgen.evaluation.question import Question

LONG = 32768  # tokens from which sequences are split over GPUs
CONTEXT, CHUNKS = "context_parallel", "virtual_stages"
CONTEXT_DEGREES = (1, 2, 4, 8, 16, 32)
CHUNK_COUNTS = (1, 2, 4)
COUNTS = sorted({2**power for power in range(13)} | {3 * 2**power for power in range(11)})  # enough to compare degrees


def with_searched_degrees(question: Question) -> Question:
    """The question with the degrees whose best layout ranks first; the same one where they are given or play no part."""
    if not question.is_training:
        return question
    scenario, layout = question.scenario, question.scenario.layout
    space = question.space(scenario.hardware.accelerators[0])
    fixed = space.fixed.get("nodes")
    levels = (0.0, *space.offload_levels) if question.base_inputs["offload_allowed"] else (0.0,)
    candidates = crossed(training_structures(space, levels), [int(fixed)] if fixed else COUNTS)
    degrees = context_degrees(question, scenario.sequence_length or 0)
    if len(degrees) > 1:
        question = _best(question, candidates, CONTEXT, degrees)
    staged = not space.sharded_only and space.layers > 1 and (layout.pp or 2) > 1 and stack_facts(scenario.stack)["interleaves"]
    if not layout.virtual_stages and staged and CHUNKS not in scenario.overrides:
        question = _best(question, candidates, CHUNKS, CHUNK_COUNTS)
    return question


def context_degrees(question: Question, length: float) -> list[float]:
    """GPUs over which sequences of a length may be split: what is given, else one for short ones."""
    scenario = question.scenario
    if scenario.layout.cp or CONTEXT in scenario.overrides or not stack_facts(scenario.stack)["splits_sequences"]:
        return [float(question.base_inputs[CONTEXT])]
    return [float(degree) for degree in CONTEXT_DEGREES if degree == 1 or (length >= LONG and length % (2 * degree) == 0)]


def _best(question: Question, candidates: Candidates, key: str, degrees: Sequence[float]) -> Question:
    ranks = [_best_rank(question, candidates, key, degree) for degree in degrees]
    found = float(degrees[ranks.index(min(ranks))])
    if found == degrees[0]:
        return question
    inputs = tuple(
        dataclasses.replace(item, value=found, source="layouts", confidence="assumed") if item.key == key else item
        for item in question.inputs
    )
    return dataclasses.replace(question, inputs=inputs)


def _best_rank(question: Question, candidates: Candidates, key: str, degree: float) -> tuple[float, float]:
    """The best rank, and where nothing does what is asked the least memory: the lower the better."""
    if key == CHUNKS and degree > 1:  # chunks change nothing without a pipeline
        kept = np.flatnonzero(candidates["pipeline_parallel"] > 1)
        candidates = rows(candidates, kept)
        if not len(kept):
            return float("inf"), float("inf")
    inputs = {**question.base_inputs, key: float(degree), "layout_number": 0.0, **narrowed(candidates)}
    with np.errstate(all="ignore"):
        values = question.layout_graph.evaluate(inputs, only=("layout_rank", "layout_divides", "memory_per_gpu_gib"))
    rank = float(np.min(values["layout_rank"]))
    memory = np.where(values["layout_divides"] > 0, values["memory_per_gpu_gib"], np.inf)
    return rank, float(np.min(memory)) if rank >= SENTINEL else 0.0
