"""Where the marks and words of a chart stand, in points: axes, columns, and words that must not meet.

One function a chart, each (chart, width, size) -> a dict of positions; `size` holds the type sizes `small` and `micro`.
The macros of `charts.svg.j2` draw what these say and choose colours and strokes.
"""

from __future__ import annotations

from math import ceil, floor, isfinite, log10
from typing import Any

from reportgen.memo.chart_labels import label_lines, placed_rows
from reportgen.memo.chart_schema import (
    BarChart,
    LatencyChart,
    LoadChart,
    MemoryChart,
    RangeChart,
    RangeRow,
    TimelineChart,
    TornadoChart,
)
from reportgen.memo.faces import FULL_WIDTH, cut_to_width, text_width, wrapped

FAR = 2.2  # a bar that ends beyond this multiple of what matters is cut off, with its figure beside it
SHORT_NAME = 4  # Chinese characters that stay on one line


def number_text(value: float, decimals: int = 0) -> str:
    """1234.5 -> 1,234.5, with a true minus sign."""
    return f"{value:,.{decimals}f}".replace("-", "−")


def ticks(low: float, high: float, about: int = 6) -> dict[str, Any]:
    """A round axis around low..high: `low`, `high` and `marks` [{value, text}] in equal steps of 1, 2 or 5."""
    if not (isfinite(low) and isfinite(high)):
        low, high = 0.0, 1.0
    if high <= low:
        low, high = min(low, high, 0.0), max(low, high, 0.0)
        high = high if high > low else 1.0
    raw = (high - low) / max(about, 1)
    scale = 10 ** floor(log10(raw))
    step = next(factor * scale for factor in (1, 2, 5, 10) if factor * scale >= raw * (1 - 1e-9))
    first, last = floor(low / step + 1e-9), ceil(high / step - 1e-9)
    decimals = max(0, -floor(log10(step) + 1e-9))
    marks = [{"value": index * step, "text": number_text(index * step, decimals)} for index in range(first, last + 1)]
    return {"low": first * step, "high": last * step, "marks": marks}


def label_column(charts: tuple, width: float, size: dict, least: float = 74) -> float:
    """Width of the label column that several charts above each other share."""
    labels = [row.label for chart in charts if chart is not None for row in getattr(chart, "rows", ())]
    widest = max((text_width(label, size["small"], True) for label in labels), default=0.0)
    return min(max(least, widest + 9), width * 0.34)


def memory_chart(chart: MemoryChart, width: float, size: dict, left: float = 74) -> dict[str, Any]:
    """Stacked bars: the scale, words above the parts of the first row, figures inside, limit and capacity."""
    small, micro = size["small"], size["micro"]
    totals = [sum(part.value for part in row.segments) for row in chart.rows]
    right = max((text_width(row.total, small, True) for row in chart.rows), default=30.0) + 12
    most = max([chart.capacity, *totals]) or 1.0
    cap_room = text_width(chart.capacity_text, micro, True)
    room = width - left - right
    k = min(room / most, (width - left - cap_room - 2) / chart.capacity if chart.capacity else room / most)
    names = _part_names(chart, left, k, width, micro)
    bar, gap = 13.0, 4.5
    top = max([14.0, *(name["height"] + 8.5 for name in names)])
    rows = []
    for index, row in enumerate(chart.rows):
        x, y, parts = left, top + index * (bar + gap), []
        for segment in row.segments:
            length = max(segment.value, 0.0) * k
            shown = segment.text if text_width(segment.text, micro) + 2.5 <= length else ""
            parts.append({"x": x, "width": length, "text": shown})
            x += length
        bound = left + (chart.limit or chart.capacity) * k
        free = row.free if x + 8 + text_width(row.free, micro) <= bound else ""
        label = cut_to_width(row.label, left - 6, small, row.chosen)
        rows.append({"y": y, "parts": parts, "label": label, "end": x, "free": free, "row": row})
    foot = top + len(rows) * (bar + gap) - gap + 3
    capacity = left + chart.capacity * k
    limit = left + chart.limit * k if chart.limit else None
    limit_end = True
    if limit is not None:
        limit_end = limit - 3 - text_width(chart.limit_text, micro) > left + 8
    beside = capacity + cap_room + 6
    if limit is not None and not limit_end and beside + text_width(chart.limit_text, micro) > width:
        beside = left + 8
    return {
        "left": left, "top": top, "bar": bar, "rows": rows, "names": names, "foot": foot, "height": foot + 11,
        "capacity": capacity, "limit": limit, "limit_end": limit_end, "limit_beside": beside,
    }  # fmt: skip


