"""Models, accelerators and scenarios in numbers, and the serving formulas evaluated on them."""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Any

import numpy as np

from reportgen.catalog import load_catalog
from reportgen.formula import Formula, Graph, select

SUBJECTS = (
    "attention", "architecture", "serving_memory", "serving_rates", "serving_speed", "serving_prefill", "speculative", "disaggregation",
    "serving_error",
    "serving_benchmark", "traffic", "availability", "serving_load", "shared_cluster", "serving_choice", "batch_inference",
)  # fmt: skip
SHAPE = (
    "layers", "hidden_size", "attention_heads", "key_value_heads", "head_dimension", "intermediate_size",
    "vocabulary_size",
)  # fmt: skip
DENSE = {  # config.json of each model
    "llama-2-7b": (32, 4096, 32, 32, 128, 11008, 32000),
    "llama-3.1-8b": (32, 4096, 32, 8, 128, 14336, 128256),
    "llama-3.1-70b": (80, 8192, 64, 8, 128, 28672, 128256),
    "llama-3.1-405b": (126, 16384, 128, 8, 128, 53248, 128256),
    "qwen2.5-7b": (28, 3584, 28, 4, 128, 18944, 152064),
}
PLAIN = {
    "norms_per_layer": 2.0, "norm_weights_per_channel": 1.0, "qkv_bias": 0.0, "output_bias": 0.0, "mlp_bias": 0.0,
    "qk_norm_width": 0.0,
}  # fmt: skip
DEEPSEEK_V3 = {  # arXiv:2412.19437
    "layers": 61.0, "hidden_size": 7168.0, "attention_heads": 128.0, "key_value_heads": 128.0, "head_dimension": 192.0,
    "value_head_dimension": 128.0, "intermediate_size": 18432.0, "vocabulary_size": 129280.0, "dense_layers": 3.0,
    "moe_layers": 58.0, "experts": 256.0, "experts_per_token": 8.0, "expert_intermediate_size": 2048.0,
    "shared_experts": 1.0, "query_lora_rank": 1536.0, "key_value_lora_rank": 512.0, "nope_head_dimension": 128.0,
    "rope_head_dimension": 64.0,
}  # fmt: skip
HARDWARE = {  # visible GiB, GB/s, 16-bit and 8-bit TFLOP/s, link GB/s in one direction, accelerators on the link
    "h100": (79.6, 3350.0, 989.0, 1979.0, 450.0, 8.0),
    "h200": (140.4, 4800.0, 989.0, 1979.0, 450.0, 8.0),
    "h20": (95.58, 4000.0, 148.0, 296.0, 450.0, 8.0),
    "l40s": (44.99, 864.0, 362.0, 733.0, 32.0, 1.0),
    "rtx-4090": (23.99, 1008.0, 165.2, 330.3, 32.0, 1.0),
}
SERVICE: dict[str, Any] = {
    "prompt_tokens": 1024.0, "answer_tokens": 1024.0, "prefix_hit": 0.0, "max_context": 8192.0, "utilization_cap": 0.7,
    "spare_nodes": 1.0, "fixed_gpu_count": 0.0, "layout_number": 1.0, "weight_bytes_per_parameter": 1.0,
    "attention_bytes_per_parameter": 1.0, "key_value_bytes": 1.0, "compute_precision": "fp8", "engine_ttft_offset_s": 0.02,
    "engine_time_factor": 1.0, "engine_first_token_steps": 1.5,
    "engine_launch_time_s": 38e-6, "attention_data_parallel": 1.0, "tensor_parallel": 4.0,
    "batch_per_replica": 32.0, "users": 5000.0, "active_share": 0.2, "requests_per_minute": 0.4, "peak_factor": 2.0,
    "hourly_mean_share": 0.276, "busy_days_per_month": 22.0, "arrival_variation": 1.0,
    "ttft_objective_s": 2.0, "ttft_percentile": 0.95, "tpot_objective_s": 0.05,
}  # fmt: skip
PILE: dict[str, Any] = {**SERVICE, "items": 1e6, "window_hours": 12.0, "spare_nodes": 0.0, "utilization_cap": 0.9}
SERVING = frozenset({"serving", "latency_objectives", "fabric"})
BATCH = frozenset({"batch_inference"})


def model(name: str) -> tuple[frozenset[str], dict[str, float]]:
    """Features and architecture inputs of a model."""
    if name == "deepseek-v3":
        features = {"gated", "mixture_of_experts", "latent_attention", "query_compression"}
        return frozenset(features), {**PLAIN, **DEEPSEEK_V3}
    shape = dict(zip(SHAPE, map(float, DENSE[name]), strict=True))
    rest = {"value_head_dimension": shape["head_dimension"], "dense_layers": shape["layers"], "moe_layers": 0.0}
    return frozenset({"gated"}), {**PLAIN, **shape, **rest}


def accelerator(name: str, precision: str = "fp8") -> dict[str, Any]:
    """What the accelerator table gives, at one precision of the matrix products."""
    memory, bandwidth, sixteen, eight, link, domain = HARDWARE[name]
    return {
        "memory_capacity_gib": memory, "memory_usable_gib": 0.95 * memory, "memory_bandwidth_gb_s": bandwidth,
        "peak_tflops_16bit": sixteen, "peak_tflops": eight if precision == "fp8" else sixteen, "link_gb_s": link,
        "nvlink_domain": domain, "gpus_per_node": 8.0, "compute_precision": precision,
        "peak_tflops_8bit": eight, "serving_peak_tflops": eight if precision == "fp8" else sixteen,
        "multiplies_fp4": 0.0, "speed_error_of_accelerator": 0.15,
    }  # fmt: skip


@lru_cache(maxsize=1)
def formulas() -> tuple[Formula, ...]:
    """The formulas of the subjects that serving needs."""
    found: dict[int, Formula] = {}
    for subject in SUBJECTS:
        for value in vars(importlib.import_module(f"reportgen.estimator.{subject}")).values():
            for item in value if isinstance(value, list) else (value,):
                if isinstance(item, Formula):
                    found.setdefault(id(item), item)
    return tuple(found.values())


@lru_cache(maxsize=1)
def constants() -> dict[str, float]:
    """All constants of the catalog at their base."""
    return {key: float(record.value) for key, record in load_catalog().constants.items()}


@lru_cache(maxsize=64)
def graph(features: frozenset[str], inputs: frozenset[str]) -> Graph:
    """The graph of a structure, kept since ordering it takes longer than evaluating it."""
    return Graph(select(formulas(), features), inputs)


def evaluate(name: str, card: str, features: frozenset[str] = SERVING, **changes: Any) -> dict[str, Any]:
    """All quantities of a model on an accelerator; `changes` replace scenario inputs."""
    of_model, architecture = model(name)
    basis = PILE if "batch_inference" in features else SERVICE
    precision = changes.get("compute_precision", "fp8")
    inputs = {**constants(), **architecture, **basis, **accelerator(card, precision), **changes}
    with np.errstate(all="ignore"):
        return graph(features | of_model, frozenset(inputs)).evaluate(inputs)
