"""What would make a job fit: every way named is one, and the cheapest comes first."""

from __future__ import annotations

import pytest

from reportgen.catalog import load_catalog
from reportgen.catalog.wording import wording
from reportgen.evaluation.evaluate import search
from reportgen.evaluation.fitting import ways_to_fit
from reportgen.evaluation.question import ask
from reportgen.scenario import scenario_from_mapping

CATALOG = load_catalog()
JOB = {
    "title": "job",
    "job": "fine-tuning",
    "model": "llama-3.1-8b",
    "method": "full",
    "data": {"tokens": 1e9},
    "stack": "hf",
}


def ways(**keys):
    question = ask(scenario_from_mapping({**JOB, **keys}), CATALOG)
    return ways_to_fit(question, search(question, question.scenario.hardware.accelerators[0]))


def test_a_job_that_fits_needs_nothing() -> None:
    assert ways(hardware={"accelerators": ["h100-sxm"], "count": 8}) == ()


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({"hardware": {"accelerators": ["a100-sxm-40gb"], "count": 2}}, {"fit_optimizer_on_host", "fit_more_nodes", "fit_method"}),
        ({"hardware": {"accelerators": ["a100-sxm-80gb"], "count": 8}, "model": "llama-3.1-70b"}, {"fit_more_nodes"}),
        (
            {
                "hardware": {"accelerators": ["h100-sxm"], "count": 8},
                "layout": {"micro_batch": 16, "zero": 3, "recompute": "full", "tp": 1, "pp": 1},
            },
            {"fit_micro_batch", "fit_fused_loss"},
        ),
    ],
)  # fmt: skip
def test_every_way_fits(keys: dict, expected: set[str]) -> None:
    found = ways(**keys)
    assert expected <= {message.key for message in found}
    assert all(message.values["memory"] <= message.values["usable"] for message in found)
    for language in ("en", "zh"):
        for message in found:
            assert wording(language).text(message.key, **message.values)


def test_other_jobs_have_no_such_ways() -> None:
    found = ways(job="pretraining", hardware={"accelerators": ["a100-sxm-40gb"], "count": 8}, model="llama-3.1-70b")
    assert "fit_method" not in {message.key for message in found}
