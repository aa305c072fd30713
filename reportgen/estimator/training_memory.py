"""Memory of one GPU in training: the layout, the states of the weights, and the sum with its margin."""

from reportgen.estimator.structure import (
    adapter,
    dense,
    expert_tensor,
    freeze,
    full,
    lora,
    mixture_of_experts,
    multi_token_prediction,
    qlora,
    reference_model,
    reinforcement,
    training,
)
from reportgen.formula import (
    BITS_PER_BYTE,
    GIB,
    above,
    at_least,
    formula,
    minimum,
    where,
)

ZERO = "zero-2020"
MEGATRON = "megatron-2021"
mixture = training & mixture_of_experts
extra_modules = training & multi_token_prediction
alone = ~reference_model & ~reinforcement  # no other model beside the one that learns
weights_learn = training & (full | freeze)  # the model's own, not adapters
experts_learn = mixture & (full | freeze)


# Weights in the fullest stage of one GPU


@formula(
    unit="parameters",
    symbol="N_ex",
    source=MEGATRON,
    when=training & mixture_of_experts & ~multi_token_prediction,
    name="expert_pool_parameters",
)
def expert_pool_parameters(routed_expert_parameters):
    """All routed experts."""
    return routed_expert_parameters


@formula(
    unit="parameters",
    symbol="N_ex",
    source="deepseek-v3-2024",
    when=training & mixture_of_experts & multi_token_prediction,
    name="expert_pool_parameters",
)
def expert_pool_parameters_multi(routed_expert_parameters, multi_token_layers, experts, expert_parameters):
    """All routed experts, those of the extra prediction modules too."""
    return routed_expert_parameters + multi_token_layers * experts * expert_parameters


@formula(
    unit="parameters", symbol="N_co", source=MEGATRON, when=training & ~multi_token_prediction, name="body_parameters"
)
def body_parameters(parameters, embedding_parameters):
    """Everything between embedding and head."""
    return parameters - embedding_parameters


@formula(
    unit="parameters",
    symbol="N_co",
    source="deepseek-v3-2024",
    when=training & multi_token_prediction,
    name="body_parameters",
)
def body_parameters_multi(parameters, embedding_parameters, multi_token_parameters):
    """Everything between embedding and head, and the extra prediction modules."""
    return parameters - embedding_parameters + multi_token_parameters


@formula(unit="parameters", symbol="N_v", source=MEGATRON, when=training)
def vocabulary_parameters_per_gpu(pipeline_parallel, head_parameters, embedding_parameters, tensor_parallel):
    """With a pipeline the first stage holds the embedding and the last one the head, a copy each when they are tied."""
    return where(above(pipeline_parallel, 1), head_parameters, embedding_parameters) / tensor_parallel


@formula(unit="parameters", symbol="N_g", source=MEGATRON, when=training & dense, name="common_parameters_per_gpu")
def common_parameters_per_gpu(
    body_parameters, layers_per_stage, layers, tensor_parallel, vocabulary_parameters_per_gpu
):
    """The layers of the stage split over the tensor-parallel GPUs, and one end of the vocabulary."""
    return body_parameters * layers_per_stage / layers / tensor_parallel + vocabulary_parameters_per_gpu


@formula(
    unit="parameters",
    symbol="N_g",
    source=MEGATRON,
    when=training & mixture_of_experts,
    name="common_parameters_per_gpu",
)
def common_parameters_per_gpu_of_mixture(
    body_parameters, expert_pool_parameters, layers_per_stage, layers, tensor_parallel, vocabulary_parameters_per_gpu
):
    """The same without the routed experts, which are split in another way."""
    outside = body_parameters - expert_pool_parameters
    return outside * layers_per_stage / layers / tensor_parallel + vocabulary_parameters_per_gpu


