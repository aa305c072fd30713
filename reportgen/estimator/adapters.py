"""Parameters of the adapters of LoRA and QLoRA, by the matrices they stand beside."""

from reportgen.estimator.structure import (
    adapter,
    gated,
    grouped_attention,
    latent_attention,
    mixture_of_experts,
    query_compression,
)
from reportgen.formula import formula


@formula(
    unit="parameters",
    symbol="N_la",
    source="lora-2021",
    when=adapter & grouped_attention,
    name="lora_attention_parameters",
)
def lora_attention_parameters(
    layers, lora_rank, hidden_size, query_width, key_value_width, lora_query, lora_key, lora_value, lora_output
):
    """Two thin matrices beside each attention matrix that is adapted."""
    query_and_output = (lora_query + lora_output) * (hidden_size + query_width)
    return layers * lora_rank * (query_and_output + (lora_key + lora_value) * (hidden_size + key_value_width))


@formula(
    unit="parameters",
    symbol="N_lq",
    source="lora-2021",
    when=adapter & latent_attention & query_compression,
    name="lora_query_width",
)
def lora_query_width(hidden_size, query_lora_rank, query_width):
    """Both query matrices of latent attention get an adapter: the sum of their sides."""
    return hidden_size + 2 * query_lora_rank + query_width


@formula(
    unit="parameters",
    symbol="N_lq",
    source="lora-2021",
    when=adapter & latent_attention & ~query_compression,
    name="lora_query_width",
)
def lora_query_width_plain(hidden_size, query_width):
    """The one query matrix gets an adapter: the sum of its sides."""
    return hidden_size + query_width


@formula(unit="parameters", symbol="N_lkv", source="lora-2021", when=adapter & latent_attention)
def lora_key_value_width(
    hidden_size, key_value_lora_rank, rope_head_dimension, attention_heads, nope_head_dimension, value_head_dimension
):
    """Both matrices of the key-value latent get an adapter: the sum of their sides."""
    up = attention_heads * (nope_head_dimension + value_head_dimension)
    return hidden_size + 2 * key_value_lora_rank + rope_head_dimension + up


@formula(
    unit="parameters",
    symbol="N_la",
    source="lora-2021",
    when=adapter & latent_attention,
    name="lora_attention_parameters",
)
def lora_attention_parameters_latent(
    layers,
    lora_rank,
    lora_query_width,
    lora_key_value_width,
    attention_output_width,
    hidden_size,
    lora_query,
    lora_key,
    lora_output,
):
    """Two thin matrices beside each matrix of latent attention that is adapted; keys and values share theirs."""
    widths = lora_query * lora_query_width + lora_key * lora_key_value_width
    return layers * lora_rank * (widths + lora_output * (attention_output_width + hidden_size))


@formula(unit="matrices", symbol="n_lm", source="lora-2021", when=adapter & gated, name="lora_mlp_matrices")
def lora_mlp_matrices(lora_gate, lora_up, lora_down):
    """How many of gate, up and down are adapted."""
    return lora_gate + lora_up + lora_down


@formula(unit="matrices", symbol="n_lm", source="lora-2021", when=adapter & ~gated, name="lora_mlp_matrices")
def lora_mlp_matrices_plain(lora_up, lora_down):
    """How many of up and down are adapted."""
    return lora_up + lora_down


@formula(
    unit="parameters", symbol="N_lora", source="lora-2021", when=adapter & ~mixture_of_experts, name="lora_parameters"
)
def lora_parameters(lora_attention_parameters, layers, lora_rank, lora_mlp_matrices, hidden_size, intermediate_size):
    """All that learns; the adapted model itself stays frozen."""
    return lora_attention_parameters + layers * lora_rank * lora_mlp_matrices * (hidden_size + intermediate_size)


@formula(unit="parameters", symbol="N_le", source="lora-2021", when=adapter & mixture_of_experts)
def lora_expert_parameters(lora_rank, lora_mlp_matrices, hidden_size, expert_intermediate_size):
    """The adapters of one expert."""
    return lora_rank * lora_mlp_matrices * (hidden_size + expert_intermediate_size)


@formula(unit="parameters", symbol="N_lc", source="lora-2021", when=adapter & mixture_of_experts)
def lora_common_parameters(
    lora_attention_parameters,
    dense_layers,
    lora_rank,
    lora_mlp_matrices,
    hidden_size,
    intermediate_size,
    moe_layers,
    shared_experts,
    lora_expert_parameters,
):
    """Adapters that every token meets: attention, dense layers, shared experts."""
    dense_part = dense_layers * lora_rank * lora_mlp_matrices * (hidden_size + intermediate_size)
    return lora_attention_parameters + dense_part + moe_layers * shared_experts * lora_expert_parameters


@formula(
    unit="parameters", symbol="N_lora", source="lora-2021", when=adapter & mixture_of_experts, name="lora_parameters"
)
def lora_parameters_of_mixture(lora_common_parameters, moe_layers, experts, lora_expert_parameters):
    """All that learns, with an adapter beside every expert."""
    return lora_common_parameters + moe_layers * experts * lora_expert_parameters


@formula(
    unit="parameters",
    symbol="N_lact",
    source="lora-2021",
    when=adapter & mixture_of_experts,
    name="lora_active_parameters",
)
def lora_active_parameters_of_mixture(lora_common_parameters, moe_layers, experts_per_token, lora_expert_parameters):
    """The adapters that work on one token."""
    return lora_common_parameters + moe_layers * experts_per_token * lora_expert_parameters


@formula(
    unit="parameters",
    symbol="N_lact",
    source="lora-2021",
    when=adapter & ~mixture_of_experts,
    name="lora_active_parameters",
)
def lora_active_parameters(lora_parameters):
    """In a dense model every adapter works on every token."""
    return lora_parameters
