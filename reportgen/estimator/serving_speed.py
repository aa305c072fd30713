"""Speed of one replica: a step of the batch, the reading of a prompt, the wait before it, the times that users feel.

The batch is the number of requests in flight. A few quantities are wanted twice: at the batch of the layout, which is
the replica's limit, and at the batch of the peak; they are written once and declared for both.
"""

from collections.abc import Callable

from reportgen.estimator.serving_rates import reduce_bytes_time
from reportgen.estimator.structure import (
    attention_data_parallel,
    dense,
    disaggregated,
    inference,
    measured_point,
    mixture_of_experts,
    serving,
    speculative,
)
from reportgen.formula import (
    BYTE,
    FLOP,
    GIGABYTE,
    Feature,
    Formula,
    formula,
    ln,
    maximum,
    minimum,
    sqrt,
)

FIT = "serving-fit"
together = ~attention_data_parallel

# --- what a step reads and computes


@formula(unit="FLOP", symbol="c_1", source="kaplan-2020", when=inference)
def flop_per_token(matmul_parameters):
    """Each weight that a token meets is multiplied once and added once."""
    return 2 * matmul_parameters * FLOP


@formula(unit="B", symbol="D", source="scaling-book", when=inference & dense, name="shared_weight_bytes")
def shared_weight_bytes(
    attention_parameters,
    attention_bytes_per_parameter,
    linear_parameters,
    weight_bytes_per_parameter,
    head_parameters,
    table_bytes_per_parameter,
):
    """A step reads every matrix once however many requests share it; of the embedding it reads a row a token."""
    attention = attention_parameters * attention_bytes_per_parameter
    other = (linear_parameters - attention_parameters) * weight_bytes_per_parameter
    return attention + other + head_parameters * table_bytes_per_parameter


@formula(unit="B", symbol="D", source="scaling-book", when=inference & mixture_of_experts, name="shared_weight_bytes")
def shared_weight_bytes_of_mixture(
    attention_parameters,
    attention_bytes_per_parameter,
    linear_parameters,
    routed_expert_parameters,
    weight_bytes_per_parameter,
    head_parameters,
    table_bytes_per_parameter,
):
    """What every token meets: all but the routed experts."""
    attention = attention_parameters * attention_bytes_per_parameter
    other = (linear_parameters - attention_parameters - routed_expert_parameters) * weight_bytes_per_parameter
    return attention + other + head_parameters * table_bytes_per_parameter


# --- one step of a batch, at the limit and at the peak

