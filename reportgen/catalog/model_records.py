"""Records of language models and tokenizers."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import model_validator

from reportgen.catalog.record import Record


class ModelRecord(Record):
    """The architecture of a language model, as in its published config. Fields named *_b count 1e9 parameters."""

    name: str
    family: str
    layers: int
    hidden_size: int
    intermediate_size: int
    num_attention_heads: int
    num_key_value_heads: int
    head_dim: int
    vocab_size: int
    tie_word_embeddings: bool
    gated_mlp: bool
    max_position_embeddings: int
    published_params_b: float
    published_params_basis: Literal["hub_exact", "package_exact", "measured", "paper", "model_card", "implied"]
    published_params_source: str
    active_params_b: float | None = None
    hf_id: str | None = None
    norm_type: str = "rmsnorm"
    norms_per_layer: int = 2
    position_embedding: str = "rope"
    learned_position_count: int | None = None
    attention_type: str = "gqa"
    qkv_bias: bool = False
    o_bias: bool = False
    mlp_bias: bool = False
    lm_head_bias: bool = False
    qk_norm: bool = False
    embedding_norm: bool = False
    attention_sinks: bool = False
    sliding_window: int | None = None
    sliding_window_pattern: int | None = None
    num_experts: int | None = None
    experts_per_token: int | None = None
    moe_intermediate_size: int | None = None
    shared_experts: int = 0
    first_k_dense: int = 0
    moe_router_bias: bool = False
    moe_expert_bias: bool = False
    q_lora_rank: int | None = None
    kv_lora_rank: int | None = None
    qk_nope_head_dim: int | None = None
    qk_rope_head_dim: int | None = None
    v_head_dim: int | None = None
    num_nextn_predict_layers: int = 0
    linear_attention_layers: int = 0
    linear_key_heads: int | None = None
    linear_value_heads: int | None = None
    linear_head_dim: int | None = None
    linear_convolution: int | None = None
    attention_output_gate: bool = False
    shared_expert_gate: bool = False
    note: str | None = None
    source_key: str

    @classmethod
    def may_be_zero(cls) -> frozenset[str]:
        return frozenset({"shared_experts", "first_k_dense", "num_nextn_predict_layers", "linear_attention_layers"})

    @property
    def mixture_of_experts(self) -> bool:
        """Whether tokens are routed to experts."""
        return self.num_experts is not None


class TokenizerRecord(Record):
    """Measured density of a tokenizer: tokens a character, a word, and 1e9 tokens a GB of plain UTF-8 text."""

    name: str
    used_by: str
    vocab_size: int
    english_tokens_per_char: float
    english_tokens_per_word: float
    english_bytes_per_token: float
    english_b_tokens_per_gb: float
    chinese_tokens_per_char: float
    chinese_bytes_per_token: float
    chinese_b_tokens_per_gb: float
    chinese_mixed_tokens_per_char: float | None = None
    chinese_mixed_b_tokens_per_gb: float | None = None
    source_key: str


class TokenDensityRecord(Record):
    """A default for turning text into tokens when the tokenizer is not known: 1e9 tokens a GB."""

    b_tokens_per_gb: float | None = None
    range_low: float | None = None
    range_high: float | None = None
    note: str
    source_key: str


class PublishedRatioRecord(Record):
    """Ratios of characters, words and tokens as vendors print them; each number under its printed name in `values`."""

    values: dict[str, float]
    unit: str | None = None
    verified: bool = True
    source_key: str

    @model_validator(mode="before")
    @classmethod
    def _gather(cls, data: dict[str, Any]) -> dict[str, Any]:
        return gather_values(data, cls.model_fields)


def gather_values(data: dict[str, Any], known) -> dict[str, Any]:
    """Moves the numbers that no field is named after into `values`."""
    values = {key: value for key, value in data.items() if key not in known and isinstance(value, (int, float))}
    rest = {key: value for key, value in data.items() if key not in values}
    return {**rest, "values": {**values, **rest.get("values", {})}}
