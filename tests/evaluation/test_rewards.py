"""PPO and GRPO: every copy of the model, and answers priced as serving prices them."""

from __future__ import annotations

import pytest

from reportgen.catalog import load_catalog
from reportgen.evaluation.evaluate import evaluate
from reportgen.evaluation.question import ask
from reportgen.scenario import scenario_from_mapping
from tests.evaluation.conftest import DAY, result_of

HARDWARE = {"accelerator": "h100-sxm", "count": 8}
REWARDS = {
    "job": "preference-tuning",
    "model": "llama-3.1-8b",
    "data": {"samples": 20000, "length": 400},
    "layout": {"tp": 1, "pp": 1, "zero": 1, "micro_batch": 1, "recompute": "full"},
    "hardware": HARDWARE,
}
GIB = 2**30
PARAMETERS = 8030261248


def rewards(algorithm: str = "grpo", **keys):
    return result_of(**{**REWARDS, "algorithm": algorithm, **keys})


def test_tokens_are_prompts_times_answers_with_both_lengths() -> None:
    result = rewards(rollouts={"answers": 8, "answer_tokens": 1000, "passes": 2})
    assert result.value("run_tokens") == 20000 * 8 * (400 + 1000) * 2
    assert result.value("scored_tokens") == 20000 * 8 * (400 + 1000)


@pytest.mark.parametrize(
    ("algorithm", "rollouts", "learning", "scoring", "weights"),
    [
        # weights in 16 bits: GRPO policy and reference 2 + 2; PPO also critic 2 and reward 2
        ("grpo", {}, 1, 2, 4),
        ("grpo", {"reference": False}, 1, 1, 2),
        ("ppo", {}, 2, 4, 8),
        ("ppo", {"critic": PARAMETERS / 2, "reward": 0}, 1.5, 2.5, 5),
    ],
)
def test_copies_of_the_model(algorithm, rollouts, learning, scoring, weights) -> None:
    """InstructGPT: PPO keeps policy, reference, critic and reward model; DeepSeekMath: GRPO has no critic."""
    result = rewards(algorithm, rollouts=rollouts)
    assert result.value("learning_models") == pytest.approx(learning)
    assert result.value("scoring_passes") == pytest.approx(scoring)
    assert result.value("weights_per_gpu_gib") == pytest.approx(weights * PARAMETERS / GIB, rel=1e-6)
    # fp32 master and two moments, split over 8 GPUs, for every model that learns
    assert result.value("optimizer_per_gpu_gib") == pytest.approx(12 / 8 * learning * PARAMETERS / GIB, rel=1e-6)
    assert result.value("gradients_per_gpu_gib") == pytest.approx(4 * learning * PARAMETERS / GIB, rel=1e-6)


def test_adapters_are_their_own_reference() -> None:
    with_reference, without = (rewards(method="lora", rollouts={"reference": word}) for word in (True, False))
    assert with_reference.value("weights_per_gpu_gib") == without.value("weights_per_gpu_gib")
    assert with_reference.value("scoring_passes") == without.value("scoring_passes") + 1


def test_a_step_of_writing_costs_what_serving_costs() -> None:
    """The same model, degree, batch and lengths through the formulas of serving."""
    result = rewards()
    scenario = scenario_from_mapping(
        {
            "title": "The same as serving",
            "job": "batch-inference",
            "model": "llama-3.1-8b",
            "items": 1000,
            "prompt_tokens": 400,
            "answer_tokens": 1024,
            "hardware": HARDWARE,
        },
        date=DAY,
    )
    question = ask(scenario, load_catalog())
    given = {
        **question.base_inputs,
        "tensor_parallel": result.value("rollout_tensor_parallel"),
        "batch_per_replica": result.value("rollout_batch"),
        "layout_number": 1.0,
    }
    served = question.layout_graph.evaluate(given, only=("decode_step_s", "prefill_service_s", "key_value_bytes_per_request"))
    for name, value in served.items():
        if name in ("decode_step_s", "prefill_service_s", "key_value_bytes_per_request"):
            assert result.value(f"rollout_{name}") == pytest.approx(float(value), rel=1e-12), name


