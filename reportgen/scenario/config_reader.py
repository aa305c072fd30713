"""Reads numbers and flags of a Hugging Face config.json, by any of the names that its family uses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

LARGEST_NUMBER = 10**9
NAMES = {
    "layers": ("num_hidden_layers", "n_layer", "num_layers", "n_layers"),
    "hidden_size": ("hidden_size", "n_embd", "n_embed", "d_model"),
    "attention_heads": ("num_attention_heads", "n_head", "num_heads", "n_heads"),
    "key_value_heads": ("num_key_value_heads", "num_kv_heads"),
    "head_dimension": ("head_dim", "kv_channels"),
    "intermediate_size": ("intermediate_size", "n_inner", "ffn_hidden_size", "ffn_dim"),
    "vocabulary_size": ("padded_vocab_size", "vocab_size"),
    "maximum_context": (
        "max_position_embeddings",
        "n_positions",
        "n_ctx",
        "seq_length",
        "max_sequence_length",
        "model_max_length",
    ),
    "experts": ("num_local_experts", "num_experts", "n_routed_experts"),
    "experts_per_token": ("num_experts_per_tok", "experts_per_token"),
    "multi_token_layers": ("num_nextn_predict_layers", "num_mtp_layers"),
}


class ConfigError(ValueError):
    """A config.json that cannot be read exactly; the text is the sentence for the user."""

    def __init__(self, message: str, fix: str = "", code: str = "config"):
        super().__init__(message)
        self.message, self.fix, self.code = message, fix, code


class ConfigReader:
    """The mapping of a config.json with the defaults of its class. `null` counts as absent."""

    def __init__(self, data: Mapping[str, Any], defaults: Mapping[str, Any] | None = None):
        self.data = data
        self.defaults = dict(defaults or {})

    def written(self, quantity: str) -> bool:
        """Whether the file mentions the quantity at all, even as null."""
        return any(name in self.data for name in NAMES.get(quantity, (quantity,)))

    def raw(self, quantity: str) -> Any:
        """The value in the file under any of its names, or None."""
        for name in NAMES.get(quantity, (quantity,)):
            if self.data.get(name) is not None:
                return self.data[name]
        return None

    def optional(self, quantity: str) -> int | None:
        """A whole number; the class default when the file is silent; None when it says null or nobody knows."""
        value = self.raw(quantity)
        if value is None:
            value = None if self.written(quantity) else self.defaults.get(quantity)
        return None if value is None else self._whole(quantity, value)

    def number(self, quantity: str) -> int:
        """A whole number that must exist, in the file or as the class default."""
        value = self.raw(quantity)
        value = self.defaults.get(quantity) if value is None else value
        if value is None:
            names = NAMES.get(quantity, (quantity,))
            raise ConfigError(
                f"it has no '{names[0]}', and its class has no default that is known",
                f'add "{names[0]}"',
                "config-incomplete",
            )
        return self._whole(quantity, value)

    def flag(self, name: str) -> bool:
        """A yes or no; the class default when the file is silent, and no without a default."""
        value = self.data.get(name)
        value = self.defaults.get(name, False) if value is None else value
        if not isinstance(value, bool):
            raise ConfigError(f"'{name}' is {value!r}, not true or false", code="config-value")
        return value

    def word(self, name: str) -> str:
        """A text, or empty."""
        value = self.data.get(name)
        return value if isinstance(value, str) else ""

    def items(self, name: str) -> list:
        """A list, or an empty one."""
        value = self.data.get(name)
        return value if isinstance(value, list) else []

    def mapping(self, name: str) -> dict[str, Any]:
        """A mapping, or an empty one."""
        value = self.data.get(name)
        return value if isinstance(value, dict) else {}

    def refuse_if(self, condition: Any, reason: str) -> None:
        """Stops when the file has something that the formulas do not cover."""
        if condition:
            raise ConfigError(reason, "spell out an architecture, or take a model of the catalog", "config-unsupported")

    @staticmethod
    def _whole(quantity: str, value: Any) -> int:
        whole = isinstance(value, int | float) and not isinstance(value, bool) and value == value
        if not whole or abs(value) > LARGEST_NUMBER or value != int(value) or value < 0:
            raise ConfigError(
                f"'{NAMES.get(quantity, (quantity,))[0]}' is {str(value)[:40]!r}, not a whole number",
                code="config-value",
            )
        return int(value)
