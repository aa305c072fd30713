"""The update of the weights once a step, and the sum of all parts of a step."""

from reportgen.estimator.structure import step_model
from reportgen.formula import GIGABYTE, at_least, formula, where

FITTED = "calibration"


# The update


@formula(unit="s/token", symbol="t_up", source=FITTED, when=step_model)
def update_seconds(
    update_traffic_bytes,
    exchanged_gradients,
    zero_stage,
    state_shards,
    memory_bandwidth_gb_s,
    step_start_seconds,
    tokens_per_gpu_and_step,
):
    """The optimizer reads and writes its states once a step; starting a step costs a little too."""
    shards = where(at_least(zero_stage, 1), state_shards, 1)
    traffic = update_traffic_bytes * exchanged_gradients / shards
    return (traffic / (memory_bandwidth_gb_s * GIGABYTE) + step_start_seconds) / tokens_per_gpu_and_step


@formula(unit="s/token", symbol="t_ho", source="zero-offload-2021", when=step_model)
def host_update_seconds(
    optimizer_on_host,
    host_update_seconds_per_parameter,
    exchanged_gradients,
    state_shards,
    tokens_per_gpu_and_step,
):
    """An optimizer in host memory is bound by the memory of the host."""
    held = exchanged_gradients / state_shards
    return optimizer_on_host * host_update_seconds_per_parameter * held / tokens_per_gpu_and_step


@formula(unit="s/token", symbol="t_tok", source=FITTED, when=step_model, name="seconds_per_token_per_gpu")
def seconds_per_token_of_parts(
    pipeline_seconds, exchange_seconds, update_seconds, host_update_seconds, host_weight_seconds, utilization_factor
):
    """All parts of a step, moved by what is known of the team."""
    parts = pipeline_seconds + exchange_seconds + update_seconds + host_update_seconds + host_weight_seconds
    return parts / utilization_factor
