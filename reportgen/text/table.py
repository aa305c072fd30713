"""An answer for the terminal: aligned columns for Latin and Han text, at most 100 wide, colours only where wanted."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields, is_dataclass, replace
from typing import Any

from reportgen.text.blocks import Answer, Bars, Block, Cell, Lines, Table
from reportgen.text.width import clip, display_width, harmless, pad, wrap

NARROWEST, WIDEST = 60, 100
GAP = 2
LEAST_FLEXIBLE, LEAST = 18, 6
BAR = 24
COLOURS = {"good": "32", "look": "33", "bad": "31", "strong": "1", "soft": "2", "head": "2"}


class Terminal:
    """Prints blocks at a width, with colours or without."""

    def __init__(self, width: int = WIDEST, colored: bool = False):
        self.width = max(NARROWEST, min(width, WIDEST))
        self.colored = colored

    def paint(self, text: str, mark: str) -> str:
        """The text in the colour of its meaning."""
        return f"\x1b[{COLOURS[mark]}m{text}\x1b[0m" if self.colored and mark in COLOURS and text.strip() else text

    def answer(self, answer: Answer) -> str:
        """Title, sentence and every block."""
        parts = [self.paint(line, "strong") for line in wrap(harmless(answer.title), self.width)]
        parts += wrap(harmless(answer.sentence), self.width)
        for block in answer.blocks:
            parts += ["", *self.block(block)]
        if answer.footer:
            parts += ["", *(self.paint(line, "soft") for line in wrap(harmless(answer.footer), self.width))]
        return "\n".join(parts) + "\n"

    def block(self, block: Block) -> list[str]:
        """The lines of one block with its title."""
        block = _harmless(block)
        if isinstance(block, Table):
            body = self._table(block)
        elif isinstance(block, Bars):
            body = self._bars(block)
        else:
            body = self._lines(block)
        return ([self.paint(block.title, "strong")] if block.title else []) + body

    def _lines(self, block: Lines) -> list[str]:
        if block.running:
            return wrap(" · ".join(block.lines), self.width, "  ")
        lines: list[str] = []
        for text in block.lines:
            wrapped = wrap(text, self.width - 4, "")
            lead = "- " if block.bullets else ""
            for index, line in enumerate(wrapped):
                painted = self.paint(line, getattr(text, "mark", ""))
                lines.append("  " + (lead if index == 0 else " " * len(lead)) + painted)
        return lines

    def _bars(self, block: Bars) -> list[str]:
        names = min(max((display_width(name) for name, _, _ in block.rows), default=0), self.width - BAR - 24)
        figures = max((display_width(figure) for _, figure, _ in block.rows), default=0)
        lines = []
        for name, figure, share in block.rows:
            bar = "█" * max(1 if share > 0 else 0, min(BAR, round(share * BAR))) + ("▶" if share > 1 else "")
            lines.append(f"  {pad(clip(name, names), names)}  {pad(figure, figures, right=True)}  {bar}".rstrip())
        return lines + self._note(block.note)

    def _note(self, note: str) -> list[str]:
        return [self.paint(line, "soft") for line in wrap(note, self.width - 2, "  ")] if note else []

    def _table(self, table: Table) -> list[str]:
        widths = self._widths(table)
        lines = [self.paint(line, "head") for line in self._row(table.head, widths, table)] if any(table.head) else []
        for row in table.rows:
            lines += self._row(row, widths, table)
        return lines + self._note(table.note)

    def _widths(self, table: Table) -> list[int]:
        rows = [table.head, *table.rows]
        widths = [max(display_width(row[column]) for row in rows) for column in range(len(table.head))]
        room = self.width - 2 - GAP * (len(widths) - 1)
        for candidates, least in (
            (table.flexible, LEAST_FLEXIBLE),
            (table.flexible, LEAST),
            (range(len(widths)), LEAST),
        ):
            while sum(widths) > room:
                widest = max(candidates, key=widths.__getitem__)
                if widths[widest] <= least:
                    break
                widths[widest] -= 1
        return widths

    def _row(self, row: Sequence[str], widths: list[int], table: Table) -> list[str]:
        cells = [
            wrap(text, width) if display_width(text) > width else [text]
            for text, width in zip(row, widths, strict=True)
        ]
        height = max(map(len, cells))
        lines = []
        for level in range(height):
            shown = []
            for column, (parts, width) in enumerate(zip(cells, widths, strict=True)):
                text = parts[level] if level < len(parts) else ""
                mark = row[column].mark if isinstance(row[column], Cell) else ""
                shown.append(self.paint(pad(text, width, right=column in table.right), mark))
            lines.append(("  " + (" " * GAP).join(shown)).rstrip())
        return lines


def _harmless(value: Any) -> Any:
    """A block with every text in it harmless; meanings of cells are kept."""
    if isinstance(value, Cell):
        return Cell(harmless(value), value.mark)
    if isinstance(value, str):
        return harmless(value)
    if isinstance(value, tuple):
        return tuple(_harmless(item) for item in value)
    if is_dataclass(value):
        return replace(value, **{item.name: _harmless(getattr(value, item.name)) for item in fields(value)})
    return value
