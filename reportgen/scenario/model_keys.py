"""The `model:` key: a name of the catalog, a config.json, or the architecture spelled out."""

from __future__ import annotations

from pydantic import Field

from reportgen.scenario.fields import Flag, Length, Name, Text, Whole, WholeOrZero, word
from reportgen.scenario.training_keys import Keys


class Model(Keys):
    """One of three: `id`, `config`, or the fields of an architecture (layers, hidden_size, ...)."""

    id: Name | None = Field(None, description="model of the catalog")
    config: Text | None = Field(None, description="path of a Hugging Face config.json")
    name: Text | None = Field(None, description="name to print")
    layers: Whole | None = Field(None, description="transformer layers")
    hidden_size: Whole | None = Field(None, description="width")
    attention_heads: Whole | None = Field(None, description="query heads")
    key_value_heads: Whole | None = Field(None, description="key and value heads; as many as query heads by default")
    head_dimension: Whole | None = Field(None, description="width of a head; hidden_size / attention_heads by default")
    intermediate_size: Whole | None = Field(None, description="width of the feed-forward part")
    vocabulary_size: Whole | None = Field(None, description="tokens of the vocabulary")
    maximum_context: Length | None = Field(None, description="longest sequence in tokens")
    tied_embeddings: Flag | None = Field(None, description="whether input and output embeddings are one matrix")
    gated_mlp: Flag | None = Field(None, description="whether the feed-forward part has a gate (SwiGLU)")
    norm: word("rms", "layer", rmsnorm="rms", layernorm="layer") | None = Field(None, description="rms or layer")
    norms_per_layer: Whole | None = Field(None, description="norms of a layer")
    learned_positions: Whole | None = Field(None, description="rows of a learned position table; none means rotary")
    qkv_bias: Flag | None = Field(None, description="bias on query, key, value")
    output_bias: Flag | None = Field(None, description="bias on the attention output")
    mlp_bias: Flag | None = Field(None, description="bias in the feed-forward part")
    qk_norm: Flag | None = Field(None, description="norm on each query and key head")
    sliding_window: Whole | None = Field(None, description="tokens that a sliding layer sees")
    sliding_layers: WholeOrZero | None = Field(None, description="layers with a sliding window; all by default")
    experts: Whole | None = Field(None, description="experts of a mixture layer")
    experts_per_token: Whole | None = Field(None, description="experts that a token visits")
    expert_intermediate_size: Whole | None = Field(None, description="width of an expert")
    shared_experts: WholeOrZero | None = Field(None, description="experts that every token visits")
    dense_layers: WholeOrZero | None = Field(None, description="layers without experts, at the front")
    query_lora_rank: Whole | None = Field(None, description="latent attention: rank of the query projection")
    key_value_lora_rank: Whole | None = Field(None, description="latent attention: rank of the cached latent")
    nope_head_dimension: Whole | None = Field(None, description="latent attention: head width without positions")
    rope_head_dimension: Whole | None = Field(None, description="latent attention: head width with positions")
    value_head_dimension: Whole | None = Field(None, description="latent attention: width of a value head")


NEEDED_FIELDS = ("layers", "hidden_size", "attention_heads", "intermediate_size", "vocabulary_size")
