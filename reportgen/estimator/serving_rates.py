"""Rates that serving keeps of the hardware: bandwidth, compute by precision, links, and the time a layer takes anyway."""

from reportgen.estimator.structure import (
    attention_data_parallel,
    dense,
    grouped_attention,
    inference,
    latent_attention,
    linear_attention,
    mixture_of_experts,
)
from reportgen.formula import (
    BYTE,
    GIGABYTE,
    TERAFLOP,
    above,
    at_least,
    at_most,
    below,
    equals,
    formula,
    is_known,
    minimum,
    pick,
    where,
)

FIT = "serving-fit"
together = ~attention_data_parallel
plain_attention = grouped_attention & ~linear_attention

# --- memory


@formula(unit="B/s", symbol="W_eff", source=FIT, when=inference)
def effective_bandwidth(memory_bandwidth_gb_s, decode_bandwidth_utilization):
    """Matrices that all tokens of a step share keep a fitted share of the printed bandwidth."""
    return memory_bandwidth_gb_s * GIGABYTE * decode_bandwidth_utilization


@formula(unit="B/s", symbol="W_E", source=FIT, when=inference & mixture_of_experts)
def expert_bandwidth(memory_bandwidth_gb_s, expert_bandwidth_utilization):
    """Experts are read one after the other, in one grouped kernel."""
    return memory_bandwidth_gb_s * GIGABYTE * expert_bandwidth_utilization


@formula(unit="B/s", symbol="W_K", source=FIT, when=inference)
def cache_bandwidth(memory_bandwidth_gb_s, cache_bandwidth_utilization):
    """The cache is read in blocks by the attention kernel."""
    return memory_bandwidth_gb_s * GIGABYTE * cache_bandwidth_utilization


@formula(unit="B/token", symbol="m_x", source=FIT, when=inference & dense, name="activation_bytes_per_token")
def activation_bytes_per_token(layers, hidden_size, activation_passes):
    """Norms, residuals and conversions read and write each token's activations several times a layer, in 16 bit."""
    return activation_passes * layers * hidden_size * 2 * BYTE


@formula(
    unit="B/token", symbol="m_x", source=FIT, when=inference & mixture_of_experts, name="activation_bytes_per_token"
)
def activation_bytes_per_token_of_mixture(layers, moe_layers, experts_per_token, hidden_size, activation_passes):
    """A layer with experts copies each token for every expert that it visits."""
    return activation_passes * (layers + moe_layers * experts_per_token) * hidden_size * 2 * BYTE


# --- compute


@formula(unit="flag", symbol="i_4", source="catalog", when=inference)
def multiplies_fp4(accelerators_fp4_tflops, accelerator_row):
    """A card without fp4 units widens 4-bit weights to 16 bit before it multiplies."""
    return where(is_known(pick(accelerators_fp4_tflops, accelerator_row)), 1, 0)


@formula(unit="TFLOP/s", symbol="F_s", source="catalog", when=inference)
def serving_peak_tflops(compute_precision, multiplies_fp4, peak_tflops_8bit, peak_tflops_16bit, peak_tflops):
    """MXFP4 weights meet 8-bit activations where the card has fp4 units, NVFP4 weights 4-bit ones."""
    mixed = where(at_least(multiplies_fp4, 1), peak_tflops_8bit, peak_tflops_16bit)
    narrow = where(at_least(multiplies_fp4, 1), peak_tflops, peak_tflops_16bit)
    wide = where(equals(compute_precision, "fp4"), narrow, peak_tflops)
    return where(equals(compute_precision, "mxfp4"), mixed, wide)


@formula(unit="share", symbol="MFU_s", source=FIT, when=inference)
def serving_compute_utilization(
    compute_precision,
    multiplies_fp4,
    prefill_compute_utilization,
    compute_utilization_8bit,
    compute_utilization_4bit,
    compute_utilization_widened,
):
    """Share of the dense peak that matrix products keep, by the precision they run in."""
    mixed = where(at_least(multiplies_fp4, 1), compute_utilization_8bit, compute_utilization_widened)
    narrow = where(at_least(multiplies_fp4, 1), compute_utilization_4bit, compute_utilization_widened)
    by_four = where(equals(compute_precision, "fp4"), narrow, prefill_compute_utilization)
    by_mixed = where(equals(compute_precision, "mxfp4"), mixed, by_four)
    by_integer = where(equals(compute_precision, "int4"), compute_utilization_widened, by_mixed)
    return where(equals(compute_precision, "fp8"), compute_utilization_8bit, by_integer)


@formula(unit="FLOP/s", symbol="F_eff", source=FIT, when=inference)
def effective_compute(serving_peak_tflops, serving_compute_utilization):
    """Matrix products keep a fitted share of the dense peak of their precision."""
    return serving_peak_tflops * TERAFLOP * serving_compute_utilization


# --- links


