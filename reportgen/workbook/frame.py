"""The frame that all sheets share: title, sentence, check, words, header; and the fills that repeat a verdict."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from reportgen.workbook.cells import Sheet
from reportgen.workbook.palette import palette
from reportgen.workbook.parts import ConditionalFormat
from reportgen.workbook.references import BOTH, address, column_letter, column_number

TITLE_ROW, SENTENCE_ROW, CHECK_ROW, WORDS_ROW, HEADER_ROW, FIRST_ROW = range(1, 7)

Area = tuple[int, int | str, int, int | str]  # first row and column, last row and column


def frame(
    sheet: Sheet,
    title: str,
    sentence: str,
    widths: Sequence[float],
    words: Sequence[str] = (),
    *,
    check: Any = None,
    states: Mapping[str, str] | None = None,
    back: Any = None,
    back_text: str = "",
    names: int = 2,
) -> None:
    """Rows 1 to 4 of a sheet, widths, freeze and print titles.

    words: unit or rule of each column, over its header. check: expression of the master check, coloured by its first
    word (states: ok, look, fail, changed -> word). back: cell that the link in the last column leads to.
    names: how many columns of names stay in sight.
    """
    sheet.set_widths(list(widths))
    last = len(widths)
    sheet.put(TITLE_ROW, 1, title, "title")
    sheet.put(SENTENCE_ROW, 1, sentence, "subtitle")
    if check is not None:
        sheet.put(CHECK_ROW, 1, check, "say_bold")
        sheet.put_row(CHECK_ROW, 2, [None] * (last - 1), "say")
        state_fills(sheet, (CHECK_ROW, 1, CHECK_ROW, last), states or {}, of_first_cell=True)
    if back is not None:
        sheet.put(TITLE_ROW, last, back_text, "jump_back", link=back)
    sheet.put_row(WORDS_ROW, 1, list(words), "words")
    sheet.freeze = (FIRST_ROW, names + 1)
    sheet.page.title_rows = (TITLE_ROW, HEADER_ROW)


def print_in_leaves(sheet: Sheet, names: int) -> None:
    """Print a wide table on several leaves: the columns of names on each, the title in the page header.

    A sentence in the first cell would be cut where the repeated columns end.
    """
    sheet.page.header_left = sheet.title
    sheet.page.first_row, sheet.page.title_rows = WORDS_ROW, (WORDS_ROW, HEADER_ROW)
    sheet.page.title_columns = (1, names)


def _format(area: Area, condition: Any, **look: Any) -> ConditionalFormat:
    row, column, last_row, last_column = area
    return ConditionalFormat(row, column_number(column), last_row, column_number(last_column), condition, **look)


def state_fills(sheet: Sheet, area: Area, states: Mapping[str, str], *, of_first_cell: bool = False) -> None:
    """Fill cells by the word that they begin with; the word says the verdict, the fill repeats it."""
    row, column = area[0], column_number(area[1])
    first = address(row, column, BOTH) if of_first_cell else address(row, column)
    for state, word in states.items():
        colours = palette().states[state]
        condition = f'LEFT({first},{len(word)})="{word}"'
        sheet.conditional_formats.append(_format(area, condition, ink=colours.ink, fill=colours.fill, bold=True))


def missing_fills(sheet: Sheet, area: Area) -> None:
    """Amber where a number is missing."""
    colours = palette().states["look"]
    condition = f"NOT(ISNUMBER({address(area[0], column_number(area[1]))}))"
    sheet.conditional_formats.append(_format(area, condition, ink=colours.ink, fill=colours.fill))


def group_bands(
    sheet: Sheet, first_row: int, last_row: int, ruled: Sequence[tuple[int | str, int | str]], group: int | str = 1
) -> None:
    """Group names stand in every row, so that filters work, but fade after the first; a line opens each group.

    ruled: first and last columns of the other areas that the line crosses; leave out typed cells, which would lose
    their box. The column of the group has line and ink in one format: LibreOffice shows one format a cell.
    """
    letter, above = column_letter(column_number(group)), first_row - 1
    repeated, other = (f"${letter}{first_row}{sign}${letter}{above}" for sign in ("=", "<>"))
    opens = f"AND(ROW()>{first_row},{other})"
    colours, names = palette(), (first_row, group, last_row, group)
    sheet.conditional_formats += [
        _format(names, opens, ink=colours.accent, bold=True, rule_above=colours.shadow),
        _format(names, other, ink=colours.accent, bold=True),
        _format(names, repeated, ink=colours.faded),
    ]
    for first, last in ruled:
        sheet.conditional_formats.append(_format((first_row, first, last_row, last), opens, rule_above=colours.shadow))


def chosen_rows(sheet: Sheet, area: Area, condition: Any) -> None:
    """Tint the rows that are chosen."""
    sheet.conditional_formats.append(_format(area, condition, fill=palette().chosen_fill, bold=True))


def rejected_rows(sheet: Sheet, area: Area, condition: Any) -> None:
    """Grey the rows that are not possible; their reason stays readable."""
    sheet.conditional_formats.append(_format(area, condition, ink=palette().soft))


def changed_cells(sheet: Sheet, area: Area, condition: Any) -> None:
    """Violet where a typed value is no longer the one as issued."""
    colours = palette().states["changed"]
    sheet.conditional_formats.append(_format(area, condition, ink=colours.ink, fill=colours.fill, bold=True))
