"""What must hold for the result of any scenario."""

import json
import math

import numpy as np
import pytest

from reportgen.errors import ScenarioError
from reportgen.evaluation.candidates import Space, node_ladder, training_structures
from reportgen.evaluation.evaluate import evaluate
from reportgen.evaluation.question import ask
from reportgen.evaluation.result import Result
from reportgen.scenario import load_scenario, scenario_from_mapping
from tests.evaluation.conftest import DAY, SCENARIOS, result_of, shipped

HEADLINE = ("gpus", "nodes", "it_power_kw", "capital_cost", "total_cost", "memory_per_gpu_gib")


def test_headline_keys_exist(result):
    for key in HEADLINE:
        assert key in result.quantities
    assert result.has("training_days") or result.has("replicas")


def test_json_returns_the_same_result(result):
    data = json.loads(result.dumps())
    again = Result.from_json(data)
    assert again.dumps() == result.dumps()
    assert again.quantities["gpus"].value == result.quantities["gpus"].value
    for key in ("version", "scenario", "inputs", "results", "lines", "options", "layouts", "checks", "warnings", "missing"):
        assert key in data


def test_json_of_another_version_is_refused(result):
    data = {**result.to_json(), "version": 99}
    with pytest.raises(ValueError, match="version 99"):
        Result.from_json(data)


def test_two_evaluations_are_equal():
    path = next(path for path in SCENARIOS if path.stem == "finetune-70b")
    assert evaluate(load_scenario(path, date=DAY)).dumps() == evaluate(load_scenario(path, date=DAY)).dumps()


def test_favourable_costs_no_more_and_adverse_no_less(result):
    for key in ("total_cost", "training_days", "batch_hours"):
        item = result.quantities.get(key)
        if item is not None and item.value == item.value and result.value("unpriced_lines") == item.value:
            assert item.favourable <= item.value <= item.adverse


def test_cost_cases_enclose_the_base(result):
    cost = result.quantities["total_cost"]
    if cost.value == cost.value:
        assert cost.favourable <= cost.value * (1 + 1e-9)
        assert cost.adverse >= cost.value * (1 - 1e-9)


def test_ranges_enclose_the_estimate(result):
    for item in result.quantities.values():
        if item.p10 is not None and item.p10 == item.p10 and item.p90 is not None:
            assert item.p10 <= item.value <= item.p90


def test_memory_parts_sum_to_the_memory():
    item = shipped("finetune-70b")
    parts = ("weights", "gradients", "optimizer", "activations", "logits", "temporary", "overhead")
    assert sum(item.value(f"{part}_per_gpu_gib") for part in parts) == pytest.approx(item.value("memory_per_gpu_gib"), rel=1e-12)


def test_the_list_sums_to_the_cost_model(result):
    known = [line.amount for line in result.lines if line.amount == line.amount]
    assert sum(known) == pytest.approx(result.value("list_total"), rel=1e-12)
    assert sum(1 for line in result.lines if line.amount != line.amount) == result.value("unpriced_lines")


def test_every_check_has_a_verdict(result):
    assert {check.status for check in result.checks} <= {"OK", "LOOK", "FAIL"}
    assert len({check.key for check in result.checks}) == len(result.checks)


def test_fewest_nodes_that_hold_the_deadline():
    """One node fewer has no candidate at all that holds the job, over every structure."""
    item = shipped("finetune-70b")
    question = ask(load_scenario(next(p for p in SCENARIOS if p.stem == "finetune-70b"), date=DAY), _catalog())
    space = question.space("h800-sxm")
    structures = training_structures(space)
    fewer = item.value("nodes") - 1
    columns = {name: np.array([structure[name] for structure in structures]) for name in structures[0]}
    with np.errstate(all="ignore"):
        values = question.layout_graph.evaluate(
            {**question.base_inputs, **columns, "nodes": np.full(len(structures), fewer), "layout_number": 0.0}, only=["layout_ok"]
        )
    assert item.value("layout_found") == 1
    assert not np.any(values["layout_ok"] > 0)


def _catalog():
    from reportgen.catalog import load_catalog

    return load_catalog()


def test_a_given_count_is_kept():
    item = result_of(hardware={"accelerator": "h100-sxm", "count": 24})
    assert item.value("gpus") == 24
    assert {row for block in item.layouts for row in block.columns["gpus"]} == {24}


def test_one_gpu():
    item = result_of(model="qwen3-4b", method="lora", hardware={"accelerator": "rtx-4090", "count": 1})
    assert item.value("gpus") == 1
    assert "fabric" not in item.features


def test_nothing_fits_is_said():
    item = result_of(model="llama-3.1-405b", hardware={"accelerator": "rtx-4090", "count": 8})
    assert item.value("layout_found") == 0
    assert item.failed
    assert any(message.key == "warning_nothing_fits" for message in item.warnings)


def test_rent_asks_for_no_capital():
    item = result_of(hardware={"accelerators": ["h100-sxm"], "acquire": "rent"})
    assert item.value("capital_cost") == 0
    assert item.value("requested_amount") == item.value("rental_cost") > 0


