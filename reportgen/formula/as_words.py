"""A formula in words: the labels of its quantities between plain signs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reportgen.formula.as_excel import ADD, ATOM, COMPARE, CONCAT, MULTIPLY, POWER, Piece, without_units
from reportgen.formula.expression import Constant, Expression, Symbol

CHOICE = COMPARE - 1  # binds weaker than everything else
Phrase = Callable[[str], str]  # key of a phrase -> the phrase in the language of the document


def _infix(sign: str, strength: int) -> Callable:
    return lambda say, a, b: Piece(f"{a.within(strength)} {sign} {b.within(strength + 1)}", strength)


def _call(key: str) -> Callable:
    return lambda say, *arguments: Piece(f"{say(key)}({', '.join(part.within(COMPARE) for part in arguments)})")


def _where(say: Phrase, condition, if_true, if_false):
    """A choice inside another stands in brackets, except after the last "else"."""
    condition, if_true = condition.within(COMPARE), if_true.within(COMPARE)
    return Piece(f"{say('if')} {condition}: {if_true}; {say('else')} {if_false}", CHOICE)


WORDS: dict[str, Callable] = {
    "add": _infix("+", ADD),
    "subtract": _infix("−", ADD),
    "multiply": _infix("×", MULTIPLY),
    "divide": _infix("÷", MULTIPLY),
    "power": lambda say, a, b: Piece(f"{a.within(ATOM)}^{b.within(ATOM)}", POWER),
    "negate": lambda say, a: Piece(f"−{a.within(POWER)}", MULTIPLY),
    "where": _where,
    "ceil": _call("rounded_up"),
    "floor": _call("rounded_down"),
    "round_half_up": lambda say, a, digits: Piece(f"{say('rounded')}({a})"),
    "modulo": _call("remainder"),
    "minimum": _call("smaller_of"),
    "maximum": _call("larger_of"),
    "sqrt": lambda say, a: Piece(f"√{a.within(ATOM)}"),
    "ln": lambda say, a: Piece(f"ln({a})"),
    "exp": lambda say, a: Piece(f"e^{a.within(ATOM)}", POWER),
    "absolute": lambda say, a: Piece(f"|{a}|"),
    "at_most": _infix("≤", COMPARE),
    "at_least": _infix("≥", COMPARE),
    "below": _infix("<", COMPARE),
    "above": _infix(">", COMPARE),
    "equals": _infix("=", COMPARE),
    "all_of": lambda say, *parts: Piece(f" {say('and')} ".join(part.within(CONCAT) for part in parts), COMPARE),
    "any_of": lambda say, *parts: Piece(f" {say('or')} ".join(part.within(CONCAT) for part in parts), COMPARE),
    "negate_condition": lambda say, a: Piece(f"{say('not')} {a.within(CONCAT)}", COMPARE),
    "is_known": lambda say, a: Piece(f"{a.within(COMPARE)} {say('is_known')}", COMPARE),
    "total": lambda say, *parts: Piece(" + ".join(part.within(MULTIPLY) for part in parts), ADD),
    "position": lambda say, column, value: Piece(f"{say('row_of')} {value}"),
    "pick": lambda say, column, row: Piece(f"{column} {say('in')} {row}"),
    "smallest": _call("smallest"),
    "least": _call("smallest"),
    "greatest": _call("largest"),
    "sum_of": _call("sum_of"),
    "count_if": _call("count_of"),
    "text": lambda say, value, layout: value,
    "join": lambda say, *parts: Piece(" ".join(part.strip() for part in parts), ADD),
}


def literal(value: Any) -> Piece:
    """A constant as people write it."""
    if isinstance(value, Constant):
        return Piece(value.label)
    if isinstance(value, (str, bool)):
        return Piece(str(value))
    if value != value:
        return Piece("–")
    return Piece(f"{value:,.12g}".replace("e-0", "e-").replace("e+", "e"))


def words(node: Any, label_of: Callable[[Any], str], say: Phrase) -> Piece:
    """The tree in words; label_of names a quantity, say translates the connecting words (keys of the wording `formula.*`)."""
    if isinstance(node, Symbol):
        return Piece(label_of(node.key))
    if not isinstance(node, Expression):
        return literal(node)
    shown = without_units(node)
    if shown is not node:
        return words(shown, label_of, say)
    return WORDS[node.operation](say, *(words(argument, label_of, say) for argument in node.arguments))


PHRASES = (
    "if", "else", "and", "or", "not", "rounded_up", "rounded_down", "rounded", "remainder", "smaller_of", "larger_of",
    "is_known", "row_of", "in", "smallest", "largest", "sum_of", "count_of",
)  # fmt: skip
