"""The trials sheet: the calculation once more for each accelerator and for each end of the strongest ranges."""

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

WIDTH = 17.0
PRINTED = 5  # columns that a page in portrait holds; the tests stand on Sensitivity too


def write(model: Model) -> None:
    """Fill the sheet from the trials grid."""
    say, phrases = model.words.label, model.phrases
    options = len(model.result.layouts)
    count = options + len(model.test_columns)
    words = [""] * len(NAMES) + [say("trials_rule_option")] * options + [say("trials_rule_test")] * (count - options)
    section = section_width(model, (item.section for item in model.trial_rows))
    width = number_width(model, (item.name for item in model.trial_rows), WIDTH)
    sheet = model.frame("trials", [section, *LABEL_WIDTHS, *[width] * count], words, names=len(NAMES))
    model.write_trials()
    names = model.result.tables["accelerators_name"]
    heads = [names.get(block.accelerator) for block in model.result.layouts]
    heads[0] = model.words.text("trials_requested", name=heads[0])
    heads += [
        model.words.text(f"trials_{column.end}", name=phrases.label(column.input)) for column in model.test_columns
    ]
    last = model.trials.next_row - 1
    sheet.table("TrialTable", HEADER_ROW, 1, unique_heads([*(say(f"rows_{name}") for name in NAMES), *heads]), last)
    label_rows(model, model.trials, model.trial_rows)
    sheet.put(SENTENCE_ROW, len(NAMES) + 1, say("trials_about_more"), "subtitle")
    group_bands(sheet, FIRST_ROW, last, [("B", "D"), (5, 4 + count)])
    sheet.page.portrait = True
    print_part(model, sheet, max(options, PRINTED), count)
