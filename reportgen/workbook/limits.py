"""What spreadsheets refuse: characters, lengths, titles and names, checked while the workbook is planned."""

from __future__ import annotations

import re

from reportgen.formula import FormulaError

MAX_ROWS, MAX_COLUMNS = 1_048_576, 16_384
MAX_CELL_TEXT = 32_767
MAX_FORMULA, MAX_LEVELS, MAX_ARGUMENTS = 8_192, 64, 255
MAX_NAME, MAX_TITLE = 255, 31
MAX_PROMPT_TITLE, MAX_PROMPT = 32, 255

_REFUSED_CHARACTERS = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
_READ_AS_ESCAPE = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
_REFUSED_IN_TITLES = re.compile(r"[:\\/?*\[\]]")
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_LIKE_A_CELL = re.compile(r"[A-Za-z]{1,3}[0-9]+|[Rr][0-9]*[Cc]?[0-9]*|[Cc][0-9]*|true|false", re.IGNORECASE)
STARTS_A_FORMULA = ("=", "+", "-", "@", "\t")


def clean_text(text: str) -> str:
    """Text that a cell can hold: refused characters become U+FFFD, overlong text ends with an ellipsis."""
    if not text.isprintable():
        text = _REFUSED_CHARACTERS.sub("\ufffd", text.replace("\r\n", "\n").replace("\r", "\n"))
    return text if len(text) <= MAX_CELL_TEXT else text[: MAX_CELL_TEXT - 1] + "…"


def escaped(text: str) -> str:
    """Clean text for the file: `_x0041_` would be read as the letter A, so its first underscore is spelled out."""
    return _READ_AS_ESCAPE.sub("_x005F_", text) if "_x" in text else text


def needs_quote(text: str) -> bool:
    """Whether a spreadsheet would take the text for a formula once somebody edits the cell."""
    return text.startswith(STARTS_A_FORMULA)


def check_title(title: str, taken: list[str]) -> None:
    """Refuse a sheet title that spreadsheets refuse or that differs from another one only in capitals."""
    if not 1 <= len(title) <= MAX_TITLE:
        raise FormulaError(f"sheet title {title!r} has {len(title)} characters; 1 to {MAX_TITLE} are allowed")
    if _REFUSED_IN_TITLES.search(title) or title.startswith("'") or title.endswith("'"):
        raise FormulaError(f"sheet title {title!r} holds one of : \\ / ? * [ ] or begins or ends with '")
    if title.casefold() == "history" or title.casefold() in {other.casefold() for other in taken}:
        raise FormulaError(f"sheet title {title!r} is taken")


def check_name(name: str) -> None:
    """Refuse a defined name that spreadsheets refuse or read as a cell, such as H100 or TP1."""
    if not _NAME.fullmatch(name) or len(name) > MAX_NAME:
        raise FormulaError(f"name {name!r} must be letters, digits and underscores, start with a letter, and be short")
    if _LIKE_A_CELL.fullmatch(name):
        raise FormulaError(f"name {name!r} would be read as a cell; choose a longer word")


def check_position(row: int, column: int) -> None:
    """Refuse a cell outside the sheet."""
    if not (1 <= row <= MAX_ROWS and 1 <= column <= MAX_COLUMNS):
        raise FormulaError(f"row {row}, column {column} is outside the sheet")


def check_formula(text: str) -> None:
    """Refuse a formula that is too long or nested too deeply; brackets in its texts count too, which errs safely."""
    if len(text) > MAX_FORMULA:
        raise FormulaError(f"a formula of {len(text)} characters is longer than {MAX_FORMULA}: {text[:60]}...")
    if text.count("(") <= MAX_LEVELS:
        return
    depth = deepest = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        deepest = max(deepest, depth)
    if deepest > MAX_LEVELS:
        raise FormulaError(f"a formula is nested {deepest} deep; spreadsheets take {MAX_LEVELS}: {text[:60]}...")
