"""The attention of a decoder-only transformer: widths, matrices and vectors of one layer, exact."""

from reportgen.estimator.structure import (
    grouped_attention,
    latent_attention,
    linear_attention,
    qk_norm,
    query_compression,
)
from reportgen.formula import formula

CLASSES = "transformers"
DEEPSEEK = "deepseek-v3-2024"
latent_rank = latent_attention & query_compression
latent_plain = latent_attention & ~query_compression
grouped_plain = grouped_attention & ~qk_norm
grouped_norm = grouped_attention & qk_norm


@formula(unit="channels", symbol="w_q", source=CLASSES, when=grouped_attention, name="query_width")
def query_width(attention_heads, head_dimension):
    """The head width is a fact of its own, often not hidden size divided by heads."""
    return attention_heads * head_dimension


@formula(unit="channels", symbol="w_q", source=DEEPSEEK, when=latent_attention, name="query_width")
def query_width_latent(attention_heads, nope_head_dimension, rope_head_dimension):
    """Each latent head carries a part without and a part with position."""
    return attention_heads * (nope_head_dimension + rope_head_dimension)


@formula(unit="channels", symbol="w_kv", source=CLASSES, when=grouped_attention)
def key_value_width(key_value_heads, head_dimension):
    """Grouped heads share keys and values."""
    return key_value_heads * head_dimension


@formula(unit="channels", symbol="w_o", source=CLASSES, when=grouped_attention, name="attention_output_width")
def attention_output_width(query_width):
    """Values are as wide as queries when heads are grouped."""
    return query_width


@formula(unit="channels", symbol="w_o", source=DEEPSEEK, when=latent_attention, name="attention_output_width")
def attention_output_width_latent(attention_heads, value_head_dimension):
    """Latent attention has its own value width."""
    return attention_heads * value_head_dimension


@formula(unit="parameters", symbol="N_att", source=CLASSES, when=grouped_attention, name="attention_matrix_parameters")
def attention_matrix_parameters(hidden_size, query_width, key_value_width, attention_output_width):
    """Query, key, value and output matrices of one layer."""
    return hidden_size * (query_width + 2 * key_value_width + attention_output_width)


@formula(unit="parameters", symbol="N_kva", source=DEEPSEEK, when=latent_attention)
def latent_key_value_parameters(
    hidden_size, key_value_lora_rank, rope_head_dimension, attention_heads, nope_head_dimension, value_head_dimension
):
    """Keys and values go through one small latent, and the part with position is shared by all heads."""
    down = hidden_size * (key_value_lora_rank + rope_head_dimension)
    return down + key_value_lora_rank * attention_heads * (nope_head_dimension + value_head_dimension)


@formula(unit="parameters", symbol="N_att", source=DEEPSEEK, when=latent_rank, name="attention_matrix_parameters")
def attention_matrix_parameters_latent(
    hidden_size, query_lora_rank, query_width, latent_key_value_parameters, attention_output_width
):
    """Queries too go through a latent before they fan out."""
    query = hidden_size * query_lora_rank + query_lora_rank * query_width
    return query + latent_key_value_parameters + attention_output_width * hidden_size


@formula(unit="parameters", symbol="N_att", source=DEEPSEEK, when=latent_plain, name="attention_matrix_parameters")
def attention_matrix_parameters_latent_plain_query(
    hidden_size, query_width, latent_key_value_parameters, attention_output_width
):
    """Small latent models keep one full query matrix."""
    return hidden_size * query_width + latent_key_value_parameters + attention_output_width * hidden_size


@formula(unit="parameters", symbol="N_attv", source=CLASSES, when=grouped_plain, name="attention_vector_parameters")
def attention_vector_parameters(qkv_bias, query_width, key_value_width, output_bias, hidden_size):
    """Biases are few, but the count shall be exact."""
    return qkv_bias * (query_width + 2 * key_value_width) + output_bias * hidden_size


@formula(unit="parameters", symbol="N_attv", source=CLASSES, when=grouped_norm, name="attention_vector_parameters")
def attention_vector_parameters_qk_norm(
    qkv_bias, query_width, key_value_width, output_bias, hidden_size, qk_norm_width
):
    """Biases, and the norms of queries and keys."""
    return qkv_bias * (query_width + 2 * key_value_width) + output_bias * hidden_size + qk_norm_width


@formula(unit="parameters", symbol="N_attv", source=DEEPSEEK, when=latent_rank, name="attention_vector_parameters")
def attention_vector_parameters_latent(query_lora_rank, key_value_lora_rank):
    """Each latent has its norm."""
    return query_lora_rank + key_value_lora_rank


@formula(unit="parameters", symbol="N_attv", source=DEEPSEEK, when=latent_plain, name="attention_vector_parameters")
def attention_vector_parameters_latent_plain_query(key_value_lora_rank):
    """The one latent has its norm."""
    return key_value_lora_rank


@formula(unit="parameters", symbol="N_la", source="qwen3-next", when=linear_attention)
def linear_attention_layer_parameters(hidden_size, linear_key_width, linear_value_width, linear_value_heads):
    """A layer with linear attention: queries, keys, values, gate and output, and two rates a value head."""
    read = 2 * linear_key_width + 2 * linear_value_width + 2 * linear_value_heads
    return hidden_size * (read + linear_value_width)
