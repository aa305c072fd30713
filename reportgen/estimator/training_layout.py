"""How GPUs share one training: degrees, batches, and whether they go into each other."""

from reportgen.estimator.structure import (
    budget_objective,
    buy,
    cheapest_objective,
    deadline,
    dense,
    expert_tensor,
    hybrid_sharding,
    mixture_of_experts,
    rent,
    training,
)
from reportgen.formula import (
    above,
    all_of,
    any_of,
    at_least,
    at_most,
    ceil,
    equals,
    formula,
    is_known,
    ln,
    maximum,
    minimum,
    modulo,
    where,
)

ZERO = "zero-2020"
MEGATRON = "megatron-2021"
mixture = training & mixture_of_experts
chosen_by_money = budget_objective | cheapest_objective


@formula(unit="GPUs", symbol="n", source="reportgen", when=training)
def gpus(fixed_gpu_count, nodes, gpus_per_node):
    """A count that the scenario fixes wins over whole nodes; 0 means that none is fixed."""
    return where(above(fixed_gpu_count, 0), fixed_gpu_count, nodes * gpus_per_node)


@formula(unit="GPUs", symbol="n_r", source=MEGATRON, when=training)
def gpus_per_replica(tensor_parallel, pipeline_parallel, context_parallel):
    """GPUs that share the work on one sequence."""
    return tensor_parallel * pipeline_parallel * context_parallel


@formula(unit="replicas", symbol="D", source=MEGATRON, when=training)
def data_parallel(gpus, gpus_per_replica):
    """Replicas that each read other data."""
    return gpus / gpus_per_replica


@formula(unit="GPUs", symbol="D_s", source="fsdp-2023", when=training & hybrid_sharding, name="state_shards")
def state_shards_of_group(data_parallel, context_parallel, sharding_group):
    """States are split inside a group of GPUs, and every group has a copy."""
    return minimum(data_parallel * context_parallel, sharding_group)


@formula(unit="GPUs", symbol="D_s", source=ZERO, when=training & ~hybrid_sharding, name="state_shards")
def state_shards(data_parallel, context_parallel):
    """States of the weights are the same on every replica and part of a sequence, so they can be split there."""
    return data_parallel * context_parallel


@formula(
    unit="GPUs",
    symbol="D_e",
    source="megatron-lm",
    when=mixture & ~expert_tensor & ~hybrid_sharding,
    name="expert_shards",
)
def expert_shards(gpus, pipeline_parallel, expert_parallel):
    """GPUs that hold the same experts."""
    return gpus / (pipeline_parallel * expert_parallel)


@formula(
    unit="GPUs",
    symbol="D_e",
    source="megatron-lm",
    when=mixture & expert_tensor & ~hybrid_sharding,
    name="expert_shards",
)
def expert_shards_of_cut_experts(gpus, pipeline_parallel, expert_parallel, expert_tensor_parallel):
    """GPUs that hold the same parts of the same experts."""
    return gpus / (pipeline_parallel * expert_parallel * expert_tensor_parallel)


@formula(
    unit="GPUs", symbol="D_e", source="fsdp-2023", when=mixture & ~expert_tensor & hybrid_sharding, name="expert_shards"
)
def expert_shards_of_group(gpus, pipeline_parallel, expert_parallel, sharding_group):
    """GPUs of one group that hold the same experts."""
    return minimum(gpus / (pipeline_parallel * expert_parallel), sharding_group)


@formula(
    unit="GPUs", symbol="D_e", source="fsdp-2023", when=mixture & expert_tensor & hybrid_sharding, name="expert_shards"
)
def expert_shards_of_cut_experts_in_group(
    gpus, pipeline_parallel, expert_parallel, expert_tensor_parallel, sharding_group
):
    """GPUs of one group that hold the same parts of the same experts."""
    return minimum(gpus / (pipeline_parallel * expert_parallel * expert_tensor_parallel), sharding_group)


@formula(unit="layers", symbol="L_p", source=MEGATRON, when=training)
def layers_per_stage(layers, pipeline_parallel):
    """Layers of the fullest pipeline stage."""
    return ceil(layers / pipeline_parallel)


@formula(unit="batches", symbol="m", source=MEGATRON, when=training)
def micro_batches(global_batch, data_parallel, micro_batch):
    """Micro-batches of a replica between two updates; the batch is rounded up to whole ones."""
    return maximum(1, ceil(global_batch / (data_parallel * micro_batch)))


