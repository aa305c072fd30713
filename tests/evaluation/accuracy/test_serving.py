"""Measured serving against the estimate: what rows say, what they leave unsaid, and how near the estimate comes."""

from __future__ import annotations

import csv
import math

import pytest
from click.testing import CliRunner

from reportgen.catalog import load_catalog
from reportgen.cli.main import cli
from reportgen.evaluation.accuracy import serving, shipped_file
from reportgen.evaluation.accuracy.report import score
from reportgen.evaluation.accuracy.rows import MeasuredRow, Skipped, read_rows
from reportgen.evaluation.accuracy.serving_rows import COLUMNS, read_serving_row
from reportgen.text.accuracy import accuracy_answer

CATALOG = load_catalog()
ROW = {
    "id": "R1", "model": "meta-llama/Llama-3.1-70B", "gpu": "h100_sxm", "n_gpus": "4", "tp": "4", "precision": "fp8",
    "kv_precision": "", "isl": "1024", "osl": "1024", "batch_or_concurrency": "32", "metric": "tpot_ms", "value": "16.5",
    "engine": "vllm", "engine_version": "0.11.0", "source": "", "note": "",
}  # fmt: skip
AGGREGATED = "agg; pp=1 attnDP={groups} moeTP={slices} moeEP={whole}; InferenceX (lengths uniform 0.8-1.0 of nominal)"


def read(**cells):
    return read_serving_row(MeasuredRow({**ROW, **cells}, 2), CATALOG)


@pytest.fixture(scope="module")
def shipped():
    return serving.outcomes(shipped_file("serving"), CATALOG)


def test_a_plain_row():
    row = read()
    assert (row.model, row.accelerator.id, row.engine, row.weights, row.attention) == (
        "llama-3.1-70b", "h100-sxm", "vllm", "fp8", "fp8",
    )  # fmt: skip
    assert (row.gpus, row.groups, row.expert_groups, row.replicas, row.users) == (4, 1, 1, 1, 32)
    assert (row.prompt_tokens, row.answer_tokens, row.cache_bytes, row.draft_tokens) == (1024, 1024, 2.0, 0)


def test_lengths_of_a_benchmark_are_shorter_than_their_names():
    row = read(note=AGGREGATED.format(groups=1, slices=4.0, whole=1.0))
    assert row.prompt_tokens == pytest.approx(0.9 * 1024) and row.cache_bytes == 1.0


@pytest.mark.parametrize(
    ("tensor", "gpus", "groups", "slices", "whole", "expected"),
    [
        ("64", "64", 1, 8.0, 8.0, (8, 1, 8)),  # two names of the same ranks, multiplied by the record
        ("1", "64", 64, 8.0, 8.0, (8, 8, 8)),
        ("4", "16", 4, 1.0, 16.0, (4, 4, 4)),
        ("8", "8", 1, 1.0, 8.0, (8, 1, 8)),
        ("8", "8", 1, 8.0, 1.0, (8, 1, 1)),
        ("1", "4", 4, 1.0, 4.0, (4, 4, 4)),
    ],
)
def test_ranks_of_models_with_experts(tensor, gpus, groups, slices, whole, expected):
    note = AGGREGATED.format(groups=groups, slices=slices, whole=whole)
    row = read(model="deepseek-ai/DeepSeek-R1", gpu="b200_sxm", tp=tensor, n_gpus=gpus, note=note)
    assert (row.gpus, row.groups, row.expert_groups) == expected


@pytest.mark.parametrize(
    ("cells", "drafts"),
    [
        ({"engine": "trtllm", "engine_version": "1.2.0rc6.post3"}, 3),
        ({"engine": "trtllm", "engine_version": "1.2.0rc6.post2"}, 0),
        ({"engine": "sglang", "engine_version": "0.5.9"}, 0),
    ],
)
def test_releases_that_ran_with_drafts(cells, drafts):
    note = AGGREGATED.format(groups=1, slices=8.0, whole=1.0)
    row = read(model="deepseek-ai/DeepSeek-R1", gpu="b200_sxm", tp="8", n_gpus="8", note=note, **cells)
    assert row.draft_tokens == drafts


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Qwen/Qwen3-235B-A22B", "qwen3-235b-a22b"),
        ("nvidia/Kimi-K2.5-NVFP4", "kimi-k2.5"),
        ("zai-org/GLM-5-FP8", "glm-5"),
        ("nvidia/DeepSeek-R1-0528-FP4-v2", "deepseek-r1"),
        ("MLPerf llama2-70b-99", "llama-2-70b"),
        ("Mistral 7B", "mistral-7b"),
        ("openai/gpt-oss-120b", "gpt-oss-120b"),
        ("meta-llama/Meta-Llama-3.1-8B-Instruct", "llama-3.1-8b"),
    ],
)
def test_names_of_models(name, expected):
    assert read(model=name, tp="1", n_gpus="1").model == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("NVIDIA H100 80GB HBM3", "h100-sxm"),
        ("NVIDIA A100-SXM4-40GB", "a100-sxm-40gb"),
        ("NVIDIA A100 80GB PCIe", "a100-pcie-80gb"),
        ("8xH200 SXM", "h200-sxm"),
        ("AMD Instinct MI300X", "mi300x"),
        ("gb200_sxm", "gb200"),
    ],
)
def test_names_of_accelerators_as_drivers_print_them(name, expected):
    assert read(gpu=name).accelerator.id == expected


