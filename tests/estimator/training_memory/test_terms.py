"""Every term of training memory does what its sentence says."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.formula import GIB
from tests.estimator.training.cases import estimate
from tests.estimator.training.shapes import LLAMA, METHODS, SHAPES

PARTS = ("weights", "gradients", "optimizer", "activations", "logits", "temporary", "overhead")
shapes = st.sampled_from(sorted(SHAPES))
methods = st.sampled_from(METHODS)
few = settings(max_examples=30, deadline=None)
SWITCHES = {  # quantity: from, to a value that must never need more memory
    "flash_attention": (0.0, 1.0),
    "eager_kernels": (1.0, 0.0),
    "sequence_parallel": (0.0, 1.0),
    "checkpoint_copies": (2.0, 1.0),
    "gradient_buckets": (1.0, 0.0),
    "unsplit_gradients": (1.0, 0.0),
    "changing_shapes": (1.0, 0.0),
    "update_copy_bytes": (8.0, 0.0),
    "update_temporary_bytes": (4.0, 0.0),
    "paged_optimizer": (0.0, 1.0),
    "checkpoints_on_host": (0.0, 1.0),
    "offload_level": (0.0, 1.0),
    "full_recomputation": (0.0, 1.0),
}


def total(shape: str, method: str, **changes: float) -> float:
    return estimate(SHAPES[shape], method, **changes)["memory_per_gpu_gib"]


@pytest.mark.parametrize("quantity", SWITCHES)
@few
@given(shapes, methods, st.sampled_from([0.0, 1.0, 2.0, 3.0]), st.sampled_from([1.0, 4.0]))
def test_what_saves_memory_never_needs_more(quantity, shape, method, zero, tensor):
    more, less = SWITCHES[quantity]
    layout = {"zero_stage": zero, "tensor_parallel": tensor}
    if quantity == "full_recomputation":
        layout["recomputed_layer_factor"] = 1.0
        if SHAPES[shape]["L"] < 4:
            return
    if quantity == "sequence_parallel":
        layout["sequence_length"] = 65536.0  # short sequences gain less than the gather takes
    assert total(shape, method, **layout, **{quantity: less}) <= total(shape, method, **layout, **{quantity: more}) * (
        1.03 if quantity == "sequence_parallel" else 1 + 1e-12
    )


@few
@given(shapes, methods, st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]))
def test_some_recomputed_layers_lie_between_none_and_all(shape, method, share):
    kept = [estimate(SHAPES[shape], method, full_recomputation=x)["kept_per_layer_gib"] for x in (0.0, share, 1.0)]
    assert kept[0] >= kept[1] >= kept[2]
    assert kept[1] == pytest.approx(kept[0] + share * (kept[2] - kept[0]))


@few
@given(shapes, methods, st.sampled_from([0.0, 4.0]), st.sampled_from([0.0, 1.0]))
def test_the_parts_add_up_in_every_moment(shape, method, temporary, changing):
    found = estimate(SHAPES[shape], method, update_temporary_bytes=temporary, changing_shapes=changing)
    parts = sum(found[f"{part}_per_gpu_gib"] for part in PARTS)
    assert parts == pytest.approx(found["memory_per_gpu_gib"], rel=1e-12)
    assert all(found[f"{part}_per_gpu_gib"] >= 0 for part in PARTS)
    worst = max(found["first_stage_gib"], found["last_stage_gib"], found["update_peak_gib"])
    shown = found["activations_per_gpu_gib"] + found["logits_per_gpu_gib"] + found["temporary_per_gpu_gib"]
    assert shown == pytest.approx(worst, rel=1e-12)


def test_scores_grow_with_the_square_of_the_length():
    short, long = (estimate(LLAMA, flash_attention=0.0, sequence_length=s) for s in (4096.0, 8192.0))
    scores = [item["score_activation_bytes"] * item["resident_tokens"] for item in (short, long)]
    assert scores[1] == pytest.approx(4 * scores[0])


def test_unused_blocks_leave_when_memory_runs_short():
    roomy = estimate(LLAMA, "lora", changing_shapes=1.0, memory_usable_gib=1e6)
    tight = estimate(LLAMA, "lora", changing_shapes=1.0, memory_usable_gib=roomy["memory_per_gpu_gib"] - 1)
    assert roomy["unused_blocks_gib"] > tight["unused_blocks_gib"] >= 0
    assert tight["memory_fits"] == 1


def test_selective_recomputation_keeps_a_share():
    kept = estimate(LLAMA, selective_recomputation=1.0, selective_kept_share=0.3)
    assert kept["kept_per_layer_gib"] == pytest.approx(0.3 * kept["layer_activations_gib"])


def test_single_update_of_all_weights_can_be_the_worst_moment():
    found = estimate(LLAMA, sequence_length=128.0, update_temporary_bytes=4.0, nodes=0.125, zero_stage=0.0)
    assert found["update_is_peak"] == 1
    assert found["temporary_per_gpu_gib"] == pytest.approx(found["held_optimizer_states"] * 4 / GIB)
    assert found["activations_per_gpu_gib"] == found["logits_per_gpu_gib"] == 0


def test_groups_of_an_update_are_bounded_under_zero_3():
    found = estimate(LLAMA, nodes=0.125, zero_stage=3.0, update_copy_bytes=8.0, update_group_parameters=1e9)
    assert found["update_copies_gib"] == pytest.approx(8e9 / GIB)


def test_a_quantised_base_with_a_wide_vocabulary():
    half, wide = (estimate(LLAMA, "qlora", unquantized_weight_bytes=width) for width in (2.0, 4.0))
    vocabulary = 2 * half["vocabulary_parameters_per_gpu"] / GIB
    assert wide["weights_per_gpu_gib"] - half["weights_per_gpu_gib"] == pytest.approx(vocabulary)


def test_offloaded_states_arrive_in_host_memory():
    """A 70B model in pure bf16 with everything offloaded: 2 + 2 + 4 bytes a weight, as a report of 500 GB says."""
    shape = {"L": 80, "h": 8192, "f": 28672, "a": 64, "kv": 8, "d": 128, "V": 128256}
    found = estimate(
        shape, nodes=1.0, zero_stage=3.0, gradient_bytes=2.0, master_weight_bytes=0.0, optimizer_moment_bytes=4.0,
        offload_level=2.0,
    )  # fmt: skip
    offloaded = (found["offloaded_states_gib"] + found["offloaded_weights_gib"]) * GIB / 1e9
    assert offloaded == pytest.approx(565, rel=0.01)
    assert found["weights_per_gpu_gib"] == found["optimizer_per_gpu_gib"] == found["gradients_per_gpu_gib"] == 0
