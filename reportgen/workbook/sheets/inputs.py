"""The inputs sheet: every typed cell with its range, where it comes from, where it goes, and whether it was changed."""

from __future__ import annotations

from typing import Any

from reportgen.catalog.wording import wording
from reportgen.evaluation.result import InputValue
from reportgen.formula import (
    MISSING,
    all_of,
    at_least,
    at_most,
    count_if,
    equals,
    greatest,
    is_known,
    maximum,
    minimum,
    negate_condition,
    where,
)
from reportgen.workbook.frame import HEADER_ROW, changed_cells, group_bands
from reportgen.workbook.input_groups import input_group
from reportgen.workbook.model import ADVERSE, BASE, FAVOURABLE, FIRST_ROW, Model
from reportgen.workbook.palette import palette
from reportgen.workbook.parts import ConditionalFormat, Validation
from reportgen.workbook.references import ALONG_ROW
from reportgen.workbook.row_heights import shown, text_width
from reportgen.workbook.sheets.row_labels import SPARE
from reportgen.workbook.sheets.used_by import users

COLUMNS = (
    "group", "quantity", "symbol", "unit", "favourable", "base", "adverse", "confidence", "source", "as_of", "note", "issued",
    "used_by", "change", "encloses",
)  # fmt: skip
WIDTHS = (16, 36, 9, 14, 17, 18, 17, 11.5, 22, 11.5, 56, 17, 36, 9, 10)
PRINTED = 11  # columns; what was issued, what reads it and what changed are for the screen
ISSUED, ENCLOSES = 12, 15  # columns
NOTES_ARE_IN = "en"  # the language of the data; the wording says them in the others
REFITS = "; refits without one source: "
CATALOG_NOTE = "catalog: "
BASIS_NOTES = ("quote", "list", "market", "estimate", "quote_needed", "offer", "discount", "median", "on_demand")
LARGEST, SMALLEST = 1e18, 1e-9
DIVIDING_SHARES = {  # shares that something is divided by
    "active_share", "hourly_mean_share", "rack_fill_share", "storage_efficiency", "storage_fill_share", "all_reduce_bus_share",
    "restart_read_share", "rack_power_share", "memory_fit_share", "serving_memory_share",
}  # fmt: skip
INNER_SHARES = {
    "utilization_cap", "ttft_percentile", "queue_load_limit", "serving_utilization_cap", "serving_utilization_cap_few_replicas",
}  # fmt: skip
LIMITS = {
    "list": (0.0, 1.0), "count": (0.0, 1e6), "share": (0.0, 1.0), "part": (0.001, 1.0), "inner_share": (0.001, 0.999),
    "positive": (SMALLEST, LARGEST), "number": (0.0, LARGEST),
}  # fmt: skip


def write(model: Model) -> None:
    """Fill the sheet. The typed cells are the rows of `model.inputs`."""
    say = model.words.label
    words = [
        model.words.label(f"inputs_rule_{key}") if model.words.has(f"inputs_rule_{key}") else "" for key in COLUMNS
    ]
    width = _value_width(model)
    sheet = model.frame("inputs", [*WIDTHS[:4], width, width + 1, width, *WIDTHS[7:]], words)
    sheet.widths[ISSUED] = width
    last = HEADER_ROW + len(model.listed_inputs)
    sheet.table("InputsTable", HEADER_ROW, 1, [say(f"inputs_{key}") for key in COLUMNS], last)
    model.write_inputs()
    for item in model.listed_inputs:
        _describe(model, item)
    group_bands(sheet, FIRST_ROW, last, [("B", "D"), ("H", "O")])
    changed = negate_condition(equals(sheet.ref(FIRST_ROW, "F"), sheet.ref(FIRST_ROW, "L", ALONG_ROW)))
    changed_cells(sheet, (FIRST_ROW, "F", last, "F"), changed)
    _mark_broken_ranges(model, last)
    _totals(model, last)
    _validate(model)
    sheet.page.last_column = PRINTED


def _value_width(model: Model) -> float:
    """Characters that the typed cells need."""
    shown_values = [
        shown(value, _format(model, item))
        for item in model.listed_inputs
        for value in (item.value, item.low, item.high)
        if isinstance(value, float)
    ]
    return max(float(WIDTHS[4]), *(round(text_width(text) + SPARE, 1) for text in shown_values))


def _describe(model: Model, item: InputValue) -> None:
    """Everything of a row beside its three typed cells."""
    sheet, row = model.book["inputs"], model.inputs.rows[item.key]
    model.book.name(item.key, model.inputs.ref(item.key, BASE))
    group, base, is_text = input_group(item), sheet.ref(row, "F"), isinstance(item.value, str)
    sheet.put(row, "A", _group_label(model, group), "text")
    sheet.put(row, "B", model.label(item.key), "text")
    sheet.put(row, "C", model.phrases.symbol(item.symbol), "unit")
    sheet.put(row, "D", model.unit(item.unit), "unit")
    sheet.put(row, "H", _confidence(model, item), "note")
    link = model.source_link(item.source)
    sheet.put(row, "I", item.source or "–", "jump" if link is not None else "note", link=link)
    sheet.put(row, "J", item.as_of or "–", "number")
    sheet.put(row, "K", note(model, item), "note")
    issued = sheet.put(row, "L", item.value, "shadow_text" if is_text else "shadow", _format(model, item))
    sheet.put(row, "M", users(model, item.key), "note")
    sheet.put(row, "N", where(same(base, item, issued), MISSING, _number(model, row)), "number", "0")
    sheet.put(row, "O", _encloses(model, item), "number", model.words.label("flag_format"))


