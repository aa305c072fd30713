"""What the parts of a memo ask of a result, answered once: kind of job, way, prices, layouts, names."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reportgen.evaluation.result import InputValue, LayoutBlock, Line, Option, Result
from reportgen.memo.compose.scales import MoneyScale, TimeScale
from reportgen.memo.compose.voice import Voice

DROPPED = re.compile(r"\s*\b(?:SXM\d?|PCIe|OAM|\d+GB)\b|\s*\([^)]*\)")
MAKERS = re.compile(r"^(?:NVIDIA|AMD|Intel|Huawei|Google)\s+(?:GeForce\s+|Tesla\s+|Instinct\s+)?")
MISSING = math.nan
ESSENTIAL = (
    "layout_found", "memory_fits", "deadline_met", "first_token_in_time", "next_token_in_time", "carries_peak", "context_fits",
    "window_met",
)  # fmt: skip


@dataclass(frozen=True)
class LayoutRow:
    """One candidate layout: its values by column."""

    values: dict[str, float]
    chosen: bool

    def __getitem__(self, name: str) -> float:
        return self.values.get(name, MISSING)

    @property
    def fits(self) -> bool:
        """Whether memory is enough."""
        return bool(self.values.get("memory_fits", self.values.get("fits", 1)))

    @property
    def divides(self) -> bool:
        """Whether the degrees go into each other: other rows are no layouts that could run."""
        return bool(self.values.get("layout_divides", self.values.get("divides", 1)))

    @property
    def accepted(self) -> bool:
        """Whether it holds memory, deadline and objectives."""
        return bool(self.values.get("layout_ok", 1))


class Case:
    """A result with its words."""

    def __init__(self, result: Result, language: str = ""):
        self.result = result
        self.facts = result.facts
        self.voice = Voice(language or result.facts.language, result.facts.currency)
        self.inputs: dict[str, InputValue] = {item.key: item for item in result.inputs}

    # ---- values ----------------------------------------------------------------------------------------------------
    def value(self, key: str) -> float:
        """The base value of a quantity or an input; NaN when there is none or it is a text."""
        value = self.raw(key)
        return MISSING if value is None or isinstance(value, str) else float(value)

    def raw(self, key: str) -> Any:
        """The base value as it stands; None when this kind of job has none."""
        found = self.result.quantities.get(key) or self.inputs.get(key)
        return None if found is None else found.value

    def known(self, key: str) -> bool:
        """Whether a number is there."""
        value = self.value(key)
        return value == value

    def unit(self, key: str) -> str:
        """The unit of a quantity or an input."""
        found = self.result.quantities.get(key) or self.inputs.get(key)
        return found.unit if found else ""

    def amount(self, key: str) -> str:
        """The base value with its unit."""
        return self.voice.amount(self.raw(key), self.unit(key))

    def ends(self, key: str) -> tuple[float, float]:
        """P10 and P90 of a quantity; NaN where the estimate has no error of its own."""
        found = self.result.quantities.get(key)
        low, high = (getattr(found, end, None) for end in ("p10", "p90"))
        low = self.value(f"{key}_p10") if low is None else low
        high = self.value(f"{key}_p90") if high is None else high
        return low, high

    def has_feature(self, name: str) -> bool:
        """Whether a structure holds, such as deadline."""
        return name in self.result.features

    # ---- the job ---------------------------------------------------------------------------------------------------
    @property
    def kind(self) -> str:
        """training | serving | batch."""
        if self.has_feature("training"):
            return "training"
        return "serving" if self.has_feature("serving") else "batch"

    @property
    def rents(self) -> bool:
        """Whether renting is asked for."""
        return self.facts.acquire == "rent"

    @property
    def workstation(self) -> bool:
        """Whether the request is a machine under a desk: no rack, no network."""
        return not self.has_feature("fabric")

    @property
    def fixed_count(self) -> bool:
        """Whether the scenario says how many GPUs."""
        return self.value("fixed_gpu_count") > 0

    @property
    def deadline(self) -> float:
        """Days allowed; NaN without a deadline."""
        return self.value("deadline_days") if self.has_feature("deadline") else MISSING

    @property
    def runs(self) -> float:
        """How many trainings."""
        value = self.value("runs")
        return value if value == value else 1.0

    @cached_property
    def time(self) -> TimeScale:
        """Days, hours or minutes, whatever reads best for this job."""
        return TimeScale.of(self)

    # ---- hardware --------------------------------------------------------------------------------------------------
    def accelerator(self, key: str = "") -> str:
        """The short name of an accelerator: "H800"; with its memory where two of the scenario would read alike."""
        key = key or self.facts.accelerator
        short = self._short(key)
        rivals = {option.accelerator for option in self.result.options if option.accelerator} - {key}
        if any(self._short(rival) == short for rival in rivals):
            return MAKERS.sub("", self._full(key)).strip()
        return short

    def _full(self, key: str) -> str:
        names = self.result.tables.get("accelerators_name")
        name = names.get(key) if names is not None else None
        if not isinstance(name, str) or not name:
            name = self.raw("accelerator_name") if key == self.facts.accelerator else key
        return name if isinstance(name, str) and name else key

    def _short(self, key: str) -> str:
        return DROPPED.sub("", MAKERS.sub("", self._full(key))).strip() or key

    @property
    def servers(self) -> float:
        """Servers asked for, spare ones included."""
        bought = self.value("nodes_bought")
        return bought if bought == bought else self.value("nodes")

    @property
    def reused(self) -> float:
        """Servers that are there already and are used."""
        found = self.value("nodes_reused")
        return found if found == found else 0.0

    @property
    def installed(self) -> float:
        """All servers, bought and there already."""
        found = self.value("nodes_installed")
        return found if found == found else self.servers + self.reused

    def hardware(self, servers: float, gpus: float, accelerator: str = "") -> str:
        """ "3 servers × 8 H800", "2 RTX 4090 in one workstation"."""
        name = self.accelerator(accelerator)
        if self.workstation or servers != servers:
            return self.voice.say("hardware_workstation", gpus=self.voice.number(gpus), accelerator=name)
        each = gpus / servers if servers else 0.0
        return self.voice.plural("hardware", servers, each=self.voice.number(each), accelerator=name)

    @property
    def request_hardware(self) -> str:
        """The hardware of this request in words."""
        if self.rents:
            return self.voice.say(
                "hardware_rent", gpus=self.voice.number(self.value("gpus")), accelerator=self.accelerator()
            )
        gpus = self.value("gpus_bought")
        own = self.hardware(self.reused, self.reused * self.value("gpus_per_node"))
        if self.reused and not self.servers:
            return self.voice.say("hardware_own", hardware=own)
        asked = self.hardware(self.servers, gpus if gpus == gpus else self.value("gpus"))
        return self.voice.plural("hardware_beside", self.reused, hardware=asked) if self.reused else asked

    # ---- layouts ---------------------------------------------------------------------------------------------------
    @property
    def block(self) -> LayoutBlock:
        """The layouts of the requested accelerator."""
        return self.result.layouts[0]

    @property
    def feasible(self) -> bool:
        """Whether a layout was found and what is asked of the work holds; money and room are other limits."""
        broken = any(check.status == "FAIL" and check.key in ESSENTIAL for check in self.result.checks)
        return bool(self.result.layouts) and self.block.feasible and not broken

    @cached_property
    def layouts(self) -> tuple[LayoutRow, ...]:
        """The candidates of the requested accelerator, in the order of the workbook."""
        columns = self.block.columns
        size = len(next(iter(columns.values()), ()))
        return tuple(
            LayoutRow({name: values[row] for name, values in columns.items()}, row == self.block.chosen)
            for row in range(size)
        )

    @property
    def chosen_row(self) -> LayoutRow:
        """The layout that is requested; the nearest one when none holds."""
        return self.layouts[self.block.chosen]

    # ---- prices ----------------------------------------------------------------------------------------------------
    @cached_property
    def bought(self) -> tuple[Line, ...]:
        """The lines of the hardware list that this size needs, whatever is asked for."""
        return tuple(line for line in self.result.lines if line.quantity > 0)

    @cached_property
    def lines(self) -> tuple[Line, ...]:
        """The list of what is asked for: hardware to buy, or what is rented."""
        return tuple(line for line in self.result.rental if line.quantity > 0) if self.rents else self.bought

    @cached_property
    def unpriced(self) -> tuple[Line, ...]:
        """Lines of a purchase that await a quotation."""
        return tuple(line for line in self.bought if line.amount != line.amount)

    @property
    def servers_unpriced(self) -> bool:
        """Whether the machines themselves have no price."""
        return any(line.category == "servers" for line in self.unpriced)

    @property
    def open_lines(self) -> int:
        """How many prices are missing from the total that is asked for."""
        if not self.rents:
            return len(self.unpriced)
        return int(self.value("rental_unpriced_lines")) if self.known("rental_unpriced_lines") else 0

    @property
    def total(self) -> float:
        """What is asked for, tax and contingency included; NaN when no price at all is known."""
        if self.rents:
            return self.value("rental_cost")
        priced = any(line.amount == line.amount for line in self.bought)
        return self.value("purchase_cost") if priced else MISSING

    @property
    def priced(self) -> bool:
        """Whether any amount is known."""
        return self.total == self.total and self.total > 0

    @property
    def money_text(self) -> str:
        """The total as the title says it."""
        if not self.priced:
            return self.voice.say("money_unknown")
        key = "money_partly" if self.open_lines else "money_whole"
        if self.open_lines and self.servers_unpriced and not self.rents:
            key = "money_machines_unpriced" if self.workstation else "money_servers_unpriced"
        return self.voice.plural(key, self.servers, money=self.voice.money(self.total), tax=self.tax)

    @property
    def taxed(self) -> bool:
        """Whether the total holds a tax; an unknown rate counts as none."""
        return self.value("rental_tax" if self.rents else "purchase_tax") > 0

    @property
    def tax(self) -> str:
        """ "incl. tax", or that none is in the amounts."""
        return self.voice.say("tax" if self.taxed else "untaxed")

    @cached_property
    def table_money(self) -> MoneyScale:
        """The unit of money in lists."""
        return MoneyScale.for_lists(self.voice, self.total)

    # ---- options ---------------------------------------------------------------------------------------------------
    @cached_property
    def rent_option(self) -> Option | None:
        """Renting the requested accelerator, whether asked for or not."""
        return next(
            (
                item
                for item in self.result.options
                if item.kind == "accelerator" and item.way == "rent" and item.accelerator == self.facts.accelerator
            ),
            None,
        )

    @property
    def may_rent(self) -> bool:
        """Whether rules allow renting."""
        return self.rent_option is None or self.rent_option.permitted

    @property
    def little_used(self) -> bool:
        """Whether the job is too small a part of what bought equipment lasts, so that rent is compared on page one."""
        small = self.value("lifetime_share") < self.value("rent_compared_below_share")
        return self.buys_servers and small

    @property
    def buys_servers(self) -> bool:
        """Whether servers are asked for; equipment that is there already may do the whole job."""
        return not self.rents and self.value("gpus_bought") != 0
