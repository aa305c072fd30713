"""A quantity's formula with names, with symbols and with figures put in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from reportgen.evaluation.result import InputValue, Quantity, Result
from reportgen.formula import Column, Expression, Formula, FormulaError, Symbol, evaluate, symbols_of
from reportgen.formula.as_excel import excel_formula
from reportgen.formula.as_math import line, mathematics
from reportgen.formula.as_words import words
from reportgen.text.speech import Speech

COMPUTING_ERRORS = (ArithmeticError, ValueError, TypeError, IndexError, KeyError)
WORD = re.compile("[A-Za-z]+")
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η", "theta": "θ", "kappa": "κ",
    "lambda": "λ", "mu": "μ", "nu": "ν", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "omega": "ω", "Delta": "Δ",
    "Sigma": "Σ", "Omega": "Ω",
}  # fmt: skip
LOOKUPS = {"pick", "position", "smallest", "least", "greatest", "sum_of", "count_if"}


class Tracing:
    """The formulas behind a result; empty texts where there is none (it was overridden, or the program changed)."""

    def __init__(self, result: Result):
        self.result = result
        self.formulas = formulas_of(result)
        self.items: dict[str, InputValue | Quantity] = {
            **{item.key: item for item in result.inputs},
            **result.quantities,
        }
        self.values: dict[str, Any] = {
            **result.tables,
            **_layouts(result),
            **{key: item.value for key, item in self.items.items()},
        }

    def formula(self, key: str) -> Formula | None:
        """The formula of a quantity."""
        return self.formulas.get(key) if key in self.result.quantities else None

    def symbol(self, key: str) -> str:
        """As the memo typesets it; the key where there is none."""
        item = self.items.get(key)
        symbol = (item.symbol if item else "") or key.removeprefix("accelerators_").removeprefix("layouts_")
        return WORD.sub(lambda match: GREEK.get(match[0], match[0]), symbol) if item else symbol

    def expression(self, key: str) -> str:
        """Like a spreadsheet formula over names: =gpus*gpu_price."""
        found = self.formula(key)
        return _quietly(lambda: excel_formula(found.expression, str)) if found else ""

    def symbols(self, key: str, taken: bool = False) -> str:
        """The right side in symbols: C / (N × F); of the branch taken only, if so asked."""
        found = self.formula(key)
        if not found:
            return ""
        tree = self.taken(found.expression) if taken else found.expression
        return _quietly(lambda: line(mathematics(tree, self.symbol).atoms))

    def substituted(self, key: str, speech: Speech) -> str:
        """The right side in figures, of the branch taken: 4.2e21 / (64 × 989)."""
        found = self.formula(key)
        if not found:
            return ""
        tree = self.looked_up(self.taken(found.expression))
        return _quietly(lambda: line(mathematics(tree, lambda name: self.figure(name, speech)).atoms))

    def taken(self, node: Any) -> Any:
        """The tree with only those branches that these values take."""
        if isinstance(node, Symbol) or not isinstance(node, Expression):
            return node
        if node.operation == "where":
            holds = self._value(node.arguments[0])
            if holds is not None:
                return self.taken(node.arguments[1 if holds else 2])
        return Expression(node.operation, tuple(self.taken(argument) for argument in node.arguments))

    def looked_up(self, node: Any) -> Any:
        """The tree with what it finds in tables in the place of the search."""
        if isinstance(node, Symbol) or not isinstance(node, Expression):
            return node
        if node.operation in LOOKUPS:
            value = self._value(node)
            if value is not None:
                return Symbol(Found(value))
        return Expression(node.operation, tuple(self.looked_up(argument) for argument in node.arguments))

    def _value(self, node: Any) -> Any:
        """The value of a tree at the base; None when something in it is not known here."""
        if any(name not in self.values for name in symbols_of(node)):
            return None
        try:
            return evaluate(node, self.values.__getitem__)
        except COMPUTING_ERRORS:
            return None

    def in_words(self, key: str, speech: Speech) -> str:
        """The right side in labels and connecting words."""
        found = self.formula(key)
        if not found:
            return ""
        return _quietly(
            lambda: words(found.expression, speech.label, lambda phrase: speech.words.text(f"formula_{phrase}"))
        )

    def figure(self, key: Any, speech: Speech) -> str:
        """The value of a name as a formula shows it: exact enough to reckon with."""
        if isinstance(key, Found):
            return speech.figure(key.value, "")
        item = self.items.get(key)
        if item is None:
            return key
        return f'"{item.value}"' if isinstance(item.value, str) else speech.figure(item.value, item.unit)

    def causes(self, key: str) -> list[Quantity | InputValue]:
        """What a quantity is computed from: quantities and inputs, columns of tables left out."""
        quantity = self.result.quantities.get(key)
        return [self.items[name] for name in (quantity.depends_on if quantity else ()) if name in self.items]

    def users(self, key: str) -> list[str]:
        """The quantities that are computed from a name."""
        return [item.key for item in self.result.quantities.values() if key in item.depends_on]


@dataclass(frozen=True)
class Found:
    """A value that a formula finds in a table."""

    value: Any


def _layouts(result: Result) -> dict[str, Column]:
    """The candidate layouts of the request as ranges that formulas read."""
    if not result.layouts:
        return {}
    columns = result.layouts[0].columns
    return {
        f"layouts_{name.removeprefix('layout_')}": Column(
            name, tuple(map(str, range(1, len(values) + 1))), tuple(values)
        )
        for name, values in columns.items()
    }


def _quietly(make) -> str:
    try:
        return str(make())
    except FormulaError:
        return ""


def formulas_of(result: Result) -> dict[str, Formula]:
    """The formulas of the result's structure by name."""
    return _formulas(frozenset(result.features))


@lru_cache(maxsize=16)
def _formulas(features: frozenset[str]) -> dict[str, Formula]:
    from reportgen.estimator import active_formulas

    try:
        return {item.name: item for item in active_formulas(features)}
    except FormulaError:  # a result of another version may have features that no longer go together
        return {}
