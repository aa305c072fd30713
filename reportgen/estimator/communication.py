"""Exchange between GPUs in a step, as seconds of one GPU for a token: inside layers, between experts, between replicas."""

from reportgen.estimator.structure import (
    dense,
    expert_tensor,
    freeze,
    full,
    given_network,
    grouped_attention,
    hybrid_sharding,
    latent_attention,
    mixture_of_experts,
    step_model,
)
from reportgen.formula import (
    BITS_PER_BYTE,
    BYTE,
    GIGABYTE,
    at_least,
    at_most,
    exp,
    formula,
    is_known,
    ln,
    maximum,
    minimum,
    pick,
    where,
)

FITTED = "calibration"
MEGATRON = "megatron-2021"
FSDP = "fsdp-2023"
mixture = step_model & mixture_of_experts


# Links


@formula(
    unit="GB/s",
    symbol="B_net",
    source="catalog",
    when=step_model & ~given_network,
    name="network_gb_s_per_gpu",
)
def network_gb_s_per_gpu(
    accelerators_node_nic_count, accelerators_node_nic_gbit_s, accelerator_row, gpus_per_node, least_network_gb_s
):
    """Share of one GPU in the network of its node, in one direction."""
    cards = pick(accelerators_node_nic_count, accelerator_row)
    share = cards * pick(accelerators_node_nic_gbit_s, accelerator_row) / gpus_per_node / BITS_PER_BYTE
    return where(is_known(share), share, least_network_gb_s)


@formula(unit="GPUs", symbol="n_dom", source="catalog", when=step_model)
def fast_domain(nvlink_domain):
    """GPUs that reach each other by the fast link."""
    return maximum(1, nvlink_domain)


@formula(unit="GB/s", symbol="B_nd", source="catalog", when=step_model)
def node_link_gb_s(accelerators_pcie_gb_s, accelerator_row, link_gb_s):
    """What joins a GPU to its host, and GPUs of a node without a fast link to each other: PCIe."""
    slot = pick(accelerators_pcie_gb_s, accelerator_row)
    return where(is_known(slot), slot, link_gb_s)


@formula(unit="GPUs", symbol="n_nd", source="catalog", when=step_model)
def joined_gpus(fast_domain, gpus_per_node):
    """GPUs that reach each other without the network."""
    return maximum(fast_domain, gpus_per_node)


@formula(unit="GB/s", symbol="B_t", source=MEGATRON, when=step_model)
def tensor_link_gb_s(tensor_parallel, fast_domain, link_gb_s, joined_gpus, node_link_gb_s, network_gb_s_per_gpu):
    """Tensor parallelism inside the fast link, inside the node, or over the network."""
    beyond = where(at_most(tensor_parallel, joined_gpus), node_link_gb_s, network_gb_s_per_gpu)
    return where(at_most(tensor_parallel, fast_domain), link_gb_s, beyond)


@formula(unit="GB/s", symbol="B_c", source="megatron-lm", when=step_model)
def context_link_gb_s(
    tensor_parallel, context_parallel, fast_domain, link_gb_s, joined_gpus, node_link_gb_s, network_gb_s_per_gpu
):
    """Parts of a sequence exchange keys and values inside the fast link, inside the node, or over the network."""
    ranks = tensor_parallel * context_parallel
    beyond = where(at_most(ranks, joined_gpus), node_link_gb_s, network_gb_s_per_gpu)
    return where(at_most(ranks, fast_domain), link_gb_s, beyond)


@formula(unit="GPUs", symbol="n_in", source=FSDP, when=step_model)
def replicas_in_domain(joined_gpus, tensor_parallel, context_parallel, data_parallel):
    """Replicas that sum their gradients without the network before it carries the sum."""
    inside = joined_gpus / minimum(joined_gpus, tensor_parallel * minimum(context_parallel, joined_gpus))
    return maximum(1, minimum(data_parallel, inside))


