"""The first page: headline numbers and sentences say what the result says."""

from __future__ import annotations

import pytest

from reportgen.workbook.row_heights import text_width
from reportgen.workbook.sheets.places import breakable, in_lines
from tests.workbook.sheets.reader_books import SCENARIOS, changed, shipped, shipped_result, texts


def headline(model) -> dict[str, tuple]:
    """Label of each headline number -> base, favourable, adverse."""
    sheet = model.book["readme"]
    table = next(item for item in sheet.tables if item.name == "Headline")
    rows = range(table.row + 1, table.last_row + 1)
    return {sheet.cells[row, 1].value: tuple(sheet.cells[row, column].value for column in (2, 4, 5)) for row in rows}


@pytest.mark.parametrize("name", SCENARIOS)
def test_headline_numbers_are_those_of_the_result(name):
    model, result = shipped(name), shipped_result(name)
    found = headline(model)
    assert 8 <= len(found) <= 11
    bought = () if "rent" in result.features else ("nodes_bought",)
    for key in ("gpus", *bought, "training_days", "batch_hours", "replicas", "memory_per_gpu_gib", "total_cost"):
        if key in result.quantities:
            item = result.quantities[key]
            wanted = (item.value, item.favourable, item.adverse)
            assert found[model.label(key)] == pytest.approx(wanted, rel=1e-12, nan_ok=True), key


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_request_names_the_count_and_the_accelerator(name, language):
    model, result = shipped(name, language), shipped_result(name)
    lead = next(cell.value for cell in model.book["readme"].cells.values() if cell.style == "lead")
    assert f"{result.value('gpus_bought'):,.0f}" in lead
    assert result.value("accelerator_name") in lead


@pytest.mark.parametrize(("servers_priced", "said"), [(False, "servers to be quoted, others"), (True, "at least")])
def test_while_lines_have_no_price_the_request_says_so(servers_priced, said):
    model = shipped("pretrain-gpt3-175b" if servers_priced else "finetune-70b")
    result = model.result
    assert result.value("unpriced_lines") > 0 and result.value("main_line_priced") == servers_priced
    lead = next(cell.value for cell in model.book["readme"].cells.values() if cell.style == "lead")
    assert said in lead


def test_sums_with_open_lines_are_called_lower_bounds():
    model = shipped("finetune-70b")
    sheet, labels = model.book["readme"], [model.label(key) for key in ("purchase_cost", "total_cost")]
    units = {sheet.cells[row, 1].value: sheet.cells[row, 3].value for row in range(9, 24) if (row, 3) in sheet.cells}
    assert model.result.value("unpriced_lines") > 0
    assert [units[label] for label in labels] == ["CNY, at least"] * 2
    assert units[model.label("memory_per_gpu_gib")] == "GiB"


def test_a_failing_check_stands_before_the_request():
    model = changed("finetune-70b", "site.power=1 kW")
    lead = next(cell.value for cell in model.book["readme"].cells.values() if cell.style == "lead")
    assert lead.startswith("Does not stand: ")


@pytest.mark.parametrize("name", SCENARIOS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_lines_fit_the_page(name, language):
    """Lines do not wrap and must not run over the last column."""
    model = shipped(name, language)
    for cell in model.book["readme"].cells.values():
        if cell.style in ("say", "lead", "subtitle", "title") and isinstance(cell.value, str):
            scale = {"lead": 1.2 * 1.08, "title": 1.6 * 1.08, "subtitle": 1.0}.get(cell.style, 1.05)
            assert text_width(cell.value) * scale <= 123 * 1.08, cell.value


def test_every_sheet_is_in_the_contents():
    model = shipped("finetune-70b")
    shown = texts(model.book, "readme", "A")
    for sheet in model.book.sheets.values():
        assert sheet.key == "readme" or sheet.title in shown


def test_long_texts_stand_in_lines():
    lines = in_lines("word " * 60, 40)
    assert len(lines) > 5 and " ".join(lines).split() == ["word"] * 60
    assert "".join(in_lines("汉" * 100, 40)) == "汉" * 100
    assert in_lines("x" * 100, 40)[0] == "x" * 40
    assert in_lines("", 40) == [""]
    address = "https://example.org/a/very/long/path/that/goes/on/and/on/and/on/page.html"
    assert breakable(address, 40).replace("\n", "") == address
