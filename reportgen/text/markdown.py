"""An answer as Markdown for tickets and chats: the same blocks as on the terminal."""

from __future__ import annotations

import re

from reportgen.text.blocks import Answer, Bars, Block, Cell, Table
from reportgen.text.width import harmless

SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~])")


def markdown(answer: Answer, level: int = 1) -> str:
    """The answer with headings from `level` on."""
    parts = [f"{'#' * level} {escape(answer.title)}", f"**{escape(answer.sentence)}**"]
    for block in answer.blocks:
        if block.title:
            parts.append(f"{'#' * (level + 1)} {escape(block.title)}")
        parts.append(_body(block))
    if answer.footer:
        parts.append(f"<sub>{escape(answer.footer)}</sub>")
    return "\n\n".join(part for part in parts if part) + "\n"


def escape(text: str) -> str:
    """User text without meaning for Markdown or HTML; one line."""
    return SPECIAL.sub(r"\\\1", " ".join(harmless(text).split())).replace("&", "&amp;")


def _body(block: Block) -> str:
    if isinstance(block, Table):
        return _with_note(_table(block.head, block.rows, block.right), block.note)
    if isinstance(block, Bars):
        rows = tuple((name, figure) for name, figure, _ in block.rows)
        return _with_note(_table(("", ""), rows, frozenset({1})), block.note)
    lead = "- " if block.bullets or block.running else ""
    separator = "\n" if lead else "  \n"
    return separator.join(f"{lead}{escape(line)}" for line in block.lines)


def _with_note(body: str, note: str) -> str:
    return f"{body}\n\n{escape(note)}" if note else body


def _table(head: tuple[str, ...], rows: tuple[tuple[str, ...], ...], right: frozenset[int]) -> str:
    rule = [" ---: " if column in right else " --- " for column in range(len(head))]
    lines = ["| " + " | ".join(map(escape, head)) + " |", "|" + "|".join(rule) + "|"]
    lines += ["| " + " | ".join(map(_cell, row)) + " |" for row in rows]
    return "\n".join(lines)


def _cell(text: str) -> str:
    strong = isinstance(text, Cell) and text.mark in ("strong", "bad")
    return f"**{escape(text)}**" if strong and text.strip() else escape(text)
