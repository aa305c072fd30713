"""Keys of a request that change what is planned: network, server, cooling, approval, what is compared, owned cards."""

from __future__ import annotations

import pytest

from reportgen.evaluation.judging import holds
from reportgen.scenario import scenario_from_mapping
from tests.evaluation.conftest import DAY, result_of
from tests.evaluation.test_options import option, said

SEVERAL = {"data": {"tokens": 2e10}, "hardware": {"accelerators": ["h100-sxm"], "count": 32}}


def check(result, key: str):
    """A check by its key."""
    return next(item for item in result.checks if item.key == key)


def hardware(**keys) -> dict:
    """Thirty-two H100 with some keys."""
    return {"data": {"tokens": 2e10}, "hardware": {"accelerators": ["h100-sxm"], "count": 32, **keys}}


def test_the_network_that_is_asked_for_is_planned_and_slows_the_step():
    usual, slow = result_of(**SEVERAL), result_of(**hardware(network="100 Gbit/s"))
    assert usual.value("compute_nic_gbit_s") == 400 and slow.value("compute_nic_gbit_s") == 100
    assert slow.value("network_gb_s_per_gpu") == pytest.approx(12.5)
    assert slow.value("training_days") > usual.value("training_days")


def test_a_server_that_is_named_is_the_one_that_is_planned():
    usual, named = result_of(**SEVERAL), result_of(**hardware(server="hgx-h100"))
    facts = [item.tables["accelerators_node_name"].get("h100-sxm") for item in (usual, named)]
    assert facts[0] != facts[1] and "Eos" in facts[1]
    prices = [item.lines[0].unit_price for item in (usual, named)]
    assert prices[0] > 0 and prices[1] != prices[1], "the price of one server is not that of another"


@pytest.mark.parametrize(
    "accelerator, cooling, status", [("gb200", "air", "FAIL"), ("gb200", "liquid", "OK"), ("h100-sxm", "air", "OK")]
)
def test_the_room_cools_by_air_or_by_liquid(accelerator, cooling, status):
    item = result_of(hardware={"accelerators": [accelerator]}, site={"cooling": cooling})
    assert check(item, "cooling_suits").status == status


def test_an_accelerator_that_the_room_cannot_cool_says_so():
    item = result_of(hardware={"accelerators": ["h100-sxm", "gb200"]}, site={"cooling": "air"})
    assert "reason_needs_liquid" in said(option(item, "gb200-buy"))
    assert "reason_needs_liquid" not in said(option(item, "gb200-rent"))


def test_more_than_may_be_approved_is_looked_at():
    above = check(result_of(policy={"approval_limit": "1 M CNY"}), "approval_suffices")
    assert above.status == "LOOK" and above.changes[0].values["money"] == pytest.approx(above.left - 1e6)
    assert check(result_of(policy={"approval_limit": "900 M CNY"}), "approval_suffices").status == "OK"
    unknown = result_of(policy={"approval_limit": "900 M CNY"}, hardware={"accelerators": ["gaudi2"]})
    assert check(unknown, "approval_suffices").status == "LOOK", "what is not priced is not within a limit"


def test_renting_is_compared_unless_it_is_not_wanted():
    ways = {way: {item.way for item in result_of(options={"rent": way}).options} for way in (True, False)}
    assert "rent" in ways[True] and "rent" not in ways[False]
    asked = result_of(options={"rent": False}, hardware={"accelerators": ["h100-sxm"], "acquire": "rent"})
    assert next(item for item in asked.options if item.chosen).way == "rent"


def serving(**keys):
    """A small service."""
    from reportgen.evaluation.evaluate import evaluate

    written = {"title": "A test", "job": "serving", "model": "llama-3.1-8b", "load": {"users": 300}, **keys}
    return evaluate(scenario_from_mapping({"hardware": {"accelerators": ["l40s"]}, **written}, date=DAY))


def test_smaller_weights_are_compared_where_the_scenario_lets_them():
    keys = {item.key for item in serving().options}
    assert not {key for key in keys if key.startswith("quantized")}
    item = serving(options={"quantized": True})
    found = {name: option(item, f"quantized-{name}") for name in ("fp8", "int4")}
    sizes = [found[name].values["memory_per_gpu_gib"] for name in found]
    assert all(size > 0 for size in sizes) and "reason_quantized" in said(found["int4"])
    eight = {item.key for item in serving(options={"quantized": True}, precision={"weights": "fp8", "kv": "fp8"}).options}
    assert "quantized-int4" in eight and "quantized-fp8" not in eight


def test_variants_and_domestic_accelerators_stand_beside_unasked():
    beside = {item.accelerator: item for item in result_of().options if item.kind == "beside"}
    assert {"h800-sxm", "h20-sxm", "ascend-910b3", "ascend-910c"} <= set(beside)
    status = said(beside["h800-sxm"])["reason_check_supply"]
    assert status["status"] == "ended" and status["day"] == "2023-10-17"
    assert not [item for item in result_of(region="US").options if item.kind == "beside"]
    forbidden = [item for item in result_of(policy={"domestic_only": True}).options if item.kind == "beside"]
    assert {item.accelerator for item in forbidden if item.permitted} == {name for name in beside if "ascend" in name}


def test_servers_come_full():
    remarks = {message.key: message.values for message in result_of(hardware={"accelerator": "h100-sxm", "count": 12}).remarks}
    assert remarks["remark_whole_servers"] == {"asked": 12.0, "per_node": 8.0, "gpus": 16.0}
    whole = result_of(hardware={"accelerator": "h100-sxm", "count": 16})
    desk = result_of(hardware={"accelerator": "rtx-4090", "count": 3}, method="qlora")
    assert not [message for item in (whole, desk) for message in item.remarks if message.key == "remark_whole_servers"]


@pytest.mark.parametrize("there, free", [(30_000, 1), (99_999, 7), (3_000, 24), (10, 1), (49, 7)])
def test_what_is_free_is_a_whole_number_whatever_the_last_bits_say(there, free):
    item = result_of(owned={"accelerator": "h100-sxm", "count": there, "utilization": 1 - free / there})
    assert item.value("gpus_owned_free") == free


def test_memory_that_may_exceed_the_card_is_looked_at(result):
    capacity = result.value("memory_capacity_gib")
    adverse = check(result, "memory_fits_adverse")
    assert adverse.left == result.quantities["memory_per_gpu_gib"].adverse
    assert adverse.status == ("OK" if holds("<=", adverse.left, capacity, 0) else "LOOK")
    if "training" in result.features:
        likely = check(result, "memory_fits_p90")
        assert likely.left == pytest.approx(result.quantities["memory_per_gpu_gib"].p90)
        assert likely.status == ("OK" if likely.left <= capacity else "LOOK")


def test_every_source_that_is_cited_is_listed(result):
    listed = {item.key for item in result.sources}
    cited = {line.source for line in (*result.lines, *result.rental)}
    cited |= {key for name, column in result.tables.items() if "source" in name for key in column.values}
    assert cited - {"", "scenario"} <= listed


def test_cases_enclose_the_base_in_power_and_money(result):
    for key in ("it_power_kw", "facility_power_kw", "purchase_cost", "total_cost"):
        item = result.quantities[key]
        if item.value == item.value:
            assert item.favourable <= item.value * (1 + 1e-9) and item.value <= item.adverse * (1 + 1e-9), key
