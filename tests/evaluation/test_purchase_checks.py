"""Checks about a purchase judge only where something is bought."""

import pytest

from reportgen.estimator.checks import checks_of
from reportgen.evaluation.result import Result
from tests.evaluation.conftest import result_of

SHORT = {"data": {"tokens": 1e7}, "hardware": {"accelerator": "h100-sxm", "count": 8}}


def status(result: Result, key: str) -> str:
    """How a check stands, or that there is none."""
    return next((item.status for item in result.checks if item.key == key), "none")


def test_a_short_job_is_looked_at_where_its_machines_are_bought():
    assert status(result_of(**SHORT), "lifetime_used") == "LOOK"


def test_equipment_that_is_there_already_need_not_be_used_up():
    item = result_of(**SHORT, owned=[{"accelerator": "h100-sxm", "count": 64, "utilization": 0}])
    assert item.value("gpus_bought") == 0
    assert item.value("lifetime_share") < item.value("rent_compared_below_share")
    assert status(item, "lifetime_used") == "OK"


def test_a_job_longer_than_the_lifetime_says_how_much_longer():
    once = result_of(hardware=SHORT["hardware"], data={"tokens": 1e13})
    twice = result_of(hardware=SHORT["hardware"], data={"tokens": 2e13})
    assert once.value("lifetime_share") > 1
    assert twice.value("lifetime_share") == pytest.approx(2 * once.value("lifetime_share"), rel=1e-3)


@pytest.mark.parametrize(("way", "judged"), [("buy", True), ("rent", False)])
def test_parts_of_a_purchase_add_up_where_there_is_one(way, judged):
    item = result_of(hardware={**SHORT["hardware"], "acquire": way})
    assert (status(item, "parts_sum") == "OK") is judged
    assert any(rule.key == "parts_sum" for rule in checks_of(frozenset(item.features))) is judged
