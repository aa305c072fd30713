"""Positions of charts: axes are round, bars are true to scale, words do not meet."""

import re
from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from reportgen.catalog.look import look
from reportgen.memo import chart_scales, chart_schema
from reportgen.memo.chart_scales import ticks
from reportgen.memo.chart_scatter import scatter_chart
from reportgen.memo.faces import text_width
from reportgen.memo.render import render_html
from tests.memo.comparison_demo import comparison, crowded_comparison
from tests.memo.serving_demo import serving_memo
from tests.memo.training_demo import memory_row, range_row, training_memo

SIZE = look().size


@pytest.mark.parametrize(
    ("low", "high", "about", "texts"),
    [
        (0, 15.3, 8, ["0", "2", "4", "6", "8", "10", "12", "14", "16"]),
        (7.4, 14, 5, ["6", "8", "10", "12", "14"]),
        (0, 0.37, 4, ["0.0", "0.1", "0.2", "0.3", "0.4"]),
        (0, 5200, 6, ["0", "1,000", "2,000", "3,000", "4,000", "5,000", "6,000"]),
        (-3, 3, 3, ["−4", "−2", "0", "2", "4"]),
    ],
)
def test_ticks(low, high, about, texts):
    axis = ticks(low, high, about)
    assert [mark["text"] for mark in axis["marks"]] == texts
    assert axis["low"] <= low and high <= axis["high"]


@pytest.mark.parametrize(("low", "high"), [(0, 0), (5, 5), (float("nan"), 1), (0, float("inf")), (3, 1), (-2, -2)])
def test_ticks_of_odd_ranges(low, high):
    axis = ticks(low, high)
    assert axis["high"] > axis["low"] and axis["marks"]


def test_memory_bars_are_true_to_scale():
    chart = training_memo("en").size.figures[0].chart
    placed = chart_scales.memory_chart(chart, 394, SIZE)
    scale = (placed["capacity"] - placed["left"]) / chart.capacity
    for row in placed["rows"]:
        assert [part["width"] for part in row["parts"]] == pytest.approx([s.value * scale for s in row["row"].segments])
        assert row["end"] < 394


@pytest.mark.parametrize(
    "values", [(19.9, 26.0, 8.4, 5.5, 4.0), (70.0, 0.3, 0.2, 0.1, 0.1), (1.0, 70.0, 1.0, 1.0, 1.0)]
)
def test_names_over_the_memory_bar_do_not_meet(values):
    parts = ("Optimizer, gradients, weights", "Activations", "logits", "gathered weights", "CUDA and NCCL")
    chart = chart_schema.MemoryChart(
        parts=parts, rows=(memory_row("8 nodes", values),), capacity=80, capacity_text="80 GiB", alt="x"
    )
    boxes = []
    for name in chart_scales.memory_chart(chart, 394, SIZE)["names"]:
        wide = max(text_width(line, SIZE["micro"]) for line in name["lines"])
        if name["leader"]:
            start = name["x"] - 6 - wide if name["back"] else name["x"] + 6
            boxes.append((start, start + wide, name["raise"] + 1, name["raise"] + 7))
        else:
            boxes.append((name["x"] - wide / 2, name["x"] + wide / 2, 0, 7.6 * len(name["lines"]) - 2))
    for index, (a, b, low, high) in enumerate(boxes):
        assert a >= 0 and b <= 394
        for c, d, bottom, top in boxes[index + 1 :]:
            assert b <= c or d <= a or high <= bottom or top <= low


@pytest.mark.parametrize(
    "rows",
    [
        ((700.0, 900.0, 1200.0), (12.1, 12.6, 13.0), (0.1, 0.1, 0.2)),
        ((8.4, 11.3, 15.3), (7.3, 9.9, 13.3), (6.5, 8.8, 11.9)),
        ((0.0, 0.0, 0.0), (1e-6, 2e-6, 3e-6), (13.9, 14.0, 14.1)),
    ],
)
def test_range_figures_stay_inside_and_do_not_meet(rows):
    chart = chart_schema.RangeChart(
        rows=tuple(range_row("nodes", *row, "note", chosen=index == 1) for index, row in enumerate(rows)),
        unit="days", limit=14, limit_text="deadline", limit_value_text="14", alt="x",
    )  # fmt: skip
    for row in chart_scales.range_chart(chart, 394, SIZE)["rows"]:
        spans = []
        for text in row["texts"]:
            wide = text_width(text["text"], SIZE["micro"], text["bold"])
            start = text["x"] - wide if text["anchor"] == "end" else text["x"]
            spans.append((start, start + wide))
        assert all(before[1] <= after[0] for before, after in pairwise(spans))
        assert spans[0][0] >= 0 and spans[-1][1] <= 394 - text_width(row["note"], SIZE["small"])


def test_tornado_words_over_base_and_limit_do_not_meet():
    chart = training_memo("en").confidence.figure.chart
    for limit in (9.9, 10.0, 10.4, 11.0, 14.0):
        heads = chart_scales.tornado_chart(replace(chart, limit=limit), 232, SIZE)["heads"]
        spans = []
        for head in heads:
            wide = text_width(head["text"], SIZE["micro"], True)
            start = head["x"] - {"start": 0, "middle": wide / 2, "end": wide}[head["anchor"]]
            spans.append((start, start + wide))
        spans.sort()
        assert spans[0][1] <= spans[1][0] + 0.5


