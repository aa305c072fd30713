"""Whether a layout of serving or batch inference is acceptable, and which of them is best."""

from reportgen.estimator.structure import inference, latency_objectives, measured_rate, serving
from reportgen.formula import (
    absolute,
    all_of,
    any_of,
    at_least,
    at_most,
    equals,
    floor,
    formula,
    ln,
    maximum,
    minimum,
    where,
)


@formula(unit="flag", symbol="ok_TTFT", source="scenario", when=serving & latency_objectives)
def ttft_met(ttft_at_limit_s, ttft_objective_s):
    """The objective must hold with the batch full, so that a burst above the peak does no harm."""
    return where(at_most(ttft_at_limit_s, ttft_objective_s), 1, 0)


@formula(unit="flag", symbol="ok_TPOT", source="scenario", when=serving & latency_objectives)
def tpot_met(tpot_at_limit_s, tpot_objective_s):
    """The objective must hold with the batch full."""
    return where(at_most(tpot_at_limit_s, tpot_objective_s), 1, 0)


@formula(unit="flag", symbol="ok_C", source="reportgen", when=serving)
def carries_peak(replicas_at_peak, replicas, replica_requests_per_second, utilization_cap, peak_requests_per_second):
    """False only where the number of accelerators is given and too small."""
    capacity = minimum(replicas, replicas_at_peak) * replica_requests_per_second * utilization_cap
    return where(at_least(capacity, peak_requests_per_second), 1, 0)


@formula(unit="flag", symbol="ok_t", source="vllm-docs", when=inference)
def divides(attention_heads, key_value_heads, tensor_parallel, gpus_per_node, nvlink_domain):
    """Ranks take whole heads, share or repeat key-value heads evenly, and fill nodes that the fast link does not join."""
    whole = equals(floor(attention_heads / tensor_parallel) * tensor_parallel, attention_heads)
    shared = equals(floor(key_value_heads / tensor_parallel) * tensor_parallel, key_value_heads)
    repeated = equals(floor(tensor_parallel / key_value_heads) * key_value_heads, tensor_parallel)
    near = at_most(tensor_parallel, maximum(gpus_per_node, nvlink_domain))
    whole_nodes = equals(floor(tensor_parallel / gpus_per_node) * gpus_per_node, tensor_parallel)
    return where(all_of(whole, any_of(shared, repeated), any_of(near, whole_nodes)), 1, 0)


@formula(unit="flag", symbol="ok_R", source="reportgen", when=inference)
def holds_replica(replicas):
    """A given number of accelerators may be too few for one copy."""
    return where(at_least(replicas, 1), 1, 0)


@formula(
    unit="flag", symbol="ok", source="reportgen", when=serving & latency_objectives & ~measured_rate, name="layout_ok"
)
def layout_ok_with_objectives(fits, context_fits, divides, holds_replica, ttft_met, tpot_met):
    """Memory, length, shape and both objectives."""
    return fits * context_fits * divides * holds_replica * ttft_met * tpot_met


@formula(
    unit="flag", symbol="ok", source="reportgen", when=inference & ~(serving & latency_objectives & ~measured_rate)
)
def layout_ok(fits, context_fits, divides, holds_replica):
    """Memory, length and shape; a measured rate is taken as it is."""
    return fits * context_fits * divides * holds_replica


def offered(rate, fits, context_fits, divides):
    """A rate of a layout that can run; zero for one that cannot."""
    return where(at_least(fits * context_fits * divides, 1), rate, 0)


@formula(unit="tokens/s", symbol="v_0", source="reportgen", when=serving)
def user_tokens_offered(tpot_at_limit_s, fits, context_fits, divides):
    """How fast one user sees the text appear when the batch is full: one axis of the choice between speed and cost."""
    return offered(1 / tpot_at_limit_s, fits, context_fits, divides)


@formula(unit="tokens/s/GPU", symbol="X_0", source="reportgen", when=serving)
def gpu_tokens_offered(gpu_output_tokens_per_second, fits, context_fits, divides):
    """What an accelerator then writes for all its users: the other axis."""
    return offered(gpu_output_tokens_per_second, fits, context_fits, divides)


@formula(unit="share", symbol="q", source="reportgen", when=serving & ~measured_rate)
def layout_preference(peak_requests_per_second, replicas, replica_requests_per_second, utilization_cap):
    """Of layouts with as many accelerators the one that carries most is best."""
    capacity = maximum(replicas, 1) * replica_requests_per_second * utilization_cap
    return peak_requests_per_second / (peak_requests_per_second + capacity)


@formula(unit="share", symbol="q", source="reportgen", when=serving & measured_rate, name="layout_preference")
def layout_preference_measured(replica_rate_estimated, replica_requests_per_second):
    """The batch of the measurement is not known: the one whose estimate comes nearest to the measured rate is taken."""
    distance = absolute(ln(replica_rate_estimated / replica_requests_per_second))
    return distance / (1 + distance)


@formula(unit="rank", symbol="K", source="reportgen", when=inference)
def layout_rank(layout_ok, gpus, layout_preference, layout_number):
    """Fewest accelerators first; the list's order settles what is still equal."""
    return where(at_least(layout_ok, 1), gpus + layout_preference + layout_number * 1e-7, 1e9 + layout_number)
