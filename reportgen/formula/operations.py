"""The operations of formulas. Each takes numbers, numpy arrays or expressions, and means the same in a spreadsheet.

Spreadsheets and Python disagree on rounding, on comparing floats and on missing values; the definitions here settle it:
rounding up and down snap away 1e-12 of relative noise, comparisons allow the same, missing is NaN here and an en dash there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

import numpy as np

from reportgen.formula.expression import Constant, Expression, FormulaError, Symbol

NOISE = 1e-12
MISSING = float("nan")

NUMBER: dict[str, Callable] = {}  # operation -> its meaning for numbers and arrays


def operation(function: Callable) -> Callable:
    """Register the numeric meaning under the function's name; called with an expression, the call is traced instead."""
    name = function.__name__
    NUMBER[name] = function

    def traced(*arguments: Any):
        for argument in arguments:
            if isinstance(argument, Expression):
                return Expression(name, arguments)
        return function(*arguments)

    traced.__name__ = name
    traced.__doc__ = function.__doc__
    return traced


NUMBER.update(
    add=lambda a, b: a + b,
    subtract=lambda a, b: a - b,
    multiply=lambda a, b: a * b,
    divide=lambda a, b: _divide(a, b),
    power=lambda a, b: a**b,
    negate=lambda a: -a,
)


def _divide(a, b):
    if isinstance(b, np.ndarray) or isinstance(a, np.ndarray):
        return np.divide(a, b)
    return a / b


def _any_array(*values: Any) -> bool:
    return any(isinstance(value, np.ndarray) for value in values)


@operation
def where(condition, if_true, if_false):
    """One of two values, by a condition."""
    if _any_array(condition, if_true, if_false):
        return np.where(condition, if_true, if_false)
    return if_true if condition else if_false


@operation
def ceil(value):
    """The next whole number up; a value within 1e-12 above a whole number counts as that number. For values >= 0."""
    scaled = value * (1 - NOISE)
    return (
        np.ceil(scaled)
        if isinstance(scaled, np.ndarray)
        else (math.nan if scaled != scaled else float(math.ceil(scaled)))
    )


@operation
def floor(value):
    """The next whole number down, with the same tolerance. For values >= 0."""
    scaled = value * (1 + NOISE)
    return (
        np.floor(scaled)
        if isinstance(scaled, np.ndarray)
        else (math.nan if scaled != scaled else float(math.floor(scaled)))
    )


@operation
def round_half_up(value, digits):
    """Round to digits after the point, halves away from zero, as spreadsheets do."""
    if isinstance(value, np.ndarray):
        return np.vectorize(lambda item: _rounded(item, digits))(value)
    return _rounded(value, digits)


def _rounded(value: float, digits: int) -> float:
    if value != value:
        return value
    quantum = Decimal(1).scaleb(-int(digits))
    return float(Decimal(f"{value:.15g}").quantize(quantum, rounding=ROUND_HALF_UP))


@operation
def modulo(value, divisor):
    """Remainder of whole numbers >= 0."""
    return value % divisor


@operation
def minimum(*values):
    """The smallest of its arguments."""
    if _any_array(*values):
        result = values[0]
        for value in values[1:]:
            result = np.minimum(result, value)
        return result
    return min(values)


@operation
def maximum(*values):
    """The largest of its arguments."""
    if _any_array(*values):
        result = values[0]
        for value in values[1:]:
            result = np.maximum(result, value)
        return result
    return max(values)


@operation
def sqrt(value):
    """Square root."""
    return np.sqrt(value) if isinstance(value, np.ndarray) else math.sqrt(value)


@operation
def ln(value):
    """Natural logarithm."""
    return np.log(value) if isinstance(value, np.ndarray) else math.log(value)


@operation
def exp(value):
    """e to the power of the value."""
    return np.exp(value) if isinstance(value, np.ndarray) else math.exp(value)


@operation
def absolute(value):
    """The value without its sign."""
    return abs(value)


@operation
def at_most(left, right):
    """left <= right, with 1e-12 of relative tolerance."""
    return left <= right + NOISE * abs(right)


@operation
def at_least(left, right):
    """left >= right, with 1e-12 of relative tolerance."""
    return left >= right - NOISE * abs(right)


@operation
def below(left, right):
    """left < right by more than the tolerance."""
    return left < right - NOISE * abs(right)


@operation
def above(left, right):
    """left > right by more than the tolerance."""
    return left > right + NOISE * abs(right)


@operation
def equals(left, right):
    """Equality of texts (capitals do not matter, as in spreadsheets) or of whole numbers; never of computed fractions."""
    return folded(left) == folded(right)


def folded(value):
    """Texts without capitals, one or an array of them; numbers as they are."""
    if isinstance(value, str):
        return value.casefold()
    if isinstance(value, np.ndarray) and value.dtype.kind in "OU":
        return np.array([folded(item) for item in value.ravel()], dtype=object).reshape(value.shape)
    return value


