"""The whole workbook of a result: every sheet written, the document described, the file made."""

from __future__ import annotations

import datetime
import gc
from collections.abc import Iterator
from contextlib import contextmanager

from reportgen.evaluation.result import Result
from reportgen.workbook.cells import Book, Properties
from reportgen.workbook.model import Model
from reportgen.workbook.sheets import (
    calc,
    catalog,
    changes,
    checks,
    crosscheck,
    inputs,
    layout_calc,
    layouts,
    options,
    readme,
    request,
    sensitivity,
    sources,
    trials,
)
from reportgen.workbook.write import workbook_bytes

# the grids first, then the sheets that read them; the book keeps the order of its tabs
WRITERS = (
    catalog.write, inputs.write, calc.write, request.write, layout_calc.write, trials.write, layouts.write, options.write,
    sensitivity.write, crosscheck.write, checks.write, sources.write, changes.write, readme.write,
)  # fmt: skip


def build_workbook(result: Result) -> bytes:
    """The xlsx file of a result: live formulas, the values beside them, the same bytes for the same result."""
    with without_collector():
        return workbook_bytes(plan_workbook(result))


@contextmanager
def without_collector() -> Iterator[None]:
    """No garbage collection meanwhile: a book is a hundred thousand objects, and none of them is garbage before it is written."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def plan_workbook(result: Result) -> Book:
    """Every sheet of a result, planned and not yet settled."""
    return plan(Model(result))


def plan(model: Model) -> Book:
    """Write all sheets of a model."""
    for write in WRITERS:
        write(model)
    model.book.properties = properties(model)
    return model.book


def properties(model: Model) -> Properties:
    """What the document says about itself."""
    facts, say = model.result.facts, model.words
    version = model.result.tool
    return Properties(
        title=facts.title,
        subject=say.text("book_subject", model=facts.model_name, accelerator=_accelerator_name(model)),
        description=say.text("book_description", version=version, id=model.result.id),
        keywords=", ".join(dict.fromkeys(("GPU", facts.job, facts.model, facts.accelerator))),
        version=version,
        scenario_id=model.result.id,
        date=datetime.date.fromisoformat(facts.date),
        footer_left=facts.title if len(facts.title) <= FOOTER else facts.title[: FOOTER - 1] + "…",
        footer_page=say.label("book_page"),
        custom={"Language": facts.language, "Currency": facts.currency},
    )


FOOTER = 70  # characters of the title in the footer, which Excel limits to 255 in all


def _accelerator_name(model: Model) -> str:
    name = model.result.tables["accelerators_name"].get(model.result.facts.accelerator)
    return name if isinstance(name, str) and name else model.result.facts.accelerator
