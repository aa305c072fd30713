"""Rules about number formats and shards that the hardware or the software does not have."""

from __future__ import annotations

import math

from reportgen.catalog.hardware_records import AcceleratorRecord
from reportgen.scenario.architecture import Architecture
from reportgen.scenario.question import Finding, Findings, Question

NARROW = {"fp8": "fp8_tflops", "mxfp8": "fp8_tflops", "nvfp4": "fp4_tflops", "mxfp4": "fp4_tflops"}
WHOLE_BASE = (
    "megatron",
    "megatron-bridge",
    "nemo",
    "megatron-deepspeed",
    "mindspeed",
    "maxtext",
    "internevo",
    "unsloth",
)
FLOATING_BASE = "nf4"
MOST_NAMED = 3
ONLY_WITH_UNITS = ("tensorrt-llm",)
RUNS_ONLY_ON = {"tensorrt-llm": "NVIDIA", "mindie": "Huawei"}
FOUR_BIT_FLOATS = ("nvfp4", "mxfp4")


def precision(question: Question) -> Findings:
    """The requested card multiplies in the format that training asks for."""
    asked = question.get("precision.compute")
    field = NARROW.get(asked)
    if not question.training or field is None or not question.wrote("precision.compute"):
        return
    first = _first_accelerator(question)
    record = question.catalog.accelerators.get(first)
    if record is None or getattr(record, field):
        return
    others = [key for key in _other_accelerators(question) if getattr(question.catalog.accelerators[key], field)]
    others = others or _nearest_with(question, record, field)
    instead = f", or ask for one of: {', '.join(others[:MOST_NAMED])}" if others else ""
    widest = "bf16" if record.bf16_tflops else "fp16"
    yield Finding(
        "precision.compute", "no-units", f"'{first}' has no units for {asked}", f"write 'precision: {widest}'{instead}"
    )


def engine(question: Question) -> Findings:
    """Some engines refuse weights in a format that the card does not multiply in; others widen them."""
    weights, software = question.get("precision.weights"), question.get("engine")
    first = _first_accelerator(question)
    record = question.catalog.accelerators.get(first)
    if question.training or record is None or software not in ONLY_WITH_UNITS or weights not in FOUR_BIT_FLOATS:
        return
    if record.fp4_tflops:
        return
    near = ", ".join(_nearest_with(question, record, "fp4_tflops")[:MOST_NAMED])
    instead = f", or ask for one of: {near}" if near else ""
    path = "precision.weights" if question.wrote("precision.weights") else "engine"
    message = f"'{software}' does not run {weights} weights on '{first}', which has no units for them"
    yield Finding(path, "no-units", message, f"write 'weights: fp8' or 'weights: int4'{instead}")


def engine_of_a_maker(question: Question) -> Findings:
    """Some engines are for the accelerators of one maker."""
    software, first = question.get("engine"), _first_accelerator(question)
    record, maker = question.catalog.accelerators.get(first), RUNS_ONLY_ON.get(software or "")
    if question.training or record is None or maker is None or record.vendor == maker:
        return
    message = f"'{software}' runs on accelerators of {maker} only, not on '{first}'"
    yield Finding("engine", "engine", message, "write 'engine: vllm', or ask for another accelerator")


def _nearest_with(question: Question, record: AcceleratorRecord, field: str) -> list[str]:
    """Cards of the same vendor that have the units, nearest in memory and then in its speed."""
    able = [
        item for item in question.catalog.accelerators.values() if getattr(item, field) and item.vendor == record.vendor
    ]

    def distance(item: AcceleratorRecord) -> tuple[float, float]:
        return abs(item.memory_gb - record.memory_gb), abs(item.memory_bandwidth_gb_s - record.memory_bandwidth_gb_s)

    return [item.id for item in sorted(able, key=distance)]


def _other_accelerators(question: Question) -> tuple[str, ...]:
    named = question.get("hardware.accelerators") or ()
    return tuple(key for key in named if key in question.catalog.accelerators)


def _first_accelerator(question: Question) -> str:
    named = question.get("hardware.accelerators")
    return named[0] if named else question.get("hardware.accelerator") or ""


def quantized_shards(question: Question) -> Findings:
    """A quantised base is split by ZeRO-3 only where the software stores it as floating numbers."""
    if question.get("method") != "qlora" or question.get("layout.zero") != 3:
        return
    stack, base = question.get("stack"), question.get("lora.base")
    if stack in WHOLE_BASE:
        yield Finding(
            "layout.zero",
            "layout",
            f"'{stack}' keeps a quantised base whole on every GPU: qlora and ZeRO 3 are not combined there",
            "write 'zero: 2', or 'stack: hf' or 'fsdp', which split a base in nf4",
        )
    elif base and base != FLOATING_BASE:
        yield Finding(
            "layout.zero",
            "layout",
            f"a base in {base} is stored as whole numbers, which ZeRO 3 does not split",
            "write 'zero: 2', or 'base: nf4' under 'lora'",
        )


def quantized_tensors(question: Question) -> Findings:
    """4-bit matrices are not cut by tensor parallelism."""
    tensor = question.get("layout.tp")
    if question.get("method") == "qlora" and tensor and tensor > 1:
        message = f"tensor parallelism over {tensor} does not cut a quantised base"
        yield Finding("layout.tp", "layout", message, "remove 'tp', or write 'zero: 3', or 'method: lora'")


def expert_groups(question: Question) -> Findings:
    """GPUs that share experts form whole groups."""
    layout, count, shape = question.get("layout"), question.get("hardware.count"), question.architecture
    if not (question.training and layout):
        return
    if layout.etp and layout.etp > 1 and shape and not shape.is_moe:
        yield Finding("layout.etp", "layout", f"'{shape.name}' has no experts to cut", "remove 'etp'", True)
        return
    degrees = {name: getattr(layout, name) for name in ("ep", "etp", "pp") if getattr(layout, name)}
    group = math.prod(degrees.values())
    if count and (layout.ep or layout.etp) and count % group:
        text = " x ".join(f"{name} {degree}" for name, degree in degrees.items())
        first = "ep" if layout.ep else "etp"
        message = f"{text} = {group} GPUs do not divide {count} GPUs"
        yield Finding(f"layout.{first}", "layout", message, _nearest_group(degrees, first, count, shape))


def _nearest_group(degrees: dict[str, int], first: str, count: int, shape: Architecture | None) -> str:
    group = math.prod(degrees.values())
    rest, whole = group // degrees[first], max(group, round(count / group) * group)
    experts = shape.experts if shape and first == "ep" else 0
    fitting = [other for other in range(1, count // rest + 1) if count % (rest * other) == 0 and experts % other == 0]
    if not fitting:
        return f"write 'count: {whole}'"
    nearest = min(fitting, key=lambda other: abs(math.log(other / degrees[first])))
    return f"write '{first}: {nearest}', or 'count: {whole}'"


def groups_of_states(question: Question) -> Findings:
    """A group shares states only where states are split; disks serve one plain training."""
    layout = question.get("layout")
    if not (question.training and layout):
        return
    if layout.sharding_group and layout.zero == 0:
        message = "ZeRO 0 splits nothing: a sharding group has no meaning"
        yield Finding("layout.sharding_group", "layout", message, "write 'zero: 3', or remove it")
    rewarded = question.get("algorithm") in ("ppo", "grpo")
    if layout.offload == "nvme" and (rewarded or len(question.get("stages") or ()) > 1):
        message = "optimizer states on disks are planned for one plain training"
        yield Finding("layout.offload", "layout", message, "write 'offload: optimizer', which uses host memory")
