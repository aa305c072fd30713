"""What follows from an accelerator and the server it sits in: node size, power, host. Printed before derived."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reportgen.catalog.hardware_records import AcceleratorRecord, NodeClassRecord, ServerRecord
from reportgen.catalog.load import Catalog
from reportgen.catalog.record import Record


@dataclass(frozen=True)
class NodeFacts:
    """One node with its accelerators; absent = None. `power_source`, `host_source`: where the figures come from."""

    name: str
    gpus_per_node: int
    max_power_kw: float | None
    power_source: str
    power_is_derived: bool
    cpu_cores: int | None
    ram_gb: float | None
    local_nvme_tb: float | None
    nic_count: int | None
    nic_gbit_s: float | None
    rack_units: float | None
    liquid_cooled: float | None
    host_source: str
    source_key: str


def default_server(catalog: Catalog, accelerator: AcceleratorRecord) -> ServerRecord | None:
    """The server that the catalog names for an accelerator; None when none is printed."""
    return catalog.servers[accelerator.default_server] if accelerator.default_server else None


def node_facts(catalog: Catalog, accelerator: AcceleratorRecord, server: ServerRecord | None = None) -> NodeFacts:
    """The node of an accelerator: `server`, else its default server; gaps filled by stand-ins and node class."""
    server = server or default_server(catalog, accelerator)
    node_class = catalog.node_classes[accelerator.node_class]
    gpus = server.gpus_per_node if server else node_class.gpus_per_node
    power, power_source, derived = _node_power(catalog, accelerator, server, gpus)
    hosts = list(_hosts(catalog, server, node_class))
    return NodeFacts(
        name=server.name if server else f"{accelerator.name}: {node_class.name}",
        gpus_per_node=gpus,
        max_power_kw=power,
        power_source=power_source,
        power_is_derived=derived,
        cpu_cores=_first(hosts, "cpu_cores_total"),
        ram_gb=_first(hosts, "ram_gb"),
        local_nvme_tb=_first(hosts, "local_nvme_tb"),
        nic_count=_first(hosts, "compute_nics"),
        nic_gbit_s=_first(hosts, "compute_nic_gbit_s"),
        rack_units=_rack_units(hosts),
        liquid_cooled=None if server is None or server.cooling is None else float(server.cooling == "liquid"),
        host_source=hosts[0].source,
        source_key=hosts[0].source_key,
    )


def _hosts(
    catalog: Catalog, server: ServerRecord | None, node_class: NodeClassRecord
) -> Iterator[ServerRecord | NodeClassRecord]:
    """Where host facts may come from, best first."""
    if server:
        yield server
        if server.host_as:
            yield catalog.servers[server.host_as]
    yield node_class


def _first(hosts: list[Record], field: str):
    return next((getattr(host, field) for host in hosts if getattr(host, field) is not None), None)


def _rack_units(hosts: list[ServerRecord | NodeClassRecord]) -> float | None:
    for host in hosts:
        units = host.rack_units_per_node if isinstance(host, ServerRecord) else host.rack_units
        if units is not None:
            return units
    return None


def _node_power(
    catalog: Catalog, accelerator: AcceleratorRecord, server: ServerRecord | None, gpus: int
) -> tuple[float | None, str, bool]:
    """Maximum power of a node in kW: printed; else of the stand-in; else accelerators x the higher ratio."""
    if server and server.max_power_kw is not None:
        return server.max_power_kw, server.source, False
    if server and server.power_as:
        other = catalog.servers[server.power_as]
        return other.max_power_kw, f"for planning as {other.name}: {other.source}", True
    if accelerator.tdp_kw is None:
        return None, "", False
    ratio = catalog.site["system_to_gpu_power_ratio"]
    return gpus * accelerator.tdp_kw * ratio.ratio_high, f"accelerators x {ratio.ratio_high}: {ratio.source}", True
