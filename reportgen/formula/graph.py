"""The graph of quantities, read from the signatures of the formulas: order, cycles, unknown names, evaluation."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any

from reportgen.formula.declare import Formula
from reportgen.formula.expression import FormulaError


def select(formulas: Iterable[Formula], features: frozenset[str]) -> list[Formula]:
    """The formulas that exist on a structure. Two for the same name are an error."""
    chosen: dict[str, Formula] = {}
    for candidate in formulas:
        if not candidate.when(features):
            continue
        other = chosen.get(candidate.name)
        if other is not None:
            raise FormulaError(
                f"two formulas give {candidate.name}: {other.section} when {other.when.name}, "
                f"{candidate.section} when {candidate.when.name}; make the conditions exclude each other"
            )
        chosen[candidate.name] = candidate
    return list(chosen.values())


class Graph:
    """Formulas in dependency order over named inputs."""

    def __init__(self, formulas: Iterable[Formula], inputs: Iterable[str]):
        self.inputs = frozenset(inputs)
        self.formulas: dict[str, Formula] = {item.name: item for item in formulas if item.name not in self.inputs}
        self._refuse_unknown_names()
        self.order = self._ordered()

    def _refuse_unknown_names(self) -> None:
        known = [*self.formulas, *self.inputs]
        for item in self.formulas.values():
            for parameter in item.parameters:
                if parameter in self.formulas or parameter in self.inputs:
                    continue
                near = difflib.get_close_matches(parameter, known, n=3, cutoff=0.6)
                hint = f"; did you mean {' or '.join(near)}?" if near else ""
                raise FormulaError(
                    f"formula {item.name} ({item.section}) needs {parameter}, which nothing provides{hint}"
                )

    def _ordered(self) -> list[Formula]:
        order: list[Formula] = []
        state: dict[str, int] = {}

        def visit(name: str, trail: tuple[str, ...]) -> None:
            if name not in self.formulas or state.get(name) == 2:
                return
            if state.get(name) == 1:
                cycle = [*trail[trail.index(name) :], name]
                raise FormulaError(f"formulas depend on each other in a circle: {' -> '.join(cycle)}")
            state[name] = 1
            for parameter in self.formulas[name].parameters:
                visit(parameter, (*trail, name))
            state[name] = 2
            order.append(self.formulas[name])

        for name in self.formulas:
            visit(name, ())
        return order

    def evaluate(self, inputs: Mapping[str, Any], only: Iterable[str] | None = None) -> dict[str, Any]:
        """Values of all formulas (or of `only` and what they need) for inputs that are numbers, texts, columns or arrays."""
        wanted = None if only is None else self.ancestors(only)
        values = dict(inputs)
        for item in self.order:
            if wanted is None or item.name in wanted:
                values[item.name] = item.function(*[values[parameter] for parameter in item.parameters])
        return values

    def ancestors(self, names: Iterable[str]) -> set[str]:
        """The names themselves and everything that they depend on."""
        found: set[str] = set()
        stack = list(names)
        while stack:
            name = stack.pop()
            if name in found:
                continue
            found.add(name)
            if name in self.formulas:
                stack.extend(self.formulas[name].parameters)
        return found

    def descendants(self, names: Iterable[str]) -> set[str]:
        """All formulas that depend on at least one of the names."""
        touched = set(names)
        for item in self.order:
            if touched.intersection(item.parameters):
                touched.add(item.name)
        return {name for name in touched if name in self.formulas}

    @cached_property
    def users(self) -> dict[str, list[str]]:
        """Quantity -> the formulas that read it, in order."""
        readers: dict[str, list[str]] = {}
        for item in self.order:
            for parameter in item.parameters:
                readers.setdefault(parameter, []).append(item.name)
        return readers
