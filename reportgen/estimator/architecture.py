"""Parameter counts of a decoder-only transformer: exact, part by part."""

from reportgen.estimator.structure import (
    dense,
    gated,
    learned_positions,
    linear_attention,
    mixture_of_experts,
    multi_token_prediction,
    tied,
    unusual_parts,
)  # fmt: skip
from reportgen.formula import formula

CLASSES = "transformers"
DEEPSEEK = "deepseek-v3-2024"


# Feed-forward part of one layer


@formula(unit="parameters", symbol="N_mlp", source=CLASSES, when=gated, name="mlp_matrix_parameters")
def mlp_matrix_parameters(hidden_size, intermediate_size):
    """A gated feed-forward part has three matrices: gate, up, down."""
    return 3 * hidden_size * intermediate_size


@formula(unit="parameters", symbol="N_mlp", source=CLASSES, when=~gated, name="mlp_matrix_parameters")
def mlp_matrix_parameters_plain(hidden_size, intermediate_size):
    """Without a gate there are two matrices: up and down."""
    return 2 * hidden_size * intermediate_size


@formula(unit="parameters", symbol="N_mlpv", source=CLASSES, when=gated, name="mlp_vector_parameters")
def mlp_vector_parameters(mlp_bias, intermediate_size, hidden_size):
    """Biases of gate, up and down, where there are any."""
    return mlp_bias * (2 * intermediate_size + hidden_size)


@formula(unit="parameters", symbol="N_mlpv", source=CLASSES, when=~gated, name="mlp_vector_parameters")
def mlp_vector_parameters_plain(mlp_bias, intermediate_size, hidden_size):
    """Biases of up and down, where there are any."""
    return mlp_bias * (intermediate_size + hidden_size)


@formula(
    unit="parameters",
    symbol="N_exp",
    source=CLASSES,
    when=mixture_of_experts & gated & ~unusual_parts,
    name="expert_parameters",
)
def expert_parameters(hidden_size, expert_intermediate_size):
    """One expert is a small gated feed-forward part."""
    return 3 * hidden_size * expert_intermediate_size


@formula(
    unit="parameters",
    symbol="N_exp",
    source=CLASSES,
    when=mixture_of_experts & gated & unusual_parts,
    name="expert_parameters",
)
def expert_parameters_biased(hidden_size, expert_intermediate_size, expert_bias):
    """One expert, with the biases that some models give it."""
    matrices = 3 * hidden_size * expert_intermediate_size
    return matrices + expert_bias * (2 * expert_intermediate_size + hidden_size)


@formula(unit="parameters", symbol="N_exp", source=CLASSES, when=mixture_of_experts & ~gated, name="expert_parameters")
def expert_parameters_plain(hidden_size, expert_intermediate_size):
    """One expert without a gate."""
    return 2 * hidden_size * expert_intermediate_size


@formula(unit="parameters", symbol="N_sh", source=CLASSES, when=mixture_of_experts)
def common_expert_parameters(hidden_size, experts, shared_experts, expert_parameters):
    """Router and shared experts of one mixture layer work on every token."""
    return hidden_size * experts + shared_experts * expert_parameters


@formula(unit="parameters", symbol="N_pool", source=CLASSES, when=mixture_of_experts)
def routed_expert_parameters(moe_layers, experts, expert_parameters):
    """All routed experts of all mixture layers: most of the memory, little of the work."""
    return moe_layers * experts * expert_parameters


# Whole model


@formula(
    unit="parameters", symbol="N_attL", source=CLASSES, when=~linear_attention, name="attention_parameters"
)
def attention_parameters(layers, attention_matrix_parameters):
    """The attention matrices of all layers."""
    return layers * attention_matrix_parameters


@formula(
    unit="parameters", symbol="N_attL", source="qwen3-next", when=linear_attention, name="attention_parameters"
)
def attention_parameters_hybrid(
    layers,
    linear_layers,
    attention_matrix_parameters,
    attention_output_gate,
    hidden_size,
    query_width,
    linear_attention_layer_parameters,
):
    """Few layers have full attention, with a gate on its output; the others have linear attention."""
    full = attention_matrix_parameters + attention_output_gate * hidden_size * query_width
    return (layers - linear_layers) * full + linear_layers * linear_attention_layer_parameters


