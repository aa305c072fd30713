"""Time of a step on one GPU, as seconds for a trained token: products, attention, memory traffic, launches, waiting.

The structure is that of the calibration report; its constants are fitted to published runs.
"""

from reportgen.estimator.structure import (
    dense,
    gated,
    grouped_attention,
    latent_attention,
    mixture_of_experts,
    multi_token_prediction,
    qlora,
    score_matrix,
    step_model,
)
from reportgen.formula import (
    BYTE,
    FLOP,
    GIGABYTE,
    MILLISECOND,
    TERAFLOP,
    any_of,
    at_least,
    equals,
    formula,
    maximum,
    minimum,
    where,
)

FITTED = "calibration"
MEGATRON = "megatron-2021"
KORTHIKANTI = "korthikanti-2022"
NVIDIA = "megatron-bridge"
mixture = step_model & mixture_of_experts


# Seconds of one GPU for a token, part by part


@formula(unit="s/token", symbol="t_blk", source=NVIDIA, when=step_model)
def block_seconds(block_parameters, weight_passes, shape_factor, alignment_factor, peak_tflops, gemm_efficiency):
    """Two operations a parameter and pass, at the speed that the shapes allow."""
    work = 2 * block_parameters * weight_passes * FLOP * shape_factor * alignment_factor
    return work / (peak_tflops * TERAFLOP * gemm_efficiency)


@formula(unit="s/token", symbol="t_exp", source=NVIDIA, when=mixture)
def expert_seconds(chosen_parameters, weight_passes, expert_shape_factor, peak_tflops, gemm_efficiency):
    """The same for the experts, whose products are smaller."""
    work = 2 * chosen_parameters * weight_passes * FLOP * expert_shape_factor
    return work / (peak_tflops * TERAFLOP * gemm_efficiency)


@formula(unit="TFLOP/s", symbol="F_w", source=NVIDIA, when=step_model)
def wide_peak_tflops(peak_tflops, peak_tflops_16bit):
    """Head and attention stay in 16 bits where the rest is narrower, and are in 32 bits where the rest is."""
    return minimum(peak_tflops, peak_tflops_16bit)


@formula(unit="s/token", symbol="t_hd", source=NVIDIA, when=step_model & ~multi_token_prediction, name="head_seconds")
def head_seconds(head_parameters, head_passes, wide_peak_tflops, gemm_efficiency_16bit):
    """The head does not become narrower than 16 bits."""
    work = 2 * head_parameters * head_passes * FLOP
    return work / (wide_peak_tflops * TERAFLOP * gemm_efficiency_16bit)


@formula(unit="s/token", symbol="t_hd", source=NVIDIA, when=step_model & multi_token_prediction, name="head_seconds")
def head_seconds_multi(head_parameters, head_passes, multi_token_layers, wide_peak_tflops, gemm_efficiency_16bit):
    """Each extra module uses the head once more."""
    work = 2 * head_parameters * head_passes * (1 + multi_token_layers) * FLOP
    return work / (wide_peak_tflops * TERAFLOP * gemm_efficiency_16bit)


@formula(unit="factor", symbol="f_att", source="flash-attention-2022", when=step_model)
def attention_shape_factor(narrow_head_channels, attention_heads, query_width):
    """Exponentials cost a head the same whatever its width, so narrow heads are slow."""
    return 1 + narrow_head_channels * attention_heads / query_width


@formula(
    unit="s/token",
    symbol="t_att",
    source="flash-attention-2022",
    when=step_model & ~score_matrix,
    name="attention_seconds",
)
def attention_seconds(
    attention_flops_per_token,
    layer_passes,
    attention_kernel_factor,
    attention_shape_factor,
    wide_peak_tflops,
    attention_efficiency,
):
    """Fused attention computes the causal half only."""
    work = attention_flops_per_token * layer_passes * attention_kernel_factor * attention_shape_factor
    return work / (wide_peak_tflops * TERAFLOP * attention_efficiency)


@formula(unit="s/token", symbol="t_att", source=KORTHIKANTI, when=step_model & score_matrix, name="attention_seconds")
def attention_seconds_unfused(
    attention_flops_per_token, layer_passes, wide_peak_tflops, gemm_efficiency_16bit, score_matrix_seconds
):
    """Without fused attention both halves are computed as matrix products, and the scores go through memory."""
    work = 2 * attention_flops_per_token * layer_passes
    return work / (wide_peak_tflops * TERAFLOP * gemm_efficiency_16bit) + score_matrix_seconds


