"""What training writes and reads: checkpoints, the data set, and the memory of the hosts."""

from reportgen.estimator.structure import (
    adapter,
    freeze,
    full,
    lora,
    nvme_offload,
    qlora,
    reference_model,
    reinforcement,
    training,
)
from reportgen.formula import (
    BYTE,
    DAY,
    GIB,
    GIGABYTE,
    TERABYTE,
    below,
    formula,
    minimum,
    where,
)

BLOOM = "bigscience-bloom"
weights_learn = training & (full | freeze)


# Checkpoints


@formula(unit="parameters", symbol="N_tr", source="zero-2020", when=training & full, name="trained_parameters")
def trained_parameters(parameters):
    """Under full training everything learns."""
    return parameters


@formula(unit="parameters", symbol="N_tr", source="lora-2021", when=adapter, name="trained_parameters")
def trained_parameters_adapter(lora_parameters, embeddings_trained, embedding_parameters):
    """Only the adapters learn and need saving, and copies of the vocabulary when asked."""
    return lora_parameters + embeddings_trained * embedding_parameters


@formula(unit="parameters", symbol="N_tr", source="llama-factory", when=training & freeze, name="trained_parameters")
def trained_parameters_freeze(parameters, embedding_parameters, trained_layer_share, embeddings_trained):
    """The last layers, and the vocabulary when asked."""
    body = parameters - embedding_parameters
    return body * trained_layer_share + embeddings_trained * embedding_parameters


@formula(unit="B/parameter", symbol="b_ck", source=BLOOM, when=training)
def checkpoint_bytes_per_parameter(weight_bytes, master_weight_bytes, optimizer_moment_bytes):
    """Weights, master copy and moments: 14 bytes in mixed precision with Adam. Gradients are not saved."""
    return weight_bytes + master_weight_bytes + optimizer_moment_bytes


@formula(unit="GB", symbol="S_ck", source=BLOOM, when=training & ~reinforcement, name="checkpoint_gb")
def checkpoint_gb(trained_parameters, checkpoint_bytes_per_parameter):
    """All that a run needs to go on after a failure."""
    return trained_parameters * checkpoint_bytes_per_parameter / GIGABYTE


@formula(unit="GB", symbol="S_w", source=BLOOM, when=training)
def exported_weights_gb(trained_parameters):
    """16-bit weights for evaluation and use."""
    return 2 * trained_parameters * BYTE / GIGABYTE


@formula(unit="TB", symbol="S_cks", source=BLOOM, when=training)
def checkpoint_storage_tb(kept_checkpoints, checkpoint_gb, milestone_checkpoints, exported_weights_gb, runs):
    """A few full checkpoints of the run at work, and the weights at milestones of every run."""
    kept = kept_checkpoints * checkpoint_gb + milestone_checkpoints * exported_weights_gb * runs
    return kept * GIGABYTE / TERABYTE


@formula(unit="GB/s", symbol="B_ck", source="ml-engineering", when=training)
def checkpoint_write_gb_s(checkpoint_gb, checkpoint_write_seconds):
    """The file system must take a checkpoint in the time allowed."""
    return checkpoint_gb / checkpoint_write_seconds


@formula(unit="GB/s", symbol="B_rd", source="ml-engineering", when=training)
def checkpoint_read_gb_s(checkpoint_gb, restart_seconds, restart_read_share):
    """After a failure the checkpoint must be back within its share of the restart."""
    return checkpoint_gb / (restart_seconds * restart_read_share)


@formula(unit="TB/day", symbol="W_ck", source=BLOOM, when=training)
def checkpoint_written_tb_per_day(checkpoint_gb, checkpoints_per_day):
    """Flash wears out by what is written."""
    return checkpoint_gb * checkpoints_per_day * GIGABYTE / TERABYTE


@formula(unit="share", symbol="x_ck", source=BLOOM, when=training)
def checkpoint_time_share(checkpoint_stall_seconds, checkpoints_per_day):
    """Share of the time that saving takes."""
    return checkpoint_stall_seconds * checkpoints_per_day / DAY


# Data


@formula(unit="B/token", symbol="b_id", source="megatron-lm", when=training)
def stored_token_bytes(vocabulary_size):
    """A token is a 16-bit number as long as the vocabulary is that small."""
    return where(below(vocabulary_size, 65536), 2, 4) * BYTE