@pytest.mark.parametrize(("word", "size"), [("fp8_e5m2", 1.0), ("auto", 2.0), ("bfloat16", 2.0), ("int4", 0.5)])
def test_formats_of_the_cache_as_engines_name_them(word, size):
    assert read(kv_precision=word).cache_bytes == size


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"note": "disagg (gpu count not derivable) 1P(tp8) 1D(tp8)"}, "pools"),
        ({"model": "TML Inkling 1T"}, "model not in the catalog"),
        ({"gpu": "(not stated in table)"}, "accelerator not in the catalog"),
        ({"batch_or_concurrency": "SLO Server"}, "objective"),
        ({"batch_or_concurrency": "max"}, "users"),
        ({"isl": ""}, "isl"),
        ({"value": "fast"}, "value"),
        ({"metric": "joules"}, "metric"),
        ({"tp": "36", "n_gpus": "36"}, "divide the heads"),
        ({"note": "agg; pp=1 attnDP=0 moeTP=0 moeEP=0"}, "groups"),
        ({"gpu": "H100 PCIe 40GB"}, "accelerator not in the catalog"),
        ({"kv_precision": "fp6"}, "cache"),
        ({"note": "agg; pp=2"}, "pipeline"),
    ],
)
def test_rows_that_cannot_be_expressed_say_why(cells, reason):
    with pytest.raises(Skipped, match=reason):
        read(**cells)


def test_every_row_of_the_file_has_an_outcome(shipped):
    rows = list(read_rows(shipped_file("serving"), COLUMNS))
    assert [item.id for item in shipped] == [row.id for row in rows]
    expressible = [item for item in shipped if "pools" not in (item.skipped or "")]
    skipped = [item for item in expressible if item.skipped]
    assert len(skipped) <= 0.10 * len(expressible)
    for item in shipped:
        if item.skipped is None:
            assert 0 < item.p10 < item.predicted < item.p90 < math.inf


@pytest.mark.parametrize(("metric", "most"), [("tpot_ms", 0.12), ("output_tok_s", 0.12)])
def test_estimates_are_near(shipped, metric, most):
    """With constants fitted on all rows; the report of the calibration has models held out."""
    found = [item for item in shipped if item.kind == metric and item.counts]
    assert score(metric, found).median <= most
    if metric == "tpot_ms":
        assert score(metric, found).ninth_decile <= 0.40


def test_the_range_covers_what_it_says(shipped):
    by_accelerator = {}
    for item in shipped:
        if item.counts:
            by_accelerator.setdefault(item.classes["accelerator"], []).append(item)
    for name, found in by_accelerator.items():
        if len(found) >= 100:
            assert 0.70 <= score(name, found).covered <= 0.90, name


@pytest.fixture
def own_file(tmp_path):
    """The same columns, three rows: one is estimated as in the shipped file, one is skipped, one is garbage."""
    path = tmp_path / "own.csv"
    rows = [ROW, {**ROW, "id": "R2", "model": "unheard-of"}, {**ROW, "id": "R3", "value": "?"}]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, ROW)
        writer.writeheader()
        writer.writerows(rows)
    return path


def test_a_file_of_the_users_own(own_file):
    path = own_file
    first, second, third = serving.outcomes(path, CATALOG)
    assert first.predicted == pytest.approx(16.5, rel=0.25) and first.kind == "tpot_ms"
    assert second.predicted is None and "model" in second.skipped
    assert third.skipped and third.measured is None


def test_every_row_is_written_as_csv(own_file, tmp_path):
    written = tmp_path / "rows.csv"
    result = CliRunner().invoke(cli, ["accuracy", "--serving", str(own_file), "--csv", str(written)])
    assert result.exit_code == 0, result.output
    first, second, third = csv.DictReader(written.read_text(encoding="utf-8-sig").splitlines())
    assert float(first["error"]) == pytest.approx(float(first["predicted"]) / 16.5 - 1)
    assert (first["engine"], first["accelerator"], first["precision"]) == ("vllm", "h100-sxm", "fp8")
    assert second["predicted"] == "" and "model" in second["skipped"] and third["skipped"]


def test_errors_of_the_first_token_are_not_mixed_with_the_others(shipped):
    tables = accuracy_answer({"serving": shipped}, "en").blocks
    heads = [block.head[0] for block in tables]
    assert heads[:2] == ["Serving", "By metric"]
    for name in ("accelerator", "engine", "precision", "model"):
        assert f"By {name}, first token" in heads and f"By {name}, without first token" in heads


def test_rows_do_not_touch_each_other(shipped):
    """A row alone gives what it gives among thousands."""
    known = {item.id: item.predicted for item in shipped if item.counts}
    chosen = [row for row in read_rows(shipped_file("serving"), COLUMNS) if row.id in known][::700]
    constants = {key: float(record.value) for key, record in CATALOG.constants.items()}
    for cells in chosen:
        row = read_serving_row(cells, CATALOG)
        alone, _ = serving.predict([row], serving.blocks([row], CATALOG), constants)
        assert alone[0] == pytest.approx(known[row.id])
