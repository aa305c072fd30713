"""Records of accelerators, of servers, and of the node classes that stand in where no server is printed."""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from reportgen.catalog.record import Record

MIB = 2**20
GIB = 2**30
GIGABYTE = 10**9

Confidence = Literal["low", "medium", "high"]
Status = Literal["restricted", "available", "ended", "unknown"]
Tax = Literal["excluded", "included", "unknown", "none"]

PEAK_FIELDS = {
    "fp64": "fp64_tflops",
    "fp32": "fp32_tflops",
    "tf32": "tf32_tflops",
    "fp16": "fp16_tflops",
    "bf16": "bf16_tflops",
    "fp8": "fp8_tflops",
    "mxfp8": "fp8_tflops",
    "int8": "int8_tops",
    "fp4": "fp4_tflops",
    "nvfp4": "fp4_tflops",
    "mxfp4": "fp4_tflops",
}


class Supply(BaseModel):
    """Whether an accelerator can be had in a region. `unknown` and `ended` mean check, never permitted."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    status: Status
    as_of: str
    source: str  # a key of sources.yaml
    note: str = ""

    @property
    def needs_check(self) -> bool:
        """Whether a person must look before this accelerator is planned with."""
        return self.status != "available"


class AcceleratorRecord(Record):
    """One accelerator as its vendor prints it: dense peaks in TFLOPS (TOPS for int8), decimal GB/s, W."""

    name: str
    vendor: str
    architecture: str
    family: str
    memory_gb: float
    memory_unit: Literal["binary", "decimal"] = "binary"
    memory_visible_mib: int | None = None
    memory_type: str | None = None
    memory_bandwidth_gb_s: float
    fp64_tflops: float | None = None
    fp64_matrix_tflops: float | None = None
    fp32_tflops: float | None = None
    fp32_matrix_tflops: float | None = None
    tf32_tflops: float | None = None
    fp16_tflops: float | None = None
    bf16_tflops: float | None = None
    fp8_tflops: float | None = None
    int8_tops: float | None = None
    fp4_tflops: float | None = None
    fp16_accumulate_tflops: float | None = None
    fp8_fp16_accumulate_tflops: float | None = None
    interconnect: str | None = None
    interconnect_gb_s: float | None = None
    pcie_gen: int | None = None
    pcie_gb_s: float | None = None
    tdp_w: float | None = None
    form_factor: str
    release_year: int
    link_domain: int
    default_server: str | None = None
    node_class: str
    consumer: bool = False
    supply: dict[str, Supply]
    restricted_variant_of: str | None = None
    confidence: Confidence | None = None
    export_note: str | None = None
    note: str | None = None
    source_key: str
    checked_against: tuple[str, ...] = ()

    @property
    def memory_bytes(self) -> float:
        """Capacity in bytes: what the driver shows; else the printed number, which is GiB unless marked decimal."""
        if self.memory_visible_mib is not None:
            return self.memory_visible_mib * MIB
        return self.memory_gb * (GIGABYTE if self.memory_unit == "decimal" else GIB)

    @property
    def memory_gib(self) -> float:
        """Capacity in GiB."""
        return self.memory_bytes / GIB

    @property
    def tdp_kw(self) -> float | None:
        """Thermal design power in kW."""
        return None if self.tdp_w is None else self.tdp_w / 1000

    @property
    def pcie_per_direction_gb_s(self) -> float | None:
        """PCIe bandwidth of one accelerator in one direction, GB/s."""
        return None if self.pcie_gb_s is None else self.pcie_gb_s / 2

    @property
    def interconnect_per_direction_gb_s(self) -> float | None:
        """Bandwidth to the neighbours in one direction, GB/s: the accelerator link, or PCIe where there is none."""
        return self.pcie_per_direction_gb_s if self.interconnect_gb_s is None else self.interconnect_gb_s / 2

    def peak_tflops(self, precision: str) -> float | None:
        """Dense peak of a precision (fp32, tf32, fp16, bf16, fp8, int8, fp4 and their block forms), TFLOPS; None when it has none."""
        return getattr(self, PEAK_FIELDS[precision])

    def supply_in(self, region: str) -> Supply:
        """The supply status of a region ('cn', 'us', 'CN-GD', ...); unknown where nothing is recorded."""
        region = region.casefold()
        found = self.supply.get(region) or self.supply.get(region.split("-")[0])
        return found or Supply(status="unknown", as_of=self.as_of, source="catalog", note="nothing recorded here")


class ServerPrice(BaseModel):
    """A published price of a node, low and high in its currency."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    basis: Literal["list", "market"]
    currency: str
    low: float = Field(gt=0)
    high: float = Field(gt=0)
    tax: Tax
    as_of: str
    source: str
    source_key: str


class ServerRecord(Record):
    """A server node. Absent = not printed; `host_as`, `power_as` name the server whose figures serve for planning."""

    name: str
    accelerator: str
    gpus_per_node: int
    nodes_per_rack: int | None = None
    gpus_per_rack: int | None = None
    cpu: str | None = None
    cpu_count: int | None = None
    cpu_cores_total: int | None = None
    ram_gb: float | None = None
    local_nvme_tb: float | None = None
    local_nvme_detail: str | None = None
    compute_nics: int | None = None
    compute_nic_gbit_s: float | None = None
    other_nics: str | None = None
    intra_node_link: str | None = None
    max_power_kw: float | None = None
    rack_units: float | None = None
    rack_units_basis: Literal["node", "rack"] = "node"
    cooling: Literal["air", "liquid"] | None = None
    host_as: str | None = None
    power_as: str | None = None
    prices: tuple[ServerPrice, ...] = ()
    confidence: Confidence | None = None
    note: str | None = None
    source_key: str

    @property
    def rack_units_per_node(self) -> float | None:
        """Height of one node in rack units; a rack-scale system is shared out over its nodes."""
        if self.rack_units is None or self.rack_units_basis == "node":
            return self.rack_units
        return self.rack_units / (self.nodes_per_rack or 1)


class NodeClassRecord(Record):
    """Planning values of a node of one kind, used where no server of the accelerator is printed."""

    name: str
    gpus_per_node: int
    cpu_cores_total: int | None = None
    ram_gb: float | None = None
    local_nvme_tb: float | None = None
    compute_nics: int | None = None
    compute_nic_gbit_s: float | None = None
    rack_units: float | None = None
    confidence: Confidence
    note: str | None = None
    source_key: str
