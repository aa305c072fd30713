"""Comparisons: what differs, because of what, who wins."""

import json

import pytest

from reportgen.evaluation.compare import comparable_cost, compare, pareto
from reportgen.memo import build_comparison_html
from reportgen.text.comparison import comparison_answer
from reportgen.text.json import comparison_json
from tests.evaluation.conftest import result_of, shipped


def test_only_what_differs_is_listed():
    first, second = result_of(), result_of(sequence_length=8192)
    found = compare([first, second])
    assert {item.key for item in found.inputs} == {"sequence_length"}
    assert all(item.values[0] != item.values[1] for item in found.quantities)


def test_because_names_the_changed_input():
    found = compare([result_of(), result_of(data={"tokens": 2e9})])
    days = next(item for item in found.quantities if item.key == "training_days")
    assert days.because == ("training_tokens",)
    assert days.values[1] == pytest.approx(2 * days.values[0])


def test_methods_are_a_cause():
    found = compare([shipped("finetune-70b"), shipped("finetune-70b-lora")])
    assert "method" in {item.key for item in found.inputs}
    memory = next(item for item in found.quantities if item.key == "optimizer_per_gpu_gib")
    assert "method" in memory.because


def test_mixed_jobs_have_no_common_time():
    found = compare([shipped("finetune-70b"), shipped("serve-70b-chat")])
    assert found.time_key == ""
    days = next(item for item in found.quantities if item.key == "training_days")
    assert days.values[1] != days.values[1]


def test_equal_results_say_so():
    found = compare([result_of(), result_of()])
    assert [message.key for message in found.sentences] == ["compare_equal"]
    assert not found.quantities


def test_the_front_holds_what_nothing_beats():
    results = [result_of(hardware={"accelerator": "h100-sxm", "count": count}) for count in (8, 16, 32)]
    front = pareto(results, [0, 1, 2], "capital_cost", "training_days")
    assert 0 in front and 2 in front


def test_one_result_is_no_comparison():
    with pytest.raises(ValueError, match="two results"):
        compare([result_of()])


def test_currencies_must_agree():
    with pytest.raises(ValueError, match="currenc"):
        compare([result_of(), result_of(currency="USD")])


@pytest.mark.parametrize("order", [("gaudi2", "h100-sxm"), ("h100-sxm", "gaudi2")])
def test_a_purchase_without_its_servers_is_not_the_cheapest(order):
    results = [result_of(hardware={"accelerators": [name]}) for name in order]
    found = compare(results)
    at = order.index("gaudi2")
    assert comparable_cost(results[at]) != comparable_cost(results[at])
    assert results[at].value(found.cost_key) > 0
    assert found.verdicts[at].rank == 0 and found.verdicts[1 - at].rank == 1
    assert not any("cost" in verdict.best_at for verdict in found.verdicts)
    assert not found.verdicts[at].on_front
    assert "compare_cost_unknown" in {message.key for message in found.sentences}
    assert not {"compare_costs_less", "compare_costs_more"} & {message.key for message in found.sentences}


def test_a_rent_compares_whatever_servers_cost():
    rented = result_of(hardware={"accelerators": ["h100-sxm"], "acquire": "rent"})
    assert comparable_cost(rented) == rented.value("requested_amount") > 0


def test_different_jobs_are_called_so_in_every_document():
    results = [shipped("finetune-70b"), shipped("serve-70b-chat")]
    comparison = compare(results)
    assert "compare_different_jobs" in {message.key for message in comparison.sentences}
    assert "different jobs" in comparison_answer(comparison, results, "en").sentence
    assert "任务" in comparison_answer(comparison, results, "zh").sentence
    assert "job" in build_comparison_html(comparison).partition("</h1>")[0].rpartition("<h1")[2]
    same = compare([results[0], shipped("finetune-70b-lora")])
    assert "compare_different_jobs" not in {message.key for message in same.sentences}


def test_who_rents_buys_no_gpus_and_wins_nothing_by_power():
    bought, rented, fewer = (
        result_of(hardware={"accelerator": "h100-sxm", "count": count, "acquire": way})
        for count, way in ((64, "buy"), (32, "rent"), (48, "buy"))
    )
    found = compare([bought, rented, fewer])
    assert rented.value("it_power_kw") < fewer.value("it_power_kw") < bought.value("it_power_kw")
    assert ["power" in verdict.best_at for verdict in found.verdicts] == [False, False, True]
    assert ["gpus" in verdict.best_at for verdict in found.verdicts] == [False, True, False]
    shown = {item.key: item.values for item in found.quantities}
    for key in ("gpus_bought", "nodes_bought", "it_power_kw", "facility_power_kw"):
        assert shown[key][0] > shown[key][2] > 0 and shown[key][1] != shown[key][1], key
    assert all("acquire" in item.because for item in found.quantities if item.key in ("gpus_bought", "it_power_kw"))
    headline = json.loads(comparison_json(found))["scenarios"][1]["headline"]
    assert headline["gpus_bought"] is None and headline["it_power_kw"] is None and headline["gpus"] == 32
    standing = comparison_answer(found, found.results, "en").blocks[0]
    power = next(place for place, head in enumerate(standing.head) if "kW" in head)
    assert [str(row[power]) == "–" for row in standing.rows] == [False, True, False]
    both = compare([rented, result_of(hardware={"accelerator": "h100-sxm", "count": 16, "acquire": "rent"})])
    assert "gpus" in both.headline and "gpus_bought" not in both.headline and "it_power_kw" not in both.headline
    assert not any("power" in verdict.best_at for verdict in both.verdicts)
