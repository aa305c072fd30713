"""Memory of a training with several models on the same GPUs (PPO, GRPO): states of all of them, and room for answers."""

from reportgen.estimator.structure import freeze, full, lora, qlora, reinforcement, training
from reportgen.formula import GIB, GIGABYTE, all_of, at_least, at_most, formula, where

PPO = "instruct-gpt-2022"
ZERO = "zero-2020"
weights_learn = training & (full | freeze) & reinforcement


@formula(unit="GiB", symbol="M_w", source=PPO, when=weights_learn, name="weights_per_gpu_gib")
def weights_of_all_models_gib(
    held_parameters, weight_bytes, learning_models, base_weight_bytes, frozen_models, weights_on_host
):
    """Weights of the models that learn and of those that only score, all split alike."""
    held = weight_bytes * learning_models + base_weight_bytes * frozen_models
    return held_parameters * held * (1 - weights_on_host) / GIB


@formula(unit="GiB", symbol="M_w", source="lora-2021", when=reinforcement & lora, name="weights_per_gpu_gib")
def weights_of_all_models_gib_lora(
    held_parameters,
    base_weight_bytes,
    frozen_models,
    trained_parameters_per_gpu,
    weight_bytes,
    weight_shards,
    learning_models,
    weights_on_host,
):
    """A frozen base for each model, and the adapters of those that learn."""
    adapters = trained_parameters_per_gpu * weight_bytes / weight_shards * learning_models
    return (held_parameters * base_weight_bytes * (1 + frozen_models) + adapters) * (1 - weights_on_host) / GIB


@formula(unit="GiB", symbol="M_w", source="qlora-2023", when=reinforcement & qlora, name="weights_per_gpu_gib")
def weights_of_all_models_gib_qlora(
    held_parameters,
    vocabulary_parameters_per_gpu,
    weight_shards,
    quantized_weight_bytes,
    unquantized_weight_bytes,
    frozen_models,
    trained_parameters_per_gpu,
    weight_bytes,
    learning_models,
    weights_on_host,
):
    """A base in 4 bits for each model, and the adapters of those that learn."""
    vocabulary = vocabulary_parameters_per_gpu / weight_shards
    base = (held_parameters - vocabulary) * quantized_weight_bytes + vocabulary * unquantized_weight_bytes
    adapters = trained_parameters_per_gpu * weight_bytes / weight_shards * learning_models
    return (base * (1 + frozen_models) + adapters) * (1 - weights_on_host) / GIB


@formula(unit="GiB", symbol="M_g", source=ZERO, when=reinforcement, name="gradients_per_gpu_gib")
def gradients_of_all_models_gib(held_gradients, gradient_bytes, learning_models, gradients_on_host):
    """Gradients of every model that learns."""
    return held_gradients * gradient_bytes * learning_models * (1 - gradients_on_host) / GIB


@formula(unit="GiB", symbol="M_opt", source=ZERO, when=reinforcement, name="optimizer_per_gpu_gib")
def optimizer_of_all_models_gib(
    held_optimizer_states,
    master_weight_bytes,
    optimizer_moment_bytes,
    learning_models,
    optimizer_on_host,
    update_copies_gib,
):
    """Master copies and moments of every model that learns; one is updated after the other."""
    states = held_optimizer_states * (master_weight_bytes + optimizer_moment_bytes) * learning_models
    return states * (1 - optimizer_on_host) / GIB + update_copies_gib


@formula(unit="GiB", symbol="M_hw", source="zero-offload-2021", when=reinforcement, name="offloaded_states_gib")
def offloaded_states_of_all_models_gib(
    trained_parameters, master_weight_bytes, optimizer_moment_bytes, gradient_bytes, learning_models, optimizer_on_host
):
    """Optimizer states and gradients of every model that learns, when they are kept in host memory."""
    states = master_weight_bytes + optimizer_moment_bytes + gradient_bytes
    return trained_parameters * states * learning_models * optimizer_on_host / GIB


@formula(unit="GiB", symbol="M_hww", source="zero-offload-2021", when=weights_learn, name="offloaded_weights_gib")
def offloaded_weights_of_all_models_gib(
    parameters, weight_bytes, learning_models, base_weight_bytes, frozen_models, weights_on_host
):
    """Weights of the models that learn and of those that only score, when they too are kept in host memory."""
    held = weight_bytes * learning_models + base_weight_bytes * frozen_models
    return parameters * held * weights_on_host / GIB


@formula(
    unit="GiB", symbol="M_hww", source="zero-offload-2021", when=reinforcement & lora, name="offloaded_weights_gib"
)
def offloaded_weights_of_all_models_gib_lora(parameters, base_weight_bytes, frozen_models, weights_on_host):
    """A frozen base for each model; adapters are small."""
    return parameters * base_weight_bytes * (1 + frozen_models) * weights_on_host / GIB


@formula(unit="GiB", symbol="M_hww", source="qlora-2023", when=reinforcement & qlora, name="offloaded_weights_gib")
def offloaded_weights_of_all_models_gib_qlora(
    quantized_weights_gib, embedding_parameters, unquantized_weight_bytes, frozen_models, weights_on_host
):
    """A base in 4 bits for each model, and the vocabulary beside it."""
    base = quantized_weights_gib + embedding_parameters * unquantized_weight_bytes / GIB
    return base * (1 + frozen_models) * weights_on_host


@formula(unit="GB", symbol="S_ck", source="bigscience-bloom", when=reinforcement, name="checkpoint_gb")
def checkpoint_of_all_models_gb(trained_parameters, checkpoint_bytes_per_parameter, learning_models):
    """All that a run needs to go on after a failure, of every model that learns."""
    return trained_parameters * checkpoint_bytes_per_parameter * learning_models / GIGABYTE


@formula(unit="flag", symbol="ok_M", source="vllm-docs", when=reinforcement, name="memory_fits")
def memory_fits_both_moments(
    memory_per_gpu_gib, memory_usable_gib, rollout_planned_concurrency, gpus, rollout_tensor_parallel
):
    """The step fits, and while answers are written there are the GPUs of a copy and room for an answer of full length."""
    writes = all_of(at_least(gpus, rollout_tensor_parallel), at_least(rollout_planned_concurrency, 1))
    return where(all_of(at_most(memory_per_gpu_gib, memory_usable_gib), writes), 1, 0)
