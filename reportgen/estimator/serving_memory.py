"""Memory of one accelerator that serves: weights, the cache of keys and values, reserves, and the room they leave."""

from reportgen.estimator.structure import (
    attention_data_parallel,
    batch_inference,
    dense,
    grouped_attention,
    inference,
    latent_attention,
    linear_attention,
    mixture_of_experts,
    serving,
    sliding_window,
)
from reportgen.formula import (
    GIB,
    all_of,
    at_least,
    at_most,
    floor,
    formula,
    maximum,
    minimum,
    where,
)

together = ~attention_data_parallel

# --- weights


@formula(unit="B/parameter", symbol="b_tab", source="aiconfigurator", when=inference)
def table_bytes_per_parameter(bytes_bf16, weight_bytes_per_parameter):
    """Quantised checkpoints keep the embedding and the output head at 16 bit."""
    return maximum(bytes_bf16, weight_bytes_per_parameter)


@formula(unit="GiB", symbol="M_W", source="aiconfigurator", when=inference)
def weights_gib(
    parameters,
    attention_parameters,
    embedding_parameters,
    weight_bytes_per_parameter,
    attention_bytes_per_parameter,
    table_bytes_per_parameter,
):
    """One copy of the model: embedding and head at 16 bit, and attention too where the checkpoint leaves it so."""
    other = parameters - attention_parameters - embedding_parameters
    linear = attention_parameters * attention_bytes_per_parameter + other * weight_bytes_per_parameter
    return (linear + embedding_parameters * table_bytes_per_parameter) / GIB


@formula(unit="GiB", symbol="M_w", source="megatron-2021", when=inference & together, name="weights_per_gpu_gib")
def weights_per_gpu_gib(weights_gib, tensor_parallel):
    """Tensor parallelism splits every large matrix evenly over the accelerators of a replica."""
    return weights_gib / tensor_parallel


@formula(
    unit="GiB",
    symbol="M_w",
    source="deepseek-infra",
    when=inference & attention_data_parallel & mixture_of_experts,
    name="weights_per_gpu_gib",
)
def weights_per_gpu_with_copies_gib(
    weights_gib, routed_expert_parameters, weight_bytes_per_parameter, tensor_parallel, attention_tensor_parallel
):
    """Groups that share the requests each hold all of attention; the experts stand once in the replica."""
    routed = routed_expert_parameters * weight_bytes_per_parameter / GIB
    return routed / tensor_parallel + (weights_gib - routed) / attention_tensor_parallel


# --- groups of ranks


@formula(unit="GPUs", symbol="t_a", source="vllm-docs", when=inference & attention_data_parallel)
def attention_tensor_parallel(tensor_parallel, attention_data_parallel):
    """Ranks that split the heads of one request; a replica has as many groups of them as it shares requests among."""
    return maximum(1, tensor_parallel / attention_data_parallel)


@formula(unit="GPUs", symbol="t_a", source="vllm-docs", when=inference & together, name="attention_tensor_parallel")
def attention_tensor_parallel_whole(tensor_parallel):
    """All ranks of a replica split the heads of each request."""
    return tensor_parallel + 0


# --- cache of keys and values


@formula(unit="B/token", symbol="k_l", source="gqa-2023", when=inference & grouped_attention)
def key_value_bytes_per_layer(key_value_heads, head_dimension, value_head_dimension, key_value_bytes):
    """Each token leaves one key and one value in every key-value head, shared by a group of query heads."""
    return key_value_heads * (head_dimension + value_head_dimension) * key_value_bytes


@formula(
    unit="B/token",
    symbol="k_l",
    source="deepseek-v2-2024",
    when=inference & latent_attention,
    name="key_value_bytes_per_layer",
)
def latent_bytes_per_layer(key_value_lora_rank, rope_head_dimension, key_value_bytes):
    """Latent attention caches one compressed vector for keys and values together, and the rotary part of the key."""
    return (key_value_lora_rank + rope_head_dimension) * key_value_bytes


@formula(unit="B/token", symbol="k", source="gqa-2023", when=inference & ~linear_attention)
def key_value_bytes_per_token(layers, key_value_bytes_per_layer):
    """What an allocator reserves for one token that no layer has forgotten, over all accelerators of a replica."""
    return layers * key_value_bytes_per_layer


@formula(
    unit="B/token",
    symbol="k",
    source="qwen3-next",
    when=inference & linear_attention,
    name="key_value_bytes_per_token",
)
def key_value_bytes_per_token_hybrid(layers, linear_layers, key_value_bytes_per_layer):
    """Only layers with full attention keep tokens."""
    return (layers - linear_layers) * key_value_bytes_per_layer


@formula(
    unit="shards", symbol="t_kv", source="vllm-docs", when=inference & grouped_attention & together,
    name="key_value_shards",
)  # fmt: skip
def key_value_shards(tensor_parallel, key_value_heads):
    """A head cannot be split: beyond the number of key-value heads, further ranks hold copies."""
    return minimum(tensor_parallel, key_value_heads)


