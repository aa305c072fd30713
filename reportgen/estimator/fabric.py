"""The networks: compute fabric of one, two or three tiers, storage network, in-band and out-of-band Ethernet."""

from reportgen.estimator.structure import fabric, given_network, inference, training
from reportgen.formula import (
    above,
    all_of,
    any_of,
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
    where,
)


@formula(unit="ports", symbol="p", source="catalog", when=fabric)
def compute_nics_per_node(accelerators_node_nic_count, accelerator_row, gpus_per_node):
    """Ports of the compute network on a server: as printed, else one a GPU."""
    printed = pick(accelerators_node_nic_count, accelerator_row)
    return where(is_known(printed), printed, gpus_per_node)


@formula(unit="Gbit/s", symbol="r", source="catalog", when=fabric & ~given_network)
def compute_nic_gbit_s(accelerators_node_nic_gbit_s, accelerator_row, ndr_port_rate):
    """Rate of such a port: as printed, else 400 Gbit/s."""
    printed = pick(accelerators_node_nic_gbit_s, accelerator_row)
    return where(is_known(printed), printed, ndr_port_rate)


@formula(unit="Gbit/s", symbol="r", source="scenario", when=fabric & given_network, name="compute_nic_gbit_s")
def compute_nic_as_asked(given_network_gbit_s, gpus_per_node, compute_nics_per_node):
    """What is asked for every GPU, over the ports of its server."""
    return given_network_gbit_s * gpus_per_node / compute_nics_per_node


@formula(unit="flag", symbol="", source="reportgen", when=fabric)
def infiniband(accelerators_vendor, accelerator_row, infiniband_preferred):
    """InfiniBand or RoCE: both carry this traffic; accelerators with their own Ethernet ports take RoCE."""
    return where(equals(pick(accelerators_vendor, accelerator_row), "NVIDIA"), infiniband_preferred, 0)


@formula(unit="ports", symbol="n_sp", source="nvidia-linkx", when=fabric)
def port_split(compute_nic_gbit_s, ndr_port_rate):
    """Ports of NICs that one switch port of 400 Gbit/s serves: two of 200 Gbit/s."""
    return minimum(2, maximum(1, floor(ndr_port_rate / compute_nic_gbit_s)))


@formula(unit="flag", symbol="", source="reportgen", when=fabric)
def fast_ports(compute_nic_gbit_s, xdr_port_rate):
    """NICs of 800 Gbit/s need the newer switches."""
    return where(at_least(compute_nic_gbit_s, xdr_port_rate), 1, 0)


@formula(unit="ports", symbol="R", source="nvidia-linkx", when=fabric)
def switch_ports(infiniband, fast_ports, port_split, xdr_switch_ports, ndr_switch_ports, ethernet_cages):
    """Ports at the rate of the NIC, not cages."""
    by_infiniband = where(equals(fast_ports, 1), xdr_switch_ports, ndr_switch_ports * port_split)
    return where(equals(infiniband, 1), by_infiniband, ethernet_cages * port_split)


@formula(unit="cages", symbol="R_c", source="nvidia-linkx", when=fabric)
def switch_cages(infiniband, fast_ports, xdr_switch_cages, ndr_switch_cages, ethernet_cages):
    """Sockets for transceivers: those of InfiniBand hold two ports each."""
    by_infiniband = where(equals(fast_ports, 1), xdr_switch_cages, ndr_switch_cages)
    return where(equals(infiniband, 1), by_infiniband, ethernet_cages)


@formula(unit="flag", symbol="", source="reportgen", when=fabric & training)
def spans_nodes(nodes):
    """Training on more than one node exchanges gradients over the network; one node never does."""
    return where(above(nodes, 1), 1, 0)


@formula(unit="flag", symbol="", source="cluster-rules", when=fabric & inference, name="spans_nodes")
def replica_spans_nodes(tensor_parallel, gpus_per_node):
    """Copies of a model that fit in a server do not talk to each other."""
    return where(above(tensor_parallel, gpus_per_node), 1, 0)


