"""One frozen description of a decoder-only transformer, whatever file or name it came from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

NORM_WEIGHTS_PER_CHANNEL = {"rms": 1, "layer": 2, "layer-without-bias": 1, "none": 0}


@dataclass(frozen=True)
class Architecture:
    """Counts are dimensionless whole numbers; widths are channels; booleans say whether a part exists.

    `experts` is 0 in a dense model; `key_value_lora_rank` is above 0 in a model with latent attention (MLA), whose
    `head_dimension` is `nope_head_dimension + rope_head_dimension`. `moe_layers + dense_layers == layers`.
    `maximum_context` is 0 when nobody says it. `multi_token_layers` stand outside `layers`.
    """

    name: str
    family: str
    source: str
    layers: int
    hidden_size: int
    attention_heads: int
    key_value_heads: int
    head_dimension: int
    value_head_dimension: int
    intermediate_size: int
    vocabulary_size: int
    maximum_context: int = 0
    tied_embeddings: bool = False
    gated_mlp: bool = True
    qkv_bias: bool = False
    output_bias: bool = False
    mlp_bias: bool = False
    head_bias: bool = False
    qk_norm_width: int = 0  # weights of the query norm plus those of the key norm, a layer
    norm: str = "rms"  # a key of NORM_WEIGHTS_PER_CHANNEL
    norms_per_layer: int = 2
    embedding_norm: bool = False
    position: str = "rope"  # rope, learned or alibi
    learned_positions: int = 0
    sliding_window: int = 0
    sliding_layers: int = 0
    experts: int = 0
    experts_per_token: int = 0
    expert_intermediate_size: int = 0
    shared_experts: float = 0  # in experts of expert_intermediate_size
    shared_expert_gate: bool = False
    moe_layers: int = 0
    expert_bias: bool = False
    router_bias: bool = False
    routing_buffer: bool = False  # a correction a expert that is stored but not trained by gradients
    attention_sinks: bool = False
    query_lora_rank: int = 0
    key_value_lora_rank: int = 0
    nope_head_dimension: int = 0
    rope_head_dimension: int = 0
    multi_token_layers: int = 0
    linear_layers: int = 0  # layers with linear attention, which keep a state of constant size and no cache
    linear_key_width: int = 0
    linear_value_width: int = 0
    linear_value_heads: int = 0
    linear_head_dimension: int = 0
    linear_convolution: int = 0
    attention_output_gate: bool = False  # a gate as wide as the queries on the output of full attention
    dtype: str = ""
    quantization: Mapping[str, Any] = field(default_factory=dict)

    @property
    def dense_layers(self) -> int:
        """Layers whose feed-forward part has no experts."""
        return self.layers - self.moe_layers

    @property
    def is_mla(self) -> bool:
        """Whether keys and values are cached as one latent."""
        return self.key_value_lora_rank > 0

    @property
    def is_moe(self) -> bool:
        """Whether any layer has experts."""
        return self.moe_layers > 0

    @property
    def quantization_format(self) -> str:
        """The number format of a quantized checkpoint (fp8, int4, int8, nvfp4, mxfp4), or empty."""
        return quantized_format(self.quantization)

    def features(self) -> frozenset[str]:
        """What formulas ask for with `when=`."""
        chosen = {
            "mla" if self.is_mla else "mha_gqa",
            "moe" if self.is_moe else "dense",
            "gated" if self.gated_mlp else "ungated",
            "tied" if self.tied_embeddings else "untied",
            "rms_norm" if self.norm == "rms" else "layer_norm",
        }
        optional = {
            "dense_layers": self.is_moe and self.dense_layers > 0,
            "shared_experts": self.shared_experts > 0,
            "shared_expert_gate": self.shared_expert_gate,
            "expert_bias": self.expert_bias,
            "router_bias": self.router_bias,
            "attention_sinks": self.attention_sinks,
            "query_lora": self.query_lora_rank > 0,
            "sliding_window": self.sliding_layers > 0,
            "learned_positions": self.learned_positions > 0,
            "embedding_norm": self.embedding_norm,
            "head_bias": self.head_bias,
            "qk_norm": self.qk_norm_width > 0,
            "multi_token": self.multi_token_layers > 0,
            "linear_attention": self.linear_layers > 0,
        }
        return frozenset(chosen | {name for name, present in optional.items() if present})

    def quantities(self) -> dict[str, float]:
        """Numeric inputs by name: always the first block, the others only where they apply."""
        numbers = {name: getattr(self, name) for name in ALWAYS}
        numbers["norm_weights_per_channel"] = NORM_WEIGHTS_PER_CHANNEL[self.norm]
        numbers["qk_norm"] = self.qk_norm_width > 0
        for condition, names in WHERE_PRESENT.items():
            if getattr(self, condition):
                numbers |= {name: getattr(self, name) for name in names}
        if self.learned_positions:
            numbers["position_embeddings"] = self.learned_positions
        return {name: float(value) for name, value in numbers.items()}


ALWAYS = (
    "layers", "hidden_size", "attention_heads", "key_value_heads", "head_dimension", "value_head_dimension",
    "intermediate_size", "vocabulary_size", "dense_layers", "moe_layers", "norms_per_layer", "qkv_bias",
    "output_bias", "mlp_bias",
)  # fmt: skip
WHERE_PRESENT = {
    "is_moe": ("experts", "experts_per_token", "expert_intermediate_size", "shared_experts"),
    "shared_expert_gate": ("shared_expert_gate",),
    "expert_bias": ("expert_bias",),
    "router_bias": ("router_bias",),
    "is_mla": ("key_value_lora_rank", "nope_head_dimension", "rope_head_dimension"),
    "query_lora_rank": ("query_lora_rank",),
    "sliding_layers": ("sliding_window", "sliding_layers"),
    "qk_norm_width": ("qk_norm_width",),
    "attention_sinks": ("attention_sinks",),
    "embedding_norm": ("embedding_norm",),
    "head_bias": ("head_bias",),
    "multi_token_layers": ("multi_token_layers",),
    "linear_layers": (
        "linear_layers", "linear_key_width", "linear_value_width", "linear_value_heads", "linear_head_dimension",
        "linear_convolution", "attention_output_gate",
    ),
}  # fmt: skip


def quantized_format(block: Mapping[str, Any]) -> str:
    """The number format that a quantization block of a config.json names, or empty when it is not known."""
    inner = block.get("quantization") if isinstance(block.get("quantization"), dict) else block
    method = str(inner.get("quant_method") or inner.get("quant_algo") or "").lower()
    if method in ("fp8", "mxfp4", "nvfp4", "fbgemm_fp8"):
        return method.removeprefix("fbgemm_")
    bits = inner.get("bits") or (
        4 if inner.get("load_in_4bit") else 8 if inner.get("load_in_8bit") else _group_bits(inner)
    )
    if bits in (4, 8) and method != "modelopt":
        return "fp8" if bits == 8 and _group_is_float(inner) else f"int{bits}"
    for known in ("nvfp4", "mxfp4", "fp8", "int4", "int8"):
        if known in method:
            return known
    return ""


def _group_weights(block: Mapping[str, Any]) -> Mapping[str, Any]:
    groups = block.get("config_groups")
    for group in groups.values() if isinstance(groups, dict) else ():
        if isinstance(group, dict) and isinstance(group.get("weights"), dict):
            return group["weights"]
    return {}


def _group_bits(block: Mapping[str, Any]) -> int | None:
    bits = _group_weights(block).get("num_bits")
    return bits if isinstance(bits, int) else None


def _group_is_float(block: Mapping[str, Any]) -> bool:
    return _group_weights(block).get("type") == "float"
