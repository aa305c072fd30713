"""Hybrid sharding, cut experts, disks, virtual stages and part recomputation: what each splits, saves and costs."""

from __future__ import annotations

import pytest

from reportgen.errors import ScenarioError
from tests.questions.answers import answered

HARDWARE = {"accelerator": "a100-sxm-80gb", "count": 64}
LAYOUT = {"tp": 1, "pp": 1, "zero": 3, "micro_batch": 1, "recompute": "full"}
DENSE = {"model": "llama-3.1-8b", "stack": "fsdp", "hardware": HARDWARE}
MIXTURE = {"model": "mixtral-8x7b", "stack": "megatron", "hardware": HARDWARE}
GIB = 2**30


def values(scenario: dict, *names: str, **layout) -> dict[str, float]:
    return answered({**scenario, "layout": {**LAYOUT, **layout}}, *names)[2]


def test_a_sharding_group_holds_one_copy_of_the_states() -> None:
    """FSDP's hybrid sharding: 16 bytes a parameter over 8 GPUs of a server, not over all 64."""
    names = ("weights_per_gpu_gib", "optimizer_per_gpu_gib", "gathering_seconds", "seconds_per_token_per_gpu", "parameters")
    grouped, whole = values(DENSE, *names, sharding_group=8), values(DENSE, *names)
    assert grouped["optimizer_per_gpu_gib"] == pytest.approx(8 * whole["optimizer_per_gpu_gib"])
    assert grouped["weights_per_gpu_gib"] == pytest.approx(4 * whole["parameters"] / 8 / GIB, rel=1e-6)
    assert grouped["gathering_seconds"] < whole["gathering_seconds"], "inside a server the fast link carries the weights"
    assert grouped["seconds_per_token_per_gpu"] <= whole["seconds_per_token_per_gpu"]


@pytest.mark.parametrize("zero", [1, 3])
def test_a_group_of_one_sums_as_if_nothing_were_split(zero: int) -> None:
    """A ring over 64 replicas: 4 bytes a parameter times 63/64, however few share the states."""
    names = ("reduction_seconds", "exchange_seconds", "exchanged_gradients", "replica_link_gb_s", "tokens_per_gpu_and_step")
    found = values(DENSE, *names, "exposed_reduction_share", zero=zero, sharding_group=1)
    volume = 4 * found["exchanged_gradients"] * 63 / 64
    seconds = volume / found["replica_link_gb_s"] / 1e9 / found["tokens_per_gpu_and_step"]
    assert found["reduction_seconds"] == pytest.approx(found["exposed_reduction_share"] * seconds)
    assert found["exchange_seconds"] == pytest.approx(found["reduction_seconds"])


def test_the_network_that_groups_need_does_not_grow_with_the_one_they_have() -> None:
    names = ("network_needed_gbit_s", "network_is_enough")
    slow, fast = (
        values({**DENSE, "hardware": {**HARDWARE, "network": f"{speed} Gbit/s"}}, *names, sharding_group=8)
        for speed in ("0.2", "400")
    )
    assert slow["network_needed_gbit_s"] == pytest.approx(fast["network_needed_gbit_s"], rel=1e-6)
    assert (slow["network_is_enough"], fast["network_is_enough"]) == (0, 1)


def test_groups_must_go_into_the_replicas() -> None:
    assert values(DENSE, "gpus_divide", sharding_group=16)["gpus_divide"] == 1
    with pytest.raises(ScenarioError, match="does not divide the 64"):
        values(DENSE, "gpus_divide", sharding_group=48)


def test_a_group_as_large_as_all_changes_nothing() -> None:
    names = ("memory_per_gpu_gib", "state_shards", "seconds_per_token_per_gpu", "network_needed_gbit_s")
    assert values(DENSE, *names, sharding_group=64) == pytest.approx(values(DENSE, *names))


def test_cut_experts_take_half_the_memory_and_exchange_more() -> None:
    """Mixtral holds 45.1 B in experts; dealt to 4 and cut in 2 a GPU holds an eighth."""
    names = ("expert_parameters_per_gpu", "expert_shards", "expert_exchange_seconds", "experts_divide", "memory_per_gpu_gib")
    plain, cut = values(MIXTURE, *names, ep=4, zero=1), values(MIXTURE, *names, ep=4, etp=2, zero=1)
    assert cut["expert_parameters_per_gpu"] == 32 * 8 * 3 * 4096 * 14336 / 8
    assert (plain["expert_shards"], cut["expert_shards"]) == (16, 8)
    assert cut["memory_per_gpu_gib"] < plain["memory_per_gpu_gib"]
    assert cut["expert_exchange_seconds"] > plain["expert_exchange_seconds"]


def test_disks_free_host_memory_and_cost_time() -> None:
    names = ("host_memory_per_node_gib", "run_seconds", "memory_per_gpu_gib", "nvme_states_per_node_gb", "parameters", "steps")
    scenario = {**DENSE, "stack": "deepspeed"}
    memory, disks = values(scenario, *names, offload="optimizer"), values(scenario, *names, offload="nvme")
    assert disks["memory_per_gpu_gib"] == memory["memory_per_gpu_gib"]
    assert disks["host_memory_per_node_gib"] < memory["host_memory_per_node_gib"]
    states = disks["nvme_states_per_node_gb"]
    assert states == pytest.approx(disks["parameters"] * (4 + 8 + 2) / 8 / 1e9)  # master, moments, bf16 gradients
    assert disks["run_seconds"] - memory["run_seconds"] == pytest.approx(disks["steps"] * 2 * states / 12)


def test_some_recomputed_layers_lie_between() -> None:
    names = ("memory_per_gpu_gib", "seconds_per_token_per_gpu")
    scenario = {**DENSE, "hardware": {**HARDWARE, "accelerator": "h200-sxm"}}
    none, half, full = (
        values(scenario, *names, recompute=word, **more)
        for word, more in (("none", {}), ("full", {"recompute_layers": 16}), ("full", {}))
    )
    assert full["memory_per_gpu_gib"] < half["memory_per_gpu_gib"] < none["memory_per_gpu_gib"] * 1.05
    assert none["seconds_per_token_per_gpu"] < half["seconds_per_token_per_gpu"] < full["seconds_per_token_per_gpu"]


def test_interleaving_shortens_the_bubble_and_keeps_more() -> None:
    """Narayanan et al.: (p - 1) / (v m)."""
    scenario = {"model": "llama-3.1-8b", "stack": "megatron", "global_batch": 256, "hardware": HARDWARE}
    names = ("bubble_factor", "layers_in_flight_first", "micro_batches")
    plain = values(scenario, *names, pp=4, zero=1, recompute="none", virtual_stages=1)
    inter = values(scenario, *names, pp=4, zero=1, recompute="none", virtual_stages=2)
    assert plain["bubble_factor"] - 1 == pytest.approx(3 / plain["micro_batches"])
    assert inter["bubble_factor"] - 1 == pytest.approx(3 / 2 / plain["micro_batches"])
    assert inter["layers_in_flight_first"] > plain["layers_in_flight_first"]
