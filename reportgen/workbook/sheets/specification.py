"""What a line of the list must be: the sentence of the wording with facts of the calculation, live and without a brand."""

from __future__ import annotations

from typing import Any

from reportgen.catalog.wording import placeholders
from reportgen.estimator.rental import TERMS
from reportgen.formula import Symbol, equals, is_known, pick, where
from reportgen.workbook.frame import FIRST_ROW, HEADER_ROW
from reportgen.workbook.model import Model
from reportgen.workbook.sheets.live_text import rounded, sentence, shortest
from reportgen.workbook.sheets.spoken import unit_of

ROUNDED_UP = {"node_power_kw", "rack_power_kw"}  # limits and loads; all else is a minimum and rounded down
TO_THE_NEAREST = {"rental_hours", "rental_billed_hours"}
COLUMNS, WIDTHS = ("AC", "AD", "AE"), (34.0, 16.0, 16.0)  # beside the printed leaves


class Specification:
    """Writes the words of lines; the facts in them stand beside the printed leaves, each once."""

    def __init__(self, model: Model):
        self.model, self.sheet = model, model.book["request"]
        self.facts: dict[str, Symbol] = {}
        titles = [model.words.label(f"request_fact_{key}") for key in ("name", "value", "written")]
        self.sheet.put_row(HEADER_ROW, COLUMNS[0], titles, "head")
        self.sheet.set_widths([3.0, *WIDTHS], 28)

    def words(self, key: str, part: str) -> Any:
        """A part of a line in words: item, specification, equivalent, purpose."""
        name = f"line_{key}_{part}"
        facts = {fact: self._fact(fact) for fact in placeholders(self.model.words.label(name))}
        return sentence(self.model.words, name, **facts)

    def _fact(self, fact: str) -> Symbol:
        """The cell of a fact as suppliers read it."""
        if fact not in self.facts:
            row = FIRST_ROW + len(self.facts)
            name, value, text = COLUMNS
            table = f"accelerators_{fact}"
            label = table if self.model.words.has(table) and not self.model.has(fact) else fact
            self.sheet.put(row, name, self.model.label(label), "line")
            cell = self.sheet.put(row, value, self._value(fact), "link", "General")
            self.facts[fact] = self.sheet.put(row, text, self._written(fact, cell), "formula_text")
        return self.facts[fact]

    def _value(self, fact: str) -> Any:
        """The cell of a quantity or an input, or the column of the accelerator table in the row of the accelerator."""
        if self.model.has(fact):
            return self.model.base(fact)
        return pick(self.model.tables[f"accelerators_{fact}"], self.model.base("accelerator_row"))

    def _written(self, fact: str, value: Symbol) -> Any:
        """A fact in words; what is not known is up to the offer."""
        unknown = self.model.words.label("request_as_offered")
        if fact == "rental_term":
            return self._term(value)
        if unit_of(self.model, fact) == "share":
            return where(is_known(value), rounded(value, "0%"), unknown)
        up = None if fact in TO_THE_NEAREST else fact in ROUNDED_UP
        return where(is_known(value), shortest(value, up=up), unknown)

    def _term(self, value: Symbol) -> Any:
        """The term of a rental in words."""
        found: Any = self.model.words.label(f"rental_term_{TERMS[-1]}")
        for term in reversed(TERMS[:-1]):
            found = where(equals(value, term), self.model.words.label(f"rental_term_{term}"), found)
        return found