@formula(unit="GB/s", symbol="B_d", source=FSDP, when=step_model)
def replica_link_gb_s(
    gpus, fast_domain, link_gb_s, joined_gpus, node_link_gb_s, network_gb_s_per_gpu, replicas_in_domain
):
    """Bandwidth between replicas: the fast link inside a domain, PCIe inside a node, all network cards beyond."""
    inside = where(at_most(minimum(gpus, joined_gpus), fast_domain), link_gb_s, node_link_gb_s)
    beyond = minimum(inside, network_gb_s_per_gpu * replicas_in_domain)
    return where(at_most(gpus, joined_gpus), inside, beyond)


@formula(unit="GB/s", symbol="B_e", source="deepseek-v3-2024", when=mixture)
def expert_link_gb_s(expert_ranks_in_domain, fast_domain, link_gb_s, node_link_gb_s):
    """Experts of a domain exchange by the fast link, or over PCIe."""
    return where(at_most(expert_ranks_in_domain, fast_domain), link_gb_s, node_link_gb_s)


# Inside a layer


@formula(unit="s/token", symbol="t_tp", source=MEGATRON, when=step_model)
def tensor_seconds(tensor_exposure, layer_passes, tensor_parallel, hidden_size, layers, tensor_link_gb_s):
    """Two gathers and two scatters of the activations a layer and pass, 16 bits a channel."""
    volume = 4 * (layer_passes - 1) * (tensor_parallel - 1) * 2 * hidden_size * layers * BYTE
    return tensor_exposure * volume / (tensor_link_gb_s * GIGABYTE)


@formula(
    unit="B", symbol="b_kv", source="megatron-lm", when=step_model & grouped_attention, name="passed_key_value_bytes"
)
def passed_key_value_bytes(key_value_width):
    """Keys and values of a token and layer, as parts of a sequence pass them on."""
    return 4 * key_value_width * BYTE


@formula(
    unit="B",
    symbol="b_kv",
    source="deepseek-v2-2024",
    when=step_model & latent_attention,
    name="passed_key_value_bytes",
)
def passed_key_value_bytes_latent(query_width, attention_output_width):
    """Latent attention passes unfolded keys and values."""
    return 2 * (query_width + attention_output_width) * BYTE


@formula(unit="s/token", symbol="t_cp", source="megatron-lm", when=step_model)
def context_seconds(
    context_exposure, context_parallel, passed_key_value_bytes, layer_passes, layers, context_link_gb_s
):
    """Keys and values travel round all parts of the sequence in every layer."""
    volume = (context_parallel - 1) * passed_key_value_bytes * layer_passes * layers
    return context_exposure * volume / (context_link_gb_s * GIGABYTE)


# Between experts


@formula(unit="GPUs", symbol="e_in", source="deepseek-v3-2024", when=mixture)
def expert_ranks_in_domain(expert_parallel, joined_gpus):
    """GPUs that share the experts and reach each other without the network."""
    return minimum(expert_parallel, joined_gpus)


@formula(unit="domains", symbol="n_far", source="deepseek-v3-2024", when=mixture)
def far_domains_per_token(expert_parallel, expert_ranks_in_domain, experts_per_token):
    """The network carries a token once to each other domain that holds one of its experts, not once an expert."""
    domains = expert_parallel / expert_ranks_in_domain
    missed = exp(experts_per_token * ln(1 - 1 / maximum(2, domains)))
    return (domains - 1) * (1 - missed)


@formula(unit="s/token", symbol="t_et", source="megatron-lm", when=mixture & expert_tensor)
def cut_expert_seconds(
    moe_layers,
    experts_per_token,
    hidden_size,
    layer_passes,
    expert_tensor_parallel,
    fast_exchange_exposure,
    link_gb_s,
    expert_parallel,
    fast_domain,
    network_gb_s_per_gpu,
):
    """GPUs that cut an expert gather its tokens and sum its results, in every pass."""
    volume = moe_layers * experts_per_token * hidden_size * 4 * (layer_passes - 1) * (expert_tensor_parallel - 1) * BYTE
    inside = at_most(expert_parallel * expert_tensor_parallel, maximum(1, fast_domain))
    link = where(inside, link_gb_s, minimum(link_gb_s, network_gb_s_per_gpu))
    return fast_exchange_exposure * volume / (link * GIGABYTE)


