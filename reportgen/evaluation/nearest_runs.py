"""The measured runs nearest to a scenario, each beside an estimate by constants that have not seen its model's rows."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache

from reportgen.catalog import Catalog
from reportgen.evaluation.accuracy.rows import MEASUREMENTS, Outcome
from reportgen.evaluation.question import Question
from reportgen.evaluation.result import NearestRun

COMPARED = MEASUREMENTS / "training_runs_compared.csv"  # written by the calibration
SHOWN = 4
SAME = 1e-3  # measured speeds of a row that agree so well are one figure
ADAPTERS = ("lora", "qlora")
SIXTEEN_BITS = ("bf16", "fp16")
OTHER_METHOD, OTHER_ADAPTER, OTHER_STRUCTURE = 3.0, 1.0, 3.0  # distances; a factor of two in size counts 0.5
OTHER_FAMILY, OTHER_ACCELERATOR, OTHER_PRECISION = 1.5, 0.5, 0.8
SIZE, GPUS, SEQUENCE = 0.5, 0.1, 0.15  # distance of a factor of two


@dataclass(frozen=True)
class Wanted:
    """What a run is compared by. active_parameters: those that work for a token."""

    method: str
    accelerator: str
    precision: str
    mixture: bool
    active_parameters: float
    gpus: float
    sequence_length: float


@dataclass(frozen=True)
class ComparedRun:
    """A measured run of the shipped files, with its estimate."""

    traits: Wanted
    shown: NearestRun


@lru_cache(maxsize=1)
def compared_runs() -> tuple[ComparedRun, ...]:
    """All measured runs with a speed."""
    with COMPARED.open(encoding="utf-8", newline="") as file:
        return tuple(_compared(cells) for cells in csv.DictReader(file))


def _compared(cells: dict[str, str]) -> ComparedRun:
    number = {
        name: float(cells[name]) for name in ("active_parameters", "gpus", "sequence_length", "measured", "estimated")
    }
    traits = Wanted(
        cells["method"], cells["accelerator"], cells["precision"], cells["mixture"] == "1",
        number["active_parameters"], number["gpus"], number["sequence_length"],
    )  # fmt: skip
    shown = NearestRun(
        cells["id"], cells["model"], cells["method"], cells["accelerator"], number["gpus"], cells["precision"],
        number["sequence_length"], cells["stack"], cells["source"], number["measured"], number["estimated"],
    )  # fmt: skip
    return ComparedRun(traits, shown)


def held_out(outcomes: Iterable[Outcome]) -> list[Outcome]:
    """Outcomes of shipped speeds as constants give them that have not seen the rows of the model from that source."""
    known = {run.shown.id: run.shown for run in compared_runs()}
    return [
        replace(outcome, predicted=1 / shown.estimated, p10=None, p90=None)
        for outcome in outcomes
        if outcome.counts and (shown := known.get(outcome.id)) and abs(outcome.measured * shown.measured - 1) < SAME
    ]


def nearest_to(question: Question, values: Mapping[str, float]) -> tuple[NearestRun, ...]:
    """The measured runs nearest to a question about training, whose quantities are computed; none for other questions."""
    if not question.is_training:
        return ()
    scenario = question.scenario
    method = scenario.method if scenario.method in ADAPTERS else "full"
    wanted = Wanted(
        method, scenario.hardware.accelerators[0], scenario.precision.compute, "mixture_of_experts" in question.features,
        values["active_parameters"], values["gpus"], values["sequence_length"],
    )  # fmt: skip
    return nearest_runs(wanted, question.catalog)


def nearest_runs(wanted: Wanted, catalog: Catalog, count: int = SHOWN) -> tuple[NearestRun, ...]:
    """The nearest measured runs, best first; of one model on one accelerator from one source only the nearest."""
    ordered = sorted(compared_runs(), key=lambda run: (distance(wanted, run.traits, catalog), run.shown.id))
    found: dict[tuple[str, ...], NearestRun] = {}
    for run in ordered:
        shown = run.shown
        found.setdefault((shown.source, shown.model, shown.method, shown.accelerator), shown)
        if len(found) == count:
            break
    return tuple(found.values())


def distance(one: Wanted, other: Wanted, catalog: Catalog) -> float:
    """How unlike two trainings are, as far as it decides their speed."""
    total = OTHER_STRUCTURE * (one.mixture != other.mixture) + _method_distance(one.method, other.method)
    if one.accelerator != other.accelerator:
        records = [catalog.accelerators.get(item.accelerator) for item in (one, other)]
        same_family = None not in records and records[0].family == records[1].family
        total += OTHER_ACCELERATOR if same_family else OTHER_FAMILY
    if one.precision != other.precision and not {one.precision, other.precision} <= set(SIXTEEN_BITS):
        total += OTHER_PRECISION
    total += SIZE * _doublings(one.active_parameters, other.active_parameters)
    return (
        total
        + GPUS * _doublings(one.gpus, other.gpus)
        + SEQUENCE * _doublings(one.sequence_length, other.sequence_length)
    )


def _method_distance(one: str, other: str) -> float:
    if one == other:
        return 0.0
    return OTHER_ADAPTER if one in ADAPTERS and other in ADAPTERS else OTHER_METHOD


def _doublings(one: float, other: float) -> float:
    return abs(math.log2(one / other)) if one > 0 and other > 0 else 0.0
