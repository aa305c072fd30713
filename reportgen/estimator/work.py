"""Arithmetic of training: floating-point operations of a token, of a run, and the factors between conventions."""

from reportgen.estimator.structure import (
    adapter,
    freeze,
    full,
    mixture_of_experts,
    multi_token_prediction,
    reference_model,
    reinforcement,
    sliding_window,
    staged,
    training,
)
from reportgen.formula import BILLION, EXAFLOP, FLOP, GIGAFLOP, formula, minimum

NVIDIA = "megatron-bridge"
trained_alone = training & ~reference_model
trained_against = training & reference_model


# Tokens


@formula(unit="tokens", symbol="T", source="reportgen", when=training)
def run_tokens(training_tokens, epochs):
    """Every epoch reads all the data again."""
    return training_tokens * epochs


@formula(unit="tokens", symbol="T_all", source="reportgen", when=training)
def campaign_tokens(run_tokens, runs):
    """All runs of the campaign."""
    return run_tokens * runs


@formula(unit="tokens", symbol="T_step", source="reportgen", when=training)
def tokens_per_step(global_batch, sequence_length):
    """Tokens between two updates of the weights."""
    return global_batch * sequence_length


@formula(
    unit="steps", symbol="n_step", source="reportgen", when=training & ~staged & ~reinforcement, name="steps"
)
def steps(run_tokens, tokens_per_step):
    """Updates of the weights in one run."""
    return run_tokens / tokens_per_step


# Attention


@formula(unit="positions", symbol="s_att", source=NVIDIA, when=training & ~sliding_window, name="attended_positions")
def attended_positions(layers, sequence_length):
    """A causal token sees on average half of its sequence, in every layer."""
    return layers * sequence_length / 2


@formula(unit="positions", symbol="s_w", source="megatron-lm", when=training & sliding_window)
def window_positions(sliding_window, sequence_length):
    """Mean number of tokens that a sliding layer sees; the first tokens of a sequence see fewer than the window."""
    window = minimum(sliding_window, sequence_length)
    return window * (1 - window / (2 * sequence_length))


@formula(
    unit="positions", symbol="s_att", source="megatron-lm", when=training & sliding_window, name="attended_positions"
)
def attended_positions_sliding(layers, sliding_layers, sequence_length, window_positions):
    """Layers with a window and layers without one, added up."""
    return (layers - sliding_layers) * sequence_length / 2 + sliding_layers * window_positions


@formula(unit="FLOP/token", symbol="A", source="palm-2022", when=training)
def attention_flops_per_token(query_width, attention_output_width, attended_positions):
    """Scores and weighted values, forward: two operations a channel and position, which parameters do not show."""
    return 2 * (query_width + attention_output_width) * attended_positions * FLOP


# A token forward and trained


@formula(
    unit="FLOP/token",
    symbol="C_f",
    source="palm-2022",
    when=training & ~multi_token_prediction,
    name="forward_flops_per_token",
)
def forward_flops_per_token(matmul_parameters, attention_flops_per_token):
    """One multiplication and one addition a parameter, and attention."""
    return 2 * matmul_parameters * FLOP + attention_flops_per_token


@formula(
    unit="parameters",
    symbol="N_mtpa",
    source="deepseek-v3-2024",
    when=training & multi_token_prediction & mixture_of_experts,
    name="multi_token_active_parameters",
)
def multi_token_active_parameters(
    multi_token_parameters, multi_token_layers, experts, experts_per_token, expert_parameters, head_parameters
):
    """An extra module skips the experts not chosen, and uses the head once more."""
    idle = (experts - experts_per_token) * expert_parameters
    return multi_token_parameters + multi_token_layers * (head_parameters - idle)


@formula(
    unit="parameters",
    symbol="N_mtpa",
    source="deepseek-v3-2024",
    when=training & multi_token_prediction & ~mixture_of_experts,
    name="multi_token_active_parameters",
)
def multi_token_active_parameters_dense(multi_token_parameters, multi_token_layers, head_parameters):
    """An extra module uses the head once more."""
    return multi_token_parameters + multi_token_layers * head_parameters


