"""Public questions about the network between servers: which one is enough, and when more servers are slower."""

from __future__ import annotations

from functools import cache

import pytest

from tests.questions.answers import answered

SHOWN = ("exchange_share", "network_is_enough", "training_days", "memory_per_gpu_gib")
WAITED = {  # Gbit/s of a server: share of a step that GPUs may wait, and whether the network is enough
    100: (0.5, 1.0, False),
    200: (0.25, 0.5, None),
    400: (0.05, 0.3, True),
    800: (0.0, 0.2, True),
    1000: (0.0, 0.15, True),
}


@cache
def on_64_cards(accelerator: str, model: str, gbit: int) -> dict[str, float]:
    hardware = {"accelerator": accelerator, "count": 64, "network": f"{gbit / 8} Gbit/s"}
    layout = {"zero": 3, "micro_batch": 2, "recompute": "full", "tp": 1, "pp": 1}
    scenario = {"model": model, "stack": "deepspeed", "sequence_length": 2048, "layout": layout, "hardware": hardware}
    return answered(scenario, *SHOWN)[2]


@pytest.mark.parametrize("gbit", WAITED)
@pytest.mark.parametrize("model", ["llama-7b", "llama-2-13b"])
def test_network_of_zero_3_on_64_v100(model: str, gbit: int) -> None:
    """deepspeedai/DeepSpeed#2928, reckoned there for V100: 100 Gbit/s are not enough, 200 to 400 are fair, 800 to 1,000 ideal."""
    found = on_64_cards("v100-sxm2-32gb", model, gbit)
    least, most, enough = WAITED[gbit]
    assert least <= found["exchange_share"] <= most
    assert enough is None or bool(found["network_is_enough"]) is enough


def test_faster_cards_want_a_faster_network() -> None:
    """deepspeedai/DeepSpeed#2928: the rule is for V100, "I'd expect higher requirements for A100 nodes"."""
    assert not on_64_cards("a100-sxm-80gb", "llama-2-13b", 400)["network_is_enough"]
    assert on_64_cards("a100-sxm-80gb", "llama-2-13b", 1600)["network_is_enough"]
    for gbit in WAITED:
        old, new = (on_64_cards(card, "llama-2-13b", gbit) for card in ("v100-sxm2-32gb", "a100-sxm-80gb"))
        assert new["exchange_share"] > old["exchange_share"]


@pytest.mark.parametrize(("gbit", "slowdown"), [(32, (4, 40)), (100, (2, 10)), (200, (1.5, 6))])
def test_two_servers_of_two_cards_are_slower_than_one(gbit: int, slowdown: tuple[float, float]) -> None:
    """deepspeedai/DeepSpeed#5770: 2.46 s a step on 2 A10, 8.68 s on 2 x 2, though each card does the same work; network not stated."""
    seconds = []
    for count in (2, 4):
        hardware = {"accelerator": "a10", "count": count, "network": f"{gbit / 2} Gbit/s"}
        layout = {"zero": 3, "micro_batch": 1, "recompute": "full", "tp": 1, "pp": 1}
        scenario = {
            "model": "qwen2-1.5b", "stack": "deepspeed", "sequence_length": 1024, "global_batch": 4 * count, "layout": layout,
            "hardware": hardware, "overrides": {"gpus_per_node": 2},
        }  # fmt: skip
        seconds.append(answered(scenario, "step_seconds")[2]["step_seconds"])
    assert slowdown[0] < seconds[1] / seconds[0] < slowdown[1]


@cache
def days_of_72b(count: int, **layout: object) -> dict[str, float]:
    hardware = {"accelerator": "a100-sxm-40gb", "count": count, "network": "12.5 Gbit/s"}
    fixed = {"zero": 3, "micro_batch": 1, "recompute": "full", **layout}
    scenario = {
        "model": "qwen2-72b", "method": "lora", "stack": "llama-factory", "sequence_length": 2048, "global_batch": 64, "layout": fixed,
        "hardware": hardware,
    }  # fmt: skip
    _, block, values = answered(scenario, *SHOWN)
    assert block.feasible
    return values


def test_servers_that_share_one_copy_are_slower_than_one_with_offload() -> None:
    """deepspeedai/DeepSpeed#6889: 72B on servers of 8 A100-40G; ZeRO-3 over all is much slower than one server with offload."""
    one, two, four = days_of_72b(8, offload="parameters"), days_of_72b(16), days_of_72b(32)
    assert two["training_days"] > 2 * one["training_days"]
    assert four["training_days"] > one["training_days"]
    assert not two["network_is_enough"] and two["exchange_share"] > 0.8


def test_a_copy_in_every_server_mends_it() -> None:
    """deepspeedai/DeepSpeed#6889: "try hpz" (a secondary copy in each server) - "it works"."""
    one, four = days_of_72b(8, offload="parameters"), days_of_72b(32, sharding_group=8)
    assert four["training_days"] < one["training_days"] / 3
    assert four["network_is_enough"]
