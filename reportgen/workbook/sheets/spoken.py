"""Sentences that a result carries as messages, in the language of the book and as issued."""

from __future__ import annotations

from typing import Any

from reportgen.catalog.numbers import format_money, format_number, is_missing
from reportgen.evaluation.result import Message
from reportgen.workbook.model import Model

UNITS = {"share": "share", "money": "money"}
NO_WORD = ("", "-", "text", "flag", "share", "row", "factor", "count", "date", "year")


def spoken(model: Model, message: Message) -> str:
    """The sentence of a message; a number is written by the unit of the quantity of its name."""
    values = {name: _value(model, name, value, message) for name, value in message.values.items()}
    return model.words.text(model.words.form(message.key, message.count), **values)


def accelerator_name(model: Model, key: str) -> str:
    """An accelerator as its vendor writes it."""
    column = model.result.tables.get("accelerators_name")
    name = column.get(key) if column is not None else None
    return name if isinstance(name, str) and name else key


def _value(model: Model, name: str, value: Any, message: Message) -> str:
    if isinstance(value, (list, tuple)):
        return ", ".join(_value(model, name, item, message) for item in value)
    if isinstance(value, str):
        return _named(model, name, value)
    return amount(model, value, _unit(model, name, message))


def _unit(model: Model, name: str, message: Message) -> str:
    if name == "time":
        return str(message.values.get("unit", ""))
    if name == "value":
        name = str(message.values.get("quantity", ""))
    return UNITS.get(name) or unit_of(model, name)


def unit_of(model: Model, key: str) -> str:
    """The unit of a quantity or an input; empty for other names."""
    item = model.result.quantities.get(key) or model.inputs_by_key.get(key)
    return item.unit if item is not None else ""


def _named(model: Model, name: str, value: str) -> str:
    words = model.words
    if name == "status" and words.has(f"supply_{value}"):
        return words.label(f"supply_{value}")
    if name == "accelerator":
        return accelerator_name(model, value)
    if name == "steps":
        return words.label(f"{value}_step")
    if name == "line":
        return words.label(f"line_{value}_item") if words.has(f"line_{value}_item") else value
    return model.label(value) if name == "quantity" else words.value(name, value)


def amount(model: Model, value: float, unit: str) -> str:
    """A number with its unit, in the language of the book."""
    facts = model.result.facts
    if is_missing(value):
        return "–"
    if unit == "money":
        return format_money(value, facts.language, facts.currency)
    whole = not unit and float(value).is_integer()
    written = format_number(float(value), "count" if whole else unit or "factor", facts.language, facts.currency)
    if unit in NO_WORD:
        return written
    word = model.unit(unit)
    one = facts.language == "en" and value == 1 and unit.isalpha() and word.endswith("s") and len(word) > 2
    return f"{written} {word[:-1] if one else word}"
