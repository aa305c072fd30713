"""From working nodes to everything in the racks: spares, management, login, racks, power feeds, cooling."""

from reportgen.estimator.structure import fabric, inference, owned, site_cooling, training
from reportgen.formula import (
    MISSING,
    above,
    all_of,
    at_least,
    at_most,
    ceil,
    equals,
    floor,
    formula,
    is_known,
    maximum,
    minimum,
    pick,
    sqrt,
    where,
)


@formula(unit="kW", symbol="P_node", source="catalog")
def node_power_kw(accelerators_node_power_kw, accelerator_row):
    """The printed maximum of a server: rooms are built for the maximum."""
    return pick(accelerators_node_power_kw, accelerator_row)


@formula(unit="nodes", symbol="n_unit", source="nvidia-gb200", when=fabric)
def nodes_per_purchase(nvlink_domain, gpus_per_node):
    """Accelerators linked across a whole rack are sold by the rack: 18 trays of 4 in one of 72."""
    linked = where(is_known(nvlink_domain), nvlink_domain, gpus_per_node)
    return where(above(linked, gpus_per_node), minimum(linked, 72) / gpus_per_node, 1)


@formula(unit="nodes", symbol="m", source="component-reliability", when=fabric & training)
def node_repairs_at_once(nodes, node_failures_per_day, failure_swap_share, node_repair_days):
    """Failures that need another host wait for their repair; this many do so at one time."""
    return nodes * node_failures_per_day * failure_swap_share * node_repair_days


@formula(unit="nodes", symbol="N_s", source="cluster-rules", when=fabric & training)
def spare_nodes(nodes, node_repairs_at_once, spare_quantile, spare_divisor, spare_minimum_nodes, nodes_per_purchase):
    """A stock that lasts in 19 of 20 cases, at least one in every 32; a few nodes live from parts on site instead."""
    stock = ceil(node_repairs_at_once + spare_quantile * sqrt(node_repairs_at_once))
    kept = maximum(1, ceil(nodes / spare_divisor), stock)
    return where(all_of(at_least(nodes, spare_minimum_nodes), equals(nodes_per_purchase, 1)), kept, 0)


@formula(unit="nodes", symbol="N", source="cluster-rules", when=fabric & training & ~owned)
def nodes_bought(nodes, spare_nodes, nodes_per_purchase):
    """Working nodes and spares, in whole units of sale."""
    return nodes_per_purchase * ceil((nodes + spare_nodes) / nodes_per_purchase)


@formula(unit="nodes", symbol="N", source="cluster-rules", when=fabric & inference & ~owned, name="nodes_bought")
def serving_nodes_bought(nodes, nodes_per_purchase):
    """The spare nodes of a service are among its nodes already."""
    return nodes_per_purchase * ceil(nodes / nodes_per_purchase)


@formula(unit="nodes", symbol="N", source="cluster-rules", when=~fabric & ~owned, name="nodes_bought")
def workstations_bought(nodes):
    """A desk has no spare machine: repair is next-day service."""
    return nodes


@formula(unit="GPUs", symbol="G", source="reportgen", when=fabric)
def gpus_bought(nodes_bought, gpus_per_node):
    """Servers come full."""
    return nodes_bought * gpus_per_node


@formula(unit="GPUs", symbol="G", source="reportgen", when=~fabric & ~owned, name="gpus_bought")
def workstation_gpus_bought(gpus):
    """A workstation is built with the number of cards that is asked for."""
    return gpus


@formula(unit="nodes", symbol="N_i", source="reportgen", when=fabric & ~owned)
def nodes_installed(nodes_bought):
    """What stands in the network: nothing but what is bought."""
    return nodes_bought


@formula(unit="nodes", symbol="N_i", source="reportgen", when=~fabric, name="nodes_installed")
def workstations_installed(nodes):
    """The machines that work."""
    return nodes


