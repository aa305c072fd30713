"""What stands before the columns of a calculating grid: section, quantity, symbol, unit."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from reportgen.formula import Formula
from reportgen.workbook.cells import Sheet
from reportgen.workbook.grid import Grid
from reportgen.workbook.model import Model
from reportgen.workbook.references import column_letter
from reportgen.workbook.row_heights import BOLD, shown, text_width

SPARE, MOST = 4.0, 32.0
NAMES = ("section", "quantity", "symbol", "unit")
LABEL_WIDTHS = (38, 9, 14)  # of quantity, symbol, unit
SECTION_SPARE = 5.5  # room for a number before the name


def section_width(model: Model, sections: Iterable[str]) -> float:
    """Characters that the longest name of a section takes in one line, so that names make no row taller."""
    names = [text_width(model.words.label(f"section_{section}")) for section in dict.fromkeys(sections)]
    return round(SECTION_SPARE + BOLD * max(names, default=0.0), 1)


def label_rows(model: Model, grid: Grid, formulas: Sequence[Formula]) -> None:
    """Name every row of a grid; what is no formula of it stands in a section of its own."""
    known = {item.name: item for item in formulas}
    for name, row in grid.rows.items():
        item = known.get(name)
        symbol, unit = _signs(model, name, item)
        section = f"section_{item.section}" if item else "rows_typed"
        grid.sheet.put(row, 1, model.words.label(section), "text")
        grid.sheet.put(row, 2, model.label(name), "text")
        grid.sheet.put(row, 3, model.phrases.symbol(symbol), "unit")
        grid.sheet.put(row, 4, model.unit(unit), "unit")


def _signs(model: Model, name: str, item: Formula | None) -> tuple[str, str]:
    """Symbol and unit of a row."""
    if item is None:
        item = model.graph.formulas.get(name)
    if item is not None:
        return item.symbol, item.unit
    known = model.inputs_by_key.get(name)
    return (known.symbol, known.unit) if known else ("", "")


def number_width(model: Model, names: Iterable[str], least: float) -> float:
    """Characters that a column needs for the numbers of some quantities, with room for a digit more after changes."""
    widest = least
    for name in names:
        item = model.result.quantities.get(name)
        if item is not None:
            number_format = model.format_of(name)
            values = (item.favourable, item.value, item.adverse)
            shown_widths = [text_width(shown(value, number_format)) for value in values if not isinstance(value, str)]
            widest = max([widest, *(SPARE + BOLD * width for width in shown_widths)])
    return min(round(widest, 1), MOST)


def print_part(model: Model, sheet: Sheet, printed: int, count: int) -> None:
    """Print the names and the first columns, one page wide; the header says which columns are for the screen only."""
    if printed >= count:
        return
    first, last = (column_letter(len(NAMES) + number) for number in (printed + 1, count))
    sheet.page.last_column = len(NAMES) + printed
    sheet.page.header_right = model.words.text("rows_not_printed", first=first, last=last)


def unique_heads(heads: Sequence[str]) -> list[str]:
    """Column heads, a number behind those that would repeat."""
    used: dict[str, int] = {}
    found = []
    for head in heads:
        used[head.casefold()] = times = used.get(head.casefold(), 0) + 1
        found.append(head if times == 1 else f"{head} ({times})")
    return found
