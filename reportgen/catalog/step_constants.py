"""Fitted constants of the time of a step that belong to hardware or to software: looked up, never in a formula."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reportgen.catalog.hardware_records import AcceleratorRecord
from reportgen.catalog.yaml_data import read_data

Fit = Mapping[str, Any]
ADAPTERS = ("lora", "qlora")


def fitted() -> Fit:
    """The constants that the calibration wrote."""
    return read_data("step_time_fit")


def software_level(stack: str, year: float | None = None) -> str:
    """The level of a stack; Megatron of the time before fused attention is a level of its own."""
    table = read_data("software_levels")
    level = table["stacks"].get(stack, "megatron")
    early = year is not None and year < table["early_before"]
    return "early" if early and level in ("tuned", "megatron") else level


def software_inputs(
    stack: str, year: float | None, method: str, fit: Fit | None = None, family: str = ""
) -> dict[str, float]:
    """Inputs of a step that the software decides. year: of the software, None for today's; family: of the accelerator."""
    fit = fit or fitted()
    table = read_data("software_levels")
    level = software_level(stack, year)
    known, extra = fit["levels"][level], fit["extras"]
    adapter = method in ADAPTERS
    heavy = level == "plain" and adapter
    issued = 0.0 if stack in table["whole_step_compiled"] else 1.0
    launch = known["launch_ms"] + (extra["unpacking_launch_ms"] if method == "qlora" else 0.0)
    return {
        "software_factor": known["software_factor"] * _generation_factor(stack, level, year, table, extra),
        "elementwise_factor": known["elementwise_factor"] + (extra["adapter_traffic"] if heavy else 0.0),
        "tensor_exposure": known["tensor_exposure"],
        "launch_ms": issued * launch,
        "mixture_launch_ms": issued * extra["mixture_launch_ms"],
        "sharded_launch_ms": extra["deepspeed_launch_ms"] if level == "plain" or stack == "deepspeed" else 0.0,
        "attention_kernel_factor": _attention_factor(level, year, family, table, extra),
        "mixture_release_factor": _release_factor(level, year, table, extra),
    }


def _attention_factor(level: str, year: float | None, family: str, table: Mapping[str, Any], extra: Fit) -> float:
    """Kernels of fused attention: the first ones, and those written for older hardware. Vendors tune their own."""
    if year is None or level in ("tuned", "early"):
        return 1.0
    first = extra["first_attention"] if year < table["fast_attention_from"] else 1.0
    foreign = family in table["own_instructions"] and year < table["own_kernels_from"][level]
    return first * (table["older_kernel_factor"] if foreign else 1.0)


def _generation_factor(stack: str, level: str, year: float | None, table: Mapping[str, Any], extra: Fit) -> float:
    """Tuned software became faster on the same hardware; Megatron-DeepSpeed was slower than Megatron of its time."""
    if stack == "megatron-deepspeed":
        return extra["megatron_deepspeed"]
    older = level == "tuned" and year is not None and year < table["tuned_before"]
    return extra["older_tuned"] if older else 1.0


def _release_factor(level: str, year: float | None, table: Mapping[str, Any], extra: Mapping[str, float]) -> float:
    if level == "tuned" and (year is None or year >= table["new_mixtures_from"]):
        return extra["new_mixture"]
    if level != "tuned" or year < table["old_mixtures_before"]:
        return extra["old_mixture"]
    return 1.0


def accelerator_efficiency(record: AcceleratorRecord, name: str, fit: Fit | None = None) -> float:
    """An efficiency of an accelerator: that of its family times the factor of the device, or that of unlisted hardware."""
    fit = fit or fitted()
    family = fit["families"].get(record.family) or fit["families"]["unlisted"]
    if name == "gemm_efficiency_8bit" and not record.fp8_tflops:
        name = "gemm_efficiency_16bit"
    if name == "gemm_efficiency_4bit" and not record.fp4_tflops:
        name = "gemm_efficiency_8bit" if record.fp8_tflops else "gemm_efficiency_16bit"
    value = family.get(name) or fit["families"]["unlisted"][name]
    return value * fit["devices"].get(record.id, 1.0)


def is_calibrated(record: AcceleratorRecord) -> bool:
    """Whether published runs of the family were there to fit."""
    return record.family in fitted()["calibrated"]
