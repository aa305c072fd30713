"""A row of measured training memory as a scenario: what it names, and what its framework does where it says nothing."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from reportgen.catalog import Catalog
from reportgen.catalog.names import fold
from reportgen.catalog.yaml_data import read_yaml
from reportgen.errors import ScenarioError
from reportgen.evaluation.accuracy.rows import MEASUREMENTS, MeasuredRow, Skipped, accelerator_of

COLUMNS = ("id", "model", "method", "gpu", "n_gpus", "micro_batch", "seq_len", "peak_gib_per_gpu", "framework")
OUT_OF_MEMORY = "OOM"
BOUNDS = ("MAX BATCH", "FITS")  # outcomes that are bounds and no peaks
NOT_MEASURED = ("published_estimate", "recalled (values) + issue")
FEW_TOKENS = 1e9  # memory does not depend on how much is read
HEAD = 128  # channels of a head where a row gives a width alone


@dataclass(frozen=True)
class MemoryRow:
    """A row that can be estimated: the scenario, the layout it ran, and what its peak counts."""

    scenario: Mapping[str, Any]
    layout: Mapping[str, float]
    measure: str  # allocated, reserved or device
    method: str
    first_stage: bool = False  # the figure was read where only the first stages of the pipeline run


@lru_cache(maxsize=1)
def knowledge() -> Mapping[str, Any]:
    """Frameworks and shapes that rows name."""
    return read_yaml(MEASUREMENTS / "memory_of_frameworks.yaml")


def read_memory_row(row: MeasuredRow, catalog: Catalog) -> MemoryRow:
    """The scenario of a row. Raises Skipped with the reason when it cannot be expressed."""
    if row.text("source_kind") in NOT_MEASURED:
        raise Skipped("an estimate of the source, not a measurement")
    if row.text("outcome").startswith(BOUNDS):
        raise Skipped("a bound, not a peak")
    accelerator = accelerator_of(row, catalog)
    facts = framework_of(row)
    method = _method(row)
    count = int(row.positive("n_gpus") or 1)
    layout = _layout(row, count, method)
    replicas = count // int(layout["tensor_parallel"] * layout["pipeline_parallel"] * layout["context_parallel"]) or 1
    in_turns = "device_map" in row.text("zero_stage")  # one micro-batch walks through the stages
    steps = 1 if in_turns else max(1, 4 * int(layout["pipeline_parallel"]))
    scenario: dict[str, Any] = {
        "title": row.id,
        "job": "continued-pretraining",
        "model": _model(row, catalog),
        "method": method,
        "data": {"tokens": FEW_TOKENS},
        "hardware": {"accelerators": [accelerator.id], "count": count},
        "sequence_length": int(row.needed("seq_len")),
        "global_batch": int(replicas * (row.positive("micro_batch") or 1) * steps),
        "stack": _stack(row, facts),
        "layout": _layout_keys(row, layout, facts),
        **facts.get("keys", {}),
        **_formats(row, method, facts),
    }
    if method in ("lora", "qlora"):
        scenario["lora"] = _lora(row, facts)
    if row.text("flash_attention"):
        scenario["attention"] = "eager" if row.text("flash_attention") == "no" else "flash"
    scenario |= _loss(row)
    overrides = dict(facts.get("overrides", {}))
    if "Liger" in row.text("note") and "without Liger" not in row.text("note"):
        overrides["eager_kernels"] = 0
    if row.text("framework").startswith("LitGPT") and row.text("zero_stage").startswith("FSDP"):
        overrides["unsplit_gradients"] = 1
    if in_turns:
        overrides["communication_memory_gib"] = 0
    if overrides:
        scenario["overrides"] = overrides
    return MemoryRow(scenario, layout, facts["measure"], method, _first_stage(row, layout))


def _first_stage(row: MeasuredRow, layout: Mapping[str, float]) -> bool:
    """Whether a figure misses the last stage of its pipeline; running out is an event of any stage."""
    if row.text("outcome") == OUT_OF_MEMORY or layout["pipeline_parallel"] <= 1:
        return False
    return row.text("source").startswith(tuple(knowledge()["first_node_only"]))


def _loss(row: MeasuredRow) -> dict[str, str]:
    note = row.text("note")
    if "Chunked CE" in note:
        return {"cross_entropy": "chunked"}
    if "with Liger" in note or "+ Liger" in note:
        return {"cross_entropy": "fused-linear"}
    if any(word in note for word in ("without Liger", '"Baseline"', "Packed Dataset", '"+ Compile"')):
        return {"cross_entropy": "standard"}
    return {}


def framework_of(row: MeasuredRow) -> Mapping[str, Any]:
    """The framework of a row by the beginning of its name; one that is not known is what a blank of a user would be."""
    word = fold(row.text("framework"))
    known = knowledge()["frameworks"]
    for name in sorted(known, key=len, reverse=True):
        if word.startswith(fold(name)):
            return known[name]
    return knowledge()["unknown_framework"]


def _stack(row: MeasuredRow, facts: Mapping[str, Any]) -> str:
    """Transformers under DeepSpeed behave as DeepSpeed does."""
    word = row.text("zero_stage").lower()
    if facts["stack"] in ("hf", "peft", "trl", "llama-factory", "axolotl") and ("zero" in word or "deepspeed" in word):
        return "deepspeed"
    return facts["stack"]


def _method(row: MeasuredRow) -> str:
    word = row.text("method").lower()
    if word in ("full", "full (pure_bf16)"):
        return "full"
    if word in ("lora", "lora (mlp targets)", "lora+emb"):
        return "lora"
    if word.startswith("qlora"):
        return "qlora"
    raise Skipped(f"method outside the scenario: {row.text('method') or 'not stated'}")


def _base(row: MeasuredRow) -> str:
    """The form of a quantised base."""
    forms = f"{row.text('method')} {row.text('precision')}".lower()
    if "int8" in forms or "8-bit" in forms:
        return "int8"
    return "gptq" if "gptq" in forms else "nf4"


def _model(row: MeasuredRow, catalog: Catalog) -> Any:
    name = row.text("model")
    plain = re.sub(r"\s*\(.*\)$", "", name)
    shapes = {fold(key): shape for key, shape in knowledge()["shapes"].items()}
    if row.positive("layers") and row.positive("hidden"):
        return _spelled(row)
    if fold(plain) in shapes:
        return shapes[fold(plain)]
    width = re.search(r"hidden (\d+)", row.text("note"))
    if width:
        return _gpt(row, float(width[1]))
    names = {fold(key): name for key, name in knowledge()["names"].items()}
    names |= {fold(key): name for key, name in read_yaml(MEASUREMENTS / "names_of_rows.yaml")["models"].items()}
    try:
        return catalog.find("models", names.get(fold(plain), plain)).id
    except ScenarioError:
        raise Skipped(f"model not known: {name or 'not stated'}") from None


def _spelled(row: MeasuredRow) -> dict[str, Any]:
    names = {"layers": "layers", "hidden": "hidden_size", "heads": "attention_heads", "kv_heads": "key_value_heads",
             "ffn": "intermediate_size", "vocab": "vocabulary_size"}  # fmt: skip
    return {key: int(value) for column, key in names.items() if (value := row.positive(column))}


def _gpt(row: MeasuredRow, width: float) -> dict[str, Any]:
    """A GPT by its width: layers from the note or from the parameters, the vocabulary of BLOOM."""
    note, vocabulary = row.text("note"), 250880
    layers = re.search(r"layers (\d+)", note)
    heads = re.search(r"heads (\d+)", note)
    count = float(layers[1]) if layers else (row.needed("params_b") * 1e9 - vocabulary * width) / (12 * width**2)
    stages = int(row.positive("pp") or 1)
    tensor = int(row.positive("tp") or 1)
    number = int(heads[1]) if heads else max(tensor, round(width / HEAD / tensor) * tensor)
    while width % number or number % tensor:
        number -= 1
    return {
        "layers": max(stages, round(count)), "hidden_size": int(width), "attention_heads": number,
        "head_dimension": int(width // number), "intermediate_size": int(4 * width), "vocabulary_size": vocabulary,
        "tied_embeddings": True, "gated_mlp": False, "norm": "layer", "qkv_bias": True, "output_bias": True,
        "mlp_bias": True, "maximum_context": 2048,
    }  # fmt: skip


def _formats(row: MeasuredRow, method: str, facts: Mapping[str, Any]) -> dict[str, Any]:
    precision = row.text("precision").lower()
    optimizer = row.text("optimizer").lower()
    keys: dict[str, Any] = {}
    compute = "fp16" if precision.startswith("fp16") else "fp32" if precision.startswith("fp32") else "bf16"
    if facts["stack"] == "megatron-deepspeed" and compute == "fp16":
        keys["gradient_precision"] = "fp16"
    keys["precision"] = {"compute": compute}
    sharded = row.text("zero_stage").lower()
    if facts.get("pure") in (True, method) and "zero" not in sharded and "deepspeed" not in sharded:
        keys["precision"] |= {"master": "none"}
        if method == "full" and "8bit" not in optimizer:
            keys["precision"]["moments"] = "bf16"
        keys["gradient_precision"] = "bf16"
    if "8bit" in optimizer:
        keys["optimizer"] = "adamw-8bit"
    if "paged" in optimizer:
        keys["optimizer"] = "paged-adamw-8bit" if "8bit" in optimizer else "paged-adamw"
    low_memory = "low-memory" in row.text("note") and row.positive("n_gpus") == 1
    if "in backward" in optimizer or "in-backward" in optimizer or low_memory:
        keys["gradient_precision"] = "none"
    return keys


def _lora(row: MeasuredRow, facts: Mapping[str, Any]) -> dict[str, Any]:
    chosen = dict(facts.get("lora") or {})
    rank = row.positive("lora_rank")
    if rank:
        chosen["rank"] = int(rank)
    word = f"{row.text('method')} {row.text('note')}".lower()
    if "mlp targets" in word:
        chosen["targets"] = ["mlp"]
    elif "all linear" in word or "lora_target all" in word:
        chosen["targets"] = ["all"]
    if row.text("method").lower() == "lora+emb":
        chosen["embeddings"] = True
    if row.text("method").lower().startswith("qlora"):
        chosen["base"] = _base(row)
    return chosen


def _layout(row: MeasuredRow, count: int, method: str) -> dict[str, float]:
    tensor, stages, context = (row.positive(column) or 1.0 for column in ("tp", "pp", "cp"))
    word = row.text("zero_stage").lower()
    zero = 0.0
    if found := re.search(r"(?:zero-?)?([0-3])(?!\d)", word):
        zero = float(found[1])
    elif "shard_grad_op" in word:
        zero = 2.0
    elif "fsdp" in word:
        zero = 3.0
    elif "deepspeed" in word or "zero" in word:
        zero = 3.0 if method == "full" else 2.0
    elif not word and count > 1 and tensor * stages == 1:
        zero = 3.0
    if zero == 3.0 and stages > 1:  # FSDP within stages keeps weights and gradients whole
        zero = 1.0
    if word.startswith("fsdp for"):  # sharded for full training; the configurations of adapters name one device
        zero = 3.0 if method == "full" else 0.0
    elif word.startswith("fsdp2"):
        zero = 3.0
    if count == 1 and zero < 3:
        zero = 0.0
    return {
        "nodes": 1.0,
        "tensor_parallel": tensor,
        "pipeline_parallel": stages,
        "context_parallel": context,
        "expert_parallel": row.positive("ep") or 1.0,
        "zero_stage": zero,
    }


def _layout_keys(row: MeasuredRow, layout: Mapping[str, float], facts: Mapping[str, Any]) -> dict[str, Any]:
    names = {"tp": "tensor_parallel", "pp": "pipeline_parallel", "cp": "context_parallel", "zero": "zero_stage"}
    keys: dict[str, Any] = {key: int(layout[name]) for key, name in names.items()}
    keys["recompute"] = _recompute(row, facts)
    micro_batch, offload = row.positive("micro_batch"), _offload(row)
    if micro_batch:
        keys["micro_batch"] = int(micro_batch)
    if offload:
        keys["offload"] = offload
    return keys


def _recompute(row: MeasuredRow, facts: Mapping[str, Any]) -> str:
    word = row.text("recompute").lower()
    for known in ("none", "selective", "full"):
        if word.startswith(known):
            return known
    if facts["stack"] in ("megatron", "nemo", "megatron-bridge"):
        return "none"
    return "none" if row.text("framework").startswith("LitGPT") else "full"


def _offload(row: MeasuredRow) -> str:
    word = row.text("offload").lower()
    if not word or word == "none":
        return ""
    if word.startswith("activations"):
        return "activations"
    if word.startswith("optimizer"):
        return "optimizer"
    if "param" in word or "cpu" in word:
        return "parameters"
    return ""
