"""Buying and renting over three and over five years, side by side, whatever the years of use are."""

from __future__ import annotations

from collections.abc import Callable

from reportgen.estimator.structure import fabric
from reportgen.formula import ALWAYS, MISSING, Constant, Feature, Formula, formula, is_known, maximum, where

HORIZONS = {"three": Constant(3.0, "years", "3"), "five": Constant(5.0, "years", "5")}


@formula(unit="money/years", symbol="k_su", source="cluster-rules", when=fabric, section="cost")
def support_cost_per_year(
    support_extension_unit_price,
    discount_support_extension,
    contingency_share,
    value_added_tax_services,
    tax_recoverable,
):
    """A year of support beyond the warranty, with reserve and the tax that is borne."""
    net = support_extension_unit_price * (1 - discount_support_extension) * (1 + contingency_share)
    borne = net * (1 + value_added_tax_services * (1 - tax_recoverable))
    return where(is_known(support_extension_unit_price), borne, MISSING)


@formula(
    unit="money/years",
    symbol="k_su",
    source="cluster-rules",
    when=~fabric,
    name="support_cost_per_year",
    section="cost",
)
def workstation_support_cost_per_year(
    workstation_support_unit_price,
    discount_workstation_support,
    contingency_share,
    value_added_tax_services,
    tax_recoverable,
):
    """A year of support beyond the warranty, with reserve and the tax that is borne."""
    net = workstation_support_unit_price * (1 - discount_workstation_support) * (1 + contingency_share)
    borne = net * (1 + value_added_tax_services * (1 - tax_recoverable))
    return where(is_known(workstation_support_unit_price), borne, MISSING)


def _over(word: str, years: Constant) -> list[Formula]:
    def workstation(purchase_cost_borne, support_cost_per_year, support_years, warranty_years, energy_cost_per_year):
        more = maximum(0, years - warranty_years) - support_years
        support = where(is_known(support_cost_per_year), support_cost_per_year * more, 0)
        energy = where(is_known(energy_cost_per_year), energy_cost_per_year * years, 0)
        return purchase_cost_borne + support + energy

    def cluster(
        purchase_cost_borne,
        support_cost_per_year,
        support_years,
        warranty_years,
        energy_cost_per_year,
        operation_cost_per_year,
    ):
        alone = workstation(
            purchase_cost_borne, support_cost_per_year, support_years, warranty_years, energy_cost_per_year
        )
        return alone + operation_cost_per_year * years

    def renting(rental_cost_of_same_use, years_of_use):
        known = is_known(rental_cost_of_same_use)
        return where(known, rental_cost_of_same_use * years / years_of_use, MISSING)

    why = f"Purchase, support after the warranty and running it, over {word} years."
    return [
        _named(cluster, f"purchase_total_cost_{word}_years", "K", why, fabric),
        _named(workstation, f"purchase_total_cost_{word}_years", "K", why, ~fabric),
        _named(renting, f"rental_cost_{word}_years", "R", f"Renting as many hours as the equipment works in {word} years."),
    ]


def _named(function: Callable, name: str, symbol: str, why: str, when: Feature = ALWAYS) -> Formula:
    function.__doc__ = why
    symbol = f"{symbol}_{name.rpartition('_years')[0].rpartition('_')[2]}"
    return formula(unit="money", symbol=symbol, source="reportgen", when=when, name=name, section="cost")(function)


OVER_YEARS = [item for word, years in HORIZONS.items() for item in _over(word, years)]
