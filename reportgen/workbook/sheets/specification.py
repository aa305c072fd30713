"""What a line of the list must be: the sentence of the wording with facts of the calculation, live and without a brand."""

from __future__ import annotations

from typing import Any

from reportgen.catalog.wording import placeholders
from reportgen.estimator.rental import TERMS
from reportgen.formula import equals, is_known, pick, where
from reportgen.workbook.model import Model
from reportgen.workbook.sheets.live_text import rounded, sentence, shortest
from reportgen.workbook.sheets.spoken import unit_of

ROUNDED_UP = {"node_power_kw", "rack_power_kw"}  # limits and loads; all else is a minimum and rounded down
TO_THE_NEAREST = {"rental_hours", "rental_billed_hours"}


def words_of_line(model: Model, key: str, part: str) -> Any:
    """A part of a line in words: item, specification, equivalent, purpose."""
    name = f"line_{key}_{part}"
    facts = {fact: written(model, fact) for fact in placeholders(model.words.label(name))}
    return sentence(model.words, name, **facts)


def written(model: Model, fact: str) -> Any:
    """A fact as suppliers read it; what is not known is up to the offer."""
    value, unknown = fact_of(model, fact), model.words.label("request_as_offered")
    if fact == "rental_term":
        return _term(model, value)
    if unit_of(model, fact) == "share":
        return where(is_known(value), rounded(value, "0%"), unknown)
    up = None if fact in TO_THE_NEAREST else fact in ROUNDED_UP
    return where(is_known(value), shortest(value, up=up), unknown)


def _term(model: Model, value: Any) -> Any:
    """The term of a rental in words."""
    found: Any = model.words.label(f"rental_term_{TERMS[-1]}")
    for term in reversed(TERMS[:-1]):
        found = where(equals(value, term), model.words.label(f"rental_term_{term}"), found)
    return found


def fact_of(model: Model, fact: str) -> Any:
    """The cell of a quantity or an input, or the column of the accelerator table in the row of the accelerator."""
    if model.has(fact):
        return model.base(fact)
    return pick(model.tables[f"accelerators_{fact}"], model.base("accelerator_row"))
