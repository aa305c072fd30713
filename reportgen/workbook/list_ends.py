"""Which listed candidates stand at an end of their list, so that a better one may stand outside it."""

from __future__ import annotations

from reportgen.evaluation.candidates import BATCHES, MOST_NODES
from reportgen.evaluation.result import LayoutBlock


def list_ends(block: LayoutBlock) -> list[float]:
    """1 for candidates at an end of the listed sizes beyond which there are others: node counts, batches of a degree."""
    training = "nodes" in block.columns and "batch_per_replica" not in block.columns
    sizes = block.columns["nodes" if training else "batch_per_replica"]
    groups = [0.0] * len(sizes) if training else block.columns["tensor_parallel"]
    most = MOST_NODES if training else max(BATCHES)
    listed: dict[float, list[float]] = {}
    for group, size in zip(groups, sizes, strict=True):
        listed.setdefault(group, []).append(size)
    return [
        float((size == max(listed[group]) and size < most) or (size == min(listed[group]) and size > 1))
        for group, size in zip(groups, sizes, strict=True)
    ]
