"""Speed of one replica: a step of the batch, the reading of a prompt, the wait before it, the times that users feel.

The batch is the number of requests in flight. A few quantities are wanted twice: at the batch of the layout, which is
the replica's limit, and at the batch of the peak; they are written once and declared for both.
"""

from collections.abc import Callable

from reportgen.estimator.structure import (
    dense,
    inference,
    mixture_of_experts,
    serving,
    sliding_window,
)
from reportgen.formula import (
    BYTE,
    FLOP,
    GIB,
    GIGABYTE,
    TERAFLOP,
    Feature,
    Formula,
    above,
    at_most,
    ceil,
    equals,
    exp,
    formula,
    ln,
    maximum,
    minimum,
    sqrt,
    where,
)

FIT = "serving-fit"

# --- rates of the hardware


@formula(unit="B/s", symbol="W_eff", source=FIT, when=inference)
def effective_bandwidth(memory_bandwidth_gb_s, decode_bandwidth_utilization):
    """Decoding keeps a fitted share of the printed bandwidth; the rest of its time stands in the layer time."""
    return memory_bandwidth_gb_s * GIGABYTE * decode_bandwidth_utilization


@formula(unit="TFLOP/s", symbol="F_eff", source=FIT, when=inference)
def effective_compute(peak_tflops, prefill_compute_utilization):
    """Matrix products of a whole prompt keep a fitted share of the dense peak."""
    return peak_tflops * prefill_compute_utilization


@formula(unit="B/s", symbol="B_ar", source=FIT, when=inference)
def all_reduce_bandwidth(tensor_parallel, nvlink_domain, link_gb_s, pcie_all_reduce_bandwidth, all_reduce_bus_share):
    """Ranks outside the fast link reduce over PCIe, whatever the link between two of them."""
    link = link_gb_s * GIGABYTE
    slow = minimum(link, pcie_all_reduce_bandwidth)
    return where(at_most(tensor_parallel, nvlink_domain), link, slow) * all_reduce_bus_share


# --- what a step reads and computes


@formula(unit="FLOP", symbol="c_1", source="kaplan-2020", when=inference)
def flop_per_token(matmul_parameters):
    """Each weight that a token meets is multiplied once and added once."""
    return 2 * matmul_parameters * FLOP


@formula(unit="B", symbol="D", source="scaling-book", when=inference)
def weight_bytes_read(weights_gib, embedding_parameters, head_parameters, table_bytes_per_parameter):
    """A step reads every weight once however many requests share it; of an embedding it reads a row a token."""
    return weights_gib * GIB - (embedding_parameters - head_parameters) * table_bytes_per_parameter


@formula(unit="s", symbol="t_layers", source=FIT, when=inference & dense, name="layers_time_s")
def layers_time_dense(layers, decode_layer_time, decode_step_time):
    """Launches, norms, routing and small kernels take a time a layer that no roofline knows."""
    return layers * decode_layer_time + decode_step_time


@formula(unit="s", symbol="t_layers", source=FIT, when=inference & mixture_of_experts)
def layers_time_s(layers, moe_layers, decode_layer_time, decode_expert_layer_time, decode_step_time):
    """A layer with experts adds the time to sort tokens by expert and to gather them again."""
    return layers * decode_layer_time + moe_layers * decode_expert_layer_time + decode_step_time


def reduce_time(tokens, layers, hidden_size, tensor_parallel, all_reduce_latency, all_reduce_bandwidth):
    """Two all-reduces a layer, of the 16-bit activations of the tokens."""
    ring = 2 * (tensor_parallel - 1) / tensor_parallel
    latency = where(above(tensor_parallel, 1), all_reduce_latency, 0)
    return 2 * layers * (latency + ring * tokens * hidden_size * 2 * BYTE / all_reduce_bandwidth)


# --- one step of a batch, at the limit and at the peak

LIMIT = {
    "batch": "batch_per_replica",
    "experts_read": "experts_read_share",
    "weights_time": "weight_read_s",
    "compute_time": "step_compute_s",
    "cache_time": "key_value_read_s",
    "reduce_time": "step_all_reduce_s",
    "step": "decode_step_s",
    "interference": "prefill_interference_s",
    "time_per_token": "tpot_at_limit_s",
}
PEAK = {
    "batch": "batch_at_peak",
    "experts_read": "experts_read_share_at_peak",
    "weights_time": "weight_read_at_peak_s",
    "compute_time": "step_compute_at_peak_s",
    "cache_time": "key_value_read_at_peak_s",
    "reduce_time": "step_all_reduce_at_peak_s",
    "step": "decode_step_at_peak_s",
    "interference": "prefill_interference_at_peak_s",
    "time_per_token": "tpot_s",
}


