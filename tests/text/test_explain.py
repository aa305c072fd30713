"""Explanations."""

from __future__ import annotations

import pytest

from reportgen.errors import ScenarioError
from reportgen.text.explain import explain, explain_data, find
from reportgen.text.width import display_width
from tests.text.sample_result import sample_result

USABLE = """\
  M_use = M_gpu × memory_fit_share
        = 80.0 × 95.0%
        = 76.0 GiB
"""


def test_symbol_substitution_value():
    said = explain(sample_result(), "memory_usable_gib")
    assert USABLE in said
    assert "A margin stays free" in said


def test_the_tree_goes_down_to_inputs_with_sources():
    said = explain(sample_result(), "memory_usable_gib")
    assert "├─ M_gpu = 80.0 GiB" in said
    assert "│  └─ i = 1" in said
    assert "[default, assumed" in said


def test_the_depth_is_limited_and_says_how_to_go_on():
    said = explain(sample_result(), "memory_usable_gib", depth=1)
    assert "reportgen explain memory_capacity_gib" in said
    assert "└─ i" not in said


@pytest.mark.parametrize("name", ["gpus", "GPUS", "memory-usable-gib", "memory usable gib", "memory_fit_share"])
def test_names_are_found_as_people_write_them(name):
    assert find(sample_result(), name).key


def test_an_unknown_quantity_names_the_nearest():
    with pytest.raises(ScenarioError) as caught:
        find(sample_result(), "training_day")
    problem = caught.value.problems[0]
    assert problem.code == "unknown-quantity"
    assert "training_days" in problem.candidates
    assert "did you mean 'training_days'" in problem.fix


def test_an_input_is_explained_too():
    said = explain(sample_result(), "model_flops_utilization")
    assert "MFU = 36.0%" in said
    assert "default" in said


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("key", sorted(sample_result().quantities))
def test_every_quantity_can_be_explained(language, key):
    said = explain(sample_result(language), key)
    assert max(map(display_width, said.splitlines())) <= 104


def test_data_for_programs():
    data = explain_data(sample_result(), "memory_usable_gib")
    nodes = {node["key"]: node for node in data["nodes"]}
    assert data["quantity"] == "memory_usable_gib"
    assert nodes["memory_usable_gib"]["expression"] == "=memory_capacity_gib*memory_fit_share"
    assert nodes["memory_fit_share"]["kind"] == "input"
