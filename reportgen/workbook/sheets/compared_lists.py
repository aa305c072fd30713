"""Checks, request and sources of a comparison, side by side."""

from __future__ import annotations

from typing import Any

from reportgen.estimator.checks import AT_LEAST, AT_MOST, CHECKS, EQUALS, CheckRule
from reportgen.estimator.request_list import LINES, Line
from reportgen.evaluation.result import Source
from reportgen.formula import (
    MISSING,
    absolute,
    all_of,
    any_of,
    at_least,
    at_most,
    count_if,
    is_known,
    sum_of,
    where,
)
from reportgen.workbook.attachments import SAFE_LINKS
from reportgen.workbook.comparison import FIRST_ROW, Compared
from reportgen.workbook.frame import HEADER_ROW, group_bands, state_fills
from reportgen.workbook.palette import palette
from reportgen.workbook.references import column_letter
from reportgen.workbook.sheets.places import breakable

WIDTH = 15.0
TOTALS = (
    "list_total",
    "price_movement_allowance",
    "contingency",
    "purchase_tax",
    "purchase_cost",
    "rental_cost",
    "requested_amount",
)
ADDRESS = 44


# ---- checks


def write_checks(compared: Compared) -> None:
    """A row a check, a column a scenario: the word of its verdict, live."""
    rules = [rule for rule in CHECKS if any(rule.when(frozenset(result.features)) for result in compared.results)]
    widths = [6, 46, 52, *[WIDTH] * len(compared.results)]
    sheet = compared.frame("checks", widths)
    last = HEADER_ROW + len(rules)
    titles = [compared.words.label(f"checks_column_{key}") for key in ("number", "check", "do")]
    sheet.table("ComparedChecks", HEADER_ROW, "A", [*titles, *compared.heads], last)
    for number, rule in enumerate(rules, start=1):
        row = HEADER_ROW + number
        sheet.put(row, "A", number, "number")
        sheet.put(row, "B", compared.words.label(f"check_{rule.key}"), "text")
        sheet.put(row, "C", compared.words.label(f"check_{rule.key}_do"), "note")
        for index in range(len(compared.results)):
            sheet.put(row, 4 + index, _verdict(compared, rule, index), "check")
    end = 3 + len(compared.results)
    states = {state: compared.words.label(f"state_{state}") for state in palette().states}
    state_fills(sheet, (FIRST_ROW, 4, last, end), states)
    for offset, state in enumerate(("fail", "look"), start=2):
        sheet.put(last + offset, "B", compared.words.label(f"compared_count_{state}"), "total_text")
        sheet.put(last + offset, "C", None, "total")
        for index in range(len(compared.results)):
            column = 4 + index
            count = count_if(sheet.range(FIRST_ROW, column, last, column), states[state])
            sheet.put(last + offset, column, count, "total", "0")
    compared.failures = [sheet.ref(last + 2, 4 + index) for index in range(len(compared.results))]
    compared.looks = [sheet.ref(last + 3, 4 + index) for index in range(len(compared.results))]


def _verdict(compared: Compared, rule: CheckRule, index: int) -> Any:
    if not rule.when(frozenset(compared.results[index].features)):
        return "–"
    left = compared.cell(rule.left, index)
    right = rule.right if isinstance(rule.right, (int, float)) else compared.cell(rule.right, index)
    fine, unless, look = (compared.words.label(f"state_{word}") for word in ("ok", rule.unless.lower(), "look"))
    if left is None or right is None:
        return look  # what is not known has not failed
    if rule.relation == AT_MOST:
        holds = at_most(left, right + rule.tolerance)
    elif rule.relation == AT_LEAST:
        holds = at_least(left, right - rule.tolerance)
    else:
        holds = at_most(absolute(left - right), rule.tolerance)
    if isinstance(right, (int, float)):
        return where(is_known(left), where(holds, fine, unless), look)
    both, either = (every(is_known(left), is_known(right)) for every in (all_of, any_of))
    alike = where(either, look, fine) if rule.relation == EQUALS else look
    return where(both, where(holds, fine, unless), alike)


# ---- request


