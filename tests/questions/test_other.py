"""Public questions that compare two configurations."""

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


def test_a_bare_question_is_answered_with_what_was_assumed() -> None:
    """meta-llama/llama#389 and epfLLM/Megatron-LLM#52: 16 and 32 cards for the same question, for states kept and split differently."""
    question = answered({"model": "llama-2-70b", "hardware": {"accelerators": ["a100-sxm-80gb"]}})[0]
    assumed = {item.path for item in question.scenario.assumed}
    assert {"method", "optimizer", "stack", "sequence_length", "global_batch", "gradient_precision"} <= assumed
    assert any(path.startswith("precision") for path in assumed)
