"""From users to accelerators: the load, the replicas and nodes that carry it, and what users feel at the peak."""

from reportgen.estimator.serving_speed import tail_wait, wait_spread
from reportgen.estimator.structure import (
    disaggregated,
    fabric,
    given_rate,
    inference,
    measured_rate,
    serving,
    shared_cluster,
)
from reportgen.formula import (
    HOUR,
    HOURS_PER_MONTH,
    MILLION,
    MINUTE,
    above,
    ceil,
    equals,
    exp,
    floor,
    formula,
    maximum,
    minimum,
    sqrt,
    where,
)

alone = ~shared_cluster

# --- the load


@formula(unit="requests/s", symbol="lambda_h", source="llm-d-planner", when=serving & ~given_rate)
def busy_hour_requests_per_second(users, active_share, requests_per_minute):
    """Only some users are active at once, and each thinks between two requests."""
    return users * active_share * requests_per_minute / MINUTE


@formula(
    unit="requests/s",
    symbol="lambda_h",
    source="scenario",
    when=serving & given_rate,
    name="busy_hour_requests_per_second",
)
def busy_hour_requests_given(requests_per_second):
    """The rate as counted, of the whole service in its busiest hour."""
    return requests_per_second + 0


@formula(unit="requests/s", symbol="lambda", source="llm-d-planner", when=serving)
def peak_requests_per_second(busy_hour_requests_per_second, peak_factor):
    """Capacity is for the busiest minute, not for the mean of the busiest hour."""
    return busy_hour_requests_per_second * peak_factor


@formula(unit="requests/s", symbol="lambda_10", source="reportgen", when=serving)
def peak_requests_per_second_p10(peak_requests_per_second, load_error, normal_quantile_p90):
    """A load that does not exist yet is a forecast; log-normal, in closed form."""
    return peak_requests_per_second * exp(-normal_quantile_p90 * load_error)


@formula(unit="requests/s", symbol="lambda_90", source="reportgen", when=serving)
def peak_requests_per_second_p90(peak_requests_per_second, load_error, normal_quantile_p90):
    """The high end of the forecast."""
    return peak_requests_per_second * exp(normal_quantile_p90 * load_error)


@formula(unit="tokens/s", symbol="X_in", source="reportgen", when=serving)
def prompt_tokens_per_second(peak_requests_per_second, prompt_tokens):
    """Tokens that arrive at the peak, cached or not."""
    return peak_requests_per_second * prompt_tokens


@formula(unit="tokens/s", symbol="X_out", source="reportgen", when=serving)
def output_tokens_per_second(peak_requests_per_second, answer_tokens):
    """Tokens that all users together get at the peak."""
    return peak_requests_per_second * answer_tokens


@formula(unit="tokens/months", symbol="N_mon", source="reportgen", when=serving)
def tokens_per_month(busy_hour_requests_per_second, average_load_share, prompt_tokens, answer_tokens):
    """Nights, evenings and weekends are quiet: a month carries the mean of all hours, prompts and answers counted."""
    mean_rate = busy_hour_requests_per_second * average_load_share
    return mean_rate * HOURS_PER_MONTH * HOUR * (prompt_tokens + answer_tokens)


@formula(unit="million tokens/months", symbol="N_Mtok", source="reportgen", when=serving)
def million_tokens_per_month(tokens_per_month):
    """Prices are quoted by the million tokens."""
    return tokens_per_month / MILLION


# --- what one replica carries


@formula(unit="tokens", symbol="N_req", source="scenario", when=inference & measured_rate)
def measured_tokens_per_request(prompt_tokens, measured_prompt_share, answer_tokens):
    """A measured rate counts answers, or prompts too where the scenario says so; without answers it counts prompts."""
    counted = prompt_tokens * measured_prompt_share + answer_tokens
    return maximum(1, where(above(answer_tokens, 0), counted, prompt_tokens))


@formula(unit="requests/s", symbol="mu", source="serving-fit", when=serving & ~measured_rate)
def replica_requests_per_second(replica_rate_estimated):
    """The rate of a full batch, which the objectives and the cache limit."""
    return replica_rate_estimated + 0


