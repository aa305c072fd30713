"""What the search looks for, how much room there is, and what the user's own runs change."""

from __future__ import annotations

import pytest

from tests.evaluation.conftest import result_of

COUNT = {"accelerator": "h100-sxm", "count": 8}
LONG = {"data": {"tokens": 2e10}, "deadline": "3 days"}


def told(result, key: str):
    return next((message for message in (*result.warnings, *result.remarks) if message.key == key), None)


def feasible(result, column: str) -> list[float]:
    columns = result.layouts[0].columns
    return [value for value, ok in zip(columns[column], columns["layout_ok"], strict=True) if ok]


def test_smallest_is_the_default_and_cheapest_rent_costs_no_more() -> None:
    hardware = {"accelerators": ["h100-sxm"], "acquire": "rent"}
    smallest, cheapest = (result_of(**LONG, hardware=hardware, objective=word) for word in ("smallest", "cheapest"))
    assert smallest.value("nodes") == min(feasible(smallest, "nodes"))
    assert cheapest.value("requested_amount") <= smallest.value("requested_amount")


def test_cheapest_without_any_price_takes_the_fewest_gpu_hours() -> None:
    result = result_of(**LONG, hardware={"accelerators": ["mi325x"]}, objective="cheapest")
    assert result.value("main_line_priced") == 0
    days = [nodes * days for nodes, days in zip(feasible(result, "nodes"), feasible(result, "training_days"), strict=True)]
    assert result.value("nodes") * result.value("training_days") == pytest.approx(min(days), rel=1e-6)


def test_fastest_on_given_gpus_is_the_fastest_listed() -> None:
    result = result_of(hardware={**COUNT, "count": 32}, objective="fastest")
    assert result.value("training_days") == pytest.approx(min(feasible(result, "training_days")), rel=1e-9)


def test_fastest_within_a_budget_is_larger_than_the_smallest() -> None:
    hardware = {"accelerators": ["h20-sxm"]}
    fast, small = (result_of(**LONG, hardware=hardware, budget="60M CNY", objective=word) for word in ("fastest", "smallest"))
    assert fast.value("training_days") < small.value("training_days")
    assert fast.value("amount_against_budget") <= 60e6


def test_room_is_told_and_true() -> None:
    result = result_of(model="llama-3.1-8b", hardware={**COUNT, "count": 64})
    longest = told(result, "remark_longest_sequence").values["sequence_length"]
    micro = told(result, "remark_largest_micro_batch").values["micro_batch"]
    assert longest > 4096
    assert result_of(model="llama-3.1-8b", hardware={**COUNT, "count": 64}, sequence_length=int(longest)).layouts[0].feasible
    assert micro >= result.value("micro_batch")
    assert told(result, "remark_smallest_size").values["gpus"] == 8


def test_longer_than_the_longest_does_not_fit() -> None:
    shape = {
        "name": "small", "layers": 32, "hidden_size": 4096, "attention_heads": 32, "intermediate_size": 11008, "vocabulary_size": 32000,
        "maximum_context": 4_000_000,
    }  # fmt: skip
    result = result_of(model=shape, hardware=COUNT)
    longest = told(result, "remark_longest_sequence").values["sequence_length"]
    assert not result_of(model=shape, hardware=COUNT, sequence_length=int(longest * 1.3)).layouts[0].feasible


MEASURED = {"accelerator": "h100-sxm", "count": 8, "tokens_per_second": 60000}


def test_a_measured_run_of_the_same_job_is_reproduced_and_narrows_the_range() -> None:
    plain, moved = result_of(hardware=COUNT), result_of(hardware=COUNT, measured=[MEASURED])
    assert moved.value("tokens_per_second") == pytest.approx(60000, rel=1e-9)
    assert moved.value("time_error") < plain.value("time_error")
    assert told(moved, "remark_measured_speed").values["share"] == pytest.approx(60000 / plain.value("tokens_per_second"))


def test_a_run_elsewhere_moves_this_estimate_by_the_same_factor() -> None:
    other = {**MEASURED, "count": 16, "tokens_per_second": 90000, "sequence_length": 8192}
    plain, moved = result_of(hardware=COUNT), result_of(hardware=COUNT, measured=[other])
    factor = told(moved, "remark_measured_speed").values["share"]
    assert moved.value("tokens_per_second") == pytest.approx(factor * plain.value("tokens_per_second"), rel=1e-9)