def same(base: Any, item: InputValue, issued: Any) -> Any:
    """Whether a typed cell still holds what was issued, which may be nothing."""
    if isinstance(item.value, str):
        return equals(base, issued)
    if item.value != item.value:
        return negate_condition(is_known(base))
    return where(is_known(base), equals(base, issued), False)


def _number(model: Model, row: int) -> Any:
    """The running number of a change: one more than the largest above."""
    if row == FIRST_ROW:
        return 1
    sheet = model.book["inputs"]
    return greatest(sheet.range(FIRST_ROW, "N", row - 1, "N")) + 1


def _encloses(model: Model, item: InputValue) -> Any:
    """1 when the ends lie on both sides of the base; a dash where there is no range."""
    if item.favourable is None or item.adverse is None:
        return MISSING
    ends = [model.inputs.ref(item.key, case) for case in (FAVOURABLE, ADVERSE)]
    base = model.inputs.ref(item.key, BASE)
    return where(all_of(at_least(base, minimum(*ends)), at_most(base, maximum(*ends))), 1, 0)


def _mark_broken_ranges(model: Model, last: int) -> None:
    look = palette().states["look"]
    sheet = model.book["inputs"]
    broken = ConditionalFormat(
        FIRST_ROW, 15, last, 15, equals(sheet.ref(FIRST_ROW, "O"), 0), ink=look.ink, fill=look.fill
    )
    sheet.conditional_formats.append(broken)


def _totals(model: Model, last: int) -> None:
    """How many inputs were changed, and how many ranges leave their base outside."""
    sheet, say = model.book["inputs"], model.words.label
    changed = greatest(sheet.range(FIRST_ROW, "N", last, "N"))
    sheet.put(last + 2, "B", say("inputs_total_changed"), "total_text")
    model.book.name("changed_inputs", sheet.put(last + 2, "F", changed, "total", "0"))
    sheet.put(last + 3, "B", say("inputs_total_ranges"), "total_text")
    broken = count_if(sheet.range(FIRST_ROW, "O", last, "O"), 0)
    model.book.name("ranges_not_enclosing", sheet.put(last + 3, "F", broken, "total", "0"))
    for row in (last + 2, last + 3):
        for column in ("C", "D", "E"):
            sheet.put(row, column, None, "total")


def _group_label(model: Model, group: str) -> str:
    words = model.words
    return words.label(f"inputs_group_{group}" if words.has(f"inputs_group_{group}") else f"group_{group}")


def _confidence(model: Model, item: InputValue) -> str:
    return model.words.label(f"confidence_{item.confidence}") if item.confidence else "–"


def _format(model: Model, item: InputValue) -> str:
    return "" if isinstance(item.value, str) else model.number_format(item.unit, item.value, item.low, item.high)


def note(model: Model, item: InputValue) -> str:
    """What a reader should know of an input, in the language of the book; else the key of the scenario that sets it."""
    words = model.words
    if item.note in BASIS_NOTES:
        return words.label(f"basis_{item.note}") if words.has(f"basis_{item.note}") else ""
    if item.note.startswith(CATALOG_NOTE):
        return words.text("inputs_note_catalog", model=item.note.removeprefix(CATALOG_NOTE))
    if item.note and words.language == NOTES_ARE_IN:
        return item.note
    said, _, refits = item.note.partition(REFITS)
    key = f"note_{item.key}"
    if said and words.has(key) and wording(NOTES_ARE_IN).label(key) == said:
        return words.label(key) + (
            words.text("inputs_note_refits", range=refits.replace(" to ", "–")) if refits else ""
        )
    return words.text("inputs_note_path", path=item.path) if item.path else ""


# ---- what may be typed


def _validate(model: Model) -> None:
    sheet, grid = model.book["inputs"], model.inputs
    groups: dict[tuple[str, str], list[tuple[int, int]]] = {}
    for item in model.listed_inputs:
        cells = groups.setdefault(_limits(item), [])
        columns = grid.columns if item.favourable is not None else grid.columns[BASE : BASE + 1]
        cells += [(grid.rows[item.key], column) for column in columns]
    sheet.validations += [_validation(model, kind, key, tuple(cells)) for (kind, key), cells in groups.items()]


def _limits(item: InputValue) -> tuple[str, str]:
    """The kind of the limit; for a list also the input that it belongs to."""
    if isinstance(item.value, str):
        return "list", item.key
    if item.unit == "flag":
        return "list", "flags"
    if item.key == "fixed_gpu_count":
        return "count", ""
    if item.unit == "share" and 0 <= item.value <= 1:
        return ("inner_share" if item.key in INNER_SHARES else "part" if _divides(item.key) else "share"), ""
    return ("positive" if item.value > 0 and not item.key.endswith("_price") else "number"), ""


def _divides(key: str) -> bool:
    return key in DIVIDING_SHARES or "utilization" in key or key.endswith("_error")


def limits_of(item: InputValue) -> tuple[float, float]:
    """The smallest and the largest number that may be typed."""
    return LIMITS[_limits(item)[0]]


def _validation(model: Model, kind: str, key: str, cells: tuple[tuple[int, int], ...]) -> Validation:
    say = model.words.label
    words = f"limit_{key or kind}" if model.words.has(f"limit_{key or kind}_title") else "limit_list"
    texts = {part: say(f"{words}_{part}") for part in ("title", "prompt", "error")}
    if kind == "list":
        source = model.tables["accelerators_id"] if key == "accelerator" else model.lists.get(key)
        return Validation(cells, source=source, **texts)
    low, high = LIMITS[kind]
    return Validation(cells, low=low, high=high, whole=kind == "count", **texts)