@pytest.mark.parametrize(
    "name",
    ["Time added by an expert layer to a decoding step, 23.5 to 42.7 µs", "解码每步的专家层附加时间与调度开销之和，23.5 至 42.7 µs"],
)
def test_long_names_of_bars_are_whole_and_do_not_meet(name):
    tornado = training_memo("en").confidence.figure.chart
    bars = serving_memo("en").cost.figure.chart
    for chart, place in ((tornado, chart_scales.tornado_chart), (bars, chart_scales.bar_chart)):
        rows = tuple(replace(row, label=name) for row in chart.rows)
        placed = place(replace(chart, rows=rows), 232, SIZE)
        said = ["".join(line["text"] for line in row["lines"]).replace(" ", "") for row in placed["rows"]]
        assert said == [name.replace(" ", "")] * len(rows)
        lines = [line for row in placed["rows"] for line in row["lines"]]
        assert all(text_width(line["text"], SIZE["small"]) < placed["left"] for line in lines)
        heights = [line["y"] for line in lines]
        assert all(above + SIZE["small"] <= below for above, below in pairwise(heights))
        assert heights[-1] < placed["height"]


def test_a_limit_far_away_leaves_the_tornado():
    chart = replace(training_memo("en").confidence.figure.chart, limit=400.0)
    assert chart_scales.tornado_chart(chart, 232, SIZE)["limit"] is None


def test_bars_start_at_zero_and_notes_stay_inside():
    chart = serving_memo("en").cost.figure.chart
    placed = chart_scales.bar_chart(chart, 190, SIZE)
    lengths = [row["end"] - placed["left"] for row in placed["rows"]]
    assert lengths[0] / lengths[2] == pytest.approx(27.5 / 5.7)
    for row in placed["rows"]:
        assert row["note_x"] + text_width(row["note"], SIZE["micro"]) <= 190.5


def test_words_of_load_lines_keep_apart():
    chart = serving_memo("en").size.figures[2].chart
    close = replace(chart, lines=tuple(replace(line, value=30 + index * 0.2) for index, line in enumerate(chart.lines)))
    placed = chart_scales.load_chart(close, 394, 82, SIZE)
    ends = [(item["text_y"], item["text_y"] + 8.2 * (len(item["line"].texts) - 1)) for item in placed["lines"]]
    assert all(after[0] - before[1] >= 8 for before, after in pairwise(ends))


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("make", [comparison, crowded_comparison])
def test_scatter_names_do_not_meet(make, language):
    placed = scatter_chart(make(language).figure.chart, 306, 206, SIZE, ("one", "two"))
    boxes = [item["at"]["box"] for item in placed["named"] if item["name"]]
    for index, (a, top, b, bottom) in enumerate(boxes):
        for c, high, d, low in boxes[index + 1 :]:
            assert b <= c or d <= a or bottom <= high or low <= top


def test_a_timeline_drops_month_names_that_would_meet():
    chart = training_memo("en").conditions.timeline
    crowded = replace(chart, ticks=tuple(chart_schema.Tick(day=day, name=f"day {day}") for day in range(0, 150, 2)))
    found = chart_scales.timeline_chart(crowded, 394, SIZE)["ticks"]
    assert 2 < len(found) < 20


def test_marks_in_a_row_leave_a_chinese_chart_whole():
    """A mark before another is set half-width in running text, by markup that no attribute and no SVG text may hold."""
    memo = training_memo("zh")
    figure = memo.size.figures[0]
    marked = replace(
        figure, chart=replace(figure.chart, alt="显存（单卡）、上限（80 GiB）。", capacity_text="上限（卡）。")
    )
    page = render_html(replace(memo, size=replace(memo.size, figures=(marked, *memo.size.figures[1:]))), "zh")
    charts = [ElementTree.fromstring(text) for text in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]
    name = "{http://www.w3.org/2000/svg}"
    assert "显存（单卡）、上限（80 GiB）。" in {chart.get("aria-label", "").replace("\u00a0", " ") for chart in charts}
    assert {part.tag.removeprefix(name) for chart in charts for part in chart.iter()} <= {
        "svg", "title", "text", "line", "rect", "path", "circle", "g",
    }  # fmt: skip


def test_words_about_a_tiny_load_stay_above_the_axis():
    chart = next(
        figure.chart for figure in serving_memo("en").size.figures if isinstance(figure.chart, chart_schema.LoadChart)
    )
    tiny = replace(
        chart, base=tuple(value / 1000 for value in chart.base), high=tuple(value / 1000 for value in chart.high)
    )
    placed = chart_scales.load_chart(tiny, 394, 82, SIZE)
    assert max(placed["peak"]["y"], placed["high"]["y"]) <= placed["zero"] - 3
    assert chart_scales.load_chart(chart, 394, 82, SIZE)["high"]["y"] < placed["high"]["y"]
