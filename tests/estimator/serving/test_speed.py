"""Speed of one replica: measured points, limits and monotony."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.estimator.serving.quantities import evaluate

TWO = {"weight_bytes_per_parameter": 2.0, "key_value_bytes": 2.0, "compute_precision": "bf16"}


def test_one_measured_point():
    """Llama-3.1-70B fp8, 4 x H100, 1,024 in and out, 32 users, vLLM: TPOT 16.5 ms, TTFT 175 ms (InferenceX sample)."""
    values = evaluate("llama-3.1-70b", "h100", prompt_tokens=0.9 * 1024, answer_tokens=0.9 * 1024)
    assert values["tpot_at_limit_s"] == pytest.approx(16.5e-3, rel=0.2)
    assert values["ttft_at_limit_s"] == pytest.approx(0.175, rel=0.5)


def test_a_step_by_hand():
    """70B fp8 on 4 x H100, 32 requests of 1,536 tokens."""
    values = evaluate("llama-3.1-70b", "h100")
    bandwidth = 3350e9 * 0.847
    assert values["layers_time_s"] == pytest.approx(80 * 45.1e-6)
    assert values["weight_read_s"] == pytest.approx((72.655e9 - 2.1013e9) / 4 / bandwidth, rel=1e-3)
    assert values["key_value_read_s"] == pytest.approx(32 * 1536 * 163_840 / 4 / bandwidth)
    assert values["step_compute_s"] == pytest.approx(2 * 69.503e9 * 32 / 4 / (1979e12 * 0.491), rel=1e-3)
    reduction = 15.5e-6 + 2 * 3 / 4 * 32 * 8192 * 2 / (0.436 * 450e9)
    assert values["step_all_reduce_s"] == pytest.approx(2 * 80 * reduction)
    parts = ("layers_time_s", "weight_read_s", "key_value_read_s", "step_all_reduce_s")
    assert values["decode_step_s"] == pytest.approx(sum(values[part] for part in parts))


@pytest.mark.parametrize(("tokens", "experts"), [(1.0, 8), (8.0, 57), (32.0, 163), (128.0, 252)])
def test_experts_that_a_batch_touches(tokens, experts):
    """DeepSeek-V3: 8 of 256 a token."""
    share = evaluate("deepseek-v3", "h200", tensor_parallel=8.0, batch_per_replica=tokens)["experts_read_share"]
    assert 256 * share == pytest.approx(experts, abs=0.6)


def test_one_rank_needs_no_reduction():
    values = evaluate("llama-3.1-8b", "h100", tensor_parallel=1.0)
    assert values["step_all_reduce_s"] == 0 and values["prefill_all_reduce_s"] == 0


def test_pcie_makes_long_messages_slow():
    fast = evaluate("llama-3.1-70b", "h100")["prefill_all_reduce_s"]
    slow = evaluate("llama-3.1-70b", "l40s")["prefill_all_reduce_s"]
    assert slow > 15 * fast


def test_compute_takes_over_at_large_batches():
    """Linear layers are compute-bound beyond F b / (2 W) x MFU / MBU tokens: about 171 in fp8 on H100."""
    values = evaluate("llama-3.1-70b", "h100", batch_per_replica=np.array([100.0, 300.0]))
    assert values["step_compute_s"][0] < values["weight_read_s"] < values["step_compute_s"][1]


def test_cached_prompts_are_not_read_again():
    cold = evaluate("llama-3.1-70b", "h100", prompt_tokens=10_000.0)
    warm = evaluate("llama-3.1-70b", "h100", prompt_tokens=10_000.0, prefix_hit=0.9)
    assert warm["prompt_tokens_read"] == pytest.approx(1000)
    assert 5 < cold["prefill_s"] / warm["prefill_s"] < 11
    assert warm["key_value_read_s"] == cold["key_value_read_s"]
    assert evaluate("llama-3.1-70b", "h100", prefix_hit=1.0)["prompt_tokens_read"] == 1


def test_attention_overtakes_linear_layers_at_very_long_prompts():
    """Around 110,000 tokens for 70B, if both run at the same precision."""
    values = evaluate("llama-3.1-70b", "h100", prompt_tokens=106_000.0, **TWO)
    assert values["prefill_attention_s"] == pytest.approx(values["prefill_compute_s"], rel=0.05)


def test_rate_obeys_littles_law_with_its_wait():
    values = evaluate("llama-3.1-70b", "h100", batch_per_replica=64.0)
    rate, prefill, spread = values["replica_rate_estimated"], values["prefill_s"], 0.7
    load = rate * prefill
    wait = load * prefill * (1 + spread**2) / (2 * (1 - load))
    assert rate * (values["unqueued_request_s"] + wait) == pytest.approx(64.0)


def test_tpot_leaves_out_the_first_token():
    values = evaluate("llama-3.1-70b", "h100", answer_tokens=1.0)
    first = values["engine_ttft_offset_s"] + values["prefill_s"] + values["decode_step_s"] / 2
    assert values["unqueued_request_s"] == pytest.approx(first)


@settings(max_examples=60, deadline=None)
@given(
    batch=st.floats(1, 512),
    prompt=st.floats(1, 30_000),
    answer=st.floats(1, 4_000),
    ranks=st.sampled_from([1.0, 2.0, 4.0, 8.0]),
    name=st.sampled_from(["llama-3.1-8b", "llama-3.1-70b", "deepseek-v3"]),
)
def test_monotony(batch, prompt, answer, ranks, name):
    """More of anything is never faster; a longer answer only dilutes the prompts of others."""
    inputs = {"tensor_parallel": ranks, "batch_per_replica": batch, "prompt_tokens": prompt, "answer_tokens": answer}
    values = evaluate(name, "h200", **inputs)
    busier = evaluate(name, "h200", **{**inputs, "batch_per_replica": batch * 1.5})
    longer = evaluate(name, "h200", **{**inputs, "prompt_tokens": prompt * 1.5})
    heavier = evaluate(name, "h200", **inputs, weight_bytes_per_parameter=2.0)
    for other in (busier, longer, heavier):
        assert other["decode_step_s"] >= values["decode_step_s"] * (1 - 1e-12)
        assert other["tpot_at_limit_s"] >= values["tpot_at_limit_s"] * (1 - 1e-12)
    assert longer["prefill_s"] >= values["prefill_s"] * (1 - 1e-12)
    assert busier["replica_rate_estimated"] >= values["replica_rate_estimated"] * (1 - 1e-9)
    assert 0 < values["prefill_load_at_limit"] < 1
    assert values["ttft_at_limit_s"] > values["prefill_s"]


def test_bands_enclose_the_estimate():
    dense, experts = evaluate("llama-3.1-70b", "h100"), evaluate("deepseek-v3", "h200", tensor_parallel=8.0)
    for values in (dense, experts):
        assert values["tpot_s_p10"] < values["tpot_s"] < values["tpot_s_p90"]
        assert values["ttft_s_p10"] < values["ttft_s"] < values["ttft_s_p90"]
    assert dense["speed_error"] < experts["speed_error"] < evaluate("llama-3.1-70b", "l40s")["speed_error"]
    assert evaluate("llama-3.1-70b", "l40s", tensor_parallel=1.0)["speed_error"] == dense["speed_error"]
