"""Whether the network carries what the replicas exchange: what it would have to carry, beside what is there."""

from reportgen.estimator.structure import given_network, hybrid_sharding, step_model
from reportgen.formula import BITS_PER_BYTE, at_least, at_most, formula, maximum, where

FSDP = "fsdp-2023"


@formula(unit="GB/s", symbol="B_net", source="scenario", when=step_model & given_network, name="network_gb_s_per_gpu")
def network_gb_s_per_gpu_given(given_network_gbit_s):
    """The network that the scenario states, for one GPU in one direction."""
    return given_network_gbit_s / BITS_PER_BYTE


@formula(unit="Gbit/s", symbol="B_has", source="catalog", when=step_model)
def network_gbit_s_per_gpu(network_gb_s_per_gpu):
    """The same as networks are sold."""
    return network_gb_s_per_gpu * BITS_PER_BYTE


@formula(
    unit="s/token", symbol="t_xch", source=FSDP, when=step_model & ~hybrid_sharding, name="full_exchange_seconds"
)
def full_exchange_seconds(zero_stage, gathering_seconds, reduction_seconds, exposed_reduction_share):
    """The exchange between replicas as if nothing of it were hidden."""
    return where(at_least(zero_stage, 3), gathering_seconds, reduction_seconds / exposed_reduction_share)


@formula(unit="s/token", symbol="t_xch", source=FSDP, when=step_model & hybrid_sharding, name="full_exchange_seconds")
def full_exchange_seconds_of_groups(
    zero_stage,
    sharding_group,
    tensor_parallel,
    fast_domain,
    gathering_seconds,
    reduction_seconds,
    exposed_reduction_share,
):
    """Groups sum their gradients between them; weights travel between servers only where a group is wider than a fast link."""
    inside = at_most(sharding_group * tensor_parallel, fast_domain)
    gathered = where(at_least(zero_stage, 3), where(inside, 0, gathering_seconds), 0)
    return gathered + reduction_seconds / exposed_reduction_share


@formula(unit="Gbit/s", symbol="B_need", source=FSDP, when=step_model)
def network_needed_gbit_s(
    full_exchange_seconds, pipeline_seconds, replica_link_gb_s, replicas_in_domain, gpus, fast_domain, gpus_per_node
):
    """A network this fast would finish the exchange while the GPUs compute; inside a server or a fast link none is needed."""
    needed = replica_link_gb_s * full_exchange_seconds / pipeline_seconds / replicas_in_domain * BITS_PER_BYTE
    return where(at_most(gpus, maximum(fast_domain, gpus_per_node)), 0, needed)


@formula(unit="share", symbol="x_xch", source=FSDP, when=step_model)
def exchange_share(exchange_seconds, seconds_per_token_per_gpu):
    """Share of a step in which GPUs wait for other replicas."""
    return exchange_seconds / seconds_per_token_per_gpu


@formula(unit="share", symbol="x_tp", source="megatron-2021", when=step_model)
def tensor_exchange_share(tensor_seconds, seconds_per_token_per_gpu):
    """Share of a step that the exchange inside layers takes."""
    return tensor_seconds / seconds_per_token_per_gpu


@formula(unit="flag", symbol="ok_net", source=FSDP, when=step_model)
def network_is_enough(network_needed_gbit_s, network_gbit_s_per_gpu):
    """The network is at least as fast as the exchange wants it."""
    return where(at_most(network_needed_gbit_s, network_gbit_s_per_gpu), 1, 0)
