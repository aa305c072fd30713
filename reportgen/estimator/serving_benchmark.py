"""What a benchmark with a fixed number of users measures, which all start together: for the accuracy report, not for plans."""

from reportgen.estimator.structure import published_methods, serving
from reportgen.formula import formula

benchmark = serving & published_methods


@formula(unit="s", symbol="TTFT_b", source="serving-fit", when=benchmark)
def benchmark_ttft_s(
    engine_ttft_offset_s,
    prefill_work_s,
    benchmark_burst_slope,
    benchmark_users,
    attention_tensor_parallel,
    tensor_parallel,
    prefill_s,
    engine_first_token_steps,
    decode_step_s,
):
    """Mean time to the first token: all users ask at once in the first of about ten rounds, and some collide later."""
    others = (benchmark_users - 1) * attention_tensor_parallel / tensor_parallel
    crowded = prefill_s * (1 + benchmark_burst_slope * others)
    return engine_ttft_offset_s + crowded + engine_first_token_steps * decode_step_s
