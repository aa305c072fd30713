"""Inputs and Calc of a comparison: the typed cells and the formulas, a column a scenario."""

from __future__ import annotations

from typing import Any

from reportgen.catalog.accelerator_table import COLUMN_UNITS
from reportgen.evaluation.result import InputValue
from reportgen.formula import MISSING, Formula
from reportgen.workbook.cells import Sheet
from reportgen.workbook.comparison import ACCELERATOR, Compared
from reportgen.workbook.frame import HEADER_ROW, group_bands
from reportgen.workbook.input_groups import input_group, place
from reportgen.workbook.references import column_letter

NAMES = ("section", "quantity", "symbol", "unit")
WIDTHS = (18, 38, 9, 14)
WIDTH = 19.0
WIDE = 6  # columns of scenarios that fit the width of a page
SCALE = 62
OFFERS = ("offer_", "discount_")


def write_inputs(compared: Compared) -> None:
    """Inputs of all scenarios by group, then the layout that each found, then the facts of its accelerator."""
    rows = [*_inputs(compared), *_layouts(compared), *_facts(compared)]
    width = compared.width([name for name, _ in rows], WIDTH)
    sheet = compared.frame("inputs", [*WIDTHS, *[width] * len(compared.results)], names=2)
    last = HEADER_ROW + len(rows)
    sheet.table("ComparedInputs", HEADER_ROW, "A", _heads(compared), last)
    for name, (group, symbol, unit, values, styles) in rows:
        row = compared.inputs.next_row
        numbers = [value for value in values if not isinstance(value, str)]
        layout = "" if len(numbers) < len(values) else compared.phrases.number_format(unit, numbers)
        compared.inputs.add(name, values, styles, layout)
        _label(compared, sheet, row, group, name, symbol, unit)
    _dress(compared, sheet, last)


def _heads(compared: Compared) -> list[str]:
    return [*(compared.words.label(f"rows_{key}") for key in NAMES), *compared.heads]


Row = tuple[str, tuple[str, str, str, list, list[str]]]  # name; group, symbol, unit, values, styles


def _inputs(compared: Compared) -> list[Row]:
    """What nobody computes: formulas that one scenario overrides stand on Calc."""
    first: dict[str, InputValue] = {}
    for known in compared.known_inputs:
        for key, item in known.items():
            first.setdefault(key, item)
    kept = [item for key, item in first.items() if key not in compared.calc_names]
    ordered = sorted(kept, key=lambda item: (item.key.startswith(OFFERS), *place(item)))
    return [(item.key, _input_row(compared, item)) for item in ordered]


def _input_row(compared: Compared, item: InputValue) -> tuple:
    found = [known.get(item.key) for known in compared.known_inputs]
    values = [MISSING if here is None else here.value for here in found]
    styles = ["input_text" if isinstance(value, str) else "input" for value in values]
    styles = ["formula" if here is None else style for here, style in zip(found, styles, strict=True)]
    return group_label(compared, item), item.symbol, item.unit, values, styles


def group_label(compared: Compared, item: InputValue) -> str:
    """The group of an input, as on the inputs sheet of one scenario."""
    words, group = compared.words, input_group(item)
    return words.label(f"inputs_group_{group}" if words.has(f"inputs_group_{group}") else f"group_{group}")


def _layouts(compared: Compared) -> list[Row]:
    rows = []
    for name in compared.layout_names:
        found = [result.quantities.get(name) for result in compared.results]
        first = next(item for item in found if item is not None)
        values = [MISSING if item is None else item.value for item in found]
        styles = ["formula" if item is None else "input" for item in found]
        rows.append((name, (compared.words.label("compared_layout"), first.symbol, first.unit, values, styles)))
    return rows


def _facts(compared: Compared) -> list[Row]:
    rows = []
    for name in compared.fact_names:
        values: list[Any] = []
        for result in compared.results:
            column = result.tables.get(name)
            value = MISSING if column is None else column.get(str(result.value("accelerator")))
            values.append("–" if value == "" else value)
        styles = ["fact_text" if isinstance(value, str) else "fact" for value in values]
        unit = COLUMN_UNITS.get(name.removeprefix(ACCELERATOR), "count")
        rows.append((name, (compared.words.label("compared_facts"), "", unit, values, styles)))
    return rows


def _label(compared: Compared, sheet: Sheet, row: int, group: str, name: str, symbol: str, unit: str) -> None:
    sheet.put(row, "A", group, "text")
    sheet.put(row, "B", compared.phrases.label(name), "text")
    sheet.put(row, "C", compared.phrases.symbol(symbol), "unit")
    sheet.put(row, "D", compared.phrases.unit("" if unit == "count" else unit), "unit")


def _dress(compared: Compared, sheet: Sheet, last: int) -> None:
    group_bands(sheet, HEADER_ROW + 1, last, [("B", "D")])
    if len(compared.results) > WIDE:
        sheet.page.scale, sheet.page.title_columns = SCALE, (1, 4)


def write_calc(compared: Compared) -> None:
    """Every formula that a scenario has; where it has none, a dash, and where it overrides one, the typed value."""
    names = compared.calc_names
    width = compared.width(names, WIDTH)
    sheet = compared.frame("calc", [*WIDTHS, *[width] * len(compared.results)], names=2)
    last = HEADER_ROW + len(names)
    sheet.table("ComparedCalc", HEADER_ROW, "A", _heads(compared), last)
    for name in names:
        item = next(formulas[name] for formulas in compared.formulas if name in formulas)
        contents, styles = _contents(compared, name, item)
        row = compared.calc.add(name, contents, styles, compared.format_of(name))
        group = compared.words.label(f"section_{item.section}")
        _label(compared, sheet, row, group, name, item.symbol, item.unit)
    group_bands(sheet, HEADER_ROW + 1, last, [("B", column_letter(4 + len(compared.results)))])
    if len(compared.results) > WIDE:
        sheet.page.scale, sheet.page.title_columns = SCALE, (1, 4)


def _contents(compared: Compared, name: str, item: Formula) -> tuple[list, list[str]]:
    contents: list[Any] = []
    styles = []
    text = "formula_text" if item.unit == "text" else "formula"
    for formulas, result in zip(compared.formulas, compared.results, strict=True):
        typed = result.value(name)
        if name in formulas:
            contents.append(formulas[name])
            styles.append(text)
        elif isinstance(typed, str) or typed == typed:  # an override, or a part of its layout
            contents.append(typed)
            styles.append("input_text" if isinstance(typed, str) else "input")
        else:
            contents.append(MISSING)
            styles.append(text)
    return contents, styles
