"""Answers that the model writes while it learns (PPO, GRPO): the formulas of serving, on the GPUs and in the memory of the training.

Each formula of serving that a rollout needs is declared once more under its name with `rollout_` before it, and reads the
lengths, the batch and the degree of the rollouts; so a rollout costs what serving would.
"""

from reportgen.estimator import serving_memory, serving_prefill, serving_rates, serving_speed
from reportgen.estimator.structure import reinforcement, staged
from reportgen.formula import GIB, Feature, Formula, above, ceil, floor, formula, maximum, minimum, where

PREFIX = "rollout_"
TARGETS = ("decode_step_s", "prefill_service_s", "planned_concurrency", "weights_gib", "runtime_reserve_gib")
INSTEAD = {  # what a rollout reads in place of what serving reads
    "tensor_parallel": "rollout_tensor_parallel",
    "attention_tensor_parallel": "rollout_tensor_parallel",
    "batch_per_replica": "rollout_batch",
    "prompt_tokens": "rollout_prompt_tokens",
    "prompt_tokens_read": "rollout_prompt_tokens",
    "answer_tokens": "rollout_answer_tokens",
    "weight_bytes_per_parameter": "bytes_bf16",
    "attention_bytes_per_parameter": "bytes_bf16",
    "key_value_bytes": "rollout_cache_bytes",
    "serving_peak_tflops": "peak_tflops_16bit",
    "serving_compute_utilization": "prefill_compute_utilization",
    "memory_beside_weights_gib": "rollout_memory_beside_weights_gib",
}
POWERS = (1, 2, 4, 8, 16, 32)  # each passed doubles the degree
AS_BATCH_INFERENCE = frozenset({"batch_inference"})


def _serving() -> list[Formula]:
    found: dict[int, Formula] = {}
    for module in (serving_memory, serving_prefill, serving_rates, serving_speed):
        for value in vars(module).values():
            for item in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(item, Formula):
                    found.setdefault(id(item), item)
    return list(found.values())


def _needed(known: list[Formula]) -> set[str]:
    """Names of the formulas that the targets rest on, on any architecture."""
    names, waiting = set(), list(TARGETS)
    while waiting:
        name = waiting.pop()
        if name in names or name in INSTEAD or not any(item.name == name for item in known):
            continue
        names.add(name)
        waiting += [parameter for item in known if item.name == name for parameter in item.parameters]
    return names


def _when(item: Formula) -> Feature:
    def holds(features: frozenset[str]) -> bool:
        return reinforcement(features) and item.when((features - {"training"}) | AS_BATCH_INFERENCE)

    return Feature(f"reinforcement and ({item.when.name})", holds)


def _redeclared(item: Formula, cloned: set[str]) -> Formula:
    again = Formula(item.function, PREFIX + item.name, item.unit, item.symbol, item.source, _when(item), "rollouts")
    again.parameters = tuple(
        INSTEAD.get(parameter, PREFIX + parameter if parameter in cloned else parameter)
        for parameter in item.parameters
    )
    return again


def _as_served() -> list[Formula]:
    known = _serving()
    cloned = _needed(known)
    return [_redeclared(item, cloned) for item in known if item.name in cloned]


AS_SERVED = _as_served()


# GPUs of a copy that writes


@formula(unit="GPUs", symbol="w_roll", source="reportgen", when=reinforcement)
def rollout_weight_cards(parameters, bytes_bf16, memory_capacity_gib, rollout_weight_share):
    """GPUs that the 16-bit weights ask for when they may take only so much of each."""
    return parameters * bytes_bf16 / (rollout_weight_share * memory_capacity_gib * GIB)


@formula(unit="ranks", symbol="t_r", source="reportgen", when=reinforcement)
def rollout_tensor_parallel(rollout_weight_cards, rollout_degree_least, rollout_degree_most):
    """The power of two that holds the weights, inside what heads and GPUs allow; or the degree that is stated."""
    degree = 1
    for power in POWERS:
        degree = degree + where(above(rollout_weight_cards, power), power, 0)
    return minimum(rollout_degree_most, maximum(rollout_degree_least, degree))


# Room beside the training