def test_several_runs_give_their_mean_and_their_spread() -> None:
    runs = [MEASURED, {**MEASURED, "tokens_per_second": 50000}]
    result = result_of(hardware=COUNT, measured=runs)
    factor = next(item for item in result.inputs if item.key == "measured_speed_factor")
    assert result.value("tokens_per_second") == pytest.approx((60000 * 50000) ** 0.5, rel=1e-9)
    assert factor.low < factor.value < factor.high and factor.confidence == "measured"


def test_runs_of_another_model_are_left_out_and_said() -> None:
    result = result_of(hardware=COUNT, measured=[{**MEASURED, "params": "70B", "tokens_per_second": 6000}])
    plain = result_of(hardware=COUNT)
    assert result.value("training_days") == plain.value("training_days")
    assert told(result, "warning_measured_other_model").values["runs_left_out"] == 1


def test_a_stated_utilization_is_not_moved() -> None:
    plain = result_of(hardware=COUNT, utilization="40%")
    assert result_of(hardware=COUNT, utilization="40%", measured=[MEASURED]).value("training_days") == plain.value("training_days")


def test_a_measured_run_leaves_other_options_as_they_were() -> None:
    several = {"accelerators": ["h100-sxm", "a100-sxm-80gb"], "count": 8}
    plain, moved = result_of(hardware=several), result_of(hardware=several, measured=[MEASURED])
    days = [
        {item.accelerator: item.values["training_days"] for item in result.options if item.kind == "accelerator"}
        for result in (plain, moved)
    ]
    assert days[0]["a100-sxm-80gb"] == days[1]["a100-sxm-80gb"] and days[0]["h100-sxm"] != days[1]["h100-sxm"]


@pytest.mark.parametrize(
    ("keys", "run"),
    [
        ({}, {**MEASURED, "accelerator": "a100-sxm-80gb", "tokens_per_second": 9000}),
        ({"utilization": "40%"}, MEASURED),
        ({"overrides": {"utilization_factor": 1.1}}, MEASURED),
    ],
)
def test_a_run_elsewhere_or_beside_a_stated_speed_is_only_shown(keys: dict, run: dict) -> None:
    plain, shown = result_of(hardware=COUNT, **keys), result_of(hardware=COUNT, measured=[run], **keys)
    for name in ("training_days", "training_days_p90", "time_error"):
        assert shown.value(name) == plain.value(name), name
    keys_told = [message.key for message in shown.remarks]
    assert "remark_measured_speed_shown" in keys_told and "remark_measured_speed" not in keys_told


def test_a_known_run_fixes_the_utilization() -> None:
    """Llama-2-7B took 184,320 GPU hours of A100-80GB for 2 T tokens (model card): planned again, it takes as many."""
    run = {"params": 6.738e9, "tokens": "2T", "gpu_hours": 184320, "accelerator": "a100-sxm-80gb"}
    result = result_of(
        job="pretraining", model="llama-2-7b", data={"tokens": "2T"}, global_batch="4M tokens", utilization={"from_run": run},
        hardware={"accelerator": "a100-sxm-80gb", "count": 256}, layout={"pp": 1, "recompute": "none"},
    )  # fmt: skip
    assert result.value("gpu_hours") * result.value("six_n_factor") == pytest.approx(184320, rel=0.01)


def test_long_sequences_are_split_where_that_is_better() -> None:
    """Degrees of context parallelism are searched for from 32,768 tokens on; a written one stays."""
    long = {"model": "llama-3.1-70b", "stack": "megatron", "job": "continued-pretraining", "sequence_length": 131072}
    split, whole = result_of(**long), result_of(**long, layout={"cp": 1})
    degree = next(item.value for item in split.inputs if item.key == "context_parallel")
    assert degree > 1
    assert (split.value("nodes"), split.value("training_days")) < (whole.value("nodes"), whole.value("training_days"))
    assert next(item.value for item in whole.inputs if item.key == "context_parallel") == 1


def test_interleaving_is_searched_for_where_the_software_has_it() -> None:
    keys = {"model": "gpt-3-175b", "job": "pretraining", "data": {"tokens": 3e11}, "sequence_length": 2048, "global_batch": 1536}
    hardware = {"accelerator": "a100-sxm-80gb", "count": 1024}
    free = result_of(**keys, hardware=hardware)
    plain = result_of(**keys, hardware=hardware, layout={"virtual_stages": 1})
    assert free.value("training_days") <= plain.value("training_days")
    assert next(item.value for item in free.inputs if item.key == "virtual_stages") > 1