@formula(
    unit="parameters",
    symbol="N_ge",
    source="megatron-lm",
    when=mixture & expert_tensor,
    name="expert_parameters_per_gpu",
)
def cut_expert_parameters_per_gpu(
    expert_pool_parameters, layers_per_stage, layers, expert_parallel, expert_tensor_parallel
):
    """Experts are dealt out, and each is cut over the GPUs of a group."""
    return expert_pool_parameters * layers_per_stage / layers / (expert_parallel * expert_tensor_parallel)


@formula(
    unit="parameters",
    symbol="N_ge",
    source="megatron-lm",
    when=mixture & ~expert_tensor,
    name="expert_parameters_per_gpu",
)
def expert_parameters_per_gpu(expert_pool_parameters, layers_per_stage, layers, expert_parallel):
    """Whole experts are dealt out to the expert-parallel GPUs."""
    return expert_pool_parameters * layers_per_stage / layers / expert_parallel


# What learns on one GPU


@formula(unit="parameters", symbol="N_t", source=ZERO, when=training & full, name="trained_parameters_per_gpu")
def trained_parameters_per_gpu(common_parameters_per_gpu):
    """Under full training everything learns."""
    return common_parameters_per_gpu


@formula(unit="parameters", symbol="N_t", source="lora-2021", when=adapter, name="trained_parameters_per_gpu")
def trained_parameters_per_gpu_adapter(
    lora_parameters, pipeline_parallel, embeddings_trained, vocabulary_parameters_per_gpu
):
    """Adapters learn, which tensor parallelism is counted not to split, and copies of the vocabulary when asked."""
    return lora_parameters / pipeline_parallel + embeddings_trained * vocabulary_parameters_per_gpu


@formula(unit="layers", symbol="L_t", source="llama-factory", when=training & freeze)
def trained_layers_per_stage(trainable_layers, layers_per_stage):
    """The last layers stand together in the last stage."""
    return minimum(trainable_layers, layers_per_stage)


@formula(
    unit="parameters", symbol="N_t", source="llama-factory", when=training & freeze, name="trained_parameters_per_gpu"
)
def trained_parameters_per_gpu_freeze(
    common_parameters_per_gpu,
    vocabulary_parameters_per_gpu,
    embeddings_trained,
    trained_layers_per_stage,
    layers_per_stage,
):
    """The last layers, and the vocabulary when asked."""
    body = common_parameters_per_gpu - vocabulary_parameters_per_gpu
    return body * trained_layers_per_stage / layers_per_stage + embeddings_trained * vocabulary_parameters_per_gpu


@formula(unit="parameters", symbol="N_te", source=ZERO, when=mixture & full, name="trained_experts_per_gpu")
def trained_experts_per_gpu(expert_parameters_per_gpu):
    """Under full training every expert learns."""
    return expert_parameters_per_gpu


@formula(
    unit="parameters", symbol="N_te", source="llama-factory", when=mixture & freeze, name="trained_experts_per_gpu"
)
def trained_experts_per_gpu_freeze(expert_parameters_per_gpu, trained_layers_per_stage, layers_per_stage):
    """Experts of the last layers."""
    return expert_parameters_per_gpu * trained_layers_per_stage / layers_per_stage


# Shards by ZeRO stage


@formula(unit="GPUs", symbol="S_w", source=ZERO, when=training)
def weight_shards(zero_stage, state_shards):
    """Stage 3 splits the weights too."""
    return where(at_least(zero_stage, 3), state_shards, 1)


@formula(unit="GPUs", symbol="S_we", source=ZERO, when=mixture)
def expert_weight_shards(zero_stage, expert_shards):
    """Stage 3 splits experts over the GPUs that hold the same ones."""
    return where(at_least(zero_stage, 3), expert_shards, 1)


@formula(unit="parameters", symbol="N_wh", source=ZERO, when=training & dense, name="held_parameters")
def held_parameters(common_parameters_per_gpu, weight_shards):
    """Weights that stay on one GPU between their uses."""
    return common_parameters_per_gpu / weight_shards


