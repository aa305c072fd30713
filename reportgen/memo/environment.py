"""The Jinja environment of the memo: sandboxed, strict, escaping; texts are polished as they are printed.

Templates live in `templates/`: inside the package when it was installed, at the top of the repository otherwise, or in
a folder of the user's. They may come from strangers, so they are sandboxed and reach no file and no address.
"""

from __future__ import annotations

import re
from contextvars import ContextVar
from dataclasses import fields, is_dataclass, replace
from functools import cache, partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined, TemplateError
from jinja2.sandbox import ImmutableSandboxedEnvironment
from markupsafe import Markup, escape

from reportgen.catalog.look import look
from reportgen.catalog.wording import wording
from reportgen.errors import OutputError, Place
from reportgen.memo import chart_scales, fit, tables
from reportgen.memo.chart_scatter import scatter_chart
from reportgen.memo.faces import cut_to_width, substituted, text_width
from reportgen.memo.mathematics import typeset
from reportgen.memo.polish import clean, plain, polish
from reportgen.memo.table_schema import Cell, Column, Row, Table

BODY_WIDTH, PAGE_WIDTH = 394.0, 493.2  # points: the column beside the hanging heads, and the whole measure
LANGUAGE_TAGS = {"en": "en-GB", "zh": "zh-CN"}
SYSTEM_CHINESE = '"PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", "Source Han Sans SC", sans-serif'
MISSING: ContextVar[set[str] | None] = ContextVar("MISSING", default=None)
"""Characters that no shipped typeface holds, met while a document is printed; None = leave them alone (on screen)."""


def families(language: str, screen: bool) -> dict[str, str]:
    """Families of running text, of titles and figures, and of mathematics."""
    chinese = SYSTEM_CHINESE if screen else '"RG Han"'
    if language == "zh":
        return {name: f'"RG Text ZH", {chinese}' for name in ("text", "display")} | {"math": f'"RG Serif", {chinese}'}
    return {"text": f'"RG Text", {chinese}', "display": f'"RG Serif", {chinese}', "math": f'"RG Serif", {chinese}'}


def find_templates(given: str | Path | None = None) -> Path:
    """The folder of templates: the given one, the package's, or the repository's."""
    package = Path(__file__).resolve().parents[1]
    if given is not None:
        folder = Path(given)
        if not (folder / "memo.html.j2").is_file():
            fix = "name a folder that holds copies of the shipped templates"
            raise OutputError.of("templates", f"no memo.html.j2 in '{folder}'", fix, Place(file=str(folder)))
        return folder
    for folder in (package / "templates", package.parent / "templates"):
        if (folder / "memo.html.j2").is_file():
            return folder
    raise OutputError.of("templates", "the templates are missing from this installation", "install reportgen again")


def language_of(language: str) -> str:
    """`en` or `zh`, from any tag such as zh-CN."""
    return "zh" if language.lower().startswith("zh") else "en"


def style_sheet(folder: Path, language: str, screen: bool) -> str:
    """The style sheet with the tokens of the look filled in."""
    tokens = colours()
    tokens |= {name: f"{value:g}pt" for name, value in {**look().size, **look().space}.items()}
    tokens |= families(language, screen)
    sheets = ("faces_screen.css", "memo.css", "screen.css") if screen else ("faces_paper.css", "memo.css")
    text = "\n".join((folder / sheet).read_text(encoding="utf-8") for sheet in sheets)
    return re.sub(r"var\(--([\w-]+)\)", lambda match: tokens.get(match[1], match[0]), text)


def colours() -> dict[str, str]:
    """The colours by name, as CSS writes them."""
    return {name: look().css(name) for name in look().colour}


class Typesetter:
    """What one language does to texts; used as filters and, for every printed text, as the finalizer."""

    def __init__(self, language: str):
        self.chinese = language == "zh"

    def shown(self, text: str) -> str:
        """The text with a visible mark for every character that cannot be printed, if this document is printed."""
        missing = MISSING.get()
        return text if missing is None else substituted(text, missing)

    def finalize(self, value: Any) -> Any:
        """Every expression of a template passes here; markup and numbers stay as they are."""
        return polish(self.shown(value), self.chinese) if type(value) is str else value

    def plain(self, value: str) -> Markup:
        """For attributes and properties: no markup, escaped."""
        return Markup(escape(self.flat(value)))

    def bare(self, value: str) -> Markup:
        """For the properties of the file: as plain() but with ordinary spaces."""
        return Markup(escape(clean(self.shown(value.replace("**", "")))))

    def flat(self, value: str) -> str:
        """Spaced and without markup, as a text to measure or draw."""
        return plain(self.shown(str(value)), self.chinese)

    def flattened(self, record: Any) -> Any:
        """A record of the context with every text in it flat."""
        if isinstance(record, str):
            return self.flat(record)
        if isinstance(record, tuple):
            return tuple(self.flattened(part) for part in record)
        if is_dataclass(record) and not isinstance(record, type):
            return replace(record, **{part.name: self.flattened(getattr(record, part.name)) for part in fields(record)})
        return record


