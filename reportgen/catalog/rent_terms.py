"""Rents by term: on demand, by the month, reserved for one or three years, spot. Published first, else the usual discount."""

from __future__ import annotations

from dataclasses import replace

from reportgen.catalog.load import Catalog
from reportgen.catalog.money import Money, Price
from reportgen.catalog.price_book import GRADE_CONFIDENCE, median_of, recent, rent

TERMS = ("on-demand", "month", "reserved-1y", "reserved-3y", "spot")
BOOK_TERMS = {"on-demand": "hour", "month": "month", "reserved-1y": "year", "reserved-3y": "3-years", "spot": "spot"}
HOURLY = ("median", "on_demand")


def rent_of_term(catalog: Catalog, money: Money, accelerator: str, term: str) -> Price | None:
    """The rent of a GPU hour on a term, without tax. None when nothing says what it is: quote needed."""
    private = money.book_price("rent", accelerator, BOOK_TERMS[term])
    if private is not None or term in ("on-demand", "month"):
        return private or rent(catalog, money, accelerator, BOOK_TERMS[term])
    if term == "reserved-3y":
        return _three_years(catalog, money, accelerator)
    return _one_year(catalog, money, accelerator) if term == "reserved-1y" else _spot(catalog, money, accelerator)


def _one_year(catalog: Catalog, money: Money, accelerator: str) -> Price | None:
    price = rent(catalog, money, accelerator, "year")
    if price is None or price.basis not in (*HOURLY, "quote"):
        return price
    return _discounted(catalog, price, "reserved_discount")


def _three_years(catalog: Catalog, money: Money, accelerator: str) -> Price | None:
    year = rent_of_term(catalog, money, accelerator, "reserved-1y")
    if year is None or year.basis == "node_month":
        return year
    factor = catalog.constants["three_years_against_one"]
    return replace(year.times(factor.value), basis="estimate", source_key=factor.source, confidence=factor.confidence)


def _spot(catalog: Catalog, money: Money, accelerator: str) -> Price | None:
    """Spot offers of the last year by the newest rent of the accelerator, as for every other rent."""
    records = recent([item for item in catalog.rents.values() if item.accelerator == accelerator])
    offers = [
        (amount, item)
        for item in records
        if (amount := money.convert(item.per_gpu_hour_spot, item.currency)) is not None
    ]
    if offers:
        return _middle_offer(money, offers)
    hourly = rent(catalog, money, accelerator)
    return _discounted(catalog, hourly, "spot_discount") if hourly and hourly.basis in (*HOURLY, "quote") else None


def _middle_offer(money: Money, offers: list) -> Price:
    amounts = sorted(amount for amount, _ in offers)
    base = median_of(amounts)
    record = min(offers, key=lambda pair: (abs(pair[0] - base), pair[1].id))[1]
    return Price(
        base,
        amounts[0],
        amounts[-1],
        money.currency,
        basis="spot",
        source=record.source,
        source_key=record.source_key,
        as_of=max(record.as_of for _, record in offers),
        confidence="published",
        tax_assumed_excluded=record.tax == "unknown",
    )


def _discounted(catalog: Catalog, price: Price, discount: str) -> Price:
    """On demand less the usual discount, whose ends widen the range."""
    record = catalog.components[discount]
    least, most = record.low, record.high or record.low
    low, high = price.low or price.base, price.high or price.base
    return replace(
        price,
        base=price.base * (1 - (least + most) / 2),
        low=low * (1 - most),
        high=high * (1 - least),
        basis="estimate",
        source=f"{price.source}, less {record.item}: {record.source}",
        source_key=record.source_key,
        confidence=GRADE_CONFIDENCE[record.grade],
    )
