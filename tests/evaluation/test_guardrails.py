"""Guardrails: they fail, say by how much, and what size or day would keep them."""

import pytest

from reportgen.catalog.wording import wording
from reportgen.estimator.checks import checks_of
from reportgen.evaluation.result import Result
from reportgen.text.speech import Speech
from tests.evaluation.conftest import result_of

LONG = {"data": {"tokens": 3e11}}
COUNT = {"hardware": {"accelerator": "h100-sxm", "count": 64}}


def check(result: Result, key: str):
    """A check by its key."""
    return next(item for item in result.checks if item.key == key)


def change(result: Result, key: str, message: str) -> dict:
    """The values of what would have to change."""
    return next(item.values for item in check(result, key).changes if item.key == message)


def test_a_check_that_holds_asks_for_nothing(result):
    assert all(not item.changes for item in result.checks if item.status == "OK")


def test_every_change_has_words(result):
    for language in ("en", "zh"):
        speech = Speech(result, language)
        for item in result.checks:
            assert all(speech.message(message) for message in item.changes)


def test_over_the_budget():
    item = result_of(**LONG, **COUNT, budget="9 M CNY")
    assert check(item, "budget_kept").status == "FAIL" and item.failed
    over = change(item, "budget_kept", "check_budget_kept_over")
    assert over["money"] == pytest.approx(item.value("requested_amount") - 9e6)
    size = change(item, "budget_kept", "change_size")
    assert 1 <= size["nodes"] < 8 and size["training_days"] > item.value("training_days")
    again = result_of(**LONG, hardware={"accelerator": "h100-sxm", "count": int(size["gpus"])}, budget="9 M CNY")
    assert check(again, "budget_kept").status == "OK"


def test_no_size_is_within_a_small_budget():
    item = result_of(**LONG, **COUNT, budget="9 k CNY")
    assert change(item, "budget_kept", "change_no_size") == {"accelerator": "h100-sxm"}


@pytest.mark.parametrize(
    "way", [{"accelerator": "h800-sxm"}, {"accelerator": "h20-sxm", "acquire": "rent"}], ids=["buy", "rent"]
)
def test_a_budget_sizes_and_judges_nothing_without_a_price(way):
    item, free = (result_of(hardware=way, **keys) for keys in ({"budget": "10 M CNY"}, {}))
    kept = check(item, "budget_kept")
    assert kept.status == "LOOK" and kept.left != kept.left and not kept.changes
    assert item.value("within_budget") == 0 and item.value("layout_found") == 1
    assert item.value("nodes") == free.value("nodes")
    assert not [option for option in item.options if option.kind == "budget"]


def test_a_power_that_is_not_known_is_looked_at():
    item = result_of(hardware={"accelerator": "ascend-910c"}, site={"power": "50 kW"})
    kept = check(item, "site_power_kept")
    assert kept.status == "LOOK" and kept.left != kept.left


def test_checks_carry_the_unit_of_their_left_side(result):
    units = {item.key: item.unit for item in (*result.inputs, *result.quantities.values())}
    lefts = {rule.key: rule.left for rule in checks_of(frozenset(result.features))}
    assert all(item.unit and item.unit == units[lefts[item.key]] for item in result.checks)


def test_more_power_than_the_room_gives():
    item = result_of(**LONG, **COUNT, site={"power": "50 kW"})
    over = change(item, "site_power_kept", "check_site_power_kept_over")
    assert over["it_power_kw"] == pytest.approx(item.value("it_power_kw") - 50)
    size = change(item, "site_power_kept", "change_size")
    again = result_of(**LONG, hardware={"accelerator": "h100-sxm", "count": int(size["gpus"])}, site={"power": "50 kW"})
    assert check(again, "site_power_kept").status == "OK"


def test_more_racks_than_are_free():
    item = result_of(**LONG, **COUNT, site={"racks": 3})
    assert change(item, "racks_kept", "check_racks_kept_over")["racks"] == item.value("racks") - 3


def test_later_than_the_deadline_names_the_smallest_size_that_is_not():
    item = result_of(**LONG, hardware={"accelerator": "h100-sxm", "count": 16}, deadline="30 days")
    size = change(item, "deadline_met", "change_size")
    assert size["nodes"] > 2
    again = result_of(**LONG, hardware={"accelerator": "h100-sxm", "count": int(size["gpus"])}, deadline="30 days")
    assert check(again, "deadline_met").status == "OK"


def test_a_start_before_the_slowest_line_is_there():
    item = result_of(start="2027-01-10")
    late = check(item, "delivered_in_time")
    assert (late.status, late.right) == ("FAIL", 41)
    assert late.left == item.value("delivery_weeks") * 7
    assert change(item, "delivered_in_time", "check_delivered_in_time_over")["day"] == "2027-05-17"
    slowest = change(item, "delivered_in_time", "change_slowest")
    assert slowest == {"lead_time_longest": 20.0, "line": ["accelerator_servers"]}
    assert check(result_of(start="2027-06-01"), "delivered_in_time").status == "OK"


def test_rent_and_equipment_that_is_there_are_there_sooner():
    rented = result_of(start="2027-01-10", hardware={"accelerators": ["h100-sxm"], "acquire": "rent"})
    assert check(rented, "delivered_in_time").status == "OK"
    owned = result_of(start="2027-01-10", owned=[{"accelerator": "h100-sxm", "count": 8, "utilization": 0}])
    assert owned.value("delivery_weeks") < result_of(start="2027-01-10").value("delivery_weeks")


def test_a_last_day_counts_delivery_and_job():
    item = result_of(deadline={"by": "2027-03-01"})
    done = check(item, "done_in_time")
    assert done.status == "FAIL"
    assert done.left == pytest.approx(item.value("delivery_days") + item.value("days_to_deadline"))
    assert check(item, "deadline_met").status == "OK"
    assert check(result_of(deadline={"by": "2027-09-01"}), "done_in_time").status == "OK"


def test_a_promised_date_of_delivery_overrides_the_rule():
    item = result_of(start="2027-01-10", overrides={"delivery_weeks": 5})
    assert check(item, "delivered_in_time").status == "OK"


def test_a_term_that_is_hardly_used_is_looked_at():
    item = result_of(hardware={"accelerators": ["h100-sxm"], "acquire": "rent", "term": "reserved-1y"})
    assert check(item, "rental_term_used").status == "LOOK"
    hourly = result_of(hardware={"accelerators": ["h100-sxm"], "acquire": "rent"})
    said = change(item, "rental_term_used", "change_on_demand")
    assert said["money"] == pytest.approx(hourly.value("rental_cost"))
    assert not item.failed


def test_every_check_has_its_words():
    from reportgen.estimator.checks import CHECKS

    for language in ("en", "zh"):
        words = wording(language)
        assert not [
            rule.key for rule in CHECKS if not words.has(f"check_{rule.key}") or not words.has(f"check_{rule.key}_do")
        ]