@formula(
    unit="FLOP/token",
    symbol="C_f",
    source="deepseek-v3-2024",
    when=training & multi_token_prediction,
    name="forward_flops_per_token",
)
def forward_flops_per_token_multi(
    matmul_parameters, multi_token_active_parameters, attention_flops_per_token, layers, multi_token_layers
):
    """The extra modules predict further tokens with layers of their own."""
    linear = 2 * (matmul_parameters + multi_token_active_parameters) * FLOP
    return linear + attention_flops_per_token * (1 + multi_token_layers / layers)


@formula(unit="FLOP/token", symbol="C", source=NVIDIA, when=trained_alone & full, name="training_flops_per_token")
def training_flops_per_token(forward_flops_per_token):
    """The backward pass costs twice the forward pass: gradients of inputs and of weights. This is 6 N + 3 A."""
    return 3 * forward_flops_per_token


@formula(unit="FLOP/token", symbol="C", source="dpo-2023", when=trained_against & full, name="training_flops_per_token")
def training_flops_per_token_against_reference(forward_flops_per_token):
    """The frozen reference model runs forward beside the model that learns."""
    return 4 * forward_flops_per_token


@formula(unit="FLOP/token", symbol="C", source=NVIDIA, when=trained_alone & adapter, name="training_flops_per_token")
def training_flops_per_token_adapter(forward_flops_per_token, attention_flops_per_token, lora_active_parameters):
    """Frozen weights need no gradient of their own: 4 N + 3 A, and 6 a parameter of the adapters."""
    return 2 * forward_flops_per_token + attention_flops_per_token + 6 * lora_active_parameters * FLOP


@formula(
    unit="FLOP/token", symbol="C", source="dpo-2023", when=trained_against & adapter, name="training_flops_per_token"
)
def training_flops_per_token_adapter_against_reference(
    forward_flops_per_token, attention_flops_per_token, lora_active_parameters
):
    """The reference is the base without its adapters, run forward once more."""
    return 3 * forward_flops_per_token + attention_flops_per_token + 6 * lora_active_parameters * FLOP


@formula(unit="share", symbol="f_tr", source="llama-factory", when=training & freeze)
def trained_layer_share(trainable_layers, layers):
    """Only the last layers learn; the backward pass stops below them."""
    return minimum(trainable_layers, layers) / layers


@formula(unit="FLOP/token", symbol="C_b", source="reportgen", when=training & freeze)
def backward_flops_per_token(
    matmul_parameters, head_parameters, attention_flops_per_token, trained_layer_share, embeddings_trained
):
    """Both gradients in the layers that learn; the head passes its gradient on, and learns only when asked."""
    layers_part = (
        2 * (2 * (matmul_parameters - head_parameters) * FLOP + attention_flops_per_token) * trained_layer_share
    )
    return layers_part + 2 * (1 + embeddings_trained) * head_parameters * FLOP


@formula(
    unit="FLOP/token", symbol="C", source="reportgen", when=trained_alone & freeze, name="training_flops_per_token"
)
def training_flops_per_token_freeze(forward_flops_per_token, backward_flops_per_token):
    """The whole model runs forward, only its end runs backward."""
    return forward_flops_per_token + backward_flops_per_token


@formula(
    unit="FLOP/token", symbol="C", source="dpo-2023", when=trained_against & freeze, name="training_flops_per_token"
)
def training_flops_per_token_freeze_against_reference(forward_flops_per_token, backward_flops_per_token):
    """The frozen reference model runs forward too."""
    return 2 * forward_flops_per_token + backward_flops_per_token


@formula(unit="share", symbol="rho", source="korthikanti-2022", when=training)
def recomputed_share(
    full_recomputation, selective_recomputation, selective_scores_only, selective_recomputed_share
):
    """Share of the forward pass that runs a second time; scores alone are next to nothing, lists of operators are not."""
    operators = selective_recomputation * (1 - selective_scores_only)
    return full_recomputation + operators * selective_recomputed_share