@formula(
    unit="shards", symbol="t_kv", source="vllm-docs", when=inference & latent_attention & together,
    name="key_value_shards",
)  # fmt: skip
def latent_shards():
    """The latent vector has no heads, so that every rank of a replica holds a whole copy."""
    return 1


@formula(
    unit="shards",
    symbol="t_kv",
    source="deepseek-infra",
    when=inference & attention_data_parallel & grouped_attention,
    name="key_value_shards",
)
def key_value_shards_of_groups(attention_tensor_parallel, key_value_heads, tensor_parallel):
    """Each group holds the cache of its own requests."""
    return minimum(attention_tensor_parallel, key_value_heads) * tensor_parallel / attention_tensor_parallel


@formula(
    unit="shards",
    symbol="t_kv",
    source="deepseek-infra",
    when=inference & attention_data_parallel & latent_attention,
    name="key_value_shards",
)
def latent_shards_of_groups(tensor_parallel, attention_tensor_parallel):
    """Each group holds the latent vectors of its own requests: this is what the sharing of requests is for."""
    return tensor_parallel / attention_tensor_parallel


@formula(unit="B", symbol="K_s", source="qwen3-next", when=inference & linear_attention)
def linear_state_bytes(
    linear_layers,
    linear_value_heads,
    linear_head_dimension,
    linear_state_number_bytes,
    key_value_shards,
    tensor_parallel,
):
    """State of a request, whatever its length; it splits over all ranks, here counted as if over those of the cache."""
    state = linear_layers * linear_value_heads * linear_head_dimension * linear_head_dimension
    return state * linear_state_number_bytes * key_value_shards / tensor_parallel


@formula(unit="tokens", symbol="c_res", source="vllm-docs", when=serving, name="reserved_tokens_per_request")
def reserved_tokens_serving(prompt_tokens, answer_tokens):
    """Objectives must hold when all answers end together: no request may be thrown out of the cache and read again."""
    return prompt_tokens + answer_tokens


@formula(unit="tokens", symbol="c_res", source="vllm-docs", when=batch_inference)
def reserved_tokens_per_request(prompt_tokens, answer_tokens):
    """Without an objective the mean is enough: requests of a steady mix have written half of their answers."""
    return prompt_tokens + answer_tokens / 2


@formula(unit="tokens", symbol="c", source="vllm-docs", when=inference)
def mean_context_tokens(prompt_tokens, answer_tokens):
    """What a step reads again: the prompt, and half of the answer on average."""
    return prompt_tokens + answer_tokens / 2


def _cached_layer_tokens(context, layers, sliding_layers, sliding_window):
    return (layers - sliding_layers) * context + sliding_layers * minimum(context, sliding_window)


def _cached(name: str, symbol: str, context: str, state: int) -> list:
    """Bytes of a request that holds `context` tokens: every layer, layers that forget, layers with a state instead."""

    def cached_bytes(context_tokens, key_value_bytes_per_token):
        """Every layer keeps every token."""
        return context_tokens * key_value_bytes_per_token

    def cached_bytes_sliding(context_tokens, key_value_bytes_per_layer, layers, sliding_layers, sliding_window):
        """Layers with a window keep no more tokens than the window; engines may reserve more."""
        return _cached_layer_tokens(context_tokens, layers, sliding_layers, sliding_window) * key_value_bytes_per_layer

    def cached_bytes_hybrid(context_tokens, key_value_bytes_per_token, linear_state_bytes):
        """Layers with full attention keep every token, the others their state (a step reads it and writes it back)."""
        return context_tokens * key_value_bytes_per_token + state * linear_state_bytes

    declared = []
    for function, when in (
        (cached_bytes, ~sliding_window & ~linear_attention),
        (cached_bytes_sliding, sliding_window),
        (cached_bytes_hybrid, linear_attention),
    ):
        item = formula(
            unit="B", symbol=symbol, source="vllm-docs", when=inference & when, name=name, section="serving_memory"
        )(function)
        item.parameters = (context, *item.parameters[1:])
        declared.append(item)
    return declared


CACHED = [
    *_cached("key_value_bytes_per_request", "K_res", "reserved_tokens_per_request", 1),
    *_cached("key_value_bytes_read_per_request", "K", "mean_context_tokens", 2),
    *_cached("key_value_bytes_at_max_context", "K_max", "max_context", 1),
]


@formula(unit="GiB", symbol="M_kv", source="vllm-2023", when=inference)
def key_value_cache_per_gpu_gib(batch_per_replica, key_value_bytes_per_request, key_value_shards):
    """The requests in flight each hold their tokens, split over the ranks that do not hold copies."""
    return batch_per_replica * key_value_bytes_per_request / key_value_shards / GIB


# --- reserves


@formula(unit="GiB", symbol="M_act", source="llm-d-planner", when=inference & dense)
def activation_reserve_full_gib(serving_activation_memory):
    """The engine measures its largest step when it starts; neither context nor tensor parallelism change it."""
    return serving_activation_memory / GIB


@formula(
    unit="GiB",
    symbol="M_act",
    source="llm-d-planner",
    when=inference & mixture_of_experts,
    name="activation_reserve_full_gib",
)
def activation_reserve_experts_gib(serving_activation_memory_experts):
    """Layers with experts need more room, since tokens are copied for each expert that they visit."""
    return serving_activation_memory_experts / GIB