@formula(unit="TB", symbol="S_data", source="reportgen", when=training)
def dataset_storage_tb(training_tokens, stored_token_bytes, raw_text_bytes_per_token, dataset_copies):
    """Tokens ready to read, and the text that they come from."""
    return training_tokens * (stored_token_bytes + raw_text_bytes_per_token) * dataset_copies / TERABYTE


@formula(unit="GB/s", symbol="B_data", source="reportgen", when=training)
def dataset_read_gb_s(tokens_per_second, stored_token_bytes):
    """Text is small: reading it never limits a run."""
    return tokens_per_second * stored_token_bytes / GIGABYTE


# Host memory


@formula(
    unit="GiB",
    symbol="M_hw",
    source="zero-offload-2021",
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
    source="zero-offload-2021",
    when=weights_learn & ~reinforcement & ~reference_model,
    name="offloaded_weights_gib",
)
def offloaded_weights_gib(parameters, weight_bytes, weights_on_host):
    """Weights of the whole model when they too are kept in host memory."""
    return parameters * weight_bytes * weights_on_host / GIB


@formula(
    unit="GiB",
    symbol="M_hww",
    source="zero-offload-2021",
    when=weights_learn & ~reinforcement & reference_model,
    name="offloaded_weights_gib",
)
def offloaded_weights_gib_with_reference(parameters, weight_bytes, base_weight_bytes, weights_on_host):
    """Weights of the model and of its frozen copy when they too are kept in host memory."""
    return parameters * (weight_bytes + base_weight_bytes) * weights_on_host / GIB


@formula(
    unit="GiB",
    symbol="M_hww",
    source="zero-offload-2021",
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


@formula(unit="GB", symbol="S_nv", source="zero-infinity-2021", when=training & nvme_offload)
def nvme_states_per_node_gb(offloaded_states_gib, host_copies, nodes):
    """Optimizer states and gradients of the whole model, shared by the disks of all servers."""
    return offloaded_states_gib * host_copies / nodes * GIB / GIGABYTE


@formula(unit="s", symbol="t_nv", source="zero-infinity-2021", when=training & nvme_offload)
def nvme_step_seconds(nvme_states_per_node_gb, nvme_gb_s_per_node):
    """Every update reads all states from the disks and writes them back."""
    return 2 * nvme_states_per_node_gb / nvme_gb_s_per_node


@formula(unit="s", symbol="t_run", source="zero-infinity-2021", when=training & nvme_offload, name="run_seconds")
def run_seconds_with_disks(run_tokens, tokens_per_second, steps, nvme_step_seconds):
    """One run at the speed of its steps, each of which waits for the disks."""
    return run_tokens / tokens_per_second + steps * nvme_step_seconds


@formula(
    unit="GiB",
    symbol="M_host",
    source="zero-infinity-2021",
    when=training & nvme_offload,
    name="host_memory_per_node_gib",
)
def host_memory_beside_disks_gib(
    nvme_buffer_share,
    offloaded_states_gib,
    host_copies,
    nodes,
    offloaded_activations_gib,
    host_checkpoint_gib,
    host_memory_floor_gib,
):
    """A buffer of the states that stand on the disks, checkpoints on their way out, and the system with its data loaders."""
    buffers = nvme_buffer_share * offloaded_states_gib * host_copies / nodes
    return buffers + offloaded_activations_gib + host_checkpoint_gib + host_memory_floor_gib


@formula(
    unit="GiB", symbol="M_host", source="deepspeed", when=training & ~nvme_offload, name="host_memory_per_node_gib"
)
def host_memory_per_node_gib(
    offloaded_states_gib,
    offloaded_weights_gib,
    host_buffer_factor,
    host_copies,
    nodes,
    offloaded_activations_gib,
    host_checkpoint_gib,
    host_memory_floor_gib,
):
    """What is offloaded with its buffers, checkpoints on their way out, and the system with its data loaders."""
    offloaded = (offloaded_states_gib + offloaded_weights_gib) * host_buffer_factor * host_copies / nodes
    return offloaded + offloaded_activations_gib + host_checkpoint_gib + host_memory_floor_gib
