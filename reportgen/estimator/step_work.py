"""What a step does: passes over the layers, parameters at work, and how well their shapes suit the hardware."""

from reportgen.estimator.structure import (
    dense,
    freeze,
    full,
    mixture_of_experts,
    multi_token_prediction,
    reference_model,
    step_model,
)
from reportgen.formula import equals, formula, modulo, pick, where

FITTED = "calibration"
KORTHIKANTI = "korthikanti-2022"
NVIDIA = "megatron-bridge"
mixture = step_model & mixture_of_experts
trained_alone = step_model & ~reference_model
trained_against = step_model & reference_model


# Passes over the layers, in forward passes


@formula(unit="passes", symbol="n_f", source=KORTHIKANTI, when=step_model & ~freeze, name="forward_passes")
def forward_passes(recomputed_share):
    """Each token runs forward once, and once more where activations were not kept."""
    return 1 + recomputed_share


@formula(unit="passes", symbol="n_f", source="llama-factory", when=step_model & freeze, name="forward_passes")
def forward_passes_freeze(recomputed_share, trained_layer_share):
    """Only layers that learn are run forward again."""
    return 1 + recomputed_share * trained_layer_share


@formula(unit="passes", symbol="n_act", source="palm-2022", when=trained_alone & ~freeze, name="layer_passes")
def layer_passes(forward_passes):
    """The backward pass of activations costs two forward passes, whether weights learn or not."""
    return forward_passes + 2


@formula(unit="passes", symbol="n_act", source="dpo-2023", when=trained_against & ~freeze, name="layer_passes")
def layer_passes_against_reference(forward_passes):
    """The frozen reference model runs forward too."""
    return forward_passes + 3


@formula(unit="passes", symbol="n_act", source="llama-factory", when=trained_alone & freeze, name="layer_passes")
def layer_passes_freeze(forward_passes, trained_layer_share):
    """The backward pass stops below the layers that learn."""
    return forward_passes + 2 * trained_layer_share


@formula(unit="passes", symbol="n_act", source="dpo-2023", when=trained_against & freeze, name="layer_passes")
def layer_passes_freeze_against_reference(forward_passes, trained_layer_share):
    """The frozen reference model runs forward too; the backward pass stops below the layers that learn."""
    return forward_passes + 2 * trained_layer_share + 1


@formula(unit="passes", symbol="n_w", source="palm-2022", when=step_model & (full | freeze), name="weight_passes")
def weight_passes(layer_passes):
    """Both gradients, of inputs and of weights, are matrix products as large as the forward one."""
    return layer_passes


@formula(unit="passes", symbol="n_w", source="lora-2021", when=step_model & ~full & ~freeze, name="weight_passes")
def weight_passes_adapter(layer_passes):
    """Frozen weights need no gradient of their own."""
    return layer_passes - 1


@formula(unit="passes", symbol="n_hd", source=NVIDIA, when=step_model & ~freeze, name="head_passes")
def head_passes(weight_passes, recomputed_share):
    """The head is not recomputed."""
    return weight_passes - recomputed_share


@formula(unit="passes", symbol="n_hd", source="llama-factory", when=trained_alone & freeze, name="head_passes")
def head_passes_freeze(embeddings_trained):
    """The head passes its gradient on, and learns only when asked."""
    return 2 + embeddings_trained


@formula(unit="passes", symbol="n_hd", source="dpo-2023", when=trained_against & freeze, name="head_passes")
def head_passes_freeze_against_reference(embeddings_trained):
    """As without a reference, and once more forward."""
    return 3 + embeddings_trained


# Efficiency of matrix products


@formula(unit="share", symbol="eta_16", source=FITTED, when=step_model)
def gemm_efficiency_16bit(accelerators_gemm_efficiency_16bit, accelerator_row):
    """Share of the 16-bit peak that large matrix products reach inside a step."""
    return pick(accelerators_gemm_efficiency_16bit, accelerator_row)


@formula(unit="share", symbol="eta", source=FITTED, when=step_model)
def gemm_efficiency(
    compute_precision,
    accelerators_gemm_efficiency_8bit,
    accelerators_gemm_efficiency_4bit,
    accelerator_row,
    gemm_efficiency_16bit,
):
    """The same of the peak of the precision that the products run in."""
    eight_or_more = where(
        equals(compute_precision, "fp8"),
        pick(accelerators_gemm_efficiency_8bit, accelerator_row),
        gemm_efficiency_16bit,
    )
    four = pick(accelerators_gemm_efficiency_4bit, accelerator_row)
    return where(equals(compute_precision, "fp4"), four, eight_or_more)