@formula(
    unit="requests/s", symbol="mu", source="scenario", when=serving & measured_rate, name="replica_requests_per_second"
)
def replica_requests_measured(
    accelerator,
    measured_accelerator,
    measured_tokens_per_second,
    tensor_parallel,
    measured_tokens_per_request,
    replica_rate_estimated,
):
    """The measured rate of one accelerator replaces the estimate; other accelerators keep theirs."""
    measured = measured_tokens_per_second * tensor_parallel / measured_tokens_per_request
    return where(equals(accelerator, measured_accelerator), measured, replica_rate_estimated)


@formula(unit="tokens/s", symbol="X_r", source="reportgen", when=serving)
def replica_output_tokens_per_second(replica_requests_per_second, answer_tokens):
    """The rate that benchmarks print for one copy of the model."""
    return replica_requests_per_second * answer_tokens


@formula(unit="tokens/s", symbol="X_g", source="reportgen", when=serving)
def gpu_output_tokens_per_second(replica_output_tokens_per_second, tensor_parallel):
    """The rate that compares layouts and accelerators."""
    return replica_output_tokens_per_second / tensor_parallel


# --- replicas, nodes, accelerators


@formula(unit="replicas", symbol="R_0", source="mlperf-v5.1", when=serving)
def replicas_before_rounding(peak_requests_per_second, replica_requests_per_second, utilization_cap):
    """A replica is planned at a share of its rate: arrivals come in bursts, and benchmarks do not."""
    return peak_requests_per_second / (replica_requests_per_second * utilization_cap)


@formula(unit="share", symbol="sigma_R", source="reportgen", when=serving)
def replicas_error(load_error, speed_error):
    """Load and speed err independently, so that their squares add."""
    return sqrt(load_error * load_error + speed_error * speed_error)


@formula(unit="replicas", symbol="R_10", source="reportgen", when=serving)
def replicas_before_rounding_p10(replicas_before_rounding, replicas_error, normal_quantile_p90):
    """The low end of what may be needed."""
    return replicas_before_rounding * exp(-normal_quantile_p90 * replicas_error)


@formula(unit="replicas", symbol="R_90", source="reportgen", when=serving)
def replicas_before_rounding_p90(replicas_before_rounding, replicas_error, normal_quantile_p90):
    """The high end of what may be needed."""
    return replicas_before_rounding * exp(normal_quantile_p90 * replicas_error)


@formula(unit="replicas", symbol="R_w", source="reportgen", when=inference)
def replicas_working(replicas_before_rounding):
    """There is no half copy of a model, and no service without one."""
    return maximum(1, ceil(replicas_before_rounding))


@formula(unit="nodes", symbol="n_g", source="reportgen", when=inference)
def nodes_per_replica_group(tensor_parallel, gpus_per_node):
    """A replica wider than a node takes whole nodes."""
    return ceil(tensor_parallel / gpus_per_node)


@formula(unit="replicas", symbol="R_n", source="reportgen", when=inference)
def replicas_per_group(nodes_per_replica_group, gpus_per_node, tensor_parallel):
    """Accelerators of a node that do not make up a replica stay idle."""
    return floor(nodes_per_replica_group * gpus_per_node / tensor_parallel)


@formula(unit="nodes", symbol="N", source="reportgen", when=inference & alone)
def nodes(fixed_gpu_count, gpus_per_node, replicas_working, replicas_per_group, nodes_per_replica_group, spare_nodes):
    """What fails is a node with all its replicas, so that the spare is a node too."""
    needed = ceil(replicas_working / replicas_per_group) * nodes_per_replica_group + spare_nodes
    return where(above(fixed_gpu_count, 0), ceil(fixed_gpu_count / gpus_per_node), needed)


@formula(unit="GPUs", symbol="n", source="reportgen", when=serving & fabric, name="gpus")
def gpus_in_racks(fixed_gpu_count, nodes, gpus_per_node):
    """Servers are bought whole."""
    return where(above(fixed_gpu_count, 0), fixed_gpu_count, nodes * gpus_per_node)


