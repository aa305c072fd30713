"""Which quantities stand in the tables of layouts, options and tests, by kind of job; and how lines get their facts."""

from __future__ import annotations

TRAINING_LAYOUT = (
    "data_parallel", "weights_per_gpu_gib", "gradients_per_gpu_gib", "optimizer_per_gpu_gib", "activations_per_gpu_gib",
    "logits_per_gpu_gib", "temporary_per_gpu_gib", "overhead_per_gpu_gib", "memory_per_gpu_gib", "memory_usable_gib",
    "memory_capacity_gib", "recomputation_factor", "bubble_factor", "training_days", "training_days_p90", "layout_divides",
    "memory_fits", "in_time",
)  # fmt: skip
SERVING_LAYOUT = (
    "weights_per_gpu_gib", "key_value_cache_per_gpu_gib", "activation_reserve_gib", "runtime_reserve_gib", "memory_per_gpu_gib",
    "memory_usable_gib", "memory_capacity_gib", "ttft_s", "tpot_s", "replica_requests_per_second", "replicas", "nodes",
    "stranded_gpus", "fits", "ttft_met", "tpot_met", "divides", "context_fits", "carries_peak", "user_tokens_offered",
    "gpu_tokens_offered",
)  # fmt: skip
BATCH_LAYOUT = (
    "weights_per_gpu_gib", "key_value_cache_per_gpu_gib", "activation_reserve_gib", "runtime_reserve_gib", "memory_per_gpu_gib",
    "memory_usable_gib", "memory_capacity_gib", "replica_items_per_second", "replicas", "nodes", "batch_hours", "fits", "divides",
    "context_fits", "window_met",
)  # fmt: skip
MEMORY_PARTS = {
    "training": (
        "weights_per_gpu_gib", "gradients_per_gpu_gib", "optimizer_per_gpu_gib", "activations_per_gpu_gib", "logits_per_gpu_gib",
        "temporary_per_gpu_gib", "overhead_per_gpu_gib",
    ),
    "inference": ("weights_per_gpu_gib", "key_value_cache_per_gpu_gib", "activation_reserve_gib", "runtime_reserve_gib"),
}  # fmt: skip
OPTION_VALUES = (
    "gpus", "nodes", "gpus_bought", "nodes_bought", "memory_per_gpu_gib", "memory_usable_gib", "memory_capacity_gib", "run_days",
    "training_days", "training_days_p90", "days_to_deadline", "batch_hours", "batch_hours_p90", "replicas", "ttft_s", "tpot_s",
    "capacity_requests_per_second", "purchase_cost", "purchase_total_cost", "rental_cost", "rental_total_cost",
    "rental_cost_of_same_use", "owned_job_cost", "it_power_kw", "facility_power_kw", "purchase_cost_per_run",
    "rental_cost_per_run", "purchase_cost_per_million_tokens", "rental_cost_per_million_tokens", "unpriced_lines", "lifetime_share",
    "rental_price", "node_price", "layout_found", "main_line_priced", "other_lines_total", "rental_unpriced_lines",
    "rental_billed_gpu_hours", "nodes_reused", "delivery_weeks", "needs_liquid",
)  # fmt: skip


def layout_columns(features: frozenset[str]) -> tuple[str, ...]:
    """Quantities of the Layouts table beside the layout variables."""
    if "training" in features:
        return TRAINING_LAYOUT
    return SERVING_LAYOUT if "serving" in features else BATCH_LAYOUT


def memory_parts(features: frozenset[str]) -> tuple[str, ...]:
    """The parts of the memory of one GPU, in the order of the bar."""
    return MEMORY_PARTS["training" if "training" in features else "inference"]
