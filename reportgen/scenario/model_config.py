"""The `model:` key into an Architecture: a record of the catalog, the fields as spelled out, or a config.json."""

from __future__ import annotations

import json
from collections.abc import Mapping
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from reportgen.errors import Place, ScenarioError
from reportgen.scenario.architecture import Architecture
from reportgen.scenario.config_reader import ConfigError, ConfigReader
from reportgen.scenario.model_families import FAMILIES, FOUR_TIMES, NEED_TYING
from reportgen.scenario.model_keys import NEEDED_FIELDS, Model
from reportgen.scenario.yaml_text import read_text

REFUSED_TYPES = {
    "encoder-decoder models": "t5 mt5 umt5 longt5 bart mbart pegasus marian m2m_100 led whisper",
    "encoders": "bert roberta xlm-roberta deberta deberta-v2 electra albert distilbert modernbert vit clip",
    "state-space and hybrid models": "mamba mamba2 falcon_mamba falcon_h1 jamba bamba zamba zamba2 nemotron_h "
    "plamo2 lfm2 granitemoehybrid recurrent_gemma rwkv rwkv7 gla retnet kimi_linear minimax",
    "models whose layers differ": "nemotron-nas deci openelm mimo_v2_flash gemma3n_text gemma4_text",
}
WIDE_NORMS = ("cohere", "minimax")  # their norms of queries and keys span all heads
WIDEST = {
    "layers": 10_000,
    "hidden_size": 10**6,
    "attention_heads": 10**5,
    "intermediate_size": 10**7,
    "vocabulary_size": 10**8,
}


def architecture_of(model: Model, record: Any = None, folder: Path | None = None) -> Architecture:
    """The architecture of a `model:` value; `record` is the catalog's when the value is an id.

    Raises ConfigError on numbers that cannot be used, ScenarioError on a file that cannot be read.
    """
    if model.id is not None:
        return architecture_of_record(model.id, record)
    if model.config is not None:
        return architecture_of_file((folder or Path()) / model.config, model.name)
    return architecture_of_fields(model)


def architecture_of_record(name: str, record: Any) -> Architecture:
    """A model of the catalog."""
    experts = record.num_experts or 0
    latent = record.attention_type == "mla"
    heads = record.num_attention_heads
    width = (
        record.qk_norm and (heads + record.num_key_value_heads if record.family in WIDE_NORMS else 2) * record.head_dim
    )
    return Architecture(
        name=record.name,
        family=record.family,
        source=f"catalog: {name}",
        layers=record.layers,
        hidden_size=record.hidden_size,
        attention_heads=heads,
        key_value_heads=record.num_key_value_heads,
        head_dimension=record.head_dim,
        value_head_dimension=record.v_head_dim or record.head_dim,
        intermediate_size=record.intermediate_size,
        vocabulary_size=record.vocab_size,
        maximum_context=record.max_position_embeddings,
        tied_embeddings=record.tie_word_embeddings,
        gated_mlp=record.gated_mlp,
        qkv_bias=record.qkv_bias,
        output_bias=record.o_bias,
        mlp_bias=record.mlp_bias,
        head_bias=record.lm_head_bias,
        qk_norm_width=int(width),
        norm={"rmsnorm": "rms", "layernorm": "layer", "layernorm_no_bias": "layer-without-bias"}[record.norm_type],
        norms_per_layer=record.norms_per_layer,
        embedding_norm=record.embedding_norm,
        position=record.position_embedding,
        learned_positions=record.learned_position_count or 0,
        sliding_window=record.sliding_window or 0,
        sliding_layers=_sliding_layers(record),
        experts=experts,
        experts_per_token=record.experts_per_token or 0,
        expert_intermediate_size=record.moe_intermediate_size or 0,
        shared_experts=record.shared_experts,
        moe_layers=record.layers - record.first_k_dense if experts else 0,
        expert_bias=record.moe_expert_bias,
        router_bias=record.moe_router_bias and not latent,
        routing_buffer=record.moe_router_bias and latent,
        attention_sinks=record.attention_sinks,
        query_lora_rank=record.q_lora_rank or 0,
        key_value_lora_rank=record.kv_lora_rank or 0,
        nope_head_dimension=record.qk_nope_head_dim or 0,
        rope_head_dimension=record.qk_rope_head_dim or 0,
        multi_token_layers=record.num_nextn_predict_layers,
        shared_expert_gate=record.shared_expert_gate,
        **_linear_attention(record),
    )


def _linear_attention(record: Any) -> dict[str, Any]:
    if not record.linear_attention_layers:
        return {}
    return {
        "linear_layers": record.linear_attention_layers,
        "linear_key_width": record.linear_key_heads * record.linear_head_dim,
        "linear_value_width": record.linear_value_heads * record.linear_head_dim,
        "linear_value_heads": record.linear_value_heads,
        "linear_head_dimension": record.linear_head_dim,
        "linear_convolution": record.linear_convolution,
        "attention_output_gate": record.attention_output_gate,
    }