@formula(unit="parameters", symbol="N_wh", source=ZERO, when=mixture, name="held_parameters")
def held_parameters_of_mixture(
    common_parameters_per_gpu, weight_shards, expert_parameters_per_gpu, expert_weight_shards
):
    """Weights and experts that stay on one GPU between their uses."""
    return common_parameters_per_gpu / weight_shards + expert_parameters_per_gpu / expert_weight_shards


@formula(unit="GPUs", symbol="S_g", source=ZERO, when=training)
def gradient_shards(zero_stage, unsplit_gradients, state_shards):
    """Stage 2 splits the gradients, unless they are summed over micro-batches before they are exchanged."""
    return where(at_least(zero_stage * (1 - unsplit_gradients), 2), state_shards, 1)


@formula(unit="parameters", symbol="N_gh", source=ZERO, when=training & ~experts_learn, name="held_gradients")
def held_gradients(trained_parameters_per_gpu, gradient_shards):
    """Gradients of what learns that stay on one GPU."""
    return trained_parameters_per_gpu / gradient_shards


@formula(unit="parameters", symbol="N_gh", source=ZERO, when=experts_learn, name="held_gradients")
def held_gradients_of_mixture(
    trained_parameters_per_gpu, gradient_shards, trained_experts_per_gpu, zero_stage, expert_shards
):
    """Gradients that stay on one GPU; those of experts are split over the GPUs that hold the same ones."""
    experts = trained_experts_per_gpu / where(at_least(zero_stage, 2), expert_shards, 1)
    return trained_parameters_per_gpu / gradient_shards + experts


@formula(unit="parameters", symbol="N_oh", source=ZERO, when=training & ~experts_learn, name="held_optimizer_states")
def held_optimizer_states(trained_parameters_per_gpu, zero_stage, state_shards):
    """Stage 1 splits the optimizer states."""
    return trained_parameters_per_gpu / where(at_least(zero_stage, 1), state_shards, 1)


@formula(unit="parameters", symbol="N_oh", source=ZERO, when=experts_learn, name="held_optimizer_states")
def held_optimizer_states_of_mixture(
    trained_parameters_per_gpu, trained_experts_per_gpu, zero_stage, state_shards, expert_shards
):
    """Stage 1 splits the optimizer states, those of experts over the GPUs that hold the same ones."""
    common = trained_parameters_per_gpu / where(at_least(zero_stage, 1), state_shards, 1)
    return common + trained_experts_per_gpu / where(at_least(zero_stage, 1), expert_shards, 1)


# Bytes of a frozen weight in 4 bits


@formula(unit="bit/parameter", symbol="c_q", source="qlora-2023", when=qlora)
def quantization_constant_bits(
    quantization_scale_bits, quantization_block, second_scale_bits, quantization_second_block
):
    """Each block keeps a small scale, and each block of scales a wide one."""
    return quantization_scale_bits / quantization_block + second_scale_bits / (
        quantization_block * quantization_second_block
    )


@formula(unit="B/parameter", symbol="b_q", source="qlora-2023", when=qlora)
def quantized_weight_bytes(base_weight_bits, quantization_constant_bits):
    """Four bits a weight and its share of the scales."""
    return (base_weight_bits + quantization_constant_bits) / BITS_PER_BYTE


@formula(unit="GiB", symbol="M_lin", source="qlora-2023", when=qlora)
def quantized_weights_gib(linear_parameters, quantized_weight_bytes):
    """The matrices of all layers in 4 bits; embedding, head and norms stay wider."""
    return linear_parameters * quantized_weight_bytes / GIB


@formula(unit="GiB", symbol="M_qs", source="peft", when=training & qlora & ~reinforcement)
def unsplit_scales_gib(
    eager_kernels,
    held_parameters,
    vocabulary_parameters_per_gpu,
    weight_shards,
    quantization_constant_bits,
    weights_on_host,
):
    """Scales of bitsandbytes are no parameters: neither ZeRO-3 nor offload takes those of other GPUs' shards away."""
    vocabulary = vocabulary_parameters_per_gpu / weight_shards
    elsewhere = (held_parameters - vocabulary) * (weight_shards - 1 + weights_on_host)
    return eager_kernels * elsewhere * quantization_constant_bits / BITS_PER_BYTE / GIB


