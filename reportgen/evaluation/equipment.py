"""Equipment that is there already, as columns of the accelerator table: how many, and how busy they are."""

from __future__ import annotations

from reportgen.catalog import Catalog
from reportgen.formula import MISSING, Column
from reportgen.scenario import Scenario, base_of


def owned_columns(scenario: Scenario, catalog: Catalog) -> dict[str, Column]:
    """GPUs by accelerator and their busy share, weighted where an accelerator is named twice; none without equipment."""
    if not scenario.owned:
        return {}
    keys = tuple(catalog.accelerators)
    counts = {key: 0.0 for key in keys}
    busy = {key: 0.0 for key in keys}
    for item in scenario.owned:
        counts[item.accelerator] += item.count
        used = 1.0 if item.utilization is None else base_of(item.utilization)
        busy[item.accelerator] += item.count * used
    shares = tuple(busy[key] / counts[key] if counts[key] else MISSING for key in keys)
    return {
        "owned_gpus": Column("owned_gpus", keys, tuple(counts[key] or MISSING for key in keys)),
        "owned_busy_share": Column("owned_busy_share", keys, shares),
    }
