"""The hardware list: each line is a block of request_lines.yaml; price, amount and sums are formulas built from it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import reduce

from reportgen.catalog.yaml_data import read_data
from reportgen.estimator.structure import fabric
from reportgen.formula import (
    MISSING,
    Feature,
    Formula,
    above,
    at_least,
    at_most,
    equals,
    floor,
    formula,
    is_known,
    maximum,
    pick,
    total,
    where,
)

STRUCTURES = {"cluster": fabric, "workstation": ~fabric}
TAX_RATES = {"goods": "value_added_tax_goods", "services": "value_added_tax_services"}


@dataclass(frozen=True)
class PriceInput:
    """A price that the catalog, or a private price book, gives by the key of a component. Without one it is missing."""

    key: str
    unit: str
    component: str


@dataclass(frozen=True)
class Line:
    """A line of the hardware list. `quantity`, `price` name quantities, `price_inputs` the inputs behind the price."""

    key: str
    category: str
    structure: str  # cluster or workstation
    quantity: str
    unit: str
    price: str
    price_unit: str
    price_inputs: tuple[str, ...]
    tax: str  # goods or services
    lead_time_weeks: float

    @property
    def offer(self) -> str:
        """The input that holds a supplier's unit price; 0 until there is one."""
        return f"offer_{self.key}"

    @property
    def discount(self) -> str:
        """The input that holds the discount on the unit price."""
        return f"discount_{self.key}"

    @property
    def unit_price(self) -> str:
        """The quantity that gives the price in force."""
        return f"{self.key}_unit_price"

    @property
    def amount(self) -> str:
        """The quantity that gives the amount without tax."""
        return f"{self.key}_amount"

    @property
    def tax_rate(self) -> str:
        """The input that gives the rate of tax."""
        return TAX_RATES[self.tax]

    @property
    def when(self) -> Feature:
        """The structure on which the line exists."""
        return STRUCTURES[self.structure]


def _read_lines() -> tuple[tuple[PriceInput, ...], tuple[Line, ...]]:
    content = read_data("request_lines")
    prices = tuple(PriceInput(key, **fields) for key, fields in content["prices"].items())
    lines = tuple(
        Line(key, **{**fields, "price_inputs": tuple(fields.get("price_inputs", ()))})
        for key, fields in content["lines"].items()
    )
    return prices, lines


PRICE_INPUTS, LINES = _read_lines()


def lines_of(features: frozenset[str]) -> tuple[Line, ...]:
    """The lines of a structure, in the order of the list."""
    return tuple(line for line in LINES if line.when(features))


def categories(lines: Iterable[Line]) -> tuple[str, ...]:
    """The categories of lines, each once, in their order."""
    return tuple(dict.fromkeys(line.category for line in lines))


def unit_price_of(offer, price):
    """A supplier's offer wins over the price book at once."""
    return where(above(offer, 0), offer, price)


def amount_of(quantity, unit_price, discount):
    """Without tax; unknown while there is no price, and zero when nothing is needed."""
    priced = where(is_known(unit_price), quantity * unit_price * (1 - discount), MISSING)
    return where(at_most(quantity, 0), 0, priced)


def sum_of_amounts(*amounts):
    """What is priced; lines without a price are counted beside it."""
    return total(*amounts)


def sum_of_parts(*parts):
    """The categories together."""
    return total(*parts)


def quoted_amounts(*offers_and_amounts):
    """Amounts that rest on an offer are not exposed to price movement."""
    half = len(offers_and_amounts) // 2
    offers, amounts = offers_and_amounts[:half], offers_and_amounts[half:]
    quoted = (where(above(offer, 0), amount, 0) for offer, amount in zip(offers, amounts, strict=True))
    return reduce(operator.add, quoted)


def count_unknown(*amounts):
    """A missing price is not a price of zero: the total is a lower bound until this is 0."""
    return reduce(operator.add, (where(is_known(amount), 0, 1) for amount in amounts))


