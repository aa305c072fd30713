"""Formulas of a result as mathematics: symbol = symbols = figures = result."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from functools import cached_property, lru_cache
from typing import Any

from reportgen.catalog.look import look
from reportgen.estimator import active_formulas
from reportgen.formula import Expression, Formula, FormulaError, Symbol, evaluate, symbols_of
from reportgen.formula.as_math import line, mathematics
from reportgen.memo.chart_schema import Mathematics
from reportgen.memo.compose.case import Case

GREEK = {
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "epsilon": "ε",
    "eta": "η",
    "theta": "θ",
    "kappa": "κ",
    "lambda": "λ",
    "mu": "μ",
    "rho": "ρ",
    "sigma": "σ",
    "tau": "τ",
    "phi": "φ",
    "omega": "ω",
}
SPELLED = re.compile(rf"\b({'|'.join(GREEK)})(?=_|\b)")
LARGE = 1e6  # from here on figures take a power of ten


class Derivation:
    """The formulas behind a result, with the branches that its values take."""

    def __init__(self, case: Case):
        self.case = case

    @cached_property
    def formulas(self) -> dict[str, Formula]:
        """The formulas of this structure by name; empty for a result of another version."""
        return _formulas(frozenset(self.case.result.features))

    # ---- one formula -----------------------------------------------------------------------------------------------
    def has(self, key: str) -> bool:
        """Whether a quantity has a formula and a value here (an overridden one has none)."""
        return key in self.formulas and key in self.case.result.quantities and self.case.known(key)

    def equation(self, key: str) -> Mathematics:
        """The formula of a quantity with its figures; nothing where it cannot be written."""
        try:
            tree = self.taken(self.formulas[key].expression)
            symbols, figures = (mathematics(tree, of).atoms for of in (self.symbol, self.figure))
        except FormulaError:
            return None
        return None if isinstance(tree, Symbol) else self._row(key, symbols, figures)

    def product(self, key: str, through: Iterable[str]) -> Mathematics:
        """One fraction from the formulas of a quantity and of those named in `through`; factors of 1 and parts of 0 left out."""
        try:
            above, below = self._factors(Symbol(key), {key, *through})
        except FormulaError:
            return None
        above, below = (self._telling(part) for part in (above, below))
        symbols, figures = (self._fraction(above, below, of) for of in (self.symbol, self.figure))
        return self._row(key, symbols, figures)

    def product_symbols(self, key: str, through: Iterable[str]) -> list[str]:
        """The quantities that stand in such a fraction, in order."""
        above, below = self._factors(Symbol(key), {key, *through})
        names = [name for part in (above, below) for node in self._telling(part) for name in symbols_of(node)]
        return list(dict.fromkeys(names))

    def _row(self, key: str, symbols: list, figures: list) -> list:
        start = [self.symbol(key), " = "]
        middle = [*symbols, " = "]
        if line(symbols) != line(figures):
            middle += [*figures, " = "]
        return [*start, *middle, {"result": self.result_text(key)}]

    def result_text(self, key: str) -> str:
        """The value as the memo prints it, with its unit upright."""
        case = self.case
        unit = case.unit(key)
        text, value = case.voice.number(case.raw(key), unit), case.value(key)
        counted = look().number_rule(unit).kind == "count" and not value.is_integer() and abs(value) < 1000
        nothing = text.replace("0", "").replace(".", "") in ("", "−") and value
        if unit.partition("/")[0] == "s" or counted or nothing:
            text = figure_text(value) if value < 1000 else case.voice.number(value)
        amount = text if unit == "flag" else case.voice.amount_of(text, unit)
        number, _, words = amount.partition(" ")
        return f"{number} [{words}]" if words else number

    # ---- leaves ----------------------------------------------------------------------------------------------------
    def symbol(self, key: str) -> str:
        """The symbol of a quantity or an input as it is typeset."""
        found = self.case.result.quantities.get(key) or self.case.inputs.get(key)
        symbol = self.case.voice.words.symbol(key, (found.symbol if found else "") or f"[{self.case.voice.label(key)}]")
        return SPELLED.sub(lambda match: GREEK[match[1]], symbol)

    def figure(self, key: str) -> str:
        """The value of a name as a formula shows it."""
        value = self.case.raw(key)
        if value is None:
            return self.symbol(key)
        return f"[{value}]" if isinstance(value, str) else figure_text(float(value))

    # ---- trees -----------------------------------------------------------------------------------------------------
    def taken(self, node: Any, settle: bool = False) -> Any:
        """The tree with only those branches that these values take; `settle` also drops the loser of max and min."""
        if isinstance(node, Symbol) or not isinstance(node, Expression):
            return node
        if node.operation == "where":
            condition, if_true, if_false = node.arguments
            holds = self._value(condition)
            if holds is not None:
                return self.taken(if_true if holds else if_false, settle)
        if settle and node.operation in ("maximum", "minimum"):
            values = [self._value(argument) for argument in node.arguments]
            if None not in values:
                best = max(values) if node.operation == "maximum" else min(values)
                return self.taken(node.arguments[values.index(best)], settle)
        arguments = tuple(self.taken(argument, settle) for argument in node.arguments)
        if node.operation == "add" and any(isinstance(part, (int, float)) and part == 0 for part in arguments):
            return next((part for part in arguments if not isinstance(part, (int, float))), 0)
        return Expression(node.operation, arguments)

    def _value(self, node: Any) -> Any:
        """The value of a tree at the base; None when it reads a table."""
        if not isinstance(node, Expression):
            return node
        if any(self.case.raw(name) is None for name in symbols_of(node)):
            return None
        return evaluate(node, self.case.raw)

    def _factors(self, node: Any, through: set[str]) -> tuple[list, list]:
        """What is multiplied and what is divided by."""
        if isinstance(node, Symbol):
            if node.key not in through or not self.has(node.key):
                return [node], []
            return self._factors(self.taken(self.formulas[node.key].expression, settle=True), through)
        if isinstance(node, Expression) and node.operation in ("multiply", "divide"):
            first, second = (self._factors(argument, through) for argument in node.arguments)
            if node.operation == "divide":
                second = second[1], second[0]
            return [*first[0], *second[0]], [*first[1], *second[1]]
        return [node], []

    def _telling(self, nodes: list) -> list:
        """Factors that are not exactly 1, their sums without parts of exactly 0; units of value 1 vanish too."""
        return [self._without_nothing(node) for node in nodes if self._value(node) != 1]

    def _without_nothing(self, node: Any) -> Any:
        if not isinstance(node, Expression) or node.operation != "add":
            return node
        kept = [self._without_nothing(part) for part in node.arguments if self._value(part) != 0]
        return kept[0] if len(kept) == 1 else Expression("add", tuple(kept or node.arguments))

    def _fraction(self, above: list, below: list, leaf: Any) -> list:
        upper, lower = (self._times(nodes, leaf) for nodes in (above, below))
        return [{"frac": [upper or ["1"], lower]}] if lower else upper or ["1"]

    def _times(self, nodes: list, leaf: Any) -> list:
        row: list = []
        for node in nodes:
            made = mathematics(node, leaf)
            weak = made.strength < 3 and len(nodes) > 1  # a sum among factors
            row += [*([" × "] if row else []), *(["(", *made.atoms, ")"] if weak else made.atoms)]
        return row


def figure_text(value: float) -> str:
    """Four significant digits; a power of ten for what is very large or very small."""
    if value != value:
        return "–"
    if value == 0:
        return "0"
    size = abs(value)
    if size >= LARGE or size < 1e-3:
        power = 3 * math.floor(math.log10(size) / 3 + 1e-12)
        return f"{_short(value / 10**power)}×10^{str(power).replace('-', '−')}"
    return _short(value)


def _short(value: float) -> str:
    """Grouped digits, four of them significant, whole numbers whole."""
    sign = "−" if value < 0 else ""
    size = abs(value)
    if float(size).is_integer() and size < LARGE:
        return f"{sign}{size:,.0f}"
    decimals = max(0, 3 - math.floor(math.log10(size))) if size > 0 else 0
    text = f"{size:,.{min(decimals, 6)}f}"
    return sign + (text.rstrip("0").rstrip(".") if "." in text else text)


@lru_cache(maxsize=16)
def _formulas(features: frozenset[str]) -> dict[str, Formula]:
    try:
        return {item.name: item for item in active_formulas(features)}
    except FormulaError:  # a result of another version may have features that no longer go together
        return {}
