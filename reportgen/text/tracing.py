"""A quantity's formula with names, with symbols and with figures put in."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from reportgen.evaluation.result import InputValue, Quantity, Result
from reportgen.formula import Expression, Formula, FormulaError, Symbol, evaluate, symbols_of
from reportgen.formula.as_excel import excel_formula
from reportgen.formula.as_math import line, mathematics
from reportgen.formula.as_words import words
from reportgen.text.speech import Speech


class Tracing:
    """The formulas behind a result; empty texts where there is none (it was overridden, or the program changed)."""

    def __init__(self, result: Result):
        self.result = result
        self.formulas = _formulas(frozenset(result.features))
        self.inputs: dict[str, InputValue] = {item.key: item for item in result.inputs}

    def formula(self, key: str) -> Formula | None:
        """The formula of a quantity."""
        return self.formulas.get(key) if key in self.result.quantities else None

    def symbol(self, key: str) -> str:
        """As the memo typesets it; the key where there is none."""
        item = self.result.quantities.get(key) or self.inputs.get(key)
        return (item.symbol if item else "") or key

    def expression(self, key: str) -> str:
        """Like a spreadsheet formula over names: =gpus*gpu_price."""
        found = self.formula(key)
        return _quietly(lambda: excel_formula(found.expression, str)) if found else ""

    def symbols(self, key: str) -> str:
        """The right side in symbols: C / (N × F)."""
        found = self.formula(key)
        return _quietly(lambda: line(mathematics(found.expression, self.symbol).atoms)) if found else ""

    def substituted(self, key: str, speech: Speech) -> str:
        """The right side in figures: 4.2e21 / (64 × 989)."""
        found = self.formula(key)
        if not found:
            return ""
        return _quietly(
            lambda: line(mathematics(self.taken(found.expression), lambda name: self.figure(name, speech)).atoms)
        )

    def taken(self, node: Any) -> Any:
        """The tree with only those branches that these values take."""
        if isinstance(node, Symbol) or not isinstance(node, Expression):
            return node
        if node.operation == "where":
            condition, if_true, if_false = node.arguments
            holds = self._holds(condition)
            if holds is not None:
                return self.taken(if_true if holds else if_false)
        return Expression(node.operation, tuple(self.taken(argument) for argument in node.arguments))

    def _holds(self, condition: Any) -> bool | None:
        """Whether a condition holds at the base; None when it reads a table."""
        if any(name not in self.inputs and name not in self.result.quantities for name in symbols_of(condition)):
            return None
        return bool(evaluate(condition, self.result.value))

    def in_words(self, key: str, speech: Speech) -> str:
        """The right side in labels and connecting words."""
        found = self.formula(key)
        if not found:
            return ""
        return _quietly(
            lambda: words(found.expression, speech.label, lambda phrase: speech.words.text(f"formula_{phrase}"))
        )

    def figure(self, key: str, speech: Speech) -> str:
        """The value of a name as a formula shows it."""
        item = self.result.quantities.get(key) or self.inputs.get(key)
        if item is None:
            return key
        return f'"{item.value}"' if isinstance(item.value, str) else speech.number(item.value, item.unit)

    def causes(self, key: str) -> list[Quantity | InputValue]:
        """What a quantity is computed from: quantities and inputs, columns of tables left out."""
        quantity = self.result.quantities.get(key)
        found = (
            self.result.quantities.get(name) or self.inputs.get(name)
            for name in (quantity.depends_on if quantity else ())
        )
        return [item for item in found if item is not None]

    def users(self, key: str) -> list[str]:
        """The quantities that are computed from a name."""
        return [item.key for item in self.result.quantities.values() if key in item.depends_on]


def _quietly(make) -> str:
    try:
        return str(make())
    except FormulaError:
        return ""


@lru_cache(maxsize=16)
def _formulas(features: frozenset[str]) -> dict[str, Formula]:
    from reportgen.estimator import active_formulas

    try:
        return {item.name: item for item in active_formulas(features)}
    except FormulaError:  # a result of another version may have features that no longer go together
        return {}
