"""Memory of one GPU by accelerator: parts that close to the whole card, behind the chart of the first sheet."""

from __future__ import annotations

from typing import Any

from reportgen.evaluation.shown import memory_parts
from reportgen.formula import Symbol, equals, maximum, total, where
from reportgen.workbook.chart_designs import Named, memory_bars
from reportgen.workbook.model import Model
from reportgen.workbook.parts import Chart
from reportgen.workbook.sheets.live_text import figure, joined, sentence
from reportgen.workbook.sheets.readers import heading

PARTS = {  # quantity -> part of the bar; logits stand with the temporary buffers
    "weights_per_gpu_gib": "weights",
    "gradients_per_gpu_gib": "gradients",
    "optimizer_per_gpu_gib": "optimizer",
    "activations_per_gpu_gib": "activations",
    "logits_per_gpu_gib": "temporary",
    "temporary_per_gpu_gib": "temporary",
    "overhead_per_gpu_gib": "overhead",
    "key_value_cache_per_gpu_gib": "cache",
    "activation_reserve_gib": "activations",
    "runtime_reserve_gib": "overhead",
}
FIRST_COLUMN = 5
LABELS = "memory_labels"


def write_memory_table(model: Model, row: int) -> int:
    """A row an accelerator; the names memory_labels and memory_<part> are given to its columns."""
    sheet, words = model.book["options"], model.words
    heading(sheet, row, words.label("options_memory"))
    parts = _parts(model)
    titles = [
        words.label("options_order_label"),
        *(words.label(f"memory_{part}") for part in (*parts, "free", "kept_free")),
    ]
    last = row + 1 + len(model.result.layouts)
    sheet.table("MemoryOfOneGpu", row + 1, "D", titles, last)
    for index in range(len(model.result.layouts)):
        at = row + 2 + index
        sheet.put(at, "D", _label(model, index), "formula_text")
        column = FIRST_COLUMN
        for names in parts.values():
            cells = [model.trial(name, index) for name in names]
            content = cells[0] if len(cells) == 1 else total(*cells)
            sheet.put(at, column, content, "link" if len(cells) == 1 else "formula", "#,##0.0")
            column += 1
        needed, usable, whole = (model.trial(f"memory_{name}_gib", index) for name in ("per_gpu", "usable", "capacity"))
        sheet.put(at, column, maximum(0, usable - needed), "formula", "#,##0.0")
        sheet.put(at, column + 1, maximum(0, whole - maximum(usable, needed)), "formula", "#,##0.0")
    model.book.name(LABELS, sheet.range(row + 2, "D", last, "D"))
    for column, part in enumerate((*parts, "free", "kept_free"), start=FIRST_COLUMN):
        model.book.name(f"memory_of_{part}", sheet.range(row + 2, column, last, column))
    return last


def _parts(model: Model) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name in memory_parts(model.features):
        if model.has(name):
            found.setdefault(PARTS[name], []).append(name)
    return found


def _label(model: Model, index: int) -> Any:
    count = sentence(model.words, "options_gpus", count=figure(model.trial("gpus", index)))
    mark = "✔ " if index == 0 else ""
    fits = equals(model.trial("memory_fits" if model.has("memory_fits") else "fits", index), 1)
    unfit = where(fits, "", model.words.label("options_does_not_fit"))
    return joined([mark, model.trial("accelerator_name", index), ", ", count, unfit])


def memory_chart(model: Model, width: float, height: float) -> Chart:
    """The stacked bars over the table."""
    book = model.book
    sheet = book["options"]

    def named(part: str) -> Named:
        area = book.names[f"memory_of_{part}"]
        return Symbol(area), sheet.ref(area.row - 1, area.column)

    parts = {part: named(part) for part in (*_parts(model), "free", "kept_free")}
    title = model.words.label("options_memory")
    return memory_bars(title, Symbol(book.names[LABELS]), parts, width=width, height=height)