@formula(unit="planes", symbol="q", source="tech-talk-cto", when=fabric)
def fabric_planes(network_planes, rail_isolated, compute_nics_per_node):
    """Independent copies of the network: split NICs give two; isolated rails one for every NIC."""
    return where(equals(rail_isolated, 1), network_planes * compute_nics_per_node, network_planes)


@formula(unit="ports", symbol="p", source="reportgen", when=fabric)
def ports_per_plane(rail_isolated, compute_nics_per_node):
    """Ports of a node in one plane."""
    return where(equals(rail_isolated, 1), 1, compute_nics_per_node)


@formula(unit="ports", symbol="E", source="reportgen", when=fabric)
def fabric_endpoints(spans_nodes, nodes_installed, ports_per_plane):
    """Node ports in one plane; spare nodes are cabled too."""
    return spans_nodes * nodes_installed * ports_per_plane


@formula(unit="flag", symbol="", source="cluster-rules", when=fabric)
def one_switch(fabric_endpoints, switch_ports):
    """A cluster that one switch can hold needs no second tier."""
    return where(at_most(fabric_endpoints, switch_ports), 1, 0)


@formula(unit="servers", symbol="N_ufm", source="nvidia-h100-superpod", when=fabric)
def fabric_managers(infiniband, one_switch, storage_switches):
    """Two for every InfiniBand fabric; a single managed switch runs the subnet manager itself."""
    storage = where(above(storage_switches, 2), 2, 0)
    return where(equals(infiniband, 1), where(equals(one_switch, 1), 0, 2) + storage, 0)


@formula(unit="nodes", symbol="N_f", source="nvidia-h100-superpod", when=fabric)
def fabric_slots(nodes_installed, infiniband, compute_nic_gbit_s, ndr_port_rate, compute_nics_per_node, fabric_unit_nodes):
    """Four links of fabric managers take leaf ports from nodes up to 400 Gbit/s; units are built whole."""
    managed = all_of(equals(infiniband, 1), at_most(compute_nic_gbit_s, ndr_port_rate))
    taken = where(managed, ceil(4 / compute_nics_per_node), 0)
    return fabric_unit_nodes * ceil((nodes_installed + taken) / fabric_unit_nodes)


@formula(unit="ports", symbol="d", source="nvidia-h100-superpod", when=fabric)
def leaf_down_ports(switch_ports, oversubscription):
    """Ports of a leaf towards nodes: half of them when nothing is oversubscribed."""
    return floor(switch_ports * oversubscription / (1 + oversubscription))


@formula(unit="ports", symbol="u", source="nvidia-h100-superpod", when=fabric)
def leaf_up_ports(leaf_down_ports, oversubscription):
    """Ports of a leaf towards spines."""
    return floor(leaf_down_ports / oversubscription)


@formula(unit="switches", symbol="L", source="nvidia-h100-superpod", when=fabric)
def leaf_switches_per_plane(
    fabric_endpoints, one_switch, fabric_slots, ports_per_plane, leaf_down_ports, nodes_installed, rail_minimum_nodes
):
    """Rails: port i of every node meets on the same leaf; small clusters fill leaves one after the other."""
    by_rail = ports_per_plane * ceil(fabric_slots / leaf_down_ports)
    in_order = ceil(fabric_slots * ports_per_plane / leaf_down_ports)
    several = where(at_least(nodes_installed, rail_minimum_nodes), by_rail, in_order)
    return where(equals(fabric_endpoints, 0), 0, where(equals(one_switch, 1), 1, several))


@formula(unit="tiers", symbol="k", source="nvidia-b200-superpod", when=fabric)
def fabric_tiers(leaf_switches_per_plane, one_switch, switch_ports):
    """A spine reaches as many leaves as it has ports; beyond that a third tier is needed."""
    several = where(at_most(leaf_switches_per_plane, switch_ports), 2, 3)
    return where(equals(leaf_switches_per_plane, 0), 0, where(equals(one_switch, 1), 1, several))


