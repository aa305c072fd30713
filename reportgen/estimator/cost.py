"""What it costs: the purchase, running it, what a year and an hour of owning cost, and the cost of the work done."""

from reportgen.estimator.structure import batch_inference, buy, fabric, rent, serving, shared_cluster, training
from reportgen.formula import (
    HOURS_PER_DAY,
    HOURS_PER_MONTH,
    HOURS_PER_YEAR,
    MISSING,
    MONTHS_PER_YEAR,
    Formula,
    all_of,
    ceil,
    formula,
    is_known,
    total,
    where,
)

# --- the purchase


@formula(unit="money", symbol="K_m", source="cluster-rules")
def price_movement_allowance(list_total, quoted_amount, price_movement):
    """Prices without an offer may move before the order."""
    return (list_total - quoted_amount) * price_movement


@formula(unit="money", symbol="K_c", source="xuchang-approval")
def contingency(list_total, price_movement_allowance, contingency_share):
    """What nobody has thought of."""
    return (list_total + price_movement_allowance) * contingency_share


@formula(unit="money", symbol="K_t", source="china-vat-2026")
def purchase_tax(
    goods_amount,
    services_amount,
    price_movement_allowance,
    contingency_share,
    value_added_tax_goods,
    value_added_tax_services,
):
    """Goods and services are taxed at different rates, contingency like what it stands for."""
    goods = (goods_amount + price_movement_allowance) * value_added_tax_goods
    return (goods + services_amount * value_added_tax_services) * (1 + contingency_share)


@formula(unit="money", symbol="K_p", source="reportgen")
def purchase_cost(list_total, price_movement_allowance, contingency, purchase_tax):
    """All that must be approved for a purchase."""
    return list_total + price_movement_allowance + contingency + purchase_tax


@formula(unit="money", symbol="K_n", source="china-vat-2026")
def purchase_cost_borne(purchase_cost, purchase_tax, tax_recoverable):
    """Whoever can deduct input tax does not bear it."""
    return purchase_cost - purchase_tax * tax_recoverable


# --- running


@formula(unit="money/years", symbol="k_e", source="reportgen")
def energy_cost_per_year(energy_per_year_kwh, electricity_price):
    """The electricity bill."""
    known = all_of(is_known(energy_per_year_kwh), is_known(electricity_price))
    return where(known, energy_per_year_kwh * electricity_price, MISSING)


@formula(unit="money/years", symbol="k_o", source="cluster-rules", when=fabric)
def operation_cost_per_year(operators, staff_cost_per_year, it_power_kw, colocation_price):
    """People, and rented room where the room is not one's own."""
    room = where(is_known(it_power_kw), it_power_kw, 0) * colocation_price * MONTHS_PER_YEAR
    return operators * staff_cost_per_year + room


@formula(unit="money", symbol="K_e", source="reportgen")
def energy_cost_of_use(energy_cost_per_year, years_of_use):
    """Over the years of use."""
    return where(is_known(energy_cost_per_year), energy_cost_per_year * years_of_use, MISSING)


@formula(unit="money", symbol="K_o", source="reportgen", when=fabric)
def operation_cost_of_use(operation_cost_per_year, years_of_use):
    """Over the years of use."""
    return operation_cost_per_year * years_of_use


@formula(unit="money", symbol="K_own", source="reportgen", when=fabric)
def purchase_total_cost(purchase_cost_borne, energy_cost_of_use, operation_cost_of_use):
    """Cash out over the years of use, nothing set off for what the equipment is worth then."""
    return total(purchase_cost_borne, energy_cost_of_use, operation_cost_of_use)


@formula(unit="money", symbol="K_own", source="reportgen", when=~fabric, name="purchase_total_cost")
def workstation_total_cost(purchase_cost_borne, energy_cost_of_use):
    """Cash out over the years of use."""
    return total(purchase_cost_borne, energy_cost_of_use)


