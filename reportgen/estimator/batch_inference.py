"""Working through a pile of items in a window of time: no objective for a single item, so the largest batch is best."""

from reportgen.estimator.structure import batch_inference, measured_rate, speculative
from reportgen.formula import (
    HOUR,
    MILLION,
    MISSING,
    above,
    absolute,
    all_of,
    at_most,
    equals,
    exp,
    floor,
    formula,
    is_known,
    ln,
    maximum,
    where,
)

# --- the work


@formula(unit="tokens", symbol="N", source="scenario", when=batch_inference)
def batch_tokens(items, prompt_tokens, answer_tokens):
    """All tokens, read and written."""
    return items * (prompt_tokens + answer_tokens)


@formula(unit="items/s", symbol="lambda_w", source="scenario", when=batch_inference)
def items_per_second_needed(items, window_hours):
    """The pile is worked through evenly over the window; without one, a single replica takes its time."""
    return where(is_known(window_hours), items / (window_hours * HOUR), 0)


# --- what one replica does


@formula(unit="s", symbol="t_in", source="serving-fit", when=batch_inference)
def item_prompt_s(prefill_service_s):
    """Time of a replica that one prompt takes when steps are full."""
    return prefill_service_s + 0


@formula(unit="s", symbol="t_out", source="serving-fit", when=batch_inference & ~speculative, name="item_answer_s")
def item_answer_s(answer_tokens, decode_step_s, batch_per_replica):
    """Time of a replica that one answer takes: its share of as many steps as it has tokens."""
    return answer_tokens * decode_step_s / batch_per_replica


@formula(unit="items/s", symbol="mu_0", source="serving-fit", when=batch_inference)
def replica_items_estimated(item_prompt_s, item_answer_s):
    """A full replica does nothing but read prompts and write answers."""
    return 1 / (item_prompt_s + item_answer_s)


@formula(unit="items/s", symbol="mu", source="serving-fit", when=batch_inference & ~measured_rate)
def replica_items_per_second(replica_items_estimated, utilization_cap):
    """Some time goes to starting, to the tail of the pile and to failures."""
    return replica_items_estimated * utilization_cap


@formula(
    unit="items/s",
    symbol="mu",
    source="scenario",
    when=batch_inference & measured_rate,
    name="replica_items_per_second",
)
def replica_items_measured(
    accelerator,
    measured_accelerator,
    measured_tokens_per_second,
    tensor_parallel,
    measured_tokens_per_request,
    replica_items_estimated,
    utilization_cap,
):
    """The measured rate of one accelerator replaces the estimate; other accelerators keep theirs."""
    measured = measured_tokens_per_second * tensor_parallel / measured_tokens_per_request
    return where(equals(accelerator, measured_accelerator), measured, replica_items_estimated * utilization_cap)


# --- how many


@formula(unit="replicas", symbol="R_0", source="reportgen", when=batch_inference, name="replicas_before_rounding")
def replicas_for_window(items_per_second_needed, replica_items_per_second):
    """Replicas that finish in the window."""
    return items_per_second_needed / replica_items_per_second


@formula(unit="GPUs", symbol="n_0", source="reportgen", when=batch_inference)
def gpus_for_window(replicas_working, tensor_parallel):
    """Accelerators at work, before servers are rounded to whole ones."""
    return replicas_working * tensor_parallel


@formula(unit="GPUs", symbol="n", source="reportgen", when=batch_inference, name="gpus")
def gpus_of_batch(fixed_gpu_count, gpus_for_window, gpus_per_node, nodes, spare_nodes):
    """A part of a node will do for a pile of work; more than one node comes whole."""
    part = gpus_for_window + spare_nodes * gpus_per_node
    found = where(at_most(gpus_for_window, gpus_per_node), part, nodes * gpus_per_node)
    return where(above(fixed_gpu_count, 0), fixed_gpu_count, found)