@formula(unit="switches", symbol="S", source="nvidia-h100-superpod", when=fabric)
def spine_switches_per_plane(leaf_switches_per_plane, fabric_tiers, leaf_up_ports, switch_ports):
    """Every leaf has the same whole number of links to every spine: 3 units of 32 nodes need 16 spines, not 12."""
    links_to_each = maximum(1, floor(switch_ports / maximum(1, leaf_switches_per_plane)))
    second = maximum(1, ceil(leaf_up_ports / links_to_each))
    third = ceil(leaf_switches_per_plane * leaf_up_ports / (0.5 * switch_ports))
    return where(equals(fabric_tiers, 2), second, where(equals(fabric_tiers, 3), third, 0))


@formula(unit="switches", symbol="C", source="nvidia-b200-superpod", when=fabric)
def core_switches_per_plane(spine_switches_per_plane, fabric_tiers):
    """The top tier has no ports upwards: half as many switches as the tier below."""
    return where(equals(fabric_tiers, 3), ceil(spine_switches_per_plane / 2), 0)


@formula(unit="switches", symbol="S_l", source="reportgen", when=fabric)
def leaf_switches(leaf_switches_per_plane, fabric_planes):
    """Leaves of all planes."""
    return leaf_switches_per_plane * fabric_planes


@formula(unit="switches", symbol="S_s", source="reportgen", when=fabric)
def spine_switches(spine_switches_per_plane, fabric_planes):
    """Spines of all planes."""
    return spine_switches_per_plane * fabric_planes


@formula(unit="switches", symbol="S_c", source="reportgen", when=fabric)
def core_switches(core_switches_per_plane, fabric_planes):
    """Cores of all planes."""
    return core_switches_per_plane * fabric_planes


@formula(unit="switches", symbol="S_u", source="reportgen", when=fabric)
def upper_switches(spine_switches, core_switches):
    """Spines and cores are bought as one line: the same switch."""
    return spine_switches + core_switches


@formula(unit="switches", symbol="S", source="reportgen", when=fabric)
def compute_switches(leaf_switches, upper_switches):
    """All switches of the compute fabric."""
    return leaf_switches + upper_switches


@formula(unit="links", symbol="l_n", source="nvidia-h100-superpod", when=fabric)
def node_links(fabric_endpoints, fabric_planes):
    """Links from nodes to leaves; only nodes that are there are cabled."""
    return fabric_endpoints * fabric_planes


@formula(unit="links", symbol="l_s", source="nvidia-h100-superpod", when=fabric)
def leaf_spine_links(leaf_switches, leaf_up_ports, fabric_tiers):
    """Links from leaves to spines are built whole."""
    return where(at_least(fabric_tiers, 2), leaf_switches * leaf_up_ports, 0)


@formula(unit="links", symbol="l_c", source="nvidia-b200-superpod", when=fabric)
def spine_core_links(spine_switches, switch_ports, fabric_tiers):
    """Half of the ports of a spine look upwards."""
    return where(equals(fabric_tiers, 3), spine_switches * floor(0.5 * switch_ports), 0)


@formula(unit="links", symbol="l_ufm", source="nvidia-h100-superpod", when=fabric)
def fabric_manager_links(infiniband, compute_nic_gbit_s, ndr_port_rate, fabric_tiers):
    """Two managers with two ports each on leaves, optics included with them; faster switches have a port for it."""
    on_leaves = all_of(equals(infiniband, 1), at_most(compute_nic_gbit_s, ndr_port_rate), at_least(fabric_tiers, 2))
    return where(on_leaves, 4, 0)


@formula(unit="links", symbol="l", source="nvidia-h100-superpod", when=fabric)
def compute_links(node_links, leaf_spine_links, spine_core_links):
    """Every link of the compute fabric."""
    return node_links + leaf_spine_links + spine_core_links


@formula(unit="ports", symbol="n_c", source="nvidia-linkx", when=fabric)
def ports_per_cage(switch_ports, switch_cages):
    """Links that leave one switch transceiver."""
    return switch_ports / switch_cages


