"""Words and figures of a result in one language: everything a text renderer prints passes here."""

from __future__ import annotations

import math
import re
from typing import Any

from reportgen.catalog.numbers import MINUS, format_number, is_missing
from reportgen.catalog.wording import wording
from reportgen.evaluation.result import InputValue, Line, Message, Quantity, Result

NOTHING = "–"
HAN = "\u4e00-\u9fff"
BETWEEN = re.compile(f"(?<=[{HAN}])(?=[A-Za-z0-9])|(?<=[A-Za-z0-9%])(?=[{HAN}])")
SMALLER_UNITS = {"days": (24, "h"), "s": (1000, "ms")}
WITHOUT_UNIT = ("", "-", "text", "flag", "share", "row", "factor", "stage", "date", "year", "count", "class", "rank")


class Speech:
    """The words of a language, and numbers as that language writes them."""

    def __init__(self, result: Result, language: str | None = None):
        self.result = result
        self.language = language or result.facts.language
        self.currency = result.facts.currency
        self.words = wording(self.language)

    def say(self, key: str, **values: Any) -> str:
        """A sentence or a word of the text renderers."""
        return self._spaced(self.words.text(f"text_{key}", **values))

    def _spaced(self, text: str) -> str:
        """In Chinese a space between Han and Latin letters or digits."""
        return BETWEEN.sub(" ", text) if self.language == "zh" else text

    def label(self, key: str) -> str:
        """The name of a quantity, an input, a line, a check; the key itself for what has no label."""
        return self.words.label(key) if self.words.has(key) else key.replace("_", " ")

    def line(self, key: str) -> str:
        """The name of a line of the hardware list."""
        return self.label(next((name for name in (f"line_{key}_item", f"line_{key}") if self.words.has(name)), key))

    def specification(self, line: Line) -> str:
        """What a line must be, its facts filled in; empty where nothing is specified."""
        key = f"line_{line.key}_specification"
        if not self.words.has(key):
            return ""
        return self.words.text(key, **{name: self._fact(name, value) for name, value in line.facts.items()})

    def _fact(self, name: str, value: Any) -> str:
        unit = self._unit_of(name)
        if is_missing(value) and self.words.has("request_as_offered"):
            return self.words.label("request_as_offered")
        if not isinstance(value, str) and not unit.startswith("money") and float(value).is_integer():
            return self.number(value, "share" if unit == "share" else "count")
        if unit or isinstance(value, str):
            return self.number(value, unit)
        return f"{float(value):,.6g}"

    def check(self, key: str) -> str:
        """The name of a check."""
        return self.label(f"check_{key}" if self.words.has(f"check_{key}") else key)

    def to_do(self, key: str) -> str:
        """What to do when a check does not hold."""
        return self.words.label(f"check_{key}_do") if self.words.has(f"check_{key}_do") else ""

    def accelerator(self, key: str) -> str:
        """An accelerator as its vendor writes it."""
        names = self.result.tables.get("accelerators_name")
        name = names.get(key) if names is not None else None
        return name if isinstance(name, str) and name else key

    def number(self, value: Any, unit: str = "") -> str:
        """The figure alone: 9.9, 1,230,000, 36 %; an en dash for missing."""
        if isinstance(value, str):
            return value or NOTHING
        if is_missing(value):
            return NOTHING
        if unit == "flag":
            return self.say("yes" if value else "no")
        if not unit:
            unit = "count" if float(value).is_integer() else "factor"
        return format_number(float(value), unit, self.language, self.currency)

    def figure(self, value: Any, unit: str = "") -> str:
        """A figure to reckon with: at least three digits that count, however small the value."""
        written = self.number(value, unit)
        if isinstance(value, str) or is_missing(value) or value == 0 or unit == "flag" or math.isinf(value):
            return written
        if abs(value) >= 10_000 and "." in written and written[-1].isdigit():
            return f"{value:,.0f}".replace("-", MINUS)
        if "." not in written and float(value).is_integer():
            return written
        decimals = 2 - math.floor(math.log10(abs(value)))
        needed = f"{value:,.{max(0, decimals)}f}".replace("-", MINUS)
        return (
            needed
            if abs(value) < 1 and unit != "share" and len(needed) > len(written)
            else _closer(value, written, needed)
        )

    def unit(self, unit: str, value: Any = None) -> str:
        """A unit in words, singular for one; money names its currency."""
        if unit in WITHOUT_UNIT:
            return ""
        if self.language == "en" and value == 1 and unit.isalpha() and unit.endswith("s") and len(unit) > 2:
            if unit.endswith("ies"):
                return unit[:-3] + "y"
            return unit[:-2] if unit.endswith(("ches", "shes", "sses", "xes")) else unit[:-1]
        key = f"unit_{unit.replace(' ', '_')}"
        if not self.words.has(key):
            first, slash, rest = unit.replace("money", self.currency).partition("/")
            return f"{self.unit(first)}/{self.unit(rest)}" if slash else first
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

    def scaled(self, values: tuple, unit: str) -> tuple[tuple, str]:
        """Values in the unit in which the first of them reads well: days below one become hours, seconds milliseconds."""
        factor, smaller = SMALLER_UNITS.get(unit, (1, ""))
        if not smaller or is_missing(values[0]) or not 0 < abs(values[0]) < 1:
            return values, unit
        return tuple(value if value is None else value * factor for value in values), smaller

    def in_unit(self, value: Any, unit: str, wanted: str) -> str:
        """The figure alone, written in a unit that `scaled` chose for its column."""
        if is_missing(value):
            return NOTHING
        scaled = value if unit == wanted else value * SMALLER_UNITS[unit][0]
        written = self.number(scaled, wanted)
        return self.figure(scaled, wanted) if scaled and not written.strip("0.,") else written

    def readable(self, value: Any, unit: str) -> str:
        """The figure with its unit, the unit chosen so that it reads well."""
        if isinstance(value, str):
            return self.amount(value, unit)
        (value,), unit = self.scaled((value,), unit)
        return self.amount(value, unit)

    def range(self, low: Any, high: Any, unit: str) -> str:
        """low–high with its unit; an en dash when there is none."""
        if is_missing(low) or is_missing(high):
            return NOTHING
        ends = [self.number(end, unit) for end in (low, high)]
        return _joined(NOTHING.join(ends), self._unit_after(ends[1], unit))

    def exact(self, item: Quantity | InputValue) -> str:
        """The base value as a figure to reckon with, with its unit."""
        if isinstance(item.value, str):
            return self.of(item)
        if is_missing(item.value):
            return self.amount(item.value, item.unit)
        return _joined(
            self.figure(item.value, item.unit),
            self._unit_after(self.number(item.value, item.unit), item.unit, item.value),
        )

    def of(self, item: Quantity | InputValue) -> str:
        """The base value of a quantity or an input with its unit."""
        value = self.words.value(item.key, item.value) if isinstance(item.value, str) else item.value
        return self.readable(value, item.unit)

    def asked(self) -> str:
        """The amount asked for: the purchase or the rent; with a sign while lines without a price come on top."""
        result = self.result
        rented = result.facts.acquire == "rent"
        key = "rental_cost" if rented else "capital_cost"
        if not result.has(key):
            return NOTHING
        written = self.of(result.quantities[key])
        if not rented and result.value("main_line_priced") == 0:
            return self.say("asked_unpriced", others=written)
        unpriced = result.value("unpriced_lines")
        return f"≥ {written}" if not rented and not isinstance(unpriced, str) and unpriced > 0 else written

    def message(self, message: Message) -> str:
        """A sentence with its values printed; a number is written by the unit of the quantity of its name."""
        if not self.words.has(message.key):
            return self.label(message.key)
        units = {
            "value": self._unit_of(str(message.values.get("quantity", ""))),
            "time": str(message.values.get("unit", "")),
            "share": "share",
            "money": "money",
        }
        spoken = {key: self._spoken(key, value, units.get(key)) for key, value in message.values.items()}
        return self._spaced(self.words.text(self.words.form(message.key, message.count), **spoken))

    def _spoken(self, key: str, value: Any, unit: str | None = None) -> str:
        if isinstance(value, (list, tuple)):
            return ", ".join(self._spoken(key, item) for item in value)
        if isinstance(value, str):
            return self._named(key, value)
        unit = self._unit_of(key) if unit is None else unit
        whole = not unit and not is_missing(value) and float(value).is_integer()
        return self.readable(value, unit) if unit == "days" else self.amount(value, "count" if whole else unit)

    def _named(self, key: str, value: str) -> str:
        if key == "status" and self.words.has(f"supply_{value}"):
            return self.words.label(f"supply_{value}")
        if key == "quantity":
            return self.label(value)
        if key == "steps":
            return self.words.label(f"{value}_step")
        if key == "line":
            return self.line(value)
        return self.accelerator(value) if key == "accelerator" else self.words.value(key, value)

    def _unit_of(self, key: str) -> str:
        quantity = self.result.quantities.get(key)
        if quantity is not None:
            return quantity.unit
        return next((item.unit for item in self.result.inputs if item.key == key), "")


def _closer(value: float, written: str, needed: str) -> str:
    """The usual form, unless it is a plain number that is more than half a per cent off."""
    try:
        shown = float(written.replace(",", "").replace(MINUS, "-"))
    except ValueError:
        return written
    return needed if abs(shown - value) > 0.005 * abs(value) else written


def _joined(number: str, unit: str) -> str:
    return f"{number}{'' if unit.startswith('/') else ' '}{unit}" if unit else number
