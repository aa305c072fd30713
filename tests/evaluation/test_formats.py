"""Bytes of a trained parameter by optimizer and number format, by hand."""

from __future__ import annotations

import pytest

from tests.questions.answers import answered

GIB = 2**30
PARAMETERS = 8030261248  # Llama-3.1-8B
ONE_REPLICA = {
    "model": "llama-3.1-8b",
    "job": "pretraining",
    "stack": "megatron",
    "layout": {"tp": 1, "pp": 1, "zero": 0, "micro_batch": 1, "recompute": "full"},
    "hardware": {"accelerator": "h200-sxm", "count": 8},
}
OPTIMIZERS = [  # moments in bytes a parameter: two fp32 numbers, two bf16, two of 8 bits with a scale for 256, one, none
    ("adamw", 8),
    ("adamw-bf16", 4),
    ("adamw-8bit", 2 * 1.015625),
    ("lion", 4),
    ("sgd", 0),
    ("sgd-momentum", 4),
    ("adafactor", 0.02),
    ("muon", 4.6),
]


def states(**keys) -> dict[str, float]:
    names = ("weights_per_gpu_gib", "gradients_per_gpu_gib", "optimizer_per_gpu_gib", "offloaded_states_gib", "peak_tflops")
    found = answered({**ONE_REPLICA, **keys}, *names)[2]
    return {name: found[name] * (GIB / PARAMETERS if name.endswith("gib") else 1) for name in names}


@pytest.mark.parametrize(("optimizer", "moments"), OPTIMIZERS)
def test_optimizers_in_mixed_precision(optimizer: str, moments: float) -> None:
    found = states(optimizer=optimizer)
    assert found["weights_per_gpu_gib"] == pytest.approx(2)
    assert found["gradients_per_gpu_gib"] == pytest.approx(4)
    assert found["optimizer_per_gpu_gib"] == pytest.approx(4 + moments, rel=1e-6)  # fp32 master copy


@pytest.mark.parametrize(("optimizer", "moments"), [("paged-adamw", 8), ("paged-adamw-8bit", 2 * 1.015625)])
def test_paged_moments_may_stand_in_host_memory(optimizer: str, moments: float) -> None:
    found = states(optimizer=optimizer)
    assert found["optimizer_per_gpu_gib"] == 0
    assert found["offloaded_states_gib"] >= 4 + moments


@pytest.mark.parametrize(
    ("precision", "weights", "optimizer", "peak"),
    [
        ("bf16", 2, 12, 989),
        ("fp16", 2, 12, 989),
        ("fp8", 2, 12, 1979),  # weights stay in 16 bits
        ("tf32", 4, 8, 494),  # weights are their own master
        ("fp32", 4, 8, 67),
        ({"compute": "bf16", "master": "none"}, 2, 8, 989),  # pure bf16 with fp32 moments
        ({"compute": "bf16", "master": "none", "moments": "bf16"}, 2, 4, 989),
        ({"compute": "bf16", "moments": "fp8"}, 2, 6, 989),
    ],
)
def test_precisions(precision, weights: float, optimizer: float, peak: float) -> None:
    found = states(precision=precision, gradient_precision="fp32")
    assert found["weights_per_gpu_gib"] == pytest.approx(weights)
    assert found["optimizer_per_gpu_gib"] == pytest.approx(optimizer)
    assert found["peak_tflops"] == pytest.approx(peak, rel=0.01)


@pytest.mark.parametrize(("format", "size"), [("fp32", 4), ("bf16", 2), ("none", 0)])
def test_gradients(format: str, size: float) -> None:
    assert states(gradient_precision=format)["gradients_per_gpu_gib"] == pytest.approx(size)


def test_fp4_runs_at_its_own_peak_where_the_card_has_it() -> None:
    hardware = {"accelerator": "b200-sxm", "count": 8}
    four, eight = (states(precision=word, hardware=hardware)["peak_tflops"] for word in ("nvfp4", "fp8"))
    assert four > 1.5 * eight


def test_losses_keep_fewer_logits_the_more_they_fuse() -> None:
    order = ("fused-linear", "chunked", "fused", "standard")
    sizes = [answered({**ONE_REPLICA, "stack": "hf", "cross_entropy": word}, "logits_gib")[2]["logits_gib"] for word in order]
    assert sizes == sorted(sizes) and sizes[0] < sizes[-1] / 4
