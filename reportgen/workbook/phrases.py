"""Names, units, symbols and number formats as the sheets of one language write them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from reportgen.catalog.look import look
from reportgen.catalog.wording import Wording

MOST_DECIMALS = 12
CLOSE = 0.005  # of a number may be lost in what is shown
NEGLIGIBLE = 0.01  # of the largest value in a row
WORD = re.compile("[A-Za-z]+")
GREEK = {
    "alpha": "α", "beta": "β", "gamma": "γ", "delta": "δ", "epsilon": "ε", "eta": "η", "theta": "θ", "kappa": "κ",
    "lambda": "λ", "mu": "μ", "nu": "ν", "rho": "ρ", "sigma": "σ", "tau": "τ", "phi": "φ", "omega": "ω", "Delta": "Δ",
    "Sigma": "Σ", "Omega": "Ω",
}  # fmt: skip
ADAPTED = ("count", "decimal", "percent", "magnitude", "money", "price")
NO_UNIT = "–"


class Phrases:
    """What a quantity is called, and how its numbers are shown."""

    def __init__(self, words: Wording, currency: str):
        self.words = words
        name = f"currency_{currency}"
        self.currency = words.label(name) if words.has(name) else currency

    def label(self, key: str) -> str:
        """The name of a quantity, an input or a column; candidates are called like what they are candidates for."""
        if self.words.has(key):
            return self.words.label(key)
        short = key.removeprefix("layouts_")
        if short != key:
            name = self.label("layout_rank" if short == "rank" else short)
            return self.words.text("book_of_candidates", name=name)
        return key.replace("_", " ")

    def unit(self, unit: str) -> str:
        """The unit beside a number; a dash where there is none."""
        if not unit:
            return NO_UNIT
        key = f"unit_{unit.replace(' ', '_')}"
        for known in (f"unit_{unit}", key):
            if self.words.has(known):
                return self.words.text(known, currency=self.currency, currency_name=self.currency)
        first, slash, rest = unit.replace("money", self.currency).partition("/")
        return f"{self.unit(first)}/{self.unit(rest)}" if slash else first

    def symbol(self, symbol: str) -> str:
        """A symbol with its Greek letters: sigma_S is σ_S."""
        return WORD.sub(lambda match: GREEK.get(match[0], match[0]), symbol)

    def number_format(self, unit: str, values: Iterable[Any] = ()) -> str:
        """The format of a unit, with as many decimals as the values need to be right to half a per cent."""
        if unit == "text":
            return ""
        if unit == "flag":
            return self.words.label("flag_format")
        rule = look().number_rule(unit)
        sizes = [abs(value) for value in values if isinstance(value, (int, float)) and value == value and value]
        if rule.kind not in ADAPTED or not sizes or rule.excel == "General":
            return rule.excel
        scale = 100.0 if rule.kind == "percent" else 1.0
        counted = [size * scale for size in sizes if size >= NEGLIGIBLE * max(sizes)]
        decimals = max(_decimals(size, rule.decimals) for size in counted)
        if decimals == rule.decimals:
            return rule.excel
        return ("#,##0." if "#" in rule.excel else "0.") + "0" * decimals + ("%" if rule.kind == "percent" else "")


def _decimals(size: float, least: int) -> int:
    """The fewest decimals, at least so many, after which a number is right to half a per cent."""
    return next(
        (places for places in range(least, MOST_DECIMALS) if abs(round(size, places) - size) <= CLOSE * size),
        MOST_DECIMALS,
    )
