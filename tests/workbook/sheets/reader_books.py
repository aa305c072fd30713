"""Planned and settled books of shipped scenarios and of hard cases, each made once a test run."""

from __future__ import annotations

import dataclasses
from functools import cache
from pathlib import Path
from typing import Any

from reportgen.evaluation.evaluate import evaluate
from reportgen.evaluation.result import Result
from reportgen.formula import Symbol
from reportgen.scenario import load_scenario
from reportgen.workbook.book import plan
from reportgen.workbook.calculate import settle
from reportgen.workbook.cells import Book, Cell
from reportgen.workbook.model import Model

ROOT = Path(__file__).resolve().parents[3]
SCENARIOS = sorted(path.stem for path in (ROOT / "scenarios").glob("*.yaml"))
DATE = "2026-11-30"


@cache
def shipped_result(name: str) -> Result:
    """The result of a shipped scenario."""
    return evaluate(load_scenario(ROOT / "scenarios" / f"{name}.yaml"))


@cache
def shipped(name: str, language: str = "") -> Model:
    """Its settled book, in its own language or another one."""
    result = shipped_result(name)
    if language:
        result = dataclasses.replace(result, facts=dataclasses.replace(result.facts, language=language))
    return made(result)


def changed(name: str, *sets: str) -> Model:
    """The settled book of a shipped scenario with a few keys changed."""
    return made(evaluate(load_scenario(ROOT / "scenarios" / f"{name}.yaml", sets=sets)))


def made(result: Result) -> Model:
    """The settled book of a result."""
    model = Model(result)
    plan(model)
    settle(model.book)
    return model


def value(model: Model, reference: Any) -> Any:
    """The settled value behind a symbol or a name."""
    return model.book.value(Symbol(reference) if isinstance(reference, str) else reference)


def cells(book: Book, sheet: str, columns: str = "", first: int = 1) -> list[Cell]:
    """The cells of a sheet in some columns, from a row on."""
    numbers = {ord(letter) - 64 for letter in columns}
    found = book[sheet].cells.items()
    return [cell for (row, column), cell in found if row >= first and (not numbers or column in numbers)]


def texts(book: Book, sheet: str, columns: str = "", first: int = 1) -> list[str]:
    """The texts that those cells show."""
    return [cell.value for cell in cells(book, sheet, columns, first) if isinstance(cell.value, str)]
