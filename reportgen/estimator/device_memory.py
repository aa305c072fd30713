"""Memory of one GPU in training: what the device holds, how sure that is, and whether it fits."""

from reportgen.estimator.structure import freeze, full, lora, qlora, reinforcement, training
from reportgen.formula import above, at_most, exp, formula, ln, maximum, minimum, where

ZERO = "zero-2020"
weights_learn = training & (full | freeze)


@formula(unit="GiB", symbol="M_t", source=ZERO, when=training)
def tensors_per_gpu_gib(
    weights_per_gpu_gib,
    gradients_per_gpu_gib,
    optimizer_per_gpu_gib,
    activations_per_gpu_gib,
    logits_per_gpu_gib,
    temporary_per_gpu_gib,
):
    """All that the program itself asks for at the worst moment."""
    states = weights_per_gpu_gib + gradients_per_gpu_gib + optimizer_per_gpu_gib
    return states + activations_per_gpu_gib + logits_per_gpu_gib + temporary_per_gpu_gib


@formula(unit="GiB", symbol="M_rt", source="ml-engineering", when=training)
def runtime_per_gpu_gib(framework_memory_gib, gpus, communication_memory_gib):
    """CUDA and the kernels have memory of their own, and so has communication where GPUs work together."""
    return framework_memory_gib + where(above(gpus, 1), communication_memory_gib, 0)


@formula(unit="GiB", symbol="M_un", source="calibration", when=training)
def unused_blocks_gib(
    changing_shapes,
    changing_shapes_factor,
    logits_per_gpu_gib,
    memory_usable_gib,
    allocator_factor,
    tensors_per_gpu_gib,
    runtime_per_gpu_gib,
):
    """Samples of many lengths leave blocks that fit no other; the allocator gives them back before memory runs out."""
    left = changing_shapes * (changing_shapes_factor - 1) * logits_per_gpu_gib
    room = memory_usable_gib - allocator_factor * tensors_per_gpu_gib - runtime_per_gpu_gib
    return minimum(left, maximum(room, 0))


@formula(unit="GiB", symbol="M_fw", source="ml-engineering", when=training)
def overhead_per_gpu_gib(allocator_factor, tensors_per_gpu_gib, unused_blocks_gib, runtime_per_gpu_gib):
    """The allocator reserves a little more than tensors take, and the runtime keeps its own memory."""
    return (allocator_factor - 1) * tensors_per_gpu_gib + unused_blocks_gib + runtime_per_gpu_gib


@formula(unit="GiB", symbol="M", source="calibration", when=training, name="memory_per_gpu_gib")
def memory_per_gpu_gib(
    weights_per_gpu_gib,
    gradients_per_gpu_gib,
    optimizer_per_gpu_gib,
    activations_per_gpu_gib,
    logits_per_gpu_gib,
    temporary_per_gpu_gib,
    overhead_per_gpu_gib,
):
    """The fullest moment of the fullest stage."""
    states = weights_per_gpu_gib + gradients_per_gpu_gib + optimizer_per_gpu_gib
    return states + activations_per_gpu_gib + logits_per_gpu_gib + temporary_per_gpu_gib + overhead_per_gpu_gib


@formula(unit="share", symbol="sigma_M", source="calibration", when=weights_learn, name="memory_error")
def memory_error(full_memory_error):
    """Spread of measured over estimated peaks when all weights learn."""
    return full_memory_error


@formula(unit="share", symbol="sigma_M", source="calibration", when=training & lora, name="memory_error")
def memory_error_with_lora(lora_memory_error):
    """Spread of measured over estimated peaks with adapters."""
    return lora_memory_error


@formula(unit="share", symbol="sigma_M", source="calibration", when=training & qlora, name="memory_error")
def memory_error_with_qlora(qlora_memory_error):
    """Spread of measured over estimated peaks with adapters over a quantised base."""
    return qlora_memory_error


@formula(unit="GiB", symbol="M_10", source="calibration", when=training)
def memory_per_gpu_gib_p10(memory_per_gpu_gib, memory_error, normal_quantile_p90):
    """In one case of ten the measured peak is lower."""
    return memory_per_gpu_gib * exp(-1 * normal_quantile_p90 * memory_error)


@formula(unit="GiB", symbol="M_90", source="calibration", when=training)
def memory_per_gpu_gib_p90(memory_per_gpu_gib, memory_error, normal_quantile_p90):
    """In one case of ten the measured peak is higher."""
    return memory_per_gpu_gib * exp(normal_quantile_p90 * memory_error)


@formula(unit="share", symbol="p_fit", source="calibration", when=training)
def memory_fit_probability(memory_capacity_gib, memory_per_gpu_gib, memory_error, logistic_normal_factor):
    """Near the edge yes or no would pretend too much; the logistic curve follows the normal one."""
    distance = ln(memory_capacity_gib / memory_per_gpu_gib) / memory_error
    return 1 / (1 + exp(minimum(500, -1 * logistic_normal_factor * distance)))


@formula(unit="flag", symbol="ok_M", source="calibration", when=training & ~reinforcement, name="memory_fits")
def memory_fits(memory_per_gpu_gib, memory_usable_gib):
    """The likely peak stays within the usable share of the capacity."""
    return where(at_most(memory_per_gpu_gib, memory_usable_gib), 1, 0)
