"""What must hold of every training, whatever the model, the software and the method: through the scenario, as users write it."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reportgen.catalog import load_catalog
from reportgen.errors import ScenarioError
from reportgen.scenario.model_config import architecture_of_record
from reportgen.scenario.training_keys import STACKS
from tests.questions.answers import answered

SHOWN = ("memory_per_gpu_gib", "training_days", "host_memory_per_node_gib", "bubble_factor")
MODELS = (
    "llama-3.1-8b", "falcon-7b", "mixtral-8x7b", "deepseek-v2-lite", "qwen3-30b-a3b", "gemma-2-9b", "gpt-oss-20b", "bloom-7b1",
    "qwen3-0.6b", "opt-13b", "llama-3.1-70b", "deepseek-v3",
)  # fmt: skip
some = settings(max_examples=24, deadline=None, derandomize=True)
scenarios = st.fixed_dictionaries(
    {
        "model": st.sampled_from(MODELS),
        "stack": st.sampled_from(STACKS),
        "method": st.sampled_from(["full", "full", "lora", "qlora", "freeze"]),
        "optimizer": st.sampled_from(["adamw", "adamw-8bit", "paged-adamw", "adafactor", "lion", "muon", "sgd"]),
        "sequence_length": st.sampled_from([512, 4096]),
        "layout": st.fixed_dictionaries(
            {
                **{degree: st.just(1) for degree in ("tp", "pp", "cp", "ep")},
                "micro_batch": st.sampled_from([1, 2]),
                "zero": st.sampled_from([0, 1, 2, 3]),
                "recompute": st.sampled_from(["none", "selective", "full"]),
            }
        ),
        "global_batch": st.just(256),
        "hardware": st.just({"accelerator": "h100-sxm", "count": 16}),
    }
)


def changed(scenario: dict[str, Any], **changes: Any) -> dict[str, float] | None:
    """The quantities after a change of inner keys; None where the scenario is then refused."""
    new = copy.deepcopy(scenario)
    for key, value in changes.items():
        new[key] = {**new.get(key, {}), **value} if isinstance(value, dict) else value
    try:
        return answered(new, *SHOWN)[2]
    except ScenarioError:
        return None


def falls(found: list[dict[str, float] | None], name: str, allowed: float = 1e-9) -> bool:
    """Whether no value is above the one before; a case with fewer than two values says nothing and does not count."""
    values = [item[name] for item in found if item]
    assume(len(values) > 1)
    return all(later <= earlier * (1 + allowed) for earlier, later in zip(values, values[1:], strict=False))


SHARDING = {
    "tp": [{"layout": {"tp": degree}} for degree in (1, 2, 4, 8)],
    "cp": [{"layout": {"cp": degree}} for degree in (1, 2, 4)],
    "pp": [{"layout": {"pp": degree}} for degree in (1, 2, 4)],
    "ep": [{"layout": {"ep": degree}} for degree in (1, 2, 8)],
    "etp": [{"layout": {"ep": 2, "etp": degree}} for degree in (1, 2, 4)],
    "zero": [{"layout": {"zero": stage}} for stage in (0, 1, 2, 3)],
    "group": [{"layout": {"zero": 3, "sharding_group": size}} for size in (1, 2, 8, 16)],
    "count": [{"hardware": {"count": count}} for count in (16, 32, 256)],
}


@some
@given(scenarios, st.sampled_from(sorted(SHARDING)))
def test_sharding_never_increases_memory(scenario: dict, axis: str) -> None:
    """Layers that learn alone stand in one stage: with `freeze` a pipeline leaves fewer replicas to share their states."""
    if axis != "pp" or scenario["method"] != "freeze":
        assert falls([changed(scenario, **change) for change in SHARDING[axis]], "memory_per_gpu_gib")


SAVING = {
    "recompute": [{"layout": {"recompute": kind}} for kind in ("none", "selective", "full")],
    "layers": [{"layout": {"recompute": "full", "recompute_layers": layers}} for layers in (1, 4, 12)],
    "offload": [{"layout": {"zero": 3, "offload": kind}} for kind in ("none", "optimizer", "parameters")],
    "inputs": [{"layout": {"recompute": "full", "offload": kind}} for kind in ("none", "activations")],
    "length": [{"sequence_length": length} for length in (4096, 1024, 128)],
    "micro": [{"layout": {"micro_batch": size}} for size in (4, 2, 1)],
    "loss": [{"cross_entropy": kind} for kind in ("fused", "chunked", "fused-linear")],
    "attention": [{"attention": kind} for kind in ("eager", "flash")],
    "moments": [{"optimizer": "adamw", "precision": {"compute": "bf16", "moments": kind}} for kind in ("fp32", "bf16", "int8")],
    "master": [{"precision": {"compute": "bf16", "master": kind}} for kind in ("fp32", "bf16", "none")],
    "gradients": [{"gradient_precision": kind} for kind in ("fp32", "bf16", "none")],
    "optimizer": [{"optimizer": kind} for kind in ("adamw", "adamw-8bit", "paged-adamw-8bit")],
    "momentum": [{"optimizer": kind} for kind in ("adamw", "sgd-momentum", "sgd")],
    "rank": [{"method": "lora", "lora": {"rank": rank}} for rank in (256, 16, 1)],
}
SLOWER = ("recompute", "layers", "offload", "inputs")


@some
@given(scenarios, st.sampled_from(sorted(SAVING)))
def test_what_saves_memory_never_needs_more_and_what_is_done_again_takes_no_less_time(scenario: dict, axis: str) -> None:
    found = [changed(scenario, **change) for change in SAVING[axis]]
    assert falls(found, "memory_per_gpu_gib")
    if axis in SLOWER:
        assert falls(found[::-1], "training_days")
    if axis == "offload":
        assert falls(found[::-1], "host_memory_per_node_gib")


@some
@given(scenarios, st.floats(1e7, 1e12), st.floats(1.0, 1e3))
def test_more_tokens_never_take_less_time(scenario: dict, tokens: float, factor: float) -> None:
    found = [changed(scenario, data={"tokens": amount}) for amount in (tokens * factor, tokens)]
    assert falls(found, "training_days")


@settings(max_examples=10, deadline=None, derandomize=True)
@given(
    st.sampled_from(["llama-3.1-8b", "llama-3.1-70b", "opt-13b"]),
    st.sampled_from([2, 4]),
    st.sampled_from(["megatron", "nemo", "mindspeed"]),
)
def test_the_bubble_tends_to_zero_with_micro_batches(model: str, stages: int, stack: str) -> None:
    scenario = {
        "model": model, "stack": stack, "layout": {"tp": 4, "pp": stages, "micro_batch": 1, "zero": 1},
        "hardware": {"accelerator": "h100-sxm", "count": 16},
    }  # fmt: skip
    bubbles = [answered({**scenario, "global_batch": batch}, "bubble_factor")[2]["bubble_factor"] - 1 for batch in (32, 512, 65536)]
    assert bubbles[0] >= bubbles[1] >= bubbles[2] > 0
    assert bubbles[2] < 1e-3


MIXTURES = [name for name, record in load_catalog().models.items() if architecture_of_record(name, record).is_moe]


@pytest.mark.parametrize("name", MIXTURES)
def test_a_mixture_holds_all_parameters_and_works_with_the_active_ones(name: str) -> None:
    scenario = {
        "model": name, "method": "lora", "sequence_length": 512, "layout": {"zero": 3, "tp": 1, "pp": 1, "ep": 1, "micro_batch": 1},
        "hardware": {"accelerator": "h200-sxm", "count": 64},
    }  # fmt: skip
    names = ("weights_per_gpu_gib", "parameters", "active_parameters", "matmul_parameters", "forward_flops_per_token")
    found = answered(scenario, *names)[2]
    assert found["active_parameters"] < 0.6 * found["parameters"]
    assert found["weights_per_gpu_gib"] * 64 * 2**30 >= 2 * found["parameters"]
    assert 2 * found["matmul_parameters"] <= found["forward_flops_per_token"] < 3 * found["active_parameters"]