@formula(unit="share", symbol="eta_att", source=FITTED, when=step_model)
def attention_efficiency(accelerators_attention_efficiency, accelerator_row):
    """Share of the 16-bit peak that fused attention reaches."""
    return pick(accelerators_attention_efficiency, accelerator_row)


@formula(unit="factor", symbol="f_al", source="bigscience-bloom", when=step_model)
def alignment_factor(hidden_size, tensor_parallel, misaligned_penalty):
    """Shards whose width is not a multiple of 64 use tensor cores badly."""
    return where(equals(modulo(hidden_size, 64 * tensor_parallel), 0), 1, 1 + misaligned_penalty)


@formula(unit="factor", symbol="f_sh", source=FITTED, when=step_model)
def shape_factor(small_batch_tokens, resident_tokens, thin_shard_channels, tensor_parallel, hidden_size):
    """Products of few tokens or of thin shards fill the last round of the cores badly."""
    few = 1 + small_batch_tokens / resident_tokens
    return few * (1 + thin_shard_channels * tensor_parallel / hidden_size)


@formula(unit="tokens", symbol="S_e", source="megatron-lm", when=mixture)
def tokens_per_expert(resident_tokens, experts_per_token, expert_parallel, experts):
    """Tokens of one matrix product of one expert."""
    return resident_tokens * experts_per_token * expert_parallel / experts


@formula(unit="factor", symbol="f_ex", source=FITTED, when=mixture)
def expert_shape_factor(few_expert_tokens, tokens_per_expert):
    """Experts with few tokens fill the cores badly."""
    return 1 + few_expert_tokens / tokens_per_expert


# Parameters at work


@formula(unit="factor", symbol="f_mtp", source="deepseek-v3-2024", when=step_model & multi_token_prediction)
def prediction_depth_factor(layers, multi_token_layers):
    """Modules that predict further tokens are layers more."""
    return 1 + multi_token_layers / layers


@formula(
    unit="parameters",
    symbol="N_b",
    source=NVIDIA,
    when=step_model & dense & ~multi_token_prediction,
    name="block_parameters",
)
def block_parameters(linear_parameters):
    """Matrices of the layers that every token passes."""
    return linear_parameters


@formula(
    unit="parameters",
    symbol="N_b",
    source=NVIDIA,
    when=step_model & dense & multi_token_prediction,
    name="block_parameters",
)
def block_parameters_multi(linear_parameters, prediction_depth_factor):
    """Matrices of the layers that every token passes, extra modules included."""
    return linear_parameters * prediction_depth_factor


@formula(
    unit="parameters", symbol="N_b", source=NVIDIA, when=mixture & ~multi_token_prediction, name="block_parameters"
)
def block_parameters_of_mixture(linear_parameters, routed_expert_parameters):
    """What every token passes: attention, dense layers, shared experts, routers."""
    return linear_parameters - routed_expert_parameters


@formula(unit="parameters", symbol="N_b", source=NVIDIA, when=mixture & multi_token_prediction, name="block_parameters")
def block_parameters_of_mixture_multi(linear_parameters, routed_expert_parameters, prediction_depth_factor):
    """What every token passes, extra modules included."""
    return (linear_parameters - routed_expert_parameters) * prediction_depth_factor


@formula(
    unit="parameters", symbol="N_e", source=NVIDIA, when=mixture & ~multi_token_prediction, name="chosen_parameters"
)
def chosen_parameters(moe_layers, experts_per_token, expert_parameters):
    """Parameters of the experts that a token is sent to."""
    return moe_layers * experts_per_token * expert_parameters


@formula(
    unit="parameters", symbol="N_e", source=NVIDIA, when=mixture & multi_token_prediction, name="chosen_parameters"
)
def chosen_parameters_multi(moe_layers, experts_per_token, expert_parameters, prediction_depth_factor):
    """Parameters of the experts that a token is sent to, extra modules included."""
    return moe_layers * experts_per_token * expert_parameters * prediction_depth_factor