def _part_names(chart: MemoryChart, left: float, k: float, width: float, micro: float) -> list[dict[str, Any]]:
    """Names over the parts of the first row: inside the part's own width, else on a leader above the others."""
    if not chart.rows:
        return []
    spans, x = [], left
    for name, segment in zip(chart.parts, chart.rows[0].segments, strict=False):
        length = max(segment.value, 0.0) * k
        if segment.value > 0:
            spans.append((name, x, length))
        x += length
    names, taken = [], []
    for name, start, length in spans:
        lines = wrapped(name, max(length - 2, 1), micro, 2)
        whole = all(text_width(word, micro) <= length - 2 or _may_break(word) for word in name.split())
        if length > 14 and whole and not any(line.endswith("…") for line in lines):
            wide = max(text_width(line, micro) for line in lines)
            middle = start + length / 2
            taken.append((middle - wide / 2, middle + wide / 2, 0.0, 7.6 * len(lines)))
            names.append({"x": middle, "lines": lines, "leader": False, "height": 7.6 * len(lines)})
    placed = {id(item["lines"]): item for item in names}
    centred = {item["x"] for item in placed.values()}
    for name, start, length in reversed(spans):
        middle = start + length / 2
        if middle in centred:
            continue
        wide = text_width(name, micro)
        back = middle + 7 + wide > width
        ends = (middle - 7 - wide, middle - 6) if back else (middle + 6, middle + 7 + wide)
        level = 4.0
        while any(ends[0] < b and a < ends[1] and level - 4 < high and low < level + 5 for a, b, low, high in taken):
            level += 1.0
        taken += [(*ends, level - 4, level + 5), (middle - 1.5, middle + 1.5, 0.0, level)]
        names.append({"x": middle, "lines": (name,), "leader": True, "raise": level, "back": back, "height": level + 6})
    return names


def _may_break(word: str) -> bool:
    """Whether a line may end inside the word: Chinese has no spaces, but short names stay whole."""
    return ord(word[0]) in FULL_WIDTH and len(word) > SHORT_NAME


def range_chart(chart: RangeChart, width: float, size: dict, left: float = 74) -> dict[str, Any]:
    """Bars from P10 to P90: figures inside where they fit, else beside; bars far beyond the limit are cut off."""
    small, micro = size["small"], size["micro"]
    matters = [row.high for row in chart.rows if row.chosen] + ([chart.limit] if chart.limit else [])
    matters = matters or [min((row.high for row in chart.rows), default=1.0)]
    most = min(max([row.high for row in chart.rows] + matters), max(matters) * FAR)
    axis = ticks(0.0, most, 8)
    notes = min(max((text_width(row.note, small, row.chosen) for row in chart.rows), default=0.0), width * 0.32)
    outside = max((text_width(row.high_text, micro, True) for row in chart.rows), default=0.0) + 6
    end = width - notes - 10 - outside
    k = (end - left) / axis["high"]
    limit = left + chart.limit * k if chart.limit else None
    bar, gap, top = 10.0, 3.5, 10.0
    rows = []
    for index, row in enumerate(chart.rows):
        low, middle, high = (left + min(value, axis["high"]) * k for value in (row.low, row.middle, row.high))
        cut = row.high > axis["high"]
        label = cut_to_width(row.label, left - 6, small, row.chosen)
        rows.append(
            {"y": top + index * (bar + gap), "low": low, "middle": middle, "high": max(high, low + 0.8), "cut": cut,
             "middle_shown": row.middle <= axis["high"], "label": label, "row": row,
             "note": cut_to_width(row.note, notes + 0.1, small, row.chosen),
             "texts": _range_texts(row, (low, middle, high), end + outside, micro, cut, limit)}
        )  # fmt: skip
    foot = top + len(rows) * (bar + gap) - gap + 2.5
    taken = [] if limit is None else [(limit, text_width(chart.limit_value_text, micro, True))]
    marks = _thinned(axis["marks"], lambda value: left + value * k, micro, taken, chart.unit)
    return {
        "left": left, "end": left + axis["high"] * k, "top": top, "bar": bar, "rows": rows, "foot": foot,
        "height": foot + 11, "limit": limit, "marks": marks,
    }  # fmt: skip


