"""Piles of work: a measured rate, embedding, windows and given counts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.formula import MISSING
from tests.estimator.serving.quantities import BATCH, evaluate

MEASURED = {
    "items": 1000.0, "prompt_tokens": 1000.0, "answer_tokens": 1000.0, "window_hours": 10.0,
    "measured_prompt_share": 1.0, "measured_tokens_per_second": 25.0, "tensor_parallel": 1.0, "batch_per_replica": 1.0,
    "compute_precision": "bf16", "weight_bytes_per_parameter": 2.0, "key_value_bytes": 2.0,
    "accelerator": "rtx-4090", "measured_accelerator": "rtx-4090",
}  # fmt: skip


def test_thousand_requests_overnight():
    """1,000 requests of 1,000 characters, 2 tokens each, in 10 hours at 25 tokens a second: 2.2222, so 3 GPUs."""
    values = evaluate("qwen2.5-7b", "rtx-4090", BATCH | {"measured_rate"}, **MEASURED)
    assert values["replicas_before_rounding"] == pytest.approx(2.2222, abs=1e-4)
    assert (values["gpus"], values["replicas"], values["nodes"]) == (3, 3, 1)
    assert values["batch_hours"] == pytest.approx(2e6 / 75 / 3600)
    assert values["window_met"] == 1 and values["layout_ok"] == 1


def test_measured_rate_of_answers_alone():
    values = evaluate("qwen2.5-7b", "rtx-4090", BATCH | {"measured_rate"}, **{**MEASURED, "measured_prompt_share": 0.0})
    assert values["replicas_before_rounding"] == pytest.approx(1.1111, abs=1e-4)
    assert values["gpus"] == 2


def test_measured_rate_of_another_accelerator_leaves_the_estimate():
    apart = evaluate("qwen2.5-7b", "rtx-4090", BATCH | {"measured_rate"}, **{**MEASURED, "measured_accelerator": "l4"})
    estimated = evaluate("qwen2.5-7b", "rtx-4090", BATCH, **MEASURED)
    assert apart["replica_items_per_second"] == pytest.approx(estimated["replica_items_per_second"])


def test_measured_rate_of_embedding_counts_prompts():
    inputs = {**MEASURED, "measured_prompt_share": 0.0, "answer_tokens": 0.0}
    values = evaluate("qwen2.5-7b", "rtx-4090", BATCH | {"measured_rate"}, **inputs)
    assert values["replicas_before_rounding"] == pytest.approx(1e6 / 36_000 / 25)


def test_embedding_writes_nothing():
    values = evaluate("llama-3.1-8b", "h100", BATCH, tensor_parallel=1.0, prompt_tokens=512.0, answer_tokens=0.0)
    assert values["item_answer_s"] == 0 and values["output_tokens_per_second"] == 0
    read = values["batch_tokens_per_second"] / values["replicas"]
    assert read == pytest.approx(0.9 * 1979e12 * 0.491 / (2 * 7.5e9), rel=0.15), "limited by compute"
    assert values["batch_hours"] <= 12


def test_saturated_rate_of_a_benchmark():
    """Llama-3.3-70B fp8 on 2 x H100, 1,000 in and out, maximum throughput: 4,205 tokens a second (TensorRT-LLM 1.0)."""
    batches = np.array([64.0, 128.0, 192.0, 256.0, 384.0])
    values = evaluate(
        "llama-3.1-70b",
        "h100",
        BATCH,
        tensor_parallel=2.0,
        batch_per_replica=batches,
        prompt_tokens=1000.0,
        answer_tokens=1000.0,
    )
    rate = np.where(values["fits"] == 1, values["replica_items_estimated"] * 1000, 0).max()
    assert rate == pytest.approx(4205, rel=0.25)


def test_parts_of_a_node_and_whole_nodes():
    few = evaluate("llama-3.1-8b", "h100", BATCH, tensor_parallel=1.0, items=1e5)
    many = evaluate("llama-3.1-8b", "h100", BATCH, tensor_parallel=1.0, items=1e8)
    assert few["gpus"] == few["replicas_working"] < 8 and few["nodes"] == 1
    assert many["gpus"] == many["nodes"] * 8 == many["replicas"] > 8
    for values in (few, many):
        assert values["batch_hours"] <= 12 and values["window_met"] == 1
        assert values["batch_hours_p10"] < values["batch_hours"] < values["batch_hours_p90"]


def test_given_count_may_miss_the_window():
    values = evaluate(
        "llama-3.1-8b", "h100", BATCH, tensor_parallel=1.0, items=1e8, fixed_gpu_count=np.array([1.0, 1000.0])
    )
    assert values["window_met"].tolist() == [0, 1]
    assert values["layout_ok"].tolist() == [1, 1]
    assert values["batch_hours"][0] == pytest.approx(values["batch_hours"][1] * 1000)


def test_too_few_for_one_copy():
    values = evaluate("llama-3.1-70b", "h100", BATCH, tensor_parallel=4.0, fixed_gpu_count=2.0)
    assert values["layout_ok"] == 0 and values["window_met"] == 0
    assert np.isnan(values["batch_hours"]) and values["layout_rank"] >= 1e9


def test_without_a_window_one_replica_takes_its_time():
    values = evaluate("llama-3.1-8b", "h100", BATCH, tensor_parallel=1.0, items=1e8, window_hours=MISSING)
    assert (values["replicas"], values["gpus"], values["window_met"]) == (1, 1, 1)
    assert values["layout_rank"] < 1e9


def test_larger_batches_are_quicker_and_preferred():
    values = evaluate(
        "llama-3.1-8b",
        "h100",
        BATCH,
        tensor_parallel=1.0,
        items=1e7,
        fixed_gpu_count=8.0,
        batch_per_replica=np.array([1.0, 16.0, 128.0]),
    )
    assert (np.diff(values["batch_hours"]) < 0).all()
    assert (np.diff(values["layout_rank"]) < 0).all()


@settings(max_examples=40, deadline=None)
@given(items=st.floats(1, 1e9), window=st.floats(0.1, 1000), factor=st.floats(1.01, 4))
def test_monotony(items, window, factor):
    base = evaluate("llama-3.1-8b", "h100", BATCH, tensor_parallel=1.0, items=items, window_hours=window)
    more = evaluate("llama-3.1-8b", "h100", BATCH, tensor_parallel=1.0, items=items * factor, window_hours=window)
    longer = evaluate("llama-3.1-8b", "h100", BATCH, tensor_parallel=1.0, items=items, window_hours=window * factor)
    assert more["gpus"] >= base["gpus"] >= longer["gpus"]
    for values in (base, more, longer):
        assert values["batch_hours"] <= values["window_hours"] * (1 + 1e-9)
        assert values["window_met"] == 1
