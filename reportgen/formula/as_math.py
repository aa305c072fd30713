"""A formula as mathematics: symbol = substitution = result.

A formula is a list of atoms: a text, or {"frac": [numerator, denominator]} of two such lists. The memo typesets the
lists; `line` writes them on one line for the terminal.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reportgen.formula.as_excel import ADD, ATOM, COMPARE, CONCAT, MULTIPLY, POWER, without_units
from reportgen.formula.expression import Constant, Expression, Symbol

Atoms = list  # of str | {"frac": [Atoms, Atoms]}


class Math:
    """Atoms with the strength of their weakest operation."""

    def __init__(self, atoms: Atoms, strength: int = ATOM):
        self.atoms = atoms
        self.strength = strength

    def within(self, strength: int) -> Atoms:
        """The atoms, in brackets if they bind more weakly than asked."""
        return ["(", *self.atoms, ")"] if self.strength < strength else self.atoms


CHOICE = COMPARE - 1  # binds weaker than everything else


def _infix(sign: str, strength: int) -> Callable:
    return lambda a, b: Math([*a.within(strength), sign, *b.within(strength + 1)], strength)


def _call(name: str) -> Callable:
    def called(*arguments: Math) -> Math:
        inside: Atoms = []
        for index, argument in enumerate(arguments):
            inside += [", ", *argument.within(COMPARE)] if index else argument.within(COMPARE)
        return Math([f"{name}(", *inside, ")"])

    return called


def _chain(sign: str, strength: int) -> Callable:
    def chained(*parts: Math) -> Math:
        atoms: Atoms = []
        for index, part in enumerate(parts):
            atoms += [sign, *part.within(strength + 1)] if index else part.within(strength)
        return Math(atoms, strength)

    return chained


MATH: dict[str, Callable] = {
    "add": _infix(" + ", ADD),
    "subtract": _infix(" − ", ADD),
    "multiply": _infix(" × ", MULTIPLY),
    "divide": lambda a, b: Math([{"frac": [a.atoms, b.atoms]}], MULTIPLY),
    "power": lambda a, b: Math([*a.within(ATOM), "^", *b.within(ATOM)], POWER),
    "negate": lambda a: Math(["−", *a.within(POWER)], MULTIPLY),
    "where": lambda c, a, b: Math([*a.within(COMPARE), " if ", *c.within(COMPARE), ", else ", *b.atoms], CHOICE),
    "ceil": _call("ceil"),
    "floor": _call("floor"),
    "round_half_up": _call("round"),
    "modulo": _call("mod"),
    "minimum": _call("min"),
    "maximum": _call("max"),
    "sqrt": _call("√"),
    "ln": _call("ln"),
    "exp": lambda a: Math(["e^", *a.within(ATOM)], POWER),
    "absolute": lambda a: Math(["|", *a.atoms, "|"]),
    "at_most": _infix(" ≤ ", COMPARE),
    "at_least": _infix(" ≥ ", COMPARE),
    "below": _infix(" < ", COMPARE),
    "above": _infix(" > ", COMPARE),
    "equals": _infix(" = ", COMPARE),
    "all_of": _chain(" and ", CONCAT),
    "any_of": _chain(" or ", CONCAT),
    "negate_condition": lambda a: Math(["not ", *a.within(CONCAT)], COMPARE),
    "is_known": lambda a: Math([*a.within(COMPARE), " known"], COMPARE),
    "total": _chain(" + ", ADD),
    "position": lambda column, value: Math(["row(", *value.atoms, ")"]),
    "pick": lambda column, row: Math([*column.atoms, "[", *row.atoms, "]"]),
    "smallest": _call("small"),
    "least": _call("min"),
    "greatest": _call("max"),
    "sum_of": _call("sum"),
    "count_if": _call("count"),
    "text": lambda value, layout: value,
    "join": _chain(" ", ADD),
}


def literal(value: Any) -> Math:
    """A constant as mathematics writes it."""
    if isinstance(value, Constant):
        return Math([value.label])
    if isinstance(value, (str, bool)):
        return Math([str(value)])
    if value != value:
        return Math(["–"])
    return Math([f"{value:,.12g}".replace("e-0", "e-").replace("e+", "e")])


def mathematics(node: Any, atom_of: Callable[[Any], str]) -> Math:
    """The tree as atoms; atom_of gives a symbol (`M_opt`) or, for the substitution, the printed value of a key."""
    if isinstance(node, Symbol):
        return Math([atom_of(node.key)])
    if not isinstance(node, Expression):
        return literal(node)
    shown = without_units(node)
    if shown is not node:
        return mathematics(shown, atom_of)
    return MATH[node.operation](*(mathematics(argument, atom_of) for argument in node.arguments))


def line(atoms: Atoms) -> str:
    """Atoms on one line of plain text."""
    written = []
    for atom in atoms:
        if isinstance(atom, str):
            written.append(atom)
            continue
        numerator, denominator = (line(part) for part in atom["frac"])
        numerator = f"({numerator})" if " + " in numerator or " − " in numerator else numerator
        denominator = f"({denominator})" if " " in denominator else denominator
        written.append(f"{numerator} / {denominator}")
    return "".join(written)
