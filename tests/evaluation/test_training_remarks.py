"""What a training result says of its own numbers, and which other layouts it lists."""

from __future__ import annotations

import pytest

from reportgen.catalog.wording import wording
from reportgen.evaluation.result import Result
from reportgen.memo.compose import compose_memo
from reportgen.text.speech import Speech
from tests.evaluation.conftest import result_of


def told(result: Result, key: str):
    return next((message for message in (*result.warnings, *result.remarks) if message.key == key), None)


CASES = {
    "warning_less_than_a_step": {"data": {"tokens": 1}},
    "warning_batch_not_shared": {"global_batch": 7, "hardware": {"accelerator": "h100-sxm", "count": 64}},
    "warning_few_steps": {"data": {"tokens": 2e6}},
    "warning_few_tokens": {"data": {"tokens": 5e9}, "job": "pretraining"},
    "warning_precision_widened": {
        "precision": "fp8",
        "hardware": {"accelerators": ["h100-sxm", "a100-sxm-80gb"], "count": 8},
    },
    "warning_quantized_sharding": {
        "method": "qlora",
        "model": "llama-3.1-70b",
        "layout": {"zero": 3},
        "hardware": {"accelerator": "a100-sxm-80gb", "count": 8},
    },
    "remark_network_enough": {"hardware": {"accelerator": "h100-sxm", "count": 64}},
    "warning_tensor_parallel_unpriced": {
        "layout": {"tp": 16},
        "utilization": "30%",
        "hardware": {"accelerator": "h100-sxm", "count": 16},
    },
}


@pytest.mark.parametrize("key", CASES)
def test_is_said_in_both_languages(key: str) -> None:
    result = result_of(**CASES[key])
    message = told(result, key)
    assert message is not None
    for language in ("en", "zh"):
        assert "{" not in Speech(result, language).message(message)
        assert wording(language).has(key)
    assert compose_memo(result)


def test_an_ordinary_job_is_told_nothing_of_this() -> None:
    result = result_of(hardware={"accelerator": "h100-sxm", "count": 8})
    assert not [message.key for message in result.warnings if message.key in CASES]


def test_choices_that_were_not_stated_are_told_in_the_words_of_the_scenario() -> None:
    """meta-llama/llama#389: the number of cards is worth nothing without the optimizer, the software and the method."""
    told_of = result_of(data={"text": "5 GB"}, optimizer="lion", hardware={"accelerator": "h100-sxm", "count": 8})
    choices = told(told_of, "remark_assumed_choices").values["choices"].split(" · ")
    assert {"method full", "stack hf", "precision.master fp32", "packing true", "data.language en"} <= set(choices)
    assert not [choice for choice in choices if choice.startswith("optimizer")]
    for language in ("en", "zh"):
        assert "stack hf" in Speech(told_of, language).message(told(told_of, "remark_assumed_choices"))


def test_tensor_parallelism_across_servers_is_allowed_priced_and_warned_of() -> None:
    wide, inside = (
        result_of(model="llama-3.1-70b", hardware={"accelerator": "h100-sxm", "count": 64}, layout={"tp": degree})
        for degree in (16, 8)
    )
    assert wide.layouts[0].feasible and wide.value("tensor_parallel") == 16
    assert wide.value("training_days") > inside.value("training_days")
    assert told(wide, "warning_tensor_parallel_leaves_node").values["share"] > 0.1
    assert told(inside, "warning_tensor_parallel_leaves_node") is None


def test_a_slow_network_is_not_enough_for_zero_3_and_a_fast_one_is() -> None:
    """deepspeedai/DeepSpeed#2928: 100 Gbit/s a node are not enough for ZeRO-3 on 64 GPUs, 800 are."""
    results = {
        speed: result_of(
            model="llama-3.1-8b",
            sequence_length=2048,
            stack="deepspeed",
            layout={"zero": 3, "micro_batch": 1},
            hardware={"accelerator": "a100-sxm-80gb", "count": 64, "network": f"{speed / 8} Gbit/s"},
        )
        for speed in (100, 800, 1600)
    }
    assert told(results[100], "warning_network_too_slow").values["network_gbit_s_per_gpu"] == 12.5
    days = [results[speed].value("training_days") for speed in results]
    assert days[0] > 1.5 * days[1] > 1.5 * days[2]


def test_the_nearest_of_other_counts_is_the_fastest_that_runs() -> None:
    """A count that misses the deadline shows its fastest layout, not the leanest one."""
    result = result_of(model="llama-3.1-70b", data={"tokens": 5e9}, deadline="2 days")
    columns = result.layouts[0].columns
    chosen = columns["nodes"][result.layouts[0].chosen]
    smaller = [
        place
        for place, nodes in enumerate(columns["nodes"])
        if nodes < chosen and columns["layout_divides"][place] and columns["memory_fits"][place]
    ]
    assert smaller, "a smaller size that runs and misses the deadline is listed"
    assert all(columns["layout_divides"])


def test_a_model_that_fits_nowhere_near_names_the_fewest_gpus() -> None:
    result = result_of(model="deepseek-v3", hardware={"accelerator": "rtx-4090", "count": 1})
    message = told(result, "fit_smallest")
    assert not result.layouts[0].feasible
    assert message.values["memory_per_gpu_gib"] <= message.values["memory_usable_gib"]
    assert message.values["gpus"] > 500


def test_a_sequence_that_no_offloading_saves_fits_nowhere() -> None:
    shape = {
        "name": "wide", "layers": 2, "hidden_size": 65536, "attention_heads": 512, "intermediate_size": 4_000_000,
        "vocabulary_size": 32000, "maximum_context": 1_000_000,
    }  # fmt: skip
    result = result_of(model=shape, sequence_length=1_000_000, stack="unsloth", hardware={"accelerator": "rtx-4090", "count": 1})
    message = told(result, "fit_nowhere")
    assert message.values["memory_per_gpu_gib"] > message.values["memory_usable_gib"]


def test_tf32_runs_on_matrix_units_and_fp32_does_not() -> None:
    """NVIDIA A100: 156 TFLOP/s in tf32, 19.5 in fp32; V100 has no tf32."""
    hardware = {"accelerator": "a100-sxm-80gb", "count": 8}
    tf32, fp32 = (result_of(precision=word, hardware=hardware) for word in ("tf32", "fp32"))
    assert (tf32.value("peak_tflops"), fp32.value("peak_tflops")) == (156, 19.5)
    assert tf32.value("memory_per_gpu_gib") == pytest.approx(fp32.value("memory_per_gpu_gib"), rel=0.5)


def test_a_batch_that_keeps_more_gpus_away_is_named() -> None:
    """128 sequences and a stack that splits no layers: more replicas than sequences have nothing to do."""
    job = {"model": "llama-3.1-70b", "data": {"tokens": 9e9}, "hardware": {"accelerators": ["h800-sxm"]}}
    late = result_of(**job, deadline="1 day")
    assert told(late, "warning_batch_limits_size").values["global_batch"] == 128
    assert told(result_of(**job, deadline="1 day", global_batch=1024), "warning_batch_limits_size") is None


def test_sequences_split_by_the_search_are_told() -> None:
    hardware = {"accelerator": "h100-sxm", "count": 16}
    result = result_of(model="llama-3.1-8b", sequence_length=131072, hardware=hardware)
    degree = next(item.value for item in result.inputs if item.key == "context_parallel")
    assert told(result, "remark_sequences_split").values["gpus"] == degree > 1
    assert told(result_of(hardware=hardware), "remark_sequences_split") is None
