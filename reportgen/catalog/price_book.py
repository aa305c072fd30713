"""Prices of servers, rents and hardware lines: private book first, else the newest published. Missing stays missing."""

from __future__ import annotations

from dataclasses import replace

from reportgen.catalog.load import Catalog
from reportgen.catalog.money import Money, Price, middle
from reportgen.catalog.price_records import ComponentLineRecord, ComponentRecord, RentRecord

# term -> kinds of rent that answer it, best first; a term without a record falls back to the hourly ones
RENT_KINDS = {
    "hour": ("median", "on_demand"),
    "month": ("node_month",),
    "year": ("node_month_1y",),
    "block": ("capacity_block",),
}
LAST_RESORT = ("node_month", "node_month_1y", "capacity_block", "assumption")
RENT_CONFIDENCE = {None: "published", "high": "published", "medium": "published", "low": "assumed"}
GRADE_CONFIDENCE = {"A": "published", "B": "published", "C": "vendor", "D": "assumed"}


def rent(catalog: Catalog, money: Money, accelerator: str, term: str = "hour") -> Price | None:
    """The rent of a GPU hour, host included, without tax.

    The private book wins; else the newest median of that accelerator and term, else on demand (the middle of the
    offers), else whatever term is published, with its basis. Records older than
    a year before the newest do not count. None when nothing is published.
    """
    private = money.book_price("rent", accelerator, term)
    if private is not None:
        return private
    records = recent([record for record in catalog.rents.values() if record.accelerator == accelerator])
    order = [*RENT_KINDS[term], *(kind for kind in RENT_KINDS["hour"] if kind not in RENT_KINDS[term])]
    for kind in [*order, *(kind for kind in LAST_RESORT if kind not in order)]:
        price = _rent_of_kind(catalog, money, [record for record in records if record.kind == kind])
        if price is not None:
            return price
    return None


def _rent_of_kind(catalog: Catalog, money: Money, records: list[RentRecord]) -> Price | None:
    if not records:
        return None
    priced = [
        (amount, record)
        for record in records
        if (amount := money.convert(record.price_per_gpu_hour, record.currency)) is not None
    ]
    if not priced:
        return None
    base = median_of(sorted(amount for amount, _ in priced))
    record = min(priced, key=lambda pair: (abs(pair[0] - base), pair[1].id))[1]
    low, high = _rent_range(catalog, money, record, base)
    offers = f"middle of {len(priced)} offers, one of them: " if len(priced) > 1 else ""
    return Price(
        base,
        low,
        high,
        money.currency,
        basis=record.kind,
        source=offers + record.source,
        source_key=record.source_key,
        as_of=max(priced_record.as_of for _, priced_record in priced),
        confidence=RENT_CONFIDENCE[record.confidence],
        tax_assumed_excluded=record.tax == "unknown",
        note=record.note or "",
    )


def _rent_range(catalog: Catalog, money: Money, record: RentRecord, base: float) -> tuple[float, float]:
    """The printed range of a rent; where one number is printed, as far as rents moved within half a year."""
    if record.per_gpu_hour_low is not None and record.per_gpu_hour_high is not None:
        low = money.convert(record.per_gpu_hour_low, record.currency)
        high = money.convert(record.per_gpu_hour_high, record.currency)
        return min(low, base), max(high, base)
    movement = catalog.constants["rent_movement"].value
    return base / movement, base * movement


def median_of(ordered: list[float]) -> float:
    """The middle of ordered amounts; of two, the geometric middle."""
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else middle(ordered[half - 1], ordered[half])


def recent(records: list[RentRecord]) -> list[RentRecord]:
    """Records not older than a year before the newest."""
    newest = max((record.as_of for record in records), default="")
    return [record for record in records if _year_before(newest) <= record.as_of]


def _year_before(date: str) -> str:
    """The same date a year earlier; dates are text of one to three parts, which compare as text."""
    return f"{int(date[:4]) - 1}{date[4:]}"


