"""Offloading to host memory: searched where it is allowed, listed where it is not, bounded by the memory of the server."""

from __future__ import annotations

import pytest

from tests.estimator.training.cases import estimate
from tests.estimator.training.shapes import SHAPES
from tests.evaluation.conftest import result_of
from tests.evaluation.test_objectives import told

SEVENTY = {"model": "llama-3.1-70b", "hardware": {"accelerator": "a100-sxm-80gb", "count": 8}}


def chosen(result, name: str) -> float:
    block = result.layouts[0]
    return block.columns[name][block.chosen]


def test_nothing_is_offloaded_unasked_and_the_way_is_named() -> None:
    result = result_of(**SEVENTY)
    block = result.layouts[0]
    assert not block.feasible and chosen(result, "offload_level") == 0
    assert max(block.columns["offload_level"]) > 0, "the layout that would do stands in the list"
    way = told(result, "fit_optimizer_on_host")
    assert way.values["memory_per_gpu_gib"] <= way.values["memory_usable_gib"]


def test_auto_offloads_as_little_as_it_takes() -> None:
    result = result_of(**SEVENTY, layout={"offload": "auto"})
    assert result.layouts[0].feasible and chosen(result, "offload_level") == 1
    assert result.value("host_memory_per_node_gib") > 70e9 * 12 / 2**30
    assert told(result, "warning_offloaded_optimizer") and told(result, "remark_smallest_on_gpus").values["gpus"] > 8
    plain = result_of(model="qwen3-8b", hardware={"accelerator": "h100-sxm", "count": 8}, layout={"offload": "auto"})
    assert chosen(plain, "offload_level") == 0


def test_the_smallest_size_at_all_counts_host_memory_where_it_is_allowed() -> None:
    job = {"model": "llama-3.1-70b", "hardware": {"accelerators": ["a100-sxm-80gb"]}, "objective": "smallest"}
    on_gpus, anywhere = result_of(**job), result_of(**job, layout={"offload": "auto"})
    assert anywhere.value("gpus") < on_gpus.value("gpus")
    assert anywhere.value("gpus") == told(on_gpus, "remark_smallest_offloaded").values["gpus"]


def test_a_host_that_is_too_small_is_no_way_out() -> None:
    """70B in ZeRO-3 with everything offloaded needs far more than the 768 GB of a server for RTX 4090."""
    hardware = {"accelerator": "rtx-4090", "count": 8}
    result = result_of(model="llama-3.1-70b", hardware=hardware, layout={"offload": "auto"})
    assert not result.layouts[0].feasible
    asked = result_of(model="llama-3.1-70b", hardware=hardware, layout={"offload": "parameters"})
    short = told(asked, "warning_host_memory_short").values
    assert short["offloaded_per_node_gib"] > short["host_memory_room_gib"] > 0


@pytest.mark.parametrize("shape", ["llama", "mixtral"])
def test_each_level_frees_the_gpu_and_costs_time(shape: str) -> None:
    found = [estimate(SHAPES[shape], offload_level=level, zero_stage=3.0, full_recomputation=1.0) for level in (0.0, 1.0, 2.0, 3.0)]
    memory = [item["memory_per_gpu_gib"] for item in found]
    seconds = [item["seconds_per_token_per_gpu"] for item in found]
    assert memory == sorted(memory, reverse=True) and memory[-1] < memory[0]
    assert seconds == sorted(seconds) and seconds[2] > seconds[1] > seconds[0]


def test_long_sequences_are_split_before_anything_is_offloaded() -> None:
    """Plain PyTorch stacks have context parallelism too: 128k tokens fit one server by it."""
    hardware = {"accelerator": "h800-sxm", "count": 8}
    result = result_of(model="llama-3.1-8b", sequence_length=131072, hardware=hardware, layout={"offload": "auto"})
    assert result.layouts[0].feasible and chosen(result, "offload_level") == 0 and chosen(result, "tensor_parallel") == 1
    assert next(item.value for item in result.inputs if item.key == "context_parallel") > 1


def test_every_copy_of_the_model_waits_on_the_host() -> None:
    """A model that learns and its frozen copy; each group that shares states has its own."""
    hardware = {"accelerator": "a100-sxm-80gb", "count": 16}
    keys = {"model": "llama-3.1-70b", "hardware": hardware, "layout": {"offload": "parameters"}}
    alone = result_of(**keys).value("offloaded_weights_gib")
    pair = result_of(**keys, job="preference-tuning", data={"samples": 10000, "length": 400}, method="full")
    assert pair.value("offloaded_weights_gib") == pytest.approx(alone * 2), "16 bits of the one that learns and of the frozen one"
    grouped = {**keys, "layout": {"offload": "optimizer", "zero": 3, "sharding_group": 8}}
    assert result_of(**grouped).value("host_copies") == 2


def test_a_missed_deadline_is_no_lack_of_memory() -> None:
    result = result_of(**SEVENTY, layout={"offload": "auto"}, deadline="1 hour")
    block = result.layouts[0]
    assert not block.feasible and chosen(result, "memory_fits") == 1 and chosen(result, "in_time") == 0


def test_the_order_holds_what_waits() -> None:
    result = result_of(model="llama-3.1-8b", hardware={"accelerator": "rtx-4090", "count": 1}, layout={"offload": "auto"})
    assert chosen(result, "offload_level") == 2
    assert result.value("specified_host_memory_gb") * 1e9 >= result.value("host_memory_per_node_gib") * 2**30


def test_weights_wait_only_where_states_are_split_and_host_memory_is_named_when_it_lacks() -> None:
    fixed = result_of(**SEVENTY, layout={"offload": "auto", "zero": 2})
    assert all(level < 2 for level in fixed.layouts[0].columns["offload_level"])
    asked = result_of(**SEVENTY, layout={"offload": "parameters"})
    assert chosen(asked, "zero_stage") == 3
    short = result_of(model="llama-3.1-405b", stack="deepspeed", hardware=SEVENTY["hardware"], layout={"offload": "all"})
    assert not short.layouts[0].feasible and told(short, "warning_host_memory_short")
    assert any(message.key == "reason_host_memory_short" for message in short.options[0].reasons)
