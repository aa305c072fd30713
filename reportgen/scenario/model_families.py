"""How each Hugging Face model_type maps to an Architecture: class defaults, fixed traits, and what is peculiar to it.

Defaults are those of the configuration classes of transformers 5.24.0; families whose code lives beside the weights
(chatglm, baichuan, internlm2, qwen, minicpm) have none, so that a silent file is refused.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from reportgen.scenario import family_readers as reader
from reportgen.scenario.config_reader import ConfigReader
from reportgen.scenario.family_readers import Traits


@dataclass(frozen=True)
class Family:
    """One model_type: defaults by quantity or key, traits that never vary, and a reader of what varies."""

    defaults: Mapping[str, Any] = field(default_factory=dict)
    traits: Mapping[str, Any] = field(default_factory=dict)
    read: Callable[[ConfigReader, Traits], Traits] = lambda config, shape: {}


def _shape(
    vocabulary, hidden, layers, heads, context, intermediate=None, key_value_heads=None, **more
) -> dict[str, Any]:
    numbers = {"vocabulary_size": vocabulary, "hidden_size": hidden, "layers": layers, "attention_heads": heads}
    optional = {"maximum_context": context, "intermediate_size": intermediate, "key_value_heads": key_value_heads}
    return numbers | {name: value for name, value in optional.items() if value is not None} | more


QKV_BIAS = {"qkv_bias": True}
LAYER = {"norm": "layer", "gated_mlp": False}
LAYER_BIASED = LAYER | {"qkv_bias": True, "output_bias": True, "mlp_bias": True}
LEARNED = LAYER_BIASED | {"position": "learned"}
ROUTED = {"routing_buffer": True}
FOUR_NORMS = {"norms_per_layer": 4}
TIED = {"tie_word_embeddings": True}
GEMMA = TIED | {"head_dimension": 256, "sliding_window": 4096}
QWEN_WINDOW = {"sliding_window": 4096, "max_window_layers": 28}
QWEN_MIXTURE = QWEN_WINDOW | {"decoder_sparse_step": 1}
GLM_HEADS = {"head_dimension": 128, "attention_bias": True}
LLAMA_SHAPE = _shape(32000, 4096, 32, 32, 2048, 11008)
OLMO_SHAPE = _shape(50304, 4096, 32, 32, 2048, 11008)
LATENT = {"kv_lora_rank": 512, "q_lora_rank": 1536, "qk_nope_head_dim": 128, "qk_rope_head_dim": 64, "v_head_dim": 128}
DEEPSEEK_V2 = _shape(102400, 4096, 32, 32, 2048, 11008, **LATENT) | {
    "moe_intermediate_size": 1407,
    "experts": 64,
    "n_shared_experts": 2,
    "first_k_dense_replace": 0,
}
DEEPSEEK_V3 = _shape(129280, 7168, 61, 128, 4096, 18432, **LATENT) | {
    "moe_intermediate_size": 2048,
    "experts": 256,
    "experts_per_token": 8,
    "n_shared_experts": 1,
    "first_k_dense_replace": 3,
    "multi_token_layers": 1,
}
QWEN2_EXPERTS = {
    "moe_intermediate_size": 1408,
    "shared_expert_intermediate_size": 5632,
    "experts_per_token": 4,
    "experts": 60,
    "qkv_bias": True,
}
QWEN3_EXPERTS = {"moe_intermediate_size": 768, "experts_per_token": 8, "experts": 128}
GLM4_EXPERTS = {
    "moe_intermediate_size": 1408,
    "experts_per_token": 8,
    "experts": 128,
    "n_shared_experts": 1,
    "first_k_dense_replace": 1,
    "multi_token_layers": 1,
}
GPT_OSS = {
    "head_dimension": 64,
    "experts": 128,
    "experts_per_token": 4,
    "sliding_window": 128,
    "attention_bias": True,
}
GPT_OSS_TRAITS = {"expert_bias": True, "router_bias": True, "attention_sinks": True}
OPT = TIED | {"enable_bias": True, "do_layer_norm_before": True, "_remove_final_layer_norm": False}
FALCON = TIED | {"multi_query": True, "parallel_attn": True}

FAMILIES: dict[str, Family] = {
    "llama": Family(LLAMA_SHAPE, {}, reader.llama),
    "granite": Family(LLAMA_SHAPE, {}, reader.llama),
    "mistral": Family(_shape(32000, 4096, 32, 32, 131072, 14336, 8, sliding_window=4096), {}, reader.window_everywhere),
    "ministral3": Family(
        _shape(131072, 4096, 34, 32, 262144, 14336, 8, head_dimension=128), {}, reader.window_everywhere
    ),
    "mixtral": Family(
        _shape(32000, 4096, 32, 32, 131072, 14336, 8, experts=8, experts_per_token=2), {}, reader.mixtral
    ),
    "qwen2": Family(_shape(151936, 4096, 32, 32, 32768, 22016, 32, **QWEN_WINDOW), QKV_BIAS, reader.window_when_used),
    "qwen2_moe": Family(
        _shape(151936, 2048, 24, 16, 32768, 5632, 16, **QWEN_MIXTURE, **QWEN2_EXPERTS), {}, reader.qwen2_moe
    ),
    "qwen3": Family(
        _shape(151936, 4096, 32, 32, 32768, 22016, 32, head_dimension=128, **QWEN_WINDOW), {}, reader.qwen3
    ),
    "qwen3_moe": Family(
        _shape(151936, 2048, 24, 32, 32768, 6144, 4, **QWEN_MIXTURE, **QWEN3_EXPERTS), {}, reader.qwen3_moe
    ),
    "gemma": Family(_shape(256000, 3072, 28, 16, 8192, 24576, 16, **GEMMA), {}, reader.attention_bias_everywhere),
    "gemma2": Family(_shape(256000, 2304, 26, 8, 8192, 9216, 4, **GEMMA), FOUR_NORMS, reader.gemma2),
    "gemma3_text": Family(_shape(262208, 2304, 26, 8, 131072, 9216, 4, **GEMMA), FOUR_NORMS, reader.gemma3),
    "gpt2": Family(_shape(50257, 768, 12, 12, 1024, **TIED), LEARNED, reader.gpt2),
    "gpt_bigcode": Family(_shape(50257, 768, 12, 12, 1024, **TIED, multi_query=True), LEARNED, reader.gpt_bigcode),
    "gpt_neox": Family(
        _shape(50432, 6144, 44, 64, 2048, 24576, attention_bias=True),
        LAYER | {"mlp_bias": True},
        reader.attention_bias_everywhere,
    ),
    "gptj": Family(
        _shape(50400, 4096, 28, 16, 2048), LAYER | {"mlp_bias": True, "head_bias": True, "norms_per_layer": 1}
    ),
    "falcon": Family(_shape(65024, 4544, 32, 71, 2048, **FALCON), LAYER, reader.falcon),
    "bloom": Family({"vocabulary_size": 250880} | TIED, LAYER_BIASED | {"position": "alibi", "embedding_norm": True}),
    "opt": Family(_shape(50272, 768, 12, 12, 2048, 3072, **OPT), LAYER | {"position": "learned"}, reader.opt),
    "phi": Family(
        _shape(51200, 2048, 24, 32, 2048, 8192), LAYER_BIASED | {"norms_per_layer": 1, "head_bias": True}, reader.phi
    ),
    "phi3": Family(_shape(32064, 3072, 32, 32, 4096, 8192), {}, reader.window_everywhere),
    "starcoder2": Family(_shape(49152, 3072, 30, 24, 4096, 12288, 2, **TIED, use_bias=True), LAYER, reader.starcoder2),
    "deepseek_v2": Family(DEEPSEEK_V2, {}, reader.deepseek),
    "deepseek_v3": Family(DEEPSEEK_V3, ROUTED, reader.deepseek),
    "kimi_k2": Family(DEEPSEEK_V3 | {"multi_token_layers": 0}, ROUTED, reader.deepseek),
    "gpt_oss": Family(_shape(201088, 2880, 36, 64, 131072, 2880, 8, **GPT_OSS), GPT_OSS_TRAITS, reader.gpt_oss),
    "olmo": Family(OLMO_SHAPE, {"norm": "none"}, reader.attention_bias_everywhere),
    "olmo2": Family(OLMO_SHAPE, {}, reader.olmo2),
    "olmoe": Family(_shape(50304, 2048, 16, 16, 4096, 2048, experts=64, experts_per_token=8), {}, reader.olmoe),
    "cohere": Family(
        _shape(256000, 8192, 40, 64, 8192, 22528, **TIED),
        {"norm": "layer-without-bias", "norms_per_layer": 1},
        reader.cohere,
    ),
    "glm": Family(_shape(151552, 4096, 40, 32, 131072, 13696, 2, **GLM_HEADS), {}, reader.attention_bias_inside),
    "glm4": Family(
        _shape(151552, 4096, 40, 32, 131072, 13696, 2, **GLM_HEADS), FOUR_NORMS, reader.attention_bias_inside
    ),
    "glm4_moe": Family(_shape(151552, 4096, 46, 96, 131072, 10944, 8, **GLM4_EXPERTS), ROUTED, reader.glm4_moe),
    "minimax_m2": Family(
        _shape(200064, 3072, 62, 48, 196608, 1536, 8, head_dimension=128, experts=256, experts_per_token=8),
        ROUTED,
        reader.minimax_m2,
    ),
    "seed_oss": Family(_shape(155136, 4096, 64, 80, 524288, 27648, 8, **GLM_HEADS), {}, reader.seed_oss),
    "qwen3_next": Family({"intermediate_size": 0}, {}, reader.hybrid),
    "qwen3_5_text": Family({}, {}, reader.hybrid),
    "qwen3_5_moe_text": Family({"intermediate_size": 0}, {}, reader.hybrid),
    "llama4_text": Family({}, {}, reader.llama4),
    "chatglm": Family({}, {}, reader.chatglm),
    "baichuan": Family(),
    "internlm2": Family({}, {}, reader.internlm2),
    "qwen": Family({}, QKV_BIAS, reader.qwen),
    "minicpm": Family({}, {}, reader.llama),
}

HYBRID = ("qwen3_next", "qwen3_5_text", "qwen3_5_moe_text", "llama4_text")
NEED_TYING = frozenset({"chatglm", "baichuan", "internlm2", "qwen", "minicpm", *HYBRID})
FOUR_TIMES = frozenset({"gpt2", "gpt_bigcode", "gptj", "falcon", "bloom"})
