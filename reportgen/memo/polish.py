"""Typography of running text: spaces that must not break, Chinese spacing and punctuation, **bold**, x^2, x_{2}.

`polish` gives markup for HTML, `plain` the same spacing without markup, for SVG text, attributes and file properties.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from markupsafe import Markup, escape

NO_BREAK, NARROW, JOINER = "\u00a0", "\u202f", "\u2060"
HAN = r"[\u3400-\u4dbf\u4e00-\u9fff]"
UNITS = (
    r"(?:[KMGTP]i?B|[kM]W|[kM]Wh|[TP]?FLOP|[GT]bit|[Mk]? ?(?:CNY|USD|EUR|JPY|HKD)|GPUs?|days?|weeks?|months?|years?"
    r"|hours?|nodes?|servers?|tokens?|replicas?|thousand|million|billion|trillion|ms|s|h|W|U|°C)\b"
)
CLOSERS, FOLLOWERS = (
    "[）」』》”，。；：、]",
    "[（「『《“），。；：、]",
)  # a closing mark before another one is set half-width
MARKS = re.compile(rf"\*\*|\^[\u2212\d]|_\{{|{CLOSERS}{FOLLOWERS}")
UNSEEN = re.compile(
    r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff\ufffe\uffff\ud800-\udfff]"
)

BOTH = (  # what neither language breaks or spaces otherwise
    (re.compile(r"(?<=[\w)]) × (?=[\w(])"), f"{NO_BREAK}×{NO_BREAK}"),
    (re.compile(r"(?<=\d) \+ (?=\d)"), f"{NO_BREAK}+{NO_BREAK}"),
    (re.compile(r"(?<=\d) %"), f"{NARROW}%"),
    (re.compile(rf"(?<=[\d.]) (?={UNITS})"), NO_BREAK),
)
CHINESE = (  # a space between Han and Latin, fixed between a number and its measure word
    (re.compile(rf"({HAN}) ?(?=[A-Za-z0-9+±−])"), r"\1 "),
    (re.compile(rf"(?<=[0-9%]) ?(?={HAN})"), NO_BREAK),
    (re.compile(rf"(?<=[A-Za-z]) ?(?={HAN})"), " "),
    (re.compile(rf"({HAN})\*\*(?=[A-Za-z0-9])"), r"\1 **"),
    (re.compile(r"(?<=含)(?=税)"), JOINER),
)
JOINED = re.compile(r"(?<=[A-Za-z])/(?=[A-Za-z])|[≥≤]")


def clean(text: str) -> str:
    """Text without control characters and direction marks; line breaks become spaces; accents composed."""
    text = unicodedata.normalize("NFC", text) if not text.isascii() else text
    return UNSEEN.sub("", text.replace("\r\n", " ").replace("\n", " ").replace("\t", " "))


@lru_cache(maxsize=8192)
def spaced(text: str, chinese: bool) -> str:
    """The text with the spaces of its language; marks such as ** are left in place."""
    text = clean(text)
    for pattern, replacement in BOTH:
        text = pattern.sub(replacement, text)
    if chinese:
        for pattern, replacement in CHINESE:
            text = pattern.sub(replacement, text)
    return JOINED.sub(lambda match: match[0] + JOINER, text)


@lru_cache(maxsize=8192)
def polish(text: str, chinese: bool) -> Markup:
    """Markup of one text of the context: escaped, spaced, with bold, superscripts and half-width marks."""
    escaped = str(escape(spaced(text, chinese)))
    if not MARKS.search(escaped):
        return Markup(escaped)
    escaped = re.sub(r"\*\*(.+?)\*\*", r"<strong>\1</strong>", escaped)
    escaped = re.sub(r"\^(\u2212?\d+)", r"<sup>\1</sup>", escaped)
    escaped = re.sub(r"_\{([^{}]+)\}", r"<sub>\1</sub>", escaped)
    return Markup(re.sub(rf"{CLOSERS}(?={FOLLOWERS})", r'<span class="half">\g<0></span>', escaped))


@lru_cache(maxsize=8192)
def plain(text: str, chinese: bool) -> str:
    """The text without markup: bold marks dropped, superscripts as raised digits where they exist."""
    raised = str.maketrans("0123456789\u2212", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻")
    text = re.sub(r"\*\*(.+?)\*\*", r"\1", spaced(text, chinese))
    text = re.sub(r"_\{([^{}]+)\}", r"\1", text)
    return re.sub(r"\^(\u2212?\d+)", lambda match: match[1].translate(raised), text)
