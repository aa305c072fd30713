"""Sensitivity: one input at a time at each end of its range, the strongest live, the others as issued."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reportgen.evaluation.result import Test
from reportgen.formula import (
    MISSING,
    absolute,
    all_of,
    below,
    is_known,
    join,
    maximum,
    minimum,
    pick,
    position,
    smallest,
    where,
)
from reportgen.workbook.chart_designs import placed, tornado
from reportgen.workbook.frame import CHECK_ROW
from reportgen.workbook.model import Model
from reportgen.workbook.sheets.live_text import rounded
from reportgen.workbook.sheets.places import column_at
from reportgen.workbook.sheets.readers import headers, heading

WIDTHS = (6, 42, 12, 13, 13, 13, 13, 13, 13, 13, 16, 16, 16)
CHART_ROW, CHART_ROWS = 5, 22
TIMES = ("training_days", "batch_hours", "replicas_before_rounding")
COST = "total_cost"
LARGE = {"en": 1e6, "zh": 1e4}
TIE = 1e-9
RESULTS = (
    "training_days", "training_days_p90", "batch_hours", "replicas_before_rounding", "ttft_s", "tpot_s", "gpus", "memory_per_gpu_gib",
    "requested_amount", "total_cost",
)  # fmt: skip
EFFECTS = ("number", "input", "time_good", "time_bad", "time_swing", "cost_good", "cost_bad", "cost_swing")
ORDER = ("rank", "input", "place", "good", "bad")
UNSEEN = 0.005  # a change that two decimals do not show
KEYS, LABELS = "F", "G"  # columns beside the table of an order
ISSUED_RESULTS = ("time", "cost")
SMALLEST_EFFECT = 1e-6  # of the base: below it an end counts as without effect
HALF_WIDTH, CHART_HEIGHT, GAP = 17.8, 10.4, 0.3


def write(model: Model) -> None:
    """Two tornados, their tables, every live test, and the weaker ranges as issued."""
    SensitivitySheet(model).write()


class SensitivitySheet:
    """Writes the sheet from the top down."""

    def __init__(self, model: Model):
        self.model, self.words = model, model.words
        self.time = next((name for name in TIMES if model.has(name)), "")
        self.size = LARGE[model.result.facts.language]
        self.inputs = list(dict.fromkeys(column.input for column in model.test_columns))

    def write(self) -> None:
        """Charts first: their tables stand below them."""
        model = self.model
        sheet = self.sheet = model.frame("sensitivity", WIDTHS)
        about = "sensitivity_live" if self.inputs else "sensitivity_nothing"
        date = model.result.facts.date
        sheet.put(2, 1, self.words.text(about, count=len(self.inputs), date=date), "subtitle")
        sheet.freeze, sheet.page.title_rows = (CHECK_ROW + 1, 1), (1, CHECK_ROW)
        row = CHART_ROW + CHART_ROWS if self.inputs else CHART_ROW
        if self.inputs:
            row = self._part(1, self._effects(row)) + 2
        row = self._part(row, self._tests(row)) + 2
        if self.inputs:
            row = self._orders(row) + 1
        self._part(row, self._issued(row))

    def _part(self, first: int, last: int) -> int:
        """Rows that a page keeps together; the last of them."""
        self.sheet.page.parts.append((first, last))
        return last

    # ---- effect of each input

    def _unit_of_time(self) -> str:
        return self.model.result.quantities[self.time].unit

    def _headers(self, prefix: str, keys: Sequence[str]) -> list[str]:
        values = {"time": self.model.unit(self._unit_of_time()), "cost": self._cost_unit()}
        return headers(self.model, prefix, keys, **values)

    def _cost_unit(self) -> str:
        return self.words.text("request_large_unit", currency=self.model.unit("money"))

    def _effects(self, row: int) -> int:
        """Change of time and cost at the end that helps and at the end that hurts."""
        sheet, words = self.sheet, self.words
        heading(sheet, row, words.label("sensitivity_effects"))
        count = len(self.inputs)
        first, last = row + 2, row + 1 + count
        sheet.table("EffectOfInputs", row + 1, "A", self._headers("sensitivity_effect", EFFECTS), last)
        for number, name in enumerate(self.inputs, start=1):
            at = row + 1 + number
            sheet.put(at, "A", number, "number")
            sheet.put(at, "B", self.model.label(name), "text")
            for columns, objective, size in (("CDE", self.time, 1.0), ("FGH", COST, self.size)):
                low, high = (self._change(name, end, objective, size) for end in ("low", "high"))
                good = sheet.put(at, columns[0], minimum(low, high, 0), "formula", "#,##0.00")
                bad = sheet.put(at, columns[1], maximum(low, high, 0), "formula", "#,##0.00")
                sheet.put(at, columns[2], bad - good, "formula", "#,##0.00")
        self.first, self.last = first, last
        return last

    def _change(self, name: str, end: str, objective: str, size: float) -> Any:
        """Difference to the base in a live test; 0 where the result is not known."""
        index = next(item.index for item in self.model.test_columns if item.input == name and item.end == end)
        here, base = self.model.trial(objective, index), self.model.base(objective)
        return where(all_of(is_known(here), is_known(base)), (here - base) / size, 0)

    # ---- every live test, a row each

    def _tests(self, row: int) -> int:
        """The base and both ends of each strongest input with their results."""
        sheet, model = self.sheet, self.model
        heading(sheet, row, self.words.label("sensitivity_tests"))
        results = [name for name in RESULTS if model.has(name)]
        titles = headers(model, "sensitivity_test", ("number", "input", "end", "value"))
        units = [model.unit(model.result.quantities[name].unit) for name in results]
        titles += [f"{model.label(name)}, {unit}" for name, unit in zip(results, units, strict=True)]
        last = row + 2 + len(model.test_columns)
        sheet.table("Tests", row + 1, "A", titles, last)
        base = row + 2
        self._names(base, 0, self.words.label("sensitivity_base"), "base", None)
        for offset, name in enumerate(results):
            cell = sheet.put(base, 5 + offset, model.trial(name, 0), "link", model.format_of(name))
            if name == COST:
                model.book.name("sensitivity_base_cost", cell)
        for number, column in enumerate(model.test_columns, start=1):
            at = base + number
            value = model.trial(column.input, column.index)
            self._names(at, number, model.label(column.input), column.end, (column.input, value))
            for offset, name in enumerate(results):
                sheet.put(at, 5 + offset, model.trial(name, column.index), "link", model.format_of(name))
        return last

    def _names(self, at: int, number: int, label: str, end: str, value: tuple[str, Any] | None) -> None:
        sheet = self.sheet
        sheet.put(at, "A", number, "number")
        sheet.put(at, "B", label, "text")
        sheet.put(at, "C", self.words.label(f"sensitivity_end_{end}"), "unit")
        if value is None:
            sheet.put(at, "D", MISSING, "formula")
        else:
            sheet.put(at, "D", value[1], "link", self.model.format_of(value[0]))

    # ---- the orders behind the tornados

    def _orders(self, row: int) -> int:
        time_title = self.words.text(f"sensitivity_chart_{self.time}")
        cost_title = self.words.text("sensitivity_chart_cost", unit=self._cost_unit())
        row = self._part(row, self._order(row, "OrderByTime", time_title, "CDE", 0)) + 2
        return self._part(row, self._order(row, "OrderByCost", cost_title, "FGH", 1)) + 1

    def _order(self, row: int, table: str, title: str, columns: str, slot: int) -> int:
        """The inputs by their swing, largest first, found live; and the chart over them."""
        sheet, count = self.sheet, len(self.inputs)
        heading(sheet, row, title)
        first, last = row + 2, row + 1 + count
        sheet.table(table, row + 1, "A", headers(self.model, "sensitivity_order", ORDER), last)
        sheet.put(row + 1, KEYS, self.words.label("sensitivity_order_key"), "head_right")
        sheet.put_row(row + 1, LABELS, [self.words.label("sensitivity_order_label"), *[None] * 4], "head")
        keys = sheet.range(first, KEYS, last, KEYS)
        effects = {
            name: sheet.range(self.first, letter, self.last, letter)
            for name, letter in (("input", "B"), ("good", columns[0]), ("bad", columns[1]))
        }
        for rank in range(1, count + 1):
            at = first + rank - 1
            swing = sheet.ref(self.first + rank - 1, columns[2])
            sheet.put(at, KEYS, swing - rank * TIE, "formula", "#,##0.00")
            sheet.put(at, "A", rank, "number")
            place = sheet.put(at, "C", position(keys, smallest(keys, count + 1 - rank)), "formula", "0")
            name = sheet.put(at, "B", pick(effects["input"], place), "formula_text")
            good = sheet.put(at, "D", pick(effects["good"], place), "formula", "#,##0.00")
            bad = sheet.put(at, "E", pick(effects["bad"], place), "formula", "#,##0.00")
            sheet.put(at, LABELS, join(name, ": ", _signed(good), " / ", _signed(bad)), "line")
        series = [(sheet.range(first, letter, last, letter), sheet.ref(row + 1, letter)) for letter in ("E", "D")]
        chart = tornado(
            title,
            sheet.range(first, LABELS, last, LABELS),
            *series,
            axis="[>=10]+#,##0;[<=-10]-#,##0;0.0",
            label="",
            width=HALF_WIDTH,
            height=CHART_HEIGHT,
        )
        sheet.charts.append(placed(chart, CHART_ROW, column_at(sheet, slot * (HALF_WIDTH + GAP))))
        return last

    # ---- the weaker ranges

    def _issued(self, row: int) -> int:
        """Both ends of every other range that moves time or cost, with the values of the day of issue."""
        tests = self._weaker()
        sheet, model = self.sheet, self.model
        if not tests:
            return row
        heading(sheet, row, self.words.text("sensitivity_issued", date=model.result.facts.date))
        titles = headers(model, "sensitivity_test", ("number", "input", "end", "value"))
        titles += self._headers("sensitivity_issued", ISSUED_RESULTS)
        sheet.table("WeakerRanges", row + 1, "A", titles, row + 1 + len(tests))
        for number, test in enumerate(tests, start=1):
            at = row + 1 + number
            self._names(at, number, model.label(test.input), test.end, None)
            sheet.put(at, "D", test.value, "fact", model.format_of(test.input))
            for column, objective, size in (("E", self.time, 1.0), ("F", COST, self.size)):
                sheet.put(at, column, self._effect(test, objective) / size, "fact", "+#,##0.000;-#,##0.000;0")
        return row + 1 + len(tests)

    def _weaker(self) -> list[Test]:
        found = []
        for test in self.model.result.sensitivity:
            if test.input not in self.inputs and any(self._moves(test, name) for name in (self.time, COST)):
                found.append(test)
        return found

    def _moves(self, test: Test, objective: str) -> bool:
        base = self.model.result.value(objective)
        return abs(self._effect(test, objective)) > SMALLEST_EFFECT * abs(base)

    def _effect(self, test: Test, objective: str) -> float:
        here, base = test.results.get(objective, MISSING), self.model.result.value(objective)
        change = here - base
        return change if change == change else 0.0


def _signed(value: Any) -> Any:
    """A change with its sign; the values stand in the names of the bars, where no bar can cover them."""
    size = rounded(absolute(value), "#,##0.00")
    signed = join(where(below(value, 0), "−", "+"), size)
    return where(below(absolute(value), UNSEEN), "0", signed)