# --- owning by the hour


@formula(unit="money/years", symbol="k_d", source="cluster-rules")
def depreciation_per_year(purchase_cost_borne, residual_share, years_of_use):
    """Straight line down to what it can be sold for."""
    return purchase_cost_borne * (1 - residual_share) / years_of_use


@formula(unit="money/years", symbol="k_f", source="cluster-rules")
def finance_cost_per_year(purchase_cost_borne, residual_share, finance_rate):
    """Interest on the money that is tied up on average."""
    return purchase_cost_borne * (1 + residual_share) / 2 * finance_rate


@formula(unit="money/years", symbol="k", source="cluster-rules", when=fabric)
def owned_cost_per_year(
    accelerator_servers_amount,
    depreciation_per_year,
    finance_cost_per_year,
    energy_cost_per_year,
    operation_cost_per_year,
):
    """What a year of owning costs; without a price of the servers it would mislead, so it is unknown."""
    yearly = total(depreciation_per_year, finance_cost_per_year, energy_cost_per_year, operation_cost_per_year)
    return where(is_known(accelerator_servers_amount), yearly, MISSING)


@formula(unit="money/years", symbol="k", source="cluster-rules", when=~fabric, name="owned_cost_per_year")
def workstation_cost_per_year(workstations_amount, depreciation_per_year, finance_cost_per_year, energy_cost_per_year):
    """What a year of owning costs; unknown without a price of the workstation."""
    yearly = total(depreciation_per_year, finance_cost_per_year, energy_cost_per_year)
    return where(is_known(workstations_amount), yearly, MISSING)


@formula(unit="money/h", symbol="k_h", source="cluster-rules")
def owned_cost_per_gpu_hour(owned_cost_per_year, gpus_installed, owned_utilization):
    """Idle hours are paid by the busy ones."""
    hours = gpus_installed * HOURS_PER_YEAR * owned_utilization
    return where(is_known(owned_cost_per_year), owned_cost_per_year / hours, MISSING)


# --- the job


@formula(unit="h", symbol="T_h", source="reportgen", when=training)
def job_hours(training_days):
    """All runs."""
    return where(is_known(training_days), training_days * HOURS_PER_DAY, MISSING)


@formula(unit="h", symbol="T_h", source="reportgen", when=batch_inference, name="job_hours")
def batch_job_hours(batch_hours):
    """From the first item to the last."""
    return batch_hours


@formula(unit="h", symbol="T_h", source="reportgen", when=serving, name="job_hours")
def service_hours(months_of_service):
    """A service is there day and night."""
    return months_of_service * HOURS_PER_MONTH


@formula(unit="GPUs h", symbol="H", source="reportgen")
def job_gpu_hours(gpus, job_hours):
    """What a rented cluster charges for."""
    return where(is_known(job_hours), gpus * job_hours, MISSING)


@formula(unit="share", symbol="f_life", source="reportgen")
def lifetime_share(job_gpu_hours, gpus_installed, years_of_use):
    """Small: the purchase needs other work, or renting is the answer. Above 1: the job outlasts what is bought."""
    lifetime = gpus_installed * HOURS_PER_YEAR * years_of_use
    return where(is_known(job_gpu_hours), job_gpu_hours / lifetime, MISSING)


# --- the request: what is asked for, by the way that was chosen


@formula(unit="money", symbol="K", source="reportgen", when=buy)
def capital_cost(purchase_cost):
    """A purchase is capital."""
    return purchase_cost


@formula(unit="money", symbol="K", source="reportgen", when=rent, name="capital_cost")
def rented_capital_cost():
    """Nothing is bought."""
    return 0.0


@formula(unit="money", symbol="K_all", source="reportgen", when=buy)
def total_cost(purchase_total_cost):
    """Over the years of use."""
    return purchase_total_cost


