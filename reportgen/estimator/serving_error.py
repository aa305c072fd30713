"""The estimate's own error, by what held-out models showed: one figure for a token and a rate, one for the first token."""

from reportgen.estimator.structure import dense, inference, mixture_of_experts, serving
from reportgen.formula import at_most, equals, exp, formula, maximum, pick, where

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


@formula(unit="share", symbol="sigma", source=FIT, when=inference)
def speed_error(speed_error_class, speed_error_of_accelerator, serving_error_pcie, tensor_parallel, nvlink_domain):
    """The widest that applies; ranks that reduce over PCIe were measured least."""
    known = maximum(speed_error_class, speed_error_of_accelerator)
    return where(at_most(tensor_parallel, nvlink_domain), known, maximum(known, serving_error_pcie))


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