@formula(unit="GPUs", symbol="n", source="reportgen", when=serving & ~fabric & alone)
def gpus(fixed_gpu_count, replicas_working, tensor_parallel, spare_nodes, gpus_per_node):
    """A workstation takes as many cards as are needed."""
    needed = replicas_working * tensor_parallel + spare_nodes * gpus_per_node
    return where(above(fixed_gpu_count, 0), fixed_gpu_count, needed)


@formula(unit="replicas", symbol="R_f", source="reportgen", when=inference)
def replicas_of_fixed_count(
    fixed_gpu_count, nodes_per_replica_group, gpus_per_node, replicas_per_group, tensor_parallel
):
    """A given number of accelerators: full nodes first, then what the last one holds."""
    group = nodes_per_replica_group * gpus_per_node
    full = floor(fixed_gpu_count / group)
    return full * replicas_per_group + floor((fixed_gpu_count - full * group) / tensor_parallel)


@formula(unit="replicas", symbol="R", source="reportgen", when=serving & fabric & alone, name="replicas")
def replicas_in_racks(fixed_gpu_count, replicas_of_fixed_count, nodes, nodes_per_replica_group, replicas_per_group):
    """Every node that is there serves, the spare too, until one fails."""
    filled = floor(nodes / nodes_per_replica_group) * replicas_per_group
    return where(above(fixed_gpu_count, 0), replicas_of_fixed_count, filled)


@formula(unit="replicas", symbol="R", source="reportgen", when=serving & ~fabric & alone)
def replicas(fixed_gpu_count, replicas_of_fixed_count, replicas_working, spare_nodes, replicas_per_group):
    """Every card that is there serves."""
    needed = replicas_working + spare_nodes * replicas_per_group
    return where(above(fixed_gpu_count, 0), replicas_of_fixed_count, needed)


@formula(unit="GPUs", symbol="n_idle", source="reportgen", when=inference & alone)
def stranded_gpus(gpus, replicas, tensor_parallel):
    """Accelerators that no replica can use."""
    return gpus - replicas * tensor_parallel


def left_after(failed_nodes, replicas, nodes, nodes_per_replica_group, replicas_per_group):
    """Replicas left when nodes fail; a replica of several nodes moves to a spare one."""
    whole = floor(maximum(nodes - failed_nodes, 0) / nodes_per_replica_group) * replicas_per_group
    return minimum(replicas, whole)


@formula(unit="replicas", symbol="R_pk", source="reportgen", when=serving & alone)
def replicas_at_peak(replicas, nodes, spare_nodes, nodes_per_replica_group, replicas_per_group):
    """The peak is promised with the spare nodes out of service."""
    return maximum(1, left_after(spare_nodes, replicas, nodes, nodes_per_replica_group, replicas_per_group))


@formula(unit="requests/s", symbol="C", source="reportgen", when=serving)
def capacity_requests_per_second(replicas, replica_requests_per_second, utilization_cap):
    """What keeps the objectives with everything in service."""
    return replicas * replica_requests_per_second * utilization_cap


@formula(unit="requests/s", symbol="C_1", source="reportgen", when=serving & alone)
def capacity_with_node_down(
    replicas, nodes, nodes_per_replica_group, replicas_per_group, replica_requests_per_second, utilization_cap
):
    """What keeps the objectives when one node has failed."""
    left = left_after(1, replicas, nodes, nodes_per_replica_group, replicas_per_group)
    return left * replica_requests_per_second * utilization_cap


@formula(unit="share", symbol="rho_avg", source="reportgen", when=serving)
def average_utilization(busy_hour_requests_per_second, average_load_share, replicas, replica_requests_per_second):
    """Owned accelerators cost the same by night: the mean load decides what a token costs."""
    full_rate = maximum(replicas, 1) * replica_requests_per_second
    return busy_hour_requests_per_second * average_load_share / full_rate


# --- what users feel at the peak


@formula(unit="requests/s", symbol="lambda_r", source="reportgen", when=serving)
def replica_load_at_peak(peak_requests_per_second, replicas_at_peak):
    """A router spreads requests evenly."""
    return peak_requests_per_second / replicas_at_peak


