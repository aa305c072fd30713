"""Layouts by rule against layouts that were published, and the words of stacks."""

from __future__ import annotations

import pytest

from reportgen.catalog.step_constants import software_inputs, software_level
from reportgen.evaluation.layout_rule import Job, completed_layout
from reportgen.scenario.training_keys import STACKS

A100 = {"memory_gib": 79.15, "domain": 8.0}


def job(parameters: float, layers: float, heads: float, gpus: float, **changes) -> Job:
    facts = {
        "experts": 0,
        "sequence_length": 2048.0,
        "level": "early",
        "full": True,
        "sharded": False,
        **A100,
        **changes,
    }
    return Job(parameters=parameters, layers=layers, attention_heads=heads, gpus=gpus, **facts)


NARAYANAN = [  # arXiv:2104.04473 table 1: parameters, layers, heads, GPUs, tensor and pipeline parallel
    (1.7e9, 24, 24, 32, 1, 1),
    (3.6e9, 30, 32, 64, 2, 1),
    (7.5e9, 36, 32, 128, 4, 1),
    (18.4e9, 40, 48, 256, 8, 1),
    (39.1e9, 48, 64, 512, 8, 2),
    (76.1e9, 60, 80, 1024, 8, 4),
    (145.6e9, 80, 96, 1536, 8, 8),
    (310.1e9, 96, 128, 1920, 8, 16),
    (1008e9, 128, 160, 3072, 8, 64),
]


@pytest.mark.parametrize("case", NARAYANAN, ids=lambda case: f"{case[0]:.3g}")
def test_published_degrees(case) -> None:
    parameters, layers, heads, gpus, tensor, pipeline = case
    layout = completed_layout(job(parameters, layers, heads, gpus), {})
    assert (layout["tensor_parallel"], layout["pipeline_parallel"]) == (tensor, pipeline)


def test_what_is_stated_stays() -> None:
    known = {
        "tensor_parallel": 2.0,
        "pipeline_parallel": 3.0,
        "micro_batch": 4.0,
        "global_batch": 96.0,
        "recomputed_share": 0.5,
    }
    layout = completed_layout(job(13e9, 40, 40, 48), known)
    assert {name: layout[name] for name in known} == known


def test_sharded_stacks_split_no_layer() -> None:
    layout = completed_layout(job(70e9, 80, 64, 128, level="fused", sharded=True), {})
    assert (layout["tensor_parallel"], layout["pipeline_parallel"], layout["zero_stage"]) == (1, 1, 3)
    assert layout["recomputed_share"] == 1


def test_batch_and_steps_tell_the_replica() -> None:
    """GPT-3 on 10,752 GPUs with a batch of 2,688 in 8 steps: replicas of 32 GPUs."""
    found = job(175e9, 96, 96, 10752, level="tuned", memory_gib=79.6)
    layout = completed_layout(found, {"global_batch": 2688.0, "micro_batches": 8.0})
    assert layout["tensor_parallel"] * layout["pipeline_parallel"] == 32
    assert layout["micro_batch"] == 1


@pytest.mark.parametrize("stack", STACKS)
@pytest.mark.parametrize("method", ["full", "lora", "qlora", "freeze"])
def test_every_stack_has_its_numbers(stack: str, method: str) -> None:
    assert all(value >= 0 for value in software_inputs(stack, None, method).values())


def test_old_megatron_is_a_level_of_its_own() -> None:
    assert software_level("megatron", 2022.3) == "early"
    assert software_level("megatron", 2024.5) == "megatron"
    assert software_level("hf", 2022.3) == "plain"
