"""The accelerator table: all that the accelerator drop-down reaches, a column a fact, a row an accelerator."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache

from reportgen.catalog.accelerator_facts import NodeFacts, node_facts
from reportgen.catalog.hardware_records import AcceleratorRecord
from reportgen.catalog.load import Catalog
from reportgen.catalog.money import Money, Price
from reportgen.catalog.planning_utilization import Utilization, planning_utilization
from reportgen.catalog.price_book import rent, server_price
from reportgen.catalog.rent_terms import rent_of_term
from reportgen.catalog.step_constants import accelerator_efficiency, is_calibrated
from reportgen.formula import MISSING, Column

REGIONS = ("cn", "us")
RENT_TERMS = {"month": "month", "reserved_1y": "reserved-1y", "reserved_3y": "reserved-3y", "spot": "spot"}
STEP_EFFICIENCIES = ("gemm_efficiency_16bit", "gemm_efficiency_8bit", "gemm_efficiency_4bit", "attention_efficiency")
UTILIZATION_PRECISIONS = ("bf16", "fp16", "fp8", "fp4")


@dataclass(frozen=True)
class TableJob:
    """What the table must know of the job: precision, parameters of the model in all, whether it routes to experts."""

    precision: str = "bf16"
    parameters: float = 70e9
    mixture_of_experts: bool = False
    job: str = "pretraining"
    several_nodes: bool = True
    rent_term: str = "hour"
    server: str = ""  # one that is named for its accelerator, in place of the usual


@dataclass(frozen=True)
class _Row:
    """The facts of one accelerator, each looked up once."""

    catalog: Catalog
    money: Money
    job: TableJob
    record: AcceleratorRecord

    @property
    def named(self) -> str | None:
        """The server that is named, if it holds this accelerator."""
        server = self.job.server
        return server if server and self.catalog.servers[server].accelerator == self.record.id else None

    @cached_property
    def node(self) -> NodeFacts:
        return node_facts(self.catalog, self.record, self.catalog.servers[self.named] if self.named else None)

    @cached_property
    def server(self) -> Price | None:
        return server_price(self.catalog, self.money, self.record.id, self.named)

    @cached_property
    def rent(self) -> Price | None:
        return rent(self.catalog, self.money, self.record.id, self.job.rent_term)

    def rent_of(self, term: str) -> Price | None:
        return rent_of_term(self.catalog, self.money, self.record.id, term)

    def of_family(self, constant: str, otherwise: float) -> float:
        """A constant that was fitted for the family of the accelerator, under its name and that of the family."""
        record = self.catalog.constants.get(f"{constant}_{self.record.family}")
        return float(record.value if record else otherwise)

    def utilization(self, precision: str) -> Utilization | None:
        job = self.job
        return planning_utilization(
            self.catalog, self.record, precision, job.parameters, job.mixture_of_experts, job.several_nodes
        )


# a figure without mark is printed by the vendor
CONFIDENCE = {None: "vendor", "high": "vendor", "medium": "published", "low": "assumed"}

Fact = Callable[[_Row], object]



def _efficiency_fact(name: str) -> Fact:
    return lambda row: accelerator_efficiency(row.record, name)


FACTS: dict[str, Fact] = {
    "id": lambda row: row.record.id,
    "name": lambda row: row.record.name,
    "vendor": lambda row: row.record.vendor,
    "family": lambda row: row.record.family,
    "form_factor": lambda row: row.record.form_factor,
    "memory_gib": lambda row: row.record.memory_gib,
    "bandwidth_gb_s": lambda row: row.record.memory_bandwidth_gb_s,
    "bf16_tflops": lambda row: row.record.bf16_tflops,
    "fp16_tflops": lambda row: row.record.fp16_tflops,
    "fp8_tflops": lambda row: row.record.fp8_tflops,
    "fp4_tflops": lambda row: row.record.fp4_tflops,
    "int8_tflops": lambda row: row.record.int8_tops,
    "fp32_tflops": lambda row: row.record.fp32_tflops,
    "tf32_tflops": lambda row: row.record.tf32_tflops,
    "tdp_kw": lambda row: row.record.tdp_kw,
    "interconnect_gb_s": lambda row: row.record.interconnect_per_direction_gb_s,
    "pcie_gb_s": lambda row: row.record.pcie_per_direction_gb_s,
    "nvlink_domain": lambda row: row.record.link_domain,
    "gpus_per_node": lambda row: row.node.gpus_per_node,
    "node_name": lambda row: row.node.name,
    "node_power_kw": lambda row: row.node.max_power_kw,
    "node_rack_units": lambda row: row.node.rack_units,
    "node_liquid_cooled": lambda row: row.node.liquid_cooled,
    "node_cpu_cores": lambda row: row.node.cpu_cores,
    "node_ram_gb": lambda row: row.node.ram_gb,
    "node_nvme_tb": lambda row: row.node.local_nvme_tb,
    "node_nic_count": lambda row: row.node.nic_count,
    "node_nic_gbit_s": lambda row: row.node.nic_gbit_s,
    "node_price": lambda row: row.server and row.server.base,
    "node_price_low": lambda row: row.server and row.server.low,
    "node_price_high": lambda row: row.server and row.server.high,
    "price_basis": lambda row: row.server.basis if row.server else "",
    "price_date": lambda row: row.server.as_of if row.server else "",
    "price_source": lambda row: row.server.source_key if row.server else "",
    "rent_per_gpu_hour": lambda row: row.rent and row.rent.base,
    "rent_per_gpu_hour_low": lambda row: row.rent and row.rent.low,
    "rent_per_gpu_hour_high": lambda row: row.rent and row.rent.high,
    "rent_basis": lambda row: row.rent.basis if row.rent else "",
    "rent_date": lambda row: row.rent.as_of if row.rent else "",
    "rent_source": lambda row: row.rent.source_key if row.rent else "",
    "serving_error": lambda row: row.of_family("serving_error", row.catalog.constants["serving_error_unlisted"].value),
    **{name: _efficiency_fact(name) for name in STEP_EFFICIENCIES},
    "step_calibrated": lambda row: float(is_calibrated(row.record)),
    "release_year": lambda row: row.record.release_year,
    "confidence": lambda row: CONFIDENCE[row.record.confidence],
    "as_of": lambda row: row.record.as_of,
    "source": lambda row: row.record.source_key,
}


# units of the columns that carry one; the others are counts or text
COLUMN_UNITS = {
    "memory_gib": "GiB",
    "bandwidth_gb_s": "GB/s",
    **{f"{precision}_tflops": "TFLOP/s" for precision in ("bf16", "fp16", "fp8", "fp4", "int8", "fp32", "tf32")},
    "tdp_kw": "kW",
    "serving_error": "share",
    **dict.fromkeys(STEP_EFFICIENCIES, "share"),
    "interconnect_gb_s": "GB/s",
    "pcie_gb_s": "GB/s",
    "nvlink_domain": "GPUs",
    "gpus_per_node": "GPUs",
    "node_power_kw": "kW",
    "node_rack_units": "U",
    "node_cpu_cores": "cores",
    "node_ram_gb": "GB",
    "node_nvme_tb": "TB",
    "node_nic_count": "NICs",
    "node_nic_gbit_s": "Gbit/s",
    **{f"node_price{end}": "money" for end in ("", "_low", "_high")},
    **{f"rent_per_gpu_hour{end}": "money/h" for end in ("", "_low", "_high")},
    **{f"rent_{term}": "money/h" for term in RENT_TERMS},
    **{
        f"planning_utilization_{precision}{end}": "share"
        for precision in UTILIZATION_PRECISIONS
        for end in ("", "_low", "_high")
    },
}


def _utilization_fact(precision: str, end: str) -> Fact:
    return lambda row: getattr(row.utilization(precision), end, None)


def _rent_fact(term: str) -> Fact:
    return lambda row: getattr(row.rent_of(term), "base", None)


def _supply_fact(region: str, field: str) -> Fact:
    return lambda row: getattr(row.record.supply_in(region), field)


for _precision in UTILIZATION_PRECISIONS:
    FACTS[f"planning_utilization_{_precision}"] = _utilization_fact(_precision, "base")
    FACTS[f"planning_utilization_{_precision}_low"] = _utilization_fact(_precision, "low")
    FACTS[f"planning_utilization_{_precision}_high"] = _utilization_fact(_precision, "high")
for _name, _term in RENT_TERMS.items():
    FACTS[f"rent_{_name}"] = _rent_fact(_term)
for _region in REGIONS:
    FACTS[f"supply_status_{_region}"] = _supply_fact(_region, "status")
    FACTS[f"supply_date_{_region}"] = _supply_fact(_region, "as_of")
    FACTS[f"supply_source_{_region}"] = _supply_fact(_region, "source")


@lru_cache(maxsize=16)  # the options of one request ask for few different tables
def accelerator_table(catalog: Catalog, money: Money, job: TableJob) -> dict[str, Column]:
    """The columns by name, each over the ids of all accelerators; a missing number is MISSING, missing text is empty.

    Units: GiB, decimal GB/s in one direction, TFLOP/s (int8: TOP/s), kW, money of the scenario a node and a GPU hour.
    """
    rows = [_Row(catalog, money, job, record) for record in catalog.accelerators.values()]
    keys = tuple(row.record.id for row in rows)
    return {name: Column(name, keys, tuple(_known(fact(row)) for row in rows)) for name, fact in FACTS.items()}


def _known(value: object) -> object:
    return MISSING if value is None else value
