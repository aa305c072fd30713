"""A formula as spreadsheet text, with functions that Excel 2010, LibreOffice, WPS and Google Sheets all have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reportgen.formula.expression import Constant, Expression, FormulaError, Symbol

MAX_LENGTH = 8192
MAX_TEXT = 255

# Binding strength of what a piece of text is, weakest first. Excel binds a minus sign tighter than ^ and reads ^ from
# the left, so powers and negations are always bracketed by their strength.
COMPARE, CONCAT, ADD, MULTIPLY, POWER, ATOM = range(6)


class Piece(str):
    """Emitted text that knows how strongly it binds."""

    strength: int

    def __new__(cls, content: str, strength: int = ATOM) -> Piece:
        piece = super().__new__(cls, content)
        piece.strength = strength
        return piece

    def within(self, strength: int) -> str:
        """The text, in brackets if it binds more weakly than asked."""
        return f"({self})" if self.strength < strength else str(self)


def _infix(sign: str, strength: int, right: int | None = None) -> Callable:
    right_strength = strength + 1 if right is None else right
    return lambda a, b: Piece(f"{a.within(strength)}{sign}{b.within(right_strength)}", strength)


def _function(name: str) -> Callable:
    return lambda *arguments: Piece(f"{name}({','.join(arguments)})")


def _tolerant(sign: str, noise: str) -> Callable:
    return lambda a, b: Piece(f"{a.within(CONCAT)}{sign}{b.within(ADD)}{noise}1E-12*ABS({b})", COMPARE)


EXCEL: dict[str, Callable] = {
    "add": _infix("+", ADD),
    "subtract": _infix("-", ADD),
    "multiply": _infix("*", MULTIPLY),
    "divide": _infix("/", MULTIPLY),
    "power": lambda a, b: Piece(f"{a.within(ATOM)}^{b.within(ATOM)}", POWER),
    "negate": lambda a: Piece(f"-1*{a.within(POWER)}", MULTIPLY),
    "where": _function("IF"),
    "ceil": lambda a: Piece(f"ROUNDUP({a.within(MULTIPLY)}*(1-1E-12),0)"),
    "floor": lambda a: Piece(f"ROUNDDOWN({a.within(MULTIPLY)}*(1+1E-12),0)"),
    "round_half_up": _function("ROUND"),
    "modulo": _function("MOD"),
    "minimum": _function("MIN"),
    "maximum": _function("MAX"),
    "sqrt": _function("SQRT"),
    "ln": _function("LN"),
    "exp": _function("EXP"),
    "absolute": _function("ABS"),
    "at_most": _tolerant("<=", "+"),
    "at_least": _tolerant(">=", "-"),
    "below": _tolerant("<", "-"),
    "above": _tolerant(">", "+"),
    "equals": lambda a, b: Piece(f"{a.within(CONCAT)}={b.within(CONCAT)}", COMPARE),
    "all_of": _function("AND"),
    "any_of": _function("OR"),
    "negate_condition": _function("NOT"),
    "is_known": _function("ISNUMBER"),
    "total": _function("SUM"),
    "position": lambda column, value: Piece(f"MATCH({value},{column},0)"),
    "pick": _function("INDEX"),
    "smallest": _function("SMALL"),
    "least": _function("MIN"),
    "greatest": _function("MAX"),
    "sum_of": _function("SUM"),
    "count_if": _function("COUNTIF"),
    "text": _function("TEXT"),
    "join": lambda *parts: Piece("&".join(part.within(CONCAT) for part in parts), CONCAT),
}


def literal(value: Any) -> Piece:
    """A constant as a spreadsheet writes it."""
    if isinstance(value, bool):
        return Piece("TRUE" if value else "FALSE")
    if isinstance(value, str):
        if len(value) > MAX_TEXT:
            raise FormulaError(f"a text inside a formula has at most {MAX_TEXT} characters: {value[:40]!r}...")
        return Piece('"' + value.replace('"', '""') + '"')
    if value != value:
        return Piece('"–"')
    if value in (float("inf"), float("-inf")):
        raise FormulaError("a formula holds an infinite number")
    if float(value).is_integer() and abs(value) < 1e15:
        return Piece(str(int(value)), ATOM if value >= 0 else ADD)
    return Piece(repr(float(value)).replace("e", "E").replace("E-0", "E-"), ATOM if value >= 0 else ADD)


def emit(node: Any, text_of: Callable[[Any], str]) -> Piece:
    """The tree as spreadsheet text; text_of gives the cell, name or range of a symbol's key."""
    if isinstance(node, Symbol):
        return Piece(text_of(node.key))
    if not isinstance(node, Expression):
        return literal(node)
    shown = without_units(node)
    if shown is not node:
        return emit(shown, text_of)
    return EXCEL[node.operation](*(emit(argument, text_of) for argument in node.arguments))


def without_units(node: Expression) -> Any:
    """The node without a factor that is a unit of value 1 (BYTE, FLOP); the node itself when it has none."""
    if node.operation in ("multiply", "divide"):
        left, right = node.arguments
        if isinstance(right, Constant) and right == 1:
            return left
        if isinstance(left, Constant) and left == 1 and node.operation == "multiply":
            return right
    return node


def excel_formula(node: Any, text_of: Callable[[Any], str]) -> str:
    """The whole cell content, starting with =. Longer than spreadsheets take is an error."""
    content = "=" + emit(node, text_of)
    if len(content) > MAX_LENGTH:
        raise FormulaError(f"a formula of {len(content)} characters is longer than spreadsheets take ({MAX_LENGTH})")
    return content
