"""The part of the formulas that leads to a few quantities."""

from __future__ import annotations

from functools import lru_cache

from reportgen.estimator import active_formulas
from reportgen.formula import Formula, Graph


@lru_cache(maxsize=256)
def graph_of(features: frozenset[str], inputs: frozenset[str], wanted: tuple[str, ...]) -> Graph:
    """The formulas that lead to the wanted quantities."""
    known = {item.name: item for item in active_formulas(features) if item.name not in inputs}
    chosen: dict[str, Formula] = {}
    stack = list(wanted)
    while stack:
        name = stack.pop()
        if name in known and name not in chosen:
            chosen[name] = known[name]
            stack.extend(known[name].parameters)
    return Graph(chosen.values(), inputs)
