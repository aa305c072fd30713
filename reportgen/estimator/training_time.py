"""How long training takes: seconds a token on one GPU, the run, the campaign, and how sure that is.

`seconds_per_token_per_gpu` is the one door between the model of a step and the calendar.
"""

from reportgen.estimator.structure import (
    deadline,
    given_utilization,
    measured_speed,
    mixture_of_experts,
    nvme_offload,
    planning_table,
    reinforcement,
    staged,
    training,
    utilization_from_run,
)
from reportgen.formula import (
    DAY,
    FLOP,
    HOUR,
    HOURS_PER_DAY,
    TERAFLOP,
    at_least,
    at_most,
    equals,
    exp,
    formula,
    is_known,
    maximum,
    pick,
    sqrt,
    where,
)

MEGATRON = "megatron-2021"
estimated = training & ~given_utilization & ~measured_speed  # nothing of the user fixes the speed
planned = training & planning_table & ~given_utilization
measured = training & ~given_utilization & measured_speed
from_run = training & given_utilization & utilization_from_run


# Speed of one GPU


@formula(unit="factor", symbol="k_U", source="scenario", when=measured, name="utilization_factor")
def utilization_factor_measured(accelerator, measured_accelerator, measured_speed_factor):
    """The user's runs move the speed of the accelerator they ran on; others keep their estimate."""
    return where(equals(accelerator, measured_accelerator), measured_speed_factor, 1)


@formula(unit="share", symbol="U_16", source="published-runs", when=planned)
def planning_utilization_16bit(
    accelerators_planning_utilization_bf16,
    accelerators_planning_utilization_fp16,
    accelerator_row,
    unknown_accelerator_utilization,
):
    """Share of the 16-bit peak that ordinary teams reach, from published runs of the same family."""
    bf16 = pick(accelerators_planning_utilization_bf16, accelerator_row)
    fp16 = pick(accelerators_planning_utilization_fp16, accelerator_row)
    return where(is_known(bf16), bf16, where(is_known(fp16), fp16, unknown_accelerator_utilization))


@formula(unit="share", symbol="U_8", source="published-runs", when=planned)
def planning_utilization_8bit(accelerators_planning_utilization_fp8, accelerator_row, planning_utilization_16bit):
    """Share of the 8-bit peak; a card without one computes in 16 bits."""
    fp8 = pick(accelerators_planning_utilization_fp8, accelerator_row)
    return where(is_known(fp8), fp8, planning_utilization_16bit)


@formula(unit="share", symbol="U_plan", source="published-runs", when=planned)
def planning_utilization(
    compute_precision,
    accelerators_planning_utilization_fp4,
    accelerator_row,
    planning_utilization_16bit,
    planning_utilization_8bit,
):
    """Share of the peak of the precision that the matrix products run in."""
    fp4 = pick(accelerators_planning_utilization_fp4, accelerator_row)
    four_or_more = where(is_known(fp4), fp4, planning_utilization_8bit)
    eight_or_more = where(equals(compute_precision, "fp8"), planning_utilization_8bit, planning_utilization_16bit)
    return where(equals(compute_precision, "fp4"), four_or_more, eight_or_more)


@formula(unit="share", symbol="U_0", source="published-runs", when=planned, name="step_utilization")
def step_utilization(planning_utilization, utilization_factor):
    """The planning value, moved up or down by what is known of the team and its software."""
    return planning_utilization * utilization_factor


@formula(unit="share", symbol="U_0", source="scenario", when=training & given_utilization, name="step_utilization")
def step_utilization_given(given_utilization):
    """The share that the scenario states."""
    return given_utilization


@formula(unit="share", symbol="U_run", source="reportgen", when=from_run, name="given_utilization")
def utilization_of_known_run(known_run_parameters, known_run_tokens, known_run_peak_tflops, known_run_gpu_hours):
    """6 P D over the peak of the hours that a past run took; everything that was lost on the way is in it."""
    ideal_hours = 6 * known_run_parameters * known_run_tokens * FLOP / (known_run_peak_tflops * TERAFLOP) / HOUR
    return ideal_hours / known_run_gpu_hours


@formula(unit="factor", symbol="f_r", source="megatron-2021", when=training)
def recomputation_factor(training_flops_per_token, recomputed_flops_per_token):
    """Running layers forward twice takes time and is no useful work."""
    return 1 + recomputed_flops_per_token / training_flops_per_token


