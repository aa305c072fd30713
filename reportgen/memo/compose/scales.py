"""Units chosen for a memo: one unit of money for its lists, one unit of time for its days; sums that add up."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from reportgen.catalog.numbers import MISSING_TEXT
from reportgen.memo.compose.voice import Voice, rounded_half_up
from reportgen.memo.table_schema import Line

if TYPE_CHECKING:
    from reportgen.memo.compose.case import Case

MOST_DECIMALS = 2  # of an amount in a list
HOURS_A_DAY, MINUTES_A_DAY = 24.0, 1440.0


@dataclass(frozen=True)
class MoneyScale:
    """Amounts of a list: divided by `divisor`, printed with `decimals`, headed by `unit`."""

    voice: Voice
    unit: str
    divisor: float
    decimals: int

    @classmethod
    def for_lists(cls, voice: Voice, total: float) -> MoneyScale:
        """Thousands or 万元 for equipment, whole units for small sums, millions for very large ones."""
        if voice.chinese:
            small = total == total and total < 1e5
            name = voice.currency_name if small else f"万{voice.currency_name}"
            return cls(voice, name, 1.0 if small else 1e4, 0 if small else 1)
        if total == total and total >= 1e9:
            return cls(voice, f"M {voice.currency}", 1e6, 1)
        if total == total and total < 1e6:
            return cls(voice, voice.currency, 1.0, 0)
        return cls(voice, voice.say("thousand_money", currency=voice.currency), 1e3, 0)

    @classmethod
    def for_totals(cls, voice: Voice, amounts: Sequence[float]) -> MoneyScale:
        """The coarser unit of totals: M CNY or 万元; decimals by the smallest amount that is to be seen."""
        known = [abs(amount) for amount in amounts if amount == amount and amount]
        largest, smallest = max(known, default=0.0), min(known, default=0.0)
        if voice.chinese:
            if largest < 1e5:
                return cls(voice, voice.currency_name, 1.0, 0)
            return cls(voice, f"万{voice.currency_name}", 1e4, 0 if smallest >= 1e6 else (1 if smallest >= 1e4 else 2))
        if largest >= 1e6 > 100 * smallest:
            return cls(voice, voice.say("thousand_money", currency=voice.currency), 1e3, 1)
        if largest >= 1e6:
            return cls(voice, f"M {voice.currency}", 1e6, 2 if smallest >= 1e4 else 3)
        return cls(voice, voice.currency, 1.0, 0)

    def text(self, amount: float) -> str:
        """The figure of an amount; one that would print as nothing says how small it is."""
        if amount > 0 and not self.printed(amount):
            return f"<\u00a0{self.voice.fixed(10.0**-self.decimals, self.decimals)}"
        return self.voice.fixed(amount / self.divisor, self.decimals)

    def printed(self, amount: float) -> float:
        """The amount as a reader sees it."""
        return rounded_half_up(amount / self.divisor, self.decimals)

    def finer(self) -> MoneyScale:
        """The same unit with one more decimal."""
        return self.with_decimals(self.decimals + 1)

    def with_decimals(self, decimals: int) -> MoneyScale:
        """The same unit with so many decimals."""
        return replace(self, decimals=decimals)

    def adds_up(self, parts: Sequence[float], total: float) -> bool:
        """Whether printed parts give the printed total."""
        return abs(sum(self.printed(part) for part in parts) - self.printed(total)) < 0.5 * 10**-self.decimals

    def rounding(self, parts: Sequence[float], total: float) -> float:
        """What a line "rounding" must hold, in the printed unit."""
        return rounded_half_up(self.printed(total) - sum(self.printed(part) for part in parts), self.decimals)

    def rounding_line(self, parts: Sequence[float], total: float) -> tuple[Line, ...]:
        """The line "rounding" where printed parts do not add up, else nothing."""
        rest = self.rounding(parts, total)
        if abs(rest) < 0.5 * 10**-self.decimals:
            return ()
        return (Line(name=self.voice.say("rounding"), amount=self.voice.fixed(rest, self.decimals)),)

    def fitted(self, *sums: tuple[Sequence[float], float]) -> MoneyScale:
        """This scale, else with one decimal less, one or two more, whichever makes all printed sums add up first."""
        choices = [self]
        if self.divisor > 1:
            choices += [self.with_decimals(self.decimals - 1)] if self.decimals > 1 else []
            choices += [self.with_decimals(more) for more in range(self.decimals + 1, MOST_DECIMALS + 1)]
        return next((scale for scale in choices if all(scale.adds_up(*each) for each in sums)), self)


@dataclass(frozen=True)
class TimeScale:
    """Days, hours or minutes for all durations of a memo."""

    voice: Voice
    unit: str  # days | hours | minutes
    factor: float  # of days
    decimals: int = 1

    @classmethod
    def of(cls, case: Case) -> TimeScale:
        """By the length of the job and of its deadline."""
        if case.kind == "batch":
            hours = case.value("batch_hours")
            return (
                cls(case.voice, "hours", HOURS_A_DAY) if not hours < 0.5 else cls(case.voice, "minutes", MINUTES_A_DAY)
            )
        days = case.value("training_days")
        if case.deadline == case.deadline or not days < 1:
            return cls(case.voice, "days", 1.0, 1 if not days < 1 else 2)
        if days * HOURS_A_DAY >= 1:
            return cls(case.voice, "hours", HOURS_A_DAY)
        return cls(case.voice, "minutes", MINUTES_A_DAY)

    @property
    def name(self) -> str:
        """The unit in words."""
        return self.voice.say(f"time_{self.unit}")

    def scaled(self, days: float) -> float:
        """The number in this unit."""
        return days * self.factor

    def text(self, days: float) -> str:
        """The figure alone."""
        return MISSING_TEXT if days != days else self.voice.fixed(days * self.factor, self.decimals)

    def limit(self, days: float) -> str:
        """A given duration: without the zero that says nothing."""
        text = self.text(days)
        head, _, tail = text.partition(".")
        return head if not tail.strip("0") else text

    def amount(self, days: float) -> str:
        """Figure and unit."""
        return self._with_unit(self.text(days))

    def limit_amount(self, days: float) -> str:
        """A given duration with its unit."""
        return self._with_unit(self.limit(days))

    def span(self, low: float, high: float) -> str:
        """low to high with the unit."""
        return self._with_unit(self.voice.say("range", low=self.text(low), high=self.text(high)))

    def _with_unit(self, number: str) -> str:
        one = number == "1" and self.voice.has(f"time_{self.unit}_one")
        return self.voice.say(
            "time_amount", number=number, unit=self.voice.say(f"time_{self.unit}_one") if one else self.name
        )
