"""What the sheets for readers share: headers, headings, names of accelerators, sentences of messages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reportgen.catalog.numbers import format_number
from reportgen.evaluation.result import Message
from reportgen.workbook.cells import Sheet
from reportgen.workbook.model import Model
from reportgen.workbook.palette import palette


def states(model: Model) -> dict[str, str]:
    """The word of each verdict."""
    return {state: model.words.label(f"state_{state}") for state in palette().states}


def headers(model: Model, prefix: str, keys: Sequence[str], **values: Any) -> list[str]:
    """Header texts by key."""
    return [model.words.text(f"{prefix}_{key}", **values) for key in keys]


def heading(sheet: Sheet, row: int, text: str, column: int | str = 1) -> None:
    """A heading between tables."""
    sheet.put(row, column, text, "section")


def accelerator_name(model: Model, key: str) -> str:
    """An accelerator as its vendor writes it."""
    column = model.result.tables.get("accelerators_name")
    name = column.get(key) if column is not None else key
    return name if isinstance(name, str) and name else key


def spoken(model: Model, message: Message) -> str:
    """The sentence of a message, as issued."""
    values = {name: _spoken(model, name, value, message) for name, value in message.values.items()}
    return model.words.text(message.key, **values)


def _spoken(model: Model, name: str, value: Any, message: Message) -> str:
    if isinstance(value, str):
        if name == "accelerator":
            return accelerator_name(model, value)
        if name == "status" and model.words.has(f"supply_{value}"):
            return model.words.label(f"supply_{value}")
        return model.label(value) if name == "quantity" else value
    unit = _unit_of(model, str(message.values.get("quantity", "")))
    if unit or not float(value).is_integer():
        return format_number(value, unit or "factor", model.result.facts.language, model.result.facts.currency)
    return f"{value:,.0f}"


def _unit_of(model: Model, key: str) -> str:
    quantity = model.result.quantities.get(key)
    if quantity is not None:
        return quantity.unit
    return model.inputs_by_key[key].unit if key in model.inputs_by_key else ""
