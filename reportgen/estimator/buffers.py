"""Memory of one GPU beside the states: buffers that live for a moment, the logits among them."""

from reportgen.estimator.structure import dense, expert_tensor, freeze, full, mixture_of_experts, qlora, training
from reportgen.formula import BYTE, GIB, above, at_least, at_most, formula, maximum, minimum, where

KORTHIKANTI = "korthikanti-2022"
SIMUMAX = "simumax"
mixture = training & mixture_of_experts
weights_learn = training & (full | freeze)


@formula(unit="elements", symbol="N_big", source=SIMUMAX, when=weights_learn & dense, name="largest_matrix")
def largest_matrix(hidden_size, intermediate_size):
    """Gate and up are one matrix product in fused layers."""
    return 2 * hidden_size * intermediate_size


@formula(
    unit="elements", symbol="N_big", source=SIMUMAX, when=mixture & weights_learn & expert_tensor, name="largest_matrix"
)
def largest_matrix_of_cut_experts(
    hidden_size, expert_intermediate_size, experts, expert_parallel, expert_tensor_parallel
):
    """The parts of experts on one GPU are one grouped matrix product."""
    return 2 * hidden_size * expert_intermediate_size * experts / (expert_parallel * expert_tensor_parallel)


@formula(
    unit="elements",
    symbol="N_big",
    source=SIMUMAX,
    when=mixture & weights_learn & ~expert_tensor,
    name="largest_matrix",
)
def largest_matrix_of_mixture(hidden_size, expert_intermediate_size, experts, expert_parallel):
    """The experts of one GPU are one grouped matrix product."""
    return 2 * hidden_size * expert_intermediate_size * experts / expert_parallel


@formula(unit="GiB", symbol="M_gw", source=SIMUMAX, when=weights_learn & dense, name="weight_gradient_gib")
def weight_gradient_gib(largest_matrix, tensor_parallel):
    """The 16-bit gradient of the largest matrix before it is added to the sum."""
    return 2 * largest_matrix / tensor_parallel * BYTE / GIB


@formula(unit="GiB", symbol="M_gw", source=SIMUMAX, when=mixture & weights_learn, name="weight_gradient_gib")
def weight_gradient_gib_of_mixture(largest_matrix):
    """The 16-bit gradient of the experts' matrix before it is added to the sum."""
    return 2 * largest_matrix * BYTE / GIB


@formula(unit="GiB", symbol="M_gh", source=SIMUMAX, when=training & full)
def head_gradient_gib(head_parameters, tensor_parallel):
    """The 16-bit gradient of the head before it is added to the sum."""
    return 2 * head_parameters / tensor_parallel * BYTE / GIB


@formula(unit="GiB", symbol="M_ag", source=KORTHIKANTI, when=training)
def sequence_gather_gib(sequence_shards, resident_tokens, hidden_size):
    """Sequence parallelism gathers the whole micro-batch before a matrix product, and its gradient after it."""
    return where(above(sequence_shards, 1), 4 * resident_tokens * hidden_size * BYTE / GIB, 0)


@formula(unit="parameters", symbol="N_l", source="fsdp-2023", when=training & dense, name="layer_parameters_per_gpu")
def layer_parameters_per_gpu(common_parameters_per_gpu, vocabulary_parameters_per_gpu, layers_per_stage):
    """One layer as a GPU computes with it."""
    return (common_parameters_per_gpu - vocabulary_parameters_per_gpu) / layers_per_stage


@formula(unit="parameters", symbol="N_l", source="fsdp-2023", when=mixture, name="layer_parameters_per_gpu")
def layer_parameters_per_gpu_of_mixture(
    common_parameters_per_gpu, vocabulary_parameters_per_gpu, expert_parameters_per_gpu, layers_per_stage
):
    """One layer as a GPU computes with it, its experts included."""
    body = common_parameters_per_gpu - vocabulary_parameters_per_gpu
    return (body + expert_parameters_per_gpu) / layers_per_stage


@formula(unit="parameters", symbol="N_vg", source="peft", when=training)
def gathered_vocabulary(eager_kernels, gradient_buckets, embedding_parameters, head_parameters, tensor_parallel):
    """Where modules run as written, FSDP wraps layers alone, and embedding and head are one unit; others gather them singly."""
    together = at_least(eager_kernels * (1 - gradient_buckets), 1)
    return where(together, embedding_parameters, head_parameters) / tensor_parallel


