"""Words and figures of a result in one language: everything a text renderer prints passes here."""

from __future__ import annotations

from typing import Any

from reportgen.catalog.numbers import format_number, is_missing
from reportgen.catalog.wording import wording
from reportgen.evaluation.result import InputValue, Message, Quantity, Result

NOTHING = "–"
WITHOUT_UNIT = ("", "-", "text", "flag", "share", "row", "factor", "stage", "date", "year")


class Speech:
    """The words of a language, and numbers as that language writes them."""

    def __init__(self, result: Result, language: str | None = None):
        self.result = result
        self.language = language or result.facts.language
        self.currency = result.facts.currency
        self.words = wording(self.language)

    def say(self, key: str, **values: Any) -> str:
        """A sentence or a word of the text renderers."""
        return self.words.text(f"text_{key}", **values)

    def label(self, key: str) -> str:
        """The name of a quantity, an input, a line, a check; the key itself for what has no label."""
        return self.words.label(key) if self.words.has(key) else key.replace("_", " ")

    def line(self, key: str) -> str:
        """The name of a line of the hardware list."""
        return self.label(f"line_{key}" if self.words.has(f"line_{key}") else key)

    def number(self, value: Any, unit: str = "") -> str:
        """The figure alone: 9.9, 1,230,000, 36 %; an en dash for missing."""
        if isinstance(value, str):
            return value or NOTHING
        if is_missing(value):
            return NOTHING
        if unit == "flag":
            return self.say("yes" if value else "no")
        return format_number(float(value), unit or "factor", self.language, self.currency)

    def unit(self, unit: str, value: Any = None) -> str:
        """A unit in words, singular for one; money names its currency."""
        if unit in WITHOUT_UNIT:
            return ""
        if self.language == "en" and value == 1 and unit.isalpha() and unit.endswith("s") and len(unit) > 2:
            return unit[:-1]
        key = f"unit_{unit.replace(' ', '_')}"
        if not self.words.has(key):
            return unit.replace("money", self.currency)
        return self.words.text(key, currency=self.currency, currency_name=self._currency_name())

    def _currency_name(self) -> str:
        key = f"currency_{self.currency}"
        return self.words.label(key) if self.words.has(key) else self.currency

    def amount(self, value: Any, unit: str) -> str:
        """The figure with its unit."""
        number = self.number(value, unit)
        if isinstance(value, str) or number == NOTHING:
            return number
        return _joined(number, self._unit_after(number, unit, value))

    def _unit_after(self, number: str, unit: str, value: Any = None) -> str:
        """The unit as it follows a figure; Chinese amounts carry their currency already."""
        per = unit.removeprefix("money/")
        if self.language == "zh" and unit.startswith("money") and not number[-1].isdigit():
            return "" if unit == "money" else f"/{self.unit(per)}"
        return self.unit(unit, value)

    def range(self, low: Any, high: Any, unit: str) -> str:
        """low–high with its unit; an en dash when there is none."""
        if is_missing(low) or is_missing(high):
            return NOTHING
        ends = [self.number(end, unit) for end in (low, high)]
        return _joined(NOTHING.join(ends), self._unit_after(ends[1], unit))

    def of(self, item: Quantity | InputValue) -> str:
        """The base value of a quantity or an input with its unit."""
        return self.amount(item.value, item.unit)

    def message(self, message: Message) -> str:
        """A sentence with its values printed; a number is written by the unit of the quantity of its name."""
        return self.words.text(message.key, **{key: self._spoken(key, value) for key, value in message.values.items()})

    def _spoken(self, key: str, value: Any) -> str:
        if isinstance(value, (list, tuple)):
            return ", ".join(self._spoken(key, item) for item in value)
        if isinstance(value, str):
            return value
        return self.amount(value, self._unit_of(key))

    def _unit_of(self, key: str) -> str:
        quantity = self.result.quantities.get(key)
        if quantity is not None:
            return quantity.unit
        return next((item.unit for item in self.result.inputs if item.key == key), "")


def _joined(number: str, unit: str) -> str:
    return f"{number}{'' if unit.startswith('/') else ' '}{unit}" if unit else number