@formula(unit="s/token", symbol="t_sc", source=KORTHIKANTI, when=step_model & score_matrix)
def score_matrix_seconds(
    score_traffic_bytes, layers, attention_heads, sequence_length, layer_passes, memory_bandwidth_gb_s
):
    """Reading and writing the scores of every head, softmax and dropout included."""
    traffic = score_traffic_bytes * layers * attention_heads * sequence_length * layer_passes / 3
    return traffic / (memory_bandwidth_gb_s * GIGABYTE)


@formula(unit="B/token", symbol="b_mix", source=KORTHIKANTI, when=step_model & grouped_attention, name="mixer_traffic")
def mixer_traffic(hidden_size, query_width, key_value_width):
    """Activations of norms and attention in one layer, in 16 bits."""
    return (8 * hidden_size + 4 * query_width + 4 * key_value_width) * BYTE


@formula(
    unit="B/token", symbol="b_mix", source="deepseek-v2-2024", when=step_model & latent_attention, name="mixer_traffic"
)
def mixer_traffic_latent(hidden_size, query_width, attention_output_width):
    """Latent attention unfolds keys and values of every head."""
    return (8 * hidden_size + 4 * query_width + 4 * attention_output_width) * BYTE


@formula(unit="B/token", symbol="b_mlp", source=KORTHIKANTI, when=step_model & gated, name="mlp_traffic")
def mlp_traffic(intermediate_size):
    """Gate, up and their product."""
    return 6 * intermediate_size * BYTE


@formula(unit="B/token", symbol="b_mlp", source=KORTHIKANTI, when=step_model & ~gated, name="mlp_traffic")
def mlp_traffic_plain(intermediate_size):
    """Before and after the activation function."""
    return 4 * intermediate_size * BYTE


@formula(unit="B/token", symbol="b_exp", source="simumax", when=mixture)
def expert_traffic(experts_per_token, expert_intermediate_size, hidden_size, shared_experts):
    """Every chosen expert has its own copy of the token, which is sorted there and back."""
    inside = 6 * (experts_per_token + shared_experts) * expert_intermediate_size
    return (inside + 4 * experts_per_token * hidden_size) * BYTE


@formula(unit="s/token", symbol="t_so", source=FITTED, when=mixture)
def sorting_seconds(
    sorting_traffic_bytes,
    moe_layers,
    experts_per_token,
    hidden_size,
    expert_intermediate_size,
    layer_passes,
    memory_bandwidth_gb_s,
):
    """Tokens are routed, sorted by expert, padded, weighted and put back; many kernels over each copy, its gate and up."""
    channels = hidden_size + 2 * expert_intermediate_size
    traffic = sorting_traffic_bytes * moe_layers * experts_per_token * channels * layer_passes / 3
    return traffic / (memory_bandwidth_gb_s * GIGABYTE)


@formula(unit="B/token", symbol="b_act", source=KORTHIKANTI, when=step_model & dense, name="layer_traffic")
def layer_traffic(layers, mixer_traffic, mlp_traffic):
    """Activations of all layers that a forward pass writes once."""
    return layers * (mixer_traffic + mlp_traffic)


@formula(unit="B/token", symbol="b_act", source=KORTHIKANTI, when=mixture, name="layer_traffic")
def layer_traffic_of_mixture(layers, mixer_traffic, dense_layers, mlp_traffic, moe_layers, expert_traffic):
    """Activations of all layers that a forward pass writes once."""
    return layers * mixer_traffic + dense_layers * mlp_traffic + moe_layers * expert_traffic


@formula(unit="factor", symbol="k_el", source=FITTED, when=step_model)
def traffic_factor(elementwise_factor, compute_precision, cast_traffic_factor):
    """How often kernels between the products touch these bytes; casting to 8 or 4 bits touches them more."""
    low = any_of(equals(compute_precision, "fp8"), equals(compute_precision, "fp4"))
    return elementwise_factor + where(low, cast_traffic_factor, 0)


@formula(unit="s/token", symbol="t_el", source=FITTED, when=step_model)
def elementwise_seconds(
    layer_traffic, traffic_factor, layer_passes, logit_traffic_bytes, vocabulary_size, memory_bandwidth_gb_s
):
    """Norms, activation functions, residuals and the loss run at the speed of the memory."""
    layers_part = layer_traffic * traffic_factor * layer_passes / 3
    return (layers_part + logit_traffic_bytes * vocabulary_size) / (memory_bandwidth_gb_s * GIGABYTE)


