"""Questions that people asked in public, as shipped scenarios: each has an answer, and the figures of its thread hold."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from reportgen.evaluation.evaluate import evaluate
from reportgen.scenario import load_scenario
from reportgen.text.answer import answer
from reportgen.text.table import Terminal
from tests.evaluation.conftest import DAY

QUESTIONS = Path(__file__).resolve().parents[2] / "scenarios" / "questions"
NAMES = sorted(path.stem for path in QUESTIONS.glob("*.yaml"))
GIB = 2**30


@cache
def result_of(name, *sets):
    return evaluate(load_scenario(QUESTIONS / f"{name}.yaml", sets=sets, date=DAY))


@pytest.mark.parametrize("name", NAMES)
def test_each_question_has_an_answer(name):
    result = result_of(name)
    assert result.value("layout_found") == 1 and not result.failed
    for language in ("en", "zh"):
        printed = Terminal(80).answer(answer(result, language, all_checks=True))
        assert "nan" not in printed.lower().split() and "remark_" not in printed


def test_one_request_of_a_million_tokens_takes_what_the_engine_logged():
    """24.00 GiB on each of eight ranks if every layer keeps every token; a quarter and the windows if three in four forget."""
    result = result_of("scout-million-tokens")
    tokens = 1_048_576
    assert result.value("key_value_bytes_per_token") * tokens / 8 == 24 * GIB
    kept = (12 * tokens + 36 * 8192) / (48 * tokens)
    assert result.value("key_value_bytes_at_max_context") == pytest.approx(kept * 8 * 24 * GIB)


def test_the_cache_of_a_token_is_a_small_part_of_what_was_feared():
    """2 x hidden 3584 x 28 layers x 8 counts bits as bytes and all heads: 1,605,632 instead of 57,344 at 16 bit."""
    result = result_of("20-requests-a-second")
    assert result.value("key_value_bytes_per_token") == 2 * 4 * 128 * 28 * 2
    assert 1_605_632 / result.value("key_value_bytes_per_token") == 28


def test_405b_holds_its_whole_context_once_prompts_are_read_in_pieces():
    result = result_of("405b-whole-context", "hardware={accelerator: h100-sxm, count: 8}")
    assert result.value("key_value_bytes_per_token") * 79_392 / GIB == pytest.approx(38.2, rel=0.01)  # as logged
    assert result.value("key_value_tokens") > 131_072


def test_more_requests_a_second_need_more_cards():
    few, many = (
        result_of("20-requests-a-second", f"load.requests_per_minute={rate}").value("replicas_working") for rate in (300, 3000)
    )
    assert few < result_of("20-requests-a-second").value("replicas_working") < many
