"""Equipment that is there: what is free of it is used first, the rest is bought, and the network holds both."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.formula import MISSING
from tests.estimator.cluster.quantities import OWNED, OWNED_WORKSTATION, TRAINING, evaluate

THERE = {"accelerators_owned_gpus": 24.0, "accelerators_owned_busy_share": 0.25}


def test_free_servers_are_not_bought_again():
    v = evaluate(OWNED, **THERE)
    assert (v["gpus_owned"], v["gpus_owned_free"], v["nodes_owned_free"]) == (24, 18, 2)
    assert (v["nodes_reused"], v["nodes_bought"], v["nodes_installed"]) == (2, 7, 9)
    assert v["accelerator_servers_amount"] == pytest.approx(7 * 2_200_000)


def test_the_network_and_the_power_hold_all_of_them():
    owned, bought = evaluate(OWNED, **THERE), evaluate(TRAINING)
    for key in ("compute_switches", "compute_links", "fibre_cables", "it_power_kw", "support_servers"):
        assert owned[key] == bought[key], key
    assert owned["compute_racks"] < bought["compute_racks"]


@pytest.mark.parametrize(
    ("there", "busy"), [(0.0, 0.0), (MISSING, MISSING), (64.0, 1.0), (64.0, MISSING)], ids=["none", "other", "busy", "unknown"]
)
def test_what_is_not_known_to_be_free_is_not_counted(there, busy):
    v = evaluate(OWNED, accelerators_owned_gpus=there, accelerators_owned_busy_share=busy)
    assert v["gpus_owned_free"] == 0
    assert v["nodes_bought"] == evaluate(TRAINING)["nodes_bought"]


def test_enough_is_there():
    v = evaluate(OWNED, accelerators_owned_gpus=800.0, accelerators_owned_busy_share=0.0, spare_minimum_nodes=100.0)
    assert (v["nodes_bought"], v["nodes_reused"], v["accelerator_servers_amount"]) == (0, 8, 0)
    assert v["main_line_priced"] == 1
    assert v["owned_cost_per_gpu_hour"] > 0 and v["lifetime_share"] > 0


def test_cards_of_a_workstation():
    v = evaluate(OWNED_WORKSTATION, nodes=1.0, gpus=4.0, accelerators_owned_gpus=3.0, accelerators_owned_busy_share=0.0)
    assert (v["gpus_bought"], v["nodes_bought"]) == (1, 1)
    v = evaluate(OWNED_WORKSTATION, nodes=1.0, gpus=2.0, accelerators_owned_gpus=3.0, accelerators_owned_busy_share=0.0)
    assert (v["gpus_bought"], v["nodes_bought"], v["workstations_amount"]) == (0, 0, 0)


@given(
    nodes=st.integers(1, 200).map(float),
    there=st.integers(0, 2000).map(float),
    busy=st.floats(0, 1),
)
@settings(max_examples=120, deadline=None)
def test_more_that_is_there_never_costs_more(nodes, there, busy):
    keys = ("nodes_bought", "nodes_installed", "nodes_reused", "accelerator_servers_amount", "nodes", "spare_nodes")
    given = {"nodes": nodes, "accelerators_owned_busy_share": busy}
    v, more = (evaluate(OWNED, accelerators_owned_gpus=count, **given) for count in (there, there + 64))
    assert {key for key in keys if key not in v} == set()
    assert more["accelerator_servers_amount"] <= v["accelerator_servers_amount"]
    assert v["nodes_installed"] == v["nodes"] + v["spare_nodes"]
    assert v["nodes_reused"] <= v["nodes"]