@formula(
    unit="s/token", symbol="t_ep", source="megatron-lm", when=mixture & expert_tensor, name="expert_exchange_seconds"
)
def expert_exchange_seconds_with_cuts(dealt_expert_seconds, cut_expert_seconds):
    """Exchange between groups that hold different experts, and inside groups that cut them."""
    return dealt_expert_seconds + cut_expert_seconds


@formula(
    unit="s/token",
    symbol="t_ep",
    source="deepseek-v3-2024",
    when=mixture & ~expert_tensor,
    name="expert_exchange_seconds",
)
def expert_exchange_seconds(dealt_expert_seconds):
    """Exchange between groups that hold different experts."""
    return dealt_expert_seconds + 0


@formula(unit="s/token", symbol="t_ed", source="deepseek-v3-2024", when=mixture)
def dealt_expert_seconds(
    moe_layers,
    hidden_size,
    layer_passes,
    experts_per_token,
    expert_ranks_in_domain,
    fast_exchange_exposure,
    expert_link_gb_s,
    far_domains_per_token,
    slow_exchange_exposure,
    network_gb_s_per_gpu,
):
    """Every chosen expert gets the token and sends it back, in 16 bits, in every pass."""
    volume = moe_layers * hidden_size * 4 * (layer_passes - 1) * BYTE
    near = experts_per_token * (1 - 1 / expert_ranks_in_domain)
    fast = fast_exchange_exposure * near / (expert_link_gb_s * GIGABYTE)
    slow = slow_exchange_exposure * far_domains_per_token / (network_gb_s_per_gpu * GIGABYTE)
    return volume * (fast + slow)


# Between replicas


@formula(unit="parameters", symbol="N_x", source=FSDP, when=step_model & dense, name="exchanged_parameters")
def exchanged_parameters(linear_parameters, head_parameters, tensor_parallel, pipeline_parallel):
    """Weights of one GPU before sharding."""
    return (linear_parameters + 2 * head_parameters) / (tensor_parallel * pipeline_parallel)


@formula(unit="parameters", symbol="N_x", source=FSDP, when=mixture & expert_tensor, name="exchanged_parameters")
def exchanged_parameters_of_cut_experts(
    linear_parameters,
    routed_expert_parameters,
    head_parameters,
    tensor_parallel,
    pipeline_parallel,
    expert_parallel,
    expert_tensor_parallel,
):
    """Weights of one GPU before sharding; experts are dealt out and cut already."""
    common = (linear_parameters - routed_expert_parameters + 2 * head_parameters) / tensor_parallel
    return (common + routed_expert_parameters / (expert_parallel * expert_tensor_parallel)) / pipeline_parallel


@formula(unit="parameters", symbol="N_x", source=FSDP, when=mixture & ~expert_tensor, name="exchanged_parameters")
def exchanged_parameters_of_mixture(
    linear_parameters, routed_expert_parameters, head_parameters, tensor_parallel, pipeline_parallel, expert_parallel
):
    """Weights of one GPU before sharding; experts are dealt out already."""
    common = (linear_parameters - routed_expert_parameters + 2 * head_parameters) / tensor_parallel
    return (common + routed_expert_parameters / expert_parallel) / pipeline_parallel


@formula(unit="parameters", symbol="N_xg", source=FSDP, when=step_model & full, name="exchanged_gradients")
def exchanged_gradients(exchanged_parameters):
    """All weights have gradients."""
    return exchanged_parameters


@formula(unit="parameters", symbol="N_xg", source="llama-factory", when=step_model & freeze, name="exchanged_gradients")
def exchanged_gradients_freeze(exchanged_parameters, trained_layer_share):
    """Only layers that learn have gradients."""
    return exchanged_parameters * trained_layer_share


@formula(
    unit="parameters", symbol="N_xg", source="lora-2021", when=step_model & ~full & ~freeze, name="exchanged_gradients"
)
def exchanged_gradients_adapter(lora_parameters, tensor_parallel, pipeline_parallel):
    """Only adapters have gradients."""
    return lora_parameters / (tensor_parallel * pipeline_parallel)


@formula(unit="GB/s", symbol="B_sh", source=FSDP, when=step_model & ~hybrid_sharding, name="sharding_link_gb_s")
def sharding_link_gb_s(replica_link_gb_s):
    """Weights are gathered from all replicas."""
    return replica_link_gb_s + 0


