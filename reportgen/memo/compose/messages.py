"""Messages of a result as sentences: numbers by the unit of the quantity that they are named after."""

from __future__ import annotations

from typing import Any

from reportgen.evaluation.result import Check, Message
from reportgen.memo.compose.case import Case
from reportgen.memo.compose.scales import HOURS_A_DAY

COUNTED = {"gpus": "gpus", "free": "gpus", "nodes": "servers_of", "nodes_reused": "servers_of", "racks": "racks"}
DAYS = ("training_days", "delivery_days")


def sentence(case: Case, message: Message) -> str:
    """The words of a message with its values; nothing where there are none."""
    words = case.voice.words
    if not words.has(message.key):
        return ""
    form = words.form(message.key, message.count)
    return words.text(form, **{key: _value(case, message, key, value) for key, value in message.values.items()})


def _value(case: Case, message: Message, key: str, value: Any) -> str:
    voice = case.voice
    if isinstance(value, (list, tuple)):
        return voice.joined([_part(case, key, str(part)) for part in value])
    if isinstance(value, str):
        return _word(case, key, value)
    if key == "share":
        return voice.share(float(value)) if value < 1 else f"{voice.number(float(value) * 100)}%"
    if key in ("money", "purchase_cost"):
        return voice.money(float(value))
    if key in DAYS:
        return case.time.amount(float(value)) if key == "training_days" else voice.count(float(value), "days")
    if key == "batch_hours":
        return case.time.amount(float(value) / HOURS_A_DAY)
    if key in COUNTED:
        return voice.count(float(value), COUNTED[key])
    if key == "lead_time_longest":
        return voice.count(float(value), "weeks")
    if key == "value":
        return voice.amount(value, case.unit(str(message.values.get("quantity", ""))))
    unit = case.unit(key)
    return voice.amount(float(value), unit) if unit else voice.number(float(value))


def _part(case: Case, key: str, part: str) -> str:
    """One of several: a line of the list, a change of which several are needed."""
    if key == "line":
        return case.voice.item(part)
    return case.voice.words.label(f"{part}_step") if key == "steps" else part


def _word(case: Case, key: str, value: str) -> str:
    voice = case.voice
    if key == "accelerator":
        return case.accelerator(value)
    if key == "quantity":
        return voice.label(value)
    if key == "status" and voice.words.has(f"supply_{value}"):
        return voice.label(f"supply_{value}")
    return voice.words.value(key, value)


def what_to_do(case: Case, check: Check) -> str:
    """What would have to change for a check to hold: with numbers where the result has them, else in general."""
    found = [text for change in check.changes if (text := sentence(case, change))]
    if found:
        return case.voice.joined([found[0], *(case.voice.lowered(text) for text in found[1:])], "semicolon")
    key = f"check_{check.key}_do"
    return case.voice.label(key) if case.voice.words.has(key) else ""
