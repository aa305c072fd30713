"""Keys that every request shares: when, where, what hardware, what money. Units are those after reading."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from reportgen.scenario.fields import (
    Date,
    Days,
    Flag,
    Name,
    Percentile,
    Power,
    Share,
    SharePositive,
    Speed,
    Text,
    Whole,
    Years,
    complain,
    listed,
    money,
    quantity,
    word,
)
from reportgen.scenario.training_keys import Keys
from reportgen.scenario.units import COUNT, SHARE

RENTAL_TERMS = ("on-demand", "month", "reserved-1y", "reserved-3y", "spot")
RENTAL_TERM_NAMES = {"hourly": "on-demand", "monthly": "month", "reserved": "reserved-1y", "preemptible": "spot"}
Names = Annotated[tuple[Name, ...], BeforeValidator(listed)]


def _not_empty(value):
    if isinstance(value, list | tuple) and not value:
        raise complain("list-empty", "the list is empty", "name at least one")
    return value


class Deadline(Keys):
    """When the work must be done, for how much of it, and how surely."""

    within: Days | None = Field(None, alias="in", description="days from the start")
    by: Date | None = Field(None, description="the last day")
    covers: word("campaign", "run") | None = Field(None, alias="for", description="all runs (campaign) or each run")
    quantile: Percentile | None = Field(None, description="how surely, 0..1")


class Hardware(Keys):
    """Candidates for the request; a count fixes the size."""

    accelerators: Annotated[Names, BeforeValidator(_not_empty)] | None = Field(
        None, description="accelerators of the catalog, the first is the request"
    )
    accelerator: Name | None = Field(None, description="one accelerator of the catalog")
    count: Whole | None = Field(None, description="GPUs")
    server: Name | None = Field(None, description="server of the catalog")
    network: Speed | None = Field(None, description="Gbit/s of network a GPU")
    acquire: word("buy", "rent", purchase="buy", lease="rent", cloud="rent") | None = Field(
        None, description="buy or rent"
    )
    term: word(*RENTAL_TERMS, **RENTAL_TERM_NAMES) | None = Field(None, description="for how long it is rented")


class Tax(Keys):
    """Value-added tax on purchases."""

    rate: quantity(SHARE, most=0.5, ranged=False) | None = Field(None, description="share of the price, 0..1")
    included: Flag | None = Field(None, description="whether private prices include it")


class Site(Keys):
    """The room: limits become checks, prices become running cost."""

    name: Text | None = Field(None, description="name of the room; the request is delivered there")
    power: Power | None = Field(None, description="kW for IT equipment")
    racks: Whole | None = Field(None, description="racks that are free")
    rack_power: Power | None = Field(None, description="kW a rack")
    cooling: word("air", "liquid") | None = Field(None, description="air or liquid")
    pue: quantity(COUNT, least=1, most=3) | None = Field(None, description="total power over IT power, 1 or more")
    electricity_price: money("/kWh") | None = Field(None, description="money a kWh")
    carbon_intensity: quantity(COUNT) | None = Field(None, description="g CO2 a kWh")


class Owned(Keys):
    """Equipment that is there already."""

    accelerator: Name = Field(description="accelerator of the catalog")
    count: Whole = Field(description="GPUs")
    utilization: Share | None = Field(None, description="share of the time it is busy now, 0..1")


class Policy(Keys):
    """Rules of the house."""

    cloud_allowed: Flag | None = Field(None, description="whether data may be processed at a cloud provider")
    domestic_only: Flag | None = Field(None, description="whether only accelerators made in the region may be bought")
    vendors: Names | None = Field(None, description="vendors that may be bought")
    approval_limit: money() | None = Field(None, description="money that needs no further approval")


class Options(Keys):
    """Which alternatives may be compared with the request."""

    smaller_models: Names | None = Field(None, description="models of the catalog that would do too")
    methods: Annotated[tuple[word("full", "lora", "qlora", "freeze"), ...], BeforeValidator(listed)] | None = Field(
        None, description="training methods that would do too"
    )
    rent: Flag | None = Field(None, description="whether renting is compared")
    quantized: Flag | None = Field(None, description="whether quantized serving is compared")


class Ownership(Keys):
    """How long bought equipment serves."""

    years: Years | None = Field(None, description="years of service that the purchase is spread over")
    residual: Share | None = Field(None, description="share of the price left at the end, 0..1")
    utilization: SharePositive | None = Field(None, description="share of those years that it is busy, 0..1")
