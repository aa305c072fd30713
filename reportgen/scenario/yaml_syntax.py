"""Complaints of the YAML parser in plain words, each with a fix."""

from __future__ import annotations

import re

import yaml

from reportgen.errors import Place, Problem

DEEPEST_NESTING = 20
LONGEST_LINE_SHOWN = 160
UNCLOSED = ("did not find expected ',' or", "unexpected end of stream")
SYNTAX = (
    ("cannot start any token", "tab", "a tab cannot indent a line", "indent with spaces"),
    (
        "mapping values are not allowed",
        "",
        "a second ': ' stands in this line, or the indentation is wrong",
        "put text that contains ': ' in quotes",
    ),
    ("could not find expected ':'", "", "this line is not 'key: value'", "add the colon and a space"),
    (
        "did not find expected key",
        "",
        "the indentation does not match the lines above",
        "align the key with its neighbours; put text with quotes inside in quotes",
    ),
    (
        "did not find expected '-' indicator",
        "",
        "this line is indented as a list item but has no '-'",
        "begin it with '- ' or indent it less",
    ),
    (
        "did not find expected ',' or",
        "",
        "a bracket '[' or '{' is not closed",
        "close it, and separate items with commas",
    ),
    ("unexpected end of stream", "", "a quoted text is not closed", "close the quotation mark"),
    ("did not find expected node content", "", "a value is missing between brackets or commas", "write the value"),
    (
        "block sequence entries are not allowed",
        "",
        "a list cannot begin on the line of its key",
        "put '- ' items on lines of their own",
    ),
    ("control characters are not allowed", "", "the text holds a control character", "delete it"),
    ("special characters are not allowed", "", "the text holds a control character", "delete it"),
    (
        "found unknown escape character",
        "",
        "a backslash in double quotes begins an unknown escape",
        "use single quotes",
    ),
    ("character that cannot start", "", "a value begins with a character that YAML reserves", "put the text in quotes"),
)


def syntax_problem(error: yaml.YAMLError, file: str, lines: list[str]) -> Problem:
    """What libyaml complains about, where, and what to do."""
    text = str(getattr(error, "problem", None) or getattr(error, "reason", None) or error)
    marks = [getattr(error, name, None) for name in ("problem_mark", "context_mark")]
    if any(part in text for part in UNCLOSED):
        marks.reverse()
    mark = marks[0] or marks[1]
    line = mark.line if mark else _line_of_offset(error, lines)
    shown = lines[line] if 0 <= line < len(lines) else ""
    column = mark.column if mark else 0
    wide = _wide_colon(line, file, lines)
    if wide:
        return wide
    message, fix = _plain_words(text, shown, column)
    place = Place(file, line + 1, column + 1, "", shown[:LONGEST_LINE_SHOWN], 1)
    return too_deep(place) if "nesting depth" in text else Problem("yaml-syntax", message, fix, place)


def _wide_colon(line: int, file: str, lines: list[str]) -> Problem | None:
    """A full-width colon in the line or the one above, which reads as part of a word."""
    for near in (line, line - 1):
        wide = re.match(r"\s*[\w-]+：", lines[near]) if 0 <= near < len(lines) else None
        if wide:
            place = Place(file, near + 1, wide.end(), "", lines[near][:LONGEST_LINE_SHOWN], 1)
            fix = "write ': ', a plain colon and a space"
            return Problem("yaml-syntax", "this line has the wide colon '：'", fix, place)
    return None


def too_deep(place: Place) -> Problem:
    """More nesting than any scenario has."""
    message = f"keys are nested more than {DEEPEST_NESTING} deep"
    return Problem("too-deep", message, "check the indentation and the brackets", place)


def _plain_words(text: str, shown: str, column: int) -> tuple[str, str]:
    for part, sign, message, fix in SYNTAX:
        if part in text and (sign != "tab" or shown[column : column + 1] == "\t"):
            return message, fix
    if "cannot start any token" in text:
        return f"'{shown[column : column + 1]}' cannot begin a value", "put the text in quotes"
    return f"this is not YAML: {text}", "check quotes, colons and indentation"


def _line_of_offset(error: yaml.YAMLError, lines: list[str]) -> int:
    position = getattr(error, "position", 0)
    for number, line in enumerate(lines):
        position -= len(line) + 1
        if position < 0:
            return number
    return 0
