"""What waits in host memory instead of on the GPU: which parts, what fetching them costs, whether the host has room."""

from reportgen.estimator.structure import (
    fabric,
    freeze,
    full,
    lora,
    nvme_offload,
    qlora,
    reference_model,
    reinforcement,
    step_model,
    training,
)
from reportgen.formula import (
    GIB,
    GIGABYTE,
    MISSING,
    above,
    any_of,
    at_least,
    at_most,
    ceil,
    formula,
    is_known,
    maximum,
    minimum,
    pick,
    where,
)

ZERO_OFFLOAD = "zero-offload-2021"
ZERO_INFINITY = "zero-infinity-2021"
weights_learn = training & (full | freeze)


# The levels: 0 nothing, 1 optimizer states and their gradients, 2 weights too, 3 kept activations too


@formula(unit="flag", symbol="i_oh", source=ZERO_OFFLOAD, when=training)
def optimizer_on_host(offload_level, paged_optimizer):
    """Optimizer states; a paged optimizer keeps them there whatever the layout."""
    return maximum(paged_optimizer, where(at_least(offload_level, 1), 1, 0))


@formula(unit="flag", symbol="i_gh", source=ZERO_OFFLOAD, when=training)
def gradients_on_host(offload_level):
    """Gradients meet the optimizer states where those are."""
    return where(at_least(offload_level, 1), 1, 0)


@formula(unit="flag", symbol="i_wh", source=ZERO_INFINITY, when=training)
def weights_on_host(offload_level):
    """Weights come to the GPU a layer at a time."""
    return where(at_least(offload_level, 2), 1, 0)


@formula(unit="flag", symbol="i_ah", source=ZERO_INFINITY, when=training)
def activations_on_host(offload_level, checkpoints_on_host):
    """Inputs of recomputed layers; some stacks keep them there whatever the layout."""
    return maximum(checkpoints_on_host, where(at_least(offload_level, 3), 1, 0))


# Time


@formula(unit="s/token", symbol="t_hw", source=ZERO_INFINITY, when=step_model)
def host_weight_seconds(
    weights_on_host, offloaded_weights_gib, tensor_parallel, state_shards, node_link_gb_s, resident_tokens
):
    """Each micro-batch fetches the share of a GPU in the weights for its forward and once more for its backward pass."""
    fetched = 2 * offloaded_weights_gib * GIB / (tensor_parallel * state_shards)
    return where(above(weights_on_host, 0), fetched / (node_link_gb_s * GIGABYTE) / resident_tokens, 0)


# What waits


@formula(
    unit="GiB",
    symbol="M_hw",
    source=ZERO_OFFLOAD,
    when=training & ~reinforcement,
    name="offloaded_states_gib",
)
def offloaded_states_gib(
    trained_parameters, master_weight_bytes, optimizer_moment_bytes, gradient_bytes, optimizer_on_host
):
    """Optimizer states and the gradients they meet, of the whole model, when they are kept in host memory."""
    states = master_weight_bytes + optimizer_moment_bytes + gradient_bytes
    return trained_parameters * states * optimizer_on_host / GIB


@formula(
    unit="GiB",
    symbol="M_hww",
    source=ZERO_OFFLOAD,
    when=weights_learn & ~reinforcement & ~reference_model,
    name="offloaded_weights_gib",
)
def offloaded_weights_gib(parameters, weight_bytes, weights_on_host):
    """Weights of the whole model when they too are kept in host memory."""
    return parameters * weight_bytes * weights_on_host / GIB


@formula(
    unit="GiB",
    symbol="M_hww",
    source=ZERO_OFFLOAD,
    when=weights_learn & ~reinforcement & reference_model,
    name="offloaded_weights_gib",
)
def offloaded_weights_gib_with_reference(parameters, weight_bytes, base_weight_bytes, weights_on_host):
    """Weights of the model and of its frozen copy when they too are kept in host memory."""
    return parameters * (weight_bytes + base_weight_bytes) * weights_on_host / GIB


@formula(
    unit="GiB",
    symbol="M_hww",
    source=ZERO_OFFLOAD,
    when=lora & ~reinforcement,
    name="offloaded_weights_gib",
)
def offloaded_weights_gib_frozen(parameters, base_weight_bytes, weights_on_host):
    """The frozen weights of the whole model when they are kept in host memory; adapters are small."""
    return parameters * base_weight_bytes * weights_on_host / GIB