def placer(setter: Typesetter, sizes: dict[str, float]):
    """The global `place`: positions of a chart's marks, with the texts of the chart made flat."""
    measures = {
        "ranges": chart_scales.range_chart, "memory": chart_scales.memory_chart, "load": chart_scales.load_chart,
        "tornado": chart_scales.tornado_chart, "bars": chart_scales.bar_chart, "scatter": scatter_chart,
        "timeline": chart_scales.timeline_chart, "latency": chart_scales.latency_chart,
    }  # fmt: skip

    def place(kind: str, chart: Any, width: float, extra: Any = None, height: float = 0.0) -> SimpleNamespace:
        flat = setter.flattened(chart)
        given = (flat, width, height, sizes) if height else (flat, width, sizes)
        placed = measures[kind](*given) if extra is None else measures[kind](*given, extra)
        return SimpleNamespace(chart=flat, **placed)

    return place


def spans(row: Row, columns: tuple[Column, ...]) -> list[tuple[str | Cell, Column, int]]:
    """Cells of a row with the columns they cover: in sums and group heads a text runs on over empty cells."""
    found: list[list] = []
    joins = row.kind in ("sum", "total", "group")
    for cell, column in zip(row.cells, columns, strict=False):
        before = found[-1] if found else None
        runs_on = before and before[0] != "" and not before[1].number
        if joins and cell == "" and runs_on and not (column.number and before[2] > 1 and row.kind != "group"):
            before[2] += 1
        else:
            found.append([cell, column, 1])
    return [tuple(item) for item in found]


def wide_value(figure: Any, count: int) -> bool:
    """Whether the value of a key figure is a word, or too wide for the large type."""
    if not any(character.isdigit() for character in figure.value):
        return True
    room = PAGE_WIDTH / max(count, 1) - 17
    wide = text_width(figure.value, look().size["figure"] * 1.04, True) + text_width(figure.unit, 9.6, True)
    return wide + 2.5 > room


@cache
def environment(language: str, folder: Path, screen: bool) -> ImmutableSandboxedEnvironment:
    """The environment of one language, one folder of templates, and paper or screen."""
    setter = Typesetter(language)
    sizes = look().size
    env = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(folder), autoescape=True, undefined=StrictUndefined, trim_blocks=True,
        lstrip_blocks=True, finalize=setter.finalize, auto_reload=False,
    )  # fmt: skip
    words = fixed_words(language)
    env.globals |= {
        "look": SimpleNamespace(colour=SimpleNamespace(**colours()), size=SimpleNamespace(**sizes)),
        "words": words, "lang": LANGUAGE_TAGS[language], "face": families(language, screen)["text"].replace('"', ""),
        "place": placer(setter, sizes), "body_width": BODY_WIDTH, "page_width": PAGE_WIDTH, "formula_column": "39mm",
        "front_words": tuple(words("front").split("|")),
        "label_column": lambda figures, width: chart_scales.label_column(
            setter.flattened(tuple(figure.chart for figure in figures)), width, sizes),
    }  # fmt: skip
    env.globals |= {name: getattr(tables, name) for name in dir(tables) if name.endswith("_table")}
    env.filters |= {
        "plain": setter.plain, "bare": setter.bare, "cut": lambda text, width: cut_to_width(setter.flat(text), width, sizes["micro"], True),
        "typeset": typeset, "spans": spans, "wide_value": wide_value,
        "widths": lambda table, width: table_widths(setter, table, width, sizes["small"]),
        "fitted": fit.shown_figures, "fitted_one": fit.fitted, "tasks": fit.shown_tasks,
    }  # fmt: skip
    return env


def table_widths(setter: Typesetter, table: Table, width: float, size: float) -> list[float]:
    """Shares of the columns, reckoned on the texts as they are printed."""
    return tables.column_widths(setter.flattened(table), width, size)


def fixed_words(language: str):
    """The fixed words of the memo: words("column_option")."""
    return partial(_fixed_word, wording(language))


def _fixed_word(language_words: Any, key: str, **values: Any) -> str:
    return language_words.text(f"memo_{key}", **values)


def template_error(error: TemplateError) -> OutputError:
    """A template that does not work, as an error with its file and line."""
    place = Place(file=getattr(error, "filename", None) or getattr(error, "name", None) or "templates",
                  line=getattr(error, "lineno", None) or 0)  # fmt: skip
    return OutputError.of("template", f"the template does not work: {error}", "compare it with the shipped one", place)
