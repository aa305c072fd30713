"""Complete inputs of a training case, from the short form in which published values state an architecture."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reportgen.catalog.load import load_catalog
from reportgen.estimator import (
    activations,
    adapters,
    architecture,
    attention,
    buffers,
    checkpoints,
    communication,
    device_memory,
    goodput,
    offload,
    peak_memory,
    rules_of_thumb,
    step_time,
    step_update,
    step_work,
    training_layout,
    training_memory,
    training_time,
    work,
)
from reportgen.formula import Column, Formula, Graph, select

MODULES = (
    architecture,
    attention,
    adapters,
    work,
    training_layout,
    training_memory,
    activations,
    buffers,
    peak_memory,
    device_memory,
    offload,
    step_work,
    step_time,
    communication,
    step_update,
    training_time,
    goodput,
    checkpoints,
    rules_of_thumb,
)
FORMULAS = tuple(
    dict.fromkeys(value for module in MODULES for value in vars(module).values() if isinstance(value, Formula))
)
ACCELERATOR = {
    "accelerator_row": 1.0,
    "accelerators_fp32_tflops": Column("fp32_tflops", ("h100-sxm",), (67.0,)),
    "accelerators_planning_utilization_bf16": Column("planning_utilization_bf16", ("h100-sxm",), (0.38,)),
    "accelerators_planning_utilization_fp16": Column("planning_utilization_fp16", ("h100-sxm",), (0.38,)),
    "accelerators_planning_utilization_fp8": Column("planning_utilization_fp8", ("h100-sxm",), (0.27,)),
    "accelerators_planning_utilization_fp4": Column("planning_utilization_fp4", ("h100-sxm",), (float("nan"),)),
    "accelerators_gemm_efficiency_16bit": Column("gemm_efficiency_16bit", ("h100-sxm",), (0.65,)),
    "accelerators_gemm_efficiency_8bit": Column("gemm_efficiency_8bit", ("h100-sxm",), (0.55,)),
    "accelerators_gemm_efficiency_4bit": Column("gemm_efficiency_4bit", ("h100-sxm",), (0.55,)),
    "accelerators_attention_efficiency": Column("attention_efficiency", ("h100-sxm",), (0.44,)),
    "accelerators_step_calibrated": Column("step_calibrated", ("h100-sxm",), (1.0,)),
    "accelerators_pcie_gb_s": Column("pcie_gb_s", ("h100-sxm",), (64.0,)),
    "accelerators_node_ram_gb": Column("node_ram_gb", ("h100-sxm",), (2048.0,)),
    "accelerators_node_nic_count": Column("node_nic_count", ("h100-sxm",), (8.0,)),
    "accelerators_node_nic_gbit_s": Column("node_nic_gbit_s", ("h100-sxm",), (400.0,)),
    "memory_bandwidth_gb_s": 3350.0,
    "link_gb_s": 450.0,
    "peak_tflops": 989.0,
    "peak_tflops_16bit": 989.0,
    "memory_capacity_gib": 79.65,
    "memory_usable_gib": 79.65 * 0.95,
    "gpus_per_node": 8.0,
    "nvlink_domain": 8.0,
}
LAYOUT = {
    "nodes": 8.0,
    "fixed_gpu_count": 0.0,
    "tensor_parallel": 1.0,
    "pipeline_parallel": 1.0,
    "context_parallel": 1.0,
    "expert_parallel": 1.0,
    "virtual_stages": 1.0,
    "micro_batch": 1.0,
    "zero_stage": 1.0,
    "full_recomputation": 0.0,
    "offload_level": 0.0,
    "offload_allowed": 1.0,
    "offload_last": 1.0,
    "paged_optimizer": 0.0,
    "checkpoints_on_host": 0.0,
    "selective_recomputation": 0.0,
    "sequence_parallel": 1.0,
    "layout_number": 1.0,
}
SOFTWARE = {
    "software_factor": 1.0,
    "elementwise_factor": 4.0,
    "launch_ms": 1.0,
    "sharded_launch_ms": 0.0,
    "attention_kernel_factor": 1.0,
    "tensor_exposure": 0.5,
    "mixture_launch_ms": 5.0,
    "mixture_release_factor": 1.0,
}
MIXED_PRECISION = {
    "compute_precision": "bf16",
    "weight_bytes": 2.0,
    "gradient_bytes": 4.0,
    "master_weight_bytes": 4.0,
    "optimizer_moment_bytes": 8.0,
    "base_weight_bytes": 2.0,
    "base_weight_bits": 4.0,
    "logits_bytes": 4.0,
    "eager_kernels": 0.0,
    "flash_attention": 1.0,
    "selective_scores_only": 0.0,
    "unsplit_gradients": 0.0,
    "changing_shapes": 0.0,
    "checkpoint_copies": 1.0,
    "gradient_buckets": 0.0,
    "update_copy_bytes": 0.0,
    "update_temporary_bytes": 0.0,
    "unquantized_weight_bytes": 2.0,
}
REQUEST = {
    "training_tokens": 10e9,
    "epochs": 1.0,
    "runs": 1.0,
    "sequence_length": 4096.0,
    "global_batch": 512.0,
    "deadline_days": 14.0,
    "deadline_for_campaign": 1.0,
    "deadline_z": 1.2816,
    "given_utilization": 0.4,
    "trainable_layers": 2.0,
    "embeddings_trained": 0.0,
    "lora_rank": 16.0,
    "published_gpu_hours": 184320.0,
    "export_variant_time_factor": 1.05,
    **{f"lora_{target}": 1.0 for target in ("query", "key", "value", "output", "gate", "up", "down")},
}


def architecture_case(shape: Mapping[str, Any]) -> tuple[frozenset[str], dict[str, float]]:
    """Features and numbers of a shape: L, h, f, a, kv, d, V, tied, gated, E, k, shared, dense, mla, norms, ..."""
    mla = shape.get("mla") or {}
    experts = shape.get("E", 0)
    layers = shape["L"]
    dense_layers = shape.get("dense", 0) if experts else layers
    biased = float(shape.get("bias", False))
    features = {
        "gated": shape.get("gated", True),
        "tied": shape.get("tied", False),
        "mixture_of_experts": experts > 0,
        "latent_attention": bool(mla),
        "query_compression": bool(mla.get("q")),
        "learned_positions": "pos" in shape,
        "sliding_window": "window" in shape,
        "qk_norm": shape.get("qk_norm", False),
    }
    numbers = {
        "layers": layers,
        "hidden_size": shape["h"],
        "attention_heads": shape["a"],
        "key_value_heads": shape.get("kv", shape["a"]),
        "head_dimension": shape.get("d", 0),
        "value_head_dimension": mla.get("v", shape.get("d", 0)),
        "intermediate_size": shape.get("fd", shape["f"]),
        "vocabulary_size": shape["V"],
        "dense_layers": dense_layers,
        "moe_layers": layers - dense_layers,
        "norms_per_layer": shape.get("norms", 2),
        "norm_weights_per_channel": 2 if biased else 1,
        "qkv_bias": float(shape.get("qkv_bias", False)) or biased,
        "output_bias": biased,
        "mlp_bias": biased,
        "qk_norm_width": 2 * shape["d"] if shape.get("qk_norm") else 0,
        "experts": experts,
        "experts_per_token": shape.get("k", 0),
        "expert_intermediate_size": shape["f"],
        "shared_experts": shape.get("shared", 0),
        "query_lora_rank": mla.get("q", 0),
        "key_value_lora_rank": mla.get("c", 0),
        "nope_head_dimension": mla.get("nope", 0),
        "rope_head_dimension": mla.get("rope", 0),
        "position_embeddings": shape.get("pos", 0),
        "sliding_window": shape.get("window", 0),
        "sliding_layers": shape.get("window_layers", 0),
        "multi_token_layers": 1,
    }
    return frozenset(name for name, holds in features.items() if holds), {
        key: float(value) for key, value in numbers.items()
    }


def constants() -> dict[str, float]:
    """The values of all constants of the catalog."""
    return {key: record.value for key, record in load_catalog().constants.items()}


def training_case(
    shape: Mapping[str, Any], method: str = "full", features: tuple[str, ...] = (), **changes: Any
) -> tuple[Graph, dict[str, Any]]:
    """The graph of a training case and its inputs; changes replace any input or formula by a value."""
    of_shape, numbers = architecture_case(shape)
    inputs = {**constants(), **numbers, **ACCELERATOR, **LAYOUT, **SOFTWARE, **MIXED_PRECISION, **REQUEST, **changes}
    if "utilization_from_run" in features:
        del inputs["given_utilization"]
    chosen = select(FORMULAS, frozenset({"training", method, *features}) | of_shape)
    return Graph(chosen, inputs), inputs


def estimate(shape: Mapping[str, Any], method: str = "full", features: tuple[str, ...] = (), **changes: Any) -> dict:
    """All quantities of a training case."""
    graph, inputs = training_case(shape, method, features, **changes)
    return graph.evaluate(inputs)
