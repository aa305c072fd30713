"""Public questions about memory as scenarios: the answer agrees with what is established."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest
import yaml

from tests.questions.answers import answered

CASES = {case["id"]: case for case in yaml.safe_load((Path(__file__).parent / "memory.yaml").read_text())["cases"]}
GIB_PER_GB = 1e9 / 2**30
SHOWN = (
    "memory_per_gpu_gib", "memory_per_gpu_gib_p90", "memory_usable_gib", "memory_capacity_gib", "host_memory_per_node_gib",
    "activations_per_gpu_gib", "logits_per_gpu_gib", "framework_memory_gib", "gpus", "weight_bytes", "master_weight_bytes",
    "optimizer_moment_bytes", "gradient_bytes",
)  # fmt: skip


@cache
def answer(name: str):
    return answered(CASES[name]["scenario"], *SHOWN)


def having(key: str) -> list[str]:
    return [name for name, case in CASES.items() if key in case]


@pytest.mark.parametrize("name", having("fits"))
def test_fits_or_does_not(name: str) -> None:
    assert answer(name)[1].feasible is CASES[name]["fits"]


@pytest.mark.parametrize("name", having("peak_gib"))
def test_peak_is_near_the_measured_one(name: str) -> None:
    case = CASES[name]
    assert answer(name)[2]["memory_per_gpu_gib"] == pytest.approx(case["peak_gib"], rel=case["within"])


@pytest.mark.parametrize("name", having("at_least"))
def test_needs_no_fewer_than_is_certain(name: str) -> None:
    _, block, values = answer(name)
    assert block.feasible and values["gpus"] >= CASES[name]["at_least"]


@pytest.mark.parametrize("name", having("at_most"))
def test_needs_no_more_than_is_known_to_do(name: str) -> None:
    _, block, values = answer(name)
    assert block.feasible and values["gpus"] <= CASES[name]["at_most"]


@pytest.mark.parametrize("name", having("at_the_edge"))
def test_may_run_out(name: str) -> None:
    values = answer(name)[2]
    assert values["memory_per_gpu_gib"] >= 0.95 * values["memory_usable_gib"]
    assert values["memory_per_gpu_gib_p90"] > values["memory_capacity_gib"]


@pytest.mark.parametrize("name", having("published_gib"))
def test_published_figures_of_one_configuration_differ_by_so_much(name: str) -> None:
    values = answer(name)[2]
    allocated = values["memory_per_gpu_gib"] - values["framework_memory_gib"]
    for published in CASES[name]["published_gib"]:
        assert allocated == pytest.approx(published, rel=0.12)


@pytest.mark.parametrize("name", having("activations_between"))
def test_activations_are_those_of_korthikanti_and_the_logits(name: str) -> None:
    values = answer(name)[2]
    low, high = CASES[name]["activations_between"]
    assert low < values["activations_per_gpu_gib"] + values["logits_per_gpu_gib"] < high


@pytest.mark.parametrize("name", having("states_between"))
def test_bytes_of_a_parameter_in_training(name: str) -> None:
    values = answer(name)[2]
    low, high = CASES[name]["states_between"]
    states = ("weight_bytes", "master_weight_bytes", "optimizer_moment_bytes", "gradient_bytes")
    assert low <= sum(values[part] for part in states) <= high


@pytest.mark.parametrize("name", having("host_above"))
def test_host_memory_runs_out(name: str) -> None:
    assert answer(name)[2]["host_memory_per_node_gib"] > CASES[name]["host_above"] * GIB_PER_GB


@pytest.mark.parametrize("name", having("logits_above_gib"))
def test_logits_are_counted(name: str) -> None:
    assert answer(name)[2]["logits_per_gpu_gib"] > CASES[name]["logits_above_gib"]


@pytest.mark.parametrize("name", having("kept_bytes_per_parameter"))
def test_bytes_kept_of_a_parameter(name: str) -> None:
    values = answer(name)[2]
    kept = values["weight_bytes"] + values["master_weight_bytes"] + values["optimizer_moment_bytes"]
    assert kept == CASES[name]["kept_bytes_per_parameter"]
