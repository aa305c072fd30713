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


BY_HAND = {  # round numbers, so that a new fit changes no expectation
    "decode_bandwidth_utilization": 0.8, "cache_bandwidth_utilization": 0.5, "compute_utilization_8bit": 0.5,
    "prefill_compute_utilization": 0.5, "attention_compute_utilization": 0.5, "activation_passes": 20.0,
    "all_reduce_latency": 10e-6, "all_reduce_bus_share": 0.5, "decode_layer_time": 30e-6,
    "decode_quantized_layer_time": 20e-6, "decode_request_time": 5e-6,
    "prefill_interference_share": 0.8,
}  # fmt: skip


def test_a_step_by_hand():
    """70B fp8 on 4 x H100, 32 requests of 1,536 tokens."""
    values = evaluate("llama-3.1-70b", "h100", **BY_HAND)
    assert values["layers_time_s"] == pytest.approx(80 * 50e-6 + 160 * 10e-6)
    assert values["weight_read_s"] == pytest.approx((72.655e9 - 2.1013e9) / 4 / (3350e9 * 0.8), rel=1e-3)
    assert values["key_value_read_s"] == pytest.approx(32 * 1536 * 163_840 / 4 / (3350e9 * 0.5))
    assert values["step_compute_s"] == pytest.approx(2 * 69.503e9 * 32 / 4 / (1979e12 * 0.5), rel=1e-3)
    assert values["step_activations_s"] == pytest.approx(32 * 20 * 80 * 8192 * 2 / 3350e9)
    assert values["step_all_reduce_s"] == pytest.approx(160 * 2 * 3 / 4 * 32 * 8192 * 2 / (0.5 * 450e9))
    products = np.hypot(values["weight_read_s"], values["step_compute_s"])
    parts = ("layers_time_s", "step_activations_s", "key_value_read_s", "step_all_reduce_s")
    assert values["decode_step_s"] == pytest.approx(products + sum(values[part] for part in parts) + 32 * 5e-6)


def test_a_prompt_by_hand():
    """1,024 tokens of 70B fp8 on 4 x H100: products, attention, activations, reductions."""
    values = evaluate("llama-3.1-70b", "h100", **BY_HAND)
    assert values["prefill_compute_s"] == pytest.approx(1024 * 2 * 69.503e9 / 4 / (1979e12 * 0.5), rel=1e-3)
    pairs = 80 * 1024 * 512
    assert values["prefill_attention_s"] == pytest.approx(2 * pairs * 64 * 256 / 4 / (989e12 * 0.5))
    assert values["prefill_activations_s"] == pytest.approx(1024 * 20 * 80 * 8192 * 2 / 3350e9)
    assert values["prefill_all_reduce_s"] == pytest.approx(160 * 1.5 * 1024 * 8192 * 2 / (0.5 * 450e9))
    assert values["prefill_launch_s"] == pytest.approx(80 * 12 * 38e-6)
    assert values["prefill_s"] == pytest.approx(max(values["prefill_work_s"], values["prefill_launch_s"]))


def test_interference_by_hand():
    """31 other prompts are read while 1,024 tokens are written; an answer feels 80 % of it."""
    values = evaluate("llama-3.1-70b", "h100", **BY_HAND)
    expected = 0.8 * 31 / 1024 * values["prefill_work_s"]
    assert values["tpot_at_limit_s"] == pytest.approx(values["decode_step_s"] + expected)


def test_a_step_tends_to_its_limits():
    """One request: the bandwidth. Very many: the compute."""
    none = {key: 1e-12 for key in ("decode_layer_time", "decode_quantized_layer_time", "decode_request_time",
                                   "all_reduce_latency", "activation_passes")}  # fmt: skip
    one = evaluate("llama-3.1-70b", "h200", tensor_parallel=1.0, batch_per_replica=1.0, prompt_tokens=1.0, answer_tokens=1.0, **none)
    assert one["decode_step_s"] == pytest.approx(one["weight_read_s"], rel=0.01)
    many = evaluate("llama-3.1-70b", "h200", tensor_parallel=1.0, batch_per_replica=20_000.0, prompt_tokens=1.0, answer_tokens=1.0, **none)
    assert many["decode_step_s"] == pytest.approx(many["step_compute_s"], rel=0.02)


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
    same = {**TWO, "prefill_compute_utilization": 0.5, "attention_compute_utilization": 0.5}
    values = evaluate("llama-3.1-70b", "h100", prompt_tokens=106_000.0, **same)
    assert values["prefill_attention_s"] == pytest.approx(values["prefill_compute_s"], rel=0.05)


