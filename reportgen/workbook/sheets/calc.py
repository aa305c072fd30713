"""The calc sheet: a row a formula, in three cases, with its words, its source and what reads it."""

from __future__ import annotations

from functools import lru_cache

from reportgen.catalog.wording import wording
from reportgen.estimator import SUBJECTS
from reportgen.formula import Expression, Formula, FormulaError, Symbol
from reportgen.formula.as_words import words
from reportgen.workbook.frame import HEADER_ROW, group_bands
from reportgen.workbook.model import BASE, FIRST_ROW, Model
from reportgen.workbook.phrases import Phrases
from reportgen.workbook.sheets.row_labels import number_width, section_width
from reportgen.workbook.sheets.used_by import users

COLUMNS = (
    "section", "quantity", "symbol", "unit", "favourable", "base", "adverse", "formula", "source", "used_by", "key",
)  # fmt: skip
WIDTHS = (38, 9, 15, 17, 18, 17, 110, 22, 34, 30)  # behind the section
PRINTED = 9  # columns; what reads a quantity, and its key for `explain`, are for the screen


def write(model: Model) -> None:
    """Fill the sheet, and give each base cell the name of its quantity."""
    say = model.words.label
    rules = [say(f"calc_rule_{key}") if model.words.has(f"calc_rule_{key}") else "" for key in COLUMNS]
    section = section_width(model, (item.section for item in model.calc_order))
    width = number_width(model, (item.name for item in model.calc_order), WIDTHS[3])
    sheet = model.frame("calc", [section, *WIDTHS[:3], width, width + 1, width, *WIDTHS[6:]], rules)
    last = HEADER_ROW + len(model.calc_order)
    sheet.table("CalcTable", HEADER_ROW, 1, [say(f"calc_{key}") for key in COLUMNS], last)
    model.write_calc()
    numbers = section_numbers(model)
    for item in model.calc_order:
        _describe(model, item, f"{numbers[item.section]} {say(f'section_{item.section}')}")
    group_bands(sheet, FIRST_ROW, last, [("B", "K")])
    sheet.page.last_column = PRINTED


def section_numbers(model: Model) -> dict[str, int]:
    """Sections that have formulas here, counted from 1 in the order of the subjects."""
    present = {item.section for item in model.calc_order}
    ordered = [section for section in SUBJECTS if section in present]
    return {section: number for number, section in enumerate(ordered, start=1)}


def _describe(model: Model, item: Formula, section: str) -> None:
    """Everything of a row beside its three cases."""
    sheet, row = model.book["calc"], model.calc.rows[item.name]
    sheet.put(row, "A", section, "text")
    sheet.put(row, "B", model.label(item.name), "text")
    sheet.put(row, "C", model.phrases.symbol(item.symbol), "unit")
    sheet.put(row, "D", model.unit(item.unit), "unit")
    sheet.put(row, "H", in_words(model, item), "note")
    link = model.source_link(item.source)
    sheet.put(row, "I", item.source, "jump" if link is not None else "note", link=link)
    sheet.put(row, "J", users(model, item.name), "note")
    sheet.put(row, "K", item.name, "note")
    model.book.name(item.name, model.calc.ref(item.name, BASE))


def in_words(model: Model, item: Formula) -> str:
    """The right side in the labels of its quantities; a search in a table as what it finds."""
    return _said(item, model.words.language)


@lru_cache(maxsize=4096)
def _said(item: Formula, language: str) -> str:
    phrases = Phrases(wording(language), "")
    tree, text = item.expression, phrases.words.text
    if any(parameter.startswith("layouts_") for parameter in item.parameters):
        return text("calc_from_layouts", sheet=text("sheet_layouts"))
    if _is_lookup(tree):
        return text("calc_from_catalog", sheet=text("sheet_catalog"))
    try:
        return str(words(tree, phrases.label, lambda phrase: text(f"formula_{phrase}")))
    except FormulaError:
        return phrases.label(item.name)


def _is_lookup(tree: object) -> bool:
    """Whether the formula only picks a fact in the row of an accelerator."""
    if not isinstance(tree, Expression) or tree.operation != "pick":
        return False
    column = tree.arguments[0]
    return isinstance(column, Symbol) and str(column.key).startswith("accelerators_")