@formula(unit="GiB", symbol="M_r", source="llm-d-planner", when=inference)
def runtime_reserve_gib(tensor_parallel, serving_framework_memory, serving_framework_memory_one_gpu):
    """Memory outside the framework: the driver's context, and communication buffers when ranks talk to each other."""
    return where(at_most(tensor_parallel, 1), serving_framework_memory_one_gpu, serving_framework_memory) / GIB


@formula(unit="GiB", symbol="M_eng", source="vllm-docs", when=inference)
def engine_memory_budget_gib(memory_capacity_gib, serving_memory_share):
    """The engine takes a fixed share of the card when it starts and leaves the rest to the driver and to accidents."""
    return memory_capacity_gib * serving_memory_share


@formula(unit="GiB", symbol="M_free", source="vllm-docs", when=inference)
def memory_beside_weights_gib(engine_memory_budget_gib, weights_per_gpu_gib, runtime_reserve_gib):
    """What activations and cache share."""
    return maximum(0, engine_memory_budget_gib - weights_per_gpu_gib - runtime_reserve_gib)


@formula(unit="tokens", symbol="s", source="vllm-defaults", when=inference)
def engine_step_tokens(
    memory_capacity_gib,
    large_memory_gib,
    memory_beside_weights_gib,
    activation_reserve_full_gib,
    step_tokens_large_memory,
    step_tokens_small_memory,
):
    """Prompts are read in pieces: long ones on large cards, unless activations would then outgrow the cache."""
    roomy = at_least(memory_beside_weights_gib, 2 * activation_reserve_full_gib)
    long_step = all_of(at_least(memory_capacity_gib, large_memory_gib), roomy)
    return where(long_step, step_tokens_large_memory, step_tokens_small_memory)


@formula(unit="GiB", symbol="M_a", source="llm-d-planner", when=inference)
def activation_reserve_gib(activation_reserve_full_gib, engine_step_tokens, step_tokens_large_memory):
    """Activations grow with the tokens of a step; the reserve was measured with the longer step."""
    return activation_reserve_full_gib * engine_step_tokens / step_tokens_large_memory


# --- room and fit


@formula(unit="GiB", symbol="M_room", source="vllm-docs", when=inference)
def key_value_room_per_gpu_gib(memory_beside_weights_gib, activation_reserve_gib):
    """The cache gets whatever the weights and the reserves leave of the engine's budget."""
    return maximum(0, memory_beside_weights_gib - activation_reserve_gib)


@formula(unit="tokens", symbol="n_tok", source="vllm-docs", when=inference)
def key_value_tokens(key_value_room_per_gpu_gib, key_value_shards, key_value_bytes_per_token, cache_block_tokens):
    """The number that the engine prints when it starts: whole blocks of tokens, as if no layer forgot any."""
    blocks = key_value_room_per_gpu_gib * GIB * key_value_shards / (key_value_bytes_per_token * cache_block_tokens)
    return cache_block_tokens * floor(blocks)


@formula(unit="requests", symbol="B_max", source="vllm-docs", when=inference)
def maximum_concurrency(key_value_room_per_gpu_gib, key_value_shards, key_value_bytes_at_max_context):
    """Requests in flight that are safe even if all of them are as long as the engine allows."""
    return key_value_room_per_gpu_gib * GIB * key_value_shards / key_value_bytes_at_max_context


@formula(unit="requests", symbol="B_kv", source="vllm-docs", when=inference)
def planned_concurrency(key_value_room_per_gpu_gib, key_value_shards, key_value_bytes_per_request):
    """Requests in flight that the cache of a replica holds at the lengths planned."""
    return key_value_room_per_gpu_gib * GIB * key_value_shards / key_value_bytes_per_request


@formula(unit="GiB", symbol="M", source="vllm-docs", when=inference)
def memory_per_gpu_gib(weights_per_gpu_gib, key_value_cache_per_gpu_gib, activation_reserve_gib, runtime_reserve_gib):
    """What the chosen batch really fills; the engine reserves its whole budget whatever is in use."""
    return weights_per_gpu_gib + key_value_cache_per_gpu_gib + activation_reserve_gib + runtime_reserve_gib


@formula(unit="flag", symbol="ok_M", source="reportgen", when=inference)
def fits(memory_per_gpu_gib, memory_usable_gib, key_value_cache_per_gpu_gib, key_value_room_per_gpu_gib):
    """Both limits count: the margin of the estimate, and the share of the card that the engine takes."""
    in_margin = at_most(memory_per_gpu_gib, memory_usable_gib)
    return where(all_of(in_margin, at_most(key_value_cache_per_gpu_gib, key_value_room_per_gpu_gib)), 1, 0)


@formula(unit="flag", symbol="ok_c", source="vllm-docs", when=inference)
def context_fits(maximum_concurrency):
    """An engine refuses to start when its cache cannot hold one request of the longest length."""
    return where(at_least(maximum_concurrency, 1), 1, 0)
