"""Inputs of PPO and GRPO: prompts, answers, the models beside the policy, and how the model is shared while it writes."""

from __future__ import annotations

from reportgen.catalog.yaml_data import read_data
from reportgen.evaluation.draft import Draft, mapped
from reportgen.evaluation.features import features_of
from reportgen.evaluation.model_size import total_parameters

ENGINE = "vllm"  # what the training frameworks write answers with
ENGINE_FIELDS = {"engine_time_factor": "time_factor", "engine_launch_time_s": "launch_time_s"}
LARGEST_DEGREE = 64


def put_rollout_inputs(draft: Draft) -> None:
    """All inputs that only learning from rewards has."""
    scenario, rollouts = draft.scenario, draft.scenario.rollouts
    parameters = total_parameters(draft, features_of(scenario, draft.catalog))
    draft.take("rollout_prompts", scenario.data.samples, "data.samples")
    draft.take("rollout_prompt_tokens", scenario.data.length, "data.length")
    draft.take("rollout_answer_tokens", rollouts.answer_tokens, "rollouts.answer_tokens")
    draft.take("answers_per_prompt", rollouts.answers, "rollouts.answers")
    draft.take("rollout_passes", rollouts.passes, "rollouts.passes")
    draft.take("reference_models", float(rollouts.reference), "rollouts.reference")
    others = float(scenario.algorithm == "ppo")  # PPO has a critic and a reward model, of the size of the policy
    for key, value in (("critic", rollouts.critic), ("reward", rollouts.reward)):
        ratio = others if value is None else mapped(value, lambda size: size / parameters)
        draft.take(f"{key}_ratio", ratio, f"rollouts.{key}")
    _put_degrees(draft)
    engines = read_data("engines_serving")
    record = engines["engines"][ENGINE]
    for key, field in ENGINE_FIELDS.items():
        draft.put(
            key,
            float(record[field]),
            origin="catalog",
            source="serving-fit",
            as_of=engines["as_of"],
            confidence="measured",
        )


def _put_degrees(draft: Draft) -> None:
    """The fewest and the most GPUs of a copy that writes: both as written, or what heads and GPUs allow."""
    scenario, path = draft.scenario, "rollouts.tensor_parallel"
    least, most = scenario.rollouts.tensor_parallel, scenario.rollouts.tensor_parallel
    if not least:
        least = most = 1
        allowed = min(LARGEST_DEGREE, scenario.hardware.count or LARGEST_DEGREE)
        while most * 2 <= allowed and scenario.architecture.attention_heads % (most * 2) == 0:
            most *= 2
    draft.take("rollout_degree_least", float(least), path)
    draft.take("rollout_degree_most", float(most), path)
