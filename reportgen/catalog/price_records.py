"""Records of rents, component prices, exchange rates and of the lines of a hardware list that they price."""

from __future__ import annotations

from typing import Literal

from pydantic import model_validator

from reportgen.catalog.hardware_records import Confidence, Tax
from reportgen.catalog.record import Record

HOURS_PER_MONTH = 720

RentKind = Literal["on_demand", "capacity_block", "median", "node_month", "node_month_1y", "assumption"]
Grade = Literal["A", "B", "C", "D"]


class RentRecord(Record):
    """A dated rent, host included, in its own currency."""

    provider: str
    instance: str | None = None
    accelerator: str
    gpus: int
    region: str | None = None
    kind: RentKind
    currency: str
    per_gpu_hour: float | None = None
    per_gpu_hour_low: float | None = None
    per_gpu_hour_high: float | None = None
    per_gpu_hour_spot: float | None = None
    per_node_month: float | None = None
    per_gpu_month: float | None = None
    tax: Tax
    date_precision: str
    confidence: Confidence | None = None
    note: str | None = None
    source_key: str

    @model_validator(mode="after")
    def _has_a_price(self) -> RentRecord:
        if self.price_per_gpu_hour is None:
            raise ValueError("a rent needs per_gpu_hour, a low and a high, or per_node_month")
        return self

    @property
    def price_per_gpu_hour(self) -> float | None:
        """Price of a GPU hour: of a node month over its GPUs and 720 hours, of a printed range the geometric middle."""
        if self.per_node_month is not None:
            return self.per_node_month / self.gpus / HOURS_PER_MONTH
        if self.per_gpu_hour is not None:
            return self.per_gpu_hour
        if self.per_gpu_hour_low is not None and self.per_gpu_hour_high is not None:
            return (self.per_gpu_hour_low * self.per_gpu_hour_high) ** 0.5
        return None


class ComponentRecord(Record):
    """A published price indication of something beside the accelerators; without currency it is a share or a ratio."""

    category: str
    item: str
    unit: str
    currency: str | None = None
    low: float
    high: float | None = None
    date_printed: bool
    tax: Tax
    grade: Grade
    accelerator: str | None = None
    nodes: int | None = None
    note: str | None = None
    source_key: str


class ExchangeRateRecord(Record):
    """How many units of `quote` one unit of `base` buys."""

    base: str
    quote: str
    rate: float
    source_key: str


class ComponentLineRecord(Record):
    """How a line of the hardware list is priced: component records times a factor an end, or a share of hardware."""

    unit: str
    components: tuple[str, ...] = ()
    factor_low: float = 1.0
    factor_high: float = 1.0
    low: float | None = None
    high: float | None = None
    grade: Grade | None = None
    note: str | None = None

    @classmethod
    def may_be_zero(cls) -> frozenset[str]:
        return frozenset({"low"})
