"""Memory of one GPU beside the states: activations in flight, logits, buffers, and the fullest pipeline stage."""

from reportgen.estimator.structure import (
    adapter,
    dense,
    freeze,
    full,
    gated,
    grouped_attention,
    latent_attention,
    mixture_of_experts,
    qlora,
    query_compression,
    training,
)
from reportgen.formula import BYTE, GIB, above, at_least, formula, maximum, minimum, where

KORTHIKANTI = "korthikanti-2022"
SIMUMAX = "simumax"
mixture = training & mixture_of_experts
weights_learn = training & (full | freeze)


# Bytes that a token leaves in one layer


@formula(unit="tokens", symbol="S", source=KORTHIKANTI, when=training)
def resident_tokens(micro_batch, sequence_length, context_parallel):
    """Tokens of one micro-batch on one GPU, before tensor parallelism divides their channels."""
    return micro_batch * sequence_length / context_parallel


@formula(unit="B/token", symbol="a_n", source=KORTHIKANTI, when=training)
def norm_activation_bytes(norms_per_layer, hidden_size, eager_kernels):
    """Inputs of the norms and of the first matrices; unfused kernels keep 32-bit copies of them as well."""
    return (2 * norms_per_layer + 4 + 8 * eager_kernels) * hidden_size * BYTE


@formula(
    unit="B/token",
    symbol="a_a",
    source="flash-attention-2022",
    when=training & grouped_attention,
    name="attention_activation_bytes",
)
def attention_activation_bytes(query_width, key_value_width, attention_heads):
    """Queries, keys, values and output in 16 bits, and a 32-bit normaliser a head; no score matrix is kept."""
    return (4 * query_width + 4 * key_value_width + 4 * attention_heads) * BYTE


@formula(
    unit="channels",
    symbol="w_l",
    source="deepseek-v2-2024",
    when=training & latent_attention & query_compression,
    name="latent_width",
)
def latent_width(query_lora_rank, key_value_lora_rank, rope_head_dimension):
    """Channels of both latents and of the part with position."""
    return query_lora_rank + key_value_lora_rank + rope_head_dimension


@formula(
    unit="channels",
    symbol="w_l",
    source="deepseek-v2-2024",
    when=training & latent_attention & ~query_compression,
    name="latent_width",
)
def latent_width_plain_query(key_value_lora_rank, rope_head_dimension):
    """Channels of the latent and of the part with position."""
    return key_value_lora_rank + rope_head_dimension


@formula(
    unit="B/token",
    symbol="a_a",
    source="deepseek-v2-2024",
    when=training & latent_attention,
    name="attention_activation_bytes",
)
def attention_activation_bytes_latent(query_width, attention_output_width, latent_width, attention_heads):
    """Latent attention unfolds queries, keys, values of every head for training, and keeps the latents too."""
    return (4 * query_width + 4 * attention_output_width + 2 * latent_width + 4 * attention_heads) * BYTE


@formula(unit="B/token", symbol="a_m", source=KORTHIKANTI, when=training & gated, name="mlp_activation_bytes")
def mlp_activation_bytes(intermediate_size, eager_kernels):
    """Gate, up and their product in 16 bits; unfused kernels keep the activated gate as well."""
    return (6 + 2 * eager_kernels) * intermediate_size * BYTE


@formula(unit="B/token", symbol="a_m", source=KORTHIKANTI, when=training & ~gated, name="mlp_activation_bytes")
def mlp_activation_bytes_plain(intermediate_size):
    """The hidden layer before and after its activation function."""
    return 4 * intermediate_size * BYTE


@formula(unit="B/token", symbol="a_e", source=SIMUMAX, when=mixture)
def expert_activation_bytes(
    experts_per_token, expert_intermediate_size, expert_imbalance, hidden_size, shared_experts, experts, eager_kernels
):
    """Every chosen expert keeps its own copy of the token; the fullest GPU has more than its share."""
    routed = experts_per_token * (6 * expert_intermediate_size + 4 * hidden_size) * expert_imbalance
    unfused = 2 * eager_kernels * experts_per_token * expert_intermediate_size
    return (routed + unfused + 6 * shared_experts * expert_intermediate_size + 4 * experts) * BYTE


@formula(unit="B/token", symbol="a_l", source=KORTHIKANTI, when=training & dense, name="layer_activation_bytes")
def layer_activation_bytes(norm_activation_bytes, attention_activation_bytes, mlp_activation_bytes):
    """What the backward pass needs of a token in one layer."""
    return norm_activation_bytes + attention_activation_bytes + mlp_activation_bytes


