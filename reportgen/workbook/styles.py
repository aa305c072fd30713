"""Named styles of the book and the ids of their cell formats. Colour never stands alone: an input has a box, a link a
bar on its left, a total a rule above, a check a word."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from openpyxl import Workbook
from openpyxl.styles import Alignment, Border, Font, NamedStyle, PatternFill, Protection, Side
from openpyxl.styles.numbers import BUILTIN_FORMATS_MAX_SIZE, BUILTIN_FORMATS_REVERSE
from openpyxl.utils.indexed_list import IndexedList

from reportgen.catalog.look import look
from reportgen.formula import FormulaError
from reportgen.workbook.palette import Palette, font, palette


@dataclass(frozen=True)
class Style:
    """How cells of one kind look."""

    size: float
    bold: bool = False
    ink: str = ""
    fill: str = ""
    horizontal: str | None = None
    vertical: str = "center"
    wrap: bool = False
    border: str = "row"  # none, row (hair below), box, bar, above (total), head
    locked: bool = True
    underline: bool = False


@cache
def cell_styles() -> dict[str, Style]:
    """Every style a cell can have, by name."""
    colours, size = palette(), look().size
    row = Style(size["cell"], ink=colours.ink)
    plain = replace(row, border="none")
    note = replace(row, ink=colours.soft, size=size["cell_note"])
    right, left = replace(row, horizontal="right"), replace(row, horizontal="left", wrap=True)
    typed = replace(right, ink=colours.input_ink, fill=colours.input_fill, border="box", locked=False)
    head = replace(
        row, bold=True, ink=colours.accent, fill=colours.header_fill, wrap=True, vertical="top", border="head"
    )
    words = replace(plain, size=size["cell_words"], ink=colours.soft, wrap=True, vertical="bottom")
    jump = replace(row, ink=colours.input_ink, underline=True, wrap=True)
    link = replace(right, ink=colours.link_ink, border="bar")
    answer = {"bold": True, "fill": colours.answer_fill}
    return {
        "title": replace(plain, size=size["cell_title"], bold=True, ink=colours.accent),
        "subtitle": replace(plain, ink=colours.soft),
        "section": replace(plain, size=size["cell_section"], bold=True, ink=colours.accent, vertical="bottom"),
        "lead": replace(plain, size=size["cell_section"], bold=True),
        "say": replace(plain, size=size["cell"] + 0.5),
        "say_bold": replace(plain, size=size["cell"] + 0.5, bold=True),
        "head": head,
        "head_right": replace(head, horizontal="right"),
        "head_center": replace(head, horizontal="center"),
        "words": words,
        "words_right": replace(words, horizontal="right"),
        "words_center": replace(words, horizontal="center"),
        "text": replace(row, wrap=True),
        "text_bold": replace(row, wrap=True, bold=True),
        "line": row,
        "note": replace(note, wrap=True),
        "unit": replace(note, wrap=True),
        "number": replace(note, horizontal="center"),
        "jump": jump,
        "jump_back": replace(jump, horizontal="right", wrap=False, border="none"),
        "input": typed,
        "input_text": replace(typed, horizontal="left", wrap=True),
        "fact": replace(right, ink=colours.input_ink),
        "fact_text": replace(left, ink=colours.input_ink),
        "formula": right,
        "formula_text": left,
        "formula_answer": replace(right, **answer),
        "formula_text_answer": replace(left, **answer),
        "shadow": replace(right, ink=colours.shadow),
        "shadow_text": replace(left, ink=colours.shadow),
        "link": link,
        "link_text": replace(link, horizontal="left", wrap=True),
        "link_answer": replace(link, **answer),
        "link_strong": replace(link, bold=True, size=size["cell"] + 1),
        "total": replace(right, bold=True, border="above"),
        "total_text": replace(right, bold=True, border="above", horizontal="left"),
        "check": replace(row, bold=True, horizontal="center"),
    }


def cell_style(name: str) -> Style:
    """A style by its name."""
    style = cell_styles().get(name)
    if style is None:
        raise FormulaError(f"no cell style is named {name!r}; there are {', '.join(cell_styles())}")
    return style


def _borders(colours: Palette) -> dict[str, Border]:
    hair, box = Side(style="hair", color=colours.rule), Side(style="thin", color=colours.input_box)
    ink, accent = colours.ink, colours.accent
    return {
        "none": Border(),
        "row": Border(bottom=hair),
        "box": Border(left=box, right=box, top=box, bottom=box),
        "bar": Border(left=Side(style="thin", color=colours.link_ink), bottom=hair),
        "above": Border(top=Side(style="thin", color=ink), bottom=hair),
        "head": Border(top=Side(style="thin", color=accent), bottom=Side(style="medium", color=accent)),
    }


class StyleSheet:
    """The named styles of one workbook. Cells carry ids, each made once."""

    def __init__(self, workbook: Workbook, language: str):
        self.workbook = workbook
        self.font = font(language)
        self._ids: dict[tuple[str, str, bool], int] = {}
        self._named: dict[str, NamedStyle] = {}
        self._borders = _borders(palette())
        self._set_normal_font()

    def _set_normal_font(self) -> None:
        """Widths of columns are counted in digits of the Normal font, which must be the first one of the file."""
        self.workbook._fonts = IndexedList()
        normal = Font(name=self.font, size=look().size["cell"], color=palette().ink)
        self.workbook._fonts.add(normal)
        self.workbook._named_styles["Normal"].font = normal

    def id(self, style: str, number_format: str = "", quoted: bool = False) -> int:
        """Index of the cell format; quoted marks text that a spreadsheet must not turn into a formula when edited."""
        key = (style, number_format, quoted)
        known = self._ids.get(key)
        if known is None:
            known = self._ids[key] = self._make(style, number_format, quoted)
        return known

    def _make(self, style: str, number_format: str, quoted: bool) -> int:
        array = self._named_style(style).as_tuple().__copy__()
        array.xfId = self.workbook._named_styles.names.index(style)
        if number_format:
            array.numFmtId = self._number_format_id(number_format)
        array.quotePrefix = int(quoted)
        return self.workbook._cell_styles.add(array)

    def _number_format_id(self, number_format: str) -> int:
        if number_format in BUILTIN_FORMATS_REVERSE:
            return BUILTIN_FORMATS_REVERSE[number_format]
        return self.workbook._number_formats.add(number_format) + BUILTIN_FORMATS_MAX_SIZE

    def _named_style(self, name: str) -> NamedStyle:
        if name not in self._named:
            self._named[name] = self._named_from(name, cell_style(name))
            self.workbook.add_named_style(self._named[name])
        return self._named[name]

    def _named_from(self, name: str, style: Style) -> NamedStyle:
        return NamedStyle(
            name=name,
            number_format="General",
            font=Font(
                name=self.font,
                size=style.size,
                bold=style.bold,
                color=style.ink,
                underline="single" if style.underline else None,
            ),
            fill=PatternFill("solid", fgColor=style.fill) if style.fill else PatternFill(),
            border=self._borders[style.border],
            alignment=Alignment(
                horizontal=style.horizontal,
                vertical=style.vertical,
                wrap_text=style.wrap,
                indent=1 if style.horizontal == "right" else 0,
            ),
            protection=Protection(locked=style.locked),
        )
