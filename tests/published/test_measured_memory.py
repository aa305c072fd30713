"""The memory model against peaks measured on B200: allocated bytes, so without allocator and runtime."""

from __future__ import annotations

from pathlib import Path

import pytest

from reportgen.catalog.yaml_data import read_yaml
from tests.estimator.training.cases import estimate

ROWS = read_yaml(Path(__file__).parent / "measured_memory.yaml")["values"]
SHAPES = {
    "llama3_70b_l12": {"L": 12, "h": 8192, "f": 28672, "a": 64, "kv": 8, "d": 128, "V": 128256},
    "llama3_405b_l4": {"L": 4, "h": 16384, "f": 53248, "a": 128, "kv": 8, "d": 128, "V": 128256},
}
# the stated error of the model, lowest and highest
ERROR = {"llama3_70b_l12": (-0.01, 0.0), "llama3_405b_l4": (-0.045, -0.02)}


@pytest.mark.parametrize("row", ROWS, ids=[row["id"] for row in ROWS])
def test_peak(row: dict) -> None:
    given = row["inputs"]
    found = estimate(
        SHAPES[given["model"]],
        nodes=1.0,
        tensor_parallel=float(given["tp"]),
        pipeline_parallel=float(given["pp"]),
        micro_batch=float(given["mbs"]),
        zero_stage=float(given["zero"]),
        sequence_length=float(given["seq"]),
        global_batch=float(given["dp"] * given["microbatches"]),
        activation_factor=1.0,
        allocator_factor=1.0,
        framework_memory_gib=0.0,
        communication_memory_gib=0.0,
    )
    low, high = ERROR[given["model"]]
    assert low <= found["memory_per_gpu_gib"] / row["expected"] - 1 <= high
    assert found["data_parallel"] == given["dp"]
    assert found["micro_batches"] == given["microbatches"]
