"""Estimates against measurements: one module a kind, each turning the rows of a file into outcomes.

A module of a kind has `outcomes(path, catalog) -> list[Outcome]`: every row of the file once, in its order, estimated or
skipped with a reason. Kinds whose module is not there are left out of the command.
"""

from __future__ import annotations

import importlib
from importlib.util import find_spec
from pathlib import Path

from reportgen.catalog import Catalog
from reportgen.evaluation.accuracy.rows import MEASUREMENTS, Outcome

KINDS = {  # kind -> module of this package, file of the shipped measurements
    "training_time": ("time", "training_runs.csv"),
    "training_memory": ("memory", "training_memory.csv"),
    "serving": ("serving", "serving_measurements.csv"),
}


def shipped_file(kind: str) -> Path:
    """The measurements of a kind that come with the program."""
    return MEASUREMENTS / KINDS[kind][1]


def kinds() -> tuple[str, ...]:
    """The kinds that can be evaluated."""
    return tuple(kind for kind, (module, _) in KINDS.items() if find_spec(f"{__name__}.{module}"))


def outcomes(kind: str, path: Path | None, catalog: Catalog) -> list[Outcome]:
    """Every row of a file of a kind (by default the shipped one), estimated or skipped."""
    module = importlib.import_module(f"{__name__}.{KINDS[kind][0]}")
    return module.outcomes(path or shipped_file(kind), catalog)