def _range_texts(
    row: RangeRow, bar: tuple[float, float, float], end: float, micro: float, cut: bool, limit: float | None
) -> list[dict]:
    """The three figures of a range: inside the bar, or in a row at its right, or at its left."""
    low, middle, high = bar
    texts = (row.low_text, row.middle_text, row.high_text)
    wide = [text_width(text, micro, bold) for text, bold in zip(texts, (False, True, True), strict=True)]
    room = high - middle - wide[1] - 6 - (0 if row.late else wide[2] + 5)
    if not cut and middle - low >= wide[0] + 5 and room >= 0:
        last = (high + 3, "start", False) if row.late else (high - 3, "end", True)
        return [
            {"x": low + 3, "anchor": "start", "text": texts[0], "bold": False, "inside": True},
            {"x": middle + 3, "anchor": "start", "text": texts[1], "bold": True, "inside": True},
            {"x": last[0], "anchor": last[1], "text": texts[2], "bold": row.late, "inside": last[2]},
        ]
    total = sum(wide) + 12
    inside = cut and high - low >= total + 8
    crosses = limit is not None and high < limit < high + 4 + total
    before = low - 4 - total
    x = (
        high - total - 5
        if inside
        else before
        if before > 0 and (cut or crosses or high + 4 + total > end)
        else high + 4
    )
    found = []
    for text, length, bold in zip(texts, wide, (False, True, False), strict=True):
        found.append({"x": x, "anchor": "start", "text": text, "bold": bold, "inside": inside})
        x += length + 6
    return found


def _thinned(marks: list[dict], place, micro: float, taken: list[tuple[float, float]], unit: str = "") -> list[dict]:
    """Axis marks with their x; the text of a mark that would meet another is dropped, the mark stays."""
    found = []
    for index, mark in enumerate(marks):
        x = place(mark["value"])
        text = mark["text"] + (f" {unit}" if unit and index == 0 else "")
        half = text_width(text, micro) / 2
        free = all(abs(x - other) > half + wide / 2 + 3 for other, wide in taken)
        if free:
            taken.append((x, half * 2))
        found.append({"x": x, "text": text if free else ""})
    return found


def tornado_chart(chart: TornadoChart, width: float, size: dict) -> dict[str, Any]:
    """Bars from the base value to both ends, spans in a column, the words over base and limit kept apart."""
    small, micro = size["small"], size["micro"]
    labels = max((text_width(row.label, small) for row in chart.rows), default=0.0)
    left = min(labels + 8, width * 0.47)
    right = max((text_width(row.span, small) for row in chart.rows), default=0.0) + 7
    low = min([chart.base, *(row.low for row in chart.rows), *(row.high for row in chart.rows)])
    high = max([chart.base, *(row.low for row in chart.rows), *(row.high for row in chart.rows)])
    near = chart.limit is not None and low - 2 * (high - low) <= chart.limit <= high + 2 * (high - low)
    if near:
        low, high = min(low, chart.limit), max(high, chart.limit)
    axis = ticks(low, high, 5)
    k = (width - left - right) / (axis["high"] - axis["low"])

    def place(value: float) -> float:
        return left + (value - axis["low"]) * k

    bar, gap, top = 9.0, 5.5, 13.0
    places, end = placed_rows([label_lines(row.label, left - 6, small) for row in chart.rows], top, bar, gap, small)
    rows = []
    for at, row in zip(places, chart.rows, strict=True):
        ends = sorted((row.low, row.high))
        rows.append(
            at | {"span": row.span, "low": place(min(ends[0], chart.base)), "high": place(max(ends[1], chart.base))}
        )
    base, limit = place(chart.base), place(chart.limit) if near else None
    heads = _apart(base, chart.base_text, limit, chart.limit_text, width, micro)
    foot = end + 3
    unit = (width - text_width(chart.unit, micro) / 2, text_width(chart.unit, micro))
    return {
        "left": left, "end": width - right, "top": top, "bar": bar, "rows": rows, "foot": foot, "height": foot + 10,
        "base": base, "limit": limit, "heads": heads, "marks": _thinned(axis["marks"], place, micro, [unit]),
    }  # fmt: skip