@formula(unit="parameters", symbol="N_lin", source=CLASSES, when=dense, name="linear_parameters")
def linear_parameters(attention_parameters, layers, mlp_matrix_parameters):
    """The matrices of the layers, which quantisation and adapters act on."""
    return attention_parameters + layers * mlp_matrix_parameters


@formula(unit="parameters", symbol="N_lin", source=CLASSES, when=mixture_of_experts, name="linear_parameters")
def linear_parameters_of_mixture(
    attention_parameters,
    dense_layers,
    mlp_matrix_parameters,
    moe_layers,
    common_expert_parameters,
    routed_expert_parameters,
):
    """The first layers may keep a dense feed-forward part."""
    outside_experts = attention_parameters + dense_layers * mlp_matrix_parameters
    return outside_experts + moe_layers * common_expert_parameters + routed_expert_parameters


@formula(unit="parameters", symbol="N_norm", source=CLASSES)
def norm_parameters(layers, norms_per_layer, norm_weights_per_channel, hidden_size):
    """Norms of every layer and one at the end."""
    return (layers * norms_per_layer + 1) * norm_weights_per_channel * hidden_size


@formula(unit="parameters", symbol="N_attV", source=CLASSES, when=~linear_attention, name="attention_vectors")
def attention_vectors(layers, attention_vector_parameters):
    """Biases and norms of attention, all layers."""
    return layers * attention_vector_parameters


@formula(unit="parameters", symbol="N_attV", source="qwen3-next", when=linear_attention, name="attention_vectors")
def attention_vectors_hybrid(
    layers,
    linear_layers,
    attention_vector_parameters,
    linear_convolution,
    linear_key_width,
    linear_value_width,
    linear_value_heads,
    linear_head_dimension,
):
    """Linear attention has a short convolution, two numbers a value head and a norm."""
    convolution = linear_convolution * (2 * linear_key_width + linear_value_width)
    vectors = convolution + 2 * linear_value_heads + linear_head_dimension
    return (layers - linear_layers) * attention_vector_parameters + linear_layers * vectors


@formula(unit="parameters", symbol="N_vec", source=CLASSES, when=dense, name="vector_parameters")
def vector_parameters(attention_vectors, layers, mlp_vector_parameters, norm_parameters):
    """Biases and norms of the layers."""
    return attention_vectors + layers * mlp_vector_parameters + norm_parameters


@formula(unit="parameters", symbol="N_vec", source=CLASSES, when=mixture_of_experts, name="vector_parameters")
def vector_parameters_of_mixture(attention_vectors, dense_layers, mlp_vector_parameters, norm_parameters):
    """Biases and norms of the layers; only dense layers have the bias of the dense feed-forward part."""
    return attention_vectors + dense_layers * mlp_vector_parameters + norm_parameters


@formula(unit="parameters", symbol="N_head", source=CLASSES)
def head_parameters(vocabulary_size, hidden_size):
    """One row a word of the vocabulary: the output head, or the input embedding."""
    return vocabulary_size * hidden_size


@formula(unit="parameters", symbol="N_emb", source=CLASSES, when=tied & ~learned_positions, name="embedding_parameters")
def embedding_parameters_tied(head_parameters):
    """Input embedding and output head are one matrix."""
    return head_parameters


@formula(
    unit="parameters", symbol="N_emb", source=CLASSES, when=~tied & ~learned_positions, name="embedding_parameters"
)
def embedding_parameters(head_parameters):
    """Input embedding and output head are two matrices."""
    return 2 * head_parameters


@formula(unit="parameters", symbol="N_emb", source=CLASSES, when=tied & learned_positions, name="embedding_parameters")
def embedding_parameters_tied_positions(head_parameters, position_embeddings, hidden_size):
    """One matrix for both ends, and a row a position."""
    return head_parameters + position_embeddings * hidden_size


@formula(unit="parameters", symbol="N_emb", source=CLASSES, when=~tied & learned_positions, name="embedding_parameters")
def embedding_parameters_positions(head_parameters, position_embeddings, hidden_size):
    """Two matrices, and a row a position."""
    return 2 * head_parameters + position_embeddings * hidden_size


