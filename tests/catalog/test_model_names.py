"""Models are found under the names that people, hubs and benchmarks print."""

from __future__ import annotations

import pytest

from reportgen.catalog import load_catalog
from reportgen.catalog.names import fold
from reportgen.catalog.yaml_data import read_data
from reportgen.errors import ScenarioError
from reportgen.evaluation.accuracy.memory import memory_case
from reportgen.evaluation.accuracy.rows import MeasuredRow
from reportgen.evaluation.accuracy.shapes import architecture_of_row

CATALOG = load_catalog()
PRINTED = {
    "Llama2-7B": "llama-2-7b",
    "Llama3-8B": "llama-3-8b",
    "LLAMA3.1 8B": "llama-3.1-8b",
    "meta-llama/Llama-2-7b-hf": "llama-2-7b",
    "meta-llama/Meta-Llama-3.1-8B-Instruct": "llama-3.1-8b",
    "Qwen/Qwen2.5-7B-Instruct": "qwen2.5-7b",
    "google/gemma-2-9b-it": "gemma-2-9b",
    "mistralai/Mistral-7B-Instruct-v0.3": "mistral-7b-v0.3",
    "GPT3-6.7B": "gpt-3-6.7b",
    "GPT-3 175B": "gpt-3-175b",
    "GPT3-20B": "gpt3-20b",
    "GPT-2-small": "gpt2",
    "GPT2-XL": "gpt2-xl",
    "gpt_neox_20b": "gpt-neox-20b",
    "Mixtral 8x7B": "mixtral-8x7b",
    "OPT-1.3B": "opt-1.3b",
    "BLOOMZ": "bloom-176b",
    "Pythia-6.9B": "pythia-6.9b",
    "Vicuna-7B": "llama-2-7b",
    "Alpaca-7B": "llama-7b",
    "Zephyr-7B": "mistral-7b",
    "CodeLlama-7B": "codellama-7b",
    "DeepSeek-V3.1": "deepseek-v3",
    "deepseek-v32": "deepseek-v3.2",
    "deepseek-v3-2": "deepseek-v3.2",
    "deepseek-v3": "deepseek-v3",
    "Megatron-Turing-530B": "mt-nlg-530b",
    "Nemotron-4-22B": "nemotron-3-22b",
    "OLMo2-7B": "olmo-2-7b",
    "GLM-4.5-Air": "glm-4.5-air",
    "LLM360-K2": "k2-65b",
    "llama31_405b": "llama-3.1-405b",
    "Llama-3_3-70B": "llama-3.3-70b",
    "qwen25_7b": "qwen2.5-7b",
    "qwen2.5:7b": "qwen2.5-7b",
    "nemotron4_340b": "nemotron-4-340b",
    "phi3_mini_4k_instruct": "phi-3-mini",
    "llama2_70b_lora": "llama-2-70b",
    "opt13b": "opt-13b",
}
IN_ROWS = {
    name: key for name, key in PRINTED.items() if not name.endswith("-it") and "Meta-" not in name and ":" not in name
}
ROW = {
    "id": "row", "method": "lora", "optimizer": "AdamW", "precision": "bf16", "gpu": "A100-80GB", "n_gpus": "1", "tp": "1",
    "pp": "1", "zero_stage": "none", "offload": "none", "micro_batch": "1", "seq_len": "1024", "recompute": "full",
    "flash_attention": "yes", "peak_gib_per_gpu": "20", "framework": "torchtune", "source": "a b",
    "source_kind": "repo_table", "note": "", "outcome": "", "lora_rank": "8",
}  # fmt: skip


@pytest.mark.parametrize(("printed", "key"), PRINTED.items())
def test_a_printed_name_is_found(printed: str, key: str) -> None:
    assert CATALOG.find("model", printed).id == key


@pytest.mark.parametrize(("printed", "key"), IN_ROWS.items())
def test_rows_of_measured_runs_find_it_too(printed: str, key: str) -> None:
    found = architecture_of_row(MeasuredRow({"id": "row", "model": printed, "note": ""}, 2), CATALOG)
    assert found.source == f"catalog: {key}"


@pytest.mark.parametrize("printed", ["Llama2-7B", "LLAMA3.1 8B", "Qwen/Qwen2.5-7B-Instruct", "Vicuna-7B", "OLMo2-7B"])
def test_rows_of_measured_memory_find_it_too(printed: str) -> None:
    found = memory_case(MeasuredRow({**ROW, "model": printed}, 2), CATALOG)
    assert found.question.scenario.architecture.source == f"catalog: {PRINTED[printed]}"


@pytest.mark.parametrize("printed", ["OPT-350M", "Grok-1", "Nemotron-H-56B", "MiniMax-M1", "Chinchilla-70B", "llama"])
def test_a_model_whose_shape_cannot_be_told_is_not_guessed(printed: str) -> None:
    with pytest.raises(ScenarioError, match="unknown model"):
        CATALOG.find("model", printed)


def test_each_listed_alias_means_one_model_of_the_catalog() -> None:
    seen = {fold(key): key for key in CATALOG.models}
    for key, aliases in read_data("aliases")["models"].items():
        assert key in CATALOG.models
        for alias in aliases:
            assert seen.setdefault(fold(alias), key) == key, alias
            assert CATALOG.find("model", alias).id == key


def test_every_model_is_found_by_its_printed_name_and_its_place_on_the_hub() -> None:
    for key, record in CATALOG.models.items():
        for name in filter(None, (key, record.name, record.hf_id)):
            assert CATALOG.find("model", name).id == key, name
