"""Splitting a model never enlarges the states of a GPU, bubbles vanish, and mixtures hold all but compute with few."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.estimator.training.cases import estimate
from tests.estimator.training.shapes import DEEPSEEK, METHODS, SHAPES

STATES = ("weights_per_gpu_gib", "gradients_per_gpu_gib", "optimizer_per_gpu_gib")
few = settings(max_examples=40, deadline=None)
shapes = st.sampled_from(sorted(SHAPES))
methods = st.sampled_from(METHODS)


def states(shape: str, method: str, **layout: float) -> float:
    found = estimate(SHAPES[shape], method, **{"nodes": 64.0, **layout})
    return sum(found[name] for name in STATES)


@pytest.mark.parametrize("axis", ["tensor_parallel", "pipeline_parallel", "expert_parallel", "context_parallel"])
@few
@given(shapes, methods, st.sampled_from([1.0, 2.0, 4.0]))
def test_a_higher_degree_never_enlarges_the_states(axis: str, shape: str, method: str, degree: float) -> None:
    if axis == "pipeline_parallel" and (SHAPES[shape]["L"] % (2 * degree) or method == "freeze"):
        return  # an uneven stage, or the one that holds all trained layers, is as full as before
    lower, higher = (states(shape, method, zero_stage=0.0, **{axis: parts}) for parts in (degree, 2 * degree))
    assert higher <= lower * (1 + 1e-9)


@few
@given(shapes, st.sampled_from([1.0, 2.0, 4.0, 8.0]))
def test_context_parallelism_never_enlarges_activations(shape: str, parts: float) -> None:
    lower, higher = (estimate(SHAPES[shape], context_parallel=c)["activations_per_gpu_gib"] for c in (parts, 2 * parts))
    assert higher <= lower


@few
@given(shapes, st.sampled_from([2.0, 4.0, 8.0]), st.sampled_from([1.0, 2.0]))
def test_the_bubble_vanishes_with_micro_batches(shape: str, stages: float, chunks: float) -> None:
    bubbles = [
        estimate(SHAPES[shape], pipeline_parallel=stages, virtual_stages=chunks, global_batch=batch)["bubble_factor"] - 1
        for batch in (512.0, 8192.0, 2.0**24)
    ]
    assert bubbles[0] >= bubbles[1] >= bubbles[2]
    assert bubbles[2] < 1e-3


def test_a_mixture_holds_all_experts_and_computes_with_few() -> None:
    """DeepSeek-V3: 671 B in all, 37.6 B active by the same count (published as 37 B)."""
    more = {**DEEPSEEK, "E": 2 * DEEPSEEK["E"]}
    plain, doubled = (estimate(shape, zero_stage=3.0, nodes=64.0) for shape in (DEEPSEEK, more))
    assert doubled["weights_per_gpu_gib"] > 1.9 * plain["weights_per_gpu_gib"]
    assert doubled["training_flops_per_token"] < 1.01 * plain["training_flops_per_token"]
    assert plain["training_flops_per_token"] == pytest.approx(6 * plain["active_parameters"], rel=0.15)


@few
@given(shapes, methods, st.floats(1e8, 1e13), st.floats(1.0, 10.0))
def test_more_tokens_are_never_faster(shape: str, method: str, tokens: float, factor: float) -> None:
    days = [estimate(SHAPES[shape], method, training_tokens=amount)["training_days"] for amount in (tokens, tokens * factor)]
    assert days[0] <= days[1]
