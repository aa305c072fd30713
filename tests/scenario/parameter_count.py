"""Counts parameters from an Architecture by the textbook, apart from the estimator: a check of what was read."""

from __future__ import annotations

from reportgen.scenario import Architecture


def parameter_count(shape: Architecture, experts_counted: int | None = None) -> int:
    """Trained parameters; `experts_counted` instead of all experts gives the active ones."""
    numbers = shape.quantities()
    width = shape.hidden_size
    norm = numbers["norm_weights_per_channel"] * width
    attention = _latent_attention(shape) if shape.is_mla else _attention(shape)
    layer = attention + shape.norms_per_layer * norm
    matrices = 3 if shape.gated_mlp else 2
    dense = matrices * width * shape.intermediate_size + shape.mlp_bias * ((matrices - 1) * shape.intermediate_size + width)
    head = 0 if shape.tied_embeddings else shape.vocabulary_size * width
    ends = shape.vocabulary_size * (width + shape.head_bias) + head + shape.learned_positions * width
    ends += (1 + shape.embedding_norm) * norm
    total = shape.layers * layer + shape.dense_layers * dense + ends
    if shape.linear_layers:
        gate = width * shape.attention_heads * shape.head_dimension if shape.attention_output_gate else 0
        total += shape.linear_layers * (_linear_attention(shape) - attention)
        total += (shape.layers - shape.linear_layers) * gate
    if shape.is_moe:
        counted = shape.experts if experts_counted is None else experts_counted
        total += shape.moe_layers * _mixture(shape, counted, matrices)
    assert total == int(total)
    return int(total)


def _attention(shape: Architecture) -> float:
    width, head = shape.hidden_size, shape.head_dimension
    queries, keys = shape.attention_heads, shape.key_value_heads
    weights = 2 * width * head * (queries + keys)
    biases = shape.qkv_bias * (queries + 2 * keys) * head + shape.output_bias * width
    return weights + biases + shape.qk_norm_width + shape.attention_sinks * queries


def _linear_attention(shape: Architecture) -> float:
    keys, values, heads = shape.linear_key_width, shape.linear_value_width, shape.linear_value_heads
    weights = shape.hidden_size * (2 * keys + 3 * values + 2 * heads)
    return weights + shape.linear_convolution * (2 * keys + values) + 2 * heads + shape.linear_head_dimension


def _latent_attention(shape: Architecture) -> float:
    width, heads = shape.hidden_size, shape.attention_heads
    query_head = shape.nope_head_dimension + shape.rope_head_dimension
    rank, latent = shape.query_lora_rank, shape.key_value_lora_rank
    queries = width * rank + rank + rank * heads * query_head if rank else width * heads * query_head
    down = width * (latent + shape.rope_head_dimension) + latent
    up = latent * heads * (shape.nope_head_dimension + shape.value_head_dimension)
    return queries + down + up + heads * shape.value_head_dimension * width


def _mixture(shape: Architecture, counted: int, matrices: int) -> float:
    width, expert = shape.hidden_size, shape.expert_intermediate_size
    one = matrices * width * expert
    biases = shape.expert_bias * (2 * expert + width)
    router = width * shape.experts + shape.router_bias * shape.experts + shape.shared_expert_gate * width
    return counted * (one + biases) + shape.shared_experts * one + router