@formula(unit="sequences", symbol="B_eff", source="reportgen", when=training)
def effective_global_batch(micro_batches, data_parallel, micro_batch):
    """The batch that this layout really runs."""
    return micro_batches * data_parallel * micro_batch


# Whether the degrees go into each other


@formula(unit="flag", symbol="ok_t", source=MEGATRON, when=training)
def tensor_parallel_divides(attention_heads, tensor_parallel):
    """Whole heads on every GPU; leaving the fast link is allowed, and priced as slow."""
    return where(equals(modulo(attention_heads, tensor_parallel), 0), 1, 0)


@formula(unit="flag", symbol="ok_p", source=MEGATRON, when=training)
def pipeline_divides(layers, pipeline_parallel, virtual_stages, micro_batches, zero_stage):
    """A layer in every stage; interleaving wants equal chunks; a pipeline goes with ZeRO-1 at most."""
    chunks = equals(modulo(layers, pipeline_parallel * virtual_stages), 0)
    rounds = equals(modulo(micro_batches, pipeline_parallel), 0)
    interleaves = any_of(at_most(virtual_stages, 1), all_of(chunks, rounds))
    sharding = any_of(at_most(pipeline_parallel, 1), at_most(zero_stage, 1))
    return where(all_of(at_most(pipeline_parallel, layers), interleaves, sharding), 1, 0)


@formula(unit="flag", symbol="ok_n", source="fsdp-2023", when=training & hybrid_sharding, name="gpus_divide")
def gpus_divide_into_groups(gpus, gpus_per_replica, data_parallel, context_parallel, sharding_group):
    """Whole replicas, at least one, and whole groups of them that share states."""
    shared = data_parallel * context_parallel
    groups = any_of(at_most(shared, sharding_group), equals(modulo(shared, sharding_group), 0))
    whole = all_of(at_least(gpus, gpus_per_replica), equals(modulo(gpus, gpus_per_replica), 0))
    return where(all_of(whole, groups), 1, 0)


@formula(unit="flag", symbol="ok_n", source=MEGATRON, when=training & ~hybrid_sharding, name="gpus_divide")
def gpus_divide(gpus, gpus_per_replica):
    """Whole replicas, at least one."""
    return where(all_of(at_least(gpus, gpus_per_replica), equals(modulo(gpus, gpus_per_replica), 0)), 1, 0)


@formula(unit="flag", symbol="ok_B", source="reportgen", when=training)
def batch_divides(effective_global_batch, global_batch, batch_rounding_share):
    """Rounding up to whole micro-batches may enlarge the batch only a little."""
    return where(at_most(effective_global_batch, global_batch * (1 + batch_rounding_share)), 1, 0)


@formula(unit="flag", symbol="ok_e", source="megatron-lm", when=mixture & expert_tensor, name="experts_divide")
def cut_experts_divide(experts, expert_parallel, expert_tensor_parallel, gpus, pipeline_parallel):
    """Whole experts on every group of GPUs that cuts them, and whole groups."""
    groups = equals(modulo(gpus, pipeline_parallel * expert_parallel * expert_tensor_parallel), 0)
    return where(all_of(equals(modulo(experts, expert_parallel), 0), groups), 1, 0)


@formula(unit="flag", symbol="ok_e", source="megatron-lm", when=mixture & ~expert_tensor, name="experts_divide")
def experts_divide(experts, expert_parallel, gpus, pipeline_parallel):
    """Whole experts on every GPU, and whole groups of GPUs that share them."""
    groups = equals(modulo(gpus, pipeline_parallel * expert_parallel), 0)
    return where(all_of(equals(modulo(experts, expert_parallel), 0), groups), 1, 0)


@formula(unit="flag", symbol="ok_e", source="megatron-lm", when=training & dense, name="experts_divide")
def experts_divide_dense(expert_parallel):
    """A dense model has no experts to deal out."""
    return where(at_most(expert_parallel, 1), 1, 0)


@formula(unit="flag", symbol="ok_d", source="reportgen", when=training)
def layout_divides(tensor_parallel_divides, pipeline_divides, gpus_divide, batch_divides, experts_divide):
    """All degrees go into each other."""
    return tensor_parallel_divides * pipeline_divides * gpus_divide * batch_divides * experts_divide


# The rank: the smallest key of all candidates is chosen, so keys are unique and infeasible ones are huge


