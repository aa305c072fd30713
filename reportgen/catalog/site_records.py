"""Records of a site: power usage effectiveness, electricity, carbon, water, switches, rules of network and storage."""

from __future__ import annotations

from typing import Any

from pydantic import model_validator

from reportgen.catalog.model_records import gather_values
from reportgen.catalog.record import Record


class SiteRecord(Record):
    """What the records of a site share. `verified` is False where the figure was recalled and not re-read."""

    verified: bool = True
    source_key: str


class PueRecord(SiteRecord):
    """Power usage effectiveness: power of the building over power of the equipment."""

    pue: float
    year: int | None = None


class SystemPowerRecord(SiteRecord):
    """Power of a node or rack against that of its accelerators."""

    ratio_low: float | None = None
    ratio_high: float | None = None
    node_kw: float | None = None
    rack_kw: float | None = None


class ElectricityPriceRecord(SiteRecord):
    """Price of a kWh in its currency."""

    region: str
    currency: str
    price_per_kwh: float | None = None
    price_per_kwh_valley: float | None = None
    price_per_kwh_peak: float | None = None
    price_per_kwh_low: float | None = None
    price_per_kwh_high: float | None = None
    year: int | None = None


class CarbonRecord(SiteRecord):
    """Emissions of a kWh from the grid, in g of CO2."""

    region: str
    iso_code: str | None = None
    g_co2_per_kwh: float
    year: int | None = None
    basis: str


class WaterRecord(SiteRecord):
    """Water used for a kWh, in litres."""

    region: str
    litre_per_kwh: float


class SwitchRecord(SiteRecord):
    """A network switch: ports at their rate in Gbit/s."""

    name: str
    ports: int
    port_gbit_s: float
    rack_units: float


class RuleRecord(SiteRecord):
    """A rule of network or storage: its numbers by name in `values`, its words in `rule` or `condition`."""

    values: dict[str, float]
    rule: str | None = None
    condition: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, data: dict[str, Any]) -> dict[str, Any]:
        return gather_values(data, cls.model_fields)


SITE_SECTIONS: dict[str, type[SiteRecord]] = {
    "pue": PueRecord,
    "system_power": SystemPowerRecord,
    "electricity_price": ElectricityPriceRecord,
    "co2_intensity": CarbonRecord,
    "water_use": WaterRecord,
    "network_switches": SwitchRecord,
    "network_rules": RuleRecord,
    "storage_rules": RuleRecord,
}