def _declared(
    function: Callable, name: str, parameters: Iterable[str], unit: str, symbol: str, when: Feature
) -> Formula:
    item = formula(unit=unit, symbol=symbol, source="reportgen", when=when, name=name, section="request_list")(function)
    item.parameters = tuple(parameters)
    return item


def _formulas_of_line(line: Line) -> tuple[Formula, Formula]:
    return (
        _declared(unit_price_of, line.unit_price, (line.offer, line.price), line.price_unit, "", line.when),
        _declared(amount_of, line.amount, (line.quantity, line.unit_price, line.discount), "money", "", line.when),
    )


def _sums_of_category(category: str, lines: tuple[Line, ...], when: Feature) -> list[Formula]:
    amounts = [line.amount for line in lines]
    offers = [line.offer for line in lines]
    return [
        _declared(sum_of_amounts, f"{category}_total", amounts, "money", "", when),
        _declared(quoted_amounts, f"{category}_quoted", [*offers, *amounts], "money", "", when),
        _declared(count_unknown, f"{category}_unpriced", amounts, "lines", "", when),
    ]


def _sums(lines: tuple[Line, ...], when: Feature) -> list[Formula]:
    names = categories(lines)
    found = [
        item
        for category in names
        for item in _sums_of_category(category, tuple(line for line in lines if line.category == category), when)
    ]
    for tax, symbol in (("goods", "K_g"), ("services", "K_s")):
        amounts = [line.amount for line in lines if line.tax == tax]
        found.append(_declared(sum_of_amounts, f"{tax}_amount", amounts, "money", symbol, when))
    for name, part, unit, symbol in (
        ("list_total", "total", "money", "K_l"),
        ("quoted_amount", "quoted", "money", "K_q"),
        ("unpriced_lines", "unpriced", "lines", "n_q"),
    ):
        parts = [f"{category}_{part}" for category in names]
        found.append(_declared(sum_of_parts, name, parts, unit, symbol, when))
    return found


FORMULAS: list[Formula] = [item for line in LINES for item in _formulas_of_line(line)]
for _structure, _when in STRUCTURES.items():
    FORMULAS += _sums(tuple(line for line in LINES if line.structure == _structure), _when)

# --- what is asked of suppliers: rounded down, so that the figures of one maker are not the specification


@formula(unit="GiB", symbol="M_spec", source="reportgen")
def specified_memory_gib(memory_capacity_gib):
    """Whole GiB."""
    return where(is_known(memory_capacity_gib), floor(memory_capacity_gib), MISSING)


@formula(unit="GB/s", symbol="W_spec", source="reportgen")
def specified_bandwidth_gb_s(memory_bandwidth_gb_s, specified_bandwidth_step):
    """In coarse steps."""
    steps = floor(memory_bandwidth_gb_s / specified_bandwidth_step)
    return where(is_known(memory_bandwidth_gb_s), specified_bandwidth_step * steps, MISSING)


@formula(unit="TFLOP/s", symbol="F_spec", source="reportgen")
def specified_tflops(peak_tflops_16bit, specified_compute_step):
    """In coarse steps."""
    steps = floor(peak_tflops_16bit / specified_compute_step)
    return where(is_known(peak_tflops_16bit), specified_compute_step * steps, MISSING)


@formula(unit="GB/s", symbol="B_spec", source="reportgen")
def specified_link_gb_s(link_gb_s, specified_link_step):
    """In coarse steps."""
    return where(is_known(link_gb_s), specified_link_step * floor(link_gb_s / specified_link_step), MISSING)


# --- the main line, without which a total says little


@formula(unit="flag", symbol="ok_1", source="reportgen", when=fabric)
def main_line_priced(accelerator_servers_amount):
    """The servers are most of the money: a total without them is no total."""
    return where(is_known(accelerator_servers_amount), 1, 0)


@formula(unit="flag", symbol="ok_1", source="reportgen", when=~fabric, name="main_line_priced")
def workstation_line_priced(workstations_amount):
    """The workstation is most of the money: a total without it is no total."""
    return where(is_known(workstations_amount), 1, 0)


