"""A result without prices."""

from __future__ import annotations

import re

from reportgen.evaluation.result import Result
from reportgen.text.answer import answer
from reportgen.text.markdown import markdown
from reportgen.text.redaction import redacted
from tests.text.sample_result import sample_result

AMOUNTS = ("23950000", "30120000", "1820000", "14560000", "16452800", "27000000", "23.95", "30.12", "1.82 M", "14.56")


def test_no_amount_is_left():
    without = redacted(sample_result())
    for text in (without.dumps(), markdown(answer(without))):
        assert not [amount for amount in AMOUNTS if amount in text]


def test_what_is_asked_for_stays():
    without, before = redacted(sample_result()), sample_result()
    assert [line.quantity for line in without.lines] == [line.quantity for line in before.lines]
    assert without.value("gpus") == 64
    assert without.value("training_days") == before.value("training_days")
    assert without.facts.scenario_text == ""


def test_every_line_asks_for_a_quote():
    assert {line.basis for line in redacted(sample_result()).lines} == {"quote_needed"}
    said = markdown(answer(redacted(sample_result())))
    assert len(re.findall(r"\| quote needed \|", said)) == 2


def test_it_is_a_result_like_any_other():
    import json

    without = redacted(sample_result())
    assert Result.from_json(json.loads(without.dumps())).dumps() == without.dumps()
