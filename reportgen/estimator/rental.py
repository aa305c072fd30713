"""Renting for this job: the price by term, the hours that are charged, and the rental list with its sums."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.catalog.yaml_data import read_data
from reportgen.estimator.request_list import PriceInput
from reportgen.estimator.structure import batch_inference, inference, rent, serving, training
from reportgen.formula import (
    BYTE,
    DAY,
    GIGABYTE,
    HOURS_PER_MONTH,
    HOURS_PER_YEAR,
    MILLION,
    MISSING,
    TERABYTE,
    above,
    all_of,
    ceil,
    equals,
    formula,
    is_known,
    maximum,
    pick,
    total,
    where,
)

TERMS = ("on-demand", "month", "reserved-1y", "reserved-3y", "spot")


@dataclass(frozen=True)
class RentalLine:
    """A line of the rental list. `quantity`, `price` and `amount` name quantities, `price_input` the input behind a price."""

    key: str
    quantity: str
    unit: str
    price: str
    price_unit: str
    amount: str
    lead_time_weeks: float
    price_input: str = ""


def _read_rental() -> tuple[tuple[PriceInput, ...], tuple[RentalLine, ...]]:
    content = read_data("request_lines")
    prices = tuple(PriceInput(key, **fields) for key, fields in content["rental_prices"].items())
    return prices, tuple(RentalLine(key, **fields) for key, fields in content["rental"].items())


RENTAL_PRICE_INPUTS, RENTAL_LINES = _read_rental()


def rental_lines_of(features: frozenset[str]) -> tuple[RentalLine, ...]:
    """The rental list, where the request is to rent."""
    return RENTAL_LINES if rent(features) else ()


# --- the hours


@formula(unit="h", symbol="t_min", source="reportgen")
def rental_term_hours(rental_term, rental_month_hours, rental_year_hours, rental_years_of_long_term):
    """What a term commits to; on demand and spot commit to nothing."""
    longer = where(equals(rental_term, "reserved-3y"), rental_years_of_long_term * rental_year_hours, 0)
    year_or_longer = where(equals(rental_term, "reserved-1y"), rental_year_hours, longer)
    return where(equals(rental_term, "month"), rental_month_hours, year_or_longer)


@formula(unit="share", symbol="o_sp", source="ml-engineering", when=training)
def rental_interruption_overhead(
    rental_term, nodes, spot_interruptions_per_node_day, restart_seconds, checkpoint_interval_seconds
):
    """Each time a spot node is taken back the whole job restarts and repeats half a checkpoint interval."""
    lost = restart_seconds + checkpoint_interval_seconds / 2
    overhead = nodes * spot_interruptions_per_node_day * lost / DAY
    return where(equals(rental_term, "spot"), overhead, 0)


@formula(unit="share", symbol="o_sp", source="ml-engineering", when=inference, name="rental_interruption_overhead")
def served_interruption_overhead(rental_term, spot_interruptions_per_node_day, restart_seconds):
    """A spot node that is taken back carries nothing until another has loaded the model."""
    return where(equals(rental_term, "spot"), spot_interruptions_per_node_day * restart_seconds / DAY, 0)


@formula(unit="h", symbol="T_r", source="reportgen")
def rental_hours(job_hours, rental_interruption_overhead):
    """How long the instances are held."""
    return where(is_known(job_hours), job_hours * (1 + rental_interruption_overhead), MISSING)


@formula(unit="h", symbol="T_b", source="reportgen")
def rental_billed_hours(rental_hours, rental_term_hours, rental_least_hours):
    """A reserved term is paid to its end, used or not."""
    unit = maximum(rental_term_hours, rental_least_hours)
    whole = where(is_known(rental_hours), unit * ceil(rental_hours / unit), MISSING)
    return where(above(rental_term_hours, 0), whole, rental_hours)


@formula(unit="GPUs h", symbol="H_r", source="reportgen")
def rental_gpu_hours(gpus, rental_hours, rental_reserve_share):
    """Hours that the job needs, with more nodes than needed where a failed one is replaced slowly."""
    return where(is_known(rental_hours), gpus * (1 + rental_reserve_share) * rental_hours, MISSING)


@formula(unit="GPUs h", symbol="H_b", source="reportgen")
def rental_billed_gpu_hours(gpus, rental_billed_hours, rental_reserve_share):
    """Hours that are charged, whether they compute or not."""
    return where(is_known(rental_billed_hours), gpus * (1 + rental_reserve_share) * rental_billed_hours, MISSING)


@formula(unit="share", symbol="f_use", source="reportgen")
def rental_used_share(rental_gpu_hours, rental_billed_gpu_hours):
    """A small share says that a shorter term, or on demand, costs less."""
    known = is_known(rental_billed_gpu_hours)
    return where(known, rental_gpu_hours / rental_billed_gpu_hours, MISSING)


# --- quantities beside the instances


@formula(unit="TB months", symbol="D_r", source="reportgen")
def rental_storage_tb_months(storage_needed_tb, rental_hours):
    """What the job keeps, for as long as it runs."""
    return where(is_known(rental_hours), storage_needed_tb * rental_hours / HOURS_PER_MONTH, MISSING)


@formula(unit="TB", symbol="D_e", source="reportgen", when=training)
def rental_egress_tb(exported_weights_gb, runs, milestone_checkpoints):
    """The weights of every run are taken home, and those of its milestones."""
    return exported_weights_gb * runs * (1 + milestone_checkpoints) * GIGABYTE / TERABYTE


@formula(unit="TB", symbol="D_e", source="reportgen", when=serving, name="rental_egress_tb")
def served_egress_tb(million_tokens_per_month, months_of_service, bytes_per_token_sent):
    """Text is small: at most all tokens leave."""
    return million_tokens_per_month * months_of_service * MILLION * bytes_per_token_sent * BYTE / TERABYTE


@formula(unit="TB", symbol="D_e", source="reportgen", when=batch_inference, name="rental_egress_tb")
def batch_egress_tb(batch_million_tokens, bytes_per_token_sent):
    """Text is small: at most all tokens leave."""
    return batch_million_tokens * MILLION * bytes_per_token_sent * BYTE / TERABYTE


@formula(unit="months", symbol="n_rm", source="reportgen")
def rental_months(rental_billed_hours):
    """Support is paid while the instances are."""
    return where(is_known(rental_billed_hours), rental_billed_hours / HOURS_PER_MONTH, MISSING)


@formula(unit="lots", symbol="n_al", source="reportgen")
def rental_allowance_lots(rental_extras_share):
    """One allowance for what has no price of its own."""
    return where(above(rental_extras_share, 0), 1, 0)


# --- the price of an hour


@formula(unit="money/h", symbol="r_l", source="catalog")
def rental_listed_price(
    accelerators_rent_per_gpu_hour,
    accelerators_rent_month,
    accelerators_rent_reserved_1y,
    accelerators_rent_reserved_3y,
    accelerators_rent_spot,
    accelerator_row,
    rental_term,
):
    """As published for the term, else on demand less the usual discount of the term."""
    hourly = pick(accelerators_rent_per_gpu_hour, accelerator_row)
    spot_or_hourly = where(equals(rental_term, "spot"), pick(accelerators_rent_spot, accelerator_row), hourly)
    long = where(
        equals(rental_term, "reserved-3y"), pick(accelerators_rent_reserved_3y, accelerator_row), spot_or_hourly
    )
    year = where(equals(rental_term, "reserved-1y"), pick(accelerators_rent_reserved_1y, accelerator_row), long)
    return where(equals(rental_term, "month"), pick(accelerators_rent_month, accelerator_row), year)


@formula(unit="money/h", symbol="r_h", source="catalog")
def rental_price(rental_listed_price, rent_price_factor, offer_rental):
    """An offer wins; else the published rent, moved within its range."""
    published = where(is_known(rental_listed_price), rental_listed_price * rent_price_factor, MISSING)
    return where(above(offer_rental, 0), offer_rental, published)


@formula(unit="money", symbol="R_g", source="reportgen")
def rental_gpu_cost(rental_billed_gpu_hours, rental_price):
    """Hours are charged whether they compute or restart."""
    known = all_of(is_known(rental_billed_gpu_hours), is_known(rental_price))
    return where(known, rental_billed_gpu_hours * rental_price, MISSING)


# --- storage, traffic, service: priced where a price is known, else inside the allowance


@formula(unit="money", symbol="R_st", source="reportgen")
def rental_storage_amount(rental_storage_tb_months, rental_storage_price):
    """Unknown without a price; the allowance then stands for it."""
    known = all_of(is_known(rental_storage_tb_months), is_known(rental_storage_price))
    return where(known, rental_storage_tb_months * rental_storage_price, MISSING)


@formula(unit="money", symbol="R_eg", source="reportgen")
def rental_egress_amount(rental_egress_tb, rental_egress_price):
    """Unknown without a price; the allowance then stands for it."""
    return where(is_known(rental_egress_price), rental_egress_tb * rental_egress_price, MISSING)


@formula(unit="money", symbol="R_sv", source="reportgen")
def rental_service_amount(rental_months, rental_service_price):
    """Unknown without a price; the allowance then stands for it."""
    known = all_of(is_known(rental_months), is_known(rental_service_price))
    return where(known, rental_months * rental_service_price, MISSING)


@formula(unit="lines", symbol="n_al", source="reportgen")
def rental_open_lines(rental_storage_price, rental_egress_price, rental_service_price):
    """Lines that the allowance stands for."""
    storage, egress = where(is_known(rental_storage_price), 0, 1), where(is_known(rental_egress_price), 0, 1)
    return storage + egress + where(is_known(rental_service_price), 0, 1)


@formula(unit="money", symbol="R_al", source="h100-rent-2026")
def rental_allowance(
    rental_gpu_cost,
    rental_extras_share,
    rental_storage_amount,
    rental_egress_amount,
    rental_service_amount,
    rental_open_lines,
):
    """Bills are 30 to 50 % above the rate; what has its own price is taken off, and once all has, nothing is added."""
    usual = where(is_known(rental_gpu_cost), rental_gpu_cost * rental_extras_share, 0)
    left = maximum(0, usual - total(rental_storage_amount, rental_egress_amount, rental_service_amount))
    return where(is_known(rental_gpu_cost), where(above(rental_open_lines, 0), left, 0), MISSING)


@formula(unit="money", symbol="R_x", source="h100-rent-2026")
def rental_extras_cost(
    rental_storage_amount, rental_egress_amount, rental_service_amount, rental_allowance, rental_gpu_cost
):
    """Storage, traffic and services come on top of the rate."""
    extras = total(rental_storage_amount, rental_egress_amount, rental_service_amount, rental_allowance)
    return where(is_known(rental_gpu_cost), extras, MISSING)


@formula(unit="lines", symbol="n_rq", source="reportgen")
def rental_unpriced_lines(rental_gpu_cost, rental_open_lines, rental_extras_share):
    """The rate, and what neither a price nor the allowance covers."""
    uncovered = where(above(rental_extras_share, 0), 0, rental_open_lines)
    return where(is_known(rental_gpu_cost), 0, 1) + uncovered


# --- the sums


@formula(unit="money", symbol="R_l", source="reportgen")
def rental_list_total(rental_gpu_cost, rental_extras_cost):
    """The rental list, without tax and reserve."""
    return where(is_known(rental_gpu_cost), rental_gpu_cost + rental_extras_cost, MISSING)


@formula(unit="money", symbol="R_c", source="xuchang-approval")
def rental_contingency(rental_list_total, contingency_share):
    """The same reserve as for a purchase, so that both compare."""
    return where(is_known(rental_list_total), rental_list_total * contingency_share, MISSING)


@formula(unit="money", symbol="R_t", source="china-vat-2026")
def rental_tax(rental_list_total, rental_contingency, value_added_tax_services):
    """Computing as a service."""
    known = is_known(rental_list_total)
    return where(known, (rental_list_total + rental_contingency) * value_added_tax_services, MISSING)


@formula(unit="money", symbol="R", source="reportgen")
def rental_cost(rental_list_total, rental_contingency, rental_tax):
    """All that must be approved to rent for this job alone."""
    known = is_known(rental_list_total)
    return where(known, rental_list_total + rental_contingency + rental_tax, MISSING)


@formula(unit="money", symbol="R_n", source="china-vat-2026")
def rental_total_cost(rental_cost, rental_tax, tax_recoverable):
    """Whoever can deduct input tax does not bear it."""
    return where(is_known(rental_cost), rental_cost - rental_tax * tax_recoverable, MISSING)


@formula(unit="money/h", symbol="r_all", source="reportgen")
def rental_cost_per_gpu_hour(rental_total_cost, rental_used_share, job_gpu_hours):
    """With extras, reserve and tax, of a term that is used to its end: what to hold against owning."""
    used = where(is_known(rental_total_cost), rental_total_cost * rental_used_share, MISSING)
    return where(is_known(used), used / job_gpu_hours, MISSING)


@formula(unit="money", symbol="R_y", source="reportgen", when=training | batch_inference)
def rental_cost_of_same_use(rental_cost_per_gpu_hour, gpus_installed, years_of_use, owned_utilization):
    """Renting as many hours as the bought equipment would work."""
    hours = gpus_installed * HOURS_PER_YEAR * years_of_use * owned_utilization
    return where(is_known(rental_cost_per_gpu_hour), rental_cost_per_gpu_hour * hours, MISSING)


@formula(unit="money", symbol="R_y", source="reportgen", when=serving, name="rental_cost_of_same_use")
def rental_cost_of_same_service(rental_cost_per_gpu_hour, gpus_installed, years_of_use):
    """A service is rented for every hour of the years that bought equipment would last."""
    hours = gpus_installed * HOURS_PER_YEAR * years_of_use
    return where(is_known(rental_cost_per_gpu_hour), rental_cost_per_gpu_hour * hours, MISSING)


@formula(unit="share", symbol="u_0", source="cluster-rules")
def break_even_utilization(owned_cost_per_year, gpus_installed, rental_cost_per_gpu_hour):
    """Busier than this, owning is cheaper; above 1 it never is."""
    known = all_of(is_known(owned_cost_per_year), is_known(rental_cost_per_gpu_hour))
    hours = gpus_installed * HOURS_PER_YEAR
    return where(known, owned_cost_per_year / (hours * rental_cost_per_gpu_hour), MISSING)
