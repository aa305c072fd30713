"""Dimensions of formulas: the tree is walked with units in place of numbers; the declared unit must be the computed one."""

from __future__ import annotations

from typing import Any

import pint

from reportgen.formula import Constant, Expression, Symbol

DEFINITIONS = """
s = [time]
min = 60 * s
h = 3600 * s
days = 86400 * s
day = days
months = 730 * h
years = 365 * days
weeks = 7 * days
ms = 1e-3 * s
us = 1e-6 * s
B = [data]
bit = B / 8
kB = 1e3 * B
MB = 1e6 * B
GB = 1e9 * B
TB = 1e12 * B
PB = 1e15 * B
KiB = 1024 * B
MiB = 1048576 * B
GiB = 1073741824 * B
TiB = 1099511627776 * B
Gbit = 1e9 * bit
FLOP = [operation]
GFLOP = 1e9 * FLOP
TFLOP = 1e12 * FLOP
EFLOP = 1e18 * FLOP
W = [power]
kW = 1e3 * W
MW = 1e6 * W
kWh = kW * h
MWh = 1e3 * kWh
money = [money]
g = [mass]
kg = 1e3 * g
t = 1e6 * g
"""
PREFIXED_COUNTS = {"billion": 1e9, "million": 1e6, "thousand": 1e3, "%": 0.01}


def registry() -> pint.UnitRegistry:
    """Our own units and nothing else: counts (tokens, GPUs, layers) are dimensionless."""
    units = pint.UnitRegistry(None)
    for line in DEFINITIONS.strip().splitlines():
        units.define(line)
    return units


UNITS = registry()


class DimensionError(AssertionError):
    """The declared unit is not the computed one, or unlike things are added or compared."""


class Literal:
    """A bare number: dimensionless, but 0 and missing go with any unit."""

    def __init__(self, value: float):
        self.value = value
        self.free = value == 0 or value != value


TEXT = "text"
ONE = UNITS.Unit("")


def unit_of(name: str) -> Any:
    """A unit as people read it -> a pint unit. Words that are no physical unit are counts."""
    if name in ("text", "flag"):
        return TEXT if name == "text" else ONE
    result, operator = UNITS.Quantity(1.0, ""), "*"
    for part in name.replace("/", " / ").replace("·", " ").replace("*", " ").split():
        if part == "/":
            operator = "/"
            continue
        known = part in UNITS._units
        factor = UNITS.Quantity(1.0, part) if known else UNITS.Quantity(PREFIXED_COUNTS.get(part, 1.0), "")
        result = result / factor if operator == "/" else result * factor
        operator = "*"
    return result


def _quantity(value: Any) -> Any:
    if isinstance(value, Literal):
        return UNITS.Quantity(1.0, "")
    return UNITS.Quantity(1.0, "") if value is ONE else value


def same(left: Any, right: Any, place: str) -> Any:
    """The common unit of two operands, or an error."""
    if isinstance(left, Literal) and left.free:
        return right
    if isinstance(right, Literal) and right.free:
        return left
    if TEXT in (left if isinstance(left, str) else "", right if isinstance(right, str) else ""):
        return TEXT
    first, second = _quantity(left), _quantity(right)
    if first.dimensionality != second.dimensionality:
        raise DimensionError(f"{place}: {first.units} against {second.units}")
    ratio = (first / second).to_base_units().magnitude
    if abs(ratio - 1) > 1e-9:
        raise DimensionError(f"{place}: units differ by a factor of {ratio:g} ({first} against {second})")
    return left if isinstance(right, Literal) else (right if isinstance(left, Literal) else left)


def _all_same(place: str):
    def rule(*arguments: Any) -> Any:
        found = arguments[0]
        for argument in arguments[1:]:
            found = same(found, argument, place)
        return found

    return rule


def _multiply(left: Any, right: Any) -> Any:
    if isinstance(left, Literal) and isinstance(right, Literal):
        return Literal(left.value * right.value)
    return _quantity(left) * _quantity(right)


def _divide(left: Any, right: Any) -> Any:
    if isinstance(left, Literal) and isinstance(right, Literal):
        return Literal(left.value / right.value)
    return _quantity(left) / _quantity(right)


def _power(left: Any, right: Any) -> Any:
    if isinstance(right, Literal):
        return Literal(left.value**right.value) if isinstance(left, Literal) else _quantity(left) ** right.value
    dimensionless("power")(left)
    return dimensionless("power")(right)


def dimensionless(place: str):
    def rule(*arguments: Any) -> Any:
        for argument in arguments:
            same(argument, UNITS.Quantity(1.0, ""), place)
        return UNITS.Quantity(1.0, "")

    return rule


def _compare(place: str):
    def rule(*arguments: Any) -> Any:
        _all_same(place)(*arguments)
        return UNITS.Quantity(1.0, "")

    return rule


DIMENSIONS: dict[str, Any] = {
    "add": _all_same("add"),
    "subtract": _all_same("subtract"),
    "multiply": _multiply,
    "divide": _divide,
    "power": _power,
    "negate": lambda a: a,
    "where": lambda condition, a, b: same(a, b, "where"),
    "ceil": lambda a: a,
    "floor": lambda a: a,
    "round_half_up": lambda a, digits: a,
    "modulo": _all_same("modulo"),
    "minimum": _all_same("minimum"),
    "maximum": _all_same("maximum"),
    "sqrt": lambda a: Literal(a.value**0.5) if isinstance(a, Literal) else _quantity(a) ** 0.5,
    "ln": dimensionless("ln"),
    "exp": dimensionless("exp"),
    "absolute": lambda a: a,
    "at_most": _compare("at_most"),
    "at_least": _compare("at_least"),
    "below": _compare("below"),
    "above": _compare("above"),
    "equals": _compare("equals"),
    "all_of": dimensionless("all_of"),
    "any_of": dimensionless("any_of"),
    "negate_condition": dimensionless("negate_condition"),
    "is_known": lambda a: UNITS.Quantity(1.0, ""),
    "total": _all_same("total"),
    "position": lambda column, value: UNITS.Quantity(1.0, ""),
    "pick": lambda column, row: column,
    "smallest": lambda column, rank: column,
    "least": lambda column: column,
    "greatest": lambda column: column,
    "sum_of": lambda column: column,
    "count_if": lambda column, value: UNITS.Quantity(1.0, ""),
    "text": lambda value, layout: TEXT,
    "join": lambda *parts: TEXT,
}


def dimension(node: Any, unit_of_name: Any) -> Any:
    """The unit of a tree; unit_of_name gives the unit of a quantity."""
    if isinstance(node, Symbol):
        return unit_of_name(node.key)
    if isinstance(node, Constant):
        return unit_of(node.unit)
    if isinstance(node, Expression):
        return DIMENSIONS[node.operation](*(dimension(argument, unit_of_name) for argument in node.arguments))
    if isinstance(node, str):
        return TEXT
    return Literal(float(node))