@formula(unit="factor", symbol="f_b", source=MEGATRON, when=training)
def bubble_factor(pipeline_parallel, virtual_stages, micro_batches):
    """Stages wait while a pipeline fills and drains."""
    return 1 + (pipeline_parallel - 1) / (virtual_stages * micro_batches)


@formula(unit="factor", symbol="f_L", source=MEGATRON, when=training)
def stage_imbalance_factor(layers_per_stage, pipeline_parallel, layers):
    """The fullest stage sets the pace of the pipeline."""
    return layers_per_stage * pipeline_parallel / layers


@formula(unit="factor", symbol="f_h", source="zero-offload-2021", when=training & given_utilization)
def host_optimizer_factor(optimizer_on_host, offload_time_factor):
    """Updating the weights in host memory is slower."""
    return 1 + optimizer_on_host * (offload_time_factor - 1)


@formula(
    unit="s/token",
    symbol="t_tok",
    source="reportgen",
    when=training & given_utilization,
    name="seconds_per_token_per_gpu",
)
def seconds_per_token_of_utilization(
    training_flops_per_token,
    recomputation_factor,
    bubble_factor,
    stage_imbalance_factor,
    host_optimizer_factor,
    peak_tflops,
    step_utilization,
):
    """Useful operations over the speed reached, and what recomputation, waiting and offloading add."""
    lost = recomputation_factor * bubble_factor * stage_imbalance_factor * host_optimizer_factor
    return training_flops_per_token * lost / (peak_tflops * TERAFLOP * step_utilization)


@formula(unit="tokens/s", symbol="v_g", source="reportgen", when=training)
def tokens_per_second_per_gpu(seconds_per_token_per_gpu):
    """The figure that benchmarks print."""
    return 1 / seconds_per_token_per_gpu


@formula(unit="tokens/s", symbol="v", source="reportgen", when=training)
def tokens_per_second(tokens_per_second_per_gpu, gpus):
    """All GPUs together."""
    return tokens_per_second_per_gpu * gpus


@formula(unit="TFLOP/s", symbol="F_m", source="megatron-bridge", when=training)
def model_tflops_per_gpu(training_flops_per_token, tokens_per_second_per_gpu):
    """Useful operations a second, in the convention of NVIDIA's pages."""
    return training_flops_per_token * tokens_per_second_per_gpu / TERAFLOP


@formula(unit="share", symbol="MFU", source="palm-2022", when=training)
def model_flops_utilization(model_tflops_per_gpu, peak_tflops):
    """Useful operations as a share of the dense peak of the precision."""
    return model_tflops_per_gpu / peak_tflops


@formula(unit="s", symbol="t_step", source="reportgen", when=training)
def step_seconds(tokens_per_step, tokens_per_second):
    """One update of the weights."""
    return tokens_per_step / tokens_per_second


# The run and the campaign


@formula(unit="s", symbol="t_run", source="reportgen", when=training & ~reinforcement & ~staged & ~nvme_offload, name="run_seconds")
def run_seconds(run_tokens, tokens_per_second):
    """One run at the speed of its steps."""
    return run_tokens / tokens_per_second


@formula(
    unit="factor", symbol="f_cal", source="calibration", when=training & ~utilization_from_run, name="calendar_factor"
)
def calendar_factor(all_in_factor, evaluation_and_checkpoint_factor, goodput):
    """Whole runs took this much longer than their steps; where failures cost more than usual, they decide."""
    return maximum(all_in_factor, evaluation_and_checkpoint_factor / goodput)


@formula(
    unit="factor", symbol="f_cal", source="reportgen", when=training & utilization_from_run, name="calendar_factor"
)
def calendar_factor_of_known_run(goodput_reference, goodput):
    """The past run's hours contain its losses; only failures beyond the usual are added."""
    return maximum(1, goodput_reference / goodput)


@formula(unit="days", symbol="d_run", source="reportgen", when=training)
def run_days(run_seconds, calendar_factor):
    """Calendar time of one run."""
    return run_seconds * calendar_factor / DAY


@formula(unit="days", symbol="d", source="reportgen", when=training)
def training_days(run_days, runs):
    """All runs, one after the other."""
    return run_days * runs


@formula(unit="GPU h", symbol="H", source="reportgen", when=training)
def gpu_hours(gpus, training_days):
    """What a cluster's bookkeeping shows for all runs."""
    return gpus * training_days * HOURS_PER_DAY


# How sure


def class_error(calibrated, row, error, unlisted):
    """The error of the class, or the wide one of hardware without any published run."""
    return where(at_least(pick(calibrated, row), 1), error, unlisted)


