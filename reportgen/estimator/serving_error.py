"""The estimate's own error, by what held-out models showed; what a point measured on the user's own server changes."""

from reportgen.estimator.serving_speed import nearness
from reportgen.estimator.structure import dense, inference, measured_point, mixture_of_experts, serving
from reportgen.formula import at_most, equals, exp, formula, maximum, pick, sqrt, where

FIT = "serving-fit"


@formula(unit="share", symbol="sigma_S", source=FIT, when=inference & dense, name="speed_error_class")
def speed_error_dense(compute_precision, serving_error_dense, serving_error_narrow):
    """Dense models in 16 and 8 bit are the best measured; 4 bit varies more between engines."""
    narrow = where(equals(compute_precision, "mxfp4"), serving_error_narrow, serving_error_dense)
    return where(equals(compute_precision, "fp4"), serving_error_narrow, narrow)


@formula(unit="share", symbol="sigma_S", source=FIT, when=inference & mixture_of_experts)
def speed_error_class(serving_error_mixture):
    """Small expert kernels and routing vary between engines and releases."""
    return serving_error_mixture


@formula(unit="share", symbol="sigma_G", source=FIT, when=inference)
def speed_error_of_accelerator(accelerators_serving_error, accelerator_row):
    """Generations that the fit saw little of, or not at all, get a wider range."""
    return pick(accelerators_serving_error, accelerator_row)


@formula(unit="share", symbol="sigma_0", source=FIT, when=inference)
def speed_error_estimated(
    speed_error_class, speed_error_of_accelerator, serving_error_pcie, tensor_parallel, nvlink_domain
):
    """The widest that applies; ranks that reduce over PCIe were measured least."""
    known = maximum(speed_error_class, speed_error_of_accelerator)
    return where(at_most(tensor_parallel, nvlink_domain), known, maximum(known, serving_error_pcie))


@formula(unit="share", symbol="sigma", source=FIT, when=inference & ~measured_point)
def speed_error(speed_error_estimated):
    """Nothing was measured on the user's own server."""
    return speed_error_estimated + 0


@formula(unit="share", symbol="sigma", source=FIT, when=serving & measured_point, name="speed_error")
def speed_error_near_point(
    accelerator,
    measured_accelerator,
    batch_at_peak,
    measured_concurrency,
    measured_point_error,
    speed_error_estimated,
):
    """A measured point narrows the range, the more the nearer its load; on other accelerators it tells nothing."""
    near = sqrt(nearness(batch_at_peak, measured_concurrency))
    variance = near * measured_point_error * measured_point_error
    variance = variance + (1 - near) * speed_error_estimated * speed_error_estimated
    return where(equals(accelerator, measured_accelerator), sqrt(variance), speed_error_estimated)


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


@formula(unit="share", symbol="r_m", source=FIT, when=serving & measured_point)
def step_correction(
    accelerator,
    measured_accelerator,
    measured_tpot_s,
    estimated_tpot_at_point_s,
    estimated_interference_at_point_s,
    step_correction_least,
):
    """Measured step over the estimated one at the same load; other accelerators keep their estimate."""
    step = estimated_tpot_at_point_s - estimated_interference_at_point_s
    ratio = maximum(step_correction_least, (measured_tpot_s - estimated_interference_at_point_s) / step)
    return where(equals(accelerator, measured_accelerator), ratio, 1)
