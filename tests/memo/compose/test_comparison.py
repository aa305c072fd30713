"""The comparison on one page: a sentence that is true, at most six rows, causes by the graph."""

import dataclasses
import io

import pytest

from reportgen.evaluation.compare import compare
from reportgen.memo import build_comparison_html, build_comparison_pdf
from reportgen.memo.compose import compose_comparison
from tests.memo.compose.results import LANGUAGES, found, texts

PRICES = {"h800-sxm": 1_820_000.0, "h20-sxm": 1_010_000.0}


def priced(name: str, language: str):
    """A result whose every line has a price, so that costs compare."""
    result = found(name, language)
    lines = tuple(
        line
        if line.amount == line.amount
        else dataclasses.replace(line, unit_price=1000.0, amount=1000.0 * line.quantity)
        for line in result.lines
    )
    flag = dataclasses.replace(result.quantities["main_line_priced"], value=1.0)
    return dataclasses.replace(result, lines=lines, quantities={**result.quantities, "main_line_priced": flag})


@pytest.mark.parametrize("language", LANGUAGES)
def test_costs_are_not_compared_while_machines_have_no_price(language):
    page = compose_comparison([found("base", language), found("too_slow", language)])
    assert ("not known before quotations" if language == "en" else "无法比较") in page.title.main
    assert page.figure is None
    assert not any("%" in text for text in (page.title.main, *page.advice))


def test_only_the_one_that_can_run_is_advised():
    page = compose_comparison([found("base", "en"), found("too_slow", "en")])
    assert page.advice[0] == "**Take A:** it is the only one that can run as asked."
    assert page.wins[1].name == "cannot run as asked" and page.wins[1].text == "Misses the deadline"
    assert "only A can run as asked" in page.title.main


@pytest.mark.parametrize("language", LANGUAGES)
def test_with_prices_costs_and_times_are_in_the_sentence(language):
    results = [priced("base", language), priced("four_runs", language)]
    page = compose_comparison(results)
    assert page.figure is not None and len(page.figure.chart.named) == 2
    assert ("costs" if language == "en" else "贵") in page.title.main
    assert ("finishes" if language == "en" else "完成") in page.title.main


def test_differences_name_the_inputs_behind_them():
    page = compose_comparison([found("base", "en"), found("too_slow", "en")])
    names = [line.name for line in page.inputs]
    assert "Deadline" in names and "GPUs given" in names
    assert all(len(line.values) == 2 for line in (*page.inputs, *page.results))


def test_at_most_six_are_printed_the_first_among_them():
    names = ("base", "too_slow", "four_runs", "rent", "feasibility", "allocation", "past_start", "over_budget")
    results = [found(name, "en") for name in names]
    page = compose_comparison(results)
    assert (
        len(page.scenarios.rows) == 6 and page.letters[0] == "A" and page.scenarios.note.startswith("2 more scenarios")
    )


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("count", [2, 4, 6])
def test_one_page(language, count):
    from pypdf import PdfReader

    names = ("base", "four_runs", "too_slow", "many_gpus", "finetune-70b-lora", "finetune-70b-qlora")[:count]
    warnings: list[str] = []
    content = build_comparison_pdf([priced(name, language) for name in names], warnings=warnings)
    assert len(PdfReader(io.BytesIO(content)).pages) == 1 and not warnings


def test_a_comparison_object_and_mixed_jobs_are_taken_too():
    results = [found("base", "en"), found("serve-70b-chat", "en"), found("batch-1000-requests", "en")]
    page = compose_comparison(compare(results))
    assert page.figure is None
    assert not any("nan" in text.split() for text in texts(page))
    assert "<!doctype html>" in build_comparison_html(compare(results))