def _apart(base: float, base_text: str, limit: float | None, limit_text: str, width: float, micro: float) -> list[dict]:
    """The words over two lines, centred unless they would meet or leave the chart."""
    wide = text_width(base_text, micro, True), text_width(limit_text, micro, True)
    if limit is None:
        return [{"x": base, "anchor": "middle", "text": base_text, "limit": False}]
    meet = abs(base - limit) < sum(wide) / 2 + 5
    low_first = base <= limit
    anchors = ("end", "start") if low_first else ("start", "end")
    found = []
    for x, text, length, anchor, is_limit in (
        (base, base_text, wide[0], anchors[0], False),
        (limit, limit_text, wide[1], anchors[1], True),
    ):
        used = anchor if meet else "middle"
        if used == "middle" and x + length / 2 > width:
            used = "end"
        if used == "start" and x + length > width:
            x = width - length
        found.append({"x": x + (-1.5 if used == "end" else 1.5 if used == "start" else 0), "anchor": used, "text": text,
                      "limit": is_limit})  # fmt: skip
    return found


def bar_chart(chart: BarChart, width: float, size: dict) -> dict[str, Any]:
    """Bars from zero with their figure inside if it fits, else behind, then the note."""
    small, micro = size["small"], size["micro"]
    left = min(max((text_width(row.label, small, True) for row in chart.rows), default=0.0) + 7, width * 0.42)
    inside = [row.value is not None for row in chart.rows]
    k, room = 0.0, width - left
    for _ in range(3):
        outside = [
            (0.0 if within else text_width(row.text, small, True) + 5)
            + (text_width(cut_to_width(row.note, room * 0.6, micro), micro) + 6 if row.note else 0.0)
            for row, within in zip(chart.rows, inside, strict=True)
        ]
        scales = [(room - out) / row.value for row, out in zip(chart.rows, outside, strict=True) if row.value]
        k = max(min(scales, default=0.0), 0.0)
        inside = [
            row.value is not None and row.value * k >= text_width(row.text, small, True) + 8 for row in chart.rows
        ]
    bar, gap = 11.0, 5.0
    names = [label_lines(row.label, left - 4, small, row.chosen) for row in chart.rows]
    places, foot = placed_rows(names, 0.0, bar, gap, small)
    rows = []
    for index, (at, row) in enumerate(zip(places, chart.rows, strict=True)):
        end = left + (row.value or 0.0) * k
        text_end = end if inside[index] else end + 4 + text_width(row.text, small, True)
        rows.append(
            at | {"end": end, "inside": inside[index], "note_x": text_end + 5, "row": row,
             "note": cut_to_width(row.note, max(width - text_end - 5, 0), micro)}
        )  # fmt: skip
    return {"left": left, "bar": bar, "rows": rows, "height": max(foot + 1, 1)}


def timeline_chart(chart: TimelineChart, width: float, size: dict) -> dict[str, Any]:
    """Tasks against dates: names and dates in columns of their own, month lines thinned so that their names fit."""
    small, micro = size["small"], size["micro"]
    names = min(max((text_width(row.label, small, row.chosen) for row in chart.rows), default=0.0), width * 0.36)
    dates = max((text_width(row.dates, small, row.chosen) for row in chart.rows), default=0.0)
    left = max(names + 10 + dates + 10, text_width(chart.start_text, micro, True) + 6)
    last = max([row.end for row in chart.rows] or [1.0]) * 1.01 or 1.0
    k = (width - left) / last
    bar, gap, top = 7.0, 4.4, 13.0
    found, free = [], left + 2
    for tick in chart.ticks:
        x = left + tick.day * k
        wide = text_width(tick.name, micro)
        if x >= free and x + 3 + wide <= width + 2 and tick.day >= 0:
            found.append({"x": x, "text": tick.name})
            free = x + wide + 8
    rows = [
        {"y": top + index * (bar + gap), "label": cut_to_width(row.label, names + 1, small, row.chosen), "row": row,
         "start": left + max(row.start, 0.0) * k, "width": max((row.end - max(row.start, 0.0)) * k, 1.2)}
        for index, row in enumerate(chart.rows)
    ]  # fmt: skip
    return {
        "dates": names + 10, "left": left, "bar": bar, "ticks": found, "rows": rows,
        "height": top + len(rows) * (bar + gap) - 2,
    }  # fmt: skip