def test_parts_of_a_run_add_up_and_answers_take_much_of_it() -> None:
    result = rewards(rollouts={"answer_tokens": 4000})
    parts = ("writing_seconds", "reading_seconds", "switching_seconds", "scoring_seconds", "learning_seconds")
    assert sum(result.value(name) for name in parts) == pytest.approx(result.value("run_seconds"), rel=1e-12)
    assert result.value("rollout_share") > 0.3
    assert result.value("rollout_batch") <= result.value("rollout_planned_concurrency")


def test_an_update_is_written_in_no_fewer_steps_than_an_answer_has_tokens() -> None:
    """32 answers over 64 copies: 1,500 steps an update, not half of that."""
    keys = {"rollouts": {"answer_tokens": 1500, "tensor_parallel": 1}, "global_batch": 32, "layout": {}}
    result = rewards(hardware={"accelerator": "h800-sxm", "count": 64}, **keys)
    assert result.value("rollout_batch") * result.value("rollout_replicas") == 64
    tail = next(item.value for item in result.inputs if item.key == "rollout_tail_factor")
    step = result.value("rollout_decode_step_s") * tail
    assert result.value("writing_seconds") == pytest.approx(20000 * 8 / 32 * 1500 * step)


def test_updates_are_counted_in_answers() -> None:
    result = rewards(rollouts={"answers": 8, "passes": 2}, global_batch=1000, sequence_length=8192)
    assert result.value("steps") == 20000 * 8 * 2 / 1000


def test_a_copy_that_writes_never_takes_more_gpus_than_there_are() -> None:
    keys = {"model": "llama-3.1-70b", "method": "lora", "layout": {}}
    result = rewards(hardware={"accelerator": "a100-sxm-40gb"}, **keys)
    assert result.value("gpus") >= result.value("rollout_tensor_parallel") > 1


def test_each_accelerator_gets_its_own_degree_of_writing() -> None:
    """141 GB write 70 B over 4 GPUs, 40 GB over 16, whichever stands first."""
    keys = {"model": "llama-3.1-70b", "method": "lora", "layout": {}}
    both = rewards(hardware={"accelerators": ["h200-sxm", "a100-sxm-40gb"]}, **keys)
    alone = rewards(hardware={"accelerators": ["a100-sxm-40gb"]}, **keys)
    option = next(item for item in both.options if item.accelerator == "a100-sxm-40gb")
    assert (both.value("rollout_tensor_parallel"), alone.value("rollout_tensor_parallel")) == (4, 16)
    assert option.values["gpus"] == alone.value("gpus")


def test_a_stated_degree_of_writing_stays() -> None:
    assert rewards(rollouts={"tensor_parallel": 8}).value("rollout_tensor_parallel") == 8


def test_longer_answers_never_take_less() -> None:
    days = [rewards(rollouts={"answer_tokens": tokens}).value("training_days") for tokens in (500, 1000, 2000)]
    assert days == sorted(days)


def test_no_room_to_write_is_said() -> None:
    result = rewards(
        "ppo", model="llama-3.1-70b", hardware={"accelerator": "h100-sxm", "count": 32}, layout={}, rollouts={"tensor_parallel": 1}
    )
    assert not result.layouts[0].feasible
    assert "warning_no_room_to_write" in [message.key for message in result.warnings]


def test_a_preference_pair_has_two_sequences() -> None:
    """Rafailov et al.: policy forward and backward, reference forward, on both answers: 8 N a token pair and model."""
    result = result_of(job="preference-tuning", algorithm="dpo", data={"samples": 1000, "length": 800}, hardware=HARDWARE)
    assert result.value("run_tokens") == 1000 * 2 * 800
    alone = result_of(job="preference-tuning", algorithm="simpo", data={"samples": 1000, "length": 800}, hardware=HARDWARE)
    assert result.value("training_flops_per_token") == pytest.approx(alone.value("training_flops_per_token") * 4 / 3)


@pytest.mark.parametrize("model", ["deepseek-v3", "gemma-2-9b", "mixtral-8x7b"])
def test_other_architectures_write_too(model: str) -> None:
    keys = {**REWARDS, "layout": {}, "model": model, "algorithm": "grpo", "hardware": {"accelerator": "h200-sxm"}}
    result = evaluate(scenario_from_mapping({"title": "t", **keys}, date=DAY))
    assert result.layouts[0].feasible and result.value("rollout_seconds") > 0