def test_a_missing_price_is_never_zero():
    item = result_of(hardware={"accelerators": ["gaudi2"]})
    line = next(line for line in item.lines if line.key == "accelerator_servers")
    assert math.isnan(line.amount)
    assert line.basis == "quote_needed"
    assert "accelerator_servers" in item.missing


def test_guardrails_fail():
    item = result_of(site={"power": "1 kW", "racks": 1}, budget="1 k CNY", deadline="30 days")
    failed = {check.key for check in item.checks if check.status == "FAIL"}
    assert {"site_power_kept", "budget_kept"} <= failed


def test_a_budget_buys_the_fastest_it_can():
    small, large = (result_of(budget=f"{millions} M CNY", hardware={"accelerators": ["a100-sxm-80gb"]}) for millions in (3, 9))
    assert small.value("requested_amount") <= 3e6
    assert large.value("nodes") > small.value("nodes")
    assert large.value("training_days") < small.value("training_days")


def test_an_override_is_an_input_and_said():
    item = result_of(overrides={"goodput": 0.5})
    given = next(value for value in item.inputs if value.key == "goodput")
    assert given.origin == "override" and given.value == 0.5
    assert "goodput" not in item.quantities
    assert any(message.key == "warning_override" for message in item.warnings)


def test_ranges_of_inputs_are_sided_by_cost():
    item = result_of(data={"tokens": {"low": 1e9, "base": 2e9, "high": 4e9}}, hardware={"accelerators": ["h100-sxm"], "acquire": "rent"})
    tokens = next(value for value in item.inputs if value.key == "training_tokens")
    assert (tokens.favourable, tokens.adverse) == (1e9, 4e9)


def test_options_have_every_way(result):
    ways = {option.way for option in result.options}
    assert {"buy", "rent", "owned", "nothing"} <= ways
    assert sum(option.chosen for option in result.options) == 1
    assert result.options[0].chosen


def test_renting_forbidden_by_policy_is_not_permitted():
    item = result_of(policy={"cloud_allowed": False})
    assert all(not option.permitted for option in item.options if option.kind == "accelerator" and option.way == "rent")


def test_owned_equipment_is_an_option():
    item = result_of(owned=[{"accelerator": "a100-sxm-80gb", "count": 8, "utilization": 0}])
    owned = next(option for option in item.options if option.kind == "owned")
    assert owned.values["gpus"] == 8


def test_inputs_say_where_they_come_from(result):
    for item in result.inputs:
        assert item.origin in {"given", "default", "catalog", "override"}
        assert item.source, item.key


def test_measured_rate_reproduces_the_article():
    item = shipped("batch-1000-requests")
    assert item.value("gpus") == 3
    assert item.value("replicas_before_rounding") == pytest.approx(20 / 9)


def test_more_users_never_need_fewer_replicas():
    counts = []
    for users in (500, 2000, 8000):
        written = {
            "title": "t", "job": "serving", "model": "llama-3.1-8b", "load": {"users": users, "profile": "chat"},
            "hardware": {"accelerators": ["h100-sxm"]},
        }  # fmt: skip
        counts.append(evaluate(scenario_from_mapping(written, date=DAY)).value("replicas_before_rounding"))
    assert counts == sorted(counts)


def test_node_ladder_is_increasing_and_fine_below_sixteen():
    ladder = node_ladder()
    assert ladder == sorted(set(ladder))
    assert ladder[:16] == list(range(1, 17))


def test_structures_respect_what_is_fixed():
    space = Space(layers=80, attention_heads=64, experts=0, domain=8, gpus_per_node=8, fixed={"tensor_parallel": 4.0})
    assert {item["tensor_parallel"] for item in training_structures(space)} == {4.0}
    assert all(item["zero_stage"] <= 1 or item["pipeline_parallel"] == 1 for item in training_structures(space))


def test_a_misspelt_override_is_refused_with_the_nearest():
    with pytest.raises(ScenarioError, match="goodptu") as caught:
        result_of(overrides={"goodptu": 0.5})
    assert caught.value.problems[0].candidates[0] == "goodput"


@pytest.mark.parametrize("overrides", [{"goodput": 0}, {"gpus_per_node": 0}, {"hidden_size": 0}])
def test_an_override_of_zero_is_refused(overrides):
    with pytest.raises(ScenarioError):
        result_of(overrides=overrides)


def test_a_budget_that_nobody_can_meet_shows_the_cheapest():
    item = result_of(budget="300 k CNY", hardware={"accelerators": ["h100-sxm"]})
    assert item.value("layout_found") == 0
    assert item.value("nodes") == 1


def test_the_id_follows_everything_that_went_in():
    plain, other = result_of(), result_of(currency="USD")
    assert plain.id != other.id
    assert plain.id == result_of().id


def test_the_attached_scenario_is_the_one_that_was_evaluated():
    path = next(path for path in SCENARIOS if path.stem == "finetune-70b")
    changed = evaluate(load_scenario(path, sets=["data.tokens=9B"], date=DAY))
    assert "9B" in changed.facts.scenario_text or "9000000000" in changed.facts.scenario_text
    assert evaluate(load_scenario(path, date=DAY)).facts.scenario_text == path.read_text()
