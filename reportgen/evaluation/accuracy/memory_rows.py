"""A row of measured training memory as a scenario: what it names, and what its framework does where it says nothing."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from reportgen.catalog import Catalog
from reportgen.catalog.names import fold
from reportgen.catalog.yaml_data import read_data
from reportgen.errors import ScenarioError
from reportgen.evaluation.accuracy.rows import MeasuredRow, Skipped, accelerator_of

COLUMNS = ("id", "model", "method", "gpu", "n_gpus", "micro_batch", "seq_len", "peak_gib_per_gpu", "framework")
OUT_OF_MEMORY = "OOM"
BOUNDS = ("MAX BATCH", "FITS")  # outcomes that are bounds and no peaks
NOT_MEASURED = ("published_estimate", "recalled (values) + issue")
FEW_TOKENS = 1e9  # memory does not depend on how much is read
LEARNED = {"full": "full", "lora": "lora", "qlora": "qlora", "freeze": "freeze"}
HEAD = 128  # channels of a head where a row gives a width alone


@dataclass(frozen=True)
class MemoryRow:
    """A row that can be estimated: the scenario, the layout it ran, and what its peak counts."""

    scenario: Mapping[str, Any]
    layout: Mapping[str, float]
    measure: str  # allocated, reserved or device
    method: str
    stack: str


@lru_cache(maxsize=1)
def knowledge() -> Mapping[str, Any]:
    """Frameworks and shapes that rows name."""
    return read_data("measured_memory")


def read_memory_row(row: MeasuredRow, catalog: Catalog) -> MemoryRow:
    """The scenario of a row. Raises Skipped with the reason when it cannot be expressed."""
    if row.text("source_kind") in NOT_MEASURED:
        raise Skipped("an estimate of the source, no measurement")
    if row.text("outcome").startswith(BOUNDS):
        raise Skipped("a bound, no peak")
    accelerator = accelerator_of(row, catalog)
    name, facts = framework_of(row)
    method, base = _method(row)
    sequence = row.positive("seq_len")
    if sequence is None:
        raise Skipped("seq_len is not stated")
    count = int(row.positive("n_gpus") or 1)
    model = _model(row, catalog)
    scenario: dict[str, Any] = {
        "title": row.id,
        "job": "fine-tuning",
        "model": model,
        "method": method,
        "data": {"tokens": FEW_TOKENS},
        "hardware": {"accelerators": [accelerator.id], "count": count},
        "sequence_length": int(sequence),
        "stack": facts["stack"],
        **facts.get("keys", {}),
    }
    if "learned_positions" not in str(model):
        scenario["job"] = "continued-pretraining" if method == "full" else "fine-tuning"
    scenario |= _formats(row, method, facts)
    if method in ("lora", "qlora"):
        scenario["lora"] = _lora(row, facts, base)
    if row.text("flash_attention") == "no":
        scenario["attention"] = "eager"
    elif row.text("flash_attention"):
        scenario["attention"] = "flash"
    if "iger" in row.text("note") and "without" not in row.text("note"):
        scenario["cross_entropy"] = "chunked"
    elif "Chunked CE" in row.text("note"):
        scenario["cross_entropy"] = "chunked"
    layout = _layout(row, count, method)
    keys = {key: value for key, value in {
        "tp": layout["tensor_parallel"], "pp": layout["pipeline_parallel"], "cp": layout["context_parallel"],
        "micro_batch": layout["micro_batch"], "zero": layout["zero_stage"],
    }.items()}  # fmt: skip
    scenario["layout"] = {key: int(value) for key, value in keys.items()}
    scenario["layout"]["recompute"] = _recompute(row, facts, method)
    offload = _offload(row)
    if offload:
        scenario["layout"]["offload"] = offload
    replicas = count // int(keys["tp"] * keys["pp"] * keys["cp"]) or 1
    steps = 1 if "device_map" in row.text("zero_stage") else max(1, 4 * int(keys["pp"]))
    scenario["global_batch"] = int(replicas * keys["micro_batch"] * steps)
    return MemoryRow(scenario, layout, facts["measure"], method, facts["stack"])


def framework_of(row: MeasuredRow) -> tuple[str, Mapping[str, Any]]:
    """The framework of a row by the beginning of its name. Raises Skipped for one that is not known."""
    word = fold(row.text("framework"))
    known = knowledge()["frameworks"]
    for name in sorted(known, key=len, reverse=True):
        if word.startswith(fold(name)):
            return name, known[name]
    raise Skipped(f"framework not known: {row.text('framework') or 'not stated'}")


def _method(row: MeasuredRow) -> tuple[str, str]:
    """Method, and for LoRA what is trained besides, for QLoRA the form of the base."""
    word = row.text("method").lower()
    precision = row.text("precision").lower()
    if word in ("full", "full (pure_bf16)"):
        return "full", ""
    if word in ("lora", "lora (mlp targets)", "lora+emb"):
        return "lora", ""
    if word.startswith("qlora"):
        forms = f"{word} {precision}"
        if "int8" in forms or "8-bit" in forms:
            return "qlora", "int8"
        return "qlora", "gptq" if "gptq" in forms else "nf4"
    raise Skipped(f"method outside the scenario: {row.text('method') or 'not stated'}")


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
    try:
        return catalog.find("models", plain).id
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
    if "megatron-deepspeed" in facts["stack"]:
        keys["gradient_precision"] = "fp16" if compute == "fp16" else "fp32"
    keys["precision"] = {"compute": compute}
    if facts.get("pure") and method == "full":
        keys["precision"] |= {"master": "none", "moments": "bf16"}
        keys["gradient_precision"] = "bf16"
    if "8bit" in optimizer:
        keys["optimizer"] = "adamw-8bit"
    if "paged" in optimizer:
        keys["optimizer"] = "paged-adamw-8bit" if "8bit" in optimizer else "paged-adamw"
    if "in backward" in optimizer or "in-backward" in optimizer:
        keys["gradient_precision"] = "in-backward"
    return keys


def _lora(row: MeasuredRow, facts: Mapping[str, Any], base: str) -> dict[str, Any]:
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
    if base:
        chosen["base"] = base
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
    if word.startswith("fsdp2") or word.startswith("fsdp for"):
        zero = 3.0
    if count == 1 and zero < 3:
        zero = 0.0
    return {
        "nodes": 1.0,
        "tensor_parallel": tensor,
        "pipeline_parallel": stages,
        "context_parallel": context,
        "expert_parallel": row.positive("ep") or 1.0,
        "micro_batch": row.positive("micro_batch") or 1.0,
        "zero_stage": zero,
    }


def _recompute(row: MeasuredRow, facts: Mapping[str, Any], method: str) -> str:
    word = row.text("recompute").lower()
    for known in ("none", "selective", "full"):
        if word.startswith(known):
            return known
    if facts["stack"] in ("megatron", "nemo", "megatron-bridge"):
        return "none"
    return "full" if facts["stack"] != "litgpt" else "none"


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


def distance(predicted: float, measured: float) -> float:
    """Error as the logarithm of predicted over measured."""
    return math.log(predicted / measured)
