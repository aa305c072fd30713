"""The knowledge: every formula, by subject."""

from __future__ import annotations

import importlib
from functools import lru_cache

from reportgen.formula import Formula, Graph, select

SUBJECTS = (
    "attention", "architecture", "adapters", "work", "accelerator", "layout_choice", "training_layout",
    "training_memory", "activations", "buffers", "peak_memory", "device_memory", "offload", "step_work", "step_time",
    "communication", "step_update", "training_time", "network_need", "goodput", "checkpoints",
    "rollouts", "reinforcement", "companions", "stages",
    "serving_memory",
    "serving_rates", "serving_speed", "serving_prefill", "speculative", "disaggregation", "serving_error",
    "serving_benchmark", "traffic", "serving_load", "shared_cluster", "serving_choice", "batch_inference", "availability",
    "cluster", "fabric", "owned",
    "storage", "power", "request_list", "cost", "api_price", "rental", "horizon", "delivery", "checks", "rules_of_thumb",
)  # fmt: skip


@lru_cache(maxsize=1)
def formulas() -> tuple[Formula, ...]:
    """All formulas, in the order of the subjects and of their modules."""
    found: dict[int, Formula] = {}
    for subject in SUBJECTS:
        module = importlib.import_module(f"reportgen.estimator.{subject}")
        for value in vars(module).values():
            for item in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(item, Formula):
                    found.setdefault(id(item), item)
    return tuple(found.values())


@lru_cache(maxsize=64)
def active_formulas(features: frozenset[str]) -> tuple[Formula, ...]:
    """The formulas that exist on a structure."""
    return tuple(select(formulas(), features))


@lru_cache(maxsize=64)
def graph(features: frozenset[str], inputs: frozenset[str]) -> Graph:
    """The graph of a structure over named inputs; an input with a formula's name overrides it."""
    return Graph(active_formulas(features), inputs)