@formula(
    unit="GiB", symbol="M_hww", source="qlora-2023", when=qlora & ~reinforcement, name="offloaded_weights_gib"
)
def offloaded_weights_gib_quantized(
    quantized_weights_gib, embedding_parameters, unquantized_weight_bytes, weights_on_host
):
    """Quantised weights, and the vocabulary beside them, when they are kept in host memory."""
    return (quantized_weights_gib + embedding_parameters * unquantized_weight_bytes / GIB) * weights_on_host


@formula(unit="GiB", symbol="M_hx", source="torchtune", when=training)
def offloaded_activations_gib(
    activations_on_host, full_recomputation, hidden_state_gib, layers_in_flight_first, gpus_per_node, gpus
):
    """Inputs of recomputed layers of all GPUs of a node, when they wait in host memory."""
    kept = activations_on_host * full_recomputation * hidden_state_gib * layers_in_flight_first
    return kept * minimum(gpus_per_node, gpus)


@formula(
    unit="GiB", symbol="M_hs", source="ml-engineering", when=training & nvme_offload, name="host_checkpoint_gib"
)
def host_checkpoint_gib_beside_disks(checkpoint_gb, nodes, exported_weights_gb):
    """A node keeps its share of a checkpoint until it is written; one collects all weights for export."""
    return (checkpoint_gb / nodes + exported_weights_gb) * GIGABYTE / GIB


@formula(
    unit="GiB", symbol="M_hs", source="ml-engineering", when=training & ~nvme_offload, name="host_checkpoint_gib"
)
def host_checkpoint_gib(checkpoint_gb, optimizer_on_host, nodes, exported_weights_gb):
    """A node keeps its share of a checkpoint until it is written, unless it is there anyway; one collects all weights for export."""
    return (checkpoint_gb * (1 - optimizer_on_host) / nodes + exported_weights_gb) * GIGABYTE / GIB


@formula(unit="GB", symbol="S_nv", source=ZERO_INFINITY, when=training & nvme_offload)
def nvme_states_per_node_gb(offloaded_states_gib, host_copies, nodes):
    """Optimizer states and gradients of the whole model, shared by the disks of all servers."""
    return offloaded_states_gib * host_copies / nodes * GIB / GIGABYTE


@formula(unit="s", symbol="t_nv", source=ZERO_INFINITY, when=training & nvme_offload)
def nvme_step_seconds(nvme_states_per_node_gb, nvme_gb_s_per_node):
    """Every update reads all states from the disks and writes them back."""
    return 2 * nvme_states_per_node_gb / nvme_gb_s_per_node


@formula(unit="s", symbol="t_run", source=ZERO_INFINITY, when=training & nvme_offload, name="run_seconds")
def run_seconds_with_disks(run_tokens, tokens_per_second, steps, nvme_step_seconds):
    """One run at the speed of its steps, each of which waits for the disks."""
    return run_tokens / tokens_per_second + steps * nvme_step_seconds


# Room


@formula(unit="copies", symbol="n_hc", source="fsdp-2023", when=training)
def host_copies(zero_stage, data_parallel, context_parallel, state_shards):
    """Each group that shares states has a copy of all of them; without ZeRO every replica has one."""
    return data_parallel * context_parallel / where(at_least(zero_stage, 1), state_shards, 1)


@formula(
    unit="GiB", symbol="M_hn", source=ZERO_OFFLOAD, when=training & ~nvme_offload, name="host_states_per_node_gib"
)
def host_states_per_node_gib(offloaded_states_gib, offloaded_weights_gib, host_copies, nodes):
    """States and weights that wait on one host, buffers aside."""
    return (offloaded_states_gib + offloaded_weights_gib) * host_copies / nodes


@formula(
    unit="GiB", symbol="M_hn", source=ZERO_INFINITY, when=training & nvme_offload, name="host_states_per_node_gib"
)
def host_states_per_node_gib_beside_disks(nvme_buffer_share, nvme_states_per_node_gb):
    """A buffer of the states that stand on the disks."""
    return nvme_buffer_share * nvme_states_per_node_gb * GIGABYTE / GIB


