"""Records of what formulas read beside other formulas: constants, inputs, planning utilisation; and of sources."""

from __future__ import annotations

import math
from typing import Any, Literal

from pydantic import model_validator

from reportgen.catalog.record import Record

QuantityConfidence = Literal["measured", "published", "vendor", "assumed"]


class ConstantRecord(Record):
    """A number that was fitted, measured or chosen, with its range; `source` is a key of sources.yaml."""

    value: float
    low: float | None = None
    high: float | None = None
    unit: str
    symbol: str
    group: str
    confidence: QuantityConfidence
    note: str = ""

    @classmethod
    def _is_allowed(cls, key: str, value: float) -> bool:
        return math.isfinite(value)

    @model_validator(mode="after")
    def _range_encloses_value(self) -> ConstantRecord:
        if (self.low is not None and self.low > self.value) or (self.high is not None and self.high < self.value):
            raise ValueError(f"the range {self.low}..{self.high} does not enclose {self.value}")
        return self


class InputRecord(Record):
    """A quantity that the scenario provides. `choices` lists the values of a text input that has few."""

    source: str = "scenario"
    as_of: str = ""
    unit: str
    symbol: str
    group: str
    kind: Literal["number", "text", "date"] = "number"
    choices: tuple[str, ...] = ()
    note: str = ""


class SourceRecord(Record):
    """Where facts come from. `id` is the key that formulas and records name."""

    source: str = ""
    as_of: str = ""
    title: str
    publisher: str
    address: str = ""
    read_on: str = ""  # empty: recalled, not re-read
    supports: str
    licence: str = ""


class UtilizationRecord(Record):
    """Planning utilisation of the dense bf16 (fp16) peak: FLOPs of matmul parameters and causal attention."""

    families: tuple[str, ...]
    size_class: Literal["small_one_node", "small_multi_node", "medium", "large", "mixture_of_experts", "any"]
    low: float
    base: float
    high: float
    unit: Literal["share"] = "share"
    confidence: QuantityConfidence
    note: str = ""

    @model_validator(mode="after")
    def _ordered(self) -> UtilizationRecord:
        if not 0 < self.low <= self.base <= self.high < 1:
            raise ValueError("needs 0 < low <= base <= high < 1")
        return self


class PrecisionFactorRecord(Record):
    """Utilisation of the peak of a narrower precision, as a share of the utilisation of the bf16 peak."""

    families: tuple[str, ...]
    precision: Literal["fp8", "fp4", "int8"]
    low: float
    base: float
    high: float
    confidence: QuantityConfidence
    note: str = ""


def keyed(rows: dict[str, Any]) -> list[dict[str, Any]]:
    """A mapping key -> fields as rows with an id, the form that build_records takes."""
    return [{"id": key, **(fields or {})} for key, fields in rows.items()]
