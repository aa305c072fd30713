"""What a reader of a training estimate must know of its numbers: slow exchange, formats that the card lacks, too few tokens."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.evaluation.question import Question
from reportgen.evaluation.result import Message, Quantity

UNITS = {  # format -> units of the card that it needs
    "fp8": "fp8_tflops",
    "mxfp8": "fp8_tflops",
    "nvfp4": "fp4_tflops",
    "mxfp4": "fp4_tflops",
    "bf16": "bf16_tflops",
    "tf32": "tf32_tflops",
}
WIDER = {"nvfp4": ("fp8", "bf16", "fp16"), "mxfp4": ("fp8", "bf16", "fp16"), "fp8": ("bf16", "fp16"), "tf32": ("fp32",)}
PRETRAINING = ("pretraining", "continued-pretraining")
FEWEST_STEPS = 10  # updates below which an optimizer has hardly begun
FEWEST_TOKENS_PER_PARAMETER = 1  # of a pretraining from nothing


def training_warnings(question: Question, quantities: Mapping[str, Quantity]) -> list[Message]:
    """Messages of a training job, those that change a decision first."""
    values = _numbers(quantities)
    found = [
        *_batch(question, values),
        *_writing(values),
        *_tensor_exchange(values),
        *_quantized_sharding(question, values),
        *_network(values),
        *_on_host(question, values),
    ]
    for accelerator in question.scenario.hardware.accelerators:
        found += _formats(question, accelerator)
    return [*found, *_tokens(question, values)]


def _batch(question: Question, values: Mapping[str, float]) -> list[Message]:
    """That the replicas cannot share the batch, and the nearest that they can; or that the batch keeps more of them away."""
    late = values["layout_found"] < 1 and values["memory_fits"] >= 1 and values.get("in_time", 1.0) < 1
    if late and values["micro_batches"] <= 1 and not question.scenario.hardware.count:
        told = {"global_batch": float(question.scenario.global_batch), "gpus": values["gpus"]}
        return [Message("warning_batch_limits_size", told)]
    if values["batch_divides"] >= 1:
        return []
    told = {name: values[name] for name in ("data_parallel", "effective_global_batch")}
    return [Message("warning_batch_not_shared", {"global_batch": float(question.scenario.global_batch), **told})]


def _writing(values: Mapping[str, float]) -> list[Message]:
    """That no answer fits beside what the training keeps on the card, or that few do."""
    room = values.get("rollout_planned_concurrency")
    if room is None or room >= 1:
        return []
    told = {name: values[name] for name in ("rollout_resident_gib", "rollout_tensor_parallel")}
    return [Message("warning_no_room_to_write", told)]


def _tensor_exchange(values: Mapping[str, float]) -> list[Message]:
    fast = max(values["nvlink_domain"], values["gpus_per_node"])
    if values["tensor_parallel"] <= fast:
        return []
    told = {name: values[name] for name in ("tensor_parallel", "gpus_per_node")}
    if "tensor_exchange_share" not in values:
        return [Message("warning_tensor_parallel_unpriced", told)]
    return [Message("warning_tensor_parallel_leaves_node", {**told, "share": values["tensor_exchange_share"]})]


def _quantized_sharding(question: Question, values: Mapping[str, float]) -> list[Message]:
    """A base in 4 bits can be split by ZeRO-3 since 2024, when it is stored as numbers of a floating format."""
    if "qlora" in question.features and values["zero_stage"] >= 3 and values["data_parallel"] > 1:
        return [Message("warning_quantized_sharding", {})]
    return []


NETWORK = ("network_gbit_s_per_gpu", "network_needed_gbit_s", "zero_stage", "data_parallel")


def network_remark(quantities: Mapping[str, Quantity]) -> list[Message]:
    """That the network is enough for the way in which the states are split, where there is one."""
    values = _numbers(quantities)
    if not values.get("network_needed_gbit_s", 0.0) > 0 or values["network_is_enough"] < 1:
        return []
    return [Message("remark_network_enough", {name: values[name] for name in NETWORK})]


def _network(values: Mapping[str, float]) -> list[Message]:
    """That the network is not enough, and why."""
    if values.get("network_is_enough", 1.0) >= 1:
        return []
    told = {name: values[name] for name in NETWORK}
    return [Message("warning_network_too_slow", {**told, "share": values["exchange_share"]})]


LEVELS = {1.0: "optimizer", 2.0: "weights", 3.0: "activations"}


def _on_host(question: Question, values: Mapping[str, float]) -> list[Message]:
    """What had to move to host memory, unasked, for the job to fit; or that the host is too small for what was asked to."""
    if values["host_memory_fits"] < 1:
        told = {name: values[name] for name in ("offloaded_per_node_gib", "host_memory_room_gib")}
        return [Message("warning_host_memory_short", told)]
    told = {"host_memory_per_node_gib": values["host_memory_per_node_gib"]}
    searched = question.scenario.layout.offload == "auto" and values["layout_found"] >= 1
    level = LEVELS.get(values["offload_level"]) if searched else None
    return [Message(f"warning_offloaded_{level}", told)] if level else []


def _numbers(quantities: Mapping[str, Quantity]) -> dict[str, float]:
    return {name: float(item.value) for name, item in quantities.items() if not isinstance(item.value, str)}


def _formats(question: Question, accelerator: str) -> list[Message]:
    """What a card without the asked units computes in instead."""
    asked = question.scenario.precision.compute
    record = question.catalog.accelerators[accelerator]
    field = UNITS.get(asked)
    if field is None or getattr(record, field):
        return []
    others = WIDER.get(asked, ("fp16", "fp32"))
    used = next((name for name in others if getattr(record, UNITS.get(name, f"{name}_tflops"))), others[-1])
    return [Message("warning_precision_widened", {"accelerator": accelerator, "precision": asked, "used": used})]


def _tokens(question: Question, values: Mapping[str, float]) -> list[Message]:
    """Tokens far too few to teach anything are remarked, not refused."""
    if values["steps"] < 1:
        return [
            Message(
                "warning_less_than_a_step",
                {"run_tokens": values["run_tokens"], "tokens_per_step": values["tokens_per_step"]},
            )
        ]
    if values["steps"] < FEWEST_STEPS:
        return [Message("warning_few_steps", {"steps": values["steps"]})]
    ratio = values["run_tokens"] / values["parameters"]
    if question.scenario.job == "pretraining" and ratio < FEWEST_TOKENS_PER_PARAMETER:
        return [Message("warning_few_tokens", {"ratio": round(ratio, 3)})]
    return []
