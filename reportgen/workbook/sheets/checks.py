"""Checks: every comparison live, the verdict as a word, what to do, and the one line that all sheets repeat."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from reportgen.estimator.checks import AT_LEAST, AT_MOST, EQUALS, checks_of
from reportgen.evaluation.shown import memory_parts
from reportgen.formula import (
    MISSING,
    Symbol,
    above,
    absolute,
    all_of,
    any_of,
    at_most,
    count_if,
    equals,
    is_known,
    join,
    maximum,
    sum_of,
    text,
    total,
    where,
)
from reportgen.workbook.frame import CHECK_ROW, state_fills
from reportgen.workbook.model import Model
from reportgen.workbook.sheets.live_text import sentence
from reportgen.workbook.sheets.readers import headers, states
from reportgen.workbook.sheets.spoken import spoken

WIDTHS = (6, 46, 18, 5, 18, 12, 13, 16, 12, 50, 9)
COLUMNS = ("number", "check", "left", "is", "right", "unit", "tolerance", "gap", "result", "do", "turn")
FIRST = 6
SIGNS = {AT_MOST: "≤", EQUALS: "=", AT_LEAST: "≥"}
RELATIVE_NOISE = 1e-12
SAME = 1e-9  # of a value: two ways to the same number
AS_ISSUED = ("gpus", "training_days", "batch_hours", "replicas", "requested_amount", "total_cost")


@dataclass(frozen=True)
class Row:
    """left (relation) right; `unless` is the state if it does not hold, `unknown` that while a side is missing."""

    label: str
    left: Any
    relation: str
    right: Any
    unit: str
    unless: str
    do: str
    tolerance: float = 0.0
    unknown: str = ""  # as `unless`


def write(model: Model) -> None:
    """The sheet, the named cells master_check, checks_failed, checks_to_look_at."""
    estimate, book = list(_of_the_estimate(model)), list(_of_the_book(model))
    rows = [*estimate, *book]
    last, parted = FIRST + len(rows) - 1, FIRST + len(estimate)
    words = [model.words.label(f"checks_words_{key}") if key in ("tolerance", "gap", "turn") else "" for key in COLUMNS]
    sheet = model.frame("checks", WIDTHS, words)
    model.book.name("master_check", sheet.put(CHECK_ROW, "A", _master(model, parted, last), "say_bold"))
    _counts(model, last)
    model.book.name("checks_labels", sheet.range(FIRST, "B", last, "B"))
    model.book.name("checks_turns", sheet.range(FIRST, "K", last, "K"))
    sheet.table("Checks", FIRST - 1, "A", headers(model, "checks_column", COLUMNS), last)
    for number, row in enumerate(rows, start=1):
        _write_row(model, FIRST + number - 1, number, row, last)
    state_fills(sheet, (FIRST, "I", last, "I"), states(model))


def _counts(model: Model, last: int) -> None:
    """How many fail, and how many are to be looked at, failures included; other sheets read them."""
    sheet, words = model.book["checks"], model.words
    every = sheet.range(FIRST, "I", last, "I")
    fails, looks = (count_if(every, words.label(f"state_{state}")) for state in ("fail", "look"))
    sheet.put(last + 2, "B", words.label("checks_failed"), "line")
    model.book.name("checks_failed", sheet.put(last + 2, "C", fails, "formula", "0"))
    sheet.put(last + 3, "B", words.label("checks_to_look_at"), "line")
    model.book.name("checks_to_look_at", sheet.put(last + 3, "C", fails + looks, "formula", "0"))


def _of_the_estimate(model: Model) -> Iterator[Row]:
    """The comparisons that the evaluation judges, over the base case."""
    for rule in checks_of(model.features):
        left = model.base(rule.left, rule.case)
        right = rule.right if isinstance(rule.right, (int, float)) else model.base(rule.right)
        yield Row(
            model.words.label(f"check_{rule.key}"),
            left,
            rule.relation,
            right,
            _unit(model, rule.left),
            rule.unless.lower(),
            _what_to_do(model, rule.key),
            rule.tolerance,
            unknown="look",
        )


def _what_to_do(model: Model, key: str) -> str:
    """In general; and what would have had to change for a check that did not hold as issued."""
    general = model.words.label(f"check_{key}_do")
    check = next((item for item in model.result.checks if item.key == key), None)
    if check is None or not check.changes:
        return general
    changes = model.words.label("memo_semicolon").join(spoken(model, change) for change in check.changes)
    return general + model.words.label("options_stop") + model.words.text("checks_changes_as_issued", changes=changes)


def _unit(model: Model, key: str) -> str:
    quantity = model.result.quantities.get(key)
    return quantity.unit if quantity is not None else model.inputs_by_key[key].unit


def _of_the_book(model: Model) -> Iterator[Row]:
    """What can only go wrong inside a workbook: sums, copies of a number, edits."""
    words = model.words

    def row(key: str, left: Any, relation: str, right: Any, unit: str, unless: str, tolerance: float = 0.0) -> Row:
        label, do = words.label(f"checks_{key}"), words.label(f"checks_{key}_do")
        return Row(label, left, relation, right, unit, unless, do, tolerance)

    cost = model.result.value("total_cost")
    size = SAME * abs(cost) if isinstance(cost, float) and cost == cost else 0.0
    listed = model.base("rental_list_total" if "rent" in model.features else "list_total")
    amounts = where(is_known(listed), sum_of(Symbol("request_amounts")), MISSING)
    yield row("amounts_sum", amounts, EQUALS, listed, "money", "fail", 0.01)
    parts = [model.base(name) for name in memory_parts(model.features)]
    yield row("memory_parts_sum", total(*parts), EQUALS, model.base("memory_per_gpu_gib"), "GiB", "fail", 1e-6)
    yield row(
        "options_chosen", Symbol("options_requested_cost"), EQUALS, model.base("total_cost"), "money", "fail", size
    )
    yield row("trials_base", Symbol("sensitivity_base_cost"), EQUALS, model.base("total_cost"), "money", "fail", size)
    yield row("ends_enclose", Symbol("ranges_not_enclosing"), AT_MOST, 0, "count", "fail")
    yield row("layout_at_edge", model.edge_flag, AT_MOST, 0, "flag", "look")
    yield row("inputs_changed", Symbol("changed_inputs"), AT_MOST, 0, "count", "changed")
    for key in AS_ISSUED:
        issued = model.result.quantities.get(key)
        if issued is None or isinstance(issued.value, str) or issued.value != issued.value:
            continue
        label = words.text("checks_as_issued", quantity=model.label(key))
        tolerance = SAME * abs(issued.value)
        do = words.label("checks_as_issued_do")
        yield Row(label, model.base(key), EQUALS, float(issued.value), issued.unit, "changed", do, tolerance)


def _write_row(model: Model, at: int, number: int, row: Row, last: int) -> None:
    sheet, words = model.book["checks"], model.words
    layout = model.number_format("count" if row.unit == "flag" else row.unit)
    sheet.put(at, "A", number, "number")
    sheet.put(at, "B", row.label, "text")
    left = sheet.put(at, "C", row.left, "link" if isinstance(row.left, Symbol) else "formula", layout)
    relation = sheet.put(at, "D", SIGNS[row.relation], "number")
    right = sheet.put(at, "E", row.right, "link" if isinstance(row.right, Symbol) else "fact", layout)
    sheet.put(at, "F", model.unit("" if row.unit == "count" else row.unit), "unit")
    tolerance = sheet.put(at, "G", row.tolerance, "fact", "[=0]0;0.0########")
    sheet.put(at, "H", _gap(left, relation, right), "formula", "#,##0.00")
    gap = sheet.ref(at, "H")
    noise = where(is_known(right), RELATIVE_NOISE * absolute(right), 0)
    holds = at_most(gap, tolerance + noise)
    fine, otherwise = words.label("state_ok"), words.label(f"state_{row.unless}")
    unknown = words.label(f"state_{row.unknown or row.unless}")
    sheet.put(at, "I", where(is_known(gap), where(holds, fine, otherwise), unknown), "check")
    sheet.put(at, "J", row.do, "note")
    sheet.put(at, "K", _turn(model, at, last), "number")


def _gap(left: Any, relation: Any, right: Any) -> Any:
    """How far a comparison is from holding, one formula for every row; copies of what is not known agree."""
    one_sided = where(equals(relation, SIGNS[AT_MOST]), maximum(0, left - right), maximum(0, right - left))
    gap = where(equals(relation, SIGNS[EQUALS]), absolute(left - right), one_sided)
    both, either = (rule(is_known(left), is_known(right)) for rule in (all_of, any_of))
    unknown_alike = where(either, MISSING, where(equals(relation, SIGNS[EQUALS]), 0, MISSING))
    return where(both, gap, unknown_alike)


def _turn(model: Model, at: int, last: int) -> Any:
    """The place among those to look at, failures first."""
    sheet = model.book["checks"]
    fail, look = model.words.label("state_fail"), model.words.label("state_look")
    until, every, here = sheet.range(FIRST, "I", at, "I"), sheet.range(FIRST, "I", last, "I"), sheet.ref(at, "I")
    looked = count_if(every, fail) + count_if(until, look)
    return where(equals(here, fail), count_if(until, fail), where(equals(here, look), looked, MISSING))


def _master(model: Model, parted: int, last: int) -> Any:
    """The verdict on the checks of the estimate and of the book in one line that begins with its word."""
    words, sheet = model.words, model.book["checks"]

    def count(state: str, first: int = FIRST, end: int = last) -> Any:
        return count_if(sheet.range(first, "I", end, "I"), words.label(f"state_{state}"))

    counts = {state: count(state) for state in ("look", "fail", "changed")}
    parts = {"": (FIRST, parted - 1), "own": (parted, last)}
    held = {part: count("ok", *ends) for part, ends in parts.items()}
    judged = {part: held[part] + count("look", *ends) + count("fail", *ends) for part, ends in parts.items()}
    values = {"held": held[""], "all": judged[""], "own_held": held["own"], "own": judged["own"]}
    values = {name: text(value, "0") for name, value in (values | counts).items()}
    fine = sentence(words, "checks_master_ok", **values)
    look = sentence(words, "checks_master_look", **values)
    fail = sentence(words, "checks_master_fail", **values)
    verdict = where(above(counts["fail"], 0), fail, where(above(counts["look"], 0), look, fine))
    return join(verdict, where(above(counts["changed"], 0), words.label("checks_master_changed"), ""))
