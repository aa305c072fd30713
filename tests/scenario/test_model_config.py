"""What is read from a model's name, shape or config.json, against exact counts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml

from reportgen.catalog import load_catalog
from reportgen.errors import ScenarioError
from reportgen.scenario.config_reader import ConfigError
from reportgen.scenario.model_config import (
    architecture_of_config,
    architecture_of_fields,
    architecture_of_file,
    architecture_of_record,
)
from reportgen.scenario.model_families import FAMILIES
from reportgen.scenario.model_keys import Model
from tests.scenario.counted_otherwise import COUNTED_OTHERWISE
from tests.scenario.parameter_count import parameter_count

DATA = Path(__file__).parent / "data"
EXACT = yaml.safe_load((DATA / "exact_counts.yaml").read_text())
CONFIGS = yaml.safe_load((DATA / "configs.yaml").read_text())
MODELS = load_catalog().models


@pytest.mark.parametrize("name", EXACT)
def test_spelled_out_shape_has_the_exact_count(name):
    case = EXACT[name]
    assert parameter_count(architecture_of_fields(Model(**case["model"]))) == case["parameters"]


@pytest.mark.parametrize("name", CONFIGS)
def test_config_has_the_exact_count(name):
    case = CONFIGS[name]
    assert parameter_count(architecture_of_config(case["config"])) == case["parameters"]


@pytest.mark.parametrize("name", MODELS)
def test_catalog_model_has_its_published_count(name):
    record = MODELS[name]
    shape = architecture_of_record(name, record)
    count = parameter_count(shape) + COUNTED_OTHERWISE.get(name, 0)
    exact = record.published_params_basis in ("hub_exact", "package_exact", "measured")
    assert count / 1e9 == pytest.approx(record.published_params_b, rel=1e-9 if exact else 0.03)


def test_every_family_can_be_read_or_says_what_it_lacks():
    for kind in FAMILIES:
        try:
            assert parameter_count(architecture_of_config({"model_type": kind})) > 0
        except ConfigError as error:
            assert error.message


REFUSED = {
    "no model_type": ({"hidden_size": 768}, "model_type"),
    "encoder-decoder": ({"model_type": "t5"}, "encoder-decoder"),
    "flagged encoder-decoder": ({"model_type": "llama", "is_encoder_decoder": True}, "encoder-decoder"),
    "encoder": ({"model_type": "bert"}, "encoders"),
    "state space": ({"model_type": "mamba2"}, "state-space"),
    "hybrid": ({"model_type": "nemotron_h"}, "hybrid"),
    "unknown": ({"model_type": "brand_new"}, "never guessed"),
    "multimodal": ({"model_type": "gemma3", "text_config": {"model_type": "gemma3_text"}}, "multimodal"),
    "multimodal without nesting": ({"model_type": "glm4v", "vision_config": {"depth": 24}}, "multimodal"),
    "layers of their own": ({"model_type": "llama", "block_configs": [{}]}, "block_configs"),
    "linear attention layers": ({"model_type": "qwen3", "layer_types": ["linear_attention"] * 32}, "linear_attention"),
    "sparse attention": ({"model_type": "deepseek_v3", "index_topk": 2048}, "indexer"),
    "side file": ({"producer": {}, "quantization": {}}, "side file"),
    "first chatglm": (
        {"model_type": "chatglm", "position_encoding_2d": True, "tie_word_embeddings": False},
        "lacks|no '",
    ),
    "silent remote code": ({"model_type": "baichuan", "tie_word_embeddings": False}, "num_hidden_layers"),
    "tying unknown": ({"model_type": "minicpm"}, "tie_word_embeddings"),
    "heads do not divide": ({"model_type": "llama", "num_attention_heads": 33}, "multiple"),
    "key heads do not divide": ({"model_type": "llama", "num_key_value_heads": 5}, "evenly"),
    "text for a number": ({"model_type": "llama", "hidden_size": "4096"}, "whole number"),
    "flag for a number": ({"model_type": "llama", "hidden_size": True}, "whole number"),
    "not a number": ({"model_type": "llama", "hidden_size": float("nan")}, "whole number"),
    "infinite": ({"model_type": "llama", "hidden_size": float("inf")}, "whole number"),
    "negative": ({"model_type": "llama", "num_hidden_layers": -3}, "whole number"),
    "zero": ({"model_type": "llama", "num_hidden_layers": 0}, "outside"),
    "number for a flag": ({"model_type": "llama", "tie_word_embeddings": 1}, "true or false"),
    "more active than there are": ({"model_type": "mixtral", "num_experts_per_tok": 9}, "cannot visit"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_refused_with_a_sentence(name):
    config, words = REFUSED[name]
    with pytest.raises(ConfigError, match=words):
        architecture_of_config(config)


def test_null_is_absent_but_keeps_a_window_away():
    assert architecture_of_config({"model_type": "mistral"}).sliding_layers == 32
    assert architecture_of_config({"model_type": "mistral", "sliding_window": None}).sliding_layers == 0
    assert architecture_of_config({"model_type": "llama", "head_dim": None}).head_dimension == 128
    assert architecture_of_config({"model_type": "llama", "num_key_value_heads": None}).key_value_heads == 32


WINDOWS = {
    "qwen2 switched off": ({"model_type": "qwen2", "sliding_window": 131072, "use_sliding_window": False}, 0, 0),
    "qwen2 upper layers": ({"model_type": "qwen2", "use_sliding_window": True, "max_window_layers": 28}, 4096, 4),
    "gemma2 every other": ({"model_type": "gemma2"}, 4096, 13),
    "gemma3 five of six": ({"model_type": "gemma3_text"}, 4096, 22),
    "gpt_oss every other": ({"model_type": "gpt_oss"}, 128, 18),
    "layer types count": (
        {"model_type": "gpt_oss", "num_hidden_layers": 2, "layer_types": ["full_attention", "sliding_attention"]},
        128,
        1,
    ),
}


@pytest.mark.parametrize("name", WINDOWS)
def test_sliding_windows(name):
    config, window, layers = WINDOWS[name]
    shape = architecture_of_config(config)
    assert (shape.sliding_window, shape.sliding_layers) == (window, layers)


QUANTIZED = {
    "fp8": {"quant_method": "fp8", "weight_block_size": [128, 128]},
    "mxfp4": {"quant_method": "mxfp4"},
    "int4": {"quant_method": "gptq", "bits": 4, "group_size": 128},
    "int8": {"quant_method": "bitsandbytes", "load_in_8bit": True},
    "nvfp4": {"quantization": {"quant_algo": "NVFP4"}},
}


@pytest.mark.parametrize("form", QUANTIZED)
def test_quantized_checkpoints_keep_their_block(form):
    shape = architecture_of_config({"model_type": "llama", "quantization_config": QUANTIZED[form]})
    assert shape.quantization_format == form
    assert shape.quantization == QUANTIZED[form]


def test_compressed_tensors_name_bits_and_kind():
    def block(kind, bits):
        group = {"weights": {"num_bits": bits, "type": kind}}
        return {"quantization_config": {"quant_method": "compressed-tensors", "config_groups": {"group_0": group}}}

    assert architecture_of_config({"model_type": "llama"} | block("int", 4)).quantization_format == "int4"
    assert architecture_of_config({"model_type": "llama"} | block("float", 8)).quantization_format == "fp8"


def test_side_file_of_quantization_is_read(tmp_path):
    (tmp_path / "config.json").write_text(json.dumps({"model_type": "llama"}))
    (tmp_path / "hf_quant_config.json").write_text(json.dumps({"producer": {}, "quantization": {"quant_algo": "FP8"}}))
    shape = architecture_of_file(tmp_path)
    assert shape.quantization_format == "fp8"
    assert shape.name == tmp_path.name


BROKEN_JSON = {
    "comma": '{"a": 1,}',
    "list": "[1]",
    "deep": "[" * 100_000,
    "empty": "",
    "digits": '{"a": ' + "9" * 5000 + "}",
}


@pytest.mark.parametrize("name", BROKEN_JSON)
def test_broken_json_is_an_error_and_no_crash(name, tmp_path):
    file = tmp_path / "config.json"
    file.write_text(BROKEN_JSON[name])
    with pytest.raises(ScenarioError):
        architecture_of_file(file)


def test_features_and_quantities_agree():
    dense = architecture_of_config({"model_type": "llama"})
    assert dense.features() == {"mha_gqa", "dense", "gated", "untied", "rms_norm"}
    assert "experts" not in dense.quantities()
    latent = architecture_of_config({"model_type": "deepseek_v3"})
    assert {"mla", "moe", "dense_layers", "shared_experts", "query_lora", "multi_token"} <= latent.features()
    numbers = latent.quantities()
    assert numbers["moe_layers"] + numbers["dense_layers"] == numbers["layers"] == 61
    assert numbers["head_dimension"] == numbers["nope_head_dimension"] + numbers["rope_head_dimension"] == 192
    learned = architecture_of_config({"model_type": "gpt2"})
    assert {"learned_positions", "ungated", "tied", "layer_norm"} <= learned.features()
    assert learned.quantities()["position_embeddings"] == 1024
    for shape in (dense, latent, learned):
        assert all(isinstance(value, float) for value in shape.quantities().values())
