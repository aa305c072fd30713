"""The layout calculation: a column a candidate, the formulas of its memory, time and rank."""

from __future__ import annotations

from reportgen.workbook.frame import HEADER_ROW, SENTENCE_ROW, group_bands
from reportgen.workbook.model import FIRST_ROW, Model
from reportgen.workbook.sheets.row_labels import (
    LABEL_WIDTHS,
    NAMES,
    label_rows,
    number_width,
    print_part,
    section_width,
    unique_heads,
)

WIDTH = 16.0
PRINTED = 11  # columns that a page holds; Layouts shows the main rows of all


def write(model: Model) -> None:
    """Fill the sheet from the layout grid."""
    say = model.words.label
    count = sum(model.block_sizes)
    section = section_width(model, (item.section for item in model.layout_rows))
    width = number_width(model, (item.name for item in model.layout_rows), WIDTH)
    sheet = model.frame("layoutcalc", [section, *LABEL_WIDTHS, *[width] * count], names=len(NAMES))
    model.write_layouts()
    types = [number for number, size in enumerate(model.block_sizes, start=1) for _ in range(size)]
    heads = [model.words.text("layoutcalc_head", number=at, type=kind) for at, kind in enumerate(types, start=1)]
    last = model.layout_grid.next_row - 1
    heads = unique_heads([*(say(f"rows_{name}") for name in NAMES), *heads])
    sheet.table("LayoutCalcTable", HEADER_ROW, 1, heads, last)
    label_rows(model, model.layout_grid, model.layout_rows)
    sheet.put(SENTENCE_ROW, len(NAMES) + 1, say("layoutcalc_about_more"), "subtitle")
    group_bands(sheet, FIRST_ROW, last, [("B", "D"), (5, 4 + count)])
    print_part(model, sheet, max(PRINTED, model.result.layouts[0].chosen + 1), count)