@formula(unit="transceivers", symbol="t_l", source="nvidia-h100-superpod", when=fabric)
def leaf_transceivers(leaf_switches, leaf_up_ports, node_links, fabric_manager_links, fabric_tiers, ports_per_cage):
    """Cages in use on leaves, downwards and upwards; a twin transceiver serves two links."""
    down = ceil((node_links + fabric_manager_links) / maximum(1, leaf_switches))
    up = where(at_least(fabric_tiers, 2), leaf_up_ports, 0)
    return leaf_switches * (ceil(down / ports_per_cage) + ceil(up / ports_per_cage))


@formula(unit="transceivers", symbol="t_s", source="nvidia-h100-superpod", when=fabric)
def upper_transceivers(spine_switches, core_switches, leaf_spine_links, spine_core_links, ports_per_cage):
    """Cages in use on spines and cores."""
    down = ceil(ceil(leaf_spine_links / maximum(1, spine_switches)) / ports_per_cage)
    up = ceil(ceil(spine_core_links / maximum(1, spine_switches)) / ports_per_cage)
    top = ceil(ceil(spine_core_links / maximum(1, core_switches)) / ports_per_cage)
    return spine_switches * (down + up) + core_switches * top


@formula(unit="transceivers", symbol="t_n", source="nvidia-h100-superpod", when=fabric)
def compute_node_transceivers(node_links, node_ports_per_cage):
    """One for every NIC port; servers with twin cages need half."""
    return ceil(node_links / node_ports_per_cage)


@formula(unit="links", symbol="l_st", source="nvidia-h100-superpod", when=fabric & training)
def storage_node_links(spans_nodes, nodes_installed, storage_ports_per_node):
    """Each node reaches the file system by two ports of its own."""
    return spans_nodes * nodes_installed * storage_ports_per_node


@formula(unit="links", symbol="l_st", source="cluster-rules", when=fabric & inference, name="storage_node_links")
def serving_storage_node_links(spans_nodes, nodes_installed, storage_ports_per_node):
    """Models are loaded over the in-band network unless a copy spans servers."""
    return spans_nodes * nodes_installed * storage_ports_per_node


@formula(unit="links", symbol="l_sf", source="nvidia-h100-superpod", when=fabric)
def storage_links(storage_node_links, storage_servers, storage_ports_per_node):
    """Ports of nodes and of storage servers."""
    return where(equals(storage_node_links, 0), 0, storage_node_links + storage_servers * storage_ports_per_node)


@formula(unit="flag", symbol="", source="cluster-rules", when=fabric)
def storage_shares_switch(one_switch, fabric_endpoints, storage_links, switch_ports):
    """A single compute switch with ports left carries the storage too."""
    return where(all_of(equals(one_switch, 1), at_most(fabric_endpoints + storage_links, switch_ports)), 1, 0)


@formula(unit="ports", symbol="d_st", source="nvidia-h100-superpod", when=fabric)
def storage_down_ports(switch_ports):
    """Storage networks are oversubscribed 4 to 3 on the side of the nodes."""
    return floor(switch_ports * 4 / 7)


@formula(unit="ports", symbol="u_st", source="nvidia-h100-superpod", when=fabric)
def storage_up_ports(storage_down_ports):
    """Ports of a storage leaf towards spines."""
    return floor(storage_down_ports * 3 / 4)


@formula(unit="switches", symbol="L_st", source="nvidia-h100-superpod", when=fabric)
def storage_leaf_switches(storage_links, storage_shares_switch, switch_ports, storage_down_ports):
    """None where the compute switch carries storage too; else a pair, so that one may fail, or as many as ports ask."""
    several = where(at_most(storage_links, switch_ports), 2, ceil(storage_links / storage_down_ports))
    return where(any_of(equals(storage_links, 0), equals(storage_shares_switch, 1)), 0, several)


@formula(unit="switches", symbol="S_st", source="nvidia-h100-superpod", when=fabric)
def storage_spine_switches(storage_leaf_switches, storage_up_ports, switch_ports):
    """The rule of the compute fabric: the same whole number of links from every leaf to every spine."""
    links_to_each = maximum(1, floor(switch_ports / maximum(1, storage_leaf_switches)))
    by_ports = ceil(storage_leaf_switches * storage_up_ports / switch_ports)
    return where(above(storage_leaf_switches, 2), maximum(ceil(storage_up_ports / links_to_each), by_ports), 0)


