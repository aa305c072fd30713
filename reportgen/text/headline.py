"""Which quantities an answer shows first. Keys that a job does not have are left out."""

from __future__ import annotations

from reportgen.evaluation.result import Quantity, Result

HEADLINE = (
    "gpus", "nodes", "nodes_bought", "replicas", "training_days", "training_days_p90", "batch_hours", "ttft_s", "tpot_s",
    "memory_per_gpu_gib", "it_power_kw", "capital_cost", "rental_cost", "total_cost",
    "api_cost_per_million_tokens", "own_share_of_api_cost",
)  # fmt: skip
REASONS = (  # printed with their substitution, where the job has them
    "run_tokens", "training_flops_per_token", "seconds_per_token_per_gpu", "tokens_per_second", "run_seconds",
    "run_days", "training_days", "training_days_p90", "items_per_second_needed", "replica_items_per_second",
    "peak_requests_per_second", "replica_requests_per_second", "replicas_before_rounding", "nodes", "gpus",
    "batch_hours",
)  # fmt: skip
PAID = {"buy": "purchase_cost", "rent": "rental_cost"}
BOUGHT_ONLY = ("nodes_bought", "it_power_kw")  # what is rented is powered by others
TIMES = ("training_days", "batch_hours", "tpot_s")  # the column of time in the table of options: the first that exists
MEMORY = "memory_per_gpu_gib"
LIMIT = "memory_capacity_gib"


def headline(result: Result) -> list[Quantity]:
    """The quantities that answer the request, in reading order."""
    left_out = BOUGHT_ONLY if result.facts.acquire == "rent" else ()
    present = [result.quantities[key] for key in HEADLINE if key in result.quantities and key not in left_out]
    return [quantity for quantity in present if not (quantity.unit == "money" and quantity.value == 0)]


def reasons(result: Result) -> tuple[str, ...]:
    """The quantities that show how size and price follow; the price of the way that is asked for."""
    return (*REASONS, PAID[result.facts.acquire])


def headline_values(result: Result) -> dict[str, float | str]:
    """The same as plain values, for tables of many scenarios."""
    return {quantity.key: quantity.value for quantity in headline(result)}


def memory_parts(result: Result) -> list[Quantity]:
    """What fills the memory of one accelerator, largest first."""
    whole = result.quantities.get(MEMORY)
    parts = [result.quantities[key] for key in (whole.depends_on if whole else ()) if key in result.quantities]
    known = [part for part in parts if part.unit == "GiB" and not isinstance(part.value, str) and part.value > 0]
    return sorted(known, key=lambda part: -part.value)
