"""Problems in another language: what the program says in English, found among the known sentences and said again.

The sentences stand in wording/<language>/problems*.yaml under equal keys; a part that differs is {a}, {b} and so on,
and stays as it is unless it is one of the known parts of sentences.
"""

from __future__ import annotations

import dataclasses
import re
from collections.abc import Iterable
from functools import lru_cache
from string import Formatter

from reportgen.catalog.wording import wording
from reportgen.errors import Problem

PREFIX = "problem_"
PART = "problem_part_"
SPOKEN = "en"


def in_language(problems: Iterable[Problem], language: str) -> list[Problem]:
    """The problems with message and fix in a language; a sentence that is not known stays as it is."""
    if language == SPOKEN:
        return list(problems)
    return [
        dataclasses.replace(item, message=said(item.message, language), fix=said(item.fix, language))
        for item in problems
    ]


def said(text: str, language: str) -> str:
    """One sentence in a language."""
    return _found(text, language, _patterns(False))


def _found(text: str, language: str, patterns: Iterable[tuple[str, re.Pattern[str]]]) -> str:
    for key, pattern in patterns:
        found = pattern.fullmatch(text)
        if found:
            parts = {name: _found(part, language, _patterns(True)) for name, part in found.groupdict().items()}
            return wording(language).text(key, **parts)
    return text


@lru_cache
def _patterns(parts: bool) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Every known sentence, or part of one, as a pattern; those with the most words of their own come first."""
    known = {key: text for key, text in wording(SPOKEN).texts.items() if key.startswith(PREFIX)}
    texts = {key: text for key, text in known.items() if key.startswith(PART) is parts}
    ordered = sorted(texts.items(), key=lambda item: -sum(len(part) for part, *_ in Formatter().parse(item[1])))
    return tuple((key, re.compile(_pattern(text), re.DOTALL)) for key, text in ordered)


def _pattern(text: str) -> str:
    parts = []
    for literal, name, _, _ in Formatter().parse(text):
        parts += [re.escape(literal), f"(?P<{name}>.+?)" if name else ""]
    return "".join(parts)