def server_price(catalog: Catalog, money: Money, accelerator: str, server: str | None = None) -> Price | None:
    """The price of a node of an accelerator, without tax: private book, else the newest published price of any basis.

    Published ranges keep their ends; their base is the geometric middle. None when no price is published.
    server: one that is named in place of the usual; prices of other servers then say nothing.
    """
    usual = catalog.accelerators[accelerator].default_server
    names = (server, accelerator) if server else (accelerator, usual)
    private = next((price for name in names if name and (price := money.book_price("server", name))), None)
    if private is not None:
        return private
    prices = _printed_prices(catalog, money, server or usual)
    if server in (None, usual):
        prices += _component_servers(catalog, money, accelerator)
    return max(prices, key=lambda price: price.as_of, default=None)


def _printed_prices(catalog: Catalog, money: Money, server: str | None) -> list[Price]:
    if server is None:
        return []
    record = catalog.servers[server]
    prices = (
        money.price(
            None,
            price.low,
            price.high,
            price.currency,
            basis=price.basis,
            source=price.source,
            source_key=price.source_key,
            as_of=price.as_of,
            confidence="published" if price.basis == "list" else "assumed",
            tax_assumed_excluded=price.tax == "unknown",
            note=record.note or "",
        )
        for price in record.prices
    )
    return [price for price in prices if price is not None]


def _component_servers(catalog: Catalog, money: Money, accelerator: str) -> list[Price]:
    """Component records that are a server, or a rack shared out over its nodes. Undated ones do not count."""
    prices = (
        _component(money, record).times(1 / record.nodes)
        for record in catalog.components.values()
        if record.accelerator == accelerator and record.date_printed and _component(money, record) is not None
    )
    return list(prices)


def component_price(catalog: Catalog, money: Money, key: str) -> Price | None:
    """The unit price of a line of the hardware list (leaf_switch_ndr, rack, ...), or the share that it adds.

    Private book first; else the records that component_lines.yaml names. None without a public price: quote needed.
    Lines whose unit is "share" carry shares of the hardware price and no currency.
    """
    private = money.book_price("line", key)
    if private is not None:
        return private
    line = catalog.component_lines.get(key)
    if line is None:
        return None
    if line.low is not None:
        return _share(line)
    return _line_price(catalog, money, line)


def _share(line: ComponentLineRecord) -> Price:
    base = (line.low + line.high) / 2  # shares add, so their middle is the arithmetic one
    return Price(
        base,
        line.low,
        line.high,
        "",
        basis="estimate",
        source=line.note or line.source,
        source_key=line.source,
        as_of=line.as_of,
        confidence=GRADE_CONFIDENCE[line.grade or "D"],
        note=line.note or "",
    )


def _line_price(catalog: Catalog, money: Money, line: ComponentLineRecord) -> Price | None:
    records = [catalog.components[name] for name in line.components]
    priced = [(price, record) for record in records if (price := _component(money, record)) is not None]
    if not priced:
        return None
    low = min(price.low for price, _ in priced) * line.factor_low
    high = max(price.high or price.base for price, _ in priced) * line.factor_high
    first, record = priced[0]
    grade = line.grade or max(record.grade for _, record in priced)
    return replace(
        first,
        base=middle(low, high),
        low=low,
        high=high,
        confidence=GRADE_CONFIDENCE[grade],
        note=line.note or first.note,
        source=f"{record.item}: {record.source}",
    )


def _component(money: Money, record: ComponentRecord) -> Price | None:
    if record.currency is None:
        return Price(
            record.low if record.high is None else (record.low + record.high) / 2,
            record.low,
            record.high,
            "",
            basis="estimate",
            source=record.source,
            source_key=record.source_key,
            as_of=record.as_of,
            confidence=GRADE_CONFIDENCE[record.grade],
            note=record.note or "",
            date_printed=record.date_printed,
        )
    return money.price(
        None,
        record.low,
        record.high,
        record.currency,
        basis="estimate",
        source=record.source,
        source_key=record.source_key,
        as_of=record.as_of,
        confidence=GRADE_CONFIDENCE[record.grade],
        tax_assumed_excluded=record.tax == "unknown",
        note=record.note or "",
        date_printed=record.date_printed,
    )