def _sliding_layers(record: Any) -> int:
    if not record.sliding_window:
        return 0
    pattern = record.sliding_window_pattern
    return record.layers - record.layers // pattern if pattern else record.layers


def architecture_of_fields(model: Model) -> Architecture:
    """The architecture spelled out in the scenario."""
    missing = [name for name in NEEDED_FIELDS if getattr(model, name) is None]
    if missing:
        raise ConfigError(f"the architecture lacks '{missing[0]}'", f"write {', '.join(missing)}", "model-incomplete")
    given = {name: value for name, value in model.model_dump().items() if value is not None}
    heads = model.attention_heads
    latent = model.key_value_lora_rank is not None
    nope, rope = given.get("nope_head_dimension", 0), given.get("rope_head_dimension", 0)
    if latent and not (nope and rope):
        raise ConfigError(
            "latent attention lacks 'nope_head_dimension' or 'rope_head_dimension'",
            "write both",
            "model-incomplete",
        )
    head = nope + rope if latent else given.get("head_dimension") or _head_dimension(model.hidden_size, heads)
    experts = given.get("experts", 0)
    if experts and model.experts_per_token is None:
        raise ConfigError(
            "the mixture lacks 'experts_per_token'", "write how many experts a token visits", "model-incomplete"
        )
    window = given.get("sliding_window", 0)
    direct = {
        name: given[name]
        for name in (
            "maximum_context", "tied_embeddings", "gated_mlp", "qkv_bias", "output_bias", "mlp_bias", "norm",
            "norms_per_layer", "learned_positions", "sliding_window", "experts", "experts_per_token",
            "shared_experts", "query_lora_rank", "key_value_lora_rank", "nope_head_dimension",
            "rope_head_dimension",
        )
        if name in given
    }  # fmt: skip
    shape = {name: given[name] for name in NEEDED_FIELDS}
    return sound(
        Architecture(
            name=model.name or "model",
            family="spelled-out",
            source="scenario",
            key_value_heads=heads if latent else given.get("key_value_heads", heads),
            head_dimension=head,
            value_head_dimension=given.get("value_head_dimension", head),
            qk_norm_width=2 * head if given.get("qk_norm") else 0,
            position="learned" if given.get("learned_positions") else "rope",
            sliding_layers=given.get("sliding_layers", model.layers) if window else 0,
            expert_intermediate_size=given.get("expert_intermediate_size", model.intermediate_size) if experts else 0,
            moe_layers=max(0, model.layers - given.get("dense_layers", 0)) if experts else 0,
            **shape,
            **direct,
        )
    )


def _head_dimension(hidden_size: int, heads: int) -> int:
    if not heads or hidden_size % heads:
        raise ConfigError(
            f"the width {hidden_size} is not a multiple of its {heads} heads",
            "write the width of a head",
            "model-contradiction",
        )
    return hidden_size // heads


def sound(architecture: Architecture) -> Architecture:
    """The same architecture; ConfigError when its numbers contradict each other."""
    for name, most in WIDEST.items():
        value = getattr(architecture, name)
        if not 1 <= value <= most:
            raise ConfigError(
                f"{name.replace('_', ' ')} is {value}, outside 1 .. {most}", "check the number", "model-contradiction"
            )
    heads, shared = architecture.attention_heads, architecture.key_value_heads
    rules = (
        (architecture.key_value_heads < 1, "there are no key and value heads"),
        (shared and heads % shared, f"{heads} query heads cannot share {shared} key and value heads evenly"),
        (architecture.head_dimension < 1 or architecture.value_head_dimension < 1, "a head has no width"),
        (
            architecture.experts_per_token > architecture.experts,
            f"a token cannot visit {architecture.experts_per_token} of {architecture.experts} experts",
        ),
        (architecture.experts and not architecture.experts_per_token, "no expert is active"),
        (architecture.experts and not architecture.expert_intermediate_size, "the experts have no width"),
        (architecture.experts and not architecture.moe_layers, "no layer has experts"),
        (
            architecture.sliding_layers > architecture.layers,
            f"{architecture.sliding_layers} of {architecture.layers} layers cannot slide",
        ),
        (architecture.is_mla and not architecture.rope_head_dimension, "latent attention lacks its head widths"),
    )
    for broken, sentence in rules:
        if broken:
            raise ConfigError(sentence, "check the numbers of the model", "model-contradiction")
    return architecture


def architecture_of_file(path: Path, name: str | None = None) -> Architecture:
    """The architecture in a Hugging Face config.json (or the folder that holds it)."""
    file = path / "config.json" if path.is_dir() else path
    data = read_json(file)
    beside = file.parent / "hf_quant_config.json"
    if not data.get("quantization_config") and beside != file and beside.is_file():
        data = data | {"quantization_config": read_json(beside)}
    return architecture_of_config(data, str(file), name)


