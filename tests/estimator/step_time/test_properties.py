"""What must hold of the time of a step whatever the constants are."""

from __future__ import annotations

import pytest

from reportgen.estimator.communication import far_domains_per_token
from reportgen.estimator.step_time import attention_shape_factor
from tests.estimator.training.cases import estimate
from tests.estimator.training.shapes import SHAPES

SECONDS = "seconds_per_token_per_gpu"
PARTS = (
    "block_seconds", "head_seconds", "attention_seconds", "elementwise_seconds", "launch_seconds", "tensor_seconds",
    "context_seconds", "gathering_seconds", "reduction_seconds", "update_seconds", "host_update_seconds",
    "host_weight_seconds",
)  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES)
def test_parts_are_positive_and_add_up(shape: str) -> None:
    found = estimate(SHAPES[shape], nodes=8.0)
    assert all(found[name] >= 0 for name in PARTS)
    whole = sum(found[f"{part}_seconds"] for part in ("pipeline", "exchange", "update", "host_update", "host_weight"))
    assert found[SECONDS] == pytest.approx(whole, rel=1e-12)
    assert found["pipeline_seconds"] >= found["busy_seconds"]


@pytest.mark.parametrize("shape", SHAPES)
def test_recomputation_costs_time(shape: str) -> None:
    kept = estimate(SHAPES[shape], full_recomputation=0.0)[SECONDS]
    again = estimate(SHAPES[shape], full_recomputation=1.0)[SECONDS]
    assert kept < again < 1.4 * kept


@pytest.mark.parametrize("shape", SHAPES)
def test_adapters_are_faster_than_all_weights(shape: str) -> None:
    assert estimate(SHAPES[shape], "lora")[SECONDS] < estimate(SHAPES[shape], "full")[SECONDS]


def test_the_bubble_goes_with_more_micro_batches() -> None:
    shape = SHAPES["llama"] if "llama" in SHAPES else next(iter(SHAPES.values()))
    waits = [
        estimate(shape, pipeline_parallel=4.0, nodes=4.0, global_batch=batch)["pipeline_seconds"]
        for batch in (16.0, 64.0, 4096.0)
    ]
    assert waits[0] > waits[1] > waits[2]


def test_network_shows_where_weights_are_gathered_for_few_tokens() -> None:
    shape = next(iter(SHAPES.values()))
    few = estimate(shape, zero_stage=3.0, nodes=8.0, micro_batch=1.0, sequence_length=512.0)
    many = estimate(shape, zero_stage=3.0, nodes=8.0, micro_batch=8.0, sequence_length=4096.0)
    assert few["exchange_seconds"] > 4 * many["exchange_seconds"]


def test_launching_hides_behind_long_work() -> None:
    shape = next(iter(SHAPES.values()))
    short = estimate(shape, micro_batch=1.0, sequence_length=128.0, launch_ms=5.0)
    long = estimate(shape, micro_batch=8.0, sequence_length=4096.0, launch_ms=5.0)
    assert short["pipeline_seconds"] >= short["launch_seconds"]
    assert long["exposed_launch_seconds"] < long["launch_seconds"]


def test_a_host_optimizer_costs_time() -> None:
    shape = next(iter(SHAPES.values()))
    assert estimate(shape, optimizer_on_host=1.0)[SECONDS] > estimate(shape, optimizer_on_host=0.0)[SECONDS]


def test_unfused_attention_is_slower() -> None:
    shape = next(iter(SHAPES.values()))
    assert estimate(shape, features=("score_matrix",))["attention_seconds"] > 2 * estimate(shape)["attention_seconds"]


def test_cards_without_a_fast_link_exchange_over_pcie_inside_a_node_and_over_the_network_beyond() -> None:
    shape = next(iter(SHAPES.values()))
    facts = {"nvlink_domain": 1.0, "link_gb_s": 64.0, "zero_stage": 3.0}
    inside = estimate(shape, nodes=1.0, **facts)
    beyond = estimate(shape, nodes=4.0, **facts)
    assert inside["replica_link_gb_s"] == pytest.approx(64.0)
    assert beyond["replica_link_gb_s"] <= inside["replica_link_gb_s"]
    assert inside["tensor_link_gb_s"] == pytest.approx(64.0)


@pytest.mark.parametrize(("ranks", "far"), [(8.0, 0.0), (16.0, 1 - 0.5**8), (32.0, 3 * (1 - 0.75**8))])
def test_the_network_carries_a_token_once_to_each_other_node(ranks: float, far: float) -> None:
    """Eight experts of a token spread evenly over nodes of 8: the expected number of other nodes that hold one."""
    domains = ranks / min(ranks, 8.0)
    assert float(far_domains_per_token.function(ranks, min(ranks, 8.0), 8.0)) == pytest.approx(far)
    assert far <= domains - 1


def test_narrow_heads_make_attention_slow() -> None:
    wide, narrow = (attention_shape_factor.function(20.0, heads, 4096.0) for heads in (32.0, 64.0))
    assert 1 < wide < narrow


@pytest.mark.parametrize("shape", SHAPES)
def test_nothing_runs_above_the_peak_of_32_bits(shape: str) -> None:
    """NVIDIA H100: 67 TFLOP/s in fp32, 989 in bf16; attention and head have no 16-bit copies there."""
    narrow, wide = (
        estimate(SHAPES[shape], sequence_length=32768.0, compute_precision=precision, peak_tflops=peak)
        for precision, peak in (("bf16", 989.0), ("fp32", 67.0))
    )
    for part in ("block_seconds", "head_seconds", "attention_seconds"):
        assert wide[part] == pytest.approx(narrow[part] * 989 / 67)
    eight = estimate(SHAPES[shape], sequence_length=32768.0, compute_precision="fp8", peak_tflops=1979.0)
    assert eight["attention_seconds"] == narrow["attention_seconds"]
    assert wide["model_flops_utilization"] < 1
