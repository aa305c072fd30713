"""Measured peaks of training memory against the estimate: every row as a scenario, with the layout that it ran."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from reportgen.catalog import Catalog
from reportgen.errors import ScenarioError
from reportgen.evaluation.accuracy.memory_rows import (
    COLUMNS,
    OUT_OF_MEMORY,
    MemoryRow,
    read_memory_row,
)
from reportgen.evaluation.accuracy.rows import MeasuredRow, Outcome, Skipped, read_rows
from reportgen.evaluation.candidates import MICRO_BATCHES
from reportgen.evaluation.question import Question, ask
from reportgen.scenario import scenario_from_mapping

KIND = "training_memory"
WANTED = ("memory_per_gpu_gib", "memory_per_gpu_gib_p10", "memory_per_gpu_gib_p90", "memory_usable_gib")
WITHOUT_LOGITS = {"logits_bytes": 0.0}  # what a stage before the last one holds


@dataclass(frozen=True)
class MemoryCase:
    """A row ready for the formulas: its question, and the inputs with its layout."""

    row: MeasuredRow
    read: MemoryRow
    question: Question
    inputs: Mapping[str, Any]

    @property
    def ran_out(self) -> bool:
        """Whether the run ended because memory did not suffice."""
        return self.row.text("outcome") == OUT_OF_MEMORY

    @property
    def measure(self) -> str:
        """What the figure of the row counts; running out is an event of the whole device."""
        return "device" if self.ran_out else self.read.measure

    def evaluate(self, measure: str | None = None) -> dict[str, float]:
        """The wanted quantities, counted as the row counts them."""
        constants = self.question.catalog.constants
        counted = counting(measure or self.measure, {key: record.value for key, record in constants.items()})
        if self.read.first_stage:
            counted = {**counted, **WITHOUT_LOGITS}
        values = self.question.layout_graph.evaluate({**self.inputs, **counted}, only=WANTED)
        return {name: float(values[name]) for name in WANTED}


def counting(measure: str, constants: Mapping[str, float]) -> dict[str, float]:
    """Inputs that make the estimate count what a measure counts: tensors, blocks of the allocator, or the whole device."""
    if measure == "device":
        return {}
    runtime = {"communication_memory_gib": 0.0, "framework_memory_gib": constants[f"framework_memory_{measure}_gib"]}
    if measure == "allocated":
        return {**runtime, "allocator_factor": 1.0, "changing_shapes": 0.0}
    return {**runtime, "allocator_factor": constants["allocator_factor_reserved"]}


def memory_case(row: MeasuredRow, catalog: Catalog) -> MemoryCase:
    """The case of a row. Raises Skipped with the reason when the scenario language has no words for it."""
    read = read_memory_row(row, catalog)
    try:
        question = ask(scenario_from_mapping(read.scenario), catalog)
    except ScenarioError as error:
        raise Skipped("; ".join(problem.message for problem in error.problems)) from None
    accelerator = question.scenario.hardware.accelerators[0]
    fixed = question.space(accelerator).fixed
    unstated = {"offload_level": 0.0, "layout_number": 1.0, "accelerator": accelerator}
    inputs = {**question.base_inputs, **read.layout, **unstated, **fixed}
    if "micro_batch" not in fixed:
        inputs |= _largest_micro_batch(question, inputs)
    return MemoryCase(row, read, question, inputs)


def _largest_micro_batch(question: Question, inputs: Mapping[str, Any]) -> dict[str, float]:
    """A blank micro-batch is the largest that fits, since it is the fastest."""
    sizes = np.array(MICRO_BATCHES, dtype=float)
    tried = {**inputs, "micro_batch": sizes, "global_batch": inputs["global_batch"] * sizes}
    fits = np.asarray(question.layout_graph.evaluate(tried, only=("memory_fits",))["memory_fits"])
    best = float(sizes[fits > 0].max()) if (fits > 0).any() else 1.0
    return {"micro_batch": best, "global_batch": float(inputs["global_batch"]) * best}


def outcomes(path: Path, catalog: Catalog) -> list[Outcome]:
    """Every row of a file, estimated or skipped."""
    return [_outcome(row, catalog) for row in read_rows(path, COLUMNS)]


def _outcome(row: MeasuredRow, catalog: Catalog) -> Outcome:
    measured = None
    try:
        measured = row.positive("peak_gib_per_gpu")
        case = memory_case(row, catalog)
        if measured is None and not case.ran_out:
            raise Skipped("peak_gib_per_gpu is not stated")
    except Skipped as reason:
        return Outcome(row.id, KIND, measured=measured, skipped=str(reason))
    found = case.evaluate()
    return Outcome(
        row.id,
        KIND,
        measured=measured,
        predicted=found["memory_per_gpu_gib"],
        p10=found["memory_per_gpu_gib_p10"],
        p90=found["memory_per_gpu_gib_p90"],
        classes=_classes(row, case),
        regime=case.read.method,
    )


def _classes(row: MeasuredRow, case: MemoryCase) -> dict[str, str]:
    scenario = case.question.scenario
    return {
        "accelerator": scenario.hardware.accelerators[0],
        "precision": scenario.precision.compute,
        "stack": scenario.stack,
        "architecture": "mixture" if "mixture_of_experts" in case.question.features else "dense",
        "method": scenario.method,
        "source": row.text("source").split(" ")[0],
    }
