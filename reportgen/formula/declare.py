"""Declaring formulas: one plain function with unit, symbol and source."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from functools import cached_property
from typing import Any

from reportgen.formula.expression import Expression, FormulaError, Symbol


class Feature:
    """A condition on the structure of a scenario, such as training or mixture of experts; combined with &, |, ~."""

    def __init__(self, name: str, holds: Callable[[frozenset[str]], bool] | None = None):
        self.name = name
        self._holds = holds or (lambda features: name in features)

    def __call__(self, features: frozenset[str]) -> bool:
        return self._holds(features)

    def __and__(self, other: Feature) -> Feature:
        return Feature(f"{self.name} and {other.name}", lambda features: self(features) and other(features))

    def __or__(self, other: Feature) -> Feature:
        return Feature(f"({self.name} or {other.name})", lambda features: self(features) or other(features))

    def __invert__(self) -> Feature:
        return Feature(f"not {self.name}", lambda features: not self(features))

    def __repr__(self) -> str:
        return f"Feature({self.name})"


ALWAYS = Feature("always", lambda features: True)


class Formula:
    """A declared formula. Call it with numbers, arrays or expressions; `expression` is its tree over parameter names."""

    def __init__(self, function: Callable, name: str, unit: str, symbol: str, source: str, when: Feature, section: str):
        self.function = function
        self.name = name
        self.unit = unit
        self.symbol = symbol
        self.source = source
        self.when = when
        self.section = section
        self.parameters = tuple(inspect.signature(function).parameters)
        self.doc = inspect.getdoc(function) or ""

    def __call__(self, *arguments: Any, **named: Any):
        return self.function(*arguments, **named)

    def __repr__(self) -> str:
        return f"Formula({self.name})"

    @cached_property
    def expression(self) -> Any:
        """The tree of the formula over symbols named like its parameters."""
        try:
            tree = self.function(*(Symbol(parameter) for parameter in self.parameters))
        except FormulaError as error:
            raise FormulaError(f"formula {self.name}: {error}") from None
        if not isinstance(tree, (Expression, int, float, str)):
            raise FormulaError(f"formula {self.name} returns {type(tree).__name__}, not an expression")
        return tree


def formula(
    *, unit: str, symbol: str, source: str, when: Feature = ALWAYS, name: str = "", section: str = ""
) -> Callable:
    """Declare a function as a formula.

    unit: as people read it (GiB, days, TFLOP/s, money, share); "text" for sentences, "flag" for 1 or 0.
    symbol: as the memo typesets it, `M_opt`. source: a key of sources.yaml. when: on which structures it exists.
    name: when two functions give the same quantity on different structures. section: default, the module's name.
    """

    def declared(function: Callable) -> Formula:
        home = section or function.__module__.rpartition(".")[2]
        return Formula(function, name or function.__name__, unit, symbol, source, when, home)

    return declared
