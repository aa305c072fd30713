"""Cross-validation of the constants of a step: by (source, model), by whole source, and blind."""

from __future__ import annotations

import zlib
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from calibration.least_squares import fit
from calibration.step_model import CATALOG, StepModel, hardware_columns
from calibration.step_parameters import PARAMETERS
from reportgen.evaluation.accuracy.rows import MEASUREMENTS, Skipped, read_rows
from reportgen.evaluation.accuracy.time import BLIND, prepared
from reportgen.evaluation.accuracy.training_rows import COLUMNS, MeasuredRun, measured_run

FOLDS = 5
REFIT_ROUNDS = 6
NAMES = tuple(PARAMETERS)
GUESS = np.log([PARAMETERS[name].guess for name in NAMES])
SPREAD = np.array([PARAMETERS[name].spread for name in NAMES])
OUTLIERS = ("hf-fsdp-70b",)  # 3 % utilisation; its source calls it an outlier


@dataclass
class Study:
    """All speed rows, known and blind, and what the fits gave."""

    runs: list[MeasuredRun]
    known: StepModel
    blind: StepModel
    skipped: list[tuple[str, str]]
    whole: list[MeasuredRun]  # whole trainings, which no constant is fitted to
    fixed: dict[str, float] = field(default_factory=dict)  # constants held, by name

    @property
    def free(self) -> np.ndarray:
        return np.array([name not in self.fixed for name in NAMES])

    def values(self, place: np.ndarray) -> dict[str, float]:
        values = dict(zip(NAMES, np.exp(GUESS), strict=True))
        values |= dict(zip(np.array(NAMES)[self.free], np.exp(place), strict=True))
        return values | self.fixed

    def constants(self, weights: np.ndarray, start: np.ndarray | None = None, rounds: int = 25) -> np.ndarray:
        """The fit on the rows with a weight."""
        free = self.free
        model = self.known if weights.all() else self.known.part(weights > 0)
        measured = model.measured
        return fit(
            lambda places: model.seconds_of([self.values(place) for place in places]),
            measured, np.ones(model.size), GUESS[free], SPREAD[free], start, rounds,
        )  # fmt: skip

    def errors(self, model: StepModel, place: np.ndarray) -> np.ndarray:
        return np.log(model.seconds(self.values(place)) / model.measured)


def study(keep: Callable[[MeasuredRun], bool] = lambda run: True) -> Study:
    """The shipped rows with a speed."""
    runs, skipped, whole = [], [], []
    for row in read_rows(MEASUREMENTS / "training_runs.csv", COLUMNS):
        try:
            run = measured_run(row, CATALOG)
        except Skipped as reason:
            skipped.append((row.id, str(reason)))
            continue
        if run.whole_run:
            whole.append(run)
        elif run.id not in OUTLIERS and keep(run):
            runs.append(run)
    columns = hardware_columns()
    known = StepModel([prepared(run, with_software=False) for run in runs], columns)
    blind = StepModel([prepared(run, BLIND, with_software=False) for run in runs], columns)
    return Study(runs, known, blind, skipped, whole)


def fold_of(run: MeasuredRun) -> int:
    """Rows of one model from one source stay together."""
    return zlib.crc32(f"{run.source}|{run.model}".encode()) % FOLDS


def cross_validated(
    found: Study, place: np.ndarray, label: Callable[[MeasuredRun], object]
) -> tuple[np.ndarray, np.ndarray]:
    """Errors of every row, known and blind, by constants that have not seen its label."""
    labels = np.array([str(label(run)) for run in found.runs])
    known, blind = np.empty(len(labels)), np.empty(len(labels))
    for one in np.unique(labels):
        out = labels == one
        refitted = found.constants((~out).astype(float), place, REFIT_ROUNDS)
        known[out] = np.log(found.known.part(out).seconds(found.values(refitted)) / found.known.measured[out])
        blind[out] = np.log(found.blind.part(out).seconds(found.values(refitted)) / found.blind.measured[out])
    return known, blind


def summary(errors: np.ndarray) -> tuple[float, float, float]:
    """Median and ninth decile of |estimate / measured - 1|, and the median of the signed error."""
    shares = np.exp(errors) - 1
    return float(np.median(np.abs(shares))), float(np.quantile(np.abs(shares), 0.9)), float(np.median(shares))


def spread(errors: np.ndarray, covered: float = 0.8) -> float:
    """The sigma of ln whose P10 to P90 holds `covered` of the errors."""
    return float(np.quantile(np.abs(errors), covered) / 1.2816)
