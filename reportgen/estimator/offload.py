"""What waits in host memory instead of on the GPU: which parts, what fetching them costs, whether the host has room."""

from reportgen.estimator.structure import nvme_offload, step_model, training
from reportgen.formula import (
    GIB,
    GIGABYTE,
    MISSING,
    above,
    any_of,
    at_least,
    at_most,
    formula,
    is_known,
    maximum,
    pick,
    where,
)

ZERO_OFFLOAD = "zero-offload-2021"
ZERO_INFINITY = "zero-infinity-2021"


# The levels: 0 nothing, 1 optimizer states and their gradients, 2 weights too, 3 kept activations too


@formula(unit="flag", symbol="i_oh", source=ZERO_OFFLOAD, when=training)
def optimizer_on_host(offload_level, paged_optimizer):
    """Optimizer states; a paged optimizer keeps them there whatever the layout."""
    return maximum(paged_optimizer, where(at_least(offload_level, 1), 1, 0))


@formula(unit="flag", symbol="i_gh", source=ZERO_OFFLOAD, when=training)
def gradients_on_host(offload_level):
    """Gradients meet the optimizer states where those are."""
    return where(at_least(offload_level, 1), 1, 0)


@formula(unit="flag", symbol="i_wh", source=ZERO_INFINITY, when=training)
def weights_on_host(offload_level):
    """Weights come to the GPU a layer at a time."""
    return where(at_least(offload_level, 2), 1, 0)


@formula(unit="flag", symbol="i_ah", source=ZERO_INFINITY, when=training)
def activations_on_host(offload_level, checkpoints_on_host):
    """Inputs of recomputed layers; some stacks keep them there whatever the layout."""
    return maximum(checkpoints_on_host, where(at_least(offload_level, 3), 1, 0))


# Time


@formula(unit="GB/s", symbol="B_h", source="catalog", when=step_model)
def host_link_gb_s(accelerators_pcie_gb_s, accelerator_row, link_gb_s):
    """Bandwidth between a GPU and the memory of its host, in one direction."""
    slot = pick(accelerators_pcie_gb_s, accelerator_row)
    return where(is_known(slot), slot, link_gb_s)


@formula(unit="s/token", symbol="t_hw", source=ZERO_INFINITY, when=step_model)
def host_weight_seconds(
    weights_on_host, offloaded_weights_gib, tensor_parallel, state_shards, host_link_gb_s, resident_tokens
):
    """Each micro-batch fetches the share of a GPU in the weights for its forward and once more for its backward pass."""
    fetched = 2 * offloaded_weights_gib * GIB / (tensor_parallel * state_shards)
    return where(above(weights_on_host, 0), fetched / (host_link_gb_s * GIGABYTE) / resident_tokens, 0)


# Room


@formula(
    unit="GiB", symbol="M_ho", source=ZERO_OFFLOAD, when=training & ~nvme_offload, name="offloaded_per_node_gib"
)
def offloaded_per_node_gib(offloaded_states_gib, offloaded_weights_gib, nodes, offloaded_activations_gib):
    """What waits on one host, buffers aside."""
    return (offloaded_states_gib + offloaded_weights_gib) / nodes + offloaded_activations_gib


@formula(
    unit="GiB", symbol="M_ho", source=ZERO_INFINITY, when=training & nvme_offload, name="offloaded_per_node_gib"
)
def offloaded_per_node_gib_beside_disks(nvme_buffer_share, offloaded_states_gib, nodes, offloaded_activations_gib):
    """What waits on one host while the states stand on its disks."""
    return nvme_buffer_share * offloaded_states_gib / nodes + offloaded_activations_gib


@formula(unit="GiB", symbol="M_hr", source="catalog", when=training)
def host_memory_room_gib(accelerators_node_ram_gb, accelerator_row, host_memory_floor_gib):
    """What the listed server leaves beside its system; missing where its memory is not known."""
    held = pick(accelerators_node_ram_gb, accelerator_row)
    return where(is_known(held), held * GIGABYTE / GIB - host_memory_floor_gib, MISSING)


@formula(unit="flag", symbol="ok_h", source=ZERO_OFFLOAD, when=training)
def host_memory_fits(offload_level, offloaded_per_node_gib, host_memory_room_gib):
    """What waits on the host fits the listed server; one of unknown memory is not judged."""
    judged = where(is_known(host_memory_room_gib), offload_level, 0)
    return where(any_of(at_most(judged, 0), at_most(offloaded_per_node_gib, host_memory_room_gib)), 1, 0)
