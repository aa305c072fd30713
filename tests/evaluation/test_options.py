"""Options: every way with the reason why it was not chosen, what is better said plainly, and what money or equipment allows."""

import pytest

from reportgen.text.speech import Speech
from tests.evaluation.conftest import result_of

LONG = {"data": {"tokens": 2e10}}


def option(result, key):
    """An option by its key."""
    return next(item for item in result.options if item.key == key)


def said(item) -> dict:
    """Reasons of an option by their key."""
    return {message.key: message.values for message in item.reasons}


def remark(result, start: str) -> list[dict]:
    """Values of the remarks whose key starts so."""
    return [message.values for message in result.remarks if message.key.startswith(start)]


def test_a_slower_cheaper_accelerator_says_both():
    item = result_of(**LONG, hardware={"accelerators": ["h100-sxm", "a100-sxm-80gb"]}, deadline="60 days", region="US")
    reasons = said(option(item, "a100-sxm-80gb-buy"))
    first, second = (option(item, f"{name}-buy").values for name in ("h100-sxm", "a100-sxm-80gb"))
    assert reasons["reason_cheaper"]["money"] == pytest.approx(first["purchase_cost"] - second["purchase_cost"])
    slower = reasons["reason_slower_training_days"]["training_days"]
    assert slower == pytest.approx(second["training_days"] - first["training_days"])
    better = remark(item, "better_cheaper_buy")[0]
    assert better["accelerator"] == "a100-sxm-80gb" and 0 < better["share"] < 1


def test_renting_is_held_against_buying_over_the_years_of_use():
    item = result_of(**LONG)
    values = option(item, "h100-sxm-rent").values
    reasons = said(option(item, "h100-sxm-rent"))
    key = "reason_dearer_over_years" if "reason_dearer_over_years" in reasons else "reason_cheaper_over_years"
    difference = abs(values["rental_cost_of_same_use"] - values["purchase_total_cost"])
    assert reasons[key]["money"] == pytest.approx(difference)


@pytest.mark.parametrize(("tokens", "compared"), [(1e9, False), (3e13, True)], ids=["short", "long"])
def test_buying_is_held_against_renting_where_the_job_uses_enough_of_a_lifetime(tokens, compared):
    item = result_of(data={"tokens": tokens}, hardware={"accelerator": "h100-sxm", "count": 64, "acquire": "rent"}, region="US")
    bought = option(item, "h100-sxm-buy")
    assert (bought.values["lifetime_share"] >= item.value("rent_compared_below_share")) is compared
    assert any(key.endswith("_over_years") for key in said(bought)) is compared
    assert bool(remark(item, "better_cheaper_over_years_buy")) is compared


def test_an_option_without_a_price_is_not_called_cheaper():
    item = result_of(hardware={"accelerators": ["h100-sxm", "gaudi2"]})
    reasons = said(option(item, "gaudi2-buy"))
    assert "reason_quote_needed" in reasons
    assert not {"reason_cheaper", "reason_dearer"} & set(reasons)
    assert all(values["accelerator"] != "gaudi2" for values in remark(item, "better_cheaper"))


def test_a_request_without_a_price_says_what_the_rest_costs():
    item = result_of(hardware={"accelerators": ["gaudi2", "h100-sxm"]})
    assert item.value("main_line_priced") == 0
    known = sum(line.amount for line in item.lines if line.amount == line.amount)
    assert item.value("other_lines_total") == pytest.approx(known)
    warned = next(message.values for message in item.warnings if message.key == "warning_servers_unpriced")
    assert warned == {"accelerator": "gaudi2", "purchase_cost": item.value("purchase_cost")}
    assert "to be quoted" in Speech(item, "en").asked() and "待询价" in Speech(item, "zh").asked()
    assert result_of().value("main_line_priced") == 1


def test_more_power_than_the_room_gives_is_a_reason():
    item = result_of(**LONG, hardware={"accelerators": ["a100-sxm-80gb", "h100-sxm"]}, site={"power": "9 kW"})
    over = said(option(item, "h100-sxm-buy"))["reason_over_site_power"]
    assert over["it_power_kw"] == pytest.approx(option(item, "h100-sxm-buy").values["it_power_kw"] - 9)


def test_the_reason_that_forbids_comes_first():
    item = result_of(policy={"cloud_allowed": False}, hardware={"accelerators": ["h20-sxm"]})
    rented = option(item, "h20-sxm-rent")
    assert not rented.permitted and rented.reasons[0].key == "reason_cloud_not_allowed"


def test_export_variants_and_domestic_accelerators_stand_beside_the_others():
    names = ["h800-sxm", "a800-sxm-80gb", "h20-sxm", "ascend-910b3", "ascend-910c"]
    item = result_of(hardware={"accelerators": names})
    assert {entry.accelerator for entry in item.options if entry.kind == "accelerator"} == set(names)
    bought = [option(item, f"{name}-buy") for name in names]
    assert all(entry.permitted for entry in bought)
    only = result_of(hardware={"accelerators": names}, policy={"domestic_only": True})
    allowed = {entry.accelerator for entry in only.options if entry.kind == "accelerator" and entry.permitted}
    assert allowed == {"ascend-910b3", "ascend-910c"}


def test_what_is_not_shown_is_counted(result):
    layouts, accelerators = (
        remark(result, "remark_layouts_tried" if len(result.layouts) > 1 else "remark_layouts_tried_alone")[0],
        remark(result, "remark_accelerators_not_shown")[0],
    )
    assert layouts["every"] == sum(block.considered for block in result.layouts) >= layouts["shown"]
    assert layouts["considered"] == result.layouts[0].considered
    total = len(result.tables["accelerators_id"].values)
    assert accelerators["compared"] + accelerators["others"] == total


