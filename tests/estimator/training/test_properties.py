"""What must hold for every training case, whatever the numbers."""

from __future__ import annotations

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.estimator.training.cases import estimate
from tests.estimator.training.shapes import METHODS, SHAPES

COMPONENTS = (
    "weights_per_gpu_gib",
    "gradients_per_gpu_gib",
    "optimizer_per_gpu_gib",
    "activations_per_gpu_gib",
    "logits_per_gpu_gib",
    "temporary_per_gpu_gib",
    "overhead_per_gpu_gib",
)
powers = st.sampled_from([1.0, 2.0, 4.0, 8.0])
layouts = st.fixed_dictionaries(
    {
        "nodes": st.sampled_from([1.0, 2.0, 3.0, 8.0, 32.0]),
        "tensor_parallel": powers,
        "pipeline_parallel": powers,
        "expert_parallel": st.just(1.0),
        "micro_batch": powers,
        "zero_stage": st.sampled_from([0.0, 1.0, 2.0, 3.0]),
        "full_recomputation": st.sampled_from([0.0, 1.0]),
        "sequence_length": st.sampled_from([512.0, 4096.0, 32768.0]),
        "global_batch": st.sampled_from([64.0, 512.0, 4096.0]),
        "logits_bytes": st.sampled_from([1.0, 4.0, 14.0]),
        "eager_kernels": st.sampled_from([0.0, 1.0]),
        "virtual_stages": st.sampled_from([1.0, 2.0]),
    }
)
cases = st.tuples(st.sampled_from(sorted(SHAPES)), st.sampled_from(METHODS), layouts)
thorough = settings(max_examples=60, deadline=None)


def run(case, features=("deadline",), **changes):
    shape, method, layout = case
    return estimate(SHAPES[shape], method, features, **{**layout, **changes})


@thorough
@given(cases)
def test_components_add_up_and_none_is_negative(case):
    found = run(case)
    assert all(found[name] >= 0 for name in COMPONENTS)
    assert sum(found[name] for name in COMPONENTS) == pytest.approx(found["memory_per_gpu_gib"], rel=1e-12)


@thorough
@given(cases)
def test_the_fullest_stage_is_shown(case):
    found = run(case)
    shown = found["activations_per_gpu_gib"] + found["logits_per_gpu_gib"] + found["temporary_per_gpu_gib"]
    assert shown == pytest.approx(max(found["first_stage_gib"], found["last_stage_gib"]), rel=1e-12)


@thorough
@given(cases)
def test_more_nodes_never_need_more_memory(case):
    assert run(case, nodes=64.0)["memory_per_gpu_gib"] <= run(case)["memory_per_gpu_gib"] * (1 + 1e-12)


@thorough
@given(cases)
def test_larger_micro_batches_and_longer_sequences_never_need_less(case):
    found = run(case)["memory_per_gpu_gib"]
    layout = case[2]
    smaller = {"micro_batch": layout["micro_batch"] / 2, "global_batch": layout["global_batch"] / 2}
    assert run(case, **smaller)["memory_per_gpu_gib"] <= found * (1 + 1e-12)
    assert run(case, sequence_length=layout["sequence_length"] / 2)["memory_per_gpu_gib"] <= found * (1 + 1e-12)


@thorough
@given(cases)
def test_states_shrink_with_every_zero_stage(case):
    assume(run(case)["gpus_divide"])
    states = [sum(run(case, zero_stage=stage)[name] for name in COMPONENTS[:3]) for stage in (0.0, 1.0, 2.0, 3.0)]
    assert all(later <= earlier * (1 + 1e-12) for earlier, later in zip(states, states[1:], strict=False))


@thorough
@given(cases)
def test_recomputation_saves_activations_and_costs_time(case):
    kept, recomputed = run(case, full_recomputation=0.0), run(case, full_recomputation=1.0)
    assert recomputed["kept_per_layer_gib"] < kept["kept_per_layer_gib"]
    assert recomputed["training_days"] > kept["training_days"]
    assert recomputed["model_flops_utilization"] < kept["model_flops_utilization"]


