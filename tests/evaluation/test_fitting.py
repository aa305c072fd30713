"""What would make a job fit: every way named is one, and the cheapest comes first."""

from __future__ import annotations

import dataclasses

import pytest

from reportgen.catalog import load_catalog
from reportgen.catalog.wording import wording
from reportgen.evaluation.evaluate import evaluate, search
from reportgen.evaluation.fitting import ways_to_fit
from reportgen.evaluation.question import ask
from reportgen.evaluation.result import Message
from reportgen.memo.compose import compose_memo
from reportgen.scenario import scenario_from_mapping
from reportgen.text.answer import answer
from reportgen.text.markdown import markdown

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
        ({"hardware": {"accelerators": ["a100-sxm-40gb"], "count": 2}}, {"fit_optimizer_on_host", "fit_smallest", "fit_method_lora"}),
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
    assert all(message.values["memory_per_gpu_gib"] <= message.values["memory_usable_gib"] for message in found)
    for language in ("en", "zh"):
        for message in found:
            assert wording(language).text(message.key, **message.values)
            assert all(wording(language).has(f"{step}_step") for step in message.values.get("steps", ()))


def test_other_jobs_have_no_such_ways() -> None:
    found = ways(job="pretraining", hardware={"accelerators": ["a100-sxm-40gb"], "count": 8}, model="llama-3.1-70b")
    assert not [message.key for message in found if message.key.startswith("fit_method")]


@pytest.mark.parametrize(("language", "said"), [("en", "Fits with "), ("zh", "即可放下")])
def test_a_result_that_does_not_fit_says_what_would(language: str, said: str) -> None:
    hardware = {"accelerators": ["a100-sxm-40gb"], "count": 2}
    result = evaluate(scenario_from_mapping({**JOB, "hardware": hardware, "language": language}), CATALOG)
    told = [message for message in result.warnings if message.key.startswith("fit_")]
    assert not result.layouts[0].feasible and told
    assert said in markdown(answer(result))
    memo = compose_memo(result)
    assert said in memo.decision[-1]
    assert len([line for line in memo.appendices.limits.lines if said in line]) == len(told)


def test_several_changes_together_are_named_in_words() -> None:
    hardware = {"accelerators": ["a100-sxm-40gb"], "count": 2}
    result = evaluate(scenario_from_mapping({**JOB, "hardware": hardware}), CATALOG)
    values = {
        "steps": ["fit_zero", "fit_recomputation"],
        "memory_per_gpu_gib": 30.0,
        "memory_usable_gib": 36.0,
        "share": 1.5,
    }
    told = dataclasses.replace(result, warnings=(Message("fit_together", values),))
    wanted = "Fits with states split over all replicas, full recomputation of activations together: "
    assert wanted in markdown(answer(told))
    assert any(wanted in line for line in compose_memo(told).appendices.limits.lines)


def test_a_result_that_fits_says_nothing_of_it() -> None:
    result = evaluate(scenario_from_mapping({**JOB, "hardware": {"accelerators": ["h100-sxm"], "count": 8}}), CATALOG)
    assert not [message for message in result.warnings if message.key.startswith("fit_")]
