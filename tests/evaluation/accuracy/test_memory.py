"""Measured training memory: how rows are read, how a figure is counted, and how close the estimate is."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from reportgen.catalog import load_catalog
from reportgen.evaluation.accuracy import outcomes, shipped_file
from reportgen.evaluation.accuracy.memory import counting, memory_case
from reportgen.evaluation.accuracy.rows import MeasuredRow, Skipped

CATALOG = load_catalog()
ROW = {
    "id": "row", "model": "Llama-3.1-8B", "method": "lora", "optimizer": "AdamW", "precision": "bf16", "gpu": "A100-80GB",
    "n_gpus": "1", "tp": "1", "pp": "1", "zero_stage": "none", "offload": "none", "micro_batch": "2", "seq_len": "2048",
    "recompute": "full", "flash_attention": "yes", "peak_gib_per_gpu": "20", "framework": "torchtune", "source": "a b",
    "source_kind": "repo_table", "note": "", "outcome": "", "lora_rank": "8",
}  # fmt: skip


def case(**cells: str):
    return memory_case(MeasuredRow({**ROW, **cells}, 2), CATALOG)


def test_a_row_is_a_scenario() -> None:
    found = case()
    scenario = found.question.scenario
    assert (scenario.method, scenario.lora.rank, scenario.stack, scenario.cross_entropy) == (
        "lora",
        8,
        "torchtune",
        "chunked",
    )
    assert found.inputs["micro_batch"] == 2 and found.inputs["full_recomputation"] == 1
    assert found.measure == "allocated"


def test_a_measure_counts_what_it_counts() -> None:
    found = case()
    allocated, reserved, device = (
        found.evaluate(measure)["memory_per_gpu_gib"] for measure in ("allocated", "reserved", "device")
    )
    assert allocated < reserved < device
    assert counting("device", {}) == {}


def test_running_out_is_an_event_of_the_device() -> None:
    assert case(outcome="OOM", peak_gib_per_gpu="").measure == "device"


def test_a_blank_micro_batch_is_the_largest_that_fits() -> None:
    small, large = case(micro_batch="", gpu="RTX4090-24GB"), case(micro_batch="")
    assert large.inputs["micro_batch"] > small.inputs["micro_batch"]
    assert large.evaluate()["memory_per_gpu_gib"] <= large.evaluate("device")["memory_usable_gib"]


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ({"gpu": "Titan RTX 24GB"}, "accelerator not in the catalog"),
        ({"model": "unheard-of-9b"}, "model not known"),
        ({"method": "ia3"}, "method outside the scenario"),
        ({"seq_len": ""}, "seq_len is not stated"),
        ({"source_kind": "published_estimate"}, "an estimate of the source"),
        ({"outcome": "MAX BATCH"}, "a bound"),
        ({"micro_batch": "two"}, "micro_batch is not a number"),
        ({"tp": "3"}, "tp 3 does not divide"),
    ],
)
def test_a_row_that_cannot_be_expressed_says_why(cells: dict, reason: str) -> None:
    with pytest.raises(Skipped, match=reason):
        case(**cells)


def test_a_framework_that_nobody_knows_is_what_a_blank_would_be() -> None:
    found = case(framework="notebook")
    assert found.question.scenario.stack == "hf" and found.measure == "device"


def test_the_shipped_rows() -> None:
    found = outcomes("training_memory", None, CATALOG)
    with shipped_file("training_memory").open(encoding="utf-8") as file:
        assert [item.id for item in found] == [row["id"] for row in csv.DictReader(file)]
    compared = [item for item in found if item.counts]
    ratios = np.array([item.predicted / item.measured for item in compared])
    assert len(compared) >= 370
    assert np.median(abs(ratios - 1)) < 0.065
    assert np.quantile(abs(ratios - 1), 0.9) < 0.20
    for regime in ("full", "lora"):
        of = [item for item in compared if item.regime == regime]
        assert len(of) >= 100
        inside = np.mean([item.p10 <= item.measured <= item.p90 for item in of])
        assert 0.7 <= inside <= 0.9, regime


def test_a_figure_of_the_first_node_is_compared_with_the_first_stage() -> None:
    """Logits stand on the last stage, which such a source does not see; running out is an event of any stage."""
    tr3m = "bigscience-workshop/bigscience experiments/tr3m-1B3.md @9e64ede"
    cells = {
        "model": "GPT-1.3B (tr3m)", "method": "full", "precision": "fp16", "gpu": "V100-32GB", "n_gpus": "8", "pp": "2",
        "zero_stage": "1", "micro_batch": "8", "flash_attention": "no", "framework": "Megatron-DeepSpeed",
    }  # fmt: skip
    seen = case(**cells, source=tr3m)
    whole = case(**cells)
    ran_out = case(**cells, source=tr3m, outcome="OOM")
    without_pipeline = case(**cells | {"pp": "1"}, source=tr3m)
    assert seen.read.first_stage and not without_pipeline.read.first_stage and not ran_out.read.first_stage
    first, last = (item.evaluate()["memory_per_gpu_gib"] for item in (seen, whole))
    assert first < 0.9 * last
    assert first == pytest.approx(15, rel=0.1)  # GiB, as the source shows for this run
    assert ran_out.evaluate()["memory_per_gpu_gib"] == last


@pytest.mark.parametrize(
    ("cells", "low", "high"),  # GiB per GPU as nvidia-smi shows; a GB without a base may be either
    [
        # huggingface/peft docs/source/accelerate/fsdp.md: Llama-2-70B, two GPUs, two sequences of 2048, rank 8
        ({"model": "Llama-2-70B", "n_gpus": "2", "offload": "none"}, 35.6 / 1.074, 35.6),
        ({"model": "Llama-2-70B", "n_gpus": "2", "offload": "cpu"}, 19.6 / 1.074, 19.6),
        # gist 47684d7afc4941c118ad8c0a2d764ca5 (philschmid's recipe): Llama-3-70B, one sequence of 3072, four GPUs: 20,611 MiB
        ({"model": "Llama-3-70B", "n_gpus": "4", "offload": "cpu", "micro_batch": "1", "seq_len": "3072"}, 20.1, 20.1),
    ],
)
def test_sharded_adapters_on_a_packed_base(cells: dict, low: float, high: float) -> None:
    """Scales that nobody splits, embedding and head in one unit, an unpacked matrix; copies that dropout keeps are not counted."""
    common = {"method": "qlora", "gpu": "A100-40GB", "zero_stage": "FSDP", "framework": "PEFT+TRL", "lora_rank": "8"}
    peak = case(**common | cells).evaluate("device")["memory_per_gpu_gib"]
    assert 0.84 * low < peak < 1.05 * high