@formula(unit="B/token", symbol="a_l", source=KORTHIKANTI, when=mixture, name="layer_activation_bytes")
def layer_activation_bytes_of_mixture(
    norm_activation_bytes,
    attention_activation_bytes,
    mlp_activation_bytes,
    dense_layers,
    expert_activation_bytes,
    moe_layers,
    layers,
):
    """The mean over dense and mixture layers."""
    feed_forward = (mlp_activation_bytes * dense_layers + expert_activation_bytes * moe_layers) / layers
    return norm_activation_bytes + attention_activation_bytes + feed_forward


@formula(unit="GiB", symbol="M_l", source=KORTHIKANTI, when=training)
def layer_activations_gib(layer_activation_bytes, resident_tokens, tensor_parallel, activation_factor):
    """One layer of one micro-batch on one GPU; sequence parallelism splits the norms too."""
    return layer_activation_bytes * resident_tokens / tensor_parallel * activation_factor / GIB


@formula(unit="GiB", symbol="M_h", source=KORTHIKANTI, when=training)
def hidden_state_gib(resident_tokens, hidden_size, tensor_parallel):
    """The input of one layer in 16 bits: all that full recomputation keeps."""
    return 2 * resident_tokens * hidden_size / tensor_parallel * BYTE / GIB


@formula(unit="GiB", symbol="M_kl", source=KORTHIKANTI, when=training)
def kept_per_layer_gib(full_recomputation, hidden_state_gib, layer_activations_gib):
    """What one layer keeps until its backward pass."""
    return where(at_least(full_recomputation, 1), hidden_state_gib, layer_activations_gib)


# Layers in flight


@formula(unit="layers", symbol="L_f", source="megatron-2021", when=training & ~freeze, name="layers_in_flight_first")
def layers_in_flight_first(virtual_stages, layers_per_stage, pipeline_parallel, micro_batches):
    """The first stage starts a micro-batch a stage before the first one returns; interleaving adds more."""
    plain = layers_per_stage * minimum(pipeline_parallel, micro_batches)
    interleaved = layers_per_stage * (pipeline_parallel + (pipeline_parallel - 1) / virtual_stages)
    return where(above(virtual_stages, 1), interleaved, plain)


@formula(unit="layers", symbol="L_f", source="llama-factory", when=training & freeze, name="layers_in_flight_first")
def layers_in_flight_first_freeze(trained_layers_per_stage):
    """Layers that do not learn keep nothing."""
    return trained_layers_per_stage


@formula(unit="layers", symbol="L_z", source="megatron-2021", when=training & ~freeze, name="layers_in_flight_last")
def layers_in_flight_last(layers_per_stage):
    """The last stage turns each micro-batch round at once."""
    return layers_per_stage


@formula(unit="layers", symbol="L_z", source="llama-factory", when=training & freeze, name="layers_in_flight_last")
def layers_in_flight_last_freeze(trained_layers_per_stage):
    """Layers that do not learn keep nothing."""
    return trained_layers_per_stage


# Buffers of the moment


@formula(unit="elements", symbol="N_big", source=SIMUMAX, when=weights_learn & dense, name="largest_matrix")
def largest_matrix(hidden_size, intermediate_size):
    """Gate and up are one matrix product in fused layers."""
    return 2 * hidden_size * intermediate_size


@formula(unit="elements", symbol="N_big", source=SIMUMAX, when=mixture & weights_learn, name="largest_matrix")
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
def sequence_gather_gib(tensor_parallel, resident_tokens, hidden_size):
    """Sequence parallelism gathers the whole micro-batch before a matrix product, and its gradient after it."""
    return where(above(tensor_parallel, 1), 4 * resident_tokens * hidden_size * BYTE / GIB, 0)


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


@formula(unit="GiB", symbol="M_z3", source="fsdp-2023", when=training & ~qlora, name="gathered_weights_gib")
def gathered_weights_gib(
    zero_stage, gathered_layers, layer_parameters_per_gpu, vocabulary_parameters_per_gpu, gathered_weight_bytes
):
    """ZeRO-3 gathers the layer at work and prefetches the next; the vocabulary is a unit of its own."""
    gathered = gathered_layers * layer_parameters_per_gpu + vocabulary_parameters_per_gpu
    return where(at_least(zero_stage, 3), gathered * gathered_weight_bytes / GIB, 0)


