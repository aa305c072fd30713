"""Sentences in cells: the words of the wording with live figures between them, and figures as text."""

from __future__ import annotations

from collections.abc import Sequence
from string import Formatter
from typing import Any

from reportgen.catalog.look import look
from reportgen.catalog.numbers import CURRENCY_ZH
from reportgen.catalog.wording import Wording
from reportgen.formula import (
    Expression,
    at_least,
    at_most,
    below,
    ceil,
    equals,
    floor,
    is_known,
    join,
    round_half_up,
    text,
    where,
)
from reportgen.formula.operations import TEXT_LAYOUTS

LONGEST = 250  # characters of one text inside a formula
DASH = "–"
NOTHING = 1e-9


def joined(pieces: Sequence[Any]) -> Any:
    """Texts one after the other: a plain text, or an expression when one of them is live."""
    if not any(isinstance(piece, Expression) for piece in pieces):
        return "".join(pieces)
    parts: list[Any] = []
    for piece in pieces:
        if isinstance(piece, Expression):
            parts.append(piece)
        else:
            parts += [piece[start : start + LONGEST] for start in range(0, len(piece), LONGEST)]
    return parts[0] if len(parts) == 1 else join(*parts)


def sentence(words: Wording, key: str, **values: Any) -> Any:
    """The sentence of a key; each {placeholder} is a text or an expression that gives a text."""
    pieces: list[Any] = []
    for literal, name, _, _ in Formatter().parse(words.label(key)):
        if literal:
            pieces.append(literal)
        if name is not None:
            pieces.append(values[name])
    return joined(pieces)


def text_layout(unit: str) -> str:
    """The layout of a unit's figures inside a sentence."""
    layout = look().number_rule(unit).excel
    return layout if layout in TEXT_LAYOUTS else "#,##0"


def rounded(value: Any, layout: str) -> Expression:
    """A number as text by a layout, rounded first: programs differ in how a text rounds a half."""
    digits = len(layout.rstrip("%").partition(".")[2]) + 2 * layout.endswith("%")
    return text(round_half_up(value, digits), layout)


def figure(value: Any, unit: str = "count") -> Expression:
    """A number as text, as its unit is written; missing is a dash."""
    return where(is_known(value), rounded(value, text_layout(unit)), DASH)


def decimal(value: Any, places: int = 1) -> Expression:
    """A number with so many decimals; missing is a dash."""
    return where(is_known(value), rounded(value, "#,##0." + "0" * places if places else "#,##0"), DASH)


def duration(value: Any, like: Any = None) -> Expression:
    """An estimated time with one decimal, below one with two; the ends of a range like its middle."""
    return where(below(value if like is None else like, 1), decimal(value, 2), decimal(value))


def shortest(value: Any, up: bool | None = None) -> Expression:
    """A number with one decimal, or none when it is whole. up: rounded up, down (False) or to the nearest (None)."""
    kept = round_half_up(value, 1) if up is None else (ceil(value * 10) if up else floor(value * 10)) / 10
    whole = at_most(kept - floor(kept), NOTHING)
    return where(is_known(value), where(whole, rounded(kept, "#,##0"), rounded(kept, "#,##0.0")), DASH)


def plural(words: Wording, key: str, count: Any, layout: str = "#,##0") -> Any:
    """`<key>_one` for one, `<key>_many` for others, each with {count}."""
    one, many = words.label(f"{key}_one"), words.label(f"{key}_many")
    written = text(count, layout)
    if one == many:
        return sentence(words, f"{key}_many", count=written)
    return where(
        equals(count, 1), sentence(words, f"{key}_one", count=written), sentence(words, f"{key}_many", count=written)
    )


def money(value: Any, language: str, currency: str) -> Expression:
    """An amount with its currency, in millions or ten thousands where that reads well."""
    if language == "zh":
        name = CURRENCY_ZH.get(currency, currency)
        small = where(at_least(value, 1e4), _scaled(value, 1e4, "#,##0.00", f" 万{name}"), _whole(value, f" {name}"))
        middle = where(at_least(value, 1e6), _scaled(value, 1e4, "#,##0", f" 万{name}"), small)
        written = where(at_least(value, 1e8), _scaled(value, 1e8, "#,##0.00", f" 亿{name}"), middle)
    else:
        written = where(
            at_least(value, 1e6), _scaled(value, 1e6, "#,##0.00", f" M {currency}"), _whole(value, f" {currency}")
        )
    return where(is_known(value), written, DASH)


def _scaled(value: Any, size: float, layout: str, name: str) -> Expression:
    return join(rounded(value / size, layout), name)


def _whole(value: Any, name: str) -> Expression:
    return join(rounded(value, "#,##0"), name)


def tokens(value: Any, language: str) -> Expression:
    """A count of tokens or parameters in words of size: 10 billion, 100 亿."""
    steps = ((1e12, " trillion"), (1e9, " billion"), (1e6, " million"))
    if language == "zh":
        steps = ((1e12, " 万亿"), (1e8, " 亿"), (1e4, " 万"))
    written: Any = rounded(value, "#,##0")
    for size, name in reversed(steps):
        written = where(at_least(value, size), join(shortest(value / size), name), written)
    return written