@formula(unit="money", symbol="K_all", source="reportgen", when=rent, name="total_cost")
def rented_total_cost(rental_total_cost):
    """For this job."""
    return rental_total_cost


@formula(unit="money", symbol="K_max", source="reportgen", when=buy)
def approval_ceiling(purchase_cost, approval_step):
    """A ceiling is rounded up, never down."""
    return approval_step * ceil(purchase_cost / approval_step)


@formula(unit="money", symbol="K_max", source="reportgen", when=rent, name="approval_ceiling")
def rental_ceiling(rental_cost, approval_step):
    """A ceiling is rounded up, never down."""
    return where(is_known(rental_cost), approval_step * ceil(rental_cost / approval_step), MISSING)


# --- the cost of the work done, for both ways and for the way that was chosen


@formula(unit="money", symbol="K_job", source="reportgen", when=training | batch_inference)
def owned_job_cost(owned_cost_per_gpu_hour, job_gpu_hours):
    """The job pays for the hours that it uses; other work pays for the rest."""
    known = all_of(is_known(owned_cost_per_gpu_hour), is_known(job_gpu_hours))
    return where(known, owned_cost_per_gpu_hour * job_gpu_hours, MISSING)


@formula(unit="money", symbol="K_job", source="reportgen", when=serving, name="owned_job_cost")
def owned_service_cost(owned_cost_per_year, months_of_service):
    """A service has its equipment to itself, by night too."""
    known = is_known(owned_cost_per_year)
    return where(known, owned_cost_per_year * months_of_service / MONTHS_PER_YEAR, MISSING)


@formula(unit="money", symbol="K_job", source="reportgen", when=buy)
def job_cost(owned_job_cost):
    """The job on bought equipment."""
    return owned_job_cost


@formula(unit="money", symbol="K_job", source="reportgen", when=rent, name="job_cost")
def rented_job_cost(rental_total_cost):
    """The job on rented equipment."""
    return rental_total_cost


def _per_run(name: str, job: str, label: str) -> Formula:
    def each(job_cost, runs):
        return where(is_known(job_cost), job_cost / runs, MISSING)

    each.__doc__ = f"All runs cost alike, {label}."
    item = formula(unit="money", symbol="k_run", source="reportgen", when=training, name=name, section="cost")(each)
    item.parameters = (job, "runs")
    return item


def _per_million_tokens(name: str, job: str, label: str) -> list[Formula]:
    def of_service(job_cost, months_of_service, million_tokens_per_month):
        return where(is_known(job_cost), job_cost / (months_of_service * million_tokens_per_month), MISSING)

    def of_batch(job_cost, batch_million_tokens):
        return where(is_known(job_cost), job_cost / batch_million_tokens, MISSING)

    def of_shared_service(job_cost, months_of_service, million_tokens_per_month, own_cluster_share):
        tokens = months_of_service * million_tokens_per_month
        return where(is_known(job_cost), job_cost * own_cluster_share / tokens, MISSING)

    found = []
    kinds = ((of_service, serving & ~shared_cluster), (of_shared_service, serving & shared_cluster), (of_batch, batch_inference))
    for function, when in kinds:
        function.__doc__ = f"The number that prices of services are quoted in, {label}."
        declare = formula(
            unit="money/million tokens", symbol="k_tok", source="reportgen", when=when, name=name, section="cost"
        )
        item = declare(function)
        item.parameters = (job, *item.parameters[1:])
        found.append(item)
    return found


WAYS = (
    ("purchase_", "owned_job_cost", "on bought equipment"),
    ("rental_", "rental_total_cost", "on rented equipment"),
    ("", "job_cost", "by the way that is asked for"),
)
COST_PER_RUN = [_per_run(f"{way}cost_per_run", job, label) for way, job, label in WAYS]
COST_PER_MILLION_TOKENS = [
    item for way, job, label in WAYS for item in _per_million_tokens(f"{way}cost_per_million_tokens", job, label)
]