def read_json(file: Path) -> dict[str, Any]:
    """The mapping in a JSON file; ScenarioError with line and column when it is not one."""
    text = read_text(file)
    here = Place(file=str(file))
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        lines = text.splitlines() or [""]
        shown = lines[min(error.lineno, len(lines)) - 1][:160]
        place = Place(str(file), error.lineno, error.colno, "", shown)
        raise ScenarioError.of(
            "json-syntax", f"this is not JSON: {error.msg}", "check commas and quotes", place
        ) from None
    except (RecursionError, ValueError):
        raise ScenarioError.of(
            "json-syntax",
            "this JSON is nested too deep or holds a number that is too long",
            "is this the right file?",
            here,
        ) from None
    if not isinstance(data, dict):
        raise ScenarioError.of(
            "json-not-a-mapping", "a config.json is a mapping in braces", "is this the right file?", here
        )
    return data


def architecture_of_config(
    data: Mapping[str, Any], source: str = "config.json", name: str | None = None
) -> Architecture:
    """The architecture of a config mapping. ConfigError says in a sentence why one is refused."""
    kind = data.get("model_type")
    _refuse_nested(data)
    if not isinstance(kind, str) or not kind:
        _refuse_untyped(data)
    if data.get("is_encoder_decoder") is True:
        raise _refused(kind, "encoder-decoder models")
    if kind not in FAMILIES:
        _refuse_type(kind)
    family = FAMILIES[kind]
    config = ConfigReader(data, family.defaults)
    if kind in NEED_TYING and "tie_word_embeddings" not in data:
        raise ConfigError(
            "it does not say 'tie_word_embeddings', and its class has no known default",
            'add "tie_word_embeddings"',
            "config-incomplete",
        )
    config.refuse_if(data.get("block_configs"), "it describes each layer by itself (block_configs)")
    shape = _common(config, kind)
    traits = dict(family.traits) | family.read(config, shape)
    shown = name or _name_of(data, source)
    return sound(Architecture(**({"name": shown, "family": kind, "source": source} | shape | traits)))


def _common(config: ConfigReader, kind: str) -> dict[str, Any]:
    layers, hidden, heads = (config.number(name) for name in ("layers", "hidden_size", "attention_heads"))
    intermediate = config.optional("intermediate_size")
    if intermediate is None and kind in FOUR_TIMES:
        intermediate = 4 * hidden
    latent = "kv_lora_rank" in config.defaults
    head = 1 if latent else config.optional("head_dimension") or _head_dimension(hidden, heads)
    quantization = config.mapping("quantization_config") or config.mapping("compression_config")
    return {
        "layers": layers,
        "hidden_size": hidden,
        "attention_heads": heads,
        "key_value_heads": config.optional("key_value_heads") or heads,
        "head_dimension": head,
        "value_head_dimension": head,
        "intermediate_size": config.number("intermediate_size") if intermediate is None else intermediate,
        "vocabulary_size": config.number("vocabulary_size"),
        "maximum_context": config.optional("maximum_context") or 0,
        "tied_embeddings": config.flag("tie_word_embeddings"),
        "dtype": config.word("torch_dtype") or config.word("dtype"),
        "quantization": quantization,
    }


def _name_of(data: Mapping[str, Any], source: str) -> str:
    written = data.get("_name_or_path")
    if isinstance(written, str) and written.strip("/. "):
        return Path(written.strip()).name or written
    file = Path(source)
    return file.parent.name or file.stem if file.stem == "config" else file.stem


def _refuse_nested(data: Mapping[str, Any]) -> None:
    for key in ("text_config", "llm_config", "llm_cfg", "language_config", "thinker_config"):
        if isinstance(data.get(key), dict):
            message = (
                f"it is a multimodal model: beside its language model ('{key}') it has parts that are not estimated"
            )
            fix = "take a language model of the catalog"
            if data[key].get("model_type") in FAMILIES:
                fix = (
                    f"to estimate the language model alone, save the mapping under '{key}' as a config.json of its own"
                )
            raise ConfigError(message, fix, "config-multimodal")
    if data.get("vision_config") or data.get("audio_config"):
        message = "it is a multimodal model: its vision or audio part is not estimated"
        raise ConfigError(message, "take the language model of the family", "config-multimodal")


def _refuse_untyped(data: Mapping[str, Any]) -> None:
    if "quantization" in data and "producer" in data:
        raise ConfigError(
            "it is a side file about quantization, not an architecture",
            "name the config.json beside it",
            "config-unsupported",
        )
    raise ConfigError(
        "it has no 'model_type', so nobody can tell what its numbers mean", 'add "model_type"', "config-unsupported"
    )


def _refused(kind: str, group: str) -> ConfigError:
    return ConfigError(
        f"'{kind}' belongs to {group}, which are not estimated", "take a decoder-only transformer", "config-unsupported"
    )


def _refuse_type(kind: str) -> None:
    for group, members in REFUSED_TYPES.items():
        if kind in members.split():
            raise _refused(kind, group)
    nearest = get_close_matches(kind, FAMILIES, 1, 0.8)
    message = f"the model_type '{kind[:40]}' is not known, and an unknown architecture is never guessed"
    fix = (
        f"if it is built exactly like '{nearest[0]}', write that model_type"
        if nearest
        else "spell out the architecture under 'model:'"
    )
    raise ConfigError(message, fix, "config-unsupported")
