"""Symbolic operands: what a formula returns when it is called with names in place of numbers."""

from __future__ import annotations

from typing import Any


class FormulaError(Exception):
    """A formula is written in a way that cannot be exported, or refers to something that does not exist."""


class Constant(float):
    """A number with a name and a unit, such as the bytes of a GiB; a plain float in every calculation.

    A constant of value 1 (a unit such as BYTE) proves dimensions and vanishes from formulas and words.
    """

    def __new__(cls, value: float, unit: str, label: str) -> Constant:
        constant = super().__new__(cls, value)
        constant.unit = unit
        constant.label = label
        return constant


def _refuse(advice: str):
    def refused(self: Expression, *_: Any):
        raise FormulaError(f"{advice} (met in {self!r})")

    return refused


class Expression:
    """A node of the tree: an operation on arguments, each an Expression or a plain number, text or truth value."""

    __slots__ = ("operation", "arguments")
    __array_ufunc__ = None  # numpy scalars must hand over to the reflected operators below
    __hash__ = None

    def __init__(self, operation: str, arguments: tuple):
        self.operation = operation
        self.arguments = arguments

    def __repr__(self) -> str:
        return f"{self.operation}({', '.join(map(repr, self.arguments))})"

    def __add__(self, other):
        return Expression("add", (self, other))

    def __radd__(self, other):
        return Expression("add", (other, self))

    def __sub__(self, other):
        return Expression("subtract", (self, other))

    def __rsub__(self, other):
        return Expression("subtract", (other, self))

    def __mul__(self, other):
        return Expression("multiply", (self, other))

    def __rmul__(self, other):
        return Expression("multiply", (other, self))

    def __truediv__(self, other):
        return Expression("divide", (self, other))

    def __rtruediv__(self, other):
        return Expression("divide", (other, self))

    def __pow__(self, other):
        return Expression("power", (self, other))

    def __rpow__(self, other):
        return Expression("power", (other, self))

    def __neg__(self):
        return Expression("negate", (self,))

    __bool__ = _refuse("a formula cannot branch with if, and, or, not: use where, all_of, any_of, negate_condition")
    __eq__ = _refuse("use equals(a, b) instead of ==")
    __ne__ = _refuse("use negate_condition(equals(a, b)) instead of !=")
    __lt__ = _refuse("use below(a, b) instead of <, and minimum or maximum instead of min or max")
    __gt__ = _refuse("use above(a, b) instead of >, and minimum or maximum instead of min or max")
    __le__ = _refuse("use at_most(a, b) instead of <=")
    __ge__ = _refuse("use at_least(a, b) instead of >=")
    __round__ = _refuse("use round_half_up(x, digits) instead of round")
    __int__ = _refuse("use floor(x) instead of int")
    __float__ = _refuse("a formula gets numbers or expressions, never converts them")
    __index__ = _refuse("a formula cannot index with an expression: use pick(range, position)")
    __floor__ = _refuse("use floor(x) of reportgen.formula")
    __ceil__ = _refuse("use ceil(x) of reportgen.formula")
    __trunc__ = _refuse("use floor(x) of reportgen.formula")
    __abs__ = _refuse("use absolute(x) instead of abs")
    __floordiv__ = __rfloordiv__ = _refuse("use floor(a / b) instead of //")
    __mod__ = __rmod__ = _refuse("use modulo(a, b) instead of %")
    __iter__ = _refuse("an expression cannot be looped over")
    __contains__ = _refuse("use equals or position instead of in")


class Symbol(Expression):
    """A leaf that stands for a quantity (its name) or for a cell (any hashable key)."""

    __slots__ = ("key",)

    def __init__(self, key: Any):
        super().__init__("symbol", ())
        self.key = key

    def __repr__(self) -> str:
        return str(self.key)


def symbols_of(node: Any) -> list:
    """The keys of all symbols below a node, in the order met, each once."""
    found: dict = {}
    stack = [node]
    while stack:
        current = stack.pop()
        if isinstance(current, Symbol):
            found.setdefault(current.key)
        elif isinstance(current, Expression):
            stack.extend(reversed(current.arguments))
    return list(found)
