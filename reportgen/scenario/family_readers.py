"""What is peculiar to each family of models: biases, windows, experts, norms, latent attention."""

from __future__ import annotations

from typing import Any

from reportgen.scenario.config_reader import ConfigReader

Traits = dict[str, Any]


def attention_bias_everywhere(config: ConfigReader, shape: Traits) -> Traits:
    """One flag puts a bias on query, key, value and output."""
    bias = config.flag("attention_bias")
    return {"qkv_bias": bias, "output_bias": bias}


def attention_bias_inside(config: ConfigReader, shape: Traits) -> Traits:
    """One flag puts a bias on query, key and value, never on the output."""
    return {"qkv_bias": config.flag("attention_bias")}


def llama(config: ConfigReader, shape: Traits) -> Traits:
    """Llama, Granite, SmolLM3 and their copies."""
    return attention_bias_everywhere(config, shape) | {"mlp_bias": config.flag("mlp_bias")}


def window_everywhere(config: ConfigReader, shape: Traits) -> Traits:
    """A window, when there is one, holds in every layer unless layer_types says otherwise."""
    window = config.optional("sliding_window") or 0
    return sliding(config, shape, window, shape["layers"] if window else 0)


def window_when_used(config: ConfigReader, shape: Traits) -> Traits:
    """Qwen files carry a window that use_sliding_window switches off."""
    window = config.optional("sliding_window") or 0 if config.flag("use_sliding_window") else 0
    last = max(0, shape["layers"] - config.number("max_window_layers")) if window else 0
    return sliding(config, shape, window, last)


def sliding(config: ConfigReader, shape: Traits, window: int, layers: int) -> Traits:
    """The window and how many layers have it; layer_types, when written, counts."""
    kinds = config.items("layer_types")
    if kinds:
        strange = sorted({str(kind) for kind in kinds} - {"full_attention", "sliding_attention"})
        config.refuse_if(
            strange, f"its layers have '{', '.join(strange)[:60]}'; only full and sliding attention are estimated"
        )
        config.refuse_if(len(kinds) != shape["layers"], f"'layer_types' names {len(kinds)} layers of {shape['layers']}")
        layers = kinds.count("sliding_attention") if window else 0
    return {"sliding_window": window, "sliding_layers": layers} if window and layers else {}


