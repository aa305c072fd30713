"""The utilisation to plan training with where no calibrated step time applies: a table by family and model size."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from reportgen.catalog.hardware_records import AcceleratorRecord
from reportgen.catalog.load import Catalog
from reportgen.catalog.quantity_records import PrecisionFactorRecord, UtilizationRecord

SMALL = 13.5e9  # parameters up to which a model counts as small: the 13B models count 13.0e9 to 13.3e9
LARGE = 170e9  # parameters from which a model counts as large: the 175B models count 174e9 to 176e9


class Utilization(NamedTuple):
    """Share of the dense peak of a precision that a step keeps; `source` is a key of sources.yaml."""

    low: float
    base: float
    high: float
    source: str


def planning_utilization(
    catalog: Catalog,
    accelerator: AcceleratorRecord | str,
    precision: str,
    parameters: float,
    mixture_of_experts: bool,
    several_nodes: bool,
) -> Utilization | None:
    """Planning share of the peak of `precision` (bf16, fp16, fp8, int8, fp4) for a model of `parameters` in all.

    None when the accelerator has no peak of that precision. Raises ScenarioError on an unknown name.
    """
    if isinstance(accelerator, str):
        accelerator = catalog.find("accelerator", accelerator)
    if precision not in ("bf16", "fp16", "fp8", "int8", "fp4") or accelerator.peak_tflops(precision) is None:
        return None
    row = utilization_row(catalog, accelerator, parameters, mixture_of_experts, several_nodes)
    if precision in ("bf16", "fp16"):
        return Utilization(row.low, row.base, row.high, row.source)
    factor = _precision_factor(catalog.precision_factors.values(), accelerator.family, precision)
    return Utilization(row.low * factor.low, row.base * factor.base, row.high * factor.high, factor.source)


def utilization_row(
    catalog: Catalog, accelerator: AcceleratorRecord, parameters: float, mixture_of_experts: bool, several_nodes: bool
) -> UtilizationRecord:
    """The row of the table that applies to the bf16 (fp16) peak."""
    family = "other" if accelerator.consumer else accelerator.family
    size_class = _size_class(parameters, mixture_of_experts, several_nodes)
    rows = catalog.utilizations.values()
    for families, size in ((family, size_class), (family, "any"), ("other", size_class), ("other", "any")):
        for row in rows:
            if families in row.families and row.size_class == size and _applies(row, mixture_of_experts):
                return row
    raise LookupError("planning_utilization.yaml needs a row for family other, size class any")


def _applies(row: UtilizationRecord, mixture_of_experts: bool) -> bool:
    """A family's row for any size is measured on dense models, so experts take the row of their own."""
    return not mixture_of_experts or row.size_class == "mixture_of_experts"


def _size_class(parameters: float, mixture_of_experts: bool, several_nodes: bool) -> str:
    if mixture_of_experts:
        return "mixture_of_experts"
    if parameters <= SMALL:
        return "small_multi_node" if several_nodes else "small_one_node"
    return "large" if parameters >= LARGE else "medium"


def _precision_factor(rows: Iterable[PrecisionFactorRecord], family: str, precision: str) -> PrecisionFactorRecord:
    matching = [row for row in rows if row.precision == precision]
    return next((row for row in matching if family in row.families), matching[0])