@formula(
    unit="FLOP/token",
    symbol="C_r",
    source="korthikanti-2022",
    when=training & ~freeze,
    name="recomputed_flops_per_token",
)
def recomputed_flops_per_token(recomputed_share, forward_flops_per_token, head_parameters):
    """Full recomputation runs every layer forward again, the head not."""
    return recomputed_share * (forward_flops_per_token - 2 * head_parameters * FLOP)


@formula(
    unit="FLOP/token",
    symbol="C_r",
    source="korthikanti-2022",
    when=training & freeze,
    name="recomputed_flops_per_token",
)
def recomputed_flops_per_token_freeze(
    recomputed_share, forward_flops_per_token, head_parameters, trained_layer_share
):
    """Only layers that learn are run forward again."""
    return recomputed_share * (forward_flops_per_token - 2 * head_parameters * FLOP) * trained_layer_share


# The run


@formula(unit="EFLOP", symbol="C_run", source=NVIDIA, when=training & ~reinforcement & ~staged, name="run_work_eflop")
def run_work_eflop(training_flops_per_token, run_tokens):
    """Useful work of one run; recomputation is not counted."""
    return training_flops_per_token * run_tokens / EXAFLOP


@formula(unit="EFLOP", symbol="C_all", source=NVIDIA, when=training)
def campaign_work_eflop(run_work_eflop, runs):
    """Useful work of all runs."""
    return run_work_eflop * runs


@formula(unit="GFLOP/token", symbol="C_G", source=NVIDIA, when=training)
def training_gflop_per_token(training_flops_per_token):
    """The same in readable size."""
    return training_flops_per_token / GIGAFLOP


@formula(unit="billion", symbol="P_B", source="transformers")
def parameters_billion(parameters):
    """The same in readable size."""
    return parameters / BILLION


# Other conventions of counting, for comparing with other people's figures


@formula(unit="FLOP/token", symbol="C_pf", source="palm-2022", when=training)
def full_attention_flops_per_token(matmul_parameters, attention_flops_per_token):
    """PaLM and torchtitan count attention as if every token saw the whole sequence."""
    return 6 * matmul_parameters * FLOP + 6 * attention_flops_per_token


@formula(unit="FLOP/token", symbol="C_mp", source="llm-foundry", when=training)
def all_parameters_flops_per_token(active_parameters, attention_flops_per_token):
    """MosaicML counts all parameters, the embedding too, and full attention."""
    return 6 * active_parameters * FLOP + 6 * attention_flops_per_token


@formula(unit="FLOP/token", symbol="C_6N", source="kaplan-2020", when=training)
def six_n_flops_per_token(active_parameters):
    """The short form leaves attention out and counts all parameters."""
    return 6 * active_parameters * FLOP


@formula(unit="FLOP/token", symbol="C_hw", source="megatron-2021", when=training)
def hardware_flops_per_token(matmul_parameters, attention_flops_per_token):
    """Figures of hardware utilisation count the recomputed pass, the head's too: 8 N + 4 A."""
    return 8 * matmul_parameters * FLOP + 4 * attention_flops_per_token


@formula(unit="factor", symbol="k_pf", source="palm-2022", when=training)
def full_attention_factor(full_attention_flops_per_token, training_flops_per_token):
    """Multiply our utilisation by this to compare with PaLM's or torchtitan's."""
    return full_attention_flops_per_token / training_flops_per_token


@formula(unit="factor", symbol="k_mp", source="llm-foundry", when=training)
def all_parameters_factor(all_parameters_flops_per_token, training_flops_per_token):
    """Multiply our utilisation by this to compare with MosaicML's."""
    return all_parameters_flops_per_token / training_flops_per_token


@formula(unit="factor", symbol="k_6N", source="kaplan-2020", when=training)
def six_n_factor(six_n_flops_per_token, training_flops_per_token):
    """Multiply our utilisation by this to compare with figures made from 6 N D."""
    return six_n_flops_per_token / training_flops_per_token