@formula(unit="GPUs", symbol="G_i", source="reportgen", when=fabric)
def gpus_installed(nodes_installed, gpus_per_node):
    """Spares and equipment that is there included."""
    return nodes_installed * gpus_per_node


@formula(unit="GPUs", symbol="G_i", source="reportgen", when=~fabric, name="gpus_installed")
def workstation_gpus_installed(gpus):
    """The cards that work."""
    return gpus


@formula(unit="servers", symbol="N_m", source="nvidia-h100-superpod", when=fabric)
def management_servers(nodes, nodes_installed):
    """Two so that one may fail, four for a hundred nodes as in the reference design, then two for every 512."""
    large = 4 + 2 * ceil(maximum(0, nodes_installed - 128) / 512)
    several = where(at_most(nodes_installed, 8), 2, where(at_most(nodes_installed, 128), 4, large))
    return where(at_most(nodes, 1), 0, several)


@formula(unit="servers", symbol="N_mo", source="cluster-rules", when=fabric)
def monitoring_servers(nodes_installed, monitoring_minimum_nodes):
    """Metrics and logs of a large cluster fill two servers of their own; small ones share those of the management."""
    return where(at_most(nodes_installed, monitoring_minimum_nodes), 0, 2)


@formula(unit="servers", symbol="N_l", source="cluster-rules", when=fabric)
def login_servers(nodes, nodes_installed):
    """Users and data transfers stay off the nodes that compute."""
    return where(at_most(nodes, 1), 0, maximum(1, ceil(nodes_installed / 64)))


@formula(unit="servers", symbol="N_sup", source="reportgen", when=fabric)
def support_servers(management_servers, monitoring_servers, login_servers):
    """Bought as one line: the same server."""
    return management_servers + monitoring_servers + login_servers


@formula(unit="U", symbol="U_n", source="catalog", when=fabric)
def node_rack_units(accelerators_node_rack_units, accelerator_row, unknown_node_rack_units):
    """Height of a server: as printed, else that of a usual one."""
    printed = pick(accelerators_node_rack_units, accelerator_row)
    return where(is_known(printed), printed, unknown_node_rack_units)


@formula(unit="nodes", symbol="n_h", source="cluster-rules", when=fabric)
def nodes_per_rack_by_height(rack_height_units, rack_reserved_units, node_rack_units):
    """How many find room."""
    return floor((rack_height_units - rack_reserved_units) / node_rack_units)


@formula(unit="nodes", symbol="n_p", source="cluster-rules", when=fabric)
def nodes_per_rack_by_power(rack_power_limit_kw, rack_power_share, node_power_kw, nodes_per_rack_by_height):
    """Power fills a rack before height does: ten servers of eight GPUs would draw a hundred kilowatts."""
    carried = floor(rack_power_limit_kw * rack_power_share / node_power_kw)
    return where(is_known(node_power_kw), carried, nodes_per_rack_by_height)


@formula(unit="nodes", symbol="n_r", source="cluster-rules", when=fabric)
def nodes_per_rack(nodes_per_rack_by_height, nodes_per_rack_by_power, nodes_per_purchase):
    """The smaller of both, one at least; linked trays stand as they are sold."""
    fitting = maximum(1, minimum(nodes_per_rack_by_height, nodes_per_rack_by_power))
    return where(above(nodes_per_purchase, 1), nodes_per_purchase, fitting)


@formula(unit="racks", symbol="n_cr", source="cluster-rules", when=fabric)
def compute_racks(nodes_bought, nodes_per_rack):
    """Racks with accelerators."""
    return ceil(nodes_bought / nodes_per_rack)