def at_limit_and_peak(
    *, role: str, unit: str, symbols: tuple[str, str], source: str, when: Feature = inference
) -> Callable:
    """Declare a function twice, its parameters renamed for the batch of the layout and for the batch of the peak."""

    def at(function: Callable, names: dict[str, str], condition: Feature, symbol: str) -> Formula:
        declare = formula(
            unit=unit, symbol=symbol, source=source, when=condition, name=names[role], section="serving_speed"
        )
        item = declare(function)
        item.parameters = tuple(names.get(parameter, parameter) for parameter in item.parameters)
        return item

    def declared(function: Callable) -> list[Formula]:
        return [at(function, LIMIT, when, symbols[0]), at(function, PEAK, when & serving, symbols[1])]

    return declared


@at_limit_and_peak(
    role="experts_read",
    unit="share",
    symbols=("x_E", "x_E_pk"),
    source="switch-2021",
    when=inference & mixture_of_experts,
)
def experts_read_share(batch, experts, experts_per_token):
    """Few tokens touch few experts, many tokens touch all: each expert is missed by a token with chance 1 - k/E."""
    return 1 - (1 - experts_per_token / experts) ** batch


@at_limit_and_peak(
    role="weights_time", unit="s", symbols=("t_W", "t_W_pk"), source="scaling-book", when=inference & dense
)
def weight_read_dense_s(weight_bytes_read, tensor_parallel, effective_bandwidth):
    """The weights stream once through each rank, however many requests share the step."""
    return weight_bytes_read / tensor_parallel / effective_bandwidth


@at_limit_and_peak(
    role="weights_time", unit="s", symbols=("t_W", "t_W_pk"), source="scaling-book", when=inference & mixture_of_experts
)
def weight_read_s(
    weight_bytes_read,
    routed_expert_parameters,
    weight_bytes_per_parameter,
    experts_read,
    tensor_parallel,
    effective_bandwidth,
):
    """Experts that no token of the batch visits stay unread."""
    unread = routed_expert_parameters * weight_bytes_per_parameter * (1 - experts_read)
    return (weight_bytes_read - unread) / tensor_parallel / effective_bandwidth


@at_limit_and_peak(role="compute_time", unit="s", symbols=("t_C", "t_C_pk"), source="scaling-book")
def step_compute_s(batch, flop_per_token, tensor_parallel, effective_compute):
    """One token of each request goes through all its weights."""
    return batch * flop_per_token / tensor_parallel / (effective_compute * TERAFLOP)


@at_limit_and_peak(role="cache_time", unit="s", symbols=("t_K", "t_K_pk"), source="scaling-book")
def key_value_read_s(batch, key_value_bytes_read_per_request, key_value_shards, effective_bandwidth):
    """Every request reads its own past, which no other shares, so that this time adds to that of the weights."""
    return batch * key_value_bytes_read_per_request / key_value_shards / effective_bandwidth


@at_limit_and_peak(role="reduce_time", unit="s", symbols=("t_AR", "t_AR_pk"), source="megatron-2021")
def step_all_reduce_s(batch, layers, hidden_size, tensor_parallel, all_reduce_latency, all_reduce_bandwidth):
    """Ranks add up their partial results twice a layer; small messages cost their latency."""
    return reduce_time(batch, layers, hidden_size, tensor_parallel, all_reduce_latency, all_reduce_bandwidth)


@at_limit_and_peak(role="step", unit="s", symbols=("T_step", "T_step_pk"), source=FIT)
def decode_step_s(layers_time_s, weights_time, compute_time, cache_time, reduce_time):
    """Reading weights hides multiplying them, or the reverse; the cache, the reductions and the layer time add."""
    return layers_time_s + maximum(weights_time, compute_time) + cache_time + reduce_time


@at_limit_and_peak(role="interference", unit="s", symbols=("t_mix", "t_mix_pk"), source=FIT, when=serving)
def prefill_interference_s(batch, answer_tokens, prefill_s, prefill_interference_share):
    """While one answer is written, each other request of the batch has its prompt read once, in shared steps."""
    return prefill_interference_share * maximum(batch - 1, 0) / maximum(answer_tokens, 1) * prefill_s