def test_half_the_money():
    item = result_of(**LONG, model="llama-3.1-8b", budget="16 M CNY", hardware={"accelerators": ["a100-sxm-80gb"]})
    half = option(item, "half-budget")
    assert half.values["purchase_cost"] <= 8e6
    assert half.values["nodes"] < item.value("nodes")
    assert half.values["training_days"] > item.value("training_days")
    assert "reason_half_budget" in said(half)


def test_what_the_budget_buys_when_the_request_is_above_it():
    item = result_of(data={"tokens": 3e11}, deadline="20 days", budget="9 M CNY")
    within = option(item, "within-budget")
    assert within.values["purchase_cost"] <= 9e6 < item.value("purchase_cost")
    assert not within.in_time
    kept = result_of(data={"tokens": 1e9}, deadline="20 days", budget="9 M CNY")
    assert not [entry for entry in kept.options if entry.key == "within-budget"]


def test_owned_equipment_by_its_use():
    owned = [
        {"accelerator": "h100-sxm", "count": 32, "utilization": 0.5},
        {"accelerator": "a100-sxm-80gb", "count": 8, "utilization": 1},
        {"accelerator": "h800-sxm", "count": 8},
    ]
    item = result_of(data={"tokens": 3e11}, deadline="20 days", owned=owned)
    assert item.value("nodes_reused") == 2
    assert item.value("nodes_bought") == item.value("nodes_installed") - 2
    free = option(item, "owned-h100-sxm")
    assert free.values["gpus"] == 16 and said(free)["reason_owned_free"] == {"free": 16.0, "gpus": 32.0}
    assert not option(item, "owned-a100-sxm-80gb").fits
    assert "reason_owned_use_unknown" in said(option(item, "owned-h800-sxm"))
    warned = [message.key for message in item.warnings]
    assert "warning_owned_reused" in warned and "warning_owned_use_unknown" in warned
    assert item.value("purchase_cost") < result_of(data={"tokens": 3e11}, deadline="20 days").value("purchase_cost")
    assert option(item, "nothing").kind == "nothing"


WHOLE = {  # free GPUs of servers that hold eight -> GPUs that the option uses, and what is said of them
    "a rest of a server": ([("h100-sxm", 40, 0.5)], 16, {"free": 20.0, "gpus": 40.0}),
    "named twice": ([("h100-sxm", 10, 0.5), ("h100-sxm", 10, 0)], 8, {"free": 15.0, "gpus": 20.0}),
    "less than a server": ([("h100-sxm", 10, 0.5)], None, {"free": 5.0, "gpus": 10.0}),
    "use of a part unknown": ([("h100-sxm", 8, None), ("h100-sxm", 8, 0)], 8, {"free": 8.0, "gpus": 16.0}),
}


@pytest.mark.parametrize(("there", "used", "free"), WHOLE.values(), ids=WHOLE)
def test_nothing_else_than_what_is_there_buys_no_server(there, used, free):
    keys = ("accelerator", "count", "utilization")
    owned = [{key: value for key, value in zip(keys, item, strict=True) if value is not None} for item in there]
    item = result_of(owned=owned)
    (entry,) = (option for option in item.options if option.kind == "owned")
    assert said(entry)["reason_owned_free"] == free
    if used is None:
        assert not entry.fits and "reason_owned_no_whole_server" in said(entry)
    else:
        assert (entry.values["gpus"], entry.values["nodes_bought"]) == (used, 0)


def test_spare_servers_are_of_what_is_there():
    item = result_of(owned=[{"accelerator": "h100-sxm", "count": 512, "utilization": 0}])
    entry = option(item, "owned-h100-sxm")
    assert entry.values["nodes_bought"] == 0
    assert 0 < entry.values["gpus"] < 512


def test_every_sentence_has_words_in_both_languages(result):
    for language in ("en", "zh"):
        speech = Speech(result, language)
        for message in (
            *result.warnings,
            *result.remarks,
            *(reason for entry in result.options for reason in entry.reasons),
        ):
            assert speech.words.has(message.key), message.key
            assert "{" not in speech.message(message)


def test_a_request_to_rent_has_its_own_list():
    item = result_of(**LONG, hardware={"accelerators": ["h100-sxm"], "acquire": "rent", "term": "month"})
    assert [line.key for line in item.rental] == [
        "rental_instances", "rental_storage", "rental_egress", "rental_service_level", "rental_extras",
    ]  # fmt: skip
    assert sum(line.amount for line in item.rental) == pytest.approx(item.value("rental_list_total"))
    assert item.rental[0].facts["rental_term"] == "month"
    assert item.rental[1].basis == "included"
    assert result_of().rental == ()


def test_lines_carry_their_ranges():
    tokens = {"low": 1e11, "base": 3e11, "high": 6e11}
    item = result_of(data={"tokens": tokens}, hardware={"accelerators": ["h100-sxm"]}, deadline="30 days")
    for line in item.lines:
        if line.amount == line.amount:
            assert line.quantity_low <= line.quantity <= line.quantity_high, line.key
            assert line.amount_low <= line.amount <= line.amount_high, line.key
    servers = next(line for line in item.lines if line.key == "accelerator_servers")
    assert servers.amount_low < servers.amount < servers.amount_high
