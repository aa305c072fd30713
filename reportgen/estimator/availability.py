"""How often everything that the peak needs is up, and how long an upgrade of all nodes takes."""

from reportgen.estimator.structure import serving
from reportgen.formula import DAY, at_least, ceil, formula, maximum, minimum, where


@formula(unit="share", symbol="A_n", source="rsc-reliability-2024", when=serving)
def node_availability(node_failures_per_day, failure_swap_share, node_repair_days, restart_seconds):
    """Most failures end with a restart; the others take the node away until it is repaired."""
    days_down = failure_swap_share * node_repair_days + (1 - failure_swap_share) * restart_seconds / DAY
    return 1 / (1 + node_failures_per_day * days_down)


@formula(unit="nodes", symbol="N_sw", source="reportgen", when=serving)
def working_spare_nodes(spare_nodes, nodes):
    """The last node is never spare."""
    return maximum(0, minimum(spare_nodes, nodes - 1))


def chance_of(failed, nodes, node_availability, ways):
    """Chance that exactly so many nodes are down, which happens in so many ways."""
    return ways * (1 - node_availability) ** failed * node_availability ** maximum(nodes - failed, 0)


@formula(unit="share", symbol="A", source="reportgen", when=serving)
def service_availability(node_availability, nodes, working_spare_nodes):
    """Nodes fail apart from each other: no more may be down than are spare (counted up to three)."""
    none = chance_of(0, nodes, node_availability, 1)
    one = where(at_least(working_spare_nodes, 1), chance_of(1, nodes, node_availability, nodes), 0)
    pairs, triples = nodes * (nodes - 1) / 2, nodes * (nodes - 1) * (nodes - 2) / 6
    two = where(at_least(working_spare_nodes, 2), chance_of(2, nodes, node_availability, pairs), 0)
    three = where(at_least(working_spare_nodes, 3), chance_of(3, nodes, node_availability, triples), 0)
    return minimum(1, none + one + two + three)


@formula(unit="h", symbol="T_up", source="reportgen", when=serving)
def rolling_upgrade_hours(nodes, working_spare_nodes, node_upgrade_hours):
    """As many nodes at a time as are spare; without a spare one at a time, and the service runs short meanwhile."""
    return ceil(nodes / maximum(1, working_spare_nodes)) * node_upgrade_hours
