"""Collecting the inputs of a scenario: each with value, range, unit, origin, source and date."""

from __future__ import annotations

import datetime
import difflib
from collections.abc import Mapping
from typing import Any

from reportgen.catalog import Catalog
from reportgen.catalog.money import Money, Price
from reportgen.errors import Place, Problem, ScenarioError
from reportgen.evaluation.result import InputValue
from reportgen.formula import MISSING
from reportgen.scenario import Range, Scenario, base_of

MAY_BE_ZERO = {
    "GiB",
    "flag",
    "money",
    "money/h",
    "money/years",
    "nodes",
    "servers",
    "switches",
    "cables",
    "transceivers",
    "s",
    "weeks",
    "TB",
}


class Draft:
    """Inputs by name. Later values win; units, symbols and groups come from the catalog's declarations."""

    def __init__(self, scenario: Scenario, catalog: Catalog, money: Money):
        self.scenario = scenario
        self.catalog = catalog
        self.money = money
        self.inputs: dict[str, InputValue] = {}

    def put(self, key: str, value: Any, **facts: Any) -> None:
        """A value that the catalog or this program decides; facts are fields of InputValue."""
        low, base, high = _ends(value)
        declared = self.catalog.inputs.get(key) or self.catalog.constants.get(key)
        known = {
            "unit": declared.unit if declared else "",
            "symbol": declared.symbol if declared else "",
            "group": declared.group if declared else "other",
            "low": low,
            "high": high,
            **facts,
        }
        self.inputs[key] = InputValue(key, base, **known)

    def take(self, key: str, value: Any, path: str, assumed_source: str = "reportgen", **facts: Any) -> None:
        """A value of the scenario at a dotted path: given by the user, or a default, whose source is assumed_source."""
        given = any(path == known or known.startswith(path + ".") for known in self.scenario.given)
        origin = {
            "origin": "given",
            "confidence": "given",
            "source": "scenario",
            "as_of": self.scenario.date.isoformat(),
        }
        if not given:
            origin = {"origin": "default", "confidence": "assumed", "source": assumed_source, "as_of": ""}
        self.put(key, MISSING if value is None else value, path=path, **{**origin, **facts})

    def price(self, key: str, price: Price | None) -> None:
        """A price of the catalog or of the price book; missing when there is none."""
        if price is None:
            self.put(key, MISSING, origin="catalog", source="catalog", confidence="", note="quote_needed")
            return
        private = price.basis == "quote"
        self.put(
            key,
            Range(price.low, price.base, price.high)
            if price.low is not None and price.high is not None
            else price.base,
            origin="given" if private else "catalog",
            source=price.source_key or "catalog",
            as_of=price.as_of,
            confidence=price.confidence or "given",
            note=price.basis,
        )

    def constants(self, names: set[str]) -> None:
        """Constants of the catalog that formulas ask for and the scenario did not set."""
        for key in sorted(names - self.inputs.keys()):
            record = self.catalog.constants.get(key)
            if record is None:
                continue
            ranged = record.low is not None and record.high is not None
            value = Range(record.low, record.value, record.high) if ranged else float(record.value)
            self.put(
                key,
                value,
                origin="catalog",
                source=record.source,
                as_of=record.as_of,
                confidence=record.confidence,
                note=record.note,
            )

    def overrides(self, known: set[str], units: Mapping[str, tuple[str, str]]) -> None:
        """Quantities that the scenario fixes by name; a computed one becomes an input.

        Raises ScenarioError for names that this job does not have, and for zero where only a flag or share may be zero.
        """
        problems = []
        for key, value in self.scenario.overrides.items():
            unit, symbol = units.get(key, ("", ""))
            if key not in known:
                problems.append(self._unknown_override(key, known))
            elif base_of(value) == 0 and self._unit_of(key, unit) not in MAY_BE_ZERO:
                message = f"the override '{key}: 0' leaves nothing to divide by"
                problems.append(Problem("override-zero", message, "write more than 0", self._override_place(key)))
            else:
                self.take(
                    key,
                    value,
                    f"overrides.{key}",
                    origin="override",
                    **({"unit": unit, "symbol": symbol} if unit else {}),
                )
        if problems:
            raise ScenarioError(*problems)

    def _unknown_override(self, key: str, known: set[str]) -> Problem:
        near = tuple(difflib.get_close_matches(key, known, n=3, cutoff=0.6))
        fix = f"did you mean '{near[0]}'?" if near else "reportgen explain lists the quantities of this job"
        return Problem("unknown-quantity", f"this job has no quantity '{key}'", fix, self._override_place(key), near)

    def _override_place(self, key: str) -> Place:
        return Place(file=self.scenario.file, path=f"overrides.{key}")

    def _unit_of(self, key: str, unit: str) -> str:
        declared = self.catalog.inputs.get(key) or self.catalog.constants.get(key)
        return unit or (declared.unit if declared else "")


def _ends(value: Any) -> tuple[float | None, Any, float | None]:
    if isinstance(value, Range):
        return value.low, float(value.base), value.high
    if isinstance(value, bool):
        return None, float(value), None
    if isinstance(value, (int, float)):
        return None, float(value), None
    if isinstance(value, datetime.date):
        return None, value.isoformat(), None
    return None, value, None


def mapped(value: Any, function: Any) -> Any:
    """A number or a range, each end through an increasing function."""
    if isinstance(value, Range):
        return Range(function(value.low), function(value.base), function(value.high))
    return function(base_of(value))
