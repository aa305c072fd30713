"""Public questions that compare two configurations, or ask for time."""

from __future__ import annotations

import pytest

from tests.questions.answers import answered

MEGATRON = {
    "model": "llama-2-7b",
    "job": "pretraining",
    "stack": "megatron",
    "hardware": {"accelerator": "a100-sxm-80gb", "count": 8},
}


def memory(recompute: str, attention: str) -> float:
    layout = {"tp": 4, "pp": 1, "micro_batch": 1, "recompute": recompute}
    return answered({**MEGATRON, "attention": attention, "layout": layout}, "memory_per_gpu_gib")[2]["memory_per_gpu_gib"]


def test_selective_recomputation_saves_almost_nothing_beside_flash_attention() -> None:
    """NVIDIA/Megatron-LM#1225: 25.52 to 24.94 GB."""
    assert 0.97 * memory("none", "flash") <= memory("selective", "flash") <= memory("none", "flash")
    assert memory("selective", "eager") < 0.7 * memory("none", "eager")


def test_activations_of_experts_count_what_a_token_visits() -> None:
    """NVIDIA/Megatron-LM#1784: top-k, shared experts and their width decide, not the width of the dense part."""
    layout = {"tp": 1, "pp": 1, "ep": 8, "micro_batch": 1, "recompute": "none"}
    scenario = {"job": "pretraining", "stack": "megatron", "layout": layout, "sequence_length": 4096}
    hardware = {"accelerator": "h200-sxm", "count": 64}
    found = answered({**scenario, "model": "mixtral-8x7b", "hardware": hardware}, "expert_activation_bytes", "expert_imbalance")[2]
    routed = 2 * (6 * 14336 + 4 * 4096) * found["expert_imbalance"]
    assert found["expert_activation_bytes"] == pytest.approx(routed + 4 * 8, rel=1e-9)


@pytest.mark.parametrize("gbit", [25, 100])
def test_zero_3_over_a_slow_network_is_slower_than_on_one_server(gbit: int) -> None:
    """deepspeedai/DeepSpeed#5770: 2.46 s a step on one server, 8.68 s on two."""
    seconds = []
    for count in (8, 16):
        hardware = {"accelerator": "a100-sxm-80gb", "count": count, "network": f"{gbit / 8} Gbit/s"}
        layout = {"tp": 1, "pp": 1, "zero": 3, "micro_batch": 1, "recompute": "full"}
        scenario = {"model": "qwen2-7b", "stack": "deepspeed", "layout": layout, "global_batch": count, "hardware": hardware}
        seconds.append(answered(scenario, "step_seconds")[2]["step_seconds"])
    assert seconds[1] > (1.2 if gbit == 100 else 2.5) * seconds[0]


@pytest.mark.parametrize(
    ("model", "method", "padded", "count", "hours"),
    [("llama-2-13b", "full", True, 4, 16.0), ("llama-2-70b", "qlora", False, 1, 55.85)],
)
def test_hours_of_a_published_fine_tuning(model: str, method: str, padded: bool, count: int, hours: float) -> None:
    """jondurbin/airoboros#14: 41,000 rows, lengths and epochs not stated; FastChat pads to the full length, QLoRA groups by length."""
    scenario = {
        "model": model, "method": method, "stack": "hf", "data": {"samples": 41000, "length": 600, "epochs": 3}, "packing": not padded,
        "sequence_length": 2048, "optimizer": "adamw-8bit", "precision": {"master": "none"},
        "hardware": {"accelerator": "a100-sxm-80gb", "count": count},
    }  # fmt: skip
    found = answered(scenario, "training_days")[2]["training_days"] * 24
    assert hours / 3 < found < hours * 3
