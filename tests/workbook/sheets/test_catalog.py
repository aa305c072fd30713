"""The catalog sheet: what the drop-downs reach stands there under the names that formulas read."""

from itertools import pairwise

import pytest

from reportgen.workbook.cells import DASH
from reportgen.workbook.page_breaks import PAPER, SIDES, TOP_AND_BOTTOM
from reportgen.workbook.sheets.catalog import FLAGS, LEAVES, PREFIX, choices
from tests.workbook.sheets.books import ALL, built


@pytest.mark.parametrize("name", ALL)
def test_every_column_that_a_formula_reads_is_named(name):
    model = built(name).model
    graphs = (model.graph, model.layout_graph)
    read = {name for graph in graphs for item in graph.order for name in item.parameters if name.startswith(PREFIX)}
    assert read <= set(model.tables)
    assert read <= set(model.book.names)


@pytest.mark.parametrize("name", ["finetune-70b", "finetune-70b-zh"])
def test_cells_hold_the_facts_and_a_dash_where_there_are_none(name):
    model = built(name).model
    for fact in ("id", "memory_gib", "fp8_tflops", "node_price", "rent_per_gpu_hour"):
        area = model.book.names[PREFIX + fact]
        values = model.result.tables[PREFIX + fact].values
        cells = [model.book["catalog"].cells[place] for place in area.positions()]
        assert [cell.content for cell in cells] == [DASH if value != value else value for value in values]


def test_no_cell_of_the_table_is_blank():
    model = built("finetune-70b").model
    for name, area in model.book.names.items():
        if name.startswith(PREFIX):
            assert all(model.book["catalog"].cells[place].content not in (None, "") for place in area.positions())


def test_text_that_no_formula_reads_is_in_the_language_of_the_book():
    model = built("finetune-70b-zh").model
    area = model.book.names[f"{PREFIX}supply_status_cn"]
    assert not any(model.book["catalog"].cells[place].content.isascii() for place in area.positions())


def test_units_stand_over_the_headers():
    model = built("finetune-70b").model
    sheet = model.book["catalog"]
    column = model.book.names[f"{PREFIX}memory_gib"].column
    assert (sheet.cells[4, column].content, sheet.cells[5, column].content) == ("GiB", "Memory")


def test_the_lists_of_the_drop_downs():
    model = built("finetune-70b").model
    offered = {"flags": FLAGS, **choices(model)}
    assert "compute_precision" in offered
    for key, values in offered.items():
        area = model.book.names[f"list_{key}"]
        assert tuple(model.book["catalog"].cells[place].content for place in area.positions()) == values


def test_every_leaf_prints_with_the_names():
    model = built("finetune-70b").model
    page = model.book["catalog"].page
    assert page.title_columns == (1, 2)
    assert len(page.column_breaks) == len(LEAVES) - 1


@pytest.mark.parametrize(("name", "digit"), [("finetune-70b", 5.25), ("finetune-70b-zh", 6.0)])
def test_every_leaf_is_one_page(name, digit):
    """Width and height at the printed scale; a character of width takes 7 pixels, in Chinese fonts 8."""
    sheet = built(name).model.book["catalog"]
    page, identity = sheet.page, sum(sheet.widths[column] for column in (1, 2))
    ends = [2, *page.column_breaks, sheet.size[1]]
    leaves = [sum(sheet.widths[column] for column in range(a + 1, b + 1)) for a, b in pairwise(ends)]
    assert (identity + max(leaves)) * digit * page.scale / 100 <= PAPER[1] - SIDES
    tall = sum(sheet.heights.get(row, 15.0) for row in range(page.first_row, page.last_row + 1))
    assert tall * page.scale / 100 <= PAPER[0] - TOP_AND_BOTTOM
