"""Time lost to failures and checkpoints, after Young."""

from reportgen.estimator.structure import training
from reportgen.formula import DAY, HOUR, HOURS_PER_DAY, formula, maximum, sqrt


@formula(unit="1/day", symbol="q_f", source="rsc-reliability-2024", when=training)
def failures_per_day(gpus, node_failures_per_day, small_job_failures_per_day):
    """Hardware failures grow with the size (rate of nodes of 8); software and user faults dominate small jobs."""
    return maximum(gpus / 8 * node_failures_per_day, small_job_failures_per_day)


@formula(unit="h", symbol="MTTF", source="rsc-reliability-2024", when=training)
def mean_time_to_failure_hours(failures_per_day):
    """Every failure stops the whole job."""
    return HOURS_PER_DAY / failures_per_day


@formula(unit="s", symbol="t_ck", source="young-1974", when=training)
def checkpoint_interval_seconds(checkpoint_stall_seconds, mean_time_to_failure_hours):
    """Saving more often loses time in saving, less often loses work at a failure."""
    return sqrt(2 * checkpoint_stall_seconds * mean_time_to_failure_hours * HOUR)


@formula(unit="share", symbol="G", source="young-1974", when=training)
def goodput(
    checkpoint_stall_seconds, checkpoint_interval_seconds, restart_seconds, mean_time_to_failure_hours, least_goodput
):
    """Share of the time that is kept: saving, half an interval lost at each failure, and the restart."""
    saving = checkpoint_stall_seconds / checkpoint_interval_seconds
    failing = (checkpoint_interval_seconds / 2 + restart_seconds) / (mean_time_to_failure_hours * HOUR)
    return maximum(least_goodput, (1 - saving) * (1 - failing))


@formula(unit="failures", symbol="n_f", source="rsc-reliability-2024", when=training)
def failures_per_campaign(failures_per_day, training_days):
    """How often somebody has to look, or a watchdog has to restart."""
    return failures_per_day * training_days


@formula(unit="checkpoints/day", symbol="n_ck", source="young-1974", when=training)
def checkpoints_per_day(checkpoint_interval_seconds):
    """At the best interval."""
    return DAY / checkpoint_interval_seconds


@formula(unit="GPU days", symbol="D_f", source="llama3-2024", when=training)
def gpu_days_per_failure(gpus, mean_time_to_failure_hours):
    """Comparable between clusters of different size."""
    return gpus * mean_time_to_failure_hours / HOURS_PER_DAY