def load_chart(chart: LoadChart, width: float, height: float, size: dict, left: float = 74) -> dict[str, Any]:
    """Twenty-four steps of load under lines of capacity, whose words are spread so that they do not meet."""
    small, micro = size["small"], size["micro"]
    words = [text_width(text, small if not index else micro, not index)
             for line in chart.lines for index, text in enumerate(line.texts)]  # fmt: skip
    right = max([40.0, *words]) + 8
    top, foot = 4.0, 11.0
    most = max([*chart.base, *chart.high, *(line.value for line in chart.lines)] or [1.0]) or 1.0
    kx, ky, zero = (width - left - right) / 24, (height - top - foot) / (most * 1.05), height - foot
    lines, bottom = [], top - 8.0
    for line in sorted(chart.lines, key=lambda line: -line.value):
        y = zero - line.value * ky
        at = max(y + 2.6, bottom + 8.6)
        bottom = at + 8.2 * (len(line.texts) - 1)
        lines.append({"y": y, "text_y": at, "line": line})
    overflow = max(0.0, bottom - (zero + 2.6))
    lines = [{**line, "text_y": line["text_y"] - overflow} for line in lines]
    peak = max(range(len(chart.base)), key=lambda hour: chart.base[hour], default=0) if chart.base else 0
    high = max(chart.high, default=0.0)
    sides = ("end", "start") if peak >= 6 else ("start", "end")
    before, after = left + (peak - 1) * kx - 3, left + (peak + 2) * kx + 3
    axis = zero - 3.0  # words about a load that is hardly seen stay above the axis
    return {
        "left": left, "end": width - right, "top": top, "zero": zero, "kx": kx, "ky": ky, "lines": lines,
        "peak": {"x": before if peak >= 6 else after, "anchor": sides[0], "y": min(zero - chart.base[peak] * ky + 6, axis)},
        "high": {"x": after, "anchor": "start", "y": min(zero - high * ky + 6, axis)},
    }  # fmt: skip


def latency_chart(chart: LatencyChart, width: float, size: dict) -> dict[str, Any]:
    """Latencies in their parts, each row scaled so that all objectives fall on one line."""
    small, micro = size["small"], size["micro"]
    left = min(max([74.0, *(text_width(row.label, small, True) + 8 for row in chart.rows)]), width * 0.34)
    right = max((text_width(row.objective_text, small, True) for row in chart.rows), default=0.0) + 8
    most = max([1.0, *(max(row.total, row.high) / row.objective for row in chart.rows if row.objective)])
    tail = max((text_width(row.total_text, small, True) for row in chart.rows), default=0.0) + 8
    span = width - left - right - (tail if most > 1 else 0)
    at = left + span / most
    bar, gap, top = 11.0, 18.0, 11.0
    rows = []
    for index, row in enumerate(chart.rows):
        k, x, free, parts = span / most / (row.objective or 1.0), left, left, []
        for part in row.parts:
            length, wide = part.value * k, text_width(part.name, micro)
            start = max(free, x + min(0.0, (length - wide) / 2) if length < wide else x + (length - wide) / 2)
            parts.append({"x": x, "width": length, "name_x": start, "name": part.name,
                          "text": part.text if text_width(part.text, micro) + 3 <= length else ""})  # fmt: skip
            free, x = start + wide + 5, x + length
        y = top + index * (bar + gap)
        low, high = left + row.low * k, left + row.high * k
        band = high + 4 if high + 4 + text_width(row.band_text, micro) <= width else low - 4
        rows.append({"y": y, "parts": parts, "end": x, "low": low, "high": high, "band": y + bar + 4.5, "row": row,
                     "band_x": band, "band_anchor": "start" if band > high else "end"})  # fmt: skip
    foot = top + len(rows) * (bar + gap) - gap + 9
    return {
        "left": left, "objective": at, "text_x": max(at + 5, width - right + 5 if most > 1 else at + 5), "top": top,
        "bar": bar, "rows": rows, "foot": foot, "height": foot + 2,
    }  # fmt: skip
