"""The constants of a step: first guesses, how far they may move, and where they stand in the catalog.

Guesses are what is known of the hardware and of kernels without these data; the spread is of the logarithm. A constant
that few rows speak of stays near its guess.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple


class Parameter(NamedTuple):
    """A constant to fit."""

    place: tuple[str, ...]  # path in the fitted file, or ("constant", name)
    guess: float
    spread: float


GEMM = {
    ("ampere", "16bit"): 0.72, ("hopper", "16bit"): 0.65, ("hopper", "8bit"): 0.55, ("blackwell", "16bit"): 0.475,
    ("blackwell", "8bit"): 0.5, ("blackwell", "4bit"): 0.35, ("ascend", "16bit"): 0.68, ("tpu", "16bit"): 0.85,
    ("ada", "16bit"): 0.75, ("ada", "8bit"): 0.4, ("volta", "16bit"): 0.8, ("cdna3", "16bit"): 0.4, ("cdna3", "8bit"): 0.35,
}  # fmt: skip
FIRMER = {("blackwell", "16bit"): 0.05}  # dense products reach it; the many rows of one odd model do not
ATTENTION = {
    "ampere": 0.6, "hopper": 0.6, "blackwell": 0.6, "tpu": 0.5, "ascend": 0.4, "ada": 0.4, "volta": 0.4, "cdna3": 0.4,
}  # fmt: skip
TRAFFIC = {"tuned": 4.0, "megatron": 4.0, "compiled": 4.0, "fused": 6.0, "plain": 10.0, "early": 5.0}
LAUNCH_MS = {"tuned": 0.6, "megatron": 0.8, "compiled": 0.8, "fused": 1.0, "plain": 5.0, "early": 0.8}
TENSOR = {"tuned": 0.5, "megatron": 0.8, "early": 1.2}
DEVICES = ("h200-sxm", "gb200", "gb300", "b300-sxm", "l40s")
SHARED = {"megatron": "tuned"}  # levels whose traffic is that of another one

PARAMETERS: dict[str, Parameter] = {
    **{
        f"gemm_{family}_{bits}": Parameter(
            ("families", family, f"gemm_efficiency_{bits}"), guess, FIRMER.get((family, bits), 0.3)
        )
        for (family, bits), guess in GEMM.items()
    },
    **{
        f"attention_{family}": Parameter(("families", family, "attention_efficiency"), guess, 0.3)
        for family, guess in ATTENTION.items()
    },
    **{f"device_{device}": Parameter(("devices", device), 1.0, 0.15) for device in DEVICES},
    **{
        f"traffic_{level}": Parameter(("levels", level, "elementwise_factor"), guess, 0.5)
        for level, guess in TRAFFIC.items()
        if level not in SHARED
    },
    **{f"launch_{level}": Parameter(("levels", level, "launch_ms"), guess, 0.7) for level, guess in LAUNCH_MS.items()},
    **{
        f"software_{level}": Parameter(("levels", level, "software_factor"), 1.0, 0.05)
        for level in TRAFFIC
        if level != "tuned"
    },
    "megatron_deepspeed": Parameter(("extras", "megatron_deepspeed"), 1.1, 0.15),
    "older_tuned": Parameter(("extras", "older_tuned"), 1.1, 0.1),
    "adapter_traffic": Parameter(("extras", "adapter_traffic"), 8.0, 0.7),
    "unpacking_launch_ms": Parameter(("extras", "unpacking_launch_ms"), 1.5, 0.7),
    "deepspeed_launch_ms": Parameter(("extras", "deepspeed_launch_ms"), 3.0, 0.7),
    "first_attention": Parameter(("extras", "first_attention"), 2.2, 0.3),
    "new_mixture": Parameter(("extras", "new_mixture"), 0.7, 0.2),
    "old_mixture": Parameter(("extras", "old_mixture"), 1.2, 0.2),
    "misaligned_penalty": Parameter(("constant", "misaligned_penalty"), 0.5, 0.5),
    "small_batch_tokens": Parameter(("constant", "small_batch_tokens"), 200.0, 0.7),
    "thin_shard_channels": Parameter(("constant", "thin_shard_channels"), 100.0, 0.7),
    "few_expert_tokens": Parameter(("constant", "few_expert_tokens"), 1000.0, 0.2),
    "sorting_traffic_bytes": Parameter(("constant", "sorting_traffic_bytes"), 80.0, 0.3),
    "narrow_head_channels": Parameter(("constant", "narrow_head_channels"), 32.0, 0.7),
    "score_traffic_bytes": Parameter(("constant", "score_traffic_bytes"), 25.0, 0.5),
    "cast_traffic_factor": Parameter(("constant", "cast_traffic_factor"), 0.7, 0.7),
    "logit_traffic_bytes": Parameter(("constant", "logit_traffic_bytes"), 12.0, 0.7),
    "unpacking_traffic_bytes": Parameter(("constant", "unpacking_traffic_bytes"), 18.0, 0.4),
    "mixture_launch_ms": Parameter(("extras", "mixture_launch_ms"), 5.0, 0.4),
    "hidden_launch_share": Parameter(("constant", "hidden_launch_share"), 0.1, 0.7),
    **{
        f"tensor_{level}": Parameter(("levels", level, "tensor_exposure"), guess, 0.4)
        for level, guess in TENSOR.items()
    },
    "context_exposure": Parameter(("constant", "context_exposure"), 0.5, 0.5),
    "fast_exchange_exposure": Parameter(("constant", "fast_exchange_exposure"), 0.45, 0.4),
    "slow_exchange_exposure": Parameter(("constant", "slow_exchange_exposure"), 0.7, 0.4),
    "sharded_inefficiency": Parameter(("constant", "sharded_inefficiency"), 1.4, 0.4),
    "exposed_gathering_share": Parameter(("constant", "exposed_gathering_share"), 0.2, 0.5),
    "exposed_reduction_share": Parameter(("constant", "exposed_reduction_share"), 0.5, 0.5),
    "update_traffic_bytes": Parameter(("constant", "update_traffic_bytes"), 48.0, 0.7),
    "step_start_seconds": Parameter(("constant", "step_start_seconds"), 0.05, 1.0),
    "host_update_seconds_per_parameter": Parameter(("constant", "host_update_seconds_per_parameter"), 1.8e-9, 0.3),
}
HELD = {  # parts of the spread that are used, by what a name starts with: free constants serve only the sources seen
    "gemm_": 0.6, "launch_": 0.6, "tensor_": 0.6, "device_": 0.3, "traffic_": 1.0, "software_": 1.0,
}  # fmt: skip
HELD_OTHERS = 0.5
PARAMETERS = {
    name: item._replace(
        spread=item.spread * next((part for start, part in HELD.items() if name.startswith(start)), HELD_OTHERS)
    )
    for name, item in PARAMETERS.items()
}
FIXED = {"least_network_gb_s": 3.0}
UNLISTED = {
    "gemm_efficiency_16bit": 0.5,
    "gemm_efficiency_8bit": 0.4,
    "gemm_efficiency_4bit": 0.3,
    "attention_efficiency": 0.3,
}


def as_fit(values: Mapping[str, float]) -> dict[str, Any]:
    """Values by name of parameter as the fitted file holds them: families, devices, levels, extras, constant."""
    fit: dict[str, Any] = {
        "families": {"unlisted": dict(UNLISTED)}, "devices": {}, "levels": {"tuned": {"software_factor": 1.0}}, "extras": {},
        "constant": dict(FIXED),
    }  # fmt: skip
    for name, parameter in PARAMETERS.items():
        inside = fit
        for part in parameter.place[:-1]:
            inside = inside.setdefault(part, {})
        inside[parameter.place[-1]] = values[name]
    for level in fit["levels"]:
        fit["levels"][level].setdefault("tensor_exposure", fit["levels"]["megatron"]["tensor_exposure"])
    for level, other in SHARED.items():
        fit["levels"][level]["elementwise_factor"] = fit["levels"][other]["elementwise_factor"]
    return fit
