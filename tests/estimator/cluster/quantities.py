"""A cluster in numbers: inputs of the formulas by name, with the constants of the catalog, changed a few at a time."""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Any

from reportgen.catalog import load_catalog
from reportgen.estimator.rental import RENTAL_PRICE_INPUTS
from reportgen.estimator.request_list import LINES, PRICE_INPUTS
from reportgen.formula import MISSING, Column, Formula, Graph, select

SUBJECTS = (
    "accelerator", "cluster", "fabric", "owned", "storage", "power", "request_list", "cost", "rental", "horizon", "delivery",
)  # fmt: skip
TRAINING = frozenset({"training", "fabric", "buy"})
RENTING = frozenset({"training", "fabric", "rent"})
SERVING = frozenset({"serving", "fabric", "buy"})
BATCH = frozenset({"batch_inference", "fabric", "rent"})
WORKSTATION = frozenset({"training", "buy"})
OWNED = frozenset({"training", "fabric", "buy", "owned"})
OWNED_WORKSTATION = frozenset({"training", "buy", "owned"})
STRUCTURES = {
    "training": TRAINING,
    "renting": RENTING,
    "serving": SERVING,
    "batch": BATCH,
    "workstation": WORKSTATION,
    "owned": OWNED,
    "owned workstation": OWNED_WORKSTATION,
}

ACCELERATOR = {
    "vendor": "NVIDIA",
    "node_power_kw": 10.2,
    "node_rack_units": 8.0,
    "node_nic_count": 8.0,
    "node_nic_gbit_s": 400.0,
    "node_nvme_tb": 30.72,
    "node_price": 2_200_000.0,
    "rent_per_gpu_hour": 12.0,
    "rent_month": 11.0,
    "rent_reserved_1y": 8.0,
    "rent_reserved_3y": 7.6,
    "rent_spot": 5.0,
    "owned_gpus": 24.0,
    "owned_busy_share": 0.25,
}
PRICES = {
    "ndr_switch_price": 282_000.0,
    "xdr_switch_price": 900_000.0,
    "ethernet_400g_switch_price": 250_000.0,
    "ethernet_800g_switch_price": 1_305_000.0,
    "transceiver_1600g_price": 20_000.0,
    "transceiver_800g_price": 8_400.0,
    "transceiver_400g_price": 4_700.0,
    "transceiver_200g_price": 2_500.0,
    "fibre_cable_price": 580.0,
    "inband_switch_price": 90_000.0,
    "out_of_band_switch_price": 9_000.0,
    "management_server_price": 107_000.0,
    "fabric_manager_price": 150_000.0,
    "shared_storage_price": 4_500.0,
    "backup_storage_price": 860.0,
    "rack_price": 5_400.0,
    "pdu_price": 10_200.0,
    "rack_cabling_price": 21_300.0,
    "ups_price": 3_000.0,
    "rack_cooling_price": 4_000.0,
    "spare_kit_price": 60_000.0,
    "software_price": 30_000.0,
    "workstation_disk_price": 1_300.0,
    "workstation_backup_price": 410.0,
    "workstation_ups_price": 6_000.0,
    "rental_storage_price": 400.0,
    "rental_egress_price": 300.0,
    "rental_service_price": 2_000.0,
}
JOB = {
    "nodes": 8.0,
    "gpus_per_node": 8.0,
    "nvlink_domain": 8.0,
    "accelerator_row": 1.0,
    "runs": 4.0,
    "training_days": 10.0,
    "dataset_storage_tb": 0.1,
    "checkpoint_storage_tb": 3.5,
    "checkpoint_write_gb_s": 8.2,
    "checkpoint_read_gb_s": 6.6,
    "exported_weights_gb": 141.0,
    "electricity_price": 0.8,
    "grid_co2_g_per_kwh": 582.3,
    "weights_gib": 66.0,
    "tensor_parallel": 4.0,
    "batch_hours": 10.0,
    "batch_million_tokens": 2.0,
    "million_tokens_per_month": 5_000.0,
    "rental_term": "on-demand",
    "memory_capacity_gib": 79.6,
    "memory_bandwidth_gb_s": 3350.0,
    "peak_tflops_16bit": 989.4,
    "link_gb_s": 450.0,
    "checkpoint_interval_seconds": 7200.0,
    "days_to_deadline": 12.0,
}


@lru_cache
def cluster_formulas() -> tuple[Formula, ...]:
    """All formulas of the subjects that this package tests, and the look-ups that they stand on."""
    found: dict[int, Formula] = {}
    for subject in SUBJECTS:
        for value in vars(importlib.import_module(f"reportgen.estimator.{subject}")).values():
            for item in value if isinstance(value, (list, tuple)) else (value,):
                if isinstance(item, Formula) and item.section in SUBJECTS[1:]:
                    found.setdefault(id(item), item)
    return tuple(found.values())


def given(**changes: Any) -> dict[str, Any]:
    """Inputs by name; `accelerators_<fact>` sets the fact of the accelerator, the name of a formula fixes its value."""
    facts = {key: changes.pop(f"accelerators_{key}", value) for key, value in ACCELERATOR.items()}
    inputs: dict[str, Any] = {key: record.value for key, record in load_catalog().constants.items()}
    inputs |= {f"accelerators_{key}": Column(key, ("x",), (value,)) for key, value in facts.items()}
    inputs |= PRICES | JOB | {"offer_rental": 0.0}
    inputs |= {line.offer: 0.0 for line in LINES} | {line.discount: 0.0 for line in LINES}
    inputs |= changes
    inputs.setdefault("gpus", inputs["nodes"] * inputs["gpus_per_node"])
    return inputs


def evaluate(features: frozenset[str] = TRAINING, only: Any = None, **changes: Any) -> dict[str, Any]:
    """Values of all quantities on a structure."""
    inputs = given(**changes)
    graph = Graph(select(cluster_formulas(), features), inputs)
    return graph.evaluate(inputs, only)


def without_prices() -> dict[str, float]:
    """Every price missing."""
    return {price.key: MISSING for price in (*PRICE_INPUTS, *RENTAL_PRICE_INPUTS)} | {
        "accelerators_node_price": MISSING,
        "accelerators_rent_per_gpu_hour": MISSING,
    }
