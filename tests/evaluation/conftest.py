"""Results of the shipped scenarios, evaluated once."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

import pytest

from reportgen.evaluation.evaluate import evaluate
from reportgen.evaluation.result import Result
from reportgen.scenario import load_scenario, scenario_from_mapping

SCENARIOS = sorted((Path(__file__).resolve().parents[2] / "scenarios").glob("*.yaml"))
DAY = "2026-11-30"


@lru_cache(maxsize=64)
def shipped(name: str) -> Result:
    """The result of a shipped scenario."""
    return evaluate(load_scenario(next(path for path in SCENARIOS if path.stem == name), date=DAY))


def result_of(**keys) -> Result:
    """The result of a small training scenario with some keys changed."""
    written = {
        "title": "A test",
        "job": "fine-tuning",
        "model": "qwen3-8b",
        "data": {"tokens": 1e9},
        "hardware": {"accelerators": ["h100-sxm"]},
        **keys,
    }
    return evaluate(scenario_from_mapping(written, date=DAY))


@pytest.fixture(params=[path.stem for path in SCENARIOS])
def result(request) -> Result:
    """Each shipped scenario's result in turn."""
    return shipped(request.param)
