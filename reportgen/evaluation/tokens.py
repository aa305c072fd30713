"""Turning text into tokens: by the tokenizer of the model, measured on prose of the language."""

from __future__ import annotations

from reportgen.catalog import Catalog
from reportgen.catalog.model_records import TokenizerRecord
from reportgen.evaluation.draft import mapped
from reportgen.scenario import Scenario
from reportgen.scenario.serving_keys import TokenLength

GB = 1e9
FAMILIES = (  # beginning of a model's name -> tokenizer
    ("qwen", "qwen"),
    ("deepseek", "deepseek"),
    ("llama-3", "llama3"),
    ("llama 3", "llama3"),
    ("llama-2", "llama2"),
    ("llama 2", "llama2"),
    ("llama", "llama2"),
    ("codellama", "llama2"),
    ("mistral", "mistral_v1"),
    ("mixtral", "mistral_v1"),
    ("gpt-oss", "o200k_base"),
    ("gpt", "cl100k_base"),
)
DEFAULT_FAMILY = "qwen"


def tokenizer_of(scenario: Scenario, catalog: Catalog) -> tuple[TokenizerRecord, bool]:
    """The tokenizer that the scenario names, else that of the model's family; and whether it is a guess."""
    named = (scenario.data and scenario.data.tokenizer) or scenario.tokenizer
    if named:
        return catalog.find("tokenizers", named), False
    for name in (scenario.model_id or "", scenario.architecture.name, scenario.architecture.family):
        for beginning, tokenizer in FAMILIES:
            if name.lower().startswith(beginning) and tokenizer in catalog.tokenizers:
                return catalog.tokenizers[tokenizer], False
    return catalog.tokenizers[DEFAULT_FAMILY], True


def tokens_per_gigabyte(record: TokenizerRecord, language: str) -> float:
    """Tokens of 1e9 bytes of plain text."""
    mixed = record.chinese_mixed_b_tokens_per_gb or record.chinese_b_tokens_per_gb
    return (
        GB
        * {"en": record.english_b_tokens_per_gb, "zh": record.chinese_b_tokens_per_gb, "mixed": mixed}[language or "en"]
    )


def tokens_per_character(record: TokenizerRecord, language: str) -> float:
    """Tokens of a character of prose."""
    mixed = record.chinese_mixed_tokens_per_char or record.chinese_tokens_per_char
    return {"en": record.english_tokens_per_char, "zh": record.chinese_tokens_per_char, "mixed": mixed}[
        language or "en"
    ]


def length_in_tokens(length: TokenLength | None, record: TokenizerRecord):
    """A prompt or an answer in tokens; None stays None."""
    if length is None:
        return None
    if length.tokens is not None:
        return length.tokens
    return mapped(length.characters, lambda characters: characters * tokens_per_character(record, length.language))
