"""Several services on the same nodes: cards that no replica fills serve others, and one spare node serves them all."""

from reportgen.estimator.serving_load import left_after
from reportgen.estimator.structure import fabric, serving, shared_cluster
from reportgen.formula import above, ceil, floor, formula, maximum, minimum, where

sharing = serving & shared_cluster


def beside_others(replicas, nodes, gpus_per_node, other_services_gpus, tensor_parallel):
    """Replicas that find room beside the cards of the other services."""
    return maximum(0, minimum(replicas, floor((nodes * gpus_per_node - other_services_gpus) / tensor_parallel)))


@formula(unit="nodes", symbol="N", source="reportgen", when=sharing, name="nodes")
def nodes_of_several(
    fixed_gpu_count,
    gpus_per_node,
    replicas_working,
    replicas_per_group,
    nodes_per_replica_group,
    spare_nodes,
    tensor_parallel,
    other_services_gpus,
):
    """The others take what the replicas leave of their nodes, then nodes of their own; the spare is for all."""
    own = ceil(replicas_working / replicas_per_group) * nodes_per_replica_group
    left = own * gpus_per_node - replicas_working * tensor_parallel
    more = ceil(maximum(0, other_services_gpus - left) / gpus_per_node)
    return where(above(fixed_gpu_count, 0), ceil(fixed_gpu_count / gpus_per_node), own + more + spare_nodes)


@formula(unit="GPUs", symbol="n", source="reportgen", when=sharing & ~fabric, name="gpus")
def gpus_of_several(
    fixed_gpu_count, replicas_working, tensor_parallel, spare_nodes, gpus_per_node, other_services_gpus
):
    """A workstation takes as many cards as are needed."""
    needed = replicas_working * tensor_parallel + other_services_gpus + spare_nodes * gpus_per_node
    return where(above(fixed_gpu_count, 0), fixed_gpu_count, needed)


@formula(unit="replicas", symbol="R", source="reportgen", when=sharing, name="replicas")
def replicas_beside_others(
    fixed_gpu_count,
    nodes,
    nodes_per_replica_group,
    replicas_per_group,
    gpus_per_node,
    tensor_parallel,
    other_services_gpus,
):
    """Every card that the others leave serves, those of the spare node too, until one fails."""
    filled = floor(nodes / nodes_per_replica_group) * replicas_per_group
    beside = beside_others(filled, nodes, gpus_per_node, other_services_gpus, tensor_parallel)
    given = maximum(0, floor((fixed_gpu_count - other_services_gpus) / tensor_parallel))
    return where(above(fixed_gpu_count, 0), minimum(beside, given), beside)


@formula(unit="GPUs", symbol="n_idle", source="reportgen", when=sharing, name="stranded_gpus")
def stranded_beside_others(gpus, replicas, tensor_parallel, other_services_gpus):
    """Accelerators that neither a replica nor another service can use."""
    return maximum(0, gpus - replicas * tensor_parallel - other_services_gpus)


@formula(unit="replicas", symbol="R_pk", source="reportgen", when=sharing, name="replicas_at_peak")
def replicas_at_peak_beside_others(
    replicas,
    nodes,
    spare_nodes,
    nodes_per_replica_group,
    replicas_per_group,
    gpus_per_node,
    tensor_parallel,
    other_services_gpus,
):
    """The peak is promised with the spare nodes out of service, and the others at work."""
    left = left_after(spare_nodes, replicas, nodes, nodes_per_replica_group, replicas_per_group)
    return maximum(1, beside_others(left, nodes - spare_nodes, gpus_per_node, other_services_gpus, tensor_parallel))


@formula(unit="requests/s", symbol="C_1", source="reportgen", when=sharing, name="capacity_with_node_down")
def capacity_with_node_down_beside_others(
    replicas,
    nodes,
    nodes_per_replica_group,
    replicas_per_group,
    replica_requests_per_second,
    utilization_cap,
    gpus_per_node,
    tensor_parallel,
    other_services_gpus,
):
    """What keeps the objectives when one node has failed and the others move to what is left."""
    left = left_after(1, replicas, nodes, nodes_per_replica_group, replicas_per_group)
    beside = beside_others(left, nodes - 1, gpus_per_node, other_services_gpus, tensor_parallel)
    return beside * replica_requests_per_second * utilization_cap


@formula(unit="share", symbol="x_own", source="reportgen", when=sharing)
def own_cluster_share(gpus, other_services_gpus):
    """The others pay for their cards."""
    return maximum(0, gpus - other_services_gpus) / maximum(1, gpus)
