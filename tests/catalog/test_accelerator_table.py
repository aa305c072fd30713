"""Node facts, planning utilisation and the columns of the accelerator table."""

from __future__ import annotations

import math

import pytest

from reportgen.catalog import load_catalog
from reportgen.catalog.accelerator_facts import node_facts
from reportgen.catalog.accelerator_table import COLUMN_UNITS, TableJob, accelerator_table
from reportgen.catalog.money import Money
from reportgen.catalog.planning_utilization import planning_utilization

CATALOG = load_catalog()
TABLE = accelerator_table(CATALOG, Money.of(CATALOG), TableJob(parameters=70.6e9))

CELLS = {  # (column, accelerator) -> value as printed by the vendor or computed from printed values
    ("memory_gib", "h200-sxm"): 143771 / 1024,
    ("bf16_tflops", "h100-sxm"): 989.4,
    ("fp8_tflops", "h100-sxm"): 1978.9,
    ("interconnect_gb_s", "h100-sxm"): 450,
    ("interconnect_gb_s", "a800-sxm-80gb"): 200,
    ("interconnect_gb_s", "l40s"): 32,
    ("pcie_gb_s", "h100-sxm"): 64,
    ("nvlink_domain", "h100-sxm"): 8,
    ("nvlink_domain", "gb200"): 72,
    ("nvlink_domain", "gb300"): 72,
    ("nvlink_domain", "l40s"): 1,
    ("nvlink_domain", "rtx-4090"): 1,
    ("nvlink_domain", "a100-pcie-80gb"): 2,
    ("gpus_per_node", "h100-sxm"): 8,
    ("gpus_per_node", "gb200"): 4,
    ("gpus_per_node", "gh200-96gb"): 1,
    ("node_power_kw", "h100-sxm"): 10.2,
    ("node_power_kw", "h800-sxm"): 10.2,
    ("node_power_kw", "b200-sxm"): 14.3,
    ("node_power_kw", "h20-sxm"): 8 * 0.4 * 2.03,
    ("node_rack_units", "gb200"): 48 / 18,
    ("node_nic_count", "h100-sxm"): 8,
    ("node_nic_gbit_s", "h800-sxm"): 400,
    ("node_ram_gb", "h800-sxm"): 2048,
    ("planning_utilization_bf16", "h100-sxm"): 0.38,
    ("planning_utilization_fp8", "h100-sxm"): 0.38 * 0.675,
    ("supply_status_cn", "h800-sxm"): "ended",
    ("supply_status_cn", "h100-sxm"): "restricted",
    ("supply_status_cn", "ascend-910b3"): "available",
    ("supply_status_us", "h100-sxm"): "available",
    ("family", "gb300"): "blackwell",
    ("vendor", "mi300x"): "AMD",
}


@pytest.mark.parametrize(("place", "value"), CELLS.items())
def test_cells(place, value):
    column, accelerator = place
    found = TABLE[column].get(accelerator)
    assert found == (pytest.approx(value) if isinstance(value, float) else value)


MISSING_CELLS = [("fp8_tflops", "a100-sxm-80gb"), ("bf16_tflops", "v100-sxm2-32gb"), ("node_price", "h200-sxm")]
MISSING_CELLS += [("planning_utilization_fp8", "a100-sxm-80gb"), ("tdp_kw", "tpu-v4"), ("rent_per_gpu_hour", "h20-sxm")]


@pytest.mark.parametrize(("column", "accelerator"), MISSING_CELLS)
def test_missing_stays_missing(column, accelerator):
    assert math.isnan(TABLE[column].get(accelerator))


def test_columns_have_one_row_an_accelerator():
    for name, column in TABLE.items():
        assert column.name == name
        assert column.keys == tuple(CATALOG.accelerators)
        assert all(value is not None for value in column.values)


def test_numbers_are_positive():
    for name in COLUMN_UNITS:
        assert all(math.isnan(value) or value > 0 for value in TABLE[name].values), name


def test_ends_enclose_the_base():
    for name in ("node_price", "rent_per_gpu_hour", "planning_utilization_bf16", "planning_utilization_fp8"):
        for low, base, high in zip(TABLE[f"{name}_low"], TABLE[name], TABLE[f"{name}_high"], strict=True):
            assert math.isnan(base) or low <= base <= high


UTILIZATION = {  # (accelerator, precision, parameters, experts, several nodes) -> base
    ("h100-sxm", "bf16", 8e9, False, False): 0.40,
    ("h100-sxm", "bf16", 13.02e9, False, True): 0.36,
    ("h100-sxm", "bf16", 70e9, False, True): 0.38,
    ("h100-sxm", "bf16", 175e9, False, True): 0.40,
    ("h100-sxm", "bf16", 671e9, True, True): 0.20,
    ("a100-sxm-80gb", "bf16", 8e9, False, False): 0.50,
    ("b200-sxm", "bf16", 70e9, False, True): 0.35,
    ("rtx-4090", "bf16", 7e9, False, False): 0.25,
    ("ascend-910b3", "bf16", 70e9, False, True): 0.40,
    ("mi300x", "bf16", 671e9, True, True): 0.15,
    ("v100-sxm2-32gb", "fp16", 7e9, False, False): 0.28,
}


@pytest.mark.parametrize(("case", "base"), UTILIZATION.items())
def test_planning_utilization(case, base):
    found = planning_utilization(CATALOG, *case)
    assert found.base == pytest.approx(base)
    assert 0 < found.low <= found.base <= found.high < 1
    assert found.source in CATALOG.sources


@pytest.mark.parametrize("key", ["h100-sxm", "b200-sxm", "gb300", "l40s", "mi300x"])
def test_fp8_is_faster_than_bf16_end_to_end(key):
    """A narrower precision loses utilisation and still gains time: 1.25 to 1.45 times."""
    record = CATALOG.accelerators[key]
    bf16 = planning_utilization(CATALOG, record, "bf16", 70e9, False, True).base * record.bf16_tflops
    fp8 = planning_utilization(CATALOG, record, "fp8", 70e9, False, True).base * record.fp8_tflops
    assert 1.25 <= fp8 / bf16 <= 1.45


def test_unknown_is_never_permitted():
    for record in CATALOG.accelerators.values():
        for region in ("cn", "us", "CN-GD", "de"):
            supply = record.supply_in(region)
            assert supply.needs_check == (supply.status != "available")
    assert CATALOG.accelerators["a40"].supply_in("cn").status == "unknown"
    assert CATALOG.accelerators["h100-sxm"].supply_in("CN-GD").status == "restricted"


def test_power_says_where_it_comes_from():
    printed = node_facts(CATALOG, CATALOG.accelerators["h100-sxm"])
    derived = node_facts(CATALOG, CATALOG.accelerators["l40s"])
    assert not printed.power_is_derived
    assert derived.power_is_derived
    assert "2.03" in derived.power_source


def test_a_named_server_wins_over_the_default():
    facts = node_facts(CATALOG, CATALOG.accelerators["rtx-4090"], CATALOG.servers["rtx4090-4"])
    assert facts.gpus_per_node == 4
    assert facts.cpu_cores == 24
