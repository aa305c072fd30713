"""How wide a text is on a terminal: Han characters and full-width signs take two columns, accents none."""

from __future__ import annotations

import re
import unicodedata

COLOUR = re.compile("\x1b\\[[0-9;]*m")
CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ud800-\udfff]")


def harmless(text: str) -> str:
    """Text of a user without signs that steer a terminal or turn the direction of writing; line ends become blanks."""
    return CONTROL.sub("�", text.replace("\r", " ").replace("\n", " ").replace("\t", " "))


def display_width(text: str) -> int:
    """Columns that a text takes, colour codes left out."""
    plain = COLOUR.sub("", text) if "\x1b" in text else text
    return len(plain) if plain.isascii() else sum(map(_columns, plain))


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Cf", "Me", "Mn"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


def pad(text: str, width: int, right: bool = False) -> str:
    """The text filled with blanks to a width; `right` puts the blanks before it."""
    blanks = " " * max(0, width - display_width(text))
    return blanks + text if right else text + blanks


def clip(text: str, width: int) -> str:
    """The text cut to a width, the cut marked by an ellipsis."""
    if display_width(text) <= width:
        return text
    kept, used = [], 1
    for character in text:
        used += _columns(character)
        if used > width:
            break
        kept.append(character)
    return "".join(kept).rstrip() + "…"


def wrap(text: str, width: int, indent: str = "") -> list[str]:
    """Lines of at most `width` columns. Han text breaks anywhere, other text at blanks; long words are cut."""
    lines, line = [], indent
    for word in _short_words(text, max(4, width - display_width(indent))):
        if display_width(line) + display_width(word.rstrip()) > width and line.strip():
            lines.append(line.rstrip())
            line, word = indent, word.lstrip()
        line += word
    return [*lines, line.rstrip()] if line.strip() else lines


def _short_words(text: str, width: int) -> list[str]:
    pieces = []
    for word in _words(text):
        while display_width(word.rstrip()) > width:
            cut = _cut(word, width)
            pieces.append(word[:cut])
            word = word[cut:]
        pieces.append(word)
    return pieces


def _cut(word: str, width: int) -> int:
    """How many characters fit; after a hyphen, slash or underscore if one stands in the second half."""
    fits = 1
    while fits < len(word) and display_width(word[: fits + 1]) <= width:
        fits += 1
    joint = max(word.rfind(sign, 0, fits) for sign in "-_/.") + 1
    return joint if joint > fits // 2 else fits


NO_LINE_END = "（《“‘("
NO_LINE_START = "，。、；：！？）」》%,.;:!?)"


def _words(text: str) -> list[str]:
    """Pieces between which a line may end, each with the blanks that follow it."""
    words: list[str] = []
    for part in re.findall(r"\S+\s*", text):
        run = ""
        for character in part:
            if run and _may_break(run[-1], character):
                words.append(run)
                run = ""
            run += character
        words.append(run)
    return words


def _may_break(before: str, after: str) -> bool:
    """Whether a line may end between two characters that no blank parts: where either is wide."""
    if after.isspace() or after in NO_LINE_START or before in NO_LINE_END:
        return False
    return _columns(after) == 2 or _columns(before) == 2
