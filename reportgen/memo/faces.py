"""The shipped typefaces: which characters they hold, and how wide a text is set."""

from __future__ import annotations

import logging
from functools import cache
from pathlib import Path

FONTS = Path(__file__).parent / "fonts"
SUBSTITUTE = "〓"  # the printers' mark for a character that the case does not hold
IGNORED = frozenset("\u00ad\u200b\u200c\u200d\u2060\ufe0e\ufe0f")  # never drawn
FULL_WIDTH = range(0x3000, 0x10000)


@cache
def character_map(face: str) -> dict[int, str]:
    """Code point -> glyph of one shipped face, such as RGText-Bold."""
    return _font(face).getBestCmap()


@cache
def _font(face: str):
    from fontTools.ttLib import TTFont

    logging.getLogger("fontTools").setLevel(logging.ERROR)
    return TTFont(FONTS / f"{face}.ttf", lazy=True)


@cache
def covered() -> frozenset[int]:
    """Code points that every stack of the style sheet can show (each ends with the Chinese face)."""
    text = set(character_map("RGText-Regular")) & set(character_map("RGText-Bold")) & set(character_map("RGSerif-Bold"))
    return frozenset(text | set(character_map("RGHan-Regular")))


def substituted(text: str, missing: set[str]) -> str:
    """The text with every character that no shipped face holds replaced by a visible mark, and noted in `missing`."""
    if text.isascii():
        return text
    known = covered()
    lost = {character for character in text if ord(character) not in known and character not in IGNORED}
    if not lost:
        return text
    missing |= lost
    return "".join(SUBSTITUTE if character in lost else character for character in text)


@cache
def _advances(face: str) -> tuple[dict[int, str], dict, int]:
    font = _font(face)
    return character_map(face), font["hmtx"].metrics, font["head"].unitsPerEm


@cache
def _advance(character: str, bold: bool) -> float:
    """Width of one character in em; Chinese characters are one em wide."""
    if ord(character) in FULL_WIDTH:
        return 1.0
    glyphs, metrics, em = _advances("RGText-Bold" if bold else "RGText-Regular")
    glyph = glyphs.get(ord(character))
    return metrics[glyph][0] / em if glyph else (0.0 if character in IGNORED else 1.0)


def text_width(text: str, size: float, bold: bool = False) -> float:
    """Width in points of a text set in one line."""
    return sum(_advance(character, bold) for character in text) * size


def cut_to_width(text: str, width: float, size: float, bold: bool = False) -> str:
    """The text, cut with an ellipsis if it is wider than that."""
    if text_width(text, size, bold) <= width:
        return text
    room = width - text_width("…", size, bold)
    kept = 0
    for character in text:
        room -= _advance(character, bold) * size
        if room < 0:
            break
        kept += 1
    return text[:kept].rstrip() + "…"


def wrapped(text: str, width: float, size: float, lines: int, bold: bool = False) -> tuple[str, ...]:
    """The text in at most so many lines of that width, broken at spaces (Chinese anywhere), the last one cut."""
    found: list[str] = []
    rest = text.strip()
    while rest and len(found) < lines - 1 and text_width(rest, size, bold) > width:
        end = _break(rest, width, size, bold)
        found.append(rest[:end].rstrip())
        rest = rest[end:].lstrip()
    return (*found, cut_to_width(rest, width, size, bold)) if rest else tuple(found)


def _break(text: str, width: float, size: float, bold: bool) -> int:
    """Where the first line ends: after the last space or Chinese character that fits, else where it must.

    A space in the second half of the line wins over a later Chinese character, which may stand inside a word.
    """
    used, best, space = 0.0, 0, 0
    for index, character in enumerate(text):
        used += _advance(character, bold) * size
        if used > width and character != " ":
            return (space if 2 * space >= best else best) or max(index, 1)
        if character == " ":
            best = space = index + 1
        elif ord(character) in FULL_WIDTH and text[index + 1 : index + 2] not in tuple("，。；：、）”"):
            best = index + 1
    return len(text)
