"""Several stages in one job: tokens and days add up, memory is that of the worst stage."""

from __future__ import annotations

import pytest

from reportgen.evaluation.evaluate import evaluate
from reportgen.scenario import scenario_from_mapping
from tests.evaluation.conftest import DAY, shipped

HARDWARE = {"accelerator": "h100-sxm", "count": 16}
FIXED = {
    "model": "llama-3.1-8b",
    "hardware": HARDWARE,
    "layout": {"tp": 2, "pp": 1, "zero": 1, "micro_batch": 1, "recompute": "full"},
}


def planned(*stages: dict):
    return single(stages=list(stages))


def single(**keys):
    written = {"title": "Stages", "job": "fine-tuning", **FIXED, **keys}
    return evaluate(scenario_from_mapping(written, date=DAY))


def test_two_equal_stages_are_one_of_twice_the_tokens() -> None:
    halves = planned({"tokens": 1e9}, {"tokens": 1e9})
    whole = single(data={"tokens": 2e9})
    for name in ("training_days", "run_tokens", "run_work_eflop", "steps", "memory_per_gpu_gib"):
        assert halves.value(name) == pytest.approx(whole.value(name), rel=1e-12), name


def test_epochs_of_a_stage_count() -> None:
    assert planned({"tokens": 1e9, "epochs": 3}, {"tokens": 1e9}).value("run_tokens") == 4e9


def test_memory_is_that_of_the_worst_stage_wherever_it_stands() -> None:
    short, long = {"tokens": 1e9}, {"tokens": 1e8, "sequence_length": 32768}
    alone = single(data={"tokens": 1e8}, sequence_length=32768)
    for order in ((short, long), (long, short)):
        assert planned(*order).value("memory_per_gpu_gib") == pytest.approx(alone.value("memory_per_gpu_gib"), rel=1e-12)


def test_work_of_each_stage_is_that_of_the_stage_alone() -> None:
    """Full training 6 N + 3 A, adapters 4 N + 3 A + 6 a parameter of theirs, preferences a third more for the reference."""
    result = planned(
        {"tokens": 1e9, "sequence_length": 8192},
        {"tokens": 1e9, "method": "lora"},
        {"tokens": 1e9, "job": "preference-tuning"},
    )
    alone = (
        single(data={"tokens": 1e9}, sequence_length=8192),
        single(data={"tokens": 1e9}, method="lora"),
        single(data={"tokens": 1e9}, job="preference-tuning"),
    )
    for number, one in enumerate(alone, 1):
        found = result.value(f"stage_{number}_training_flops_per_token")
        assert found == pytest.approx(one.value("training_flops_per_token"), rel=1e-12)
    assert result.value("run_work_eflop") == pytest.approx(sum(one.value("run_work_eflop") for one in alone), rel=1e-12)


def test_time_of_each_stage_is_near_that_of_the_stage_alone() -> None:
    result = planned({"tokens": 1e9, "sequence_length": 16384}, {"tokens": 5e9})
    as_many_tokens = {**FIXED["layout"], "micro_batch": 4}
    alone = single(data={"tokens": 5e9}, layout=as_many_tokens).value("training_days")
    assert result.value("stage_2_days") == pytest.approx(alone, rel=0.1)


def test_days_add_up_and_dates_follow() -> None:
    result = shipped("stages-8b")
    days = [result.value(f"stage_{number}_days") for number in (1, 2, 3)]
    assert sum(days) == pytest.approx(result.value("run_days"), rel=1e-12)
    assert result.value("stage_3_end_days") == pytest.approx(sum(days), rel=1e-12)
    told = [message for message in result.remarks if message.key.startswith("remark_stage_dates")]
    assert [message.values["stage"] for message in told] == ["manuals", "instructions", "preferences"]
    assert told[0].values["start"] == "2027-03-01"
    assert [message.values["end"] for message in told] == sorted(message.values["end"] for message in told)
    assert result.value("training_days_p90") <= 7


def test_nothing_that_fits_has_no_dates() -> None:
    """405 B on one 16 GB card: two stages of 15 T tokens would end after the last date there is."""
    stages = [{"tokens": 15e12}, {"tokens": 15e12}]
    hardware = {"accelerator": "t4", "count": 1}
    result = single(model="llama-3.1-405b", stages=stages, start="2027-03-01", hardware=hardware, layout={})
    assert result.value("layout_found") == 0
    assert not [message.key for message in result.remarks if message.key.startswith(("remark_stage", "remark_calendar"))]


def test_a_run_of_ten_thousand_years_ends_on_the_last_date() -> None:
    stages = [{"tokens": 9e15}, {"tokens": 9e17}]
    result = single(stages=stages, start="2027-03-01")
    told = [message for message in result.remarks if message.key == "remark_stage_dates"]
    assert told[-1].values["end"] == "9999-12-31"


def test_one_stage_is_the_job_itself() -> None:
    only = planned({"tokens": 1e9, "epochs": 2, "sequence_length": 8192})
    plain = single(data={"tokens": 1e9, "epochs": 2}, sequence_length=8192)
    assert only.value("training_days") == pytest.approx(plain.value("training_days"), rel=1e-12)
