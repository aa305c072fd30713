"""The charts of the book as plans over ranges of cells: what each looks like, once."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from reportgen.workbook.palette import PALETTE
from reportgen.workbook.parts import Chart, Series
from reportgen.workbook.references import column_number

LIGHT_PARTS = (2, 4, 6, 7)  # parts of the memory stack that need dark labels
MIN_LABELLED = 6  # GiB: a narrower part of the stack has no room for its value

Named = tuple[Any, Any]  # range of values, cell that names them


def memory_bars(
    title: str, categories: Any, parts: Sequence[Named], *, width: float = 19.6, height: float = 10.8
) -> Chart:
    """Memory of one GPU: eight stacked parts whose whole bar is the card, so that no capacity line can go wrong."""
    series = [
        Series(
            values,
            name,
            PALETTE.stack[index],
            PALETTE.ink if index in LIGHT_PARTS else "FFFFFF",
            outlined=PALETTE.stack[index] == "FFFFFF",
        )
        for index, (values, name) in enumerate(parts)
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
        Series(*chosen, PALETTE.chart_chosen, PALETTE.ink),
        Series(*others, PALETTE.chart_other, PALETTE.ink),
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
        Series(*adverse, PALETTE.chart_bad, PALETTE.ink),
        Series(*favourable, PALETTE.chart_good, PALETTE.ink),
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
        Series(*curve, ink, dash=dash, marker=marker)
        for curve, (ink, dash, marker) in zip(curves, PALETTE.lines, strict=False)
    ]
    if len(drawn) < len(curves):
        raise ValueError(f"a line chart has at most {len(PALETTE.lines)} curves")
    if limit:
        drawn.append(Series(*limit, PALETTE.fail[1], dash="lgDashDot"))
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


def placed(chart: Chart, row: int, column: int | str) -> Chart:
    """The chart with its upper left corner at a cell."""
    return replace(chart, row=row, column=column_number(column))