LIMIT = {
    "batch": "batch_per_replica",
    "tokens": "step_tokens",
    "experts_read": "experts_read_share",
    "weights_time": "weight_read_s",
    "compute_time": "step_compute_s",
    "activations_time": "step_activations_s",
    "cache_time": "key_value_read_s",
    "reduce_time": "step_all_reduce_s",
    "step": "decode_step_s",
    "interference": "prefill_interference_s",
    "time_per_token": "tpot_at_limit_s",
}
PEAK = {
    "batch": "batch_at_peak",
    "tokens": "step_tokens_at_peak",
    "experts_read": "experts_read_share_at_peak",
    "weights_time": "weight_read_at_peak_s",
    "compute_time": "step_compute_at_peak_s",
    "activations_time": "step_activations_at_peak_s",
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
        section = function.__module__.rpartition(".")[2]
        declare = formula(unit=unit, symbol=symbol, source=source, when=condition, name=names[role], section=section)
        item = declare(function)
        item.parameters = tuple(names.get(parameter, parameter) for parameter in item.parameters)
        return item

    def declared(function: Callable) -> list[Formula]:
        return [at(function, LIMIT, when, symbols[0]), at(function, PEAK, when & serving, symbols[1])]

    return declared


@at_limit_and_peak(
    role="tokens", unit="tokens", symbols=("n_T", "n_T_pk"), source="reportgen", when=inference & ~speculative
)
def step_tokens(batch):
    """Every request of the batch writes one token a step."""
    return batch + 0


@at_limit_and_peak(
    role="experts_read",
    unit="share",
    symbols=("x_E", "x_E_pk"),
    source="switch-2021",
    when=inference & mixture_of_experts,
)
def experts_read_share(tokens, experts, experts_per_token):
    """Few tokens touch few experts, many tokens touch all: each expert is missed by a token with chance 1 - k/E."""
    return 1 - (1 - experts_per_token / experts) ** tokens


@at_limit_and_peak(
    role="weights_time", unit="s", symbols=("t_W", "t_W_pk"), source="scaling-book", when=inference & dense
)
def weight_read_dense_s(shared_weight_bytes, attention_tensor_parallel, effective_bandwidth):
    """The weights stream once through each rank, however many requests share the step."""
    return shared_weight_bytes / attention_tensor_parallel / effective_bandwidth


@at_limit_and_peak(
    role="weights_time", unit="s", symbols=("t_W", "t_W_pk"), source="scaling-book", when=inference & mixture_of_experts
)
def weight_read_s(
    shared_weight_bytes,
    attention_tensor_parallel,
    effective_bandwidth,
    routed_expert_parameters,
    weight_bytes_per_parameter,
    experts_read,
    tensor_parallel,
    expert_bandwidth,
):
    """Experts that no token of the batch visits stay unread."""
    shared = shared_weight_bytes / attention_tensor_parallel / effective_bandwidth
    routed = routed_expert_parameters * weight_bytes_per_parameter * experts_read
    return shared + routed / tensor_parallel / expert_bandwidth


@at_limit_and_peak(role="compute_time", unit="s", symbols=("t_C", "t_C_pk"), source="scaling-book")
def step_compute_s(tokens, flop_per_token, tensor_parallel, effective_compute):
    """Each token of the step goes through all its weights."""
    return tokens * flop_per_token / tensor_parallel / effective_compute


@at_limit_and_peak(role="activations_time", unit="s", symbols=("t_A", "t_A_pk"), source=FIT)
def step_activations_s(
    tokens, activation_bytes_per_token, attention_tensor_parallel, tensor_parallel, memory_bandwidth_gb_s
):
    """Each rank passes over the activations of all tokens of its group."""
    mine = tokens * attention_tensor_parallel / tensor_parallel
    return mine * activation_bytes_per_token / (memory_bandwidth_gb_s * GIGABYTE)


@at_limit_and_peak(role="cache_time", unit="s", symbols=("t_K", "t_K_pk"), source="scaling-book")
def key_value_read_s(batch, key_value_bytes_read_per_request, key_value_shards, cache_bandwidth):
    """Every request reads its own past, which no other shares, so that this time adds to that of the weights."""
    return batch * key_value_bytes_read_per_request / key_value_shards / cache_bandwidth


@at_limit_and_peak(
    role="reduce_time", unit="s", symbols=("t_AR", "t_AR_pk"), source="megatron-2021", when=inference & together
)
def step_all_reduce_s(tokens, layers, hidden_size, tensor_parallel, all_reduce_bandwidth):
    """Ranks add up their partial results twice a layer; the latency of it is part of the layer time."""
    return reduce_bytes_time(tokens, layers, hidden_size, tensor_parallel, all_reduce_bandwidth)


@at_limit_and_peak(
    role="reduce_time",
    unit="s",
    symbols=("t_AR", "t_AR_pk"),
    source="deepseek-infra",
    when=inference & attention_data_parallel & mixture_of_experts,
)
def step_exchange_s(
    tokens,
    layers,
    moe_layers,
    experts_per_token,
    hidden_size,
    attention_tensor_parallel,
    tensor_parallel,
    all_reduce_bandwidth,
):
    """Tokens go to the ranks of their experts in 8 bit and come back in 16; each group reduces its own attention."""
    mine = tokens * attention_tensor_parallel / tensor_parallel
    moved = moe_layers * mine * experts_per_token * hidden_size * 3 * BYTE / all_reduce_bandwidth
    return moved + reduce_bytes_time(mine, layers, hidden_size, attention_tensor_parallel, all_reduce_bandwidth)


def nearness(batch, measured_concurrency):
    """1 at the measured load, 1/4 at four times or a quarter of it."""
    return minimum(batch / measured_concurrency, measured_concurrency / batch)


def step_time(
    layers_time, weights_time, compute_time, activations_time, cache_time, reduce_time, batch, decode_request_time
):
    """Reading weights mostly hides multiplying them, or the reverse; everything else adds."""
    products = sqrt(weights_time * weights_time + compute_time * compute_time)
    return layers_time + products + activations_time + cache_time + reduce_time + batch * decode_request_time


@at_limit_and_peak(role="step", unit="s", symbols=("T_step", "T_step_pk"), source=FIT, when=inference & ~measured_point)
def decode_step_s(
    layers_time_s,
    weights_time,
    compute_time,
    activations_time,
    cache_time,
    reduce_time,
    batch,
    decode_request_time,
):
    """Reading weights mostly hides multiplying them, or the reverse; everything else adds."""
    return step_time(
        layers_time_s, weights_time, compute_time, activations_time, cache_time, reduce_time, batch, decode_request_time
    )


@at_limit_and_peak(role="step", unit="s", symbols=("T_step", "T_step_pk"), source=FIT, when=serving & measured_point)
def decode_step_corrected_s(
    step_correction,
    measured_concurrency,
    layers_time_s,
    weights_time,
    compute_time,
    activations_time,
    cache_time,
    reduce_time,
    batch,
    decode_request_time,
):
    """The same, scaled to the point that was measured on the user's own server: fully at its load, less away from it."""
    estimated = step_time(
        layers_time_s, weights_time, compute_time, activations_time, cache_time, reduce_time, batch, decode_request_time
    )
    return estimated * step_correction ** sqrt(nearness(batch, measured_concurrency))


@at_limit_and_peak(
    role="interference", unit="s", symbols=("t_mix", "t_mix_pk"), source=FIT, when=serving & ~disaggregated
)
def prefill_interference_s(
    batch,
    answer_tokens,
    prefill_work_s,
    attention_tensor_parallel,
    tensor_parallel,
    prefill_interference_share,
):
    """While one answer is written, each other request of the group has its prompt read once, in shared steps."""
    others = maximum(batch - 1, 0) * attention_tensor_parallel / tensor_parallel
    return prefill_interference_share * others / maximum(answer_tokens, 1) * prefill_work_s


@at_limit_and_peak(role="time_per_token", unit="s", symbols=("TPOT_0", "TPOT"), source=FIT, when=serving & ~speculative)
def tpot_s(step, interference):
    """Time per output token after the first, as engines report it: a step, and the prompts of others within it."""
    return step + interference


# --- a replica at its limit


def wait_spread(arrival_variation, variation):
    """Half the sum of squared variations, of the gaps between arrivals and of the service: 1 for a plain (M/M) queue."""
    return (arrival_variation * arrival_variation + variation * variation) / 2


def tail_wait(load, service, spread, percentile):
    """Waiting time that a share `percentile` of the requests stays below; its tail is taken as exponential."""
    scale = service * spread / (1 - load)
    return scale * ln(maximum(1, load / (1 - percentile)))


@formula(unit="s", symbol="a", source="reportgen", when=serving & ~disaggregated)
def unqueued_request_s(
    engine_ttft_offset_s, prefill_s, engine_first_token_steps, decode_step_s, answer_tokens, tpot_at_limit_s
):
    """A request without the wait: TPOT leaves out the first token, which comes some steps after its prompt."""
    first = engine_ttft_offset_s + prefill_s + engine_first_token_steps * decode_step_s
    return first + maximum(answer_tokens - 1, 0) * tpot_at_limit_s


@formula(unit="requests/s", symbol="mu_0", source="little-1961", when=serving & ~disaggregated)
def replica_rate_estimated(
    batch_per_replica, unqueued_request_s, prefill_service_s, arrival_variation, prompt_length_variation
):
    """Little's law, batch = rate x time of a request with its wait in line: a quadratic, solved for its lower root."""
    spread = wait_spread(arrival_variation, prompt_length_variation)
    second_moment = 2 * spread * prefill_service_s * prefill_service_s
    reading = batch_per_replica * prefill_service_s
    gap = unqueued_request_s - reading
    root = sqrt(gap * gap + 2 * batch_per_replica * second_moment)
    return 2 * batch_per_replica / (unqueued_request_s + reading + root)


@formula(unit="share", symbol="u_0", source="pollaczek-khinchine", when=serving & ~disaggregated)
def prefill_load_at_limit(replica_rate_estimated, prefill_service_s):
    """Share of the time in which a replica at its limit reads prompts."""
    return replica_rate_estimated * prefill_service_s


@formula(unit="s", symbol="w_0", source="pollaczek-khinchine", when=serving)
def wait_at_limit_s(
    prefill_load_at_limit, prefill_service_s, arrival_variation, prompt_length_variation, ttft_percentile
):
    """Prompts are read one after the other (M/G/1 if arrivals are random), and a long one holds up those behind it."""
    spread = wait_spread(arrival_variation, prompt_length_variation)
    return tail_wait(prefill_load_at_limit, prefill_service_s, spread, ttft_percentile)


@formula(unit="s", symbol="TTFT_0", source=FIT, when=serving & ~disaggregated)
def ttft_at_limit_s(engine_ttft_offset_s, wait_at_limit_s, prefill_s, engine_first_token_steps, decode_step_s):
    """Front end, wait at the percentile, the prompt itself, and the steps until the engine hands the token out."""
    return engine_ttft_offset_s + wait_at_limit_s + prefill_s + engine_first_token_steps * decode_step_s
