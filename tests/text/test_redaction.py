"""A result without prices."""

from __future__ import annotations

import dataclasses
import re

import pytest

from reportgen.evaluation.result import Message, Result
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


@pytest.mark.parametrize(
    ("quantity", "stays"), [("capital_cost", False), ("node_price", False), ("offer_servers", False), ("gpus", True)]
)
def test_a_value_given_by_hand_is_left_out_where_it_is_an_amount(quantity, stays):
    warning = Message("warning_override", {"quantity": quantity, "value": 987654.0})
    without = redacted(dataclasses.replace(sample_result(), warnings=(warning,)))
    assert bool(without.warnings) == stays
    assert ("987654" in without.dumps()) == stays


def test_an_amount_is_known_by_its_unit():
    sample = sample_result()
    item = next(item for item in sample.quantities.values() if "money" not in item.unit)
    renamed = {**sample.quantities, "sum_of_all": dataclasses.replace(item, key="sum_of_all", unit="money")}
    warning = Message("warning_override", {"quantity": "sum_of_all", "value": 987654.0})
    assert not redacted(dataclasses.replace(sample, quantities=renamed, warnings=(warning,))).warnings