@formula(unit="B/s", symbol="B_ar", source=FIT, when=inference)
def all_reduce_bandwidth(
    attention_tensor_parallel, nvlink_domain, link_gb_s, pcie_all_reduce_bandwidth, all_reduce_bus_share
):
    """Ranks outside the fast link reduce over PCIe, whatever the link between two of them."""
    link = link_gb_s * GIGABYTE
    slow = minimum(link, pcie_all_reduce_bandwidth)
    return where(at_most(attention_tensor_parallel, nvlink_domain), link, slow) * all_reduce_bus_share


@formula(unit="s", symbol="t_alpha", source=FIT, when=inference & together, name="reduce_latency_s")
def reduce_latency_s(layers, tensor_parallel, all_reduce_latency):
    """Two all-reduces a layer wait for the slowest rank, however short the message."""
    return 2 * layers * where(above(tensor_parallel, 1), all_reduce_latency, 0)


@formula(
    unit="s",
    symbol="t_alpha",
    source=FIT,
    when=inference & attention_data_parallel & mixture_of_experts,
    name="reduce_latency_s",
)
def reduce_latency_of_groups_s(layers, moe_layers, attention_tensor_parallel, all_reduce_latency):
    """Tokens travel to the ranks of their experts and back; each group still reduces its own attention."""
    reductions = 2 * layers * where(above(attention_tensor_parallel, 1), all_reduce_latency, 0)
    return reductions + 2 * moe_layers * all_reduce_latency


def reduce_bytes_time(tokens, layers, hidden_size, ranks, all_reduce_bandwidth):
    """Two all-reduces a layer, of the 16-bit activations of the tokens."""
    return 2 * layers * 2 * (ranks - 1) / ranks * tokens * hidden_size * 2 * BYTE / all_reduce_bandwidth


# --- the time of a layer whatever its size


@formula(unit="layers", symbol="L_q", source=FIT, when=inference)
def quantized_layers(layers, attention_bytes_per_parameter, bytes_bf16):
    """Layers whose attention matrices are quantised convert their activations before each product."""
    return where(below(attention_bytes_per_parameter, bytes_bf16), layers, 0)


@formula(unit="s", symbol="t_layers", source=FIT, when=inference & dense, name="layers_time_s")
def layers_time_dense(
    layers,
    decode_layer_time,
    quantized_layers,
    decode_quantized_layer_time,
    reduce_latency_s,
    engine_time_factor,
):
    """Launches, norms, conversions and small kernels take a time a layer that no roofline knows."""
    layers_alone = layers * decode_layer_time + quantized_layers * decode_quantized_layer_time
    return engine_time_factor * (layers_alone + reduce_latency_s)


@formula(unit="s", symbol="t_layers", source=FIT, when=inference & mixture_of_experts)
def layers_time_s(
    layers,
    decode_layer_time,
    quantized_layers,
    decode_quantized_layer_time,
    moe_layers,
    decode_expert_layer_time,
    reduce_latency_s,
    engine_time_factor,
):
    """A layer with experts adds the time to sort tokens by expert and to gather them again."""
    layers_alone = layers * decode_layer_time + quantized_layers * decode_quantized_layer_time
    with_experts = layers_alone + moe_layers * decode_expert_layer_time
    return engine_time_factor * (with_experts + reduce_latency_s)


# --- launches in prefill, which no graph captures


@formula(
    unit="launches", symbol="n_launch", source="reportgen", when=inference & plain_attention & dense,
    name="prefill_launches",
)  # fmt: skip
def prefill_launches_dense(layers, launches_per_layer):
    """Prompts differ in length, so that the processor of the host starts every kernel of every layer anew."""
    return layers * launches_per_layer


@formula(
    unit="launches", symbol="n_launch", source="reportgen", when=inference & plain_attention & mixture_of_experts,
    name="prefill_launches",
)  # fmt: skip
def prefill_launches_of_mixture(layers, launches_per_layer, moe_layers, launches_per_expert_layer):
    """Sorting tokens by expert takes kernels of its own."""
    return layers * launches_per_layer + moe_layers * launches_per_expert_layer


@formula(
    unit="launches", symbol="n_launch", source="reportgen", when=inference & latent_attention, name="prefill_launches"
)
def prefill_launches_latent(
    layers, launches_per_layer, launches_per_unusual_attention, moe_layers, launches_per_expert_layer
):
    """Latent attention is many small products and norms while a prompt is read."""
    return layers * (launches_per_layer + launches_per_unusual_attention) + moe_layers * launches_per_expert_layer


@formula(
    unit="launches", symbol="n_launch", source="reportgen", when=inference & linear_attention,
    name="prefill_launches",
)  # fmt: skip
def prefill_launches_hybrid(
    layers, launches_per_layer, linear_layers, launches_per_unusual_attention, moe_layers, launches_per_expert_layer
):
    """Linear attention works through a prompt in chunks, with kernels for each part of its recurrence."""
    plain = layers * launches_per_layer + moe_layers * launches_per_expert_layer
    return plain + linear_layers * launches_per_unusual_attention