def every_other_layer(config: ConfigReader, shape: Traits) -> Traits:
    """Gemma 2 and gpt-oss: the first layer slides, the second does not, and so on."""
    return sliding(config, shape, config.optional("sliding_window") or 0, (shape["layers"] + 1) // 2)


def all_but_every_sixth(config: ConfigReader, shape: Traits) -> Traits:
    """Gemma 3: every sixth layer sees everything."""
    pattern = config.optional("sliding_window_pattern") or 6
    return sliding(config, shape, config.optional("sliding_window") or 0, shape["layers"] - shape["layers"] // pattern)


def qwen3(config: ConfigReader, shape: Traits) -> Traits:
    """Norms on each query and key head."""
    return attention_bias_everywhere(config, shape) | window_when_used(config, shape) | head_norm(shape)


def head_norm(shape: Traits) -> Traits:
    """One norm of a head's width for queries and one for keys."""
    return {"qk_norm_width": 2 * shape["head_dimension"]}


def width_norm(shape: Traits) -> Traits:
    """A norm over all query heads and one over all key heads."""
    return {"qk_norm_width": shape["head_dimension"] * (shape["attention_heads"] + shape["key_value_heads"])}


def experts(config: ConfigReader, shape: Traits, width: int, moe_layers: int, shared: float = 0) -> Traits:
    """The mixture part."""
    return {
        "experts": config.number("experts"),
        "experts_per_token": config.number("experts_per_token"),
        "expert_intermediate_size": width,
        "shared_experts": shared,
        "moe_layers": moe_layers,
    }


def sparse_step_layers(config: ConfigReader, shape: Traits) -> int:
    """Qwen: every decoder_sparse_step-th layer has experts, save those of mlp_only_layers."""
    step = config.number("decoder_sparse_step")
    only = {layer for layer in config.items("mlp_only_layers") if isinstance(layer, int)}
    return sum(1 for layer in range(shape["layers"]) if step and (layer + 1) % step == 0 and layer not in only)


def qwen2_moe(config: ConfigReader, shape: Traits) -> Traits:
    """Experts, one wide shared expert with a gate."""
    width = config.number("moe_intermediate_size")
    shared = config.optional("shared_expert_intermediate_size") or 0
    mixture = experts(config, shape, width, sparse_step_layers(config, shape), shared / width if width else 0)
    return (
        window_when_used(config, shape)
        | mixture
        | {"qkv_bias": config.flag("qkv_bias"), "shared_expert_gate": shared > 0}
    )


def qwen3_moe(config: ConfigReader, shape: Traits) -> Traits:
    """Qwen 3 with experts and no shared one."""
    config.refuse_if(
        config.optional("shared_expert_intermediate_size"), "it has a shared expert, which its class does not have"
    )
    mixture = experts(config, shape, config.number("moe_intermediate_size"), sparse_step_layers(config, shape))
    return qwen3(config, shape) | mixture


def hybrid(config: ConfigReader, shape: Traits) -> Traits:
    """Qwen3-Next and Qwen3.5: most layers have linear attention with a state, the others full attention with a gate."""
    kinds = config.items("layer_types")
    strange = sorted({str(kind) for kind in kinds} - {"full_attention", "linear_attention"})
    config.refuse_if(strange, f"its layers have '{', '.join(strange)[:60]}'; only full and linear attention are estimated")
    config.refuse_if(kinds and len(kinds) != shape["layers"], f"'layer_types' names {len(kinds)} layers of {shape['layers']}")
    linear = kinds.count("linear_attention")
    if not kinds:
        linear = shape["layers"] - shape["layers"] // (config.optional("full_attention_interval") or 4)
    key, value = config.number("linear_key_head_dim"), config.number("linear_value_head_dim")
    config.refuse_if(key != value, "its linear attention has keys and values of different width")
    heads = config.number("linear_num_value_heads")
    state = {
        "linear_layers": linear,
        "linear_key_width": config.number("linear_num_key_heads") * key,
        "linear_value_width": heads * value,
        "linear_value_heads": heads,
        "linear_head_dimension": value,
        "linear_convolution": config.number("linear_conv_kernel_dim"),
        "attention_output_gate": True,
    }
    mixture = _hybrid_experts(config, shape) if config.optional("experts") else {}
    return attention_bias_everywhere(config, shape) | head_norm(shape) | state | mixture


def _hybrid_experts(config: ConfigReader, shape: Traits) -> Traits:
    width = config.number("moe_intermediate_size")
    shared = config.optional("shared_expert_intermediate_size") or 0
    step = {"decoder_sparse_step": config.optional("decoder_sparse_step") or 1}
    layers = sparse_step_layers(ConfigReader(config.data, config.defaults | step), shape)
    mixture = experts(config, shape, width, layers, shared / width if width else 0)
    unused = shape["intermediate_size"] or width  # files of models without dense layers leave it out
    return mixture | {"shared_expert_gate": shared > 0, "intermediate_size": unused}


def llama4(config: ConfigReader, shape: Traits) -> Traits:
    """Three layers in four attend within chunks; experts in every layer or every other, with one shared expert."""
    layers, chunk = shape["layers"], config.optional("attention_chunk_size") or 0
    whole = config.items("no_rope_layers")
    config.refuse_if(whole and len(whole) != layers, f"'no_rope_layers' names {len(whole)} layers of {layers}")
    unchunked = sum(not flag for flag in whole) if whole else layers // (config.optional("no_rope_layer_interval") or 4)
    step = config.optional("interleave_moe_layer_step") or 1
    mixture = experts(config, shape, config.number("intermediate_size"), layers // step, 1)
    windows = {"sliding_window": chunk, "sliding_layers": layers - unchunked} if chunk and layers > unchunked else {}
    dense = {"intermediate_size": config.number("intermediate_size_mlp")}
    return attention_bias_everywhere(config, shape) | mixture | windows | dense


def mixtral(config: ConfigReader, shape: Traits) -> Traits:
    """All layers have experts of the written width."""
    return window_everywhere(config, shape) | experts(config, shape, shape["intermediate_size"], shape["layers"])


def gpt_oss(config: ConfigReader, shape: Traits) -> Traits:
    """Experts and router with biases, attention sinks."""
    mixture = experts(config, shape, shape["intermediate_size"], shape["layers"])
    return attention_bias_everywhere(config, shape) | every_other_layer(config, shape) | mixture


def olmoe(config: ConfigReader, shape: Traits) -> Traits:
    """All layers have experts; norms over the whole width of queries and keys."""
    mixture = experts(config, shape, shape["intermediate_size"], shape["layers"])
    return attention_bias_everywhere(config, shape) | mixture | width_norm(shape)


def minimax_m2(config: ConfigReader, shape: Traits) -> Traits:
    """As OLMoE, with a routing correction that is stored but not trained."""
    config.refuse_if(
        config.data.get("attn_type_list") and 0 in config.items("attn_type_list"), "it mixes linear and full attention"
    )
    return experts(config, shape, shape["intermediate_size"], shape["layers"]) | width_norm(shape)


def deepseek(config: ConfigReader, shape: Traits) -> Traits:
    """Latent attention (MLA), dense layers first, then experts with shared ones."""
    config.refuse_if(config.flag("attention_bias"), "it has biases in latent attention")
    config.refuse_if(
        config.data.get("index_topk"), "it selects tokens with an indexer (sparse attention), which is not estimated"
    )
    dense = config.optional("first_k_dense_replace") or 0
    step = config.data.get("moe_layer_freq", 1)
    config.refuse_if(not isinstance(step, int) or step < 1, "'moe_layer_freq' is not a whole number")
    moe = sum(1 for layer in range(shape["layers"]) if layer >= dense and layer % step == 0)
    mixture = experts(
        config, shape, config.number("moe_intermediate_size"), moe, config.optional("n_shared_experts") or 0
    )
    nope, rope = config.number("qk_nope_head_dim"), config.number("qk_rope_head_dim")
    latent = {
        "query_lora_rank": config.optional("q_lora_rank") or 0,
        "key_value_lora_rank": config.number("kv_lora_rank"),
        "nope_head_dimension": nope,
        "rope_head_dimension": rope,
        "head_dimension": nope + rope,
        "value_head_dimension": config.number("v_head_dim"),
        "key_value_heads": shape["attention_heads"],
    }
    return mixture | latent | {"multi_token_layers": config.optional("multi_token_layers") or 0}


def glm4_moe(config: ConfigReader, shape: Traits) -> Traits:
    """Dense layers first, then experts with a shared one."""
    dense = config.optional("first_k_dense_replace") or 0
    moe = max(0, shape["layers"] - dense)
    mixture = experts(
        config, shape, config.number("moe_intermediate_size"), moe, config.optional("n_shared_experts") or 0
    )
    norms = head_norm(shape) if config.flag("use_qk_norm") else {}
    extra = {"multi_token_layers": config.optional("multi_token_layers") or 0}
    return attention_bias_inside(config, shape) | mixture | norms | extra


def falcon(config: ConfigReader, shape: Traits) -> Traits:
    """Three generations: new_decoder_architecture counts key heads, multi_query has one, else as many as heads."""
    new, parallel = config.flag("new_decoder_architecture"), config.flag("parallel_attn")
    heads = shape["attention_heads"]
    key_value_heads = config.optional("key_value_heads") or heads if new else 1 if config.flag("multi_query") else heads
    norms = config.optional("num_ln_in_parallel_attn") or (2 if new else 1 if parallel else 2)
    bias = config.flag("bias")
    position = {"position": "alibi"} if config.flag("alibi") else {}
    return {
        "key_value_heads": key_value_heads,
        "norms_per_layer": norms,
        "qkv_bias": bias,
        "output_bias": bias,
        "mlp_bias": bias,
    } | position


def gpt_bigcode(config: ConfigReader, shape: Traits) -> Traits:
    """One key head when multi_query."""
    heads = 1 if config.flag("multi_query") else shape["attention_heads"]
    return {"key_value_heads": heads, "learned_positions": shape["maximum_context"]}


def gpt2(config: ConfigReader, shape: Traits) -> Traits:
    """A table of learned positions."""
    config.refuse_if(config.flag("add_cross_attention"), "it has cross-attention")
    return {"learned_positions": shape["maximum_context"]}


def opt(config: ConfigReader, shape: Traits) -> Traits:
    """Learned positions with two more rows than the context."""
    other = config.optional("word_embed_proj_dim")
    config.refuse_if(
        other and other != shape["hidden_size"], "its embeddings have a width of their own (word_embed_proj_dim)"
    )
    norm_last = config.defaults | {key: value for key, value in config.data.items() if value is not None}
    config.refuse_if(
        not norm_last["do_layer_norm_before"] or norm_last["_remove_final_layer_norm"], "it has no final norm"
    )
    bias = config.flag("enable_bias")
    return {"learned_positions": shape["maximum_context"] + 2, "qkv_bias": bias, "output_bias": bias, "mlp_bias": bias}


def phi(config: ConfigReader, shape: Traits) -> Traits:
    """Attention and feed-forward side by side behind one norm."""
    config.refuse_if(config.flag("qk_layernorm"), "it has layer norms on queries and keys")
    return {}


def starcoder2(config: ConfigReader, shape: Traits) -> Traits:
    """Biases everywhere, by one flag."""
    bias = config.flag("use_bias")
    return {"qkv_bias": bias, "output_bias": bias, "mlp_bias": bias} | window_everywhere(config, shape)


def seed_oss(config: ConfigReader, shape: Traits) -> Traits:
    """The output bias has a flag of its own."""
    return {
        "qkv_bias": config.flag("attention_bias"),
        "output_bias": config.flag("attention_out_bias"),
        "mlp_bias": config.flag("mlp_bias"),
    }


def cohere(config: ConfigReader, shape: Traits) -> Traits:
    """Norms without bias; query and key norms over all heads where they exist."""
    return attention_bias_everywhere(config, shape) | (width_norm(shape) if config.flag("use_qk_norm") else {})


def olmo2(config: ConfigReader, shape: Traits) -> Traits:
    """Norms over the whole width of queries and keys."""
    return attention_bias_everywhere(config, shape) | width_norm(shape)


def gemma3(config: ConfigReader, shape: Traits) -> Traits:
    """Four norms a layer, norms on heads."""
    return attention_bias_everywhere(config, shape) | all_but_every_sixth(config, shape) | head_norm(shape)


def gemma2(config: ConfigReader, shape: Traits) -> Traits:
    """Four norms a layer."""
    return attention_bias_everywhere(config, shape) | every_other_layer(config, shape)


def chatglm(config: ConfigReader, shape: Traits) -> Traits:
    """ChatGLM2, ChatGLM3 and GLM-4 in their own code."""
    config.refuse_if(
        config.data.get("position_encoding_2d") or not config.written("padded_vocab_size"), "it is the first ChatGLM"
    )
    config.refuse_if(
        not config.flag("rmsnorm") or not config.flag("post_layer_norm"), "its norms are not those of ChatGLM2"
    )
    config.refuse_if(config.flag("add_bias_linear"), "it has biases in its linear layers")
    groups = (
        config.number("multi_query_group_num") if config.flag("multi_query_attention") else shape["attention_heads"]
    )
    return {"key_value_heads": groups, "qkv_bias": config.flag("add_qkv_bias")}


def internlm2(config: ConfigReader, shape: Traits) -> Traits:
    """As Llama; one flag for the biases of attention."""
    bias = config.flag("bias")
    return {"qkv_bias": bias, "output_bias": bias}


def qwen(config: ConfigReader, shape: Traits) -> Traits:
    """The first Qwen writes the width of both gate matrices together; attention has a bias whatever no_bias says."""
    config.refuse_if(shape["intermediate_size"] % 2, "its intermediate_size is odd, so it is not the sum of two gates")
    return {"intermediate_size": shape["intermediate_size"] // 2}
