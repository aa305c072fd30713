"""Inputs of PPO and GRPO: prompts, answers, the models beside the policy, and how the model is shared while it writes."""

from __future__ import annotations

from reportgen.catalog.yaml_data import read_data
from reportgen.evaluation.draft import Draft, mapped
from reportgen.evaluation.features import features_of
from reportgen.evaluation.model_size import total_parameters

ENGINE = "vllm"  # what the training frameworks write answers with
ENGINE_FIELDS = {"engine_time_factor": "time_factor", "engine_launch_time_s": "launch_time_s"}
SHARE_FOR_WEIGHTS = 0.4  # of a card, for the copy that writes, when the degree is not given
LARGEST_DEGREE = 64
HALF_BYTES = 2.0
GIB = 2**30


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
    degree = rollouts.tensor_parallel or _degree(draft, parameters)
    draft.take("rollout_tensor_parallel", degree, "rollouts.tensor_parallel")
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


def _degree(draft: Draft, parameters: float) -> float:
    """The fewest cards over which the 16-bit weights take no more than their share of each."""
    scenario = draft.scenario
    record = draft.catalog.accelerators[scenario.hardware.accelerators[0]]
    most = min(LARGEST_DEGREE, scenario.hardware.count or LARGEST_DEGREE)
    heads, degree = scenario.architecture.attention_heads, 1
    while (
        degree * 2 <= most
        and heads % (degree * 2) == 0
        and HALF_BYTES * parameters / degree > SHARE_FOR_WEIGHTS * record.memory_gib * GIB
    ):
        degree *= 2
    return float(degree)
