"""Two pools: one reads prompts, the other writes answers; the cache of each prompt travels from the first to the second."""

from reportgen.estimator.serving_speed import at_limit_and_peak
from reportgen.estimator.structure import disaggregated, serving
from reportgen.formula import BITS_PER_BYTE, GIGABIT, ceil, formula, maximum, minimum

pools = serving & disaggregated


@at_limit_and_peak(role="interference", unit="s", symbols=("t_mix", "t_mix_pk"), source="deepseek-infra", when=pools)
def no_interference_s(prefill_work_s):
    """Answers are written where no prompts are read."""
    return 0 * prefill_work_s


@formula(unit="s", symbol="t_tr", source="deepseek-infra", when=pools)
def cache_transfer_s(prompt_tokens, key_value_bytes_per_token, pool_network_gbit_s, tensor_parallel):
    """Each rank sends its part of the cache of the prompt over its own network port."""
    bits = prompt_tokens * key_value_bytes_per_token * BITS_PER_BYTE
    return bits / (pool_network_gbit_s * GIGABIT * tensor_parallel)


@formula(unit="s", symbol="a", source="deepseek-infra", when=pools, name="unqueued_request_s")
def unqueued_request_of_pools_s(
    engine_ttft_offset_s,
    prefill_s,
    cache_transfer_s,
    engine_first_token_steps,
    decode_step_s,
    answer_tokens,
    tpot_at_limit_s,
):
    """A request without the wait: its prompt in one pool, the way of its cache, its answer in the other."""
    first = engine_ttft_offset_s + prefill_s + cache_transfer_s + engine_first_token_steps * decode_step_s
    return first + maximum(answer_tokens - 1, 0) * tpot_at_limit_s


@formula(unit="requests/s", symbol="mu_d", source="little-1961", when=pools)
def decode_replica_rate(batch_per_replica, cache_transfer_s, answer_tokens, tpot_at_limit_s):
    """A place in the batch is taken while a cache arrives and while the answer is written."""
    return batch_per_replica / (cache_transfer_s + maximum(answer_tokens - 1, 1) * tpot_at_limit_s)


@formula(unit="requests/s", symbol="mu_0", source="deepseek-infra", when=pools, name="replica_rate_estimated")
def replica_rate_of_pools(decode_replica_rate, prefill_service_s):
    """The rate of both pools together, shared among their replicas, when neither waits for the other."""
    return 1 / (1 / decode_replica_rate + prefill_service_s)


@formula(unit="share", symbol="x_p", source="deepseek-infra", when=pools)
def prefill_pool_share(replica_rate_estimated, prefill_service_s):
    """Share of the replicas that read prompts."""
    return replica_rate_estimated * prefill_service_s


@formula(unit="replicas", symbol="R_p", source="deepseek-infra", when=pools)
def prefill_pool_replicas(replicas, prefill_pool_share):
    """Whole replicas that read prompts, at least one."""
    return maximum(1, minimum(maximum(1, replicas - 1), ceil(replicas * prefill_pool_share)))


@formula(unit="replicas", symbol="R_d", source="deepseek-infra", when=pools)
def decode_pool_replicas(replicas, prefill_pool_replicas):
    """The other replicas write answers."""
    return maximum(1, replicas - prefill_pool_replicas)


@formula(unit="share", symbol="u_0", source="pollaczek-khinchine", when=pools, name="prefill_load_at_limit")
def prefill_pool_load_at_limit(utilization_cap):
    """The pool is planned like the service: its share of the time at the limit is the cap."""
    return utilization_cap + 0


@formula(unit="share", symbol="u", source="pollaczek-khinchine", when=pools, name="prefill_load_at_peak")
def prefill_pool_load_at_peak(peak_requests_per_second, prefill_service_s, prefill_pool_replicas, queue_load_limit):
    """Share of the time in which a replica of the first pool reads prompts."""
    return minimum(queue_load_limit, peak_requests_per_second * prefill_service_s / prefill_pool_replicas)


@formula(unit="s", symbol="TTFT_0", source="serving-fit", when=pools, name="ttft_at_limit_s")
def ttft_of_pools_at_limit_s(
    engine_ttft_offset_s, wait_at_limit_s, prefill_s, cache_transfer_s, engine_first_token_steps, decode_step_s
):
    """Front end, wait, the prompt, the way of its cache, and the steps until the token is handed out."""
    first = engine_ttft_offset_s + wait_at_limit_s + prefill_s + cache_transfer_s
    return first + engine_first_token_steps * decode_step_s


@formula(unit="s", symbol="TTFT", source="serving-fit", when=pools, name="ttft_s")
def ttft_of_pools_s(
    engine_ttft_offset_s, wait_s, prefill_s, cache_transfer_s, engine_first_token_steps, decode_step_at_peak_s
):
    """The same at the peak."""
    first = engine_ttft_offset_s + wait_s + prefill_s + cache_transfer_s
    return first + engine_first_token_steps * decode_step_at_peak_s
