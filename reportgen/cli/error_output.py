"""Errors as a person reads them, and as a program does."""

from __future__ import annotations

import json
from collections.abc import Iterable

from reportgen.errors import Place, Problem
from reportgen.text.width import display_width, harmless

RED, BOLD, CYAN, PLAIN = "\x1b[31m", "\x1b[1m", "\x1b[36m", "\x1b[0m"
LONGEST_LINE = 100
FIX = {"en": "fix: ", "zh": "改正："}  # read before the wording is, which may be what is broken
LEAD = 40  # how much of a long line is kept before the mark


def problems_as_text(problems: Iterable[Problem], colored: bool = False, language: str = "en") -> str:
    """Every problem with its line and its fix, in the order given."""
    problems = dict.fromkeys(problems)
    if language != "en":
        from reportgen.cli.spoken_problems import in_language

        problems = in_language(problems, language)
    fix = FIX.get(language, FIX["en"])
    blocks = [_block(problem, colored, fix) for problem in problems]
    return ("\n\n" if any("\n" in block for block in blocks) else "\n").join(blocks)


def _block(problem: Problem, colored: bool, fix: str) -> str:
    where = _where(problem.place)
    lines = [f"{_paint(harmless(where) + ':', BOLD, colored)} {harmless(problem.message)}"]
    lines += _marked_line(problem, colored)
    if problem.fix:
        lines.append(f"{_paint(fix, CYAN, colored)}{harmless(problem.fix)}")
    return "\n".join(lines)


def _where(place: Place) -> str:
    """file:line:column; an option of the command line stands for itself."""
    if place.file.startswith("--"):
        return place.file
    numbers = [str(number) for number in (place.line, place.column) if number]
    return ":".join([place.file, *numbers]) if place.file else "reportgen"


def _marked_line(problem: Problem, colored: bool) -> list[str]:
    place = problem.place
    if not place.text.strip() or not place.column:
        return []
    text, start = _window(harmless(place.text), place.column - 1)
    number = str(place.line) if place.line and not place.file.startswith("--") else ""
    gap = " " * display_width(text[:start])
    mark = "^" * max(1, display_width(text[start : start + place.width]))
    return [f"  {number} | {text}", f"  {' ' * len(number)} | {gap}{_paint(mark, RED, colored)}"]


def _window(text: str, start: int) -> tuple[str, int]:
    """The part of a long line around the mark, and where the mark starts in it."""
    if display_width(text) <= LONGEST_LINE:
        return text, start
    cut = max(0, start - LEAD)
    head = "…" if cut else ""
    shown = head + text[cut : cut + LONGEST_LINE]
    return (shown + "…" if cut + LONGEST_LINE < len(text) else shown), start - cut + len(head)


def _paint(text: str, colour: str, colored: bool) -> str:
    return f"{colour}{text}{PLAIN}" if colored else text


def problems_as_json(problems: Iterable[Problem]) -> str:
    """The same for programs: version 1."""
    errors = [
        {
            "code": problem.code,
            "file": problem.place.file,
            "line": problem.place.line,
            "column": problem.place.column,
            "path": problem.place.path,
            "message": problem.message,
            "fix": problem.fix,
            "candidates": list(problem.candidates),
        }
        for problem in dict.fromkeys(problems)
    ]
    return json.dumps({"version": 1, "errors": errors}, ensure_ascii=False, indent=1)