@formula(
    unit="share",
    symbol="s_s",
    source="calibration",
    when=estimated & ~mixture_of_experts,
    name="step_error",
)
def step_error(
    accelerators_step_calibrated, accelerator_row, time_error_unknown_configuration, time_error_unlisted
):
    """A new cluster whose layout this tool chose; hardware without any published run is less sure."""
    return class_error(accelerators_step_calibrated, accelerator_row, time_error_unknown_configuration, time_error_unlisted)


@formula(
    unit="share",
    symbol="s_s",
    source="calibration",
    when=estimated & mixture_of_experts,
    name="step_error",
)
def step_error_of_mixture(
    accelerators_step_calibrated, accelerator_row, time_error_mixture_of_experts, time_error_unlisted
):
    """Mixtures scatter more, and change with every release of the software."""
    return class_error(accelerators_step_calibrated, accelerator_row, time_error_mixture_of_experts, time_error_unlisted)


@formula(unit="share", symbol="s_s", source="calibration", when=training & given_utilization, name="step_error")
def step_error_given(time_error_known):
    """A stated utilisation leaves the difference between one job and the next."""
    return time_error_known


@formula(
    unit="share",
    symbol="s_s",
    source="calibration",
    when=measured & ~mixture_of_experts,
    name="step_error",
)
def step_error_measured(
    accelerator,
    measured_accelerator,
    time_error_known,
    accelerators_step_calibrated,
    accelerator_row,
    time_error_unknown_configuration,
    time_error_unlisted,
):
    """A measured run leaves the difference between one job and the next, on its own accelerator."""
    elsewhere = class_error(accelerators_step_calibrated, accelerator_row, time_error_unknown_configuration, time_error_unlisted)
    return where(equals(accelerator, measured_accelerator), time_error_known, elsewhere)


@formula(
    unit="share",
    symbol="s_s",
    source="calibration",
    when=measured & mixture_of_experts,
    name="step_error",
)
def step_error_measured_of_mixture(
    accelerator,
    measured_accelerator,
    time_error_known,
    accelerators_step_calibrated,
    accelerator_row,
    time_error_mixture_of_experts,
    time_error_unlisted,
):
    """The same for mixtures, which scatter more on accelerators that were not measured."""
    elsewhere = class_error(accelerators_step_calibrated, accelerator_row, time_error_mixture_of_experts, time_error_unlisted)
    return where(equals(accelerator, measured_accelerator), time_error_known, elsewhere)


@formula(unit="share", symbol="s_t", source="reportgen", when=training & reinforcement, name="time_error")
def time_error_with_rollouts(step_error, calendar_error, rollout_error):
    """How long the answers become is learned only in the run."""
    return sqrt(step_error * step_error + calendar_error * calendar_error + rollout_error * rollout_error)


@formula(unit="share", symbol="s_t", source="calibration", when=training & ~reinforcement, name="time_error")
def time_error(step_error, calendar_error):
    """Errors of step and calendar are independent; one draw a job, so runs do not average out."""
    return sqrt(step_error * step_error + calendar_error * calendar_error)


@formula(unit="days", symbol="d_10", source="calibration", when=training)
def training_days_p10(training_days, normal_quantile_p90, time_error):
    """One case of ten is faster."""
    return training_days * exp(-1 * normal_quantile_p90 * time_error)


@formula(unit="days", symbol="d_90", source="calibration", when=training)
def training_days_p90(training_days, normal_quantile_p90, time_error):
    """One case of ten is slower."""
    return training_days * exp(normal_quantile_p90 * time_error)


@formula(unit="days", symbol="d_run90", source="calibration", when=training)
def run_days_p90(run_days, normal_quantile_p90, time_error):
    """One run; one case of ten is slower."""
    return run_days * exp(normal_quantile_p90 * time_error)


@formula(unit="days", symbol="d_q", source="calibration", when=training & deadline)
def days_to_deadline(run_days, runs, deadline_for_campaign, deadline_z, time_error):
    """The days, as sure as was asked, of all runs that must end within the deadline."""
    counted = where(at_least(deadline_for_campaign, 1), runs, 1)
    return run_days * counted * exp(deadline_z * time_error)


@formula(unit="flag", symbol="ok_t", source="reportgen", when=training & deadline)
def in_time(days_to_deadline, deadline_days):
    """The asked-for certainty is inside the deadline."""
    return where(at_most(days_to_deadline, deadline_days), 1, 0)