@formula(unit="s/token", symbol="t_dq", source="qlora-2023", when=step_model & qlora)
def unpacking_seconds(
    unpacking_traffic_bytes, linear_parameters, weight_passes, memory_bandwidth_gb_s, resident_tokens
):
    """The packed weights are unpacked in every pass of every micro-batch."""
    traffic = unpacking_traffic_bytes * linear_parameters * weight_passes
    return traffic / (memory_bandwidth_gb_s * GIGABYTE) / resident_tokens


# What a GPU is busy with, and what it waits for


@formula(unit="s/token", symbol="t_cmp", source=FITTED, when=step_model & dense, name="computing_seconds")
def computing_seconds(software_factor, block_seconds, head_seconds, attention_seconds, elementwise_seconds):
    """Products, attention and traffic, at the level of the software."""
    return software_factor * (block_seconds + head_seconds + attention_seconds + elementwise_seconds)


@formula(unit="s/token", symbol="t_cmp", source=FITTED, when=mixture, name="computing_seconds")
def computing_seconds_of_mixture(
    software_factor,
    mixture_release_factor,
    block_seconds,
    expert_seconds,
    head_seconds,
    attention_seconds,
    elementwise_seconds,
    sorting_seconds,
    expert_exchange_seconds,
):
    """The same with sorting and exchange of tokens, which change with every release of the software."""
    products = block_seconds + expert_seconds + head_seconds
    computing = software_factor * (products + attention_seconds + elementwise_seconds)
    return computing + mixture_release_factor * (sorting_seconds + expert_exchange_seconds)


@formula(unit="s/token", symbol="t_gpu", source=FITTED, when=step_model & ~qlora, name="busy_seconds")
def busy_seconds(computing_seconds, tensor_seconds, context_seconds):
    """Computing, and the exchange inside a layer."""
    return computing_seconds + tensor_seconds + context_seconds


@formula(unit="s/token", symbol="t_gpu", source=FITTED, when=step_model & qlora, name="busy_seconds")
def busy_seconds_quantized(computing_seconds, unpacking_seconds, tensor_seconds, context_seconds):
    """Computing, unpacking, and the exchange inside a layer."""
    return computing_seconds + unpacking_seconds + tensor_seconds + context_seconds


@formula(unit="ms", symbol="l_lay", source=FITTED, when=step_model)
def layer_launch_ms(launch_ms, zero_stage, sharded_launch_ms):
    """Time in which the host issues one layer of one micro-batch; sharding of all states adds to it."""
    return launch_ms + where(at_least(zero_stage, 3), sharded_launch_ms, 0)


@formula(unit="s/token", symbol="t_la", source=FITTED, when=step_model & dense, name="launch_seconds")
def launch_seconds(layer_launch_ms, layers, tensor_parallel, resident_tokens, layer_passes):
    """The host issues every layer of every micro-batch, whatever its size."""
    passes = layer_passes / 3
    return layer_launch_ms * MILLISECOND * layers * tensor_parallel / resident_tokens * passes


@formula(unit="s/token", symbol="t_la", source=FITTED, when=mixture, name="launch_seconds")
def launch_seconds_of_mixture(
    layer_launch_ms,
    layers,
    mixture_launch_ms,
    mixture_release_factor,
    moe_layers,
    tensor_parallel,
    resident_tokens,
    layer_passes,
):
    """Routing and sorting of tokens make many small launches more."""
    routing = mixture_launch_ms * mixture_release_factor * moe_layers
    issued = (layer_launch_ms * layers + routing) * MILLISECOND
    return issued * tensor_parallel / resident_tokens * layer_passes / 3


@formula(unit="s/token", symbol="t_lx", source=FITTED, when=step_model)
def exposed_launch_seconds(launch_seconds, busy_seconds, hidden_launch_share):
    """Launching runs ahead of the GPU; it shows where it takes longer than the work, and a little everywhere."""
    return maximum(0, launch_seconds - busy_seconds) + hidden_launch_share * minimum(launch_seconds, busy_seconds)


@formula(unit="s/token", symbol="t_pip", source=MEGATRON, when=step_model)
def pipeline_seconds(busy_seconds, exposed_launch_seconds, bubble_factor, stage_imbalance_factor):
    """Stages wait while the pipeline fills and drains, and for the fullest stage."""
    return (busy_seconds + exposed_launch_seconds) * bubble_factor * stage_imbalance_factor
