"""The appendices of a memo. Each is optional; letters follow the order below, by what is present."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.memo.chart_schema import Mathematics
from reportgen.memo.table_schema import Line, Table


@dataclass(frozen=True, kw_only=True)
class ListLine:
    """A line of the hardware list, as on the Request sheet. All texts are printed as they stand; "–" = unknown."""

    name: str
    specification: str = ""
    quantity: str
    unit: str = ""
    price: str
    amount: str
    basis: str  # quotation, list price, estimate, quote needed
    as_of: str = ""
    weeks: str = "–"
    open: bool = False  # quote needed: rust


@dataclass(frozen=True, kw_only=True)
class Payment:
    """A part of the total by when it falls due."""

    name: str
    when: str = ""
    share: str
    amount: str


@dataclass(frozen=True, kw_only=True)
class HardwareList:
    """The whole list, its sums (last = total), what is left out, and payments by year (last = total)."""

    intro: str = ""
    unit: str  # "Thousand CNY"
    lines: tuple[ListLine, ...]
    sums: tuple[Line, ...] = ()
    notes: tuple[str, ...] = ()
    payments: tuple[Payment, ...] = ()


@dataclass(frozen=True, kw_only=True)
class FormulaRow:
    """A quantity: name, where the formula comes from, symbol = substitution = result."""

    name: str
    source: str = ""
    mathematics: Mathematics


@dataclass(frozen=True, kw_only=True)
class FormulaGroup:
    """Formulas of one subject."""

    name: str
    rows: tuple[FormulaRow, ...]


@dataclass(frozen=True, kw_only=True)
class Formulas:
    """Formulas with their numbers, and what each symbol means."""

    intro: str = ""
    groups: tuple[FormulaGroup, ...]
    symbols: tuple[tuple[Mathematics, str], ...] = ()


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule of thumb beside this memo, and the reason for the difference in a sentence."""

    name: str
    rule: str
    here: str
    unit: str
    ratio: str
    why: str


@dataclass(frozen=True, kw_only=True)
class CrossCheck:
    """Rules that readers know, then the measured runs nearest to this case (this request as the chosen row)."""

    intro: str = ""
    rules: tuple[Rule, ...]
    measured: Table | None = None


@dataclass(frozen=True, kw_only=True)
class InputRow:
    """An input: ends and base in one unit, how sure, and its source with date. `group` opens a new block."""

    name: str
    low: str = "–"
    base: str
    high: str = "–"
    unit: str = ""
    confidence: str = ""
    source: str = ""
    group: str = ""


@dataclass(frozen=True, kw_only=True)
class Inputs:
    """Everything typed or assumed."""

    intro: str = ""
    rows: tuple[InputRow, ...]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Lines:
    """A numbered list: sources, known limits."""

    intro: str = ""
    lines: tuple[str, ...]


@dataclass(frozen=True, kw_only=True)
class Glossary:
    """Words and what they mean."""

    intro: str = ""
    words: tuple[tuple[str, str], ...]


@dataclass(frozen=True, kw_only=True)
class Check:
    """A check of the workbook: what is compared, both sides, and the verdict as a word."""

    name: str
    left: str
    right: str = ""
    verdict: str
    action: str = ""
    failed: bool = False


@dataclass(frozen=True, kw_only=True)
class Checks:
    """The checks that were made."""

    intro: str = ""
    rows: tuple[Check, ...]


@dataclass(frozen=True, kw_only=True)
class Change:
    """What changed since the last version."""

    name: str
    before: str
    after: str
    unit: str = ""
    effect: str = ""


@dataclass(frozen=True, kw_only=True)
class Changes:
    """The list of changes, and what is attached to the file."""

    intro: str = ""
    rows: tuple[Change, ...]
    note: str = ""


@dataclass(frozen=True, kw_only=True)
class Appendices:
    """All appendices, in the order of their letters."""

    list: HardwareList | None = None
    formulas: Formulas | None = None
    cross_check: CrossCheck | None = None
    inputs: Inputs | None = None
    sources: Lines | None = None
    limits: Lines | None = None
    glossary: Glossary | None = None
    checks: Checks | None = None
    changes: Changes | None = None