@formula(unit="parameters", symbol="N_odd", source=CLASSES, when=unusual_parts & dense, name="unusual_parameters")
def unusual_parameters(
    embedding_norm,
    norm_weights_per_channel,
    hidden_size,
    head_bias,
    vocabulary_size,
    attention_sinks,
    layers,
    attention_heads,
):
    """Parts that few models have: a norm on the embedding, a bias on the head, attention sinks."""
    ends = embedding_norm * norm_weights_per_channel * hidden_size + head_bias * vocabulary_size
    return ends + attention_sinks * layers * attention_heads


@formula(
    unit="parameters",
    symbol="N_odd",
    source=CLASSES,
    when=unusual_parts & mixture_of_experts,
    name="unusual_parameters",
)
def unusual_parameters_of_mixture(
    moe_layers, router_bias, experts, shared_expert_gate, hidden_size, attention_sinks, layers, attention_heads
):
    """Parts that few mixtures have: router bias, gate of the shared expert, attention sinks."""
    return (
        moe_layers * (router_bias * experts + shared_expert_gate * hidden_size)
        + attention_sinks * layers * attention_heads
    )


@formula(unit="parameters", symbol="P", source=CLASSES, when=~unusual_parts, name="parameters")
def parameters(linear_parameters, vector_parameters, embedding_parameters):
    """Everything that is learned: matrices and vectors of the layers, embeddings and head."""
    return linear_parameters + vector_parameters + embedding_parameters


@formula(unit="parameters", symbol="P", source=CLASSES, when=unusual_parts, name="parameters")
def parameters_with_unusual_parts(linear_parameters, vector_parameters, embedding_parameters, unusual_parameters):
    """Everything that is learned, with the parts that few models have."""
    return linear_parameters + vector_parameters + embedding_parameters + unusual_parameters


@formula(unit="parameters", symbol="P_act", source=CLASSES, when=dense, name="active_parameters")
def active_parameters(parameters):
    """In a dense model every parameter works on every token."""
    return parameters


@formula(unit="parameters", symbol="P_act", source=CLASSES, when=mixture_of_experts, name="active_parameters")
def active_parameters_of_mixture(parameters, routed_expert_parameters, experts_per_token, experts):
    """A token visits few of the experts; both embeddings are counted, as model cards do."""
    return parameters - routed_expert_parameters * (experts - experts_per_token) / experts


@formula(unit="parameters", symbol="N_mm", source="megatron-bridge")
def matmul_parameters(active_parameters, embedding_parameters, head_parameters):
    """Looking a word up costs no multiplication, so only the head's matrix counts, tied or not."""
    return active_parameters - embedding_parameters + head_parameters


@formula(
    unit="parameters",
    symbol="N_mtp",
    source=DEEPSEEK,
    when=multi_token_prediction & mixture_of_experts,
    name="multi_token_parameters",
)
def multi_token_parameters(
    multi_token_layers,
    attention_matrix_parameters,
    attention_vector_parameters,
    common_expert_parameters,
    experts,
    expert_parameters,
    hidden_size,
    norms_per_layer,
    norm_weights_per_channel,
):
    """Each module is one more layer, a projection of two states, and three norms; published counts leave it out."""
    layer = (
        attention_matrix_parameters
        + attention_vector_parameters
        + common_expert_parameters
        + experts * expert_parameters
    )
    return multi_token_layers * (
        layer + 2 * hidden_size * hidden_size + (norms_per_layer + 3) * norm_weights_per_channel * hidden_size
    )


@formula(
    unit="parameters",
    symbol="N_mtp",
    source=DEEPSEEK,
    when=multi_token_prediction & dense,
    name="multi_token_parameters",
)
def multi_token_parameters_dense(
    multi_token_layers,
    attention_matrix_parameters,
    attention_vector_parameters,
    mlp_matrix_parameters,
    hidden_size,
    norms_per_layer,
    norm_weights_per_channel,
):
    """Each module is one more layer, a projection of two states to one, and three norms."""
    layer = attention_matrix_parameters + attention_vector_parameters + mlp_matrix_parameters
    return multi_token_layers * (
        layer + 2 * hidden_size * hidden_size + (norms_per_layer + 3) * norm_weights_per_channel * hidden_size
    )
