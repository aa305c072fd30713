"""Inputs of money and site: prices of the hardware list, rates, room, energy."""

from __future__ import annotations

from dataclasses import replace

from reportgen.catalog import Catalog
from reportgen.catalog.money import in_china
from reportgen.catalog.price_book import component_price
from reportgen.estimator.rental import RENTAL_PRICE_INPUTS
from reportgen.estimator.request_list import PRICE_INPUTS, lines_of
from reportgen.evaluation.draft import Draft
from reportgen.formula import MISSING
from reportgen.scenario import Amount, Scenario

ISO_CODES = {
    "CN": "CHN",
    "US": "USA",
    "GB": "GBR",
    "JP": "JPN",
    "KR": "KOR",
    "IN": "IND",
    "SG": "SGP",
    "DE": "DEU",
    "FR": "FRA",
    "EU": "EU",
}


def put_money_inputs(draft: Draft, features: frozenset[str]) -> None:
    """Prices, tax, years of use, room and energy."""
    for item in (*PRICE_INPUTS, *RENTAL_PRICE_INPUTS):
        draft.price(item.key, component_price(draft.catalog, draft.money, item.component))
    for line in lines_of(features):
        draft.put(line.offer, 0.0, origin="default", source="reportgen", confidence="assumed", note="offer")
        draft.put(line.discount, 0.0, origin="default", source="reportgen", confidence="assumed", note="discount")
    draft.put("offer_rental", 0.0, origin="default", source="reportgen", confidence="assumed", note="offer")
    draft.take("rental_term", draft.scenario.hardware.term or "on-demand", "hardware.term")
    _dates(draft)
    _rates(draft)
    _site(draft)


def _dates(draft: Draft) -> None:
    """Days from the request to the days that were named, for the lead times."""
    scenario = draft.scenario
    last = scenario.deadline.by if scenario.deadline else None
    if scenario.start:
        draft.take("days_until_start", float((scenario.start - scenario.date).days), "start")
    if last:
        draft.take("days_until_end", float((last - scenario.date).days), "deadline.by")


def _rates(draft: Draft) -> None:
    scenario = draft.scenario
    draft.take("contingency_share", scenario.contingency, "contingency")
    china = in_china(scenario.region)
    draft.take("value_added_tax_goods", draft.money.tax_rate, "tax.rate", "china-vat-2026" if china else "reportgen")
    if scenario.was_given("tax.rate") or not china:  # else the constant of the catalog, with its source
        draft.take("value_added_tax_services", draft.money.services_tax_rate, "tax.rate")
    draft.take("years_of_use", scenario.ownership.years, "ownership.years")
    if scenario.was_given("ownership.residual"):
        draft.take("residual_share", scenario.ownership.residual, "ownership.residual")
    if scenario.ownership.utilization is not None:
        draft.take("owned_utilization", scenario.ownership.utilization, "ownership.utilization")
    if scenario.budget:
        draft.take("budget_amount", _money(draft, scenario.budget), "budget")
    if scenario.policy.approval_limit is not None:
        draft.take("approval_limit_amount", _money(draft, scenario.policy.approval_limit), "policy.approval_limit")


def _money(draft: Draft, amount: Amount) -> float:
    converted = draft.money.convert(amount.value, amount.currency or draft.scenario.currency)
    return MISSING if converted is None else converted


def _site(draft: Draft) -> None:
    site = draft.scenario.site
    if site.pue is not None:
        draft.take("pue", site.pue, "site.pue")
    if site.electricity_price is not None:
        draft.take("electricity_price", _money(draft, site.electricity_price), "site.electricity_price")
    else:
        _published_electricity(draft)
    if site.carbon_intensity is not None:
        draft.take("grid_co2_g_per_kwh", site.carbon_intensity, "site.carbon_intensity")
    else:
        _published_carbon(draft)
    if site.power is not None:
        draft.take("site_power_limit_kw", site.power, "site.power")
    if site.racks is not None:
        draft.take("site_rack_limit", float(site.racks), "site.racks")
    if site.rack_power is not None:
        draft.take("rack_power_limit_kw", site.rack_power, "site.rack_power")
    if site.cooling is not None:
        draft.take("site_liquid_cooling", float(site.cooling == "liquid"), "site.cooling")
    network = draft.scenario.hardware.network
    if network is not None:
        draft.take("given_network_gbit_s", float(network), "hardware.network")


def region_of(scenario: Scenario) -> str:
    """The country code of the site; China where nothing says otherwise."""
    return (scenario.region or "CN").upper()


def _published_electricity(draft: Draft) -> None:
    records = [record for record in draft.catalog.site_sections["electricity_price"].values() if record.price_per_kwh]
    region = region_of(draft.scenario)
    match = next((r for r in records if r.region == region), None) or next(
        (r for r in records if r.region == region[:2]), None
    )
    if match is None:
        draft.put("electricity_price", MISSING, origin="catalog", source="catalog", confidence="")
        return
    price = draft.money.convert(match.price_per_kwh, match.currency)
    draft.put("electricity_price", MISSING if price is None else price, origin="catalog", source=match.source_key, as_of=match.as_of,
              confidence="published", note=match.source)  # fmt: skip


def _published_carbon(draft: Draft) -> None:
    code = ISO_CODES.get(region_of(draft.scenario)[:2], "")
    records = draft.catalog.site_sections["co2_intensity"].values()
    match = next((record for record in records if record.iso_code == code), None)
    value = MISSING if match is None else match.g_co2_per_kwh
    source = match.source_key if match else "catalog"
    draft.put(
        "grid_co2_g_per_kwh",
        value,
        origin="catalog",
        source=source,
        confidence="published",
        as_of=match.as_of if match else "",
    )


def price_book_of(scenario: Scenario, catalog: Catalog, path: str | None):
    """The private price book of the scenario or of the command line, read; () without one."""
    from pathlib import Path

    from reportgen.catalog.private_prices import read_price_book

    chosen = path or scenario.prices
    book = read_price_book(Path(chosen), catalog) if chosen else ()
    if not scenario.tax.included:
        return book
    return tuple(replace(line, tax="included") if line.tax == "unknown" else line for line in book)
