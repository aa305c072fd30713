"""Options: every way to do the job, live where the workbook can recalculate it, with the reason in words."""

from __future__ import annotations

from typing import Any

from reportgen.evaluation.result import Option
from reportgen.formula import MISSING, above, all_of, any_of, below, equals, is_known, join, pick, where
from reportgen.workbook.frame import CHECK_ROW, FIRST_ROW, HEADER_ROW, TITLE_ROW, WORDS_ROW, chosen_rows, rejected_rows
from reportgen.workbook.model import Model
from reportgen.workbook.references import ALONG_ROW
from reportgen.workbook.sheets.live_text import DASH, decimal, figure, joined, money, rounded, sentence
from reportgen.workbook.sheets.option_charts import write_charts
from reportgen.workbook.sheets.spoken import spoken

WIDTHS = (6, 8, 14, 32, 11, 10, 12.5, 12.5, 12.5, 15, 16, 14, 10, 8, 9, 11, 46)
TIMES = (
    ("training_days", "training_days_p90"), ("batch_hours", "batch_hours_p90"), ("ttft_s", "tpot_s"),
    ("replicas", "capacity_requests_per_second"),
)  # fmt: skip
UNIT_COSTS = ("cost_per_run", "cost_per_million_tokens")
FITS = ("memory_fits", "fits")
IN_TIME = ("in_time", "ttft_met", "tpot_met", "window_met", "carries_peak")
POWER = "it_power_kw"
PAID = {"buy": "purchase_cost", "rent": "rental_cost"}
OVER_YEARS = {"buy": "purchase_total_cost", "rent": "rental_cost_of_same_use"}
PREFIX = {"buy": "purchase_", "rent": "rental_"}
REGIONS = ("cn", "us")


