"""Inputs of a training job: data, method, number formats, what is asked of the layout."""

from __future__ import annotations

from functools import lru_cache
from statistics import NormalDist
from typing import Any

from reportgen.catalog.step_constants import software_inputs
from reportgen.catalog.yaml_data import read_data
from reportgen.evaluation.draft import Draft, mapped
from reportgen.evaluation.rollout_inputs import put_rollout_inputs
from reportgen.evaluation.stages import put_stage_inputs
from reportgen.evaluation.tokens import GB, tokenizer_of, tokens_per_gigabyte
from reportgen.formula import MISSING
from reportgen.scenario import Range, base_of
from reportgen.scenario.training_keys import LORA_TARGETS

HALF_BYTES, WIDE_BYTES = 2.0, 4.0
GRADIENT_OF_FULL_WEIGHTS = 4.0
OFFLOAD_LEVELS = {"none": 0.0, "optimizer": 1.0, "parameters": 2.0, "activations": 0.0, "all": 3.0, "nvme": 1.0}


@lru_cache(maxsize=1)
def formats() -> dict[str, Any]:
    """Bytes of number formats, optimizers and losses, by the words of the scenario."""
    return read_data("optimizers_training")


def stack_facts(stack: str | None) -> dict[str, Any]:
    """What a training software does, by its word in the scenario."""
    return formats()["stacks"][stack]


def put_training_inputs(draft: Draft) -> None:
    """All inputs of a training job except prices and the architecture."""
    _data(draft)
    _method(draft)
    _formats(draft)
    _stack(draft)
    _software(draft)
    _layout(draft)
    _deadline(draft)
    _utilization(draft)
    if draft.scenario.algorithm in ("ppo", "grpo"):
        put_rollout_inputs(draft)


def _data(draft: Draft) -> None:
    scenario, data = draft.scenario, draft.scenario.data
    if len(scenario.stages) == 1:
        only = scenario.stages[0]
        tokens, epochs, path = only.tokens, only.epochs, "stages"
    elif scenario.stages:
        tokens, epochs, path = MISSING, 1.0, "stages"  # the formulas of the stages give them
        put_stage_inputs(draft)
    elif data.tokens is not None:
        tokens, epochs, path = data.tokens, data.epochs, "data.tokens"
    elif data.text is not None:
        record, _ = tokenizer_of(scenario, draft.catalog)
        density = tokens_per_gigabyte(record, data.language)
        tokens, epochs, path = mapped(data.text, lambda size: size / GB * density), data.epochs, "data.text"
    else:
        tokens, epochs, path = _of_samples(scenario), data.epochs, "data.samples"
    draft.take("training_tokens", tokens, path)
    draft.take("epochs", epochs or 1.0, "data.epochs")
    draft.take("runs", scenario.runs or 1.0, "runs")
    draft.take("sequence_length", scenario.sequence_length, "sequence_length")
    draft.take("global_batch", scenario.global_batch, "global_batch")
    if not scenario.stages and not scenario.was_given("global_batch"):
        _by_constant(draft, "batch_rounding_share", "batch_rounding_share_unstated", "global_batch")


def _of_samples(scenario: Any) -> Any:
    """Packed samples share sequences; unpacked ones each fill a whole one with padding."""
    data = scenario.data
    length = data.length if scenario.packing is not False else float(scenario.sequence_length)
    if scenario.job == "preference-tuning":  # a pair has two sequences
        length = mapped(length, lambda tokens: 2 * tokens)
    if isinstance(data.samples, Range) or isinstance(length, Range):
        low = getattr(data.samples, "low", data.samples) * getattr(length, "low", length)
        high = getattr(data.samples, "high", data.samples) * getattr(length, "high", length)
        return Range(low, base_of(data.samples) * base_of(length), high)
    return data.samples * length


def _method(draft: Draft) -> None:
    scenario = draft.scenario
    if scenario.lora is not None:
        draft.take("lora_rank", scenario.lora.rank, "lora.rank")
        for target in LORA_TARGETS:
            draft.take(f"lora_{target}", float(target in scenario.lora.targets), "lora.targets")
    if scenario.freeze is not None:
        draft.take("trainable_layers", scenario.freeze.trainable_layers, "freeze.trainable_layers")
        draft.take("embeddings_trained", scenario.freeze.embeddings, "freeze.embeddings")
    else:
        trained = scenario.lora.embeddings if scenario.lora is not None else True
        draft.take("embeddings_trained", float(trained or False), "lora.embeddings")


