"""What holds for any cluster: more never needs less, parts add up, no port is used twice, missing is not zero."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reportgen.estimator.request_list import LINES, lines_of
from reportgen.formula import MISSING
from tests.estimator.cluster.quantities import (
    RENTING,
    SERVING,
    STRUCTURES,
    TRAINING,
    WORKSTATION,
    evaluate,
    without_prices,
)

NODES = st.integers(1, 600).map(float)
NETWORK = {
    "compute_nic_gbit_s": st.sampled_from([100.0, 200.0, 400.0, 800.0]),
    "infiniband": st.sampled_from([0.0, 1.0]),
    "compute_nics_per_node": st.sampled_from([1.0, 2.0, 4.0, 8.0]),
}
SIZES = (1.0, 2.0, 3.0, 4.0, 8.0, 9.0, 16.0, 17.0, 32.0, 33.0, 64.0, 65.0, 128.0, 129.0, 256.0, 257.0, 512.0, 600.0)


@pytest.mark.parametrize("features", STRUCTURES.values(), ids=STRUCTURES)
@pytest.mark.parametrize("nodes", [1.0, 2.0, 4.0, 8.0, 64.0, 512.0])
def test_all_quantities_are_finite(features, nodes):
    values = evaluate(features, nodes=nodes)
    unknown = [key for key, value in values.items() if isinstance(value, float) and not math.isfinite(value)]
    assert not unknown


@pytest.mark.parametrize("nics", [1.0, 4.0, 8.0])
@pytest.mark.parametrize("rate", [200.0, 400.0, 800.0])
@pytest.mark.parametrize("infiniband", [0.0, 1.0])
def test_more_nodes_never_need_fewer(nics, rate, infiniband):
    wanted = ("nodes_bought", "compute_switches", "compute_links", "fibre_cables", "racks", "machines", "it_power_kw")
    network = {"compute_nics_per_node": nics, "compute_nic_gbit_s": rate, "infiniband": infiniband}
    before = dict.fromkeys(wanted, 0.0)
    for nodes in SIZES:
        values = evaluate(nodes=nodes, only=wanted, **network)
        for key in wanted:
            assert values[key] >= before[key], (key, nodes)
        before = values


@given(nodes=NODES, more=st.integers(1, 64).map(float), **NETWORK)
@settings(max_examples=150, deadline=None)
def test_more_gpus_never_need_fewer_switches_cables_or_kilowatts(nodes, more, **network):
    wanted = ("gpus_bought", "leaf_switches", "compute_switches", "fibre_cables", "it_power_kw", "storage_usable_tb")
    few, many = (evaluate(nodes=count, only=wanted, **network) for count in (nodes, nodes + more))
    assert {key: many[key] >= few[key] for key in wanted} == dict.fromkeys(wanted, True)


@given(nodes=NODES, **NETWORK)
@settings(max_examples=100, deadline=None)
def test_a_cable_for_every_port_in_use(nodes, **network):
    """Every link has two ends in a port; with splitters two links share a fibre; spares come on top."""
    v = evaluate(nodes=nodes, optics_spares_share=0.0, **network)
    links = v["compute_links"] + v["storage_links"] + v["storage_uplinks"]
    a_fibre = max(1.0, v["ports_per_cage"] / 2)
    assert links / a_fibre <= v["fibre_cables"] < links / a_fibre + 1
    ends_on_switches = v["node_links"] + v["storage_links"] + 2 * (links - v["node_links"] - v["storage_links"])
    ends_on_machines = v["node_links"] + v["storage_links"]
    assert ends_on_switches + ends_on_machines == 2 * links


@given(nodes=NODES, **NETWORK)
@settings(max_examples=150, deadline=None)
def test_no_port_is_used_twice(nodes, **network):
    v = evaluate(nodes=nodes, **network)
    leaves = v["leaf_switches"]
    assert v["node_links"] + v["fabric_manager_links"] <= leaves * v["switch_ports"] - v["leaf_spine_links"]
    assert v["leaf_spine_links"] + v["spine_core_links"] <= v["spine_switches"] * v["switch_ports"]
    assert v["spine_core_links"] <= v["core_switches"] * v["switch_ports"]
    if v["fabric_tiers"] == 2:  # every leaf reaches every spine
        assert v["leaf_up_ports"] >= v["spine_switches_per_plane"]


@given(nodes=NODES, **NETWORK)
@settings(max_examples=100, deadline=None)
def test_transceivers_fill_the_ends_of_links(nodes, **network):
    v = evaluate(nodes=nodes, **network)
    between = v["leaf_spine_links"] + v["spine_core_links"] + v["storage_uplinks"]
    ends = v["node_links"] + v["storage_links"] + 2 * between
    assert v["switch_transceivers"] * v["ports_per_cage"] >= ends
    slack = 2 * v["ports_per_cage"] * (v["compute_switches"] + v["storage_switches"] + 1) + v["fabric_manager_links"]
    assert v["switch_transceivers"] * v["ports_per_cage"] <= ends + slack
    assert v["compute_node_transceivers"] == v["node_links"]
    used = v["leaf_transceivers"] + v["upper_transceivers"]
    assert used <= v["compute_switches"] * v["switch_cages"]


@given(nodes=NODES, **NETWORK)
@settings(max_examples=100, deadline=None)
def test_power_and_money_add_up(nodes, **network):
    v = evaluate(nodes=nodes, **network)
    parts = ("server_power_kw", "network_power_kw", "storage_power_kw", "management_power_kw")
    assert v["it_power_kw"] == pytest.approx(sum(v[key] for key in parts))
    assert v["list_total"] == pytest.approx(sum(v[line.amount] for line in lines_of(TRAINING)))
    assert v["list_total"] == pytest.approx(v["goods_amount"] + v["services_amount"])
    parts = ("list_total", "price_movement_allowance", "contingency", "purchase_tax")
    assert v["purchase_cost"] == pytest.approx(sum(v[key] for key in parts))
    parts = ("rental_gpu_cost", "rental_extras_cost", "rental_contingency", "rental_tax")
    assert v["rental_cost"] == pytest.approx(sum(v[key] for key in parts))
    assert v["approval_ceiling"] >= v["purchase_cost"] > v["approval_ceiling"] - v["approval_step"]


def test_a_single_server_has_no_network():
    v = evaluate(nodes=1.0)
    absent = (
        "spare_nodes",
        "compute_switches",
        "compute_links",
        "storage_switches",
        "inband_switches",
        "out_of_band_switches",
        "switch_transceivers",
        "node_transceivers",
        "spare_transceivers",
        "fibre_cables",
        "support_servers",
        "fabric_managers",
        "other_racks",
        "spare_switches",
    )
    assert {key: v[key] for key in absent} == dict.fromkeys(absent, 0)
    assert v["racks"] == 1
    assert v["storage_usable_tb"] == 0  # the disks of the server hold what this job keeps


def test_copies_of_a_model_within_servers_need_no_compute_network():
    assert evaluate(SERVING, nodes=15.0, tensor_parallel=8.0)["compute_switches"] == 0
    assert evaluate(SERVING, nodes=15.0, tensor_parallel=16.0)["compute_switches"] == 6


def test_4096_gpus():
    v = evaluate(nodes=512.0)
    assert (v["spare_nodes"], v["fabric_tiers"]) == (16, 3)
    assert (v["leaf_switches"], v["spine_switches"], v["core_switches"]) == (136, 136, 68)
    assert v["unpriced_lines"] == 0


def test_a_rack_of_linked_trays_is_bought_whole():
    v = evaluate(nodes=20.0, gpus_per_node=4.0, nvlink_domain=72.0)
    assert (v["nodes_bought"], v["spare_nodes"], v["nodes_per_rack"], v["gpus_bought"]) == (36, 0, 18, 144)


def test_ethernet_accelerators_do_not_get_infiniband():
    v = evaluate(accelerators_vendor="Huawei", accelerators_node_nic_gbit_s=200.0)
    assert (v["infiniband"], v["switch_ports"], v["fabric_managers"]) == (0, 128, 0)
    assert v["compute_switch_price"] == 250_000.0


@pytest.mark.parametrize("features", STRUCTURES.values(), ids=STRUCTURES)
def test_without_prices_every_needed_line_is_counted_and_nothing_is_zero(features):
    v = evaluate(features, **without_prices())
    lines = lines_of(features)
    needed = [line for line in lines if v[line.quantity] > 0]
    for line in needed:
        assert math.isnan(v[line.amount]), line.key
    priced = sum(1 for line in needed if not math.isnan(v[line.amount]))
    assert v["unpriced_lines"] == len(needed) - priced
    for key in ("rental_cost", "owned_cost_per_gpu_hour", "break_even_utilization", "owned_job_cost"):
        assert math.isnan(v[key]), key


def test_one_missing_price_leaves_the_rest():
    full, part = evaluate(), evaluate(out_of_band_switch_price=MISSING)
    assert part["unpriced_lines"] == 1
    assert math.isnan(part["out_of_band_network_switches_amount"])
    lost = full["out_of_band_network_switches_amount"]
    assert full["goods_amount"] - part["goods_amount"] == pytest.approx(lost)


def test_shares_of_the_goods_are_unknown_while_the_servers_are():
    v = evaluate(accelerators_node_price=MISSING)
    for line in lines_of(TRAINING):
        if line.price in ("installation_price", "support_price"):
            assert math.isnan(v[line.price]), line.key
            assert math.isnan(v[line.amount]) == (v[line.quantity] > 0), line.key
    assert v["unpriced_lines"] == 2
    known = evaluate(support_share=0.1, installation_share=0.02, freight_share=0.01)
    assert known["support_price"] == pytest.approx(0.1 * known["goods_amount"])
    assert known["installation_price"] == pytest.approx(0.03 * known["goods_amount"])


def test_an_offer_wins_and_is_not_exposed_to_price_movement():
    offer = 2_000_000.0
    v = evaluate(offer_accelerator_servers=offer, discount_accelerator_servers=0.1, price_movement=0.1)
    assert v["accelerator_servers_unit_price"] == offer
    assert v["accelerator_servers_amount"] == pytest.approx(9 * offer * 0.9)
    assert v["quoted_amount"] == pytest.approx(v["accelerator_servers_amount"])
    assert v["price_movement_allowance"] == pytest.approx(0.1 * (v["list_total"] - v["quoted_amount"]))
    assert evaluate(accelerators_node_price=MISSING, offer_accelerator_servers=offer)["unpriced_lines"] == 0


def test_unknown_power_is_unknown_and_costs_at_least_the_rest():
    v = evaluate(accelerators_node_power_kw=MISSING)
    for key in ("it_power_kw", "facility_power_kw", "energy_per_year_kwh", "energy_cost_per_year", "job_co2_t"):
        assert math.isnan(v[key]), key
    assert v["rack_cooling_kw"] == 0
    assert v["total_cost"] == pytest.approx(v["purchase_cost_borne"])


def test_deductible_tax_is_not_borne_but_is_approved():
    v, w = evaluate(tax_recoverable=1.0), evaluate()
    assert v["purchase_cost"] == w["purchase_cost"]
    assert v["purchase_cost_borne"] == pytest.approx(w["purchase_cost"] - w["purchase_tax"])
    assert v["rental_total_cost"] == pytest.approx(w["rental_cost"] - w["rental_tax"])


def test_the_way_chosen_decides_what_is_asked_for():
    bought, rented = evaluate(TRAINING), evaluate(RENTING)
    assert bought["capital_cost"] == bought["purchase_cost"]
    assert rented["capital_cost"] == 0
    assert rented["total_cost"] == rented["rental_total_cost"]
    for key in (
        "purchase_cost",
        "rental_cost",
        "break_even_utilization",
        "rental_cost_per_run",
        "purchase_cost_per_run",
    ):
        assert bought[key] == rented[key], key


def test_at_break_even_an_hour_costs_the_same():
    u = evaluate(TRAINING)["break_even_utilization"]
    v = evaluate(TRAINING, owned_utilization=u, idle_power_share=1.0)
    w = evaluate(TRAINING, idle_power_share=1.0)
    assert v["owned_cost_per_gpu_hour"] * u == pytest.approx(w["owned_cost_per_gpu_hour"] * w["owned_utilization"])
    level = evaluate(TRAINING, owned_utilization=w["break_even_utilization"], idle_power_share=1.0)
    assert level["owned_cost_per_gpu_hour"] == pytest.approx(level["rental_cost_per_gpu_hour"])


def test_a_workstation_costs_its_share_of_a_server():
    v = evaluate(WORKSTATION, nodes=1.0, gpus=2.0, accelerators_node_price=224_000.0, accelerators_node_power_kw=7.3)
    assert v["workstations_amount"] == pytest.approx(56_000)
    assert v["it_power_kw"] == pytest.approx(1.825)
    assert not [key for key in v if "switch" in key and key.endswith("_amount")]


def poisson_quantile(mean: float, share: float) -> int:
    """The smallest stock that covers the share of cases."""
    stock, term = 0, math.exp(-mean)
    covered = term
    while covered < share:
        stock += 1
        term *= mean / stock
        covered += term
    return stock


@pytest.mark.parametrize("mean", [0.1, 0.3, 1.0, 2.4, 5.0, 9.5, 20.0, 40.0])
def test_spares_cover_95_of_100_cases(mean):
    v = evaluate(nodes=64.0, node_repairs_at_once=mean, spare_divisor=1e9)
    exact = poisson_quantile(mean, 0.95)
    assert exact <= v["spare_nodes"] <= exact + 1


@pytest.mark.parametrize("features", STRUCTURES.values(), ids=STRUCTURES)
def test_arrays_give_what_numbers_give(features):
    sizes = np.array([1.0, 2.0, 9.0, 40.0, 300.0])
    together = evaluate(features, nodes=sizes, gpus=sizes * 8)
    for index, nodes in enumerate(sizes):
        alone = evaluate(features, nodes=float(nodes))
        for key, value in alone.items():
            if isinstance(value, (int, float)):
                found = together[key][index] if isinstance(together[key], np.ndarray) else together[key]
                assert found == pytest.approx(value, rel=1e-12, nan_ok=True), key


def test_lines_name_known_quantities():
    for features in STRUCTURES.values():
        v = evaluate(features)
        for line in lines_of(features):
            assert {line.quantity, line.price, line.unit_price, line.amount, line.tax_rate} <= set(v), line.key
    assert len({line.key for line in LINES}) == len(LINES)
