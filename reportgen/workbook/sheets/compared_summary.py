"""Summary and differences of a comparison: how each scenario stands, and what differs because of what."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from reportgen.evaluation.compare import Difference
from reportgen.formula import (
    MISSING,
    above,
    all_of,
    any_of,
    below,
    equals,
    greatest,
    is_known,
    least,
    negate_condition,
    pick,
    position,
    smallest,
    text,
    where,
)
from reportgen.workbook.chart_designs import chosen_bars, placed
from reportgen.workbook.comparison import FIRST_COLUMN, FIRST_ROW, Compared
from reportgen.workbook.frame import CHECK_ROW, HEADER_ROW, TITLE_ROW, WORDS_ROW, group_bands, rejected_rows
from reportgen.workbook.references import ALONG_ROW, column_letter
from reportgen.workbook.sheets.compared_grids import group_label
from reportgen.workbook.sheets.live_text import figure, joined, sentence
from reportgen.workbook.sheets.places import column_at, in_lines
from reportgen.workbook.sheets.spoken_comparison import comparison_sentence

FIGURES = (
    "gpus_bought", "nodes_bought", "training_days", "batch_hours", "replicas", "ttft_s", "tpot_s", "memory_per_gpu_gib", "it_power_kw",
    "unpriced_lines", "requested_amount", "total_cost",
)  # fmt: skip
LEFT_OUT_FIRST = ("tpot_s", "ttft_s", "nodes_bought", "it_power_kw")  # where there are more than fit
MOST_FIGURES = 9
NAME_WIDTHS = (6, 24, 32, 24)
LAST_PLACE, TIE = 1e9, 1e-9
LARGE = {"en": 1e6, "zh": 1e4}
CHART_WIDTH, LEAST_HEIGHT, HEIGHT_OF_BAR, CENTIMETRES_OF_ROW = 17.5, 9.0, 0.7, 0.529
HIDDEN_ZERO = "#,##0.00;;"
LINE = 150
MOST_CAUSES = 3
SHARE = '[>=1000]"> ×1,000";[<0]-0.0%;+0.0%'
NOT_TYPED = ("offer_", "discount_")  # of no interest while they are 0


# ---- summary


def write_summary(compared: Compared) -> None:
    """A row a scenario with its figures, its rank by cost and its verdict; two charts; the tables behind them."""
    names = ("gpus", *FIGURES) if any(result.facts.acquire == "rent" for result in compared.results) else FIGURES
    places = range(len(compared.results))
    figures = [name for name in names if any(compared.shown(name, index) is not None for index in places)]
    for name in LEFT_OUT_FIRST:
        if len(figures) > MOST_FIGURES and name in figures:
            figures.remove(name)
    widths = [*NAME_WIDTHS, *[13.0] * len(figures), 8, 8, 9, 40]
    sheet = compared.frame("summary", widths, names=2)
    compared.book.name("master_check", sheet.put(CHECK_ROW, 1, _master(compared), "say_bold"))
    sheet.cells.pop((TITLE_ROW, len(widths)))
    sheet.page.title_rows = (TITLE_ROW, CHECK_ROW)
    count, last = len(compared.results), HEADER_ROW + len(compared.results)
    say = compared.words.label
    titles = [say(f"compared_column_{key}") for key in ("letter", "name", "title", "accelerator")]
    titles += [compared.phrases.label(name) for name in figures]
    titles += [say(f"compared_column_{key}") for key in ("fails", "looks", "rank", "verdict")]
    sheet.table("Scenarios", HEADER_ROW, "A", titles, last)
    for column, name in enumerate(figures, start=FIRST_COLUMN):
        sheet.put(WORDS_ROW, column, compared.phrases.unit(compared.unit(name)), "words")
    Summary(compared, figures, count).write()


def _master(compared: Compared) -> Any:
    """How many scenarios fail a check, how many want a look."""
    fails = _count(compared.failures)
    looks = _count(compared.looks)
    values = {"fail": text(fails, "0"), "look": text(looks, "0"), "all": str(len(compared.results))}
    fine, look, fail = (sentence(compared.words, f"compared_master_{key}", **values) for key in ("ok", "look", "fail"))
    return where(above(fails, 0), fail, where(above(looks, 0), look, fine))


def _count(cells: Sequence[Any]) -> Any:
    total: Any = 0
    for cell in cells:
        total = total + where(above(cell, 0), 1, 0)
    return total


class Summary:
    """Writes the rows and the tables in order."""

    def __init__(self, compared: Compared, figures: list[str], count: int):
        self.compared, self.figures, self.count = compared, figures, count
        self.sheet, self.words = compared.book["summary"], compared.words
        self.last = HEADER_ROW + count
        self.at = FIRST_COLUMN + len(figures)  # column of failures; looks, rank, verdict follow
        self.cost, self.time = compared.comparison.cost_key, compared.comparison.time_key
        self.height = max(LEAST_HEIGHT, 3.5 + HEIGHT_OF_BAR * count)
        self.tables = self.last + 7 + round(self.height / CENTIMETRES_OF_ROW)

    def write(self) -> None:
        """Rows, sentence, charts, tables."""
        sheet, compared = self.sheet, self.compared
        for index in range(self.count):
            self._row(index)
        flags = sheet.ref(FIRST_ROW, self.at, ALONG_ROW)
        rejected_rows(sheet, (FIRST_ROW, 1, self.last, self.at + 3), above(flags, 0))
        said = comparison_sentence(compared)
        as_issued = self.words.text("compared_as_issued", date=compared.results[0].facts.date, sentence=said)
        row = self.last + 1
        for line in in_lines(as_issued, LINE)[:2]:
            row += 1
            sheet.put(row, 1, line, "say")
        sheet.page.row_breaks.append(self.tables - 1)
        unit = self.words.text("request_large_unit", currency=compared.phrases.unit("money"))
        title = f"{compared.phrases.label(self.cost)}, {unit}"
        size = LARGE[compared.words.language]
        bottom = self._order(self.tables, "CostsInOrder", title, self._values(self.cost, size), 0)
        if self.time:
            title = f"{compared.phrases.label(self.time)}, {compared.phrases.unit(compared.unit(self.time))}"
            self._order(bottom + 2, "TimesInOrder", title, self._values(self.time, 1.0), 1)

    def _values(self, name: str, size: float) -> list[Any]:
        return [self._comparable(name, index, size) for index in range(self.count)]

    def _comparable(self, name: str, index: int, size: float) -> Any:
        """A value where it is known; a cost only where the main line has a price."""
        cell = self.compared.cell(name, index)
        if cell is None:
            return MISSING
        conditions = [is_known(cell)]
        priced = self.compared.cell("main_line_priced", index)
        if name == self.cost and priced is not None and self.compared.results[index].facts.acquire != "rent":
            conditions.append(equals(priced, 1))
        return where(all_of(*conditions) if len(conditions) > 1 else conditions[0], cell / size, MISSING)

    def _row(self, index: int) -> None:
        sheet, compared, row = self.sheet, self.compared, FIRST_ROW + index
        facts = compared.results[index].facts
        sheet.put(row, 1, compared.letters[index], "number")
        sheet.put(row, 2, facts.name, "text_bold")
        sheet.put(row, 3, facts.title, "text")
        name = compared.cell("accelerator_name", index)
        sheet.put(row, 4, "–" if name is None else name, "text" if name is None else "link_text")
        for column, key in enumerate(self.figures, start=FIRST_COLUMN):
            cell = compared.shown(key, index)
            content, style = (MISSING, "formula") if cell is None else (cell, "link")
            sheet.put(row, column, content, style, compared.format_of(key))
        sheet.put(row, self.at, compared.failures[index], "link", "0")
        sheet.put(row, self.at + 1, compared.looks[index], "link", "0")
        self._standing(row, index)

    def _standing(self, row: int, index: int) -> None:
        """Rank by cost among those that can run, and what a scenario is best at; from the tables below."""
        sheet, say = self.sheet, self.words.label
        mine = sheet.ref(self.tables + 2 + index, "G")
        ordered = sheet.range(self.tables + 2, "H", self.tables + 1 + self.count, "H")
        known = below(mine, LAST_PLACE)
        rank = sheet.put(row, self.at + 2, where(known, position(ordered, mine), MISSING), "formula", "0")
        cheapest = where(all_of(equals(rank, 1), equals(self._awaiting_price(), 0)), say("compared_best_cost"), "")
        pieces: list[Any] = [where(is_known(rank), cheapest, "")]
        if self.time:
            first = self.tables + self.count + 3
            times = self._keys(first)
            here = sheet.ref(first + 2 + index, "G")
            best = all_of(below(here, LAST_PLACE), equals(position(times, least(times)), index + 1))
            pieces.append(where(best, say("compared_best_time"), ""))
        unpriced = self.compared.cell("unpriced_lines", index)
        if unpriced is not None:
            said = sentence(self.words, "options_unpriced", count=figure(unpriced))
            pieces.append(where(above(unpriced, 0), said, ""))
        runs = self._runs(index)
        sheet.put(row, self.at + 3, where(runs, joined(pieces), say("compared_cannot_run")), "text")

    def _awaiting_price(self) -> Any:
        """How many of those that can run have no cost yet, and could be the cheapest."""
        total: Any = 0
        for index in range(self.count):
            cost = self.sheet.ref(self.tables + 2 + index, "F")
            total = total + where(all_of(self._runs(index), negate_condition(is_known(cost))), 1, 0)
        return total

    def _runs(self, index: int) -> Any:
        found = self.compared.cell("layout_found", index)
        passed = equals(self.compared.failures[index], 0)
        return passed if found is None else all_of(passed, equals(found, 1))

    def _keys(self, row: int) -> Any:
        return self.sheet.range(row + 2, "G", row + 1 + self.count, "G")

    def _order(self, row: int, table: str, title: str, amounts: list[Any], slot: int) -> int:
        """Bars in order: a key a scenario, the keys sorted, and the scenario that stands at each place."""
        sheet, count = self.sheet, self.count
        sheet.put(row, 1, title, "section")
        first, last = row + 2, row + 1 + count
        heads = [self.words.label(f"options_order_{key}") for key in ("rank", "label", "option", "requested", "others")]
        heads += [self.words.label(f"compared_order_{key}") for key in ("value", "key", "sorted")]
        heads[3] = self.words.label("compared_order_first")
        sheet.table(table, row + 1, "A", heads, last)
        keys, values = (sheet.range(first, letter, last, letter) for letter in "GF")
        names = sheet.range(FIRST_ROW, "B", self.last, "B")
        for place, value in enumerate(amounts, start=1):
            at = first + place - 1
            sheet.put(at, "A", place, "number")
            shown = sheet.put(at, "F", value, "formula", "#,##0.00")
            counts = all_of(is_known(shown), self._runs(place - 1))
            key = where(counts, shown + place * TIE, LAST_PLACE + place)
            sheet.put(at, "G", key, "formula", '[>=1000000000]"–";#,##0.00')
            here = sheet.put(at, "H", smallest(keys, place), "formula", '[>=1000000000]"–";#,##0.00')
            found = sheet.put(at, "C", position(keys, here), "formula", "0")
            sheet.put(at, "B", pick(names, found), "formula_text")
            known = below(here, LAST_PLACE)
            sheet.put(at, "D", where(all_of(known, equals(found, 1)), pick(values, found), 0), "formula", HIDDEN_ZERO)
            sheet.put(at, "E", where(all_of(known, above(found, 1)), pick(values, found), 0), "formula", HIDDEN_ZERO)
        series = [(sheet.range(first, letter, last, letter), sheet.ref(row + 1, letter)) for letter in "DE"]
        categories = sheet.range(first, "B", last, "B")
        chart = chosen_bars(title, categories, *series, label="#,##0.0;;", width=CHART_WIDTH, height=self.height)
        sheet.charts.append(placed(chart, self.last + 5, column_at(sheet, slot * (CHART_WIDTH + 0.4))))
        return last


# ---- differences


def write_differences(compared: Compared) -> None:
    """Only rows that differ: inputs above, results below, the spread, and the inputs that a result depends on."""
    count = len(compared.results)
    inputs = [item for item in compared.comparison.inputs if not _is_untyped(item)]
    rows = [*inputs, *compared.comparison.quantities]
    width = compared.width([item.key for item in rows], 17.0)
    widths = [12, 40, 17, 15, *[width] * (count + 1), 14, 52]
    sheet = compared.frame("differences", widths)
    say = compared.words.label
    titles = [say(f"compared_column_{key}") for key in ("kind", "quantity", "section", "unit")]
    spread = "difference" if count == 2 else "spread"
    titles += [
        *compared.heads,
        say(f"compared_column_{spread}"),
        say("compared_column_share"),
        say("compared_column_because"),
    ]
    last = HEADER_ROW + max(1, len(rows))
    sheet.table("Differences", HEADER_ROW, "A", titles, last)
    for row, item in enumerate(rows, start=FIRST_ROW):
        _difference(compared, row, item)
    if not rows:
        sheet.put_row(FIRST_ROW, "A", ["–"] * len(titles), "note")
    group_bands(sheet, FIRST_ROW, last, [("B", column_letter(len(widths)))])
    if count > 6:
        sheet.page.scale, sheet.page.title_columns = 62, (1, 4)


def _is_untyped(item: Difference) -> bool:
    return item.key.startswith(NOT_TYPED) and all(value != value or value == 0 for value in item.values)


def _difference(compared: Compared, row: int, item: Difference) -> None:
    sheet, say, count = compared.book["differences"], compared.words.label, len(compared.results)
    sheet.put(row, "A", say(f"compared_kind_{item.kind}"), "text")
    sheet.put(row, "B", _label(compared, item), "text")
    sheet.put(row, "C", _section(compared, item), "note")
    sheet.put(row, "D", compared.phrases.unit(item.unit), "unit")
    words = any(isinstance(value, str) for value in item.values)
    layout = "" if words else compared.phrases.number_format(item.unit, item.values)
    for index, value in enumerate(item.values):
        cell = compared.shown(item.key, index)
        style = ("link" if cell is not None else "formula") + ("_text" if words else "")
        sheet.put(row, FIRST_COLUMN + index, value if cell is None else cell, style, layout)
    change, share = (MISSING, MISSING) if words else _spread(sheet, row, count)
    sheet.put(row, FIRST_COLUMN + count, change, "formula", layout)
    sheet.put(row, FIRST_COLUMN + count + 1, share, "formula", SHARE)
    sheet.put(row, FIRST_COLUMN + count + 2, _because(compared, item), "note")


def _label(compared: Compared, item: Difference) -> str:
    key = f"compared_word_{item.key}"
    return compared.words.label(key) if compared.words.has(key) else compared.phrases.label(item.key)


def _section(compared: Compared, item: Difference) -> str:
    known = next((known[item.key] for known in compared.known_inputs if item.key in known), None)
    if item.kind == "input" and known is not None:
        return group_label(compared, known)
    for key in (f"section_{item.section}", f"inputs_group_{item.section}", f"group_{item.section}"):
        if compared.words.has(key):
            return compared.words.label(key)
    return item.section or "–"


def _spread(sheet: Any, row: int, count: int) -> tuple[Any, Any]:
    """B against A for two; the largest against the smallest for more."""
    area = sheet.range(row, FIRST_COLUMN, row, FIRST_COLUMN + count - 1)
    if count == 2:
        low, high = (sheet.ref(row, FIRST_COLUMN + index) for index in range(2))
        known = all_of(is_known(low), is_known(high))
    else:
        low, high = least(area), greatest(area)
        known = any_of(*(is_known(sheet.ref(row, FIRST_COLUMN + index)) for index in range(count)))
    change = where(known, high - low, MISSING)
    share = where(known, where(equals(low, 0), MISSING, high / low - 1), MISSING)
    return change, share


def _because(compared: Compared, item: Difference) -> str:
    words = compared.words
    named = [
        words.label(f"compared_word_{key}") if words.has(f"compared_word_{key}") else compared.phrases.label(key)
        for key in item.because[:MOST_CAUSES]
    ]
    more = len(item.because) - len(named)
    written = compared.words.label("compared_joint").join(named)
    return (f"{written} +{more}" if more > 0 else written) or "–"
