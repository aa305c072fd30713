"""The charts of the options sheet and the tables behind them: cost and time in order, days against GPUs, memory."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from reportgen.formula import (
    MISSING,
    all_of,
    below,
    equals,
    is_known,
    join,
    least,
    maximum,
    minimum,
    pick,
    position,
    smallest,
    where,
)
from reportgen.workbook.chart_designs import chosen_bars, line_chart, placed
from reportgen.workbook.frame import FIRST_ROW
from reportgen.workbook.model import Model
from reportgen.workbook.parts import Chart
from reportgen.workbook.sheets.live_text import figure, joined, sentence
from reportgen.workbook.sheets.memory_table import write_memory_table
from reportgen.workbook.sheets.places import column_at
from reportgen.workbook.sheets.readers import headers, heading

Priced = Callable[[str, int], Any]  # way, number of the accelerator -> whether its price is known
LARGE = {"en": 1e6, "zh": 1e4}
TIE = 1e-9
LAST_PLACE = 1e9  # of an option without a value: behind every cost in millions and every number of days
CHART_ROWS = 22
CHART_WIDTH, CHART_HEIGHT, GAP = 14.0, 10.0, 0.3
HIDDEN_ZERO = "#,##0.00;;"
BAR_LABEL = "#,##0.0;;"
ORDER = ("rank", "option", "sort_key", "label", "requested", "others")
MIN_COUNTS = 3
NAMES = "I"  # column of the names that the order picks from, with room to the right


@dataclass(frozen=True)
class Candidate:
    """One bar: its value, whether it counts, and its name."""

    value: Any
    counts: Any
    label: Any


def write_charts(model: Model, time: str, last: int, priced: Priced) -> None:
    """Charts under the table of options, and the tables behind them."""
    sheet = model.book["options"]
    top = last + 4
    row = top + CHART_ROWS + 1
    charts: list[Chart] = []
    starts = [1, top, row]
    starts.append(_cost(model, row, charts, priced) + 2)
    starts.append(_time(model, starts[-1], time, charts) + 2)
    starts.append(_days_against_gpus(model, starts[-1], charts) + 2)
    starts.append(write_memory_table(model, starts[-1]) + 2)
    sheet.page.parts += [(first, following - 1) for first, following in pairwise(starts) if following - first > 2]
    at = 0.0
    for chart in charts:
        sheet.charts.append(placed(chart, top, column_at(sheet, at)))
        at += CHART_WIDTH + GAP


def _cost(model: Model, row: int, charts: list[Chart], priced: Priced) -> int:
    """Cost over the years of use, in millions; only where the machines have a price."""
    sheet, size = model.book["options"], LARGE[model.result.facts.language]
    live = [option for option in model.result.options if option.kind == "accelerator"]
    blocks = [block.accelerator for block in model.result.layouts]
    candidates = []
    for offset, option in enumerate(live):
        at = FIRST_ROW + offset
        cost = sheet.ref(at, "K")
        counts = all_of(is_known(cost), priced(option.way, blocks.index(option.accelerator)))
        named = join(sheet.ref(at, "C"), " ", sheet.ref(at, "D"))
        candidates.append(Candidate(cost / size, counts, named))
    title = model.words.text("options_chart_cost", currency=model.unit("money"))
    row, first = _ordered(model, row, "CostInOrder", title, candidates, "options_no_price", charts), row + 2
    return _cheapest(model, row + 1, first, len(live))


def _cheapest(model: Model, row: int, first: int, count: int) -> int:
    """The cheapest option that fits, is in time and is permitted; other sheets read it."""
    sheet, words = model.book["options"], model.words
    sheet.put(first - 1, "H", words.label("options_order_possible"), "head_right")
    last = first + count - 1
    for rank in range(1, count + 1):
        at, option = first + rank - 1, FIRST_ROW + rank - 1
        meets = all_of(*(equals(sheet.ref(option, column), 1) for column in "NOP"))
        key = where(meets, sheet.ref(at, "C"), LAST_PLACE + rank)
        sheet.put(at, "H", key, "formula", '[>=1000000000]"–";#,##0.00')
    keys = sheet.range(first, "H", last, "H")
    place = position(keys, least(keys))
    requested, best = below(sheet.ref(first, "C"), LAST_PLACE), below(least(keys), LAST_PLACE)
    contents = {
        "options_requested_possible": where(all_of(*(equals(sheet.ref(FIRST_ROW, flag), 1) for flag in "NOP")), 1, 0),
        "options_cheapest": where(all_of(requested, best), where(equals(place, 1), 1, 2), 0),
        "options_cheapest_name": pick(sheet.range(first, NAMES, last, NAMES), place),
    }
    for name, content in contents.items():
        sheet.put(row, "D", words.label(name), "line")
        style = "line" if name.endswith("name") else "formula"
        model.book.name(name, sheet.put(row, NAMES, content, style, "" if name.endswith("name") else "0"))
        row += 1
    return row


def _time(model: Model, row: int, time: str, charts: list[Chart]) -> int:
    """Days or hours; for a service the accelerators it needs."""
    name = time if time in ("training_days", "batch_hours") else "gpus"
    candidates = []
    for index in range(len(model.result.layouts)):
        value = model.trial(name, index)
        found = equals(model.trial("layout_found", index), 1)
        label = joined([model.trial("accelerator_name", index), ": ", _gpus(model, index)])
        candidates.append(Candidate(value, all_of(is_known(value), found), label))
    title = model.words.label(f"options_chart_{name}")
    label = "#,##0;;" if name == "gpus" else BAR_LABEL
    return _ordered(model, row, "TimeInOrder", title, candidates, "options_not_possible", charts, label)


def _gpus(model: Model, index: int) -> Any:
    return sentence(model.words, "options_gpus", count=figure(model.trial("gpus", index)))


def _ordered(
    model: Model,
    row: int,
    table: str,
    title: str,
    candidates: Sequence[Candidate],
    without: str,
    charts: list[Chart],
    label: str = BAR_LABEL,
) -> int:
    """A table in which each row finds the next one in order, and its chart."""
    sheet, count = model.book["options"], len(candidates)
    heading(sheet, row, title)
    first, last = row + 2, row + 1 + count
    sheet.table(table, row + 1, "A", headers(model, "options_order", ORDER), last)
    keys = sheet.range(first, "C", last, "C")
    numbers = sheet.range(first, "G", last, "G")
    names = sheet.range(first, NAMES, last, NAMES)
    sheet.put(row + 1, "G", model.words.label("options_order_value"), "head_right")
    sheet.put_row(row + 1, NAMES, [model.words.label("options_order_name"), None, None], "head")
    for rank, candidate in enumerate(candidates, start=1):
        at = first + rank - 1
        sheet.put(at, "A", rank, "number")
        place = sheet.put(at, "B", position(keys, smallest(keys, rank)), "formula", "0")
        value = sheet.put(at, "G", where(candidate.counts, candidate.value, MISSING), "formula", "#,##0.00")
        name = where(candidate.counts, candidate.label, joined([candidate.label, model.words.label(without)]))
        sheet.put(at, NAMES, name, "line")
        key = where(is_known(value), value + rank * TIE, LAST_PLACE + rank)
        sheet.put(at, "C", key, "formula", '[>=1000000000]"–";#,##0.00')
        sheet.put(at, "D", pick(names, place), "formula_text")
        known = below(smallest(keys, rank), LAST_PLACE)
        sheet.put(at, "E", where(all_of(known, equals(place, 1)), pick(numbers, place), 0), "formula", HIDDEN_ZERO)
        others = all_of(known, below(1, place))
        sheet.put(at, "F", where(others, pick(numbers, place), 0), "formula", HIDDEN_ZERO)
    requested, others = (
        (sheet.range(first, column, last, column), sheet.ref(row + 1, column)) for column in ("E", "F")
    )
    categories = sheet.range(first, "D", last, "D")
    chart = chosen_bars(
        title, categories, requested, others, axis="#,##0", label=label, width=CHART_WIDTH, height=CHART_HEIGHT
    )
    charts.append(chart)
    return last


def _days_against_gpus(model: Model, row: int, charts: list[Chart]) -> int:
    """Days of the requested accelerator by count: the best candidate that fits, else the fastest."""
    if "training" not in model.features:
        return row
    block = model.result.layouts[0].columns["nodes"]
    counts = sorted(set(block))
    if len(counts) < MIN_COUNTS:
        return row
    sheet = model.book["options"]
    title = model.words.label("options_chart_days_against_gpus")
    heading(sheet, row, title)
    last = row + 1 + len(counts)
    limited = model.has("deadline_days")
    keys = ("label", "gpus", "days", "deadline") if limited else ("label", "gpus", "days")
    sheet.table("DaysAgainstGpus", row + 1, "D", headers(model, "options_curve", keys), last)
    for at, count in enumerate(counts, start=row + 2):
        places = [index for index, nodes in enumerate(block) if nodes == count]
        gpus = sheet.put(at, "E", model.layout_grid.ref("gpus", places[0]), "link", "#,##0")
        sheet.put(at, "F", _best_days(model, places), "formula", "#,##0.0")
        mark = where(_some_fits(model, places), "", model.words.label("options_curve_unfit"))
        sheet.put(at, "D", joined([figure(gpus), mark]), "formula_text")
        if limited:
            sheet.put(at, "G", model.base("deadline_days"), "link", "#,##0.0")

    def named(column: str) -> tuple[Any, Any]:
        return sheet.range(row + 2, column, last, column), sheet.ref(row + 1, column)

    chart = line_chart(
        title,
        sheet.range(row + 2, "D", last, "D"),
        [named("F")],
        named("G") if limited else None,
        value_title=model.unit("days"),
        category_title=model.unit("GPUs"),
        width=CHART_WIDTH,
        height=CHART_HEIGHT,
    )
    charts.append(chart)
    return last


def _some_fits(model: Model, places: Sequence[int]) -> Any:
    flags = [model.layout_grid.ref("memory_fits", place) for place in places]
    return below(0, maximum(*flags, 0))


def _best_days(model: Model, places: Sequence[int]) -> Any:
    """The fewest days of the candidates that fit; where none fits, of all."""
    grid = model.layout_grid
    days = [grid.ref("training_days", place) for place in places]
    fits = [grid.ref("memory_fits", place) for place in places]
    fitting = minimum(
        *(where(equals(flag, 1), day, LAST_PLACE) for flag, day in zip(fits, days, strict=True)), LAST_PLACE
    )
    return where(below(fitting, LAST_PLACE), fitting, minimum(*days, LAST_PLACE))
