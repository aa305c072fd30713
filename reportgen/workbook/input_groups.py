"""The groups of the inputs sheet and their order."""

from __future__ import annotations

from reportgen.evaluation.result import InputValue

INPUT_GROUPS = (
    "given", "assumed", "model", "prices", "cost", "power", "site", "network", "storage", "cluster", "hardware", "memory", "training",
    "step", "layout", "serving", "load", "formats", "goodput", "ranges", "rules",
)  # fmt: skip


def input_group(item: InputValue) -> str:
    """Where an input stands: what was given, what was assumed in its place, the model, prices, constants by subject."""
    if item.group == "architecture":
        return "model"
    if item.key == "accelerator" or (item.path and item.origin in ("given", "override")):
        return "given"
    if item.path and item.origin == "default":
        return "assumed"
    return "prices" if item.group == "cost" and item.unit.startswith("money") else item.group


def place(item: InputValue) -> tuple[int, str, bool]:
    """Sort key: groups in order, the accelerator before all else."""
    group = input_group(item)
    known = group in INPUT_GROUPS
    return INPUT_GROUPS.index(group) if known else len(INPUT_GROUPS), group, item.key != "accelerator"
