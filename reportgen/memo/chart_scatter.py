"""Cost against time: where points stand, and where their names can, away from points, lines and each other."""

from __future__ import annotations

from typing import Any

from reportgen.memo.chart_scales import ticks
from reportgen.memo.chart_schema import ScatterChart
from reportgen.memo.faces import cut_to_width, text_width

Box = tuple[float, float, float, float]  # left, top, right, bottom
RING = 5.6  # radius of a lettered point
CROWDED = 16.0  # a name that meets more than this is left out
SIDES = (  # where a name may stand: shift from the point, anchor; the first free one is taken
    (9, 2.6, "start"), (-9, 2.6, "end"), (8, 12.0, "start"), (-8, 12.0, "end"), (8, -13.0, "start"), (-8, -13.0, "end"),
    (0, 15.0, "middle"), (0, -18.0, "middle"), (9, 24.0, "start"), (-9, 24.0, "end"), (9, -26.0, "start"),
    (-9, -26.0, "end"),
)  # fmt: skip


def scatter_chart(chart: ScatterChart, width: float, height: float, size: dict, front_lines: tuple = ()) -> dict:
    """Axes from zero, points, the front, and placed words. Points of families far outside are left out."""
    small, micro = size["small"], size["micro"]
    xs, ys = [point.x for point in chart.named], [point.y for point in chart.named]
    x_axis = _axis([*xs, *(x for x, _ in chart.front), *([chart.limit] if chart.limit else [])], 7)
    y_axis = _axis([*ys, *(y for _, y in chart.front)], 5)
    left = max(text_width(mark["text"], micro) for mark in y_axis["marks"]) + 8
    right, top, foot = 8.0, 16.0, 24.0
    kx, zero = (width - left - right) / (x_axis["high"] - x_axis["low"]), height - foot
    ky = (zero - top) / (y_axis["high"] - y_axis["low"])

    def place(x: float, y: float) -> tuple[float, float]:
        return left + (x - x_axis["low"]) * kx, zero - (y - y_axis["low"]) * ky

    frame = (left, top, width, zero)
    limit = place(chart.limit, 0.0)[0] if chart.limit else None
    marked = [place(point.x, point.y) for point in chart.named]
    taken: list[Box] = [(x - RING - 1, y - RING - 1, x + RING + 1, y + RING + 1) for x, y in marked]
    families = []
    for family in chart.families:
        inside = [
            point
            for point in family.points
            if x_axis["low"] <= point.x <= x_axis["high"] and y_axis["low"] <= point.y <= y_axis["high"]
        ]
        spots = [place(point.x, point.y) for point in inside]
        families.append({"name": family.name, "spots": spots})
        taken += [(x - 2.5, y - 2.5, x + 2.5, y + 2.5) for x, y in spots]
    front = [place(x, y) for x, y in chart.front]
    lines = _dots(front)
    if limit is not None:
        lines += [(limit, y) for y in range(int(top), int(zero), 5)]
    named = []
    for point, (x, y) in zip(chart.named, marked, strict=True):
        name = cut_to_width(point.name, width * 0.34, small, True)
        wide = max(text_width(name, small, True), text_width(point.text, micro))
        spot = _freest([(x, y)], wide, 16.0, taken, lines, frame)
        if spot["cost"] > CROWDED:  # the letter in the ring must do
            name = ""
        else:
            taken.append(spot["box"])
        named.append({"x": x, "y": y, "at": spot, "name": name, "text": point.text if name else "", "point": point})
    for family in families:
        wide = text_width(family["name"], micro)
        spots = sorted(family["spots"], key=lambda spot: spot[1])
        family["at"] = _freest(spots, wide, 7.0, taken, lines, frame) if spots else None
        if family["at"]:
            taken.append(family["at"]["box"])
    return {
        "left": left, "end": width - right, "top": top, "zero": zero, "limit": limit, "front": front,
        "x_marks": [{"x": place(mark["value"], 0.0)[0], "text": mark["text"]} for mark in x_axis["marks"]],
        "y_marks": [{"y": place(0.0, mark["value"])[1], "text": mark["text"]} for mark in y_axis["marks"]],
        "families": families, "named": named, "front_at": _front_words(front, front_lines, taken, lines, frame, micro),
    }  # fmt: skip


def _axis(values: list[float], about: int) -> dict[str, Any]:
    """A round axis from zero, or around the values if they lie close together far from zero."""
    low, high = min(values, default=0.0), max(values, default=1.0) or 1.0
    if low > 0.5 * high and high > low:
        pad = (high - low) * 0.2
        return ticks(low - pad, high + pad, about)
    return ticks(0.0, high * 1.08, about)


def _dots(path: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """Dots along a line, close enough that no word slips between them."""
    found = []
    for (x1, y1), (x2, y2) in zip(path, path[1:], strict=False):
        count = int(max(abs(x2 - x1), abs(y2 - y1)) / 5) + 1
        found += [(x1 + (x2 - x1) * step / count, y1 + (y2 - y1) * step / count) for step in range(count + 1)]
    return found


def _freest(spots: list, wide: float, high: float, taken: list[Box], lines: list, frame: Box) -> dict[str, Any]:
    """The place beside one of the spots that meets least; earlier spots and sides win a tie."""
    best: tuple[float, dict] | None = None
    for rank, (x, y) in enumerate(spots):
        for order, (dx, dy, anchor) in enumerate(SIDES):
            start = x + dx - (wide if anchor == "end" else wide / 2 if anchor == "middle" else 0)
            box = (start, y + dy - 7, start + wide, y + dy - 7 + high)
            cost = _meets(box, taken, lines, frame) + order * 0.4 + rank * 0.3
            if best is None or cost < best[0]:
                best = (cost, {"x": x + dx, "y": y + dy, "anchor": anchor, "box": box, "cost": cost})
    return best[1] if best else {}


def _meets(box: Box, taken: list[Box], lines: list, frame: Box) -> float:
    """How much a box covers: other boxes by area, lines by dots, and what sticks out of the frame dearly."""
    left, top, right, bottom = box
    cost = 0.0
    for a, b, c, d in taken:
        across, along = min(right, c) - max(left, a), min(bottom, d) - max(top, b)
        if across > -1 and along > -1:
            cost += 3.0 + max(across, 0.0) * max(along, 0.0) * 0.3
    cost += sum(4.0 for x, y in lines if left - 2 < x < right + 2 and top - 1 < y < bottom + 1)
    outside = max(0.0, frame[0] - left) + max(0.0, right - frame[2]) + max(0.0, frame[1] - 8 - top)
    return cost + (outside + max(0.0, bottom - frame[3])) * 5.0


def _front_words(front: list, words: tuple, taken: list[Box], lines: list, frame: Box, micro: float) -> dict | None:
    """What the front means, in the empty corner below it: nothing there is both cheaper and faster."""
    if len(front) < 2 or not words:
        return None
    wide, high = max(text_width(line, micro, True) for line in words), 8.5 * len(words)
    best = None
    for column in range(12):
        for row in range(14):
            x, y = frame[0] + 5 + column * 12.0, frame[3] - 5 - row * 10.0
            box = (x, y - high, x + wide, y)
            cost = _meets(box, taken, lines, frame) * 10 + column * 0.2 + abs(y - front[len(front) // 2][1] - 24) * 0.03
            if best is None or cost < best[0]:
                best = (cost, {"x": x, "y": y - high + 7})
    return best[1] if best and best[0] < 30 else None