@formula(unit="GiB", symbol="M_res", source="vllm-docs", when=reinforcement)
def rollout_resident_gib(weights_per_gpu_gib, optimizer_per_gpu_gib, update_copies_gib):
    """What of the training stays on the card while answers are written: all models and optimizer states, no gradients."""
    return weights_per_gpu_gib + optimizer_per_gpu_gib - update_copies_gib


@formula(unit="GiB", symbol="M_roll", source="vllm-docs", when=reinforcement)
def rollout_memory_beside_weights_gib(
    memory_capacity_gib,
    serving_memory_share,
    rollout_resident_gib,
    rollout_weights_gib,
    rollout_tensor_parallel,
    rollout_runtime_reserve_gib,
):
    """The engine has its own 16-bit copy of the weights, and gets what the training leaves."""
    taken = rollout_resident_gib + rollout_weights_gib / rollout_tensor_parallel + rollout_runtime_reserve_gib
    return maximum(0, memory_capacity_gib * serving_memory_share - taken)


@formula(unit="replicas", symbol="R_roll", source="reportgen", when=reinforcement)
def rollout_replicas(gpus, rollout_tensor_parallel):
    """All GPUs of the training write answers between two updates."""
    return maximum(1, floor(gpus / rollout_tensor_parallel))


@formula(unit="sequences", symbol="b_roll", source="vllm-docs", when=reinforcement)
def rollout_batch(global_batch, rollout_replicas, rollout_planned_concurrency):
    """A replica's share of the answers of one update, as far as the cache holds them at once."""
    return maximum(1, minimum(ceil(global_batch / rollout_replicas), floor(rollout_planned_concurrency)))


# Time


@formula(unit="answers", symbol="n_ans", source="scenario", when=reinforcement)
def rollouts_per_run(rollout_prompts, epochs, answers_per_prompt):
    """Every prompt is answered several times in every epoch."""
    return rollout_prompts * epochs * answers_per_prompt


@formula(unit="tokens", symbol="T_1", source="scenario", when=reinforcement, name="training_tokens")
def tokens_of_rollouts(
    rollout_prompts, answers_per_prompt, rollout_prompt_tokens, rollout_answer_tokens, rollout_passes
):
    """The policy learns from every answer with its prompt, as often as the algorithm passes over them."""
    return rollout_prompts * answers_per_prompt * (rollout_prompt_tokens + rollout_answer_tokens) * rollout_passes


@formula(unit="steps", symbol="n_step", source="reportgen", when=reinforcement & ~staged, name="steps")
def steps_of_rollouts(rollouts_per_run, rollout_passes, global_batch):
    """Answers seldom fill a sequence: an update is counted in answers, not in tokens."""
    return rollouts_per_run * rollout_passes / global_batch


@formula(unit="s", symbol="t_wri", source="serving-fit", when=reinforcement)
def writing_seconds(
    rollouts_per_run,
    global_batch,
    rollout_answer_tokens,
    rollout_decode_step_s,
    rollout_batch,
    rollout_replicas,
    rollout_tail_factor,
):
    """Answers are written a token a step, an update never in fewer than one answer has; the longest keep the others waiting."""
    turns = maximum(1, global_batch / (rollout_batch * rollout_replicas))
    steps = rollouts_per_run / global_batch * rollout_answer_tokens * turns
    return steps * rollout_decode_step_s * rollout_tail_factor


@formula(unit="s", symbol="t_rea", source="serving-fit", when=reinforcement)
def reading_seconds(rollouts_per_run, answers_per_prompt, rollout_prefill_service_s, rollout_replicas):
    """A prompt is read once for all of its answers."""
    return rollouts_per_run / answers_per_prompt * rollout_prefill_service_s / rollout_replicas


@formula(unit="s", symbol="t_swi", source="reportgen", when=reinforcement)
def switching_seconds(rollouts_per_run, global_batch, rollout_switch_seconds):
    """Before every update the engine gets the new weights, and memory changes hands."""
    return rollouts_per_run / global_batch * rollout_switch_seconds


@formula(unit="s", symbol="t_rol", source="serving-fit", when=reinforcement)
def rollout_seconds(writing_seconds, reading_seconds, switching_seconds):
    """All that writing answers takes in one run."""
    return writing_seconds + reading_seconds + switching_seconds
