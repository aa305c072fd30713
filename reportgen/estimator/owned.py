"""Equipment that is there already: what is free of it is used first, and only the rest is bought."""

from reportgen.estimator.structure import fabric, inference, owned, training
from reportgen.formula import above, ceil, floor, formula, is_known, maximum, minimum, pick, round_half_up, where


@formula(unit="GPUs", symbol="G_o", source="scenario", when=owned)
def gpus_owned(accelerators_owned_gpus, accelerator_row):
    """Of the accelerator that is asked for; others do not mix with it in one job."""
    there = pick(accelerators_owned_gpus, accelerator_row)
    return where(is_known(there), there, 0)


@formula(unit="share", symbol="u_o", source="scenario", when=owned)
def owned_busy_share(accelerators_owned_busy_share, accelerator_row):
    """Equipment whose use is not stated counts as busy."""
    busy = pick(accelerators_owned_busy_share, accelerator_row)
    return where(is_known(busy), busy, 1)


@formula(unit="GPUs", symbol="G_f", source="reportgen", when=owned)
def gpus_owned_free(gpus_owned, owned_busy_share):
    """Whole GPUs that other work leaves; a share that comes from a count leaves that count, whatever the last bits say."""
    return floor(round_half_up(gpus_owned * (1 - owned_busy_share), 6))


@formula(unit="nodes", symbol="N_f", source="reportgen", when=fabric & owned)
def nodes_owned_free(gpus_owned_free, gpus_per_node):
    """A job takes servers whole."""
    return floor(gpus_owned_free / gpus_per_node)


@formula(unit="nodes", symbol="N_u", source="reportgen", when=fabric & owned)
def nodes_reused(nodes_owned_free, nodes):
    """No more than the job needs; they are joined to its network and keep their racks."""
    return minimum(nodes_owned_free, nodes)


@formula(unit="nodes", symbol="N", source="cluster-rules", when=fabric & training & owned, name="nodes_bought")
def nodes_bought_beside_owned(nodes, spare_nodes, nodes_reused, nodes_per_purchase):
    """Working nodes and spares that are not there yet, in whole units of sale."""
    return nodes_per_purchase * ceil(maximum(0, nodes + spare_nodes - nodes_reused) / nodes_per_purchase)


@formula(unit="nodes", symbol="N", source="cluster-rules", when=fabric & inference & owned, name="nodes_bought")
def serving_nodes_bought_beside_owned(nodes, nodes_reused, nodes_per_purchase):
    """Nodes of the service that are not there yet."""
    return nodes_per_purchase * ceil(maximum(0, nodes - nodes_reused) / nodes_per_purchase)


@formula(unit="nodes", symbol="N_i", source="reportgen", when=fabric & owned, name="nodes_installed")
def nodes_installed_with_owned(nodes_bought, nodes_reused):
    """What stands in the network: bought and reused."""
    return nodes_bought + nodes_reused


@formula(unit="GPUs", symbol="G", source="reportgen", when=~fabric & owned, name="gpus_bought")
def workstation_gpus_bought_beside_owned(gpus, gpus_owned_free):
    """Cards that are not there yet."""
    return maximum(0, gpus - gpus_owned_free)


@formula(unit="nodes", symbol="N", source="reportgen", when=~fabric & owned, name="nodes_bought")
def workstations_bought_beside_owned(nodes, gpus_bought):
    """None when the cards that are free are enough."""
    return where(above(gpus_bought, 0), nodes, 0)
