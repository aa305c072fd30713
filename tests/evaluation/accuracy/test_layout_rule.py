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


COMPILED = {"level": "megatron", "sharded": True, "whole_step_compiled": True, "memory_gib": 95.0, "domain": 1.0}
MAXTEXT = [  # MaxText on TPU v5p, its weak-scaling table: parameters, layers, width, GPUs
    (32e9, 32, 8192, 128), (128e9, 64, 8192, 256), (512e9, 128, 16384, 1024),
]  # fmt: skip


def test_a_compiler_recomputes_what_finds_no_room() -> None:
    shares = []
    for parameters, layers, width, gpus in MAXTEXT:
        kept = layers * (20 + 24) * width
        layout = completed_layout(job(parameters, layers, 64, gpus, activation_bytes=kept, **COMPILED), {"micro_batch": 4.0})
        shares.append(layout["recomputed_share"])
        room = 0.75 * 95 * 2**30 - 16 * parameters / gpus
        assert (1 - shares[-1]) * kept * 4 * 2048 == pytest.approx(room, rel=0.01) or shares[-1] == 0
    assert 0 <= shares[0] < 0.3 and shares == sorted(shares) and 0.8 < shares[-1] < 1


def test_an_optimizer_in_host_memory_means_that_memory_is_short() -> None:
    facts = {"level": "fused", "sharded": True, "memory_gib": 141.0, "sequence_length": 8192.0}
    with_room, short = (completed_layout(job(8e9, 32, 32, 8, optimizer_on_host=host, **facts), {}) for host in (False, True))
    assert (with_room["recomputed_share"], short["recomputed_share"]) == (0, 1)
    assert with_room["micro_batch"] > short["micro_batch"] == 1


@pytest.mark.parametrize(
    ("stack", "year", "family", "old"),
    [
        ("torchtitan", 2025.2, "hopper", True),  # FlashAttention-2 there: 35 % of an H100, 70 % of an A100 (arXiv:2407.08608)
        ("torchtitan", 2025.2, "ampere", False),
        ("deepspeed", 2026.3, "hopper", False),
        ("megatron", 2024.2, "hopper", True),
        ("nemo", 2023.8, "hopper", False),
        ("torchtitan", None, "hopper", False),
    ],
)
def test_kernels_written_for_older_hardware(stack: str, year: float | None, family: str, old: bool) -> None:
    factor = software_inputs(stack, year, "full", family=family)["attention_kernel_factor"]
    assert factor == (2.0 if old else 1.0)


def test_first_kernels_of_fused_attention_were_slow_everywhere() -> None:
    ampere, hopper = (
        software_inputs("llm-foundry", 2023.8, "full", family=family)["attention_kernel_factor"]
        for family in ("ampere", "hopper")
    )
    assert 1.5 < ampere < 3 and hopper == 2 * ampere
