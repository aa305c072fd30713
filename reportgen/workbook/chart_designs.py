"""The charts of the book as plans over ranges of cells: what each looks like, once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from reportgen.workbook.palette import palette, text_on
from reportgen.workbook.parts import Chart, Series
from reportgen.workbook.references import column_number

MIN_LABELLED = 6  # GiB: a narrower part of the stack has no room for its value

Named = tuple[Any, Any]  # range of values, cell that names them


def memory_bars(
    title: str, categories: Any, parts: Mapping[str, Named], *, width: float = 19.6, height: float = 10.8
) -> Chart:
    """Memory of one GPU: stacked parts whose whole bar is the card, so that no capacity line can go wrong.

    parts: part of the memory (weights, gradients, ..., free, kept_free) -> its range and the cell that names it.
    """
    colours = palette().memory
    series = [
        Series(values, name, colours[part], text_on(colours[part]), outlined=part == "free")
        for part, (values, name) in parts.items()
    ]
    label = f'[>={MIN_LABELLED}]0;""'
    return Chart("stacked bars", title, categories, tuple(series), width, height, value_format="0", label_format=label)


def chosen_bars(
    title: str,
    categories: Any,
    chosen: Named,
    others: Named,
    *,
    axis: str = "#,##0",
    label: str = "#,##0;;",
    width: float = 19,
    height: float = 10,
) -> Chart:
    """Bars of the options, the chosen one highlighted: it is a second series, so that it follows the data."""
    series = (
        Series(*chosen, palette().accent, palette().ink),
        Series(*others, palette().faded, palette().ink),
    )
    return Chart("bars", title, categories, series, width, height, value_format=axis, label_format=label)


def tornado(
    title: str,
    categories: Any,
    adverse: Named,
    favourable: Named,
    *,
    axis: str = "+0.0;-0.0;0.0",
    label: str = "+0.0;-0.0;",
    width: float = 17.8,
    height: float = 10.4,
) -> Chart:
    """Change of a result by input: adverse ends against favourable ones, from zero."""
    series = (
        Series(*adverse, palette().bad, palette().ink),
        Series(*favourable, palette().good, palette().ink),
    )
    return Chart("bars", title, categories, series, width, height, value_format=axis, label_format=label)


def line_chart(
    title: str,
    categories: Any,
    curves: Sequence[Named],
    limit: Named | None = None,
    *,
    value_title: str = "",
    category_title: str = "",
    axis: str = "#,##0",
    maximum: float | None = None,
    width: float = 21,
    height: float = 10,
) -> Chart:
    """Curves over a row of categories (days against GPUs, latency against load), with a limit as a thin line."""
    drawn = [
        Series(*curve, line.colour, dash=line.dash, marker=line.marker)
        for curve, line in zip(curves, palette().lines, strict=False)
    ]
    if len(drawn) < len(curves):
        raise ValueError(f"a line chart has at most {len(palette().lines)} curves")
    if limit:
        drawn.append(Series(*limit, palette().limit, dash="lgDashDot"))
    return Chart(
        "lines",
        title,
        categories,
        tuple(drawn),
        width,
        height,
        value_title,
        category_title,
        axis,
        minimum=0,
        maximum=maximum,
    )


def point_chart(
    title: str,
    groups: Sequence[tuple[Any, Any, Any]],
    chosen: tuple[Any, Any, Any],
    *,
    value_title: str,
    category_title: str,
    width: float = 21,
    height: float = 10,
) -> Chart:
    """Points of several groups in a plane, the chosen one large: each is (range along, range of values, cell that names them)."""
    drawn = [
        Series(values, name, line.colour, marker=line.marker, along=along)
        for (along, values, name), line in zip(groups, palette().lines, strict=False)
    ]
    along, values, name = chosen
    drawn.append(Series(values, name, palette().ink, marker="diamond", along=along, outlined=True))
    return Chart("points", title, None, tuple(drawn), width, height, value_title, category_title, minimum=0)


def placed(chart: Chart, row: int, column: int | str) -> Chart:
    """The chart with its upper left corner at a cell."""
    return replace(chart, row=row, column=column_number(column))