def write_request(compared: Compared) -> None:
    """Quantity and amount of every line that a scenario asks for, and the sums that lead to what is asked for."""
    features = [frozenset(result.features) for result in compared.results]
    rules = [line for line in LINES if any(line.when(found) for found in features)]
    widths = [20, 32, 13, *[11, WIDTH] * len(compared.results)]
    sheet = compared.frame("request", widths)
    last = HEADER_ROW + len(rules)
    say = compared.words.label
    titles = [say(f"request_column_{key}") for key in ("category", "item", "unit")]
    for letter in compared.letters:
        titles += [f"{letter} {say('request_column_quantity')}", f"{letter} {say('request_column_amount')}"]
    sheet.table("ComparedRequest", HEADER_ROW, "A", titles, last)
    for row, rule in enumerate(rules, start=FIRST_ROW):
        sheet.put(row, "A", say(f"category_{rule.category}"), "text")
        sheet.put(row, "B", say(f"line_{rule.key}_item"), "text_bold")
        sheet.put(row, "C", compared.phrases.unit(rule.unit), "unit")
        for index, found in enumerate(features):
            _line(compared, row, index, rule if rule.when(found) else None)
    group_bands(sheet, FIRST_ROW, last, [("B", column_letter(len(widths)))])
    _totals(compared, last)
    if len(compared.results) > 4:
        sheet.page.scale, sheet.page.title_columns = 62, (1, 3)


def _line(compared: Compared, row: int, index: int, rule: Line | None) -> None:
    sheet, column = compared.book["request"], 4 + 2 * index
    names = (None, None) if rule is None else (rule.quantity, rule.amount)
    for offset, name in enumerate(names):
        cell = None if name is None else compared.cell(name, index)
        content = MISSING if cell is None else cell
        sheet.put(row, column + offset, content, "formula" if cell is None else "link", "#,##0")


def _totals(compared: Compared, last: int) -> None:
    sheet, row = compared.book["request"], last + 1
    sheet.put(row, "B", compared.words.label("compared_sum_of_amounts"), "total_text")
    sheet.put_row(row, "A", [None], "total")
    sheet.put(row, "C", None, "total")
    for index in range(len(compared.results)):
        column = 4 + 2 * index
        sheet.put(row, column, None, "total")
        sheet.put(row, column + 1, sum_of(sheet.range(FIRST_ROW, column + 1, last, column + 1)), "total", "#,##0")
    for name in TOTALS:
        cells = [compared.cell(name, index) for index in range(len(compared.results))]
        if all(cell is None for cell in cells):
            continue
        row += 1
        sheet.put(row, "B", compared.phrases.label(name), "text")
        for index, cell in enumerate(cells):
            style = "formula" if cell is None else "link"
            sheet.put(row, 5 + 2 * index, MISSING if cell is None else cell, style, "#,##0")


# ---- sources


def write_sources(compared: Compared) -> None:
    """The sources of all scenarios, each once."""
    found: dict[str, Source] = {}
    for result in compared.results:
        for source in result.sources:
            found.setdefault(source.key, source)
    sheet = compared.frame("sources", [20, 44, 28, 50, 12, 44], names=1)
    keys = ("key", "title", "publisher", "address", "read_on", "supports")
    titles = [compared.words.label(f"sources_column_{key}") for key in keys]
    sheet.table("ComparedSources", HEADER_ROW, "A", titles, HEADER_ROW + max(1, len(found)))
    for row, key in enumerate(sorted(found), start=FIRST_ROW):
        source = found[key]
        link = source.address if source.address.startswith(SAFE_LINKS) else None
        sheet.put(row, "A", source.key, "text_bold")
        sheet.put(row, "B", source.title, "text")
        sheet.put(row, "C", source.publisher or "–", "text")
        address = breakable(source.address, ADDRESS) or "–"
        sheet.put(row, "D", address, "note" if link is None else "jump", link=link)
        sheet.put(row, "E", source.read_on or "–", "number")
        sheet.put(row, "F", source.supports or "–", "note")
    if not found:
        sheet.put_row(FIRST_ROW, "A", ["–"] * len(keys), "note")
