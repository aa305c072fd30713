"""Styles, widths of text, heights of rows, headers, charts."""

import pytest

from reportgen.catalog.look import look
from reportgen.workbook import chart_designs
from reportgen.workbook.calculate import settle
from reportgen.workbook.cells import Book
from reportgen.workbook.header_alignment import align_headers
from reportgen.workbook.palette import palette, text_on
from reportgen.workbook.row_heights import lines_needed, set_row_heights, shown, text_width
from reportgen.workbook.styles import cell_styles


def luminance(colour: str) -> float:
    channels = [int(colour[index : index + 2], 16) / 255 for index in (0, 2, 4)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    light, dark = sorted((luminance(one), luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("name", [name for name in cell_styles() if not name.startswith("shadow")])
def test_every_style_can_be_read(name):
    style = cell_styles()[name]
    assert contrast(style.ink, style.fill or "FFFFFF") >= 4.5


@pytest.mark.parametrize("part", list(look().memory))
def test_labels_on_the_memory_bar_can_be_read(part):
    fill = palette().memory[part]
    assert contrast(text_on(fill), fill) >= 3.9


def test_only_typed_cells_are_unlocked():
    assert {name for name, style in cell_styles().items() if not style.locked} == {"input", "input_text"}


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("iiii", 1.5, 2.0), ("WWWW", 4.5, 5.0), ("显存占用", 7.5, 7.7), ("a × b", 3.5, 4.5), ("显存 × 卡", 7.5, 8.5)],
)
def test_width_of_text(text, low, high):
    assert low <= text_width(text) <= high


@pytest.mark.parametrize(
    ("value", "number_format", "text"),
    [
        (1234.5, "#,##0.0", "1,234.5"),
        (0.125, "0.0%", "12.5%"),
        (1, '[=1]"yes";"no"', "yes"),
        (float("nan"), "0.0", "–"),
        (3.0, "", "3"),
        (None, "0", ""),
        (True, "", "TRUE"),
    ],
)
def test_numbers_are_measured_as_they_are_shown(value, number_format, text):
    assert shown(value, number_format) == text


def test_wrapped_text_takes_more_lines_in_a_narrow_column():
    style = cell_styles()["text"]
    words = "Memory that one GPU needs for weights, gradients and optimizer states"
    assert lines_needed(words, style, 100) == 1
    assert lines_needed(words, style, 30) == 3
    assert lines_needed("一张加速卡的权重、梯度与优化器状态所需显存", style, 30) == 2
    assert lines_needed("a\nb", style, 30) == 2


@pytest.mark.parametrize("language", ["en", "zh"])
def test_rows_are_as_high_as_their_text(language):
    book = Book(language)
    sheet = book.add_sheet("a", "A")
    sheet.set_widths([10, 40])
    sheet.put(6, "A", "short")
    sheet.put(7, "A", "a text that needs several lines in its column")
    sheet.put(8, "A", "a text that is not wrapped and runs over", "line")
    sheet.heights[9] = 50.0
    sheet.put(9, "A", "x")
    settle(book)
    set_row_heights(book, sheet)
    line = look().font["row_height"][language]
    assert sheet.heights[6] == sheet.heights[8] == line + 4
    assert sheet.heights[7] > 3 * line
    assert sheet.heights[9] == 50.0


def test_headers_take_the_alignment_of_their_columns():
    book = Book()
    sheet = book.add_sheet("a", "A")
    sheet.table("Table_one", 5, "A", ["Name", "Days", "Id"], 8)
    sheet.put(4, "B", "days", "words")
    for row in (6, 7, 8):
        sheet.put(row, "A", "x")
        sheet.put(row, "B", 1.0, "formula")
        sheet.put(row, "C", row, "number")
    align_headers(sheet)
    assert [sheet.cells[5, column].style for column in (1, 2, 3)] == ["head", "head_right", "head_center"]
    assert sheet.cells[4, 2].style == "words_right"


def test_a_filter_button_has_room_under_its_header():
    book = Book()
    sheet = book.add_sheet("a", "A")
    sheet.table("Long", 5, "A", ["Name"], 5 + 12)
    sheet.table("Short", 5, "C", ["Name"], 5 + 11)
    assert [table.filtered for table in sheet.tables] == [True, False]
    settle(book)
    set_row_heights(book, sheet)
    assert sheet.heights[5] == 2 * look().font["row_height"]["en"] + 4


def test_lines_differ_without_colour():
    drawn = palette().lines
    assert len({(line.dash, line.marker) for line in drawn}) == len(drawn)


def test_a_chart_with_too_many_curves_is_refused():
    sheet = Book().add_sheet("a", "A")
    curve = (sheet.range(1, "A", 3, "A"), sheet.ref(1, "B"))
    with pytest.raises(ValueError, match="at most"):
        chart_designs.line_chart("Days", curve[0], [curve] * 5)
