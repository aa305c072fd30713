"""Each rule of thumb gives what its formula gives on its own worked example; printed slips stand beside it, unused."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.catalog.yaml_data import read_yaml
from reportgen.estimator import rules_of_thumb, training_time
from reportgen.formula import Column, Formula

EXAMPLES = read_yaml(Path(__file__).parent / "rules_of_thumb.yaml")["examples"]
FORMULAS: dict[str, Formula] = {**vars(training_time), **vars(rules_of_thumb)}
METHODS = ("scaling_law", "gpt3_ratio", "token_dimension", "token_rate", "bytes_per_parameter")


def value(given: object) -> object:
    return Column("column", tuple("a" * len(given)), tuple(given)) if isinstance(given, list) else given


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["id"] for example in EXAMPLES])
def test_example(example: dict) -> None:
    found = FORMULAS[example["formula"]](**{name: value(given) for name, given in example["inputs"].items()})
    assert found == pytest.approx(example["gives"], rel=1e-12)


@pytest.mark.parametrize("example", EXAMPLES, ids=[example["id"] for example in EXAMPLES])
def test_printed_value_agrees_or_its_slip_is_told(example: dict) -> None:
    near = abs(example["printed"] / example["gives"] - 1) < 0.016
    assert near or "slip" in example


def test_all_five_methods_have_an_example() -> None:
    for method in METHODS:
        assert any(example["formula"].startswith(method) for example in EXAMPLES)
