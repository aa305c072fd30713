"""A result without prices, to hand to suppliers: what is asked for stays, every amount goes.

What depends on a price is computed again with the price missing, so that a workbook made of it still agrees.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

from reportgen.evaluation.result import InputValue, Line, Message, Option, Quantity, Result
from reportgen.formula import MISSING, Column, Formula
from reportgen.text.tracing import formulas_of

ABOUT_MONEY = re.compile(r"price|cost|rent|amount|money|budget|capital|saving|ceiling|discount|offer")
CASES = ("value", "favourable", "adverse")
COMPUTING_ERRORS = (ArithmeticError, ValueError, TypeError, IndexError, KeyError)


def redacted(result: Result) -> Result:
    """The same request without any price or amount."""
    inputs = tuple(_without_price(item) if is_money(item.key, item.unit) else item for item in result.inputs)
    tables = {name: _column(column) for name, column in result.tables.items()}
    hidden = {item.key for item in inputs if is_money(item.key, item.unit)} | {
        name for name in tables if _is_price_column(name)
    }
    units = {item.key: item.unit for item in (*result.inputs, *result.quantities.values())}
    return replace(
        result,
        facts=replace(result.facts, scenario_text="", price_date=""),
        inputs=inputs,
        tables=tables,
        quantities=_quantities(result, inputs, tables, hidden),
        options=tuple(_option(option, units) for option in result.options),
        lines=tuple(_line(line) for line in result.lines),
        rental=tuple(_line(line) for line in result.rental),
        remarks=tuple(item for item in _messages(result.remarks, units) if "rate" not in item.values),
        checks=tuple(
            replace(check, changes=_messages(check.changes, units))
            for check in result.checks
            if check.unit and "money" not in check.unit  # without a unit it may be an amount
        ),
        sensitivity=tuple(
            replace(test, results=_without_money(test.results, units))
            for test in result.sensitivity
            if test.input not in hidden
        ),
        cross_checks=tuple(item for item in result.cross_checks if not is_money(item.key, item.unit)),
        warnings=_messages(result.warnings, units),
        missing=tuple(line.key for line in result.lines if line.quantity > 0),
    )


def is_money(key: str, unit: str) -> bool:
    """Whether a value is an amount or a price."""
    return "money" in unit or (
        unit in ("", "factor", "share") and bool(re.match(r"offer_|discount_|.*_price_factor$", key))
    )


def _is_price_column(name: str) -> bool:
    return bool(re.search(r"price|rent", name))


def _without_price(item: InputValue) -> InputValue:
    value = item.value if isinstance(item.value, str) else (0.0 if re.match(r"offer_|discount_", item.key) else MISSING)
    return replace(
        item,
        value=value,
        low=None,
        high=None,
        favourable=None,
        adverse=None,
        source="reportgen",
        as_of="",
        confidence="",
        note="",
    )


def _column(column: Any) -> Any:
    if not isinstance(column, Column) or not _is_price_column(column.name):
        return column
    return replace(column, values=tuple("" if isinstance(value, str) else MISSING for value in column.values))


def _quantities(
    result: Result, inputs: tuple[InputValue, ...], tables: Mapping[str, Any], hidden: set[str]
) -> dict[str, Quantity]:
    """Quantities in their order, those behind a price computed again."""
    formulas = formulas_of(result)
    touched = set(hidden)
    cases = [_case(inputs, tables, case) for case in CASES]
    quantities = {}
    for key, quantity in result.quantities.items():
        formula = formulas.get(key)
        names = formula.parameters if formula else quantity.depends_on
        if "money" in quantity.unit or touched.intersection(names):
            touched.add(key)
            again = {case: _again(quantity, formula, values) for case, values in zip(CASES, cases, strict=True)}
            quantity = replace(quantity, **again, p10=None, p90=None)
        quantities[key] = quantity
        for case, values in zip(CASES, cases, strict=True):
            values[key] = getattr(quantity, case)
    return quantities


def _case(inputs: tuple[InputValue, ...], tables: Mapping[str, Any], case: str) -> dict[str, Any]:
    values: dict[str, Any] = dict(tables)
    for item in inputs:
        end = getattr(item, case)
        values[item.key] = item.value if end is None else end
    return values


def _again(quantity: Quantity, formula: Formula | None, values: Mapping[str, Any]) -> float | str:
    nothing = "" if isinstance(quantity.value, str) else MISSING
    if formula is None:
        return nothing
    try:
        found = formula.function(*(values[name] for name in formula.parameters))
    except COMPUTING_ERRORS:
        return nothing
    return found if isinstance(found, str) else float(found)


def _without_money(values: Mapping[str, float], units: Mapping[str, str]) -> dict[str, float]:
    return {key: value for key, value in values.items() if not _tells_money(key, units)}


def _tells_money(key: str, units: Mapping[str, str]) -> bool:
    return "money" in units.get(key, "") or bool(ABOUT_MONEY.search(key))


def _option(option: Option, units: Mapping[str, str]) -> Option:
    return replace(option, values=_without_money(option.values, units), reasons=_messages(option.reasons, units))


def _messages(messages: tuple[Message, ...], units: Mapping[str, str]) -> tuple[Message, ...]:
    """Sentences that tell no amount, under the name of a value or under the quantity that it is a value of."""
    return tuple(
        message
        for message in messages
        if not any(_tells_money(key, units) for key in message.values)
        and not _tells_money(str(message.values.get("quantity", "")), units)
    )


def _line(line: Line) -> Line:
    amounts = {item.name: MISSING for item in fields(line) if re.search(r"price|amount", item.name)}
    return replace(line, **amounts, basis="quote_needed", source="", as_of="")