@formula(unit="requests", symbol="B_pk", source="little-1961", when=serving)
def batch_at_peak(batch_per_replica, replica_load_at_peak, replica_requests_per_second):
    """A replica below its limit answers faster, so that its batch shrinks at least as much as its load."""
    return maximum(1, batch_per_replica * minimum(1, replica_load_at_peak / replica_requests_per_second))


@formula(unit="share", symbol="u", source="pollaczek-khinchine", when=serving & ~disaggregated)
def prefill_load_at_peak(replica_load_at_peak, prefill_service_s, queue_load_limit):
    """Share of the time in which prompts are read; a queue that is always busy has no mean, so the share is cut off."""
    return minimum(queue_load_limit, replica_load_at_peak * prefill_service_s)


@formula(unit="s", symbol="w_m", source="pollaczek-khinchine", when=serving)
def mean_wait_s(prefill_load_at_peak, prefill_service_s, arrival_variation, prompt_length_variation):
    """Mean wait before a prompt is read, with prompts of mixed length: M/G/1 where arrivals are random, Kingman's bound else."""
    spread = wait_spread(arrival_variation, prompt_length_variation)
    return prefill_load_at_peak * prefill_service_s * spread / (1 - prefill_load_at_peak)


@formula(unit="s", symbol="w", source="pollaczek-khinchine", when=serving)
def wait_s(prefill_load_at_peak, prefill_service_s, arrival_variation, prompt_length_variation, ttft_percentile):
    """Wait at the percentile of the objective, its tail taken as exponential."""
    spread = wait_spread(arrival_variation, prompt_length_variation)
    return tail_wait(prefill_load_at_peak, prefill_service_s, spread, ttft_percentile)


@formula(unit="s", symbol="w_MMc", source="sakasegawa-1977", when=serving)
def pooled_wait_random_s(prefill_load_at_peak, replicas_at_peak, prefill_service_s):
    """Mean wait of M/M/c, one queue before all replicas: Erlang's C in closed form."""
    shape = prefill_load_at_peak ** (sqrt(2 * (replicas_at_peak + 1)) - 1)
    return prefill_service_s * shape / (replicas_at_peak * (1 - prefill_load_at_peak))


@formula(unit="s", symbol="w_pool", source="allen-1990", when=serving)
def pooled_wait_s(pooled_wait_random_s, arrival_variation, prompt_length_variation):
    """The same for any spread of arrivals and prompts (Allen and Cunneen): what a router that knows the load comes near to."""
    return pooled_wait_random_s * wait_spread(arrival_variation, prompt_length_variation)


@formula(unit="s", symbol="TTFT", source="serving-fit", when=serving & ~disaggregated)
def ttft_s(engine_ttft_offset_s, wait_s, prefill_s, engine_first_token_steps, decode_step_at_peak_s):
    """Time to the first token: front end, wait at the percentile, the prompt, the steps until the token is handed out."""
    return engine_ttft_offset_s + wait_s + prefill_s + engine_first_token_steps * decode_step_at_peak_s


@formula(unit="tokens/s", symbol="v", source="reportgen", when=serving)
def user_tokens_per_second(tpot_s):
    """How fast one user sees the text appear."""
    return 1 / tpot_s


@formula(unit="s", symbol="T_req", source="reportgen", when=serving)
def request_time_s(
    engine_ttft_offset_s, mean_wait_s, prefill_s, engine_first_token_steps, decode_step_at_peak_s, answer_tokens, tpot_s
):
    """The first token and the others after it, at the mean wait."""
    first = engine_ttft_offset_s + mean_wait_s + prefill_s + engine_first_token_steps * decode_step_at_peak_s
    return first + maximum(answer_tokens - 1, 0) * tpot_s


@formula(unit="requests", symbol="N_fl", source="little-1961", when=serving)
def requests_in_flight(peak_requests_per_second, request_time_s):
    """Requests in the whole service at the peak, by Little's law."""
    return peak_requests_per_second * request_time_s
