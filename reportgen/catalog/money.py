"""Money of one currency: dated exchange rates, tax taken out, the private price book that wins over public prices."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Literal

from reportgen.catalog.price_records import ExchangeRateRecord
from reportgen.errors import CatalogError, Place, Problem

if TYPE_CHECKING:
    from reportgen.catalog.load import Catalog

PriceBasis = Literal[
    "quote",
    "list",
    "market",
    "estimate",
    "median",
    "on_demand",
    "node_month",
    "node_month_1y",
    "capacity_block",
    "assumption",
    "spot",
]


@dataclass(frozen=True)
class Price:
    """A price in the scenario's currency, without tax. `low` and `high` are None where no range is known."""

    base: float
    low: float | None
    high: float | None
    currency: str
    basis: PriceBasis
    source: str
    source_key: str
    as_of: str
    confidence: str = ""
    tax_assumed_excluded: bool = False  # the source does not say whether tax is included
    date_printed: bool = True  # False: the source prints no date and as_of is the day it was read
    note: str = ""

    def times(self, factor: float) -> Price:
        """The price of another unit: each end times a factor."""
        return replace(
            self,
            base=self.base * factor,
            low=None if self.low is None else self.low * factor,
            high=None if self.high is None else self.high * factor,
        )


def middle(low: float, high: float) -> float:
    """The base of a range of prices: the geometric middle, since prices err by factors."""
    return math.sqrt(low * high)


@dataclass(frozen=True)
class BookPrice:
    """A line of a private price book, as written. `tax_rate` is a share; None where the line does not state it."""

    item: str
    kind: str  # server, rent, line, or rate
    price: float
    currency: str
    unit: str
    tax: Literal["excluded", "included", "unknown"]
    source: str
    as_of: str
    low: float | None = None
    high: float | None = None
    tax_rate: float | None = None
    term: str = ""
    place: Place = field(default_factory=Place)


SERVICES = {"ai_software_gpu_year", "rental_storage_tb_month", "rental_egress_tb", "rental_service_month"}


def in_china(region: str | None) -> bool:
    """Whether a site is in mainland China, by its code: CN, or one of its provinces."""
    return (region or "").upper().partition("-")[0] == "CN"


def tax_rates(catalog: Catalog, region: str | None, given: float | None = None) -> tuple[float, float]:
    """Rates of value-added tax on goods and on services: the given one for both, else China's in China, none elsewhere."""
    if given is not None:
        return given, given
    if not in_china(region):
        return 0.0, 0.0
    goods, services = (float(catalog.constants[f"value_added_tax_{kind}"].value) for kind in ("goods", "services"))
    return goods, services


def _rate_of(line: BookPrice) -> ExchangeRateRecord:
    """A rate of the book: one unit of the item costs so much of the currency."""
    return ExchangeRateRecord(
        id=f"{line.item}-{line.currency}".lower(),
        base=line.item,
        quote=line.currency,
        rate=line.price,
        source=line.source,
        source_key="scenario",
        as_of=line.as_of,
    )


@dataclass(frozen=True)
class Money:
    """How amounts become the scenario's: currency, exchange rates, tax rate of prices that include tax, price book."""

    currency: str = "CNY"
    rates: tuple[ExchangeRateRecord, ...] = ()
    price_book: tuple[BookPrice, ...] = ()
    tax_rate: float = 0.0
    services_tax_rate: float = 0.0  # of rents and licences

    @classmethod
    def of(
        cls,
        catalog: Catalog,
        currency: str = "CNY",
        price_book: Sequence[BookPrice] = (),
        rates: Iterable[ExchangeRateRecord] = (),
        taxes: tuple[float, float] = (0.0, 0.0),
    ) -> Money:
        """Money with the catalog's exchange rates; own `rates` win, then those of the book. taxes: rates of `tax_rates`.

        Raises CatalogError for a line of the book in a currency that no exchange rate is known for.
        """
        book = tuple(line for line in price_book if line.kind != "rate")
        own = tuple(_rate_of(line) for line in reversed(tuple(price_book)) if line.kind == "rate")
        money = cls(currency, (*rates, *own, *catalog.exchange_rates.values()), book, *taxes)
        problems = [money._no_rate(line) for line in money.price_book if money.convert(1.0, line.currency) is None]
        if problems:
            raise CatalogError(*problems)
        return money

    def _no_rate(self, line: BookPrice) -> Problem:
        message = f"no exchange rate from {line.currency} to {self.currency} for '{line.item}'"
        return Problem("exchange-rate", message, f"state the price in {self.currency}", line.place)

    def rate_from(self, currency: str) -> ExchangeRateRecord | None:
        """The rate from `currency` to the scenario's, as a record with date and source; None when none is known."""
        for record in self.rates:
            if (record.base, record.quote) == (currency, self.currency):
                return record
            if (record.quote, record.base) == (currency, self.currency):
                return record.model_copy(update={"base": currency, "quote": self.currency, "rate": 1 / record.rate})
        return None

    def convert(self, amount: float | None, currency: str) -> float | None:
        """An amount in the scenario's currency; None when it is absent or no exchange rate is known."""
        if amount is None or currency == self.currency:
            return amount
        record = self.rate_from(currency)
        return None if record is None else amount * record.rate

    def price(self, base: float | None, low: float | None, high: float | None, currency: str, **facts) -> Price | None:
        """A Price of converted amounts; a range without base gets its geometric middle. None without exchange rate."""
        if base is None and low is not None:
            base = low if high is None else middle(low, high)
        converted = self.convert(base, currency)
        if converted is None:
            return None
        return Price(converted, self.convert(low, currency), self.convert(high, currency), self.currency, **facts)

    def book_price(self, kind: str, item: str, term: str = "") -> Price | None:
        """The private price of an item, without tax; None when the book has none. The last line of the book wins."""
        for line in reversed(self._book.get((kind, item), ())):
            if not term or line.term in ("", term):
                return self._from_book(line)
        return None

    @cached_property
    def _book(self) -> dict[tuple[str, str], list[BookPrice]]:
        lines: dict[tuple[str, str], list[BookPrice]] = {}
        for line in self.price_book:
            lines.setdefault((line.kind, line.item), []).append(line)
        return lines

    def _from_book(self, line: BookPrice) -> Price | None:
        usual = self.services_tax_rate if line.kind == "rent" or line.item in SERVICES else self.tax_rate
        rate = usual if line.tax_rate is None else line.tax_rate
        divisor = 1 + rate if line.tax == "included" else 1.0
        return self.price(
            line.price / divisor,
            None if line.low is None else line.low / divisor,
            None if line.high is None else line.high / divisor,
            line.currency,
            basis="quote",
            source=line.source,
            source_key="scenario",
            as_of=line.as_of,
            confidence="given",
            tax_assumed_excluded=line.tax == "unknown",
        )
