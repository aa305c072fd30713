"""The sentences of a comparison in the language of the book, as issued."""

from __future__ import annotations

from typing import Any

from reportgen.catalog.numbers import format_money, format_number
from reportgen.evaluation.result import Message
from reportgen.workbook.comparison import Compared


def comparison_sentence(compared: Compared) -> str:
    """The differences that matter in one sentence."""
    clauses = compared.words.label("compared_clause").join(
        _spoken(compared, item) for item in compared.comparison.sentences
    )
    return compared.words.text("compared_sentence", clauses=clauses[:1].upper() + clauses[1:])


def _spoken(compared: Compared, message: Message) -> str:
    values = {name: _value(compared, name, value, message) for name, value in message.values.items()}
    return compared.words.text(message.key, **values)


def _value(compared: Compared, name: str, value: Any, message: Message) -> str:
    facts = compared.results[0].facts
    if isinstance(value, str):
        return value
    if name == "money":
        return format_money(value, facts.language, facts.currency)
    unit = "share" if name == "share" else str(message.values.get("unit", "")) if name == "time" else ""
    written = format_number(float(value), unit or "count", facts.language, facts.currency)
    return written if unit in ("", "share") else f"{written} {compared.phrases.unit(unit)}"
