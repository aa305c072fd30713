"""From users to nodes: the chain by hand, rounding, failures, and the choice among layouts."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.estimator.serving.quantities import SERVING, evaluate

BATCHES = np.array([1, 2, 4, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512], dtype=float)
FIXED = {"prompt_tokens": 1500.0, "answer_tokens": 400.0, "requests_per_minute": 0.6, "peak_factor": 2.5}


def ladder(name, card, features=SERVING, **changes):
    """Every tensor-parallel degree with every batch, and the place of the best."""
    degrees, batches = np.meshgrid([1.0, 2.0, 4.0, 8.0], BATCHES, indexing="ij")
    size = degrees.size
    layouts = {"tensor_parallel": degrees.ravel(), "batch_per_replica": batches.ravel()}
    values = evaluate(name, card, features, **layouts, layout_number=np.arange(1.0, size + 1), **changes)
    return values, int(np.argmin(values["layout_rank"]))


def test_users_become_requests_and_tokens():
    """5,000 users, a fifth active, 0.6 requests a minute, peak 2.5: 25 requests a second."""
    values = evaluate("llama-3.1-70b", "h100", **FIXED)
    assert values["busy_hour_requests_per_second"] == pytest.approx(10)
    assert values["peak_requests_per_second"] == pytest.approx(25)
    assert values["output_tokens_per_second"] == pytest.approx(10_000)
    share = 0.276 * 22 * 24 / 730
    assert values["average_load_share"] == pytest.approx(share) == pytest.approx(0.2, rel=0.01)
    assert values["tokens_per_month"] == pytest.approx(10 * share * 730 * 3600 * 1900)
    assert values["million_tokens_per_month"] == pytest.approx(values["tokens_per_month"] / 1e6)


def test_given_requests_replace_users():
    values = evaluate("llama-3.1-70b", "h100", SERVING | {"given_rate"}, requests_per_second=10.0, peak_factor=2.5)
    assert values["peak_requests_per_second"] == pytest.approx(25)


def test_replicas_nodes_and_what_a_failure_leaves():
    values = evaluate("llama-3.1-70b", "h100", **FIXED, tensor_parallel=2.0, batch_per_replica=96.0)
    needed = 25 / (values["replica_requests_per_second"] * 0.7)
    assert values["replicas_before_rounding"] == pytest.approx(needed)
    assert values["replicas_working"] == 8 == np.ceil(needed)
    assert (values["nodes"], values["gpus"], values["replicas"]) == (3, 24, 12)
    assert values["replicas_at_peak"] == 8
    assert values["capacity_with_node_down"] == pytest.approx(8 * values["replica_requests_per_second"] * 0.7)
    assert values["capacity_with_node_down"] >= 25
    assert values["carries_peak"] == 1 and values["stranded_gpus"] == 0


def test_ranks_that_do_not_fill_a_node_strand_the_rest():
    values = evaluate("llama-3.1-70b", "h100", tensor_parallel=4.0, gpus_per_node=10.0)
    assert values["replicas_per_group"] == 2
    assert values["stranded_gpus"] == values["nodes"] * 2


def test_replica_wider_than_a_node():
    values = evaluate(
        "llama-3.1-70b", "h100", tensor_parallel=8.0, gpus_per_node=4.0, nvlink_domain=72.0, spare_nodes=1.0
    )
    assert values["nodes_per_replica_group"] == 2
    assert values["nodes"] == 2 * values["replicas_working"] + 1
    assert values["replicas"] == values["replicas_working"] == values["replicas_at_peak"]
    assert values["divides"] == 1


@pytest.mark.parametrize(
    ("ranks", "card", "expected"), [(8.0, "h100", 1), (16.0, "h100", 1), (12.0, "h100", 0), (8.0, "l40s", 1), (3.0, "h100", 0)]
)
def test_what_divides(ranks, card, expected):
    assert evaluate("llama-3.1-70b", card, tensor_parallel=ranks)["divides"] == expected


def test_given_count():
    values = evaluate("llama-3.1-70b", "h100", fixed_gpu_count=np.array([2.0, 4.0, 12.0, 64.0]), spare_nodes=0.0)
    assert values["gpus"].tolist() == [2, 4, 12, 64]
    assert values["replicas"].tolist() == [0, 1, 3, 16]
    assert values["layout_ok"].tolist() == [0, 1, 1, 1]
    assert values["carries_peak"].tolist() == [0, 0, 0, 1]
    assert np.isfinite(values["ttft_s"]).all()


def test_nothing_to_do_and_too_few_to_do_it():
    values = evaluate("llama-3.1-70b", "h100", active_share=0.0, fixed_gpu_count=2.0, spare_nodes=0.0)
    assert values["layout_ok"] == 0 and values["layout_rank"] >= 1e9
    idle = evaluate("llama-3.1-70b", "h100", active_share=0.0)
    assert idle["replicas_working"] == 1 and idle["wait_s"] == 0 and idle["layout_ok"] == 1


def test_workstation_takes_part_of_a_node():
    light = {"users": 20.0, "spare_nodes": 0.0, "tensor_parallel": 1.0, "batch_per_replica": 4.0}
    values = evaluate("llama-3.1-8b", "rtx-4090", SERVING - {"fabric"}, **light)
    assert (values["gpus"], values["nodes"], values["replicas"]) == (1, 1, 1)
    assert values["layout_ok"] == 1


def test_peak_is_served_within_the_limit():
    values = evaluate("llama-3.1-70b", "h100", **FIXED, tensor_parallel=2.0, batch_per_replica=96.0)
    assert 1 < values["batch_at_peak"] < 96
    assert values["tpot_s"] < values["tpot_at_limit_s"] and values["ttft_s"] < values["ttft_at_limit_s"]
    in_flight = values["replica_load_at_peak"] * values["request_time_s"]
    assert in_flight <= values["batch_at_peak"], "the batch of the peak is an upper bound"
    assert values["requests_in_flight"] == pytest.approx(in_flight * values["replicas_at_peak"])


def test_waits():
    """M/G/1 by hand at half load with constant prompts: mean wait = T / 2; at p95 T ln(0.5 / 0.05)."""
    base = evaluate("llama-3.1-8b", "h100", tensor_parallel=1.0)
    rate = {"prompt_length_variation": 0.0, "users": 1.0, "active_share": 1.0, "peak_factor": 1.0}
    for_half = 0.5 / base["prefill_service_s"] * 60
    values = evaluate(
        "llama-3.1-8b",
        "h100",
        **rate,
        tensor_parallel=1.0,
        requests_per_minute=for_half,
        fixed_gpu_count=1.0,
        spare_nodes=0.0,
    )
    assert values["prefill_load_at_peak"] == pytest.approx(0.5)
    assert values["mean_wait_s"] == pytest.approx(base["prefill_service_s"] / 2)
    assert values["wait_s"] == pytest.approx(base["prefill_service_s"] * np.log(10))
    assert values["pooled_wait_s"] == pytest.approx(values["mean_wait_s"]), "one replica has one queue"


def test_parts_of_first_token_add_up():
    values = evaluate("llama-3.1-70b", "h100")
    parts = (
        values["engine_ttft_offset_s"]
        + values["wait_s"]
        + values["prefill_s"]
        + values["engine_first_token_steps"] * values["decode_step_at_peak_s"]
    )
    assert values["ttft_s"] == pytest.approx(parts)
    assert values["tpot_s"] == pytest.approx(values["decode_step_at_peak_s"] + values["prefill_interference_at_peak_s"])


def test_best_layout_has_fewest_gpus_and_keeps_the_objectives():
    values, best = ladder("llama-3.1-70b", "h100", **FIXED)
    acceptable = values["layout_ok"] == 1
    assert acceptable[best]
    assert values["gpus"][best] == values["gpus"][acceptable].min()
    assert values["tpot_at_limit_s"][best] <= 0.05 and values["ttft_at_limit_s"][best] <= 2.0
    same = acceptable & (values["gpus"] == values["gpus"][best])
    assert values["capacity_requests_per_second"][best] == values["capacity_requests_per_second"][same].max()
    assert (values["layout_rank"][~acceptable] >= 1e9).all() and (values["layout_rank"][acceptable] < 1e9).all()
    assert len(set(values["layout_rank"])) == len(BATCHES) * 4


def test_tighter_objective_never_needs_fewer():
    counts = []
    for objective in (0.1, 0.05, 0.03, 0.02):
        values, best = ladder("llama-3.1-70b", "h100", **FIXED, tpot_objective_s=objective)
        counts.append(values["gpus"][best])
    assert counts == sorted(counts)


def test_without_objectives_only_memory_limits():
    features = SERVING - {"latency_objectives"}
    values, best = ladder("llama-3.1-70b", "h100", features, **FIXED)
    bound, _ = ladder("llama-3.1-70b", "h100", **FIXED)
    assert values["gpus"][best] <= bound["gpus"][int(np.argmin(bound["layout_rank"]))]
    assert values["fits"][best] == 1


def test_measured_rate_drives_the_count():
    """2,400 output tokens a second of each accelerator, answers of 400 tokens, 25 requests a second, cap 0.7."""
    features = SERVING | {"measured_rate"}
    values, best = ladder(
        "llama-3.1-70b", "h100", features, **FIXED, measured_tokens_per_second=2400.0, measured_prompt_share=0.0,
        accelerator="h100-sxm", measured_accelerator="h100-sxm",
    )  # fmt: skip
    per_replica = 2400 * values["tensor_parallel"] / 400
    assert values["replicas_before_rounding"] == pytest.approx(25 / (per_replica * 0.7))
    assert values["layout_ok"][best] == 1
    near = np.abs(np.log(values["replica_rate_estimated"] / values["replica_requests_per_second"]))
    equal = (values["layout_ok"] == 1) & (values["gpus"] == values["gpus"][best])
    assert near[best] == near[equal].min()


@settings(max_examples=60, deadline=None)
@given(
    users=st.floats(10, 1e6),
    factor=st.floats(1.01, 3),
    ranks=st.sampled_from([2.0, 4.0, 8.0]),
    batch=st.sampled_from([8.0, 32.0, 128.0]),
    spare=st.sampled_from([0.0, 1.0, 2.0]),
)
def test_more_users_never_need_less(users, factor, ranks, batch, spare):
    inputs = {"tensor_parallel": ranks, "batch_per_replica": batch, "spare_nodes": spare}
    few, many = (evaluate("llama-3.1-70b", "h100", users=count, **inputs) for count in (users, users * factor))
    for values in (few, many):
        assert values["gpus"] == values["nodes"] * 8
        assert values["replicas"] * ranks + values["stranded_gpus"] == values["gpus"]
        assert values["carries_peak"] == 1
        assert values["replicas_at_peak"] >= values["replicas_working"]
        assert values["tpot_s"] <= values["tpot_at_limit_s"] * (1 + 1e-12)
    assert many["gpus"] >= few["gpus"]
    assert (
        many["replicas_before_rounding_p90"] > many["replicas_before_rounding"] > many["replicas_before_rounding_p10"]
    )
