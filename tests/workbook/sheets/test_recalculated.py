"""Another engine recalculates every sheet of the written file to the same values, also after edits and for hard cases."""

from __future__ import annotations

import dataclasses
import io
import re

import openpyxl
import pytest

from reportgen.evaluation.evaluate import evaluate
from reportgen.scenario import load_scenario
from reportgen.workbook.calculate import settle
from reportgen.workbook.model import BASE, Model
from reportgen.workbook.write import workbook_bytes
from tests.workbook.engine.recalculate import (
    differences,
    formula_cells,
    iron_calc,
    settled_values,
    with_inputs,
)
from tests.workbook.sheets.reader_books import ROOT, made, shipped, shipped_result


def checked(model: Model, content: bytes) -> None:
    found = differences(formula_cells(model.book), settled_values(model.book), iron_calc(content))
    assert not found, found[:3]


@pytest.mark.parametrize("name", ["finetune-70b", "serve-70b-chat", "batch-1000-requests", "qlora-8b-workstation"])
def test_every_formula_in_chinese(name):
    model = shipped(name, "zh")
    checked(model, workbook_bytes(model.book))


EDITS = {
    "an offer": {"offer_accelerator_servers": 1_850_000.0},
    "a discount": {"discount_shared_storage": 0.3},
    "both": {"offer_ups_capacity": 4_000.0, "discount_ups_capacity": 0.1},
    "another accelerator": {"accelerator": "h20-sxm"},
    "one without a price": {"accelerator": "a800-sxm-80gb"},
    "a fixed count": {"fixed_gpu_count": 64.0},
    "an impossible count": {"fixed_gpu_count": 8.0},
    "a deadline that nothing holds": {"deadline_days": 0.01},
    "no contingency": {"contingency_share": 0.0},
}


@pytest.mark.parametrize("edit", EDITS)
def test_after_an_edit_inside_the_file(edit):
    model = made(shipped_result("finetune-70b"))
    content = workbook_bytes(model.book)
    changes = {}
    for key, new in EDITS[edit].items():
        symbol = model.typed[key] if key in model.typed else model.inputs.ref(key, BASE)
        model.book.cell(symbol).content = new
        place = symbol.key
        changes[model.book[place.sheet].title, place.row, place.column] = new
    settle(model.book)
    checked(model, with_inputs(content, changes))


HARD = {
    "nothing fits": ("finetune-70b", ("hardware={accelerator: rtx-4090, count: 8}",)),
    "one GPU": ("qlora-8b-workstation", ("hardware={accelerator: rtx-4090, count: 1}",)),
    "4,096 GPUs": ("pretrain-7b", ("hardware={accelerator: h100-sxm, count: 4096}",)),
    "rented": ("finetune-70b", ("hardware={accelerators: [h800-sxm, a800-sxm-80gb], acquire: rent}",)),
    "no price at all": ("finetune-70b", ("hardware={accelerator: mi300x}",)),
    "with a budget": ("serve-70b-chat", ("budget=1M CNY",)),
}


@pytest.mark.parametrize("case", HARD)
def test_hard_cases(case):
    name, sets = HARD[case]
    scenario = load_scenario(ROOT / "scenarios" / f"{name}.yaml", sets=sets)
    model = made(evaluate(scenario))
    content = workbook_bytes(model.book)
    checked(model, content)
    assert not shown_errors(model, content)


READ = ("readme", "request", "options", "sensitivity", "crosscheck", "checks", "changes")


def shown_errors(model: Model, content: bytes) -> list[str]:
    """Errors and exponents that a reader would see."""
    titles = [model.book[key].title for key in READ]
    book = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    found = []
    for sheet in (book[title] for title in titles):
        for row in sheet.iter_rows():
            for cell in row:
                if isinstance(cell.value, str) and re.search(
                    r"#(N/A|VALUE|REF|DIV|NAME|NUM)|\bnan\b|\d[eE]\+\d|\d\.\d+[eE]-\d", cell.value
                ):
                    found.append(f"{sheet.title}!{cell.coordinate}: {cell.value}")
    return found


@pytest.mark.parametrize("name", ["finetune-70b", "serve-70b-chat", "batch-1000-requests"])
def test_no_reader_sees_an_error_or_an_exponent(name):
    model = shipped(name)
    assert not shown_errors(model, workbook_bytes(model.book))


LONG = "A title that goes on and on " * 7 + "end"
MALICIOUS = (
    "=cmd|' /C calc'!A0",
    "+1+1",
    "-2+3",
    "@SUM(A1)",
    '"&HYPERLINK("http://x")&"',
    "</is></c>",
    "_x0041_ & <b>",
)


@pytest.mark.parametrize("texts", [(MALICIOUS[0], LONG, *MALICIOUS[1:3]), MALICIOUS[:2:-1]], ids=["long", "short"])
def test_texts_of_users_stay_texts(texts):
    result = shipped_result("qlora-8b-workstation")
    title, purpose, requester, reference = texts
    facts = {"title": title[:200], "purpose": purpose, "requester": requester, "reference": reference}
    model = made(dataclasses.replace(result, facts=dataclasses.replace(result.facts, **facts)))
    content = workbook_bytes(model.book)
    checked(model, content)
    sheet = openpyxl.load_workbook(io.BytesIO(content))[model.book["readme"].title]
    written = [cell.value for row in sheet.iter_rows() for cell in row if isinstance(cell.value, str)]
    for text in texts:
        formulas = [value for value in written if value.startswith("=") and text[:8] in value]
        assert not [value for value in formulas if value != text]
        assert any(value == text or text[:20] in value for value in written)


def test_a_long_title_is_whole_on_the_page():
    result = shipped_result("qlora-8b-workstation")
    model = made(dataclasses.replace(result, facts=dataclasses.replace(result.facts, title=LONG[:200])))
    column = [cell.value for (_, number), cell in sorted(model.book["readme"].cells.items()) if number == 1]
    shown = " ".join(value for value in column if isinstance(value, str))
    assert LONG[:199].replace(" ", "") in shown.replace(" ", "")
