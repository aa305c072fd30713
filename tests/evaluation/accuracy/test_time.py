"""Measured training runs through the command's path: what is read, what is skipped, how far estimates are."""

from __future__ import annotations

import csv
import math
from dataclasses import replace

import pytest

from reportgen.catalog import load_catalog
from reportgen.evaluation.accuracy import outcomes, shipped_file
from reportgen.evaluation.accuracy.report import quantile, score, scores
from reportgen.evaluation.accuracy.rows import MeasuredRow, Skipped, read_rows
from reportgen.evaluation.accuracy.time import BLIND, calendar_factor, estimated_seconds, prepared
from reportgen.evaluation.accuracy.training_rows import COLUMNS, measured_run

CATALOG = load_catalog()


@pytest.fixture(scope="module")
def shipped():
    return outcomes("training_time", None, CATALOG)


def test_every_row_once_and_few_skipped(shipped):
    with shipped_file("training_time").open(encoding="utf-8") as file:
        ids = [row["id"] for row in csv.DictReader(file)]
    assert [outcome.id for outcome in shipped] == ids
    assert sum(outcome.skipped is not None for outcome in shipped) < 0.06 * len(ids)
    assert all(outcome.skipped or outcome.p10 < outcome.predicted < outcome.p90 for outcome in shipped)


def test_speeds_of_the_shipped_rows(shipped):
    speeds = [outcome for outcome in shipped if outcome.counts and outcome.classes["metric"] == "speed"]
    found = score("speed", speeds)
    assert found.median < 0.065
    assert found.ninth_decile < 0.23
    assert abs(found.bias) < 0.02
    assert 0.75 < found.covered < 0.95


def test_whole_runs_carry_what_is_lost(shipped):
    found = {outcome.id: outcome for outcome in shipped if outcome.whole_run}
    assert len(found) >= 20
    known = found["run-llama1-65b"]  # 1,022,362 GPU hours, about 21 days on 2,048 A100: arXiv:2302.13971, table 15
    assert known.whole_run.gpu_hours(known.measured) == pytest.approx(1022362)
    assert known.whole_run.days(known.measured) == pytest.approx(20.8, abs=0.05)
    assert known.p10 < known.measured < known.p90
    assert found["run-llama3-70b"].whole_run.days(1.0) is None
    errors = [abs(outcome.predicted / outcome.measured - 1) for outcome in found.values()]
    assert quantile(errors, 0.5) < 0.2


def test_lost_time_grows_with_the_number_of_gpus():
    rows = {row.id: row for row in read_rows(shipped_file("training_time"), COLUMNS)}
    run = measured_run(rows["run-llama3.1-405b"], CATALOG)
    small, huge = (calendar_factor(prepared(replace(run, gpus=gpus)), CATALOG) for gpus in (1024, 262144))
    assert small == pytest.approx(CATALOG.constants["all_in_factor"].value)
    assert huge > small


def test_no_large_class_is_biased(shipped):
    for name in ("stack", "precision", "architecture", "method"):
        for found in scores(shipped, lambda outcome, name=name: outcome.classes.get(name, ""), fewest=100):
            assert abs(found.bias) < 0.08, found
            assert found.covered > 0.7, found


def test_layouts_by_rule_are_nearly_as_good():
    rows = []
    for row in read_rows(shipped_file("training_time"), COLUMNS):
        try:
            run = measured_run(row, CATALOG)
        except Skipped:
            continue
        if not run.whole_run:
            rows.append(prepared(run, BLIND))
    seconds = estimated_seconds(rows, CATALOG)
    errors = [abs(value / item.measured - 1) for value, item in zip(seconds, rows, strict=True)]
    assert quantile(errors, 0.5) < 0.125


CASES = [  # cells, metric's seconds of one GPU for a token
    ({"metric": "tokens_per_s_per_gpu", "value": "1000"}, 1e-3),
    ({"metric": "iteration_s", "value": "10", "global_batch": "64", "n_gpus": "8"}, 10 * 8 / (64 * 4096)),
    ({"metric": "gpu_hours", "value": "1000", "tokens_trained_b": "1"}, 1000 * 3600 / 1e9),
]