@formula(unit="switches", symbol="N_sts", source="reportgen", when=fabric)
def storage_switches(storage_leaf_switches, storage_spine_switches):
    """All switches of the storage network."""
    return storage_leaf_switches + storage_spine_switches


@formula(unit="links", symbol="l_su", source="nvidia-h100-superpod", when=fabric)
def storage_uplinks(storage_leaf_switches, storage_spine_switches, storage_up_ports):
    """Links between leaves and spines of the storage network."""
    return where(above(storage_spine_switches, 0), storage_leaf_switches * storage_up_ports, 0)


@formula(unit="transceivers", symbol="t_sw", source="reportgen", when=fabric)
def switch_transceivers(leaf_transceivers, upper_transceivers, storage_links, storage_uplinks, ports_per_cage):
    """On switches of the compute and storage networks; uplinks of storage have a switch at both ends."""
    return leaf_transceivers + upper_transceivers + ceil((storage_links + 2 * storage_uplinks) / ports_per_cage)


@formula(unit="transceivers", symbol="t_nd", source="reportgen", when=fabric)
def node_transceivers(compute_node_transceivers, storage_links):
    """On nodes and storage servers."""
    return compute_node_transceivers + storage_links


@formula(unit="transceivers", symbol="t_sp", source="cluster-rules", when=fabric)
def spare_transceivers(switch_transceivers, node_transceivers, optics_spares_share):
    """Optics fail more often than switches and take long to get: two of each kind at least."""
    wanted = maximum(4, ceil(optics_spares_share * (switch_transceivers + node_transceivers)))
    return where(equals(switch_transceivers, 0), 0, wanted)


@formula(unit="cables", symbol="n_f", source="nvidia-h100-superpod", when=fabric)
def fibre_cables(compute_links, storage_links, storage_uplinks, ports_per_cage, optics_spares_share):
    """One a link with a few in store; where a fibre carries two links it is a splitter."""
    links_a_fibre = maximum(1, ports_per_cage / 2)
    return ceil((compute_links + storage_links + storage_uplinks) / links_a_fibre * (1 + optics_spares_share))


@formula(unit="switches", symbol="S_sp", source="cluster-rules", when=fabric)
def spare_switches(compute_switches, leaf_switches):
    """One in store for every 32 leaves, once there are more than four switches."""
    return where(above(compute_switches, 4), ceil(leaf_switches / 32), 0)


@formula(unit="servers", symbol="N_all", source="reportgen", when=fabric)
def machines(nodes_installed, support_servers, fabric_managers, storage_servers):
    """Everything that has a network card and a management port."""
    return nodes_installed + support_servers + fabric_managers + storage_servers


@formula(unit="switches", symbol="S_ib", source="nvidia-h100-superpod", when=fabric)
def inband_switches(nodes, machines, inband_switch_ports, inband_uplink_ports):
    """Ethernet for users, scheduler and images: a pair for each group of machines, and a core pair above one group."""
    leaves = 2 * ceil(machines / (inband_switch_ports - inband_uplink_ports))
    return where(at_most(nodes, 1), 0, leaves + where(above(leaves, 2), 2, 0))


@formula(unit="ports", symbol="p_oob", source="nvidia-h100-superpod", when=fabric)
def out_of_band_ports(machines, compute_switches, storage_switches, inband_switches, pdus):
    """Every machine, switch and power strip can be reached when nothing else works."""
    return machines + compute_switches + storage_switches + inband_switches + pdus


@formula(unit="switches", symbol="S_oob", source="nvidia-h100-superpod", when=fabric)
def out_of_band_switches(nodes, out_of_band_ports, out_of_band_reserve_share, out_of_band_switch_ports):
    """With a tenth of the ports free."""
    needed = ceil(out_of_band_ports * (1 + out_of_band_reserve_share) / out_of_band_switch_ports)
    return where(at_most(nodes, 1), 0, needed)