def _formats(draft: Draft) -> None:
    scenario, table = draft.scenario, formats()
    precision = scenario.precision
    storage = table["formats"][precision.compute]
    draft.take("compute_precision", storage["compute"], "precision.compute")
    stack = stack_facts(scenario.stack)
    draft.take("base_weight_bytes", storage["weight_bytes"], "precision.compute", source=storage["source"])
    gradient = table["gradients"][scenario.gradient_precision]
    gradient_bytes = gradient["gradient_bytes"]
    if stack["both_gradients"] and gradient_bytes > storage["weight_bytes"]:
        gradient_bytes += storage["weight_bytes"]
    draft.take("gradient_bytes", gradient_bytes, "gradient_precision", source=gradient["source"])
    master = table["masters"][precision.master]
    master_bytes = 0.0 if storage["weight_bytes"] >= GRADIENT_OF_FULL_WEIGHTS else master["master_weight_bytes"]
    shared = stack["shared_master"] and master_bytes > 0  # the sharded 32-bit weights are the only copy
    held = master_bytes if shared else storage["weight_bytes"]
    draft.take("weight_bytes", held, "precision.compute", source=storage["source"])
    draft.take("master_weight_bytes", 0.0 if shared else master_bytes, "precision.master", source=master["source"])
    optimizer = table["optimizers"][scenario.optimizer]
    moments = optimizer.get(
        "bytes", optimizer.get("numbers", 0) * table["moments"][precision.moments]["bytes_per_number"]
    )
    draft.take("optimizer_moment_bytes", moments, "optimizer", source=optimizer["source"])
    number = table["moments"][precision.moments]["bytes_per_number"]
    in_groups = optimizer.get("paged") or scenario.optimizer.endswith("8bit")  # bitsandbytes updates one tensor at a time
    learns = scenario.method in ("full", "freeze")
    temporary = 0.0 if in_groups or moments == 0 or not learns else stack["update_temporary"] * number
    draft.take("update_temporary_bytes", temporary, "stack", source="calibration")


def _stack(draft: Draft) -> None:
    """What the software keeps besides: copies of the logits, of norms, of gradients, of layer inputs."""
    scenario, table = draft.scenario, formats()
    stack = stack_facts(scenario.stack)
    kind = table["cross_entropies"][scenario.cross_entropy]["logits"]
    _by_constant(draft, "logits_bytes", stack["logits"] if kind == "by_stack" else kind, "cross_entropy")
    attention = table["attentions"][scenario.attention]
    draft.take("flash_attention", attention["flash_attention"], "attention", source=attention["source"])
    for flag in ("eager_kernels", "sequence_parallel", "checkpoint_copies", "gradient_buckets", "selective_scores_only"):
        draft.take(flag, stack[flag], "stack", source="calibration")
    draft.take("unsplit_gradients", 0.0, "stack", source="fsdp-2023")
    draft.take("changing_shapes", float(scenario.packing is False), "packing")
    if stack["update_copies"]:
        _by_constant(draft, "update_copy_bytes", "update_copy_bytes_deepspeed", "stack")
    else:
        draft.take("update_copy_bytes", 0.0, "stack", source="zero-2020")
    if scenario.lora is not None:
        base = table["bases"][scenario.lora.base or "nf4"]
        draft.take("base_weight_bits", base["base_weight_bits"], "lora.base", source=base["source"])
        wide = WIDE_BYTES if stack["widened"] and base["widened"] else HALF_BYTES
        draft.take("unquantized_weight_bytes", wide, "lora.base", source="peft")


def _by_constant(draft: Draft, key: str, constant: str, path: str) -> None:
    """An input whose value is a constant that the scenario chooses."""
    record = draft.catalog.constants[constant]
    value = Range(record.low, record.value, record.high) if record.low is not None else record.value
    draft.take(key, value, path, source=record.source, confidence=record.confidence, note=record.note)


def _software(draft: Draft) -> None:
    scenario = draft.scenario
    for key, value in software_inputs(scenario.stack or "", None, scenario.method or "full").items():
        draft.take(key, value, "stack", source="calibration", confidence="measured")


def _layout(draft: Draft) -> None:
    scenario, layout = draft.scenario, draft.scenario.layout
    draft.take("fixed_gpu_count", scenario.hardware.count or 0, "hardware.count")
    draft.take("sharding_group", layout.sharding_group, "layout.sharding_group")
    draft.take("expert_tensor_parallel", layout.etp or 1, "layout.etp")
    draft.take("context_parallel", layout.cp or 1, "layout.cp")
    draft.take("virtual_stages", layout.virtual_stages or 1, "layout.virtual_stages")
    table = formats()
    paged = table["optimizers"][scenario.optimizer].get("paged", 0.0)
    waiting = max(stack_facts(scenario.stack)["checkpoints_on_host"], layout.offload == "activations")
    draft.take("offload_allowed", float(layout.offload not in (None, "none")), "layout.offload")
    draft.take("offload_last", float(scenario.objective != "smallest"), "objective")
    draft.take("paged_optimizer", paged, "optimizer")
    draft.take("checkpoints_on_host", float(waiting), "layout.offload")
    draft.take("selective_recomputation", float(layout.recompute == "selective"), "layout.recompute")


def _deadline(draft: Draft) -> None:
    scenario = draft.scenario
    if not scenario.deadline_days:
        return
    draft.take("deadline_days", scenario.deadline_days, "deadline")
    whole = scenario.deadline_for == "campaign"
    draft.take("deadline_for_campaign", float(whole), "deadline.for")
    draft.take("deadline_z", NormalDist().inv_cdf(scenario.deadline_quantile), "deadline.quantile")


def _utilization(draft: Draft) -> None:
    scenario, run = draft.scenario, draft.scenario.utilization_run
    if scenario.utilization is not None:
        draft.take("given_utilization", scenario.utilization, "utilization")
    if run is not None:
        record = draft.catalog.find("accelerators", run.accelerator)
        draft.take("known_run_parameters", run.params, "utilization.from_run.params")
        draft.take("known_run_tokens", run.tokens, "utilization.from_run.tokens")
        draft.take("known_run_gpu_hours", run.gpu_hours, "utilization.from_run.gpu_hours")
        peak = record.peak_tflops(run.precision or "bf16") or record.fp16_tflops
        draft.take("known_run_peak_tflops", peak or MISSING, "utilization.from_run.accelerator", source="catalog")