@formula(unit="replicas", symbol="R", source="reportgen", when=batch_inference, name="replicas")
def replicas_of_batch(
    fixed_gpu_count, replicas_of_fixed_count, gpus_for_window, gpus_per_node, replicas_working, nodes, spare_nodes,
    nodes_per_replica_group, replicas_per_group,
):  # fmt: skip
    """Every replica of the nodes at work shares the pile; spare nodes wait."""
    filled = floor((nodes - spare_nodes) / nodes_per_replica_group) * replicas_per_group
    found = where(at_most(gpus_for_window, gpus_per_node), replicas_working, filled)
    return where(above(fixed_gpu_count, 0), replicas_of_fixed_count, found)


# --- how long, and what it uses


@formula(unit="h", symbol="T", source="reportgen", when=batch_inference)
def batch_hours(items, replicas, replica_items_per_second):
    """Hours with the accelerators that are there."""
    hours = items / (maximum(replicas, 1) * replica_items_per_second) / HOUR
    return where(above(replicas, 0), hours, MISSING)


@formula(unit="h", symbol="T_10", source="reportgen", when=batch_inference & ~measured_rate)
def batch_hours_p10(batch_hours, speed_error, normal_quantile_p90):
    """The low end of the estimate's own error."""
    return where(is_known(batch_hours), batch_hours * exp(-normal_quantile_p90 * speed_error), MISSING)


@formula(unit="h", symbol="T_90", source="reportgen", when=batch_inference & ~measured_rate)
def batch_hours_p90(batch_hours, speed_error, normal_quantile_p90):
    """The high end of the estimate's own error."""
    return where(is_known(batch_hours), batch_hours * exp(normal_quantile_p90 * speed_error), MISSING)


@formula(unit="tokens/s", symbol="X_out", source="reportgen", when=batch_inference, name="output_tokens_per_second")
def output_tokens_of_batch(replicas, replica_items_per_second, answer_tokens):
    """Tokens written by all replicas; none when items are only embedded or scored."""
    return replicas * replica_items_per_second * answer_tokens


@formula(unit="tokens/s", symbol="X", source="reportgen", when=batch_inference)
def batch_tokens_per_second(replicas, replica_items_per_second, prompt_tokens, answer_tokens):
    """Tokens read and written by all replicas."""
    return replicas * replica_items_per_second * (prompt_tokens + answer_tokens)


@formula(unit="million tokens", symbol="N_Mtok", source="reportgen", when=batch_inference)
def batch_million_tokens(batch_tokens):
    """Prices are quoted by the million tokens."""
    return batch_tokens / MILLION


@formula(unit="flag", symbol="ok_T", source="scenario", when=batch_inference)
def window_met(batch_hours, window_hours):
    """False only where the number of accelerators is given and too small."""
    in_time = all_of(is_known(batch_hours), at_most(batch_hours, window_hours))
    return where(is_known(window_hours), where(in_time, 1, 0), 1)


@formula(unit="flag", symbol="ok_T90", source="reportgen", when=batch_inference & ~measured_rate)
def window_met_p90(batch_hours_p90, window_hours):
    """In nine cases of ten; the request is sized for the likely case."""
    in_time = all_of(is_known(batch_hours_p90), at_most(batch_hours_p90, window_hours))
    return where(is_known(window_hours), where(in_time, 1, 0), 1)


@formula(unit="share", symbol="q", source="reportgen", when=batch_inference & ~measured_rate, name="layout_preference")
def layout_preference_of_batch(batch_hours, window_hours, batch_reference_hours):
    """Of layouts with as many accelerators the quickest is best."""
    reference = where(is_known(window_hours), window_hours, batch_reference_hours)
    return where(is_known(batch_hours), batch_hours / (batch_hours + reference), 1)


@formula(unit="share", symbol="q", source="reportgen", when=batch_inference & measured_rate, name="layout_preference")
def layout_preference_of_measured_batch(replica_items_estimated, replica_items_per_second):
    """The batch of the measurement is not known: the one whose estimate comes nearest to the measured rate is taken."""
    distance = absolute(ln(replica_items_estimated / replica_items_per_second))
    return distance / (1 + distance)
