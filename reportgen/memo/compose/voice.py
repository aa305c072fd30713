"""Words and figures of one memo: sentences of the wording, counted things, amounts of money, durations."""

from __future__ import annotations

import math
from typing import Any

from reportgen.catalog.numbers import CURRENCY_ZH, MISSING_TEXT, format_money, format_number, is_missing
from reportgen.catalog.wording import wording

WRITTEN_OUT = 1e6  # numbers of tokens below this are written out, not as K
WITHOUT_UNIT = ("", "-", "text", "flag", "share", "row", "factor", "stage", "date", "year", "count", "class", "rank")


class Voice:
    """The words of a language and the numbers as that language and currency write them."""

    def __init__(self, language: str, currency: str):
        self.language = language
        self.currency = currency
        self.words = wording(language)

    @property
    def chinese(self) -> bool:
        """Whether the memo is written in Chinese."""
        return self.language == "zh"

    # ---- words -----------------------------------------------------------------------------------------------------
    def say(self, key: str, **values: Any) -> str:
        """A sentence of the memo, `memo_<key>` of the wording."""
        return self.words.text(f"memo_{key}", **values)

    def has(self, key: str) -> bool:
        """Whether the memo has words for a key."""
        return self.words.has(f"memo_{key}")

    def label(self, key: str) -> str:
        """The name of a quantity or an input; the key itself for what has none."""
        return self.words.label(key) if self.words.has(key) else key.replace("_", " ")

    def item(self, key: str) -> str:
        """The name of a line of the hardware list."""
        return self.label(f"line_{key}_item")

    def listed(self, parts: list[str] | tuple[str, ...]) -> str:
        """Words as an enumeration: a, b and c."""
        found = [part for part in parts if part]
        if len(found) < 2:
            return "".join(found)
        return self.say("and").join((self.say("comma").join(found[:-1]), found[-1]))

    def joined(self, parts: list[str] | tuple[str, ...], mark: str = "comma") -> str:
        """Words in a row between commas or semicolons."""
        return self.say(mark).join(part for part in parts if part)

    def opened(self, text: str) -> str:
        """The text with a capital at its start."""
        return text[:1].upper() + text[1:]

    def lowered(self, text: str) -> str:
        """The text with a small letter at its start, unless it opens with a name."""
        return text if self.chinese or text[1:2].isupper() else text[:1].lower() + text[1:]

    # ---- numbers ---------------------------------------------------------------------------------------------------
    def number(self, value: Any, unit: str = "count") -> str:
        """The figure alone; an en dash for missing."""
        if isinstance(value, str):
            return value or MISSING_TEXT
        if is_missing(value):
            return MISSING_TEXT
        if unit == "flag":
            return self.say("yes" if value else "no")
        if unit == "tokens" and abs(value) < WRITTEN_OUT:
            unit = "count"
        return format_number(float(value), unit or "factor", self.language, self.currency)

    def fixed(self, value: float, decimals: int) -> str:
        """The figure with so many decimals."""
        if is_missing(value):
            return MISSING_TEXT
        rounded = rounded_half_up(value, decimals)
        return f"{'−' if rounded < 0 else ''}{abs(rounded):,.{decimals}f}"

    def unit(self, unit: str, number: str = "") -> str:
        """A unit in words, singular beside "1"."""
        if unit in WITHOUT_UNIT:
            return ""
        if number == "1" and self.has(f"one_{unit}"):
            return self.say(f"one_{unit}")
        key = f"unit_{unit.replace(' ', '_')}"
        key = key if self.words.has(key) else f"unit_{unit}"
        if not self.words.has(key):
            return unit.replace("money", self.currency_name)
        return self.words.text(key, currency=self.currency, currency_name=self.currency_name)

    @property
    def currency_name(self) -> str:
        """The currency as running text names it."""
        return CURRENCY_ZH.get(self.currency, self.currency) if self.chinese else self.currency

    def amount(self, value: Any, unit: str) -> str:
        """The figure with its unit."""
        number = self.number(value, unit)
        if isinstance(value, str) or number == MISSING_TEXT or unit == "flag":
            return number
        return self.amount_of(number, unit)

    def amount_of(self, number: str, unit: str) -> str:
        """A printed figure with its unit."""
        if self.chinese and unit.startswith("money") and not number[-1].isdigit():
            per = unit.removeprefix("money").removeprefix("/")
            return f"{number}/{self.unit(per, '1')}" if per else number
        return tied(number, self.unit(unit, number))

    def share(self, value: float) -> str:
        """A share in per cent; one that would print as nothing says how small it is."""
        if 0 < value < 0.0005:
            return self.say("tiny_share")
        return self.number(value, "share").replace(".0%", "%")

    def span(self, low: Any, high: Any, unit: str) -> str:
        """low to high with the unit, as running text writes a range."""
        if is_missing(low) or is_missing(high):
            return MISSING_TEXT
        ends = [self.number(end, unit) for end in (low, high)]
        return tied(self.say("range", low=ends[0], high=ends[1]), self.unit(unit, ends[1]))

    def count(self, value: float, thing: str) -> str:
        """So many things: "1 GPU", "24 GPUs", "24张". Things are keys `memo_count_<thing>` and `..._one`."""
        number = format_number(float(value), "count", self.language, self.currency)
        one = f"count_{thing}_one"
        return self.say(one if number == "1" and self.has(one) else f"count_{thing}", n=number)

    def plural(self, key: str, value: float, **values: Any) -> str:
        """A sentence about so many things; `<key>_one` when there is one."""
        number = format_number(float(value), "count", self.language, self.currency)
        one = f"{key}_one"
        return self.say(one if number == "1" and self.has(one) else key, n=number, **values)

    def money(self, value: float) -> str:
        """An amount with its currency: "1.82 M CNY", "182 万元"."""
        return format_money(value, self.language, self.currency)

    def ceiling(self, value: float) -> str:
        """A ceiling exactly as it was set, never coarser: "1.83 M CNY", "183 万元", "12,346 万元"."""
        if is_missing(value):
            return MISSING_TEXT
        if self.chinese and value >= 1e4:
            return f"{exactly(value / 1e4)} 万{self.currency_name}"
        if not self.chinese and value >= 1e6:
            return f"{exactly(value / 1e6, 2)} M {self.currency}"
        return f"{exactly(value)} {self.currency_name}"

    def money_parts(self, value: float) -> tuple[str, str]:
        """The amount as figure and unit: ("1.82", "M CNY"), ("182", "万元")."""
        number, _, unit = self.money(value).partition(" ")
        return number, unit


def tied(number: str, unit: str) -> str:
    """A figure and its unit."""
    return f"{number}{'' if unit.startswith('/') else ' '}{unit}" if unit else number


def rounded_half_up(value: float, decimals: int) -> float:
    """Rounded as spreadsheets do, so that sums of printed figures can be checked."""
    scale = 10**decimals
    return math.copysign(math.floor(abs(value) * scale + 0.5 + 1e-9) / scale, value) + 0.0


def exactly(value: float, least: int = 0) -> str:
    """Grouped digits with as many decimals as the value has, at least so many."""
    for decimals in range(least, 7):
        if abs(round(value, decimals) - value) < 1e-9 * max(1.0, abs(value)):
            return f"{value:,.{decimals}f}"
    return f"{value:,.6f}"
