"""Comparisons: what differs, because of what, who wins."""

import pytest

from reportgen.evaluation.compare import compare, pareto
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
