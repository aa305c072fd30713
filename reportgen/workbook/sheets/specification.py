"""What a line of the list must be: the sentence of the wording with facts of the calculation, live and without a brand."""

from __future__ import annotations

from typing import Any

from reportgen.catalog.wording import placeholders
from reportgen.formula import pick, where
from reportgen.formula.operations import is_known
from reportgen.workbook.model import Model
from reportgen.workbook.sheets.live_text import sentence, shortest

UPPER_LIMITS = {"node_power_kw"}  # "at most": rounded up, so that the machine planned with stays admissible
LOADS = {"rack_power_kw"}  # what a part must carry: rounded up


def words_of_line(model: Model, key: str, part: str) -> Any:
    """A part of a line in words: item, specification, equivalent, purpose."""
    name = f"line_{key}_{part}"
    facts = {fact: written(model, fact) for fact in placeholders(model.words.label(name))}
    return sentence(model.words, name, **facts)


def written(model: Model, fact: str) -> Any:
    """A fact as suppliers read it: a minimum rounded down, a limit rounded up; what is not known is up to the offer."""
    value = fact_of(model, fact)
    number = shortest(value, up=fact in UPPER_LIMITS | LOADS)
    return where(is_known(value), number, model.words.label("request_as_offered"))


def fact_of(model: Model, fact: str) -> Any:
    """The cell of a quantity or an input, or the column of the accelerator table in the row of the accelerator."""
    if model.has(fact):
        return model.base(fact)
    return pick(model.tables[f"accelerators_{fact}"], model.base("accelerator_row"))
