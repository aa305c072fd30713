"""Memory of one GPU beside the states: what the layers keep for their backward pass."""

from reportgen.estimator.structure import (
    dense,
    freeze,
    full,
    gated,
    grouped_attention,
    latent_attention,
    mixture_of_experts,
    query_compression,
    training,
)
from reportgen.formula import BYTE, GIB, above, at_least, at_most, formula, where

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
def norm_activation_bytes(norms_per_layer, norm_weights_per_channel, hidden_size, eager_kernels):
    """Inputs of the norms and of the first matrices; an RMSNorm written out step by step keeps 32-bit copies as well."""
    copies = where(at_most(norm_weights_per_channel, 1), 8 * eager_kernels, 0)
    return (2 * norms_per_layer + 4 + copies) * hidden_size * BYTE


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


@formula(unit="B/token", symbol="a_x", source=KORTHIKANTI, when=training & dense, name="matrix_activation_bytes")
def matrix_activation_bytes(attention_activation_bytes, mlp_activation_bytes):
    """What the backward pass needs of a token in one layer, beside what its norms need."""
    return attention_activation_bytes + mlp_activation_bytes


@formula(unit="B/token", symbol="a_x", source=KORTHIKANTI, when=mixture, name="matrix_activation_bytes")
def matrix_activation_bytes_of_mixture(
    attention_activation_bytes,
    mlp_activation_bytes,
    dense_layers,
    expert_activation_bytes,
    moe_layers,
    layers,
):
    """The mean over dense and mixture layers."""
    feed_forward = (mlp_activation_bytes * dense_layers + expert_activation_bytes * moe_layers) / layers
    return attention_activation_bytes + feed_forward


@formula(unit="B/token", symbol="a_l", source=KORTHIKANTI, when=training)
def layer_activation_bytes(norm_activation_bytes, matrix_activation_bytes):
    """What the backward pass needs of a token in one layer."""
    return norm_activation_bytes + matrix_activation_bytes


@formula(unit="B/token", symbol="a_s", source=KORTHIKANTI, when=training)
def score_activation_bytes(attention_heads, sequence_length, score_bytes, flash_attention):
    """Without flash attention every head keeps its row of scores: the part that grows with the square of the length."""
    return attention_heads * sequence_length * score_bytes * (1 - flash_attention)


@formula(unit="GPUs", symbol="t_s", source=KORTHIKANTI, when=training)
def sequence_shards(sequence_parallel, tensor_parallel):
    """Sequence parallelism splits norms and layer inputs over the tensor-parallel GPUs; without it each keeps all."""
    return where(at_least(sequence_parallel, 1), tensor_parallel, 1)


@formula(unit="GiB", symbol="M_l", source=KORTHIKANTI, when=training)
def layer_activations_gib(
    norm_activation_bytes,
    sequence_shards,
    matrix_activation_bytes,
    score_activation_bytes,
    tensor_parallel,
    resident_tokens,
    activation_factor,
):
    """One layer of one micro-batch on one GPU."""
    split = (matrix_activation_bytes + score_activation_bytes) / tensor_parallel
    return (norm_activation_bytes / sequence_shards + split) * resident_tokens * activation_factor / GIB


@formula(unit="GiB", symbol="M_sc", source=KORTHIKANTI, when=training)
def layer_scores_gib(score_activation_bytes, tensor_parallel, resident_tokens, activation_factor):
    """Scores of one layer: all that selective recomputation after Korthikanti frees, and nothing with flash attention."""
    return score_activation_bytes / tensor_parallel * resident_tokens * activation_factor / GIB


@formula(unit="GiB", symbol="M_sel", source=KORTHIKANTI, when=training)
def selective_kept_gib(layer_activations_gib, layer_scores_gib, selective_scores_only, selective_kept_share):
    """What one layer keeps under selective recomputation: Megatron frees the scores, operator lists free most of the layer."""
    without_scores = layer_activations_gib - layer_scores_gib
    return where(at_least(selective_scores_only, 1), without_scores, layer_activations_gib * selective_kept_share)


@formula(unit="GiB", symbol="M_ag2", source=KORTHIKANTI, when=training)
def recomputed_at_once_gib(
    full_recomputation, selective_recomputation, selective_scores_only, layer_scores_gib, layer_activations_gib
):
    """What of one layer is there again while it runs backward, where it was not kept."""
    selective = where(at_least(selective_scores_only, 1), layer_scores_gib, layer_activations_gib)
    partly = where(at_least(selective_recomputation, 1), selective, 0)
    return where(above(full_recomputation, 0), layer_activations_gib, partly)


@formula(unit="GiB", symbol="M_h", source=KORTHIKANTI, when=training)
def hidden_state_gib(resident_tokens, hidden_size, sequence_shards):
    """The input of one layer in 16 bits: all that full recomputation keeps."""
    return 2 * resident_tokens * hidden_size / sequence_shards * BYTE / GIB


@formula(unit="GiB", symbol="M_kl", source=KORTHIKANTI, when=training)
def kept_per_layer_gib(
    full_recomputation,
    hidden_state_gib,
    checkpoint_copies,
    activations_on_host,
    layer_activations_gib,
    selective_recomputation,
    selective_kept_gib,
):
    """What one layer keeps until its backward pass; a share of recomputed layers between 0 and 1 mixes both."""
    kept = where(at_least(selective_recomputation, 1), selective_kept_gib, layer_activations_gib)
    inputs = hidden_state_gib * checkpoint_copies * (1 - activations_on_host)
    return full_recomputation * inputs + (1 - full_recomputation) * kept


# Logits


@formula(unit="GiB", symbol="M_log", source="ml-engineering", when=training)
def logits_gib(logits_bytes, resident_tokens, vocabulary_size, tensor_parallel):
    """One number a token and word of the vocabulary, in as many copies as the loss keeps."""
    return logits_bytes * resident_tokens * vocabulary_size / tensor_parallel / GIB
