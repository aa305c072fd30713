"""Colours of the workbook by their part in it, taken from the look that memo, page and workbook share."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from reportgen.catalog.look import look

DARK = 0.42  # luminance under which a fill takes white text


@dataclass(frozen=True)
class State:
    """A verdict's fill and ink."""

    fill: str
    ink: str


@dataclass(frozen=True)
class Line:
    """How a curve is drawn: colour, dash and marker all differ, so that it survives a grey printer."""

    colour: str
    dash: str
    marker: str


@dataclass(frozen=True)
class Palette:
    """Colours as RRGGBB."""

    ink: str
    soft: str
    accent: str
    rule: str
    grid: str
    header_fill: str
    answer_fill: str  # of the base column
    chosen_fill: str  # of the chosen row
    faded: str  # repeated group names, options not chosen
    shadow: str  # values that repeat others, such as the one as issued
    input_ink: str
    input_fill: str
    input_box: str
    link_ink: str
    limit: str
    good: str
    bad: str
    states: Mapping[str, State]
    memory: Mapping[str, str]
    lines: tuple[Line, ...]
    tabs: Mapping[str, str]


@cache
def palette() -> Palette:
    """The colours of the shipped look."""
    tokens, memory = look().colour, look().memory
    middle = memory["overhead"]
    return Palette(
        ink=tokens["ink"],
        soft=tokens["soft"],
        accent=tokens["blue"],
        rule=tokens["rule"],
        grid=tokens["grid"],
        header_fill=tokens["header"],
        answer_fill=tokens["tint"],
        chosen_fill=tokens["chosen"],
        faded=tokens["grey"],
        shadow=middle,
        input_ink=tokens["input_ink"],
        input_fill=tokens["input_fill"],
        input_box=tokens["input_box"],
        link_ink=tokens["link_ink"],
        limit=tokens["rust"],
        good=tokens["good"],
        bad=tokens["bad"],
        states={
            state: State(tokens[f"{state}_fill"], tokens[f"{state}_ink"]) for state in ("ok", "look", "fail", "changed")
        },
        memory=memory,
        lines=(
            Line(tokens["blue"], "solid", "circle"),
            Line(memory["activations"], "dash", "square"),
            Line(middle, "sysDot", "triangle"),
            Line(tokens["ink"], "lgDash", "diamond"),
        ),
        tabs={
            "read": tokens["blue"],
            "type": tokens["input_box"],
            "work": middle,
            "proof": tokens["link_ink"],
            "reference": tokens["grey"],
        },
    )


def text_on(fill: str) -> str:
    """The ink that reads on a fill: white on dark ones."""
    red, green, blue = (int(fill[index : index + 2], 16) / 255 for index in (0, 2, 4))
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "FFFFFF" if luminance < DARK else palette().ink


@cache
def font(language: str) -> str:
    """The typeface of a language."""
    return str(look().font["workbook"][language])


@cache
def line_height(language: str) -> float:
    """Points that one line of body text takes."""
    return float(look().font["row_height"][language])