@formula(unit="GiB", symbol="M_ho", source=ZERO_OFFLOAD, when=training)
def offloaded_per_node_gib(host_states_per_node_gib, offloaded_activations_gib):
    """All that waits on one host, buffers aside."""
    return host_states_per_node_gib + offloaded_activations_gib


@formula(unit="GiB", symbol="M_host", source="deepspeed", when=training & ~nvme_offload, name="host_memory_per_node_gib")
def host_memory_per_node_gib(
    host_states_per_node_gib, host_buffer_factor, offloaded_activations_gib, host_checkpoint_gib, host_memory_floor_gib
):
    """What waits there with its buffers, checkpoints on their way out, and the system with its data loaders."""
    waiting = host_states_per_node_gib * host_buffer_factor + offloaded_activations_gib
    return waiting + host_checkpoint_gib + host_memory_floor_gib


@formula(
    unit="GiB", symbol="M_host", source=ZERO_INFINITY, when=training & nvme_offload, name="host_memory_per_node_gib"
)
def host_memory_beside_disks_gib(offloaded_per_node_gib, host_checkpoint_gib, host_memory_floor_gib):
    """The buffers of the disks, checkpoints on their way out, and the system with its data loaders."""
    return offloaded_per_node_gib + host_checkpoint_gib + host_memory_floor_gib


@formula(unit="GiB", symbol="M_hr", source="catalog", when=training)
def host_memory_room_gib(accelerators_node_ram_gb, accelerator_row, host_memory_floor_gib):
    """What the listed server leaves beside its system; missing where its memory is not known."""
    held = pick(accelerators_node_ram_gb, accelerator_row)
    return where(is_known(held), held * GIGABYTE / GIB - host_memory_floor_gib, MISSING)


@formula(unit="flag", symbol="ok_h", source=ZERO_OFFLOAD, when=training)
def host_memory_fits(offload_level, offloaded_per_node_gib, host_memory_room_gib):
    """What waits on the host fits the listed server; one of unknown memory is not judged."""
    judged = where(is_known(host_memory_room_gib), offload_level, 0)
    return where(any_of(at_most(judged, 0), at_most(offloaded_per_node_gib, host_memory_room_gib)), 1, 0)


# What suppliers are asked for


@formula(unit="GB", symbol="M_hsp", source="reportgen", when=training & fabric, name="specified_host_memory_gb")
def specified_host_memory_gb(
    accelerators_node_ram_gb, accelerator_row, offload_level, host_memory_per_node_gib, specified_host_memory_step
):
    """The memory of the listed server, or more in whole steps where more is to wait there."""
    listed = pick(accelerators_node_ram_gb, accelerator_row)
    steps = ceil(host_memory_per_node_gib * GIB / GIGABYTE / specified_host_memory_step)
    more = maximum(where(is_known(listed), listed, 0), steps * specified_host_memory_step)
    return where(above(offload_level, 0), more, where(is_known(listed), listed, MISSING))


@formula(unit="GB", symbol="M_hsp", source="catalog", when=~training & fabric, name="specified_host_memory_gb")
def specified_host_memory_gb_of_server(accelerators_node_ram_gb, accelerator_row):
    """The memory of the listed server."""
    listed = pick(accelerators_node_ram_gb, accelerator_row)
    return where(is_known(listed), listed, MISSING)


@formula(unit="GB", symbol="M_hsp", source="reportgen", when=training & ~fabric, name="specified_host_memory_gb")
def specified_workstation_memory_gb(
    workstation_memory_gb, workstation_memory_gb_per_card, gpus, offload_level, host_memory_per_node_gib,
    specified_host_memory_step,
):  # fmt: skip
    """A base and a share for each card, or more in whole steps where more is to wait there."""
    steps = ceil(host_memory_per_node_gib * GIB / GIGABYTE / specified_host_memory_step)
    usual = workstation_memory_gb + workstation_memory_gb_per_card * gpus
    return maximum(usual, where(above(offload_level, 0), steps * specified_host_memory_step, 0))


@formula(unit="GB", symbol="M_hsp", source="reportgen", when=~training & ~fabric, name="specified_host_memory_gb")
def specified_workstation_memory_gb_of_server(workstation_memory_gb, workstation_memory_gb_per_card, gpus):
    """A base and a share for each card."""
    return workstation_memory_gb + workstation_memory_gb_per_card * gpus
