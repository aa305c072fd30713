"""Queues and failures against exact results: Erlang's C, the binomial law."""

import math

import pytest

from tests.estimator.serving.quantities import evaluate


def erlang_c(servers: int, load: float) -> float:
    """Chance to wait in M/M/c, A. K. Erlang 1917: exact."""
    offered = servers * load
    last = offered**servers / math.factorial(servers) / (1 - load)
    return last / (sum(offered**k / math.factorial(k) for k in range(servers)) + last)


@pytest.mark.parametrize("servers", [1, 2, 5, 20])
@pytest.mark.parametrize("load", [0.5, 0.7, 0.9])
def test_one_queue_before_several_replicas(servers, load):
    """The closed form is within a tenth, or within 2.5 % of the time of service."""
    values = evaluate("llama-3.1-70b", "h100", prefill_load_at_peak=load, replicas_at_peak=float(servers))
    service = values["prefill_service_s"]
    exact = erlang_c(servers, load) * service / (servers * (1 - load))
    assert values["pooled_wait_random_s"] == pytest.approx(exact, rel=0.10, abs=0.025 * service)


def test_spread_of_arrivals_and_prompts():
    """Allen and Cunneen: constant prompts at random wait half as long as M/M/c; bursts of variation 2 four times that."""
    values = [
        evaluate("llama-3.1-70b", "h100", arrival_variation=arrivals, prompt_length_variation=0.0)
        for arrivals in (1.0, 2.0)
    ]
    assert values[0]["pooled_wait_s"] == pytest.approx(values[0]["pooled_wait_random_s"] / 2)
    assert values[1]["mean_wait_s"] / values[0]["mean_wait_s"] == pytest.approx(4)


def test_a_node_by_hand():
    """0.003 failures a day, half of them away for 7 days, the others for 600 s: 0.0105 days down a day."""
    values = evaluate(
        "llama-3.1-70b", "h100", node_failures_per_day=0.003, failure_swap_share=0.5, node_repair_days=7.0,
        restart_seconds=600.0,
    )  # fmt: skip
    assert 1 / values["node_availability"] - 1 == pytest.approx(0.003 * (3.5 + 0.5 * 600 / 86400))


@pytest.mark.parametrize("spare", [0, 1, 2, 3])
def test_all_that_the_peak_needs_is_up(spare):
    """The binomial law; twelve nodes of which some are spare."""
    values = evaluate("llama-3.1-70b", "h100", nodes=12.0, spare_nodes=float(spare), node_availability=0.98)
    exact = sum(math.comb(12, down) * 0.02**down * 0.98 ** (12 - down) for down in range(spare + 1))
    assert values["service_availability"] == pytest.approx(exact)
    assert values["rolling_upgrade_hours"] == pytest.approx(math.ceil(12 / max(1, spare)) * 0.5)


def test_the_last_node_is_never_spare():
    values = evaluate("llama-3.1-70b", "h100", nodes=1.0, spare_nodes=1.0, node_availability=0.98)
    assert values["service_availability"] == pytest.approx(0.98)
