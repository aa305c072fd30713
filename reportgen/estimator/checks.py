"""What must hold in every result: each check compares two quantities; the workbook writes the same comparisons live."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.estimator.structure import (
    approval_limit,
    batch_inference,
    budget,
    buy,
    deadline,
    end_date,
    fabric,
    inference,
    latency_objectives,
    measured_rate,
    rent,
    serving,
    site_cooling,
    site_power_limit,
    site_rack_limit,
    start_date,
    training,
)  # fmt: skip
from reportgen.formula import ALWAYS, MISSING, Feature, above, at_most, equals, formula, is_known, where

AT_MOST, EQUALS, AT_LEAST = "<=", "=", ">="
BASE, ADVERSE = 1, 2


@formula(unit="GPUs", symbol="n_x", source="megatron-2021", when=training)
def gpus_of_degrees(tensor_parallel, pipeline_parallel, context_parallel, data_parallel):
    """The degrees of a layout multiply to its GPUs."""
    return tensor_parallel * pipeline_parallel * context_parallel * data_parallel


@formula(unit="money", symbol="K_ask", source="reportgen", when=buy)
def requested_amount(purchase_cost):
    """What is asked for is the purchase, tax and contingency included."""
    return purchase_cost + 0


@formula(unit="money", symbol="K_ask", source="reportgen", when=rent, name="requested_amount")
def requested_rent(rental_cost):
    """What is asked for is the rent of this job, tax and contingency included."""
    return where(is_known(rental_cost), rental_cost, MISSING)


@formula(unit="money", symbol="K_bud", source="reportgen", when=(budget | approval_limit) & buy)
def amount_against_budget(requested_amount, main_line_priced):
    """An amount without its servers says nothing about a limit; other lines without a price come on top."""
    return where(equals(main_line_priced, 1), requested_amount, MISSING)


@formula(unit="money", symbol="K_bud", source="reportgen", when=(budget | approval_limit) & rent, name="amount_against_budget")
def rent_against_budget(requested_amount):
    """Unknown while the rent is."""
    return where(is_known(requested_amount), requested_amount, MISSING)


@formula(unit="flag", symbol="ok_K", source="reportgen", when=budget)
def within_budget(amount_against_budget, budget_amount):
    """Inside the budget, which nothing is while its main price is missing."""
    known = is_known(amount_against_budget)
    return where(known, where(at_most(amount_against_budget, budget_amount), 1, 0), 0)


@formula(unit="flag", symbol="ok_k", source="reportgen", when=budget)
def budget_allows(amount_against_budget, within_budget):
    """A budget rules no size out whose price is not known."""
    return where(is_known(amount_against_budget), within_budget, 1)


@formula(unit="money", symbol="K_sum", source="reportgen", when=buy)
def sum_of_parts(list_total, price_movement_allowance, contingency, purchase_tax):
    """The parts that the request prints."""
    return list_total + price_movement_allowance + contingency + purchase_tax


@formula(unit="flag", symbol="ok_R", source="reportgen", when=rent)
def rental_priced(rental_price):
    """A rent without a price is an open point, never zero."""
    return where(is_known(rental_price), 1, 0)


@formula(unit="share", symbol="f_w", source="reportgen", when=buy)
def lifetime_share_wanted(gpus_bought, rent_compared_below_share):
    """Where nothing is bought, no share of it need be used."""
    return where(above(gpus_bought, 0), rent_compared_below_share, 0)


@dataclass(frozen=True)
class CheckRule:
    """left (relation) right, both names of quantities or numbers; `unless` is the word if it does not hold."""

    key: str
    left: str
    relation: str
    right: str | float
    unless: str = "FAIL"
    tolerance: float = 0.0
    when: Feature = ALWAYS
    case: int = BASE  # of the left side


CHECKS = (
    CheckRule("layout_found", "layout_found", AT_LEAST, 1),
    CheckRule("memory_fits", "memory_per_gpu_gib", AT_MOST, "memory_usable_gib"),
    CheckRule("memory_fits_p90", "memory_per_gpu_gib_p90", AT_MOST, "memory_capacity_gib", "LOOK", when=training),
    CheckRule("memory_fits_adverse", "memory_per_gpu_gib", AT_MOST, "memory_capacity_gib", "LOOK", case=ADVERSE),
    CheckRule("deadline_met", "days_to_deadline", AT_MOST, "deadline_days", when=training & deadline),
    CheckRule("degrees_multiply", "gpus_of_degrees", EQUALS, "gpus", tolerance=1e-9, when=training),
    CheckRule("batch_kept", "effective_global_batch", AT_LEAST, "global_batch", "LOOK", when=training),
    CheckRule("first_token_in_time", "ttft_s", AT_MOST, "ttft_objective_s", when=serving & latency_objectives),
    CheckRule("next_token_in_time", "tpot_s", AT_MOST, "tpot_objective_s", when=serving & latency_objectives),
    CheckRule("carries_peak", "capacity_requests_per_second", AT_LEAST, "peak_requests_per_second", when=serving),
    CheckRule(
        "carries_peak_p90",
        "capacity_requests_per_second",
        AT_LEAST,
        "peak_requests_per_second_p90",
        "LOOK",
        when=serving,
    ),
    CheckRule("context_fits", "context_fits", AT_LEAST, 1, when=inference),
    CheckRule("window_met", "window_met", AT_LEAST, 1, when=batch_inference),
    CheckRule("window_met_p90", "window_met_p90", AT_LEAST, 1, "LOOK", when=batch_inference & ~measured_rate),
    CheckRule("parts_sum", "sum_of_parts", EQUALS, "purchase_cost", tolerance=0.01, when=buy),
    CheckRule("all_priced", "unpriced_lines", AT_MOST, 0, "LOOK", when=buy),
    CheckRule("rent_priced", "rental_priced", AT_LEAST, 1, "LOOK", when=rent),
    CheckRule("budget_kept", "amount_against_budget", AT_MOST, "budget_amount", when=budget),
    CheckRule("site_power_kept", "it_power_kw", AT_MOST, "site_power_limit_kw", when=site_power_limit),
    CheckRule("racks_kept", "racks", AT_MOST, "site_rack_limit", when=site_rack_limit),
    CheckRule("cooling_suits", "needs_liquid", AT_MOST, "site_liquid_cooling", when=fabric & site_cooling),
    CheckRule("approval_suffices", "amount_against_budget", AT_MOST, "approval_limit_amount", "LOOK", when=approval_limit),
    CheckRule("delivered_in_time", "delivery_days", AT_MOST, "days_until_start", when=start_date),
    CheckRule("done_in_time", "days_until_done", AT_MOST, "days_until_end", when=training & deadline & end_date),
    CheckRule("rental_term_used", "rental_used_share", AT_LEAST, "rental_used_least", "LOOK", when=rent),
    CheckRule("lifetime_used", "lifetime_share", AT_LEAST, "lifetime_share_wanted", "LOOK", when=buy),
)


def checks_of(features: frozenset[str]) -> tuple[CheckRule, ...]:
    """The checks of a structure, in order."""
    return tuple(rule for rule in CHECKS if rule.when(features))