def test_rate_obeys_littles_law_with_its_wait():
    values = evaluate("llama-3.1-70b", "h100", batch_per_replica=64.0)
    rate, prefill, spread = values["replica_rate_estimated"], values["prefill_service_s"], 0.7
    load = rate * prefill
    wait = load * prefill * (1 + spread**2) / (2 * (1 - load))
    assert rate * (values["unqueued_request_s"] + wait) == pytest.approx(64.0)


def test_tpot_leaves_out_the_first_token():
    values = evaluate("llama-3.1-70b", "h100", answer_tokens=1.0)
    first = values["engine_ttft_offset_s"] + values["prefill_s"] + 1.5 * values["decode_step_s"]
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
    over_pcie = evaluate("llama-3.1-70b", "l40s")["speed_error"]
    assert over_pcie > max(dense["speed_error"], experts["speed_error"])
    assert evaluate("llama-3.1-70b", "l40s", tensor_parallel=1.0)["speed_error"] == dense["speed_error"]
    unseen = evaluate("llama-3.1-70b", "h100", speed_error_of_accelerator=0.4)
    assert unseen["speed_error"] == 0.4


@pytest.mark.parametrize("changed", ["memory_bandwidth_gb_s", "serving_peak_tflops", "link_gb_s"])
@pytest.mark.parametrize("name", ["llama-3.1-70b", "deepseek-v3"])
def test_better_hardware_is_never_slower(name, changed):
    base = evaluate(name, "h200", tensor_parallel=8.0)
    better = evaluate(name, "h200", tensor_parallel=8.0, **{changed: 1.5 * dict(HARDWARE_NAMES)[changed]})
    for quantity in ("decode_step_s", "tpot_at_limit_s", "prefill_s", "ttft_at_limit_s"):
        assert better[quantity] <= base[quantity] * (1 + 1e-12)


HARDWARE_NAMES = (("memory_bandwidth_gb_s", 4800.0), ("serving_peak_tflops", 1979.0), ("link_gb_s", 450.0))
DRAFTED = frozenset({"serving", "latency_objectives", "fabric", "speculative"})


def test_drafted_tokens_gain_while_steps_wait_for_memory():
    """Three drafts of which 70 % are right yield 2.53 tokens a step; one user gains most of it, many users little."""
    drafts = {"draft_tokens": 3.0, "draft_acceptance": 0.7}
    values = {batch: evaluate("llama-3.1-70b", "h200", DRAFTED, batch_per_replica=batch, **drafts) for batch in (1.0, 1024.0)}
    assert values[1.0]["accepted_tokens_per_step"] == pytest.approx(1 + 0.7 + 0.49 + 0.343)
    plain = {batch: evaluate("llama-3.1-70b", "h200", batch_per_replica=batch)["decode_step_s"] for batch in (1.0, 1024.0)}
    drafted = {batch: found["tpot_at_limit_s"] - found["prefill_interference_s"] for batch, found in values.items()}
    assert 1.8 < plain[1.0] / drafted[1.0] < 2.53
    assert plain[1024.0] / drafted[1024.0] < 1.2


GROUPS = frozenset({"serving", "latency_objectives", "fabric", "attention_data_parallel"})


def test_groups_share_the_requests_and_not_the_heads():
    """DeepSeek-V3 on 8 GPUs in 8 groups: eight times the cache, attention and shared experts eight times, experts once."""
    whole = evaluate("deepseek-v3", "h200", tensor_parallel=8.0, batch_per_replica=256.0)
    groups = evaluate("deepseek-v3", "h200", GROUPS, tensor_parallel=8.0, batch_per_replica=256.0, attention_data_parallel=8.0)
    assert groups["key_value_shards"] == 8 * whole["key_value_shards"]
    assert groups["weights_per_gpu_gib"] > whole["weights_per_gpu_gib"]
    assert groups["reduce_latency_s"] == pytest.approx(whole["reduce_latency_s"] * 58 / 61)
    assert groups["step_compute_s"] == whole["step_compute_s"]
    one = evaluate("deepseek-v3", "h200", GROUPS, tensor_parallel=8.0, batch_per_replica=256.0, attention_data_parallel=1.0)
    for quantity in ("key_value_shards", "weights_per_gpu_gib", "weight_read_s", "step_activations_s", "prefill_compute_s"):
        assert one[quantity] == pytest.approx(whole[quantity])