@formula(unit="GiB", symbol="M_z3", source="fsdp-2023", when=training & ~qlora, name="gathered_weights_gib")
def gathered_weights_gib(
    zero_stage,
    gathered_layers,
    layer_parameters_per_gpu,
    gathered_vocabulary,
    gathered_weight_bytes,
    weights_on_host,
    state_shards,
):
    """ZeRO-3 gathers the layer at work and prefetches the next, whose shard comes to the GPU first if the host has it."""
    layers_part = (gathered_layers + weights_on_host / state_shards) * layer_parameters_per_gpu
    gathered = layers_part + gathered_vocabulary
    return where(at_least(zero_stage, 3), gathered * gathered_weight_bytes / GIB, 0)


@formula(unit="GiB", symbol="M_z3", source="fsdp-2023", when=training & qlora, name="gathered_weights_gib")
def gathered_weights_gib_quantized(
    zero_stage,
    gathered_layers,
    layer_parameters_per_gpu,
    quantized_weight_bytes,
    gathered_vocabulary,
    gathered_weight_bytes,
    weights_on_host,
    state_shards,
):
    """The layers are gathered in 4 bits, the vocabulary is not quantised."""
    layers_part = (gathered_layers + weights_on_host / state_shards) * layer_parameters_per_gpu
    gathered = layers_part * quantized_weight_bytes + gathered_vocabulary * gathered_weight_bytes
    return where(at_least(zero_stage, 3), gathered / GIB, 0)


@formula(unit="GiB", symbol="M_dq", source="qlora-2023", when=training & qlora & dense, name="unpacked_matrix_gib")
def unpacked_matrix_gib(hidden_size, intermediate_size, tensor_parallel):
    """A product unpacks its matrix to 16 bits; the widest one counts."""
    return 2 * hidden_size * intermediate_size / tensor_parallel * BYTE / GIB


@formula(unit="GiB", symbol="M_dq", source="qlora-2023", when=mixture & qlora, name="unpacked_matrix_gib")
def unpacked_matrix_gib_of_mixture(
    hidden_size, intermediate_size, dense_layers, expert_intermediate_size, query_width, tensor_parallel
):
    """A product unpacks its matrix to 16 bits: of a dense layer, of one expert, or of attention."""
    dense_width = where(above(dense_layers, 0), intermediate_size, 0)
    widest = maximum(maximum(dense_width, expert_intermediate_size), query_width)
    return 2 * hidden_size * widest / tensor_parallel * BYTE / GIB


@formula(unit="GiB", symbol="M_bu", source="deepspeed", when=training)
def bucket_gib(gradient_buckets, pipeline_parallel, trained_parameters_per_gpu, bucket_parameters):
    """DeepSpeed collects gradients and weights in buckets of a fixed size; its pipelines do without."""
    collected = minimum(trained_parameters_per_gpu, bucket_parameters)
    return where(at_most(pipeline_parallel, 1), gradient_buckets, 0) * 2 * collected * BYTE / GIB


@formula(unit="B/token", symbol="a_w", source=SIMUMAX, when=training & dense, name="widest_activation_bytes")
def widest_activation_bytes(mlp_activation_bytes):
    """The feed-forward part is the widest of a layer."""
    return mlp_activation_bytes


@formula(unit="B/token", symbol="a_w", source=SIMUMAX, when=mixture, name="widest_activation_bytes")
def widest_activation_bytes_of_mixture(dense_layers, mlp_activation_bytes, expert_activation_bytes):
    """The wider of dense and mixture layers."""
    return maximum(where(above(dense_layers, 0), mlp_activation_bytes, 0), expert_activation_bytes)


@formula(unit="GiB", symbol="M_bw", source=SIMUMAX, when=training)
def backward_work_gib(
    widest_activation_bytes,
    hidden_size,
    resident_tokens,
    tensor_parallel,
    backward_factor,
    recomputed_layer_factor,
    recomputed_at_once_gib,
):
    """Gradients of the widest part while it runs backward; recomputation holds one whole layer besides."""
    gradients = (widest_activation_bytes + 4 * hidden_size * BYTE) * resident_tokens / tensor_parallel / GIB
    return backward_factor * gradients + recomputed_layer_factor * recomputed_at_once_gib