class OptionSheet:
    """Writes one row an option."""

    def __init__(self, model: Model):
        self.model, self.words = model, model.words
        self.times = next(pair for pair in TIMES if any(model.has(name) for name in pair))
        self.unit_cost = next(name for name in UNIT_COSTS if model.has(f"purchase_{name}"))
        self.row = FIRST_ROW
        self.chosen_row = FIRST_ROW

    def write(self) -> None:
        """The table, then the charts with their tables."""
        model, options = self.model, self.model.result.options
        sheet = self.sheet = model.frame("options", WIDTHS, names=4)
        sheet.page.title_rows = (TITLE_ROW, CHECK_ROW)
        self._heads(FIRST_ROW + len(options) - 1)
        for option in options:
            if option.kind == "accelerator":
                self._live(option)
            else:
                self._issued(option)
            self.row += 1
        last = self.row - 1
        self._dress(last)
        sheet.put(last + 1, "A", model.words.text("options_note", date=model.result.facts.date), "subtitle")
        cost = {"buy": "total_cost", "rent": "total_cost"}[model.result.facts.acquire]
        requested = model.trial(cost, 0)
        model.book.name("options_requested_cost", sheet.put(last + 2, "K", requested, "link", "#,##0"))
        sheet.put(last + 2, "A", model.words.label("options_check_row"), "line")
        write_charts(model, self.times[0], last, lambda way, index: is_priced(model, way, index))

    def _heads(self, last: int) -> None:
        model, words = self.model, self.words
        currency = model.unit("money")
        columns = (
            "number", "type", "way", "accelerator", "gpus", "nodes", "memory", "first_time", "second_time", "paid", "over_years",
            "unit_cost", "power", "fits", "in_time", "permitted", "verdict",
        )  # fmt: skip
        names = {"first_time": f"options_column_{self.times[0]}", "second_time": f"options_column_{self.times[1]}"}
        names["unit_cost"] = f"options_column_{self.unit_cost}"
        titles = [words.label(names.get(key, f"options_column_{key}")) for key in columns]
        self.sheet.table("OptionTable", HEADER_ROW, "A", titles, last)
        units = {"E": "GPUs", "F": "nodes", "G": "GiB", "M": "kW"}
        for column, name in zip("HI", self.times, strict=True):
            units[column] = model.result.quantities[name].unit if name in model.result.quantities else ""
        for column, unit in units.items():
            self.sheet.put(WORDS_ROW, column, model.unit(unit), "words")
        for column in "JKL":
            self.sheet.put(WORDS_ROW, column, currency, "words")
        self.sheet.put(WORDS_ROW, "D", words.label("options_words_accelerator"), "words")

    # ---- accelerators, recalculated

    def _live(self, option: Option) -> None:
        model, row = self.model, self.row
        index = [block.accelerator for block in model.result.layouts].index(option.accelerator)
        if option.chosen:
            self.chosen_row = row
        self._names(option, index)
        rented = option.way == "rent"
        self._number("E", "gpus" if rented else "gpus_bought", index)
        self._number("F", "nodes" if rented else "nodes_bought", index)
        self._number("G", "memory_per_gpu_gib", index)
        for column, name in zip("HI", self.times, strict=True):
            self._number(column, name, index)
        self._number("J", PAID[option.way], index)
        self._number("K", OVER_YEARS[option.way], index)
        self._number("L", PREFIX[option.way] + self.unit_cost, index, "#,##0.00")
        if rented:
            self.sheet.put(row, "M", DASH, "formula")
        else:
            self._number("M", POWER, index)
        self._flags(option, index)
        self.sheet.put(row, "Q", self._verdict(option, index), "text")

    def _names(self, option: Option, index: int) -> None:
        sheet, row = self.sheet, self.row
        sheet.put(row, "A", row - HEADER_ROW, "number")
        sheet.put(row, "B", index + 1, "number")
        sheet.put(row, "C", self.words.label(f"options_way_{option.way}"), "text")
        sheet.put(row, "D", self._accelerator(index), "link_text")

    def _accelerator(self, index: int) -> Any:
        return self.model.trial("accelerator_name", index)

    def _number(self, column: str, name: str, index: int, layout: str = "") -> None:
        if not self.model.has(name):
            self.sheet.put(self.row, column, DASH, "formula")
            return
        value = self.model.trial(name, index)
        self.sheet.put(self.row, column, value, "link", layout or self.model.format_of(name))

    def _flags(self, option: Option, index: int) -> None:
        model, layout = self.model, self.words.label("flag_format")
        fits = [equals(model.trial(name, index), 1) for name in FITS if model.has(name)]
        in_time = [equals(model.trial(name, index), 1) for name in IN_TIME if model.has(name)]
        found = equals(model.trial("layout_found", index), 1)
        conditions = {"N": fits, "O": [*in_time, found]}
        for column, wanted in conditions.items():
            holds = all_of(*wanted) if len(wanted) > 1 else wanted[0]
            self.sheet.put(self.row, column, where(holds, 1, 0), "formula", layout)
        self.sheet.put(self.row, "P", float(option.permitted), "fact", layout)

    def _verdict(self, option: Option, index: int) -> Any:
        """Sentences by the flags beside them."""
        model, say = self.model, self._say
        fits, in_time = (self.sheet.ref(self.row, column) for column in "NO")
        late = "reason_too_slow" if "training" in model.features else "reason_objectives_missed"
        flags = [equals(self.sheet.ref(self.row, column), 1) for column in "NOP"]
        possible = where(all_of(*flags), self.words.label("options_possible"), "")
        pieces: list[Any] = [f"✔ {say('reason_requested')}" if option.chosen else possible]
        pieces.append(where(equals(fits, 0), say("reason_too_little_memory"), where(equals(in_time, 0), say(late), "")))
        pieces += [
            say(message.key, message) for message in option.reasons if not option.permitted and _bars(message.key)
        ]
        priced = where(is_priced(model, option.way, index), "", say("reason_quote_needed"))
        unpriced = model.trial("rental_unpriced_lines" if option.way == "rent" else "unpriced_lines", index)
        without = sentence(model.words, "options_unpriced", count=figure(unpriced))
        pieces.append(join(priced, where(equals(unpriced, 0), "", without)))
        pieces += self._over_limits(option, index)
        pieces.append(self._supply(option, index))
        if not option.chosen:
            pieces.append(self._cost_against_requested())
        return joined(pieces)

    def _say(self, key: str, message: Any = None) -> str:
        said = spoken(self.model, message) if message is not None else self.words.label(key)
        return said + self.words.label("options_stop")

    def _over_limits(self, option: Option, index: int) -> list[Any]:
        """What the money and the room do not allow, by how much."""
        model, facts, found = self.model, self.model.result.facts, []
        stop = self.words.label("options_stop")
        if model.has("budget_amount"):
            over = model.trial(PAID[option.way], index) - model.base("budget_amount")
            said = sentence(self.words, "reason_over_budget_by", money=money(over, facts.language, facts.currency))
            known = is_known(model.trial(PAID[option.way], index))
            found.append(where(known, where(above(over, 0), joined([said, stop]), ""), ""))
        if model.has("site_power_limit_kw") and option.way == "buy" and model.has(POWER):
            power = model.trial(POWER, index)
            over = power - model.base("site_power_limit_kw")
            size = join(decimal(over), " ", model.unit("kW"))
            said = sentence(self.words, "reason_over_site_power", it_power_kw=size)
            found.append(where(is_known(power), where(above(over, 0), joined([said, stop]), ""), ""))
        if model.has("needs_liquid") and option.way == "buy":
            liquid = model.trial("needs_liquid", index)
            lacking = all_of(equals(model.base("site_liquid_cooling"), 0), equals(liquid, 1))
            said = joined([self.words.label("reason_needs_liquid"), stop])
            found.append(where(is_known(liquid), where(lacking, said, ""), ""))
        return found

    def _supply(self, option: Option, index: int) -> Any:
        """The dated supply status of the accelerator in the region, from the catalog sheet."""
        region = (self.model.result.facts.region or "CN")[:2].lower()
        table = self.model.tables.get(f"accelerators_supply_status_{region}")
        if table is None:
            return ""
        status = pick(table, self.model.trial("accelerator_row", index))
        day = pick(self.model.tables[f"accelerators_supply_date_{region}"], self.model.trial("accelerator_row", index))
        said = sentence(self.words, "options_supply", status=status, day=day)
        fine = self.words.label("supply_available")
        return where(equals(status, fine), "", said)

    def _cost_against_requested(self) -> Any:
        """How much more or less over the years of use, where both are known."""
        mine, theirs = self.sheet.ref(self.row, "K"), self.sheet.ref(self.chosen_row, "K")
        share = mine / theirs - 1
        less, more = (
            sentence(self.words, f"options_costs_{word}", share=rounded(amount, "0%"))
            for word, amount in (("less", 1 - mine / theirs), ("more", share))
        )
        difference = where(below(mine, theirs), less, more)
        comparable = all_of(is_known(mine), is_known(theirs), self._complete(self.row), self._complete(self.chosen_row))
        return where(comparable, difference, "")

    def _complete(self, row: int) -> Any:
        """Whether the price of the machines behind a row is known."""
        way = "rent" if self.sheet.cells[row, 3].content == self.words.label("options_way_rent") else "buy"
        return is_priced(self.model, way, int(self.sheet.cells[row, 2].content) - 1)

    # ---- the others, as issued

    def _issued(self, option: Option) -> None:
        model, sheet, row = self.model, self.sheet, self.row
        sheet.put(row, "A", row - HEADER_ROW, "number")
        sheet.put(row, "B", DASH, "number")
        sheet.put(row, "C", self.words.label(f"options_way_{_kind(option)}"), "text")
        name = self._accelerator_of(option)
        sheet.put(row, "D", name, "fact_text" if name != DASH else "text")
        way = option.way if option.way in PAID else "buy"
        names = {
            "E": "gpus_bought", "F": "nodes_bought", "G": "memory_per_gpu_gib", "H": self.times[0], "I": self.times[1],
            "J": PAID[way], "K": OVER_YEARS[way], "L": PREFIX[way] + self.unit_cost, "M": POWER,
        }  # fmt: skip
        for column, key in names.items():
            value = option.values.get(key, MISSING)
            if option.kind == "owned" and column in "JKL":
                value = MISSING
            layout = model.format_of(key) if model.has(key) else "#,##0"
            sheet.put(row, column, value, "fact", "#,##0.00" if column == "L" else layout)
        nothing = not option.values
        for column, flag in zip("NOP", (option.fits, option.in_time, option.permitted), strict=True):
            sheet.put(row, column, MISSING if nothing else float(flag), "fact", self.words.label("flag_format"))
        reasons = [self._say(message.key, message) for message in option.reasons]
        sheet.put(row, "Q", "".join(reasons), "text")

    def _accelerator_of(self, option: Option) -> str:
        names = self.model.result.tables.get("accelerators_name")
        name = names.get(option.accelerator) if names is not None and option.accelerator else DASH
        return str(name)

    def _dress(self, last: int) -> None:
        sheet = self.sheet
        chosen = equals(sheet.ref(FIRST_ROW, "A", ALONG_ROW), self.chosen_row - HEADER_ROW)
        chosen_rows(sheet, (FIRST_ROW, "A", last, "Q"), chosen)
        flags = [sheet.ref(FIRST_ROW, column, ALONG_ROW) for column in "NOP"]
        rejected_rows(sheet, (FIRST_ROW, "A", last, "Q"), any_of(*(equals(flag, 0) for flag in flags)))


def is_priced(model: Model, way: str, index: int) -> Any:
    """Whether the price that makes up most of an option is known."""
    if way == "rent":
        return is_known(model.trial("rental_price", index))
    return equals(model.trial("main_line_priced", index), 1)


def _kind(option: Option) -> str:
    return option.kind if option.kind in ("method", "model", "budget", "owned", "nothing") else option.way


def _bars(key: str) -> bool:
    return key in ("reason_cloud_not_allowed", "reason_not_domestic", "reason_vendor_not_allowed")


def write(model: Model) -> None:
    """The sheet with its table of options and its charts."""
    OptionSheet(model).write()