@operation
def all_of(*conditions):
    """True when every condition holds."""
    return np.logical_and.reduce(np.broadcast_arrays(*conditions)) if _any_array(*conditions) else all(conditions)


@operation
def any_of(*conditions):
    """True when at least one condition holds."""
    return np.logical_or.reduce(np.broadcast_arrays(*conditions)) if _any_array(*conditions) else any(conditions)


@operation
def negate_condition(condition):
    """The opposite of a condition."""
    return np.logical_not(condition) if isinstance(condition, np.ndarray) else not condition


@operation
def is_known(value):
    """True for a number, false for missing (and for text)."""
    if isinstance(value, np.ndarray):
        if value.dtype.kind in "fiub":
            return ~np.isnan(value.astype(float))
        return np.array([_known(item) for item in value.ravel()]).reshape(value.shape)
    return _known(value)


def _known(value: Any) -> bool:
    return not isinstance(value, str) and value == value


@operation
def total(*parts):
    """Sum of the parts that are known; write only bare names, since the spreadsheet skips text in cells alone."""
    if _any_array(*parts):
        return sum(np.where(np.isnan(part), 0.0, part) for part in map(np.asarray, parts))
    return sum((part for part in parts if part == part), 0.0)


@operation
def position(column, value):
    """Row of a value in a column, from 1. The value must be there."""
    if isinstance(value, np.ndarray):
        return np.array([_position(column, item) for item in value], dtype=float)
    return _position(column, value)


def _position(column, value) -> float:
    for index, item in enumerate(column, start=1):
        if item == value or (isinstance(item, str) and isinstance(value, str) and item.casefold() == value.casefold()):
            return float(index)
    return MISSING


@operation
def pick(column, row):
    """The value in a row (from 1) of a column."""
    if isinstance(row, np.ndarray):
        return np.asarray(column)[row.astype(int) - 1]
    value = column[int(row) - 1]
    return value.item() if isinstance(value, np.generic) else value


def _known_items(column) -> list[float]:
    return [float(item) for item in column if not isinstance(item, str) and item == item]


@operation
def smallest(column, rank):
    """The rank-th smallest number of a column, from 1."""
    return sorted(_known_items(column))[int(rank) - 1]


@operation
def least(column):
    """The smallest number of a column; 0 when it holds none, as in spreadsheets."""
    return min(_known_items(column), default=0.0)


@operation
def greatest(column):
    """The largest number of a column; 0 when it holds none, as in spreadsheets."""
    return max(_known_items(column), default=0.0)


@operation
def sum_of(column):
    """The sum of the numbers of a column, skipping text and missing."""
    return sum(_known_items(column), 0.0)


@operation
def count_if(column, value):
    """How many cells of a column equal a text or a whole number."""
    return float(sum(1 for item in column if folded(item) == folded(value)))


@operation
def text(value, layout):
    """A number as text by a layout of few digits: 0, 0.0, #,##0, #,##0.00, 0%, 0.0%. Missing gives an en dash."""
    if isinstance(value, np.ndarray):
        return np.array([_text(item, layout) for item in value], dtype=object)
    return _text(value, layout)


TEXT_LAYOUTS = ("0", "0.0", "0.00", "0.000", "#,##0", "#,##0.0", "#,##0.00", "0%", "0.0%")


def _text(value: Any, layout: str) -> str:
    if layout not in TEXT_LAYOUTS:
        raise FormulaError(f"text layout {layout!r} is not one of {', '.join(TEXT_LAYOUTS)}")
    if isinstance(value, str):
        return value
    if value != value:
        return "–"
    percent = layout.endswith("%")
    digits = len(layout.rstrip("%").partition(".")[2])
    scaled = Decimal(f"{value:.15g}") * (100 if percent else 1)
    rounded = scaled.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_UP)
    rounded = abs(rounded) if rounded == 0 else rounded
    return f"{rounded:{',' if ',' in layout else ''}f}" + ("%" if percent else "")


@operation
def join(*parts):
    """Texts one after the other; numbers go through text() first."""
    return "".join(parts)


def evaluate(node: Any, value_of: Callable[[Any], Any]):
    """The value of a tree; value_of gives the value of a symbol's key."""
    if isinstance(node, Symbol):
        return value_of(node.key)
    if isinstance(node, Expression):
        if node.operation == "where":  # only the branch taken may be computable, as in a spreadsheet
            condition, if_true, if_false = node.arguments
            chosen = evaluate(condition, value_of)
            if not isinstance(chosen, np.ndarray):
                return evaluate(if_true if chosen else if_false, value_of)
        return NUMBER[node.operation](*(evaluate(argument, value_of) for argument in node.arguments))
    return float(node) if isinstance(node, Constant) else node