@formula(unit="flag", symbol="ok", source="reportgen", when=training & ~deadline & ~budget_objective, name="layout_ok")
def layout_ok(layout_divides, memory_fits, host_memory_fits, offload_permitted):
    """It can run."""
    return layout_divides * memory_fits * host_memory_fits * offload_permitted


@formula(unit="flag", symbol="ok", source="reportgen", when=training & budget_objective, name="layout_ok")
def layout_ok_within_budget(layout_divides, memory_fits, host_memory_fits, offload_permitted, budget_allows):
    """It can run, and is not known to be above the budget."""
    return layout_divides * memory_fits * host_memory_fits * offload_permitted * budget_allows


@formula(unit="flag", symbol="ok", source="reportgen", when=training & deadline & ~budget_objective, name="layout_ok")
def layout_ok_in_time(layout_divides, memory_fits, host_memory_fits, offload_permitted, in_time):
    """It can run, and ends in time."""
    return layout_divides * memory_fits * host_memory_fits * offload_permitted * in_time


@formula(unit="flag", symbol="ok_o", source="reportgen", when=training)
def offload_permitted(offload_level, offload_allowed):
    """Nothing waits in host memory unless the scenario allows it."""
    return where(any_of(at_most(offload_level, 0), at_least(offload_allowed, 1)), 1, 0)


@formula(unit="key", symbol="k_o", source="reportgen", when=training)
def offload_rank(offload_level, offload_last):
    """What stays on the GPUs comes before every size that does not; where the smallest at all is asked, before equal sizes."""
    return where(at_least(offload_last, 1), offload_level * 1e5, offload_level / 10)


@formula(unit="share", symbol="u_d", source="reportgen", when=training)
def days_rank(training_days, rank_scale_days):
    """Days pressed between 0 and 1, so that they decide only among equal sizes."""
    return training_days / (training_days + rank_scale_days)


@formula(unit="key", symbol="k_r", source="reportgen", when=training & ~chosen_by_money, name="layout_rank")
def layout_rank(layout_ok, offload_rank, fixed_gpu_count, nodes, days_rank, layout_number):
    """Fewest nodes first, then fewest days; with a fixed count only days; among equals the earlier row."""
    size = offload_rank + where(above(fixed_gpu_count, 0), 0, nodes)
    return where(at_least(layout_ok, 1), size + (days_rank + layout_number * 1e-7) / 10, 1e9 + layout_number)


@formula(
    unit="key",
    symbol="k_r",
    source="reportgen",
    when=training & budget_objective & ~cheapest_objective,
    name="layout_rank",
)
def layout_rank_fastest(layout_ok, offload_rank, amount_against_budget, nodes, days_rank, layout_number):
    """With a budget and no deadline the fastest that the money buys; without a price the smallest, as money sizes nothing."""
    size = offload_rank + where(is_known(amount_against_budget), 0, nodes)
    return where(at_least(layout_ok, 1), size + days_rank + layout_number * 1e-7, 1e9 + layout_number)


@formula(unit="key", symbol="k_r", source="reportgen", when=training & cheapest_objective & buy, name="layout_rank")
def layout_rank_cheapest_purchase(
    layout_ok,
    offload_rank,
    requested_amount,
    rank_scale_money,
    main_line_priced,
    gpu_hours,
    rank_scale_gpu_hours,
    days_rank,
    layout_number,
):
    """The least money first, then the fewest days; where the servers have no price, the fewest hours of GPUs."""
    cost = where(
        at_least(main_line_priced, 1), ln(requested_amount / rank_scale_money), ln(gpu_hours / rank_scale_gpu_hours)
    )
    size = offload_rank + 100 + cost
    return where(at_least(layout_ok, 1), size + days_rank / 1000 + layout_number * 1e-7, 1e9 + layout_number)


@formula(unit="key", symbol="k_r", source="reportgen", when=training & cheapest_objective & rent, name="layout_rank")
def layout_rank_cheapest_rent(
    layout_ok, offload_rank, requested_amount, rank_scale_money, gpu_hours, rank_scale_gpu_hours, days_rank, layout_number
):
    """The least rent first, then the fewest days; where rent has no price, the fewest hours of GPUs."""
    cost = where(
        is_known(requested_amount), ln(requested_amount / rank_scale_money), ln(gpu_hours / rank_scale_gpu_hours)
    )
    size = offload_rank + 100 + cost
    return where(at_least(layout_ok, 1), size + days_rank / 1000 + layout_number * 1e-7, 1e9 + layout_number)
