"""Speed for one user against the rate for all: every listed layout of a service as a point, the chosen one large."""

from __future__ import annotations

from reportgen.workbook.chart_designs import placed, point_chart
from reportgen.workbook.model import BASE, Model
from reportgen.workbook.sheets.catalog import accelerator_name

USER, RATE = "user_tokens_offered", "gpu_tokens_offered"
MOST_GROUPS = 4
HEAD_HEIGHT = 44.0
NAME_COLUMN, USER_COLUMN, RATE_COLUMN = 3, 4, 5


def write_frontier(model: Model, row: int) -> None:
    """The chosen layout in figures, and the chart of all of them below."""
    if USER not in model.layout_grid.rows or USER not in model.calc.rows:
        return
    sheet, say = model.book["layouts"], model.words.label
    for column, quantity in ((USER_COLUMN, USER), (RATE_COLUMN, RATE)):
        sheet.put(row, column, say(f"layout_head_{quantity}"), "head_right")
        sheet.put(row + 1, column, model.calc.ref(quantity, BASE), "link", "#,##0.0")
    sheet.heights[row] = HEAD_HEIGHT
    row += 1
    sheet.put(row, NAME_COLUMN, say("layout_frontier_chosen"), "text")
    blocks = range(min(len(model.result.layouts), MOST_GROUPS))
    groups = [(model.block_range(USER, block), model.block_range(RATE, block), _named(model, row, block)) for block in blocks]
    here = [sheet.range(row, column, row, column) for column in (USER_COLUMN, RATE_COLUMN)]
    chart = point_chart(
        say("layout_frontier_title"), groups, (here[0], here[1], sheet.ref(row, NAME_COLUMN)),
        value_title=say("layout_frontier_rate"), category_title=say("layout_frontier_user"),
    )  # fmt: skip
    sheet.charts.append(placed(chart, row + len(groups) + 2, NAME_COLUMN))


def _named(model: Model, row: int, block: int):
    """A cell with the name of the accelerator of a block, which the legend shows."""
    sheet, start = model.book["layouts"], sum(model.block_sizes[:block])
    at = row + 1 + block
    sheet.put(at, NAME_COLUMN, accelerator_name(model.layout_grid.ref("accelerator", start)), "link_text")
    return sheet.ref(at, NAME_COLUMN)