# States of one GPU


@formula(unit="GiB", symbol="M_w", source=ZERO, when=weights_learn & alone, name="weights_per_gpu_gib")
def weights_per_gpu_gib(held_parameters, weight_bytes, weights_on_host):
    """Weights as the matrix products read them."""
    return held_parameters * weight_bytes * (1 - weights_on_host) / GIB


@formula(unit="GiB", symbol="M_w", source="dpo-2023", when=weights_learn & reference_model, name="weights_per_gpu_gib")
def weights_per_gpu_gib_with_reference(held_parameters, weight_bytes, base_weight_bytes, weights_on_host):
    """Weights, and a frozen copy of them as the reference."""
    return held_parameters * (weight_bytes + base_weight_bytes) * (1 - weights_on_host) / GIB


@formula(
    unit="GiB", symbol="M_w", source="lora-2021", when=training & lora & ~reinforcement, name="weights_per_gpu_gib"
)
def weights_per_gpu_gib_lora(
    held_parameters, base_weight_bytes, trained_parameters_per_gpu, weight_bytes, weight_shards, weights_on_host
):
    """The frozen base has no gradients and no optimizer states; the adapters are small."""
    adapters = trained_parameters_per_gpu * weight_bytes / weight_shards
    return (held_parameters * base_weight_bytes + adapters) * (1 - weights_on_host) / GIB


@formula(
    unit="GiB", symbol="M_w", source="qlora-2023", when=training & qlora & ~reinforcement, name="weights_per_gpu_gib"
)
def weights_per_gpu_gib_qlora(
    held_parameters,
    vocabulary_parameters_per_gpu,
    weight_shards,
    quantized_weight_bytes,
    unsplit_scales_gib,
    unquantized_weight_bytes,
    trained_parameters_per_gpu,
    weight_bytes,
    weights_on_host,
):
    """The layers in 4 bits, embedding and head at their own width, and the adapters."""
    vocabulary = vocabulary_parameters_per_gpu / weight_shards
    base = (held_parameters - vocabulary) * quantized_weight_bytes + vocabulary * unquantized_weight_bytes
    adapters = trained_parameters_per_gpu * weight_bytes / weight_shards
    return (base + adapters) * (1 - weights_on_host) / GIB + unsplit_scales_gib


@formula(unit="GiB", symbol="M_g", source=ZERO, when=training & ~reinforcement, name="gradients_per_gpu_gib")
def gradients_per_gpu_gib(held_gradients, gradient_bytes, gradients_on_host):
    """Only what learns has gradients; they follow the optimizer states into host memory."""
    return held_gradients * gradient_bytes * (1 - gradients_on_host) / GIB


@formula(unit="GiB", symbol="M_uc", source="deepspeed", when=training)
def update_copies_gib(held_optimizer_states, zero_stage, update_group_parameters, update_copy_bytes, optimizer_on_host):
    """DeepSpeed widens gradients to 32 bits for the update, and flattens them; ZeRO-3 does so a group at a time."""
    group = where(
        at_least(zero_stage, 3), minimum(held_optimizer_states, update_group_parameters), held_optimizer_states
    )
    return group * update_copy_bytes * (1 - optimizer_on_host) / GIB


@formula(unit="GiB", symbol="M_opt", source=ZERO, when=training & ~reinforcement, name="optimizer_per_gpu_gib")
def optimizer_per_gpu_gib(
    held_optimizer_states, master_weight_bytes, optimizer_moment_bytes, optimizer_on_host, update_copies_gib
):
    """Master copy and moments of what learns, unless they are kept in host memory, and copies for the update."""
    states = held_optimizer_states * (master_weight_bytes + optimizer_moment_bytes)
    return states * (1 - optimizer_on_host) / GIB + update_copies_gib