@formula(unit="money", symbol="K_2", source="reportgen")
def other_lines_total(list_total, servers_total):
    """What is known beside the servers, without tax."""
    return list_total - servers_total


# --- unit prices that follow from the design


@formula(unit="money", symbol="c_n", source="catalog")
def node_price(accelerators_node_price, accelerator_row, server_price_factor):
    """The published price of the usual server, moved within its range."""
    listed = pick(accelerators_node_price, accelerator_row)
    return where(is_known(listed), listed * server_price_factor, MISSING)


@formula(unit="money", symbol="c_ws", source="catalog", when=~fabric)
def workstation_price(node_price, gpus_bought, gpus_per_node, nodes):
    """The share of a full server that the cards make up: host, supply and cooling shrink with them."""
    shared = gpus_bought / gpus_per_node / nodes
    return where(is_known(node_price), node_price * shared, MISSING)


@formula(unit="money", symbol="c_sw", source="catalog", when=fabric)
def compute_switch_price(
    infiniband,
    fast_ports,
    xdr_switch_price,
    ndr_switch_price,
    ethernet_800g_switch_price,
    ethernet_400g_switch_price,
):
    """By network and rate."""
    fast = equals(fast_ports, 1)
    by_infiniband = where(fast, xdr_switch_price, ndr_switch_price)
    return where(
        equals(infiniband, 1), by_infiniband, where(fast, ethernet_800g_switch_price, ethernet_400g_switch_price)
    )


@formula(unit="money", symbol="c_ts", source="catalog", when=fabric)
def switch_transceiver_price(
    infiniband,
    fast_ports,
    transceiver_1600g_price,
    transceiver_800g_price,
    transceiver_400g_price,
):
    """A switch cage of InfiniBand carries two ports, so its transceiver is of twice the rate."""
    fast = equals(fast_ports, 1)
    by_infiniband = where(fast, transceiver_1600g_price, transceiver_800g_price)
    return where(equals(infiniband, 1), by_infiniband, where(fast, transceiver_800g_price, transceiver_400g_price))


@formula(unit="money", symbol="c_tn", source="catalog", when=fabric)
def node_transceiver_price(
    fast_ports,
    compute_nic_gbit_s,
    ndr_port_rate,
    transceiver_800g_price,
    transceiver_400g_price,
    transceiver_200g_price,
):
    """By the rate of the NIC."""
    slower = where(at_least(compute_nic_gbit_s, ndr_port_rate), transceiver_400g_price, transceiver_200g_price)
    return where(equals(fast_ports, 1), transceiver_800g_price, slower)


@formula(unit="lots", symbol="n_in", source="reportgen", when=fabric)
def installation_lots(nodes):
    """Installation and acceptance are one contract."""
    return where(at_least(nodes, 1), 1, 0)


@formula(unit="money", symbol="c_in", source="cluster-rules", when=fabric)
def installation_price(goods_amount, installation_share, freight_share, main_line_priced):
    """Freight, cabling, labels, burn-in and acceptance go with the value of the goods, unknown without the servers."""
    return where(equals(main_line_priced, 1), goods_amount * (installation_share + freight_share), MISSING)


@formula(unit="money/years", symbol="c_su", source="cluster-rules")
def support_price(goods_amount, support_share, main_line_priced):
    """A year of support goes with the value of the goods, unknown without the servers."""
    return where(equals(main_line_priced, 1), goods_amount * support_share, MISSING)


@formula(unit="years", symbol="y_s", source="cluster-rules")
def support_years(years_of_use, warranty_years):
    """Servers are asked for with some years of support inside their price."""
    return maximum(0, years_of_use - warranty_years)


@formula(unit="GPUs years", symbol="n_lic", source="nvaie-licensing", when=fabric)
def software_gpu_years(gpus_bought, software_licence_share, years_of_use):
    """Commercial platforms are licensed by the GPU and year; open ones are not."""
    return gpus_bought * software_licence_share * years_of_use