@at_limit_and_peak(role="time_per_token", unit="s", symbols=("TPOT_0", "TPOT"), source=FIT, when=serving)
def tpot_s(step, interference):
    """Time per output token after the first, as engines report it: a step, and the prompts of others within it."""
    return step + interference


# --- reading a prompt


@formula(unit="tokens", symbol="I_miss", source="deepseek-infra", when=inference)
def prompt_tokens_read(prompt_tokens, prefix_hit):
    """Tokens found in the prefix cache are not read again; the last token always is."""
    return maximum(1, prompt_tokens * (1 - prefix_hit))


@formula(unit="tokens", symbol="n_pair", source="flash-attention-2022", when=inference & ~sliding_window)
def attention_pairs(layers, prompt_tokens, prompt_tokens_read):
    """Causal attention: each token read looks at all tokens before it, cached or not; summed over the layers."""
    return layers * prompt_tokens_read * maximum(prompt_tokens - prompt_tokens_read / 2, 0)


@formula(
    unit="tokens",
    symbol="n_pair",
    source="flash-attention-2022",
    when=inference & sliding_window,
    name="attention_pairs",
)
def attention_pairs_sliding(layers, sliding_layers, sliding_window, prompt_tokens, prompt_tokens_read):
    """Layers with a window look back no further than the window."""
    past = maximum(prompt_tokens - prompt_tokens_read / 2, 0)
    return prompt_tokens_read * ((layers - sliding_layers) * past + sliding_layers * minimum(past, sliding_window))


@formula(unit="s", symbol="t_att", source="flash-attention-2022", when=inference)
def prefill_attention_s(
    attention_pairs,
    attention_heads,
    head_dimension,
    value_head_dimension,
    tensor_parallel,
    peak_tflops_16bit,
    prefill_compute_utilization,
):
    """Scores and their sum over values, multiplied in 16 bit whatever the precision of the weights."""
    work = 2 * attention_pairs * attention_heads * (head_dimension + value_head_dimension) * FLOP
    return work / tensor_parallel / (peak_tflops_16bit * TERAFLOP * prefill_compute_utilization)


@formula(unit="s", symbol="t_lin", source="scaling-book", when=inference)
def prefill_compute_s(prompt_tokens_read, flop_per_token, tensor_parallel, effective_compute):
    """The linear layers of all tokens of the prompt."""
    return prompt_tokens_read * flop_per_token / tensor_parallel / (effective_compute * TERAFLOP)


@formula(unit="s", symbol="t_ARp", source="megatron-2021", when=inference)
def prefill_all_reduce_s(
    prompt_tokens_read, layers, hidden_size, tensor_parallel, all_reduce_latency, all_reduce_bandwidth
):
    """The same two all-reduces a layer, now of long messages: here PCIe costs most."""
    return reduce_time(
        prompt_tokens_read, layers, hidden_size, tensor_parallel, all_reduce_latency, all_reduce_bandwidth
    )


@formula(unit="s", symbol="t_Wp", source="scaling-book", when=inference)
def prefill_weight_read_s(weight_bytes_read, tensor_parallel, effective_bandwidth):
    """A short prompt waits for the weights like a step does; a whole prompt touches about every expert."""
    return weight_bytes_read / tensor_parallel / effective_bandwidth


@formula(unit="s", symbol="T_p", source=FIT, when=inference)
def prefill_s(
    prompt_tokens_read,
    engine_step_tokens,
    prefill_compute_s,
    prefill_attention_s,
    prefill_weight_read_s,
    prefill_all_reduce_s,
    layers_time_s,
):
    """Reading a prompt alone: compute or weights, whichever is slower, reductions, and the layer time of each piece."""
    pieces = ceil(prompt_tokens_read / engine_step_tokens)
    busy = maximum(prefill_compute_s + prefill_attention_s, pieces * prefill_weight_read_s)
    return busy + prefill_all_reduce_s + pieces * layers_time_s


# --- a replica at its limit


def tail_wait(load, service, variation, percentile):
    """Waiting time that a share `percentile` of the requests stays below; its tail is taken as exponential."""
    scale = service * (1 + variation * variation) / (2 * (1 - load))
    return scale * ln(maximum(1, load / (1 - percentile)))


