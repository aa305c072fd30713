"""Building the workbook, against plain openpyxl writing the same cells with named styles and no cached values."""

from __future__ import annotations

import io
from collections.abc import Iterator

from openpyxl import Workbook
from openpyxl.styles import Font, NamedStyle

from benchmarks.measure import Ratio, alternate
from reportgen.evaluation.evaluate import evaluate
from reportgen.scenario import load_scenario
from reportgen.workbook.book import build_workbook, plan_workbook
from reportgen.workbook.calculate import settle

SCENARIO = "scenarios/finetune-70b.yaml"


def ratios() -> Iterator[Ratio]:
    """CPU seconds of a whole book; the result is evaluated beforehand."""
    result = evaluate(load_scenario(SCENARIO))
    book = settle(plan_workbook(result))
    sheets = [
        (
            sheet.title,
            [(row, column, cell.formula or cell.value, cell.style) for (row, column), cell in sheet.cells.items()],
        )
        for sheet in book.sheets.values()
    ]
    count = sum(
        1 for _, cells in sheets for _, _, content, _ in cells if isinstance(content, str) and content.startswith("=")
    )
    print(f"# {count:,} formula cells")
    ours, other = alternate(lambda: build_workbook(result), lambda: plain(sheets), runs=5)
    yield Ratio("workbook of finetune-70b", ours, other, "plain openpyxl, same cells, named styles", "at most 1.5")


def plain(sheets: list) -> bytes:
    """The same cells, one named style each."""
    workbook = Workbook()
    workbook.remove(workbook.active)
    for name in sorted({style for _, cells in sheets for *_, style in cells}):
        workbook.add_named_style(NamedStyle(name=name, font=Font(name="Calibri", size=10)))
    for title, cells in sheets:
        worksheet = workbook.create_sheet(title)
        for row, column, content, style in cells:
            cell = worksheet.cell(row, column, content)
            cell.style = style
    target = io.BytesIO()
    workbook.save(target)
    return target.getvalue()
