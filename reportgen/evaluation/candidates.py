"""The candidate layouts of a job: which combinations are worth evaluating. Arrays, one entry a candidate."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Candidates = dict[str, np.ndarray]
SENTINEL = 1e9  # rank from which a layout does not do what is asked
POWERS_OF_TWO = (1, 2, 4, 8, 16, 32, 64)
MICRO_BATCHES = (1, 2, 4, 8, 16)
BATCHES = (
    *range(1, 9), 10, 12, 14, 16, 20, 24, 28, 32, 40, 48, 56, 64, 72, 80, 96, 112, 128, 144, 160, 192, 224, 256, 320, 384, 448, 512,
    640, 768, 1024,
)  # fmt: skip
MOST_PIPELINE_STAGES = 64
NODES_OF_A_REPLICA = (2, 4)
MOST_NODES = 4096


@dataclass(frozen=True)
class Space:
    """What bounds the candidates: facts of the model and of the accelerator, and what the scenario fixes."""

    layers: int
    attention_heads: int
    experts: int  # 0 for dense models
    domain: int  # accelerators that share the fast link
    gpus_per_node: int
    fixed: Mapping[str, float]  # layout variables that the scenario fixes
    sharded_only: bool = False  # stacks without tensor and pipeline parallelism
    offload_levels: tuple[float, ...] = ()  # what may wait in host memory where nothing fits otherwise


def _choices(space: Space, name: str, offered: Sequence[float]) -> Sequence[float]:
    return (space.fixed[name],) if name in space.fixed else offered


def tensor_degrees(space: Space) -> list[int]:
    """Powers of two that divide the heads and stay inside the fast link."""
    most = max(1, min(space.domain, 8 if space.domain <= 8 else 16))
    return [degree for degree in POWERS_OF_TWO if degree <= most and space.attention_heads % degree == 0]


def _pipeline_degrees(space: Space) -> list[int]:
    return [
        degree
        for degree in range(1, min(space.layers, MOST_PIPELINE_STAGES) + 1)
        if space.layers % degree == 0 and (degree <= 8 or degree % 4 == 0 or degree == space.layers)
    ]


def _expert_degrees(space: Space) -> list[int]:
    return [degree for degree in POWERS_OF_TWO if degree <= space.experts and space.experts % degree == 0] or [1]


def training_structures(space: Space, offload_levels: Sequence[float] = (0.0,)) -> list[dict[str, float]]:
    """Every structure, in order of preference: plain before split, no recomputation before recomputation."""
    structures = []
    for offload, recompute, zero, pipeline, tensor, expert, micro in itertools.product(
        _choices(space, "offload_level", offload_levels),
        _choices(space, "full_recomputation", (0, 1)),
        _choices(space, "zero_stage", (1, 2, 3)),
        _choices(space, "pipeline_parallel", [1] if space.sharded_only else _pipeline_degrees(space)),
        _choices(space, "tensor_parallel", [1] if space.sharded_only else tensor_degrees(space)),
        _choices(space, "expert_parallel", [1] if space.sharded_only else _expert_degrees(space)),
        _choices(space, "micro_batch", MICRO_BATCHES),
    ):
        if pipeline > 1 and zero > 1 and "zero_stage" not in space.fixed:
            continue
        if not _can_wait_on_host(space, offload, zero, pipeline, recompute):
            continue
        structures.append({
            "tensor_parallel": float(tensor), "pipeline_parallel": float(pipeline), "expert_parallel": float(expert),
            "micro_batch": float(micro), "zero_stage": float(zero), "full_recomputation": float(recompute),
            "offload_level": float(offload),
        })  # fmt: skip
    return structures


def _can_wait_on_host(space: Space, offload: float, zero: float, pipeline: float, recompute: float) -> bool:
    """Weights wait on the host where ZeRO-3 fetches them a layer at a time, activations where they are recomputed."""
    given = space.fixed if "offload_level" in space.fixed else {}  # what is written stands, whatever it costs
    if offload >= 2 and ((zero < 3 and "zero_stage" not in given) or (pipeline > 1 and "pipeline_parallel" not in given)):
        return False
    return offload < 3 or recompute > 0 or "full_recomputation" in space.fixed


def inference_structures(space: Space) -> list[dict[str, float]]:
    """Accelerators a replica and requests in one step."""
    degrees = _choices(space, "tensor_parallel", [d for d in tensor_degrees(space) if d <= space.gpus_per_node])
    return [
        {"tensor_parallel": float(tensor), "batch_per_replica": float(batch)}
        for tensor, batch in itertools.product(degrees, _choices(space, "batch_per_replica", BATCHES))
    ]


def wide_structures(space: Space) -> list[dict[str, float]]:
    """Replicas over whole nodes, for models that no single node holds."""
    most = space.fixed.get("nodes", max(NODES_OF_A_REPLICA))
    degrees = [space.gpus_per_node * nodes for nodes in NODES_OF_A_REPLICA if nodes <= most]
    whole = [degree for degree in degrees if space.attention_heads % degree == 0]
    return [
        {"tensor_parallel": float(tensor), "batch_per_replica": float(batch)}
        for tensor, batch in itertools.product(whole, _choices(space, "batch_per_replica", BATCHES))
    ]


def node_ladder(least: int = 1, most: int = MOST_NODES) -> list[int]:
    """Node counts from least to most: each of the first sixteen, then about a tenth apart."""
    ladder, count = [], least
    while count <= most:
        ladder.append(count)
        count = count + 1 if count < 16 else max(count + 1, round(count * 1.12))
    return ladder


def crossed(structures: Sequence[dict[str, float]], nodes: Sequence[int]) -> Candidates:
    """Every structure on every node count, nodes outermost."""
    names = structures[0].keys()
    columns = {name: np.tile(np.array([item[name] for item in structures]), len(nodes)) for name in names}
    return {"nodes": np.repeat(np.array(nodes, dtype=float), len(structures)), **columns}


def as_columns(structures: Sequence[dict[str, float]]) -> Candidates:
    """Structures as arrays, without a node count (inference: the load decides it)."""
    return {name: np.array([item[name] for item in structures]) for name in structures[0]}


def could_run(values: Mapping[str, Any]) -> Any:
    """Whether training layouts could run, whatever time or money say: one answer each."""
    return (values["layout_divides"] * values["memory_fits"] * values["host_memory_fits"]) > 0


def narrowed(candidates: Candidates) -> dict[str, np.ndarray | float]:
    """The same candidates with plain numbers for what is the same in all, so that formulas of those alone are evaluated once."""
    return {name: float(values[0]) if (values == values[0]).all() else values for name, values in candidates.items()}


def rows(candidates: Candidates, indices: Sequence[int]) -> Candidates:
    """Some of the candidates, in the order asked."""
    chosen = np.asarray(indices, dtype=int)
    return {name: values[chosen] for name, values in candidates.items()}
