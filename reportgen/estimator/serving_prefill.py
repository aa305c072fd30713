"""Reading a prompt on one replica: its work, the launches of the host, the weights, and how many can be read a second."""

from reportgen.estimator.serving_rates import reduce_bytes_time
from reportgen.estimator.structure import (
    attention_data_parallel,
    inference,
    linear_attention,
    mixture_of_experts,
    sliding_window,
)
from reportgen.formula import FLOP, GIB, GIGABYTE, TERAFLOP, ceil, formula, maximum, minimum

FIT = "serving-fit"
together = ~attention_data_parallel


@formula(unit="tokens", symbol="I_miss", source="deepseek-infra", when=inference)
def prompt_tokens_read(prompt_tokens, prefix_hit):
    """Tokens found in the prefix cache are not read again; the last token always is."""
    return maximum(1, prompt_tokens * (1 - prefix_hit))


@formula(
    unit="tokens", symbol="n_pair", source="flash-attention-2022", when=inference & ~sliding_window & ~linear_attention
)
def attention_pairs(layers, prompt_tokens, prompt_tokens_read):
    """Causal attention: each token read looks at all tokens before it, cached or not; summed over the layers."""
    return layers * prompt_tokens_read * maximum(prompt_tokens - prompt_tokens_read / 2, 0)


@formula(
    unit="tokens",
    symbol="n_pair",
    source="flash-attention-2022",
    when=inference & sliding_window,
    name="attention_pairs",
)
def attention_pairs_sliding(layers, sliding_layers, sliding_window, prompt_tokens, prompt_tokens_read):
    """Layers with a window look back no further than the window."""
    past = maximum(prompt_tokens - prompt_tokens_read / 2, 0)
    return prompt_tokens_read * ((layers - sliding_layers) * past + sliding_layers * minimum(past, sliding_window))


@formula(unit="tokens", symbol="n_pair", source="qwen3-next", when=inference & linear_attention, name="attention_pairs")
def attention_pairs_hybrid(layers, linear_layers, prompt_tokens, prompt_tokens_read):
    """Layers with linear attention look at their state only."""
    return (layers - linear_layers) * prompt_tokens_read * maximum(prompt_tokens - prompt_tokens_read / 2, 0)


@formula(unit="s", symbol="t_att", source="flash-attention-2022", when=inference)
def prefill_attention_s(
    attention_pairs,
    attention_heads,
    head_dimension,
    value_head_dimension,
    attention_tensor_parallel,
    peak_tflops_16bit,
    attention_compute_utilization,
):
    """Scores and their sum over values, multiplied in 16 bit whatever the precision of the weights."""
    work = 2 * attention_pairs * attention_heads * (head_dimension + value_head_dimension) * FLOP
    return work / attention_tensor_parallel / (peak_tflops_16bit * TERAFLOP * attention_compute_utilization)


@formula(unit="s", symbol="t_lin", source="scaling-book", when=inference & together, name="prefill_compute_s")
def prefill_compute_s(prompt_tokens_read, flop_per_token, tensor_parallel, effective_compute):
    """The linear layers of all tokens of the prompt."""
    return prompt_tokens_read * flop_per_token / tensor_parallel / effective_compute


@formula(
    unit="s",
    symbol="t_lin",
    source="deepseek-infra",
    when=inference & attention_data_parallel & mixture_of_experts,
    name="prefill_compute_s",
)
def prefill_compute_of_groups_s(
    prompt_tokens_read,
    matmul_parameters,
    routed_expert_parameters,
    experts_per_token,
    experts,
    attention_tensor_parallel,
    tensor_parallel,
    effective_compute,
):
    """A prompt is read by one group; only its experts stand on all ranks."""
    routed = routed_expert_parameters * experts_per_token / experts
    parameters = (matmul_parameters - routed) / attention_tensor_parallel + routed / tensor_parallel
    return 2 * prompt_tokens_read * parameters * FLOP / effective_compute


@formula(unit="s", symbol="t_Ap", source=FIT, when=inference)
def prefill_activations_s(prompt_tokens_read, activation_bytes_per_token, memory_bandwidth_gb_s):
    """Every rank passes over the activations of the whole prompt."""
    return prompt_tokens_read * activation_bytes_per_token / (memory_bandwidth_gb_s * GIGABYTE)


@formula(unit="s", symbol="t_ARp", source="megatron-2021", when=inference)
def prefill_all_reduce_s(prompt_tokens_read, layers, hidden_size, attention_tensor_parallel, all_reduce_bandwidth):
    """The same two all-reduces a layer, now of long messages: here PCIe costs most."""
    return reduce_bytes_time(prompt_tokens_read, layers, hidden_size, attention_tensor_parallel, all_reduce_bandwidth)


@formula(unit="s", symbol="W_p", source=FIT, when=inference)
def prefill_work_s(prefill_compute_s, prefill_attention_s, prefill_activations_s, prefill_all_reduce_s):
    """What a prompt takes from the accelerators when its steps are full: products, attention, activations, reductions."""
    return prefill_compute_s + prefill_attention_s + prefill_activations_s + prefill_all_reduce_s


@formula(unit="s", symbol="t_Wp", source="scaling-book", when=inference)
def prefill_weight_read_s(weights_per_gpu_gib, effective_bandwidth):
    """A short prompt waits for the weights like a step does; a whole prompt touches about every expert."""
    return weights_per_gpu_gib * GIB / effective_bandwidth


@formula(unit="s", symbol="t_launch", source=FIT, when=inference)
def prefill_launch_s(prefill_launches, engine_launch_time_s):
    """The host starts one kernel after the other; a short prompt is read no faster than that."""
    return prefill_launches * engine_launch_time_s


@formula(unit="s", symbol="T_p", source=FIT, when=inference)
def prefill_s(
    prompt_tokens_read, engine_step_tokens, prefill_work_s, prefill_weight_read_s, prefill_launch_s, layers_time_s
):
    """Reading a prompt alone: its work, or for each piece the launches or the weights, whichever is slower."""
    pieces = ceil(prompt_tokens_read / engine_step_tokens)
    return maximum(prefill_work_s, pieces * maximum(prefill_launch_s, prefill_weight_read_s + layers_time_s))


@formula(unit="s", symbol="S_p", source=FIT, when=inference)
def prefill_service_s(
    prefill_work_s, attention_tensor_parallel, tensor_parallel, prompt_tokens_read, engine_step_tokens, prefill_launch_s
):
    """Time of the replica that one of many prompts takes: they share steps, and with them launches and weights."""
    group = prefill_work_s * attention_tensor_parallel / tensor_parallel
    return maximum(group, prompt_tokens_read / engine_step_tokens * prefill_launch_s)