@pytest.mark.parametrize(("cells", "seconds"), CASES)
def test_metrics_become_seconds(tmp_path, cells, seconds):
    row = (
        {name: "" for name in COLUMNS}
        | {"id": "a", "model": "Llama-3.1-8B", "gpu": "H100", "n_gpus": "8", "seq_len": "4096"}
        | cells
    )
    path = tmp_path / "rows.csv"
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, sorted({*row, "framework", "precision", "tokens_trained_b", "global_batch"}))
        writer.writeheader()
        writer.writerow(row)
    (found,) = outcomes("training_time", path, CATALOG)
    assert found.skipped is None
    assert found.measured == pytest.approx(seconds)
    assert math.isfinite(found.predicted)


PLAIN_ROW = {
    "id": "a", "model": "Llama-3.1-8B", "gpu": "H100", "n_gpus": "8", "seq_len": "4096", "metric": "tokens_per_s_per_gpu",
    "value": "9000",
}  # fmt: skip


def one_outcome(tmp_path, **cells):
    row = PLAIN_ROW | cells
    path = tmp_path / "rows.csv"
    path.write_text(",".join(row) + "\n" + ",".join(row.values()) + "\n", encoding="utf-8")
    (found,) = outcomes("training_time", path, CATALOG)
    assert found.skipped is None
    return found


def test_ranges_widen_with_what_is_not_known(tmp_path):
    layout = {"micro_batch": "1", "tp": "1", "framework": "llm-foundry"}
    seen = one_outcome(tmp_path, **layout, source="mosaicml/llm-foundry")
    unseen = one_outcome(tmp_path, **layout, source="somebody else")
    blank = one_outcome(tmp_path, framework="llm-foundry", source="somebody else")
    unlisted = one_outcome(tmp_path, **layout, gpu="Gaudi3-128GB")
    reaches = [found.p90 / found.predicted for found in (seen, unseen, blank, unlisted)]
    assert reaches == sorted(reaches)
    assert len(set(reaches)) == 4
    assert unlisted.classes["regime"] == "unlisted hardware"


SPELLINGS = [("model", "Llama3.1-8B"), ("model", "meta-llama/Llama-3.1-8B"), ("gpu", "H100-80GB"), ("gpu", "h100 sxm")]


@pytest.mark.parametrize(("column", "spelling"), SPELLINGS)
def test_usual_spellings_are_understood(tmp_path, column, spelling):
    assert one_outcome(tmp_path, **{column: spelling}).predicted == one_outcome(tmp_path).predicted


WRONG = [
    ({"gpu": "Abacus 9"}, "accelerator not in the catalog: Abacus 9"),
    ({"model": "Unheard-of-7T"}, "shape of the model is not known: Unheard-of-7T"),
    ({"metric": "parsecs"}, "metric is not one of"),
    ({"value": "many"}, "value is not a number: many"),
    ({"task": "lora (DoRA)"}, "method is not in the scenario language: lora (DoRA)"),
]


@pytest.mark.parametrize(("cells", "reason"), WRONG)
def test_rows_that_cannot_be_estimated_say_why(tmp_path, cells, reason):
    row = {
        "id": "a", "model": "Llama-3.1-8B", "gpu": "H100", "n_gpus": "8", "seq_len": "4096", "metric": "tokens_per_s_per_gpu",
        "value": "9000", "task": "",
    } | cells  # fmt: skip
    path = tmp_path / "rows.csv"
    path.write_text(",".join(row) + "\n" + ",".join(row.values()) + "\n", encoding="utf-8")
    (found,) = outcomes("training_time", path, CATALOG)
    assert found.skipped.startswith(reason)


@pytest.mark.parametrize("cell", ["1e400", "-1", "inf"])
def test_a_number_out_of_range_skips_the_row(cell) -> None:
    with pytest.raises(Skipped, match="layers is"):
        MeasuredRow({"layers": cell}, 2).positive("layers")
