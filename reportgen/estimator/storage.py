"""Shared storage: what must be kept, how fast it must be read and written, and the servers that give it."""

from reportgen.estimator.structure import fabric, inference, training
from reportgen.formula import (
    GIB,
    GIGABYTE,
    TERABYTE,
    at_most,
    ceil,
    equals,
    formula,
    is_known,
    maximum,
    pick,
    where,
)


@formula(unit="TB", symbol="D", source="cluster-rules", when=training)
def stored_tb(dataset_storage_tb, checkpoint_storage_tb, nodes, working_storage_per_node_tb):
    """Data, checkpoints, homes and scratch."""
    return dataset_storage_tb + checkpoint_storage_tb + nodes * working_storage_per_node_tb


@formula(unit="TB", symbol="D", source="cluster-rules", when=inference, name="stored_tb")
def served_stored_tb(model_repository_tb, nodes, working_storage_per_node_tb):
    """Versions of the model, logs and images."""
    return model_repository_tb + nodes * working_storage_per_node_tb


@formula(unit="TB", symbol="D_m", source="cluster-rules", when=inference)
def model_repository_tb(weights_gib, model_versions_kept):
    """The version in service, those before and after it, other formats; each twice while it is being replaced."""
    return 2 * model_versions_kept * weights_gib * GIB / TERABYTE


@formula(unit="TB", symbol="D_min", source="ml-engineering")
def storage_needed_tb(stored_tb, storage_fill_share):
    """A file system slows down when it fills: 125 are bought for 100."""
    return stored_tb / storage_fill_share


@formula(unit="TB", symbol="D_l", source="catalog")
def local_storage_tb(accelerators_node_nvme_tb, accelerator_row, nodes_installed):
    """Disks inside the servers: cache, local checkpoints, and all that a single server needs."""
    printed = pick(accelerators_node_nvme_tb, accelerator_row)
    return where(is_known(printed), nodes_installed * printed, 0)


@formula(unit="TB", symbol="D_u", source="cluster-rules", when=fabric)
def storage_usable_tb(nodes, storage_needed_tb, local_storage_tb, storage_step_tb):
    """Usable after protection, in steps; a single server uses its own disks first."""
    beyond = maximum(0, storage_needed_tb - local_storage_tb)
    return storage_step_tb * ceil(where(at_most(nodes, 1), beyond, storage_needed_tb) / storage_step_tb)


@formula(unit="TB", symbol="D_r", source="cluster-rules", when=fabric)
def storage_raw_tb(storage_usable_tb, storage_efficiency):
    """Disks to be installed: 8 data and 2 parity parts, less what the file system takes."""
    return storage_usable_tb / storage_efficiency


@formula(unit="GB/s", symbol="B_w", source="ml-engineering", when=fabric & training)
def storage_write_gb_s(checkpoint_write_gb_s, nodes, storage_write_per_node_gb_s):
    """The checkpoint, not the number of GPUs, decides: BLOOM wrote 2.3 TB in 40 s."""
    return maximum(nodes * storage_write_per_node_gb_s, checkpoint_write_gb_s)


@formula(unit="GB/s", symbol="B_w", source="nvidia-h100-superpod", when=fabric & inference, name="storage_write_gb_s")
def served_storage_write_gb_s(nodes, storage_write_per_node_gb_s):
    """Serving writes little more than logs."""
    return nodes * storage_write_per_node_gb_s


@formula(unit="GB/s", symbol="B_r", source="nvidia-h100-superpod", when=fabric & training)
def storage_read_gb_s(checkpoint_read_gb_s, nodes, storage_read_per_node_gb_s):
    """Reading data is modest for text; a restart reads the checkpoint while every GPU waits."""
    return maximum(nodes * storage_read_per_node_gb_s, checkpoint_read_gb_s)


@formula(unit="GB/s", symbol="B_r", source="nvidia-h100-superpod", when=fabric & inference, name="storage_read_gb_s")
def served_storage_read_gb_s(nodes, storage_read_per_node_gb_s):
    """Servers load the model when they start."""
    return nodes * storage_read_per_node_gb_s


@formula(unit="servers", symbol="N_st", source="cluster-rules", when=fabric)
def storage_servers(
    nodes,
    storage_usable_tb,
    storage_raw_tb,
    storage_write_gb_s,
    storage_read_gb_s,
    storage_server_tb,
    storage_server_write_gb_s,
    storage_server_read_gb_s,
):
    """By capacity, by speed, and enough of them that one may fail."""
    protected = where(at_most(nodes, 8), 2, where(at_most(nodes, 64), 4, 11))
    by_speed = maximum(storage_write_gb_s / storage_server_write_gb_s, storage_read_gb_s / storage_server_read_gb_s)
    wanted = maximum(protected, ceil(storage_raw_tb / storage_server_tb), ceil(by_speed))
    return where(equals(storage_usable_tb, 0), 0, wanted)


@formula(unit="TB", symbol="D_b", source="cluster-rules", when=training)
def backup_tb(
    dataset_storage_tb,
    dataset_copies,
    milestone_checkpoints,
    exported_weights_gb,
    runs,
    nodes,
    working_storage_per_node_tb,
    storage_step_tb,
):
    """A second copy of what cannot be made again: data, milestones, half of the working space."""
    milestones = milestone_checkpoints * exported_weights_gb * runs * GIGABYTE / TERABYTE
    kept = dataset_storage_tb / dataset_copies + milestones + 0.5 * nodes * working_storage_per_node_tb
    return storage_step_tb * ceil(kept / storage_step_tb)


@formula(unit="TB", symbol="D_b", source="cluster-rules", when=inference, name="backup_tb")
def served_backup_tb(model_repository_tb, storage_step_tb):
    """A second copy of the models."""
    return storage_step_tb * ceil(model_repository_tb / storage_step_tb)


@formula(unit="TB", symbol="D_w", source="cluster-rules", when=~fabric)
def workstation_disk_tb(storage_needed_tb, local_storage_tb):
    """A workstation keeps everything on fast disks of its own; added in modules of 2 TB."""
    return 2 * ceil(maximum(0, storage_needed_tb - local_storage_tb) / 2)
