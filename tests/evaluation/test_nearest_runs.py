"""The measured runs that a request is set beside."""

from __future__ import annotations

from dataclasses import replace

import pytest

from reportgen.catalog import load_catalog
from reportgen.evaluation.accuracy import outcomes
from reportgen.evaluation.accuracy.report import score
from reportgen.evaluation.nearest_runs import SHOWN, Wanted, compared_runs, distance, held_out, nearest_runs

CATALOG = load_catalog()
DENSE = Wanted("full", "h100-sxm", "bf16", False, 70e9, 64, 8192)
CASES = [  # what is asked, what the first run must be like
    (DENSE, {"model": "Llama-3.1-70B", "accelerator": "h100-sxm", "method": "full"}),
    (replace(DENSE, method="qlora", accelerator="a100-sxm-80gb", active_parameters=7e9, gpus=1, sequence_length=2048),
     {"model": "Qwen-7B", "method": "qlora"}),
    (replace(DENSE, accelerator="gb200", precision="fp8", mixture=True, active_parameters=37e9, gpus=256, sequence_length=4096),
     {"model": "DeepSeek-V3", "accelerator": "gb200"}),
]  # fmt: skip


@pytest.mark.parametrize(("wanted", "like"), CASES)
def test_the_first_run_is_like_the_request(wanted, like):
    found = nearest_runs(wanted, CATALOG)
    assert len(found) == SHOWN
    assert {name: getattr(found[0], name) for name in like} == like
    assert len({(run.source, run.model, run.method, run.accelerator) for run in found}) == SHOWN


def test_unlisted_hardware_has_neighbours_too():
    found = nearest_runs(replace(DENSE, accelerator="gaudi3"), CATALOG)
    assert {run.method for run in found} == {"full"}


def test_distance_is_zero_for_the_same_and_even():
    other = replace(DENSE, method="lora", precision="fp8", gpus=128)
    assert distance(DENSE, DENSE, CATALOG) == 0
    assert distance(DENSE, other, CATALOG) == distance(other, DENSE, CATALOG) > 0


def test_constants_that_have_not_seen_a_row_are_less_sure():
    """The report of the calibration, 5 folds by (source, model): a median below 7 % and a ninth decile below 25 %."""
    shipped = [outcome for outcome in outcomes("training_time", None, CATALOG) if outcome.counts and not outcome.whole_run]
    found = score("", held_out(shipped))
    assert found.rows == len(shipped)
    assert score("", shipped).median < found.median < 0.07
    assert found.ninth_decile < 0.25


def test_compared_runs_are_the_measured_speeds_that_are_shipped():
    speeds = {
        outcome.id: 1 / outcome.measured
        for outcome in outcomes("training_time", None, CATALOG)
        if outcome.counts and not outcome.whole_run
    }
    known = {run.shown.id: run.shown.measured for run in compared_runs()}
    assert known.keys() == speeds.keys()
    assert all(known[key] == pytest.approx(speeds[key], rel=1e-3) for key in known)
