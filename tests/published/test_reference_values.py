"""Every published or derived value that the formulas must reproduce, each within its own tolerance."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reportgen.catalog.yaml_data import read_yaml
from reportgen.estimator import activations, checkpoints, goodput, rules_of_thumb, training_time
from reportgen.formula import GIB, GIGABYTE, HOUR, TERABYTE, TERAFLOP
from tests.estimator.training.cases import ACCELERATOR, training_case

ROWS = read_yaml(Path(__file__).parent / "reference_values.yaml")["values"]
SHAPES = {row["id"].partition(".")[2]: row["inputs"] for row in ROWS if row["id"].startswith("params.")}
Given = dict[str, Any]


def quantity(name: str, shape: dict, method: str = "full", **changes: Any) -> float:
    """One quantity of a training case."""
    graph, inputs = training_case(shape, method, **changes)
    return graph.evaluate(inputs, only=[name])[name]


def flops_per_token(given: Given) -> float:
    name = "training_flops_per_token" if given["causal"] else "full_attention_flops_per_token"
    return quantity(name, SHAPES[given["model"]], sequence_length=float(given["seq"]))


def nvidia_tflops(given: Given) -> float:
    adapters = given.get("method", "").startswith("LoRA")
    changes = {"sequence_length": 0.0, "lora_rank": 0.0} if adapters else {"sequence_length": float(given["seq"])}
    work = quantity("training_flops_per_token", SHAPES[given["model"]], "lora" if adapters else "full", **changes)
    return work * given["tokens_per_s_per_gpu"] / TERAFLOP


def mosaic_utilization(given: Given) -> float:
    shape = {"L": given["L"], "h": given["d_model"], "a": 1, "d": given["d_model"], "f": 1, "V": 1}
    work = quantity(
        "all_parameters_flops_per_token", shape, active_parameters=given["N"], sequence_length=float(given["seq"])
    )
    return 100 * training_time.model_flops_utilization(work * given["tok_s_gpu"], given["peak"])


CLASSIC_LAYERS = {
    "none_noTP": "classic_layer_bytes",
    "tp": "classic_layer_bytes_tensor",
    "tp_sp": "classic_layer_bytes_sequence",
    "tp_sel": "classic_layer_bytes_tensor_selective",
    "tp_sp_sel": "classic_layer_bytes_sequence_selective",
    "full": "classic_layer_bytes_full",
}


def classic(given: Given, name: str) -> float:
    shape = {"L": given["L"], "h": given["h"], "a": given["a"], "d": 1, "f": 1, "V": 1}
    return quantity(
        name,
        shape,
        features=("published_methods",),
        sequence_length=given["s"],
        micro_batch=given["b"],
        tensor_parallel=given["tp"],
        pipeline_parallel=given["pp"],
        virtual_stages=given["vpp"],
    )


def classic_layer(given: Given) -> float:
    return classic(given, CLASSIC_LAYERS[given["mode"]])


def classic_share(given: Given) -> float:
    return 100 * classic_layer(given) / classic(given, "classic_layer_bytes_tensor")


def korthikanti_utilization(given: Given) -> float:
    return 100 * rules_of_thumb.short_form_utilization(
        given["B"], given["s"], given["L"], given["h"], given["V"], given["t"], given["gpus"], given["peak_tflops"]
    )


def narayanan_parameters(given: Given) -> float:
    return rules_of_thumb.short_form_parameters(given["L"], given["h"], given["V"], given["s"]) / 1e9


def narayanan_step(given: Given) -> float:
    return rules_of_thumb.short_form_step_flop(given["B"], given["s"], given["L"], given["h"], given["V"])


def narayanan_days(given: Given) -> float:
    return rules_of_thumb.short_form_days(given["params"], given["tokens"], given["gpus"], given["flops"] / TERAFLOP)


def zero_states(given: Given) -> float:
    names = ("weights_per_gpu_gib", "gradients_per_gpu_gib", "optimizer_per_gpu_gib")
    graph, inputs = training_case(
        SHAPES["llama2-7b"],
        common_parameters_per_gpu=given["params"],
        state_shards=given["dp"],
        zero_stage=given["stage"],
        gradient_bytes=given["grad_bytes"],
        optimizer_moment_bytes=given["K"] - 4,
    )
    values = graph.evaluate(inputs, only=names)
    return sum(values[name] for name in names) * GIB / GIGABYTE


def lora_parameters(given: Given) -> float:
    long_names = {"q": "query", "k": "key", "v": "value", "o": "output", "gate": "gate", "up": "up", "down": "down"}
    targets = {f"lora_{name}": float(short in given["targets"]) for short, name in long_names.items()}
    return quantity("lora_parameters", SHAPES[given["model"]], "lora", lora_rank=given["r"], **targets)


def scale_bits(given: Given) -> float:
    block = {"quantization_block": given["block"], "quantization_second_block": given["block2"]}
    return quantity("quantization_constant_bits", SHAPES["llama2-7b"], "qlora", **block)


def quantized_bytes(given: Given) -> float:
    return quantity("quantized_weights_gib", SHAPES[given["model"]], "qlora") * GIB


def adapter_flops(given: Given) -> float:
    short = {"sequence_length": float(given["seq"]), "lora_rank": 0.0}
    return quantity("training_flops_per_token", SHAPES[given["model"]], "lora", **short)


def recomputed_flops(given: Given) -> float:
    return quantity("hardware_flops_per_token", SHAPES[given["model"]], sequence_length=float(given["seq"]))


def checkpoint_gb(given: Given) -> float:
    count = given["params"] if "params" in given else quantity("parameters", SHAPES[given["model"]])
    return checkpoints.checkpoint_gb(count, given["bytes_per_param"])


def checkpoint_bytes(given: Given) -> float:
    model, parts = SHAPES[given["model"]], given["bytes_per_param"]
    assert quantity("checkpoint_bytes_per_parameter", model) == parts
    return quantity("checkpoint_gb", model) * GIGABYTE


def saving_share(given: Given) -> float:
    return checkpoints.checkpoint_time_share(given["save_s"], 24 / given["every_h"])


def written_a_day(given: Given) -> float:
    return checkpoints.checkpoint_written_tb_per_day(given["size_TB"] * TERABYTE / GIGABYTE, 24 / given["every_h"])


def hours_to_failure(gpus: float, node_rate: float) -> float:
    return goodput.mean_time_to_failure_hours(goodput.failures_per_day(gpus, node_rate, 0.0))


def counted_failures(given: Given) -> float:
    gpus = given.get("gpus", 16384)
    return hours_to_failure(gpus, given["failures"] / given["days"] / (gpus / 8))


def gpu_days(given: Given) -> float:
    return goodput.gpu_days_per_failure(given["gpus"], counted_failures(given))


def rated_failures(given: Given) -> float:
    assert given["gpus_per_node"] == 8
    return hours_to_failure(given["gpus"], given["per_1000_node_days"] / 1000)


def young(given: Given) -> float:
    return goodput.checkpoint_interval_seconds(given["ckpt_block_s"], given["mttf_s"] / HOUR)


def kept(given: Given) -> float:
    return goodput.goodput(given["ckpt_block_s"], given["interval_s"], given["restart_s"], given["mttf_s"] / HOUR, 0.05)


def bubble(given: Given) -> float:
    return training_time.bubble_factor(given["p"], given["v"], given["m"]) - 1


def bubble_share(given: Given) -> float:
    return rules_of_thumb.bubble_share(given["p"], given["v"], given["m"])


def logits(given: Given) -> float:
    return activations.logits_gib(given["bytes"], given["b"] * given["s"], given["V"], 1)


def hidden_state(given: Given) -> float:
    assert given["bytes"] == 2
    return activations.hidden_state_gib(given["b"] * given["s"], given["h"], 1)


def modern_layer(given: Given) -> float:
    shape = {"L": 1, "V": 1, **given}
    sizes = {"sequence_length": given["s"], "micro_batch": given["b"], "activation_factor": 1.0}
    return quantity("layer_activations_gib", shape, **sizes) * GIB


METHODS: dict[str, Callable[[Given], float]] = {
    "total_parameters": lambda given: quantity("parameters", given),
    "active_parameters_incl_embeddings": lambda given: quantity("active_parameters", given),
    "train_model_FLOPs_per_token": flops_per_token,
    "model_TFLOPs_per_GPU": nvidia_tflops,
    "activation_bytes_per_layer_per_gpu": classic_layer,
    "percent_of_TP_baseline": classic_share,
    "first_stage_activation_GiB_no_recompute_TP_only": lambda given: classic(given, "classic_first_stage_gib"),
    "first_stage_activation_GiB_SP+selective": lambda given: classic(given, "classic_first_stage_selective_gib"),
    "params+grads+optimizer_GiB_per_gpu (18 B/param, 12Lh^2)": lambda given: classic(given, "short_form_states_gib"),
    "parameters": narayanan_parameters,
    "hardware_FLOPs_per_iteration (full recompute)": narayanan_step,
    "training_days = 8TP/(nX)/86400": narayanan_days,
    "model_state_GB_per_gpu": zero_states,
    "trainable_params": lora_parameters,
    "double-quant constant bits/param": scale_bits,
    "quantised linear weights, NF4+DQ": quantized_bytes,
    "FLOPs/token ~ 4N (no wgrad of frozen base; adapters ignored)": adapter_flops,
    "hardware FLOPs/token = 8N": recomputed_flops,
    "checkpoint_size": lambda given: checkpoint_gb(given) * GIGABYTE / GIB,
    "bf16_weights": lambda given: checkpoint_gb(given) * GIGABYTE / GIB,
    "full_checkpoint": checkpoint_bytes,
    "checkpoint_overhead_fraction": saving_share,
    "written_per_day": written_a_day,
    "job_MTTF_all": counted_failures,
    "GPU-days per unexpected interruption": gpu_days,
    "optimal_interval sqrt(2*d*M)": young,
    "goodput=(1-d/tau)(1-(tau/2+R)/M)": kept,
    "bubble_overhead=(p-1)/(v m)": bubble,
    "bubble share (p-1)/(v m+p-1)": bubble_share,
    "bubble share (p-1)/(m+p-1)": bubble_share,
    "fp32 logits": logits,
    "hidden_states": hidden_state,
    "layer activations (flash, SwiGLU, RMSNorm, no dropout)": modern_layer,
}
BY_PREFIX: dict[tuple[str, str], Callable[[Given], float]] = {
    ("mosaic_mfu", "MFU_percent"): mosaic_utilization,
    ("korth", "MFU_percent"): korthikanti_utilization,
    ("llama3", "job_MTTF"): counted_failures,
    ("kokolis", "job_MTTF"): rated_failures,
}


def method_of(row: dict) -> Callable[[Given], float] | None:
    """The computation of a row, by its quantity and, where two publications use one name, by its source."""
    prefix = row["id"].partition(".")[0]
    return BY_PREFIX.get((prefix, row["quantity"])) or METHODS.get(row["quantity"])


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_value_is_reproduced(row: dict) -> None:
    method = method_of(row)
    assert method is not None, f"no formula for {row['quantity']}"
    found = method(row["inputs"])
    allowed = row.get("tolerance_abs", 0.0) + row.get("tolerance_rel", 0.0) * abs(row["expected"])
    allowed += 1e-14 * abs(row["expected"])  # a sum of GiB turned back into bytes
    assert math.isclose(found, row["expected"], rel_tol=0, abs_tol=allowed), f"{found} against {row['expected']}"


def test_nothing_is_left_out() -> None:
    assert len(ROWS) == 200
    assert [row["id"] for row in ROWS if method_of(row) is None] == []
    assert ACCELERATOR["peak_tflops"] == 989.0