@thorough
@given(cases)
def test_fewer_things_that_learn_need_less_memory(case):
    shape, _, layout = case
    assume(layout["zero_stage"] < 3 or not layout["eager_kernels"])  # plain stacks keep the scales of packed weights whole
    full = estimate(SHAPES[shape], "full", **layout)
    lora = estimate(SHAPES[shape], "lora", **layout)
    qlora = estimate(SHAPES[shape], "qlora", **layout)
    states = [sum(found[name] for name in COMPONENTS[:3]) for found in (qlora, lora, full)]
    assert states[0] < states[1]
    if full["parameters"] > 20 * lora["lora_parameters"]:
        assert states[1] < states[2]
    assert lora["training_flops_per_token"] < full["training_flops_per_token"]


@thorough
@given(cases, st.sampled_from([2.0, 4.0]))
def test_work_and_time_follow_the_tokens(case, factor):
    found, more = run(case), run(case, training_tokens=10e9 * factor)
    assert more["run_work_eflop"] == pytest.approx(found["run_work_eflop"] * factor, rel=1e-12)
    assert more["training_days"] == pytest.approx(found["training_days"] * factor, rel=1e-12)
    repeated = run(case, runs=factor)
    assert repeated["training_days"] == pytest.approx(found["training_days"] * factor, rel=1e-12)
    assert repeated["run_days"] == pytest.approx(found["run_days"], rel=1e-12)


@thorough
@given(cases)
def test_probabilities_and_quantiles_are_in_order(case):
    found = run(case)
    assert found["training_days_p10"] < found["training_days"] < found["training_days_p90"]
    assert found["memory_per_gpu_gib_p10"] < found["memory_per_gpu_gib"] < found["memory_per_gpu_gib_p90"]
    assert 0 <= found["memory_fit_probability"] <= 1
    assert 0.05 <= found["goodput"] < 1
    assert found["days_to_deadline"] == pytest.approx(found["training_days_p90"], rel=1e-9)


@thorough
@given(cases, st.integers(1, 24))
def test_rank_tells_feasible_from_infeasible(case, number):
    found = run(case, layout_number=float(number))
    assert found["layout_ok"] in (0, 1)
    if found["layout_ok"]:
        assert case[2]["nodes"] < found["layout_rank"] < case[2]["nodes"] + 1
        assert found["in_time"] and found["memory_fits"] and found["layout_divides"]
    else:
        assert found["layout_rank"] == 1e9 + number


@thorough
@given(cases)
def test_batch_is_rounded_up_to_whole_micro_batches(case):
    found = run(case)
    assert found["effective_global_batch"] >= case[2]["global_batch"] * (1 - 1e-9)
    assert found["micro_batches"] == int(found["micro_batches"])


@thorough
@given(cases)
def test_conventions_keep_their_order(case):
    found = run(case)
    assert found["full_attention_flops_per_token"] <= found["all_parameters_flops_per_token"]
    assert found["six_n_flops_per_token"] < found["all_parameters_flops_per_token"]
    assert found["matmul_parameters"] <= found["active_parameters"] <= found["parameters"]


def test_a_known_run_gives_back_its_own_hours():
    """Utilisation from a run, applied to the same model and tokens, returns its GPU hours but for the convention."""
    run_of_7b = {
        "known_run_parameters": 6.738e9,
        "known_run_tokens": 2e12,
        "known_run_peak_tflops": 312.0,
        "known_run_gpu_hours": 184320.0,
    }
    shape = {"L": 32, "h": 4096, "f": 11008, "a": 32, "d": 128, "V": 32000}
    features = ("given_utilization", "utilization_from_run")
    found = estimate(
        shape, "full", features, **run_of_7b, training_tokens=2e12, peak_tflops=312.0, nodes=32.0, global_batch=1024.0
    )
    assert found["gpu_hours"] * found["six_n_factor"] == pytest.approx(184320, rel=0.001)


def test_a_fixed_count_wins_over_whole_nodes():
    found = estimate(SHAPES["llama"], fixed_gpu_count=12.0, nodes=2.0)
    assert found["gpus"] == 12
    assert found["layout_rank"] < 1 or found["layout_rank"] > 1e9
