"""The formulas of a step over all measured rows, as a function of the constants alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from calibration.step_parameters import FIXED, PARAMETERS, as_fit
from reportgen.catalog import load_catalog
from reportgen.catalog.accelerator_table import TableJob, accelerator_table
from reportgen.catalog.money import Money
from reportgen.catalog.step_constants import accelerator_efficiency, software_inputs
from reportgen.evaluation.accuracy.time import EFFICIENCIES, SECONDS, Batch, Prepared, batches
from reportgen.evaluation.accuracy.training_rows import MeasuredRun

CATALOG = load_catalog()
FITTED = {parameter.place[1] for parameter in PARAMETERS.values() if parameter.place[0] == "constant"}
SOFTWARE = tuple(
    software_inputs("megatron", None, "full", as_fit({name: item.guess for name, item in PARAMETERS.items()}))
)


def hardware_columns() -> dict[str, Any]:
    """The columns of the accelerator table; efficiencies are put in later."""
    table = accelerator_table(CATALOG, Money.of(CATALOG, "USD"), TableJob())
    return {f"accelerators_{name}": column for name, column in table.items()}


class StepModel:
    """All rows, grouped by structure. Everything that no fitted constant reaches is computed once."""

    def __init__(self, rows: Sequence[Prepared], columns: Mapping[str, Any] | None = None):
        columns = dict(columns or hardware_columns())
        for name in EFFICIENCIES:
            columns[f"accelerators_{name}"] = (np.nan,) * len(CATALOG.accelerators)
        self.size = len(rows)
        self.measured = np.array([item.measured for item in rows])
        kinds = [_kind(item.run) for item in rows]
        self.kinds = list(dict.fromkeys(kinds))
        place_of = {kind: number for number, kind in enumerate(self.kinds)}
        self.kind = np.array([place_of[kind] for kind in kinds])
        self.accelerators = {item.run.accelerator.id for item in rows}
        self.groups = [
            self._group(batch) for batch in batches(list(enumerate(rows)), columns, {*FITTED, *FIXED, *SOFTWARE})
        ]

    def _group(self, batch: Batch):
        moving = {*FITTED, *SOFTWARE, *(f"accelerators_{name}" for name in EFFICIENCIES)}
        needed = batch.graph.ancestors((SECONDS,))
        touched = batch.graph.descendants(moving)
        still = {**batch.inputs, **FIXED}
        with np.errstate(all="ignore"):
            for item in batch.graph.order:
                if item.name in needed and item.name not in touched:
                    still[item.name] = item.function(*[still[name] for name in item.parameters])
        order = [item for item in batch.graph.order if item.name in needed and item.name in touched]
        return batch.places, {name: _upright(name, value, batch.places) for name, value in still.items()}, order

    def seconds(self, values: Mapping[str, float]) -> np.ndarray:
        """Estimated seconds of one GPU for a token, for values by name of parameter."""
        return self.seconds_of([values])[:, 0]

    def seconds_of(self, sets: Sequence[Mapping[str, float]]) -> np.ndarray:
        """The same for many sets of values at once: a row a run, a column a set."""
        fits = [as_fit(values) for values in sets]
        columns = {f"accelerators_{name}": self._efficiencies(name, fits) for name in EFFICIENCIES}
        software = np.array([[[*_software(kind, fit).values()] for fit in fits] for kind in self.kinds])
        constants = {name: np.array([fit["constant"][name] for fit in fits]) for name in FITTED}
        result = np.empty((self.size, len(sets)))
        for places, still, order in self.groups:
            chosen = np.moveaxis(software[self.kind[places]], -1, 0)
            known = {**still, **columns, **constants, **dict(zip(SOFTWARE, chosen, strict=True))}
            for item in order:
                known[item.name] = item.function(*[known[name] for name in item.parameters])
            result[places] = known[SECONDS]
        return result

    def _efficiencies(self, name: str, fits: Sequence[Mapping[str, Any]]) -> np.ndarray:
        """A column of the accelerator table for every set of constants; accelerators without a row here stay empty."""
        column = np.full((len(CATALOG.accelerators), len(fits)), np.nan)
        for place, record in enumerate(CATALOG.accelerators.values()):
            if record.id in self.accelerators:
                column[place] = [accelerator_efficiency(record, name, fit) for fit in fits]
        return column

    def part(self, chosen: np.ndarray) -> StepModel:
        """The same model over some of the rows."""
        other = object.__new__(StepModel)
        new_place = np.cumsum(chosen) - 1
        other.size, other.measured, other.kinds, other.kind = (
            int(chosen.sum()),
            self.measured[chosen],
            self.kinds,
            self.kind[chosen],
        )
        other.accelerators = self.accelerators
        other.groups = []
        for places, still, order in self.groups:
            inside = chosen[places]
            if inside.any():
                rows = {name: value[inside] if _is_row_array(value, places) else value for name, value in still.items()}
                other.groups.append((new_place[places[inside]], rows, order))
        return other


def _kind(run: MeasuredRun) -> tuple:
    return run.stack, run.year, run.method, run.accelerator.family


def _software(kind: tuple, fit: Mapping[str, Any]) -> Mapping[str, float]:
    stack, year, method, family = kind
    return software_inputs(stack, year, method, fit, family)


def _is_row_array(value: Any, places: np.ndarray) -> bool:
    return isinstance(value, np.ndarray) and value.shape in (places.shape, (*places.shape, 1))


def _upright(name: str, value: Any, places: np.ndarray) -> Any:
    """A value a run stands upright, since sets of constants lie across; positions in a table do not."""
    return value[:, None] if name != "accelerator_row" and _is_row_array(value, places) else value