@formula(unit="racks", symbol="n_or", source="cluster-rules", when=fabric)
def other_racks(
    nodes,
    compute_switches,
    storage_switches,
    inband_switches,
    switch_rack_units,
    support_servers,
    fabric_managers,
    storage_servers,
    support_server_rack_units,
    rack_height_units,
    rack_fill_share,
):
    """Switches, storage and management stand apart from the heat; a single server needs no rack of them."""
    switches = (compute_switches + storage_switches + inband_switches) * switch_rack_units
    servers = (support_servers + fabric_managers + storage_servers) * support_server_rack_units
    filled = maximum(1, ceil((switches + servers) / (rack_height_units * rack_fill_share)))
    return where(at_most(nodes, 1), 0, filled)


@formula(unit="racks", symbol="n_r", source="reportgen", when=fabric)
def racks(compute_racks, other_racks):
    """All racks."""
    return compute_racks + other_racks


@formula(unit="kW", symbol="P_r", source="cluster-rules", when=fabric)
def rack_power_kw(nodes_bought, nodes_per_rack, node_power_kw):
    """A full rack decides how it must be cooled."""
    return where(is_known(node_power_kw), minimum(nodes_bought, nodes_per_rack) * node_power_kw, MISSING)


@formula(unit="flag", symbol="", source="reportgen", when=fabric)
def rack_power_fits(rack_power_kw, rack_power_limit_kw):
    """One server may already draw more than the room gives a rack."""
    return where(is_known(rack_power_kw), where(at_most(rack_power_kw, rack_power_limit_kw), 1, 0), 1)


@formula(unit="PDUs", symbol="n_pdu", source="nvidia-h100-superpod", when=fabric)
def pdus(compute_racks, other_racks, rack_power_kw, three_pdu_rack_kw):
    """Two feeds a rack, three where one of two could not carry it alone."""
    power = where(is_known(rack_power_kw), rack_power_kw, 0)
    return compute_racks * where(above(power, three_pdu_rack_kw), 3, 2) + other_racks * 2


@formula(unit="class", symbol="", source="cluster-rules", when=fabric)
def cooling_class(rack_power_kw, air_cooling_limit_kw, contained_air_limit_kw, rear_door_limit_kw):
    """1 plain air, 2 contained aisle or rear door, 3 rear door or direct liquid, 4 direct liquid only."""
    dense = where(at_most(rack_power_kw, rear_door_limit_kw), 3, 4)
    warm = where(at_most(rack_power_kw, contained_air_limit_kw), 2, dense)
    return where(is_known(rack_power_kw), where(at_most(rack_power_kw, air_cooling_limit_kw), 1, warm), MISSING)


@formula(unit="kW", symbol="P_c", source="cluster-rules", when=fabric)
def rack_cooling_kw(cooling_class, nodes_bought, node_power_kw):
    """Heat that plain aisles cannot carry away; rear doors or liquid must."""
    return where(is_known(cooling_class), where(above(cooling_class, 1), ceil(nodes_bought * node_power_kw), 0), 0)


@formula(unit="flag", symbol="", source="catalog", when=fabric & site_cooling)
def needs_liquid(accelerators_node_liquid_cooled, accelerator_row, cooling_class):
    """Servers built for liquid, or racks too dense for anything else; unknown where the catalog names no server."""
    printed = pick(accelerators_node_liquid_cooled, accelerator_row)
    dense = where(is_known(cooling_class), where(above(cooling_class, 3), 1, printed), printed)
    return where(is_known(printed), maximum(printed, dense), dense)


@formula(unit="kits", symbol="n_kit", source="cluster-rules", when=fabric)
def spare_part_kits(nodes_bought, spare_parts_share):
    """Network cards, disks, power supplies and fans fail more often than whole servers; one kit holds one of each."""
    return maximum(1, ceil(nodes_bought * spare_parts_share))


@formula(unit="people", symbol="n_p", source="cluster-rules", when=fabric)
def operators(nodes_installed):
    """One person for a few nodes, two up to 32, one more for every 64."""
    larger = 2 + ceil(maximum(0, nodes_installed - 32) / 64)
    return where(at_most(nodes_installed, 4), 1, where(at_most(nodes_installed, 32), 2, larger))