@formula(unit="s", symbol="a", source="reportgen", when=serving)
def unqueued_request_s(engine_ttft_offset_s, prefill_s, decode_step_s, answer_tokens, tpot_at_limit_s):
    """A request without the wait: TPOT leaves out the first token; a prompt starts half a step late on average."""
    return engine_ttft_offset_s + prefill_s + decode_step_s / 2 + maximum(answer_tokens - 1, 0) * tpot_at_limit_s


@formula(unit="requests/s", symbol="mu_0", source="little-1961", when=serving)
def replica_rate_estimated(batch_per_replica, unqueued_request_s, prefill_s, prompt_length_variation):
    """Little's law, batch = rate x time of a request with its M/G/1 wait: a quadratic, solved for its lower root."""
    second_moment = prefill_s * prefill_s * (1 + prompt_length_variation * prompt_length_variation)
    reading = batch_per_replica * prefill_s
    gap = unqueued_request_s - reading
    root = sqrt(gap * gap + 2 * batch_per_replica * second_moment)
    return 2 * batch_per_replica / (unqueued_request_s + reading + root)


@formula(unit="share", symbol="u_0", source="pollaczek-khinchine", when=serving)
def prefill_load_at_limit(replica_rate_estimated, prefill_s):
    """Share of the time in which a replica at its limit reads prompts."""
    return replica_rate_estimated * prefill_s


@formula(unit="s", symbol="w_0", source="pollaczek-khinchine", when=serving)
def wait_at_limit_s(prefill_load_at_limit, prefill_s, prompt_length_variation, ttft_percentile):
    """Prompts are read one after the other (M/G/1), and a long one holds up those behind it."""
    return tail_wait(prefill_load_at_limit, prefill_s, prompt_length_variation, ttft_percentile)


@formula(unit="s", symbol="TTFT_0", source=FIT, when=serving)
def ttft_at_limit_s(engine_ttft_offset_s, wait_at_limit_s, prefill_s, decode_step_s):
    """Front end, wait at the percentile, the prompt itself, and half a step that is under way."""
    return engine_ttft_offset_s + wait_at_limit_s + prefill_s + decode_step_s / 2


# --- the estimate's own error


@formula(unit="share", symbol="sigma_S", source=FIT, when=inference & dense, name="speed_error_class")
def speed_error_dense(compute_precision, serving_error_dense, serving_error_mixture):
    """Dense models in 16 and 8 bit are the best measured; 4 bit varies more between engines."""
    return where(equals(compute_precision, "fp4"), serving_error_mixture, serving_error_dense)


@formula(unit="share", symbol="sigma_S", source=FIT, when=inference & mixture_of_experts)
def speed_error_class(serving_error_mixture):
    """Small expert kernels and routing vary between engines and releases."""
    return serving_error_mixture


@formula(unit="share", symbol="sigma", source=FIT, when=inference)
def speed_error(speed_error_class, serving_error_pcie, tensor_parallel, nvlink_domain):
    """Ranks that reduce over PCIe were measured least."""
    over_pcie = maximum(speed_error_class, serving_error_pcie)
    return where(at_most(tensor_parallel, nvlink_domain), speed_error_class, over_pcie)


@formula(unit="s", symbol="TPOT_10", source=FIT, when=serving)
def tpot_s_p10(tpot_s, speed_error, normal_quantile_p90):
    """The low end of the planning band: log-normal, in closed form."""
    return tpot_s * exp(-normal_quantile_p90 * speed_error)


@formula(unit="s", symbol="TPOT_90", source=FIT, when=serving)
def tpot_s_p90(tpot_s, speed_error, normal_quantile_p90):
    """The high end of the planning band."""
    return tpot_s * exp(normal_quantile_p90 * speed_error)


@formula(unit="s", symbol="TTFT_10", source=FIT, when=serving)
def ttft_s_p10(ttft_s, first_token_error, normal_quantile_p90):
    """The first token is the roughest estimate: it hangs on the wait and on the engine's front end."""
    return ttft_s * exp(-normal_quantile_p90 * first_token_error)


@formula(unit="s", symbol="TTFT_90", source=FIT, when=serving)
def ttft_s_p90(ttft_s, first_token_error, normal_quantile_p90):
    """The high end of the planning band."""
    return ttft_s * exp(normal_quantile_p90 * first_token_error)