@formula(unit="GB/s", symbol="B_sh", source=FSDP, when=step_model & hybrid_sharding, name="sharding_link_gb_s")
def sharding_link_gb_s_of_group(sharding_group, tensor_parallel, fast_domain, link_gb_s, replica_link_gb_s):
    """Weights are gathered inside a group, by the fast link where the group is no larger than its reach."""
    return where(at_most(sharding_group * tensor_parallel, fast_domain), link_gb_s, replica_link_gb_s)


@formula(unit="s/token", symbol="t_z3", source=FSDP, when=step_model)
def gathering_seconds(
    sharded_inefficiency,
    exchanged_parameters,
    exchanged_gradients,
    state_shards,
    tensor_parallel,
    pipeline_parallel,
    resident_tokens,
    sharding_link_gb_s,
):
    """ZeRO-3 gathers the weights for both passes of every micro-batch and scatters the gradients, 16 bits each."""
    moved = 4 * exchanged_parameters + 2 * exchanged_gradients
    volume = moved * (1 - 1 / maximum(1, state_shards)) * BYTE
    ranks = tensor_parallel * pipeline_parallel / resident_tokens
    return sharded_inefficiency * volume * ranks / (sharding_link_gb_s * GIGABYTE)


@formula(unit="tokens", symbol="T_g", source=MEGATRON, when=step_model)
def tokens_per_gpu_and_step(effective_global_batch, sequence_length, gpus):
    """Tokens of one GPU between two updates."""
    return effective_global_batch * sequence_length / gpus


@formula(unit="share", symbol="x_sum", source="zero-2020", when=step_model & ~hybrid_sharding, name="summed_share")
def summed_share(state_shards):
    """Of the gradients of a GPU, what it has to sum with others."""
    return 1 - 1 / maximum(1, state_shards)


@formula(unit="share", symbol="x_sum", source=FSDP, when=step_model & hybrid_sharding, name="summed_share")
def summed_share_of_groups(zero_stage, data_parallel, context_parallel, state_shards):
    """All replicas sum; under ZeRO-3 a group has done so inside, and a GPU sums its shard with the other groups."""
    ranks = maximum(1, data_parallel * context_parallel)
    return where(at_least(zero_stage, 3), (1 - state_shards / ranks) / state_shards, 1 - 1 / ranks)


@formula(unit="s/token", symbol="t_rs", source="zero-2020", when=step_model)
def reduction_seconds(
    exposed_reduction_share,
    exchanged_gradients,
    summed_share,
    replica_link_gb_s,
    tokens_per_gpu_and_step,
):
    """Otherwise gradients are summed and weights gathered once a step, 16 bits each; the rest hides behind computing."""
    volume = 4 * exchanged_gradients * summed_share * BYTE
    return exposed_reduction_share * volume / (replica_link_gb_s * GIGABYTE) / tokens_per_gpu_and_step


@formula(unit="s/token", symbol="t_dp", source=FSDP, when=step_model & hybrid_sharding, name="exchange_seconds")
def exchange_seconds_of_groups(
    zero_stage, gathering_seconds, pipeline_seconds, exposed_gathering_share, reduction_seconds
):
    """As inside one group; and the groups sum their shards of the gradients once a step."""
    hidden = exposed_gathering_share * minimum(gathering_seconds, pipeline_seconds)
    exposed = maximum(0, gathering_seconds - pipeline_seconds) + hidden
    return where(at_least(zero_stage, 3), exposed, 0) + reduction_seconds


@formula(unit="s/token", symbol="t_dp", source=FITTED, when=step_model & ~hybrid_sharding, name="exchange_seconds")
def exchange_seconds(zero_stage, gathering_seconds, pipeline_seconds, exposed_gathering_share, reduction_seconds):
    """What computing does not hide of the exchange between replicas."""
    hidden = exposed_gathering_share * minimum(gathering_seconds, pipeline_seconds)
    exposed = maximum(0, gathering_seconds - pipeline_seconds) + hidden
    return where(at_least(zero_stage, 3), exposed, reduction_seconds)