@formula(unit="GiB", symbol="M_z3", source="fsdp-2023", when=training & qlora, name="gathered_weights_gib")
def gathered_weights_gib_quantized(
    zero_stage,
    gathered_layers,
    layer_parameters_per_gpu,
    quantized_weight_bytes,
    vocabulary_parameters_per_gpu,
    gathered_weight_bytes,
):
    """The layers are gathered in 4 bits, the vocabulary is not quantised."""
    layers_part = gathered_layers * layer_parameters_per_gpu * quantized_weight_bytes
    gathered = layers_part + vocabulary_parameters_per_gpu * gathered_weight_bytes
    return where(at_least(zero_stage, 3), gathered / GIB, 0)


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
    full_recomputation,
    layer_activations_gib,
):
    """Gradients of the widest part while it runs backward; recomputation holds one whole layer besides."""
    gradients = (widest_activation_bytes + 4 * hidden_size * BYTE) * resident_tokens / tensor_parallel / GIB
    return backward_factor * gradients + full_recomputation * layer_activations_gib


# The two moments that can be the peak


@formula(unit="GiB", symbol="M_lp", source=SIMUMAX, when=weights_learn, name="layer_peak_gib")
def layer_peak_gib(backward_work_gib, weight_gradient_gib, sequence_gather_gib, gathered_weights_gib):
    """Buffers while a layer runs backward."""
    return backward_work_gib + weight_gradient_gib + sequence_gather_gib + gathered_weights_gib


@formula(unit="GiB", symbol="M_lp", source=SIMUMAX, when=adapter, name="layer_peak_gib")
def layer_peak_gib_adapter(backward_work_gib, sequence_gather_gib, gathered_weights_gib):
    """Frozen weights have no gradient to hold."""
    return backward_work_gib + sequence_gather_gib + gathered_weights_gib


@formula(unit="GiB", symbol="M_log", source="ml-engineering", when=training)
def logits_gib(logits_bytes, resident_tokens, vocabulary_size, tensor_parallel):
    """One number a token and word of the vocabulary, in as many copies as the loss keeps."""
    return logits_bytes * resident_tokens * vocabulary_size / tensor_parallel / GIB


@formula(unit="GiB", symbol="M_hp", source=SIMUMAX, when=training & full, name="head_peak_gib")
def head_peak_gib(logits_gib, head_gradient_gib, hidden_state_gib, sequence_gather_gib, gathered_weights_gib):
    """Buffers while the head runs backward."""
    return logits_gib + head_gradient_gib + hidden_state_gib + sequence_gather_gib + gathered_weights_gib


@formula(unit="GiB", symbol="M_hp", source=SIMUMAX, when=training & ~full, name="head_peak_gib")
def head_peak_gib_frozen(logits_gib, hidden_state_gib, sequence_gather_gib, gathered_weights_gib):
    """A frozen head has no gradient to hold."""
    return logits_gib + hidden_state_gib + sequence_gather_gib + gathered_weights_gib


@formula(unit="GiB", symbol="M_s1", source="megatron-2021", when=training)
def first_stage_gib(kept_per_layer_gib, layers_in_flight_first, layer_peak_gib):
    """The first stage has most micro-batches in flight."""
    return kept_per_layer_gib * layers_in_flight_first + layer_peak_gib


@formula(unit="GiB", symbol="M_sp", source="megatron-2021", when=training)
def last_stage_gib(kept_per_layer_gib, layers_in_flight_last, layer_peak_gib, head_peak_gib):
    """The last stage has the logits; head and layer do not peak at the same moment."""
    return kept_per_layer_gib * layers_in_flight_last + maximum(layer_peak_gib, head_peak_gib)


@formula(unit="flag", symbol="i_1", source="megatron-2021", when=training)
def first_stage_is_fullest(first_stage_gib, last_stage_gib):
    """Memory must suffice on the fullest stage."""
    return where(above(first_stage_gib, last_stage_gib), 1, 0)


@formula(unit="GiB", symbol="M_act", source=KORTHIKANTI, when=training)
def activations_per_gpu_gib(kept_per_layer_gib, first_stage_is_fullest, layers_in_flight_first, layers_in_flight_last):
    """What the layers in flight keep for their backward pass."""
    return kept_per_layer_gib * where(
        at_least(first_stage_is_fullest, 1), layers_in_flight_first, layers_in_flight_last
    )


@formula(unit="GiB", symbol="M_ce", source="ml-engineering", when=training)
def logits_per_gpu_gib(first_stage_is_fullest, logits_gib):
    """Only the last stage has logits."""
    return where(at_least(first_stage_is_fullest, 1), 0, logits_gib)


@formula(unit="GiB", symbol="M_tmp", source=SIMUMAX, when=training)
def temporary_per_gpu_gib(first_stage_is_fullest, layer_peak_gib, head_peak_gib, logits_gib):
    """Buffers of the peak moment beyond activations and logits."""
    last = maximum(layer_peak_gib, head_peak_gib) - logits_gib
    return where(at_least(first_stage_is_fullest, 1), layer_peak_gib, last)
