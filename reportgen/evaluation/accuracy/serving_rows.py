"""A row of measured serving: model, formats, layout and load, with what published benchmarks say of their settings."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from reportgen.catalog import Catalog
from reportgen.catalog.hardware_records import AcceleratorRecord
from reportgen.catalog.names import fold, model_aliases
from reportgen.catalog.yaml_data import read_yaml
from reportgen.evaluation.accuracy.rows import MEASUREMENTS, MeasuredRow, Skipped, accelerator_of
from reportgen.evaluation.inference_inputs import attention_format
from reportgen.scenario.architecture import Architecture
from reportgen.scenario.model_config import architecture_of_record

COLUMNS = ("id", "model", "gpu", "tp", "precision", "isl", "osl", "batch_or_concurrency", "metric", "value", "engine")
FORMATS = (  # part of a word -> format of the weights; the first that is found
    ("nvfp4", "nvfp4"), ("mxfp4", "mxfp4"), ("fp4", "nvfp4"), ("fp8", "fp8"), ("int8", "int8"), ("w8a8", "int8"),
    ("int4", "int4"), ("awq", "int4"), ("gptq", "int4"), ("w4a16", "int4"), ("16", "bf16"), ("nan", "bf16"), ("auto", "bf16"),
)  # fmt: skip
CACHE_BYTES = {"": 0.0, "nan": 0.0, "auto": 0.0, "none": 0.0, "16": 2.0, "fp8": 1.0, "e4m3": 1.0, "e5m2": 1.0, "int8": 1.0, "int4": 0.5}
MXFP4_FAMILIES = ("gpt-oss",)
RATES = ("output_tok_s", "total_tok_s", "input_tok_s", "req_s")
GROUPS = re.compile(r"attnDP=(\d+) moeTP=([\d.]+) moeEP=([\d.]+)")
TABLE_GROUPS = re.compile(r"attention-DP \+ EP (\d+)")
STAGES = re.compile(r"\bpp=(\d+)")
LIBRARY = re.compile(r"first token latency|static inference|static batch|single batch")
NOT_STATED = ("", "nan")
ROUNDS_OF_LENGTHS = 0.9  # InferenceX draws lengths between 0.8 and 1.0 of the nominal


@dataclass(frozen=True)
class ServingRow:
    """A row that can be estimated. `users` is NaN where the rate is the most that the deployment reaches."""

    id: str
    metric: str
    measured: float
    model: str
    architecture: Architecture
    accelerator: AcceleratorRecord
    engine: str
    version: str
    weights: str
    attention: str
    cache_bytes: float
    gpus: float
    groups: float
    expert_groups: float
    replicas: float
    prompt_tokens: float
    answer_tokens: float
    users: float
    draft_tokens: float
    in_process: bool
    suspect: str

    @property
    def is_rate(self) -> bool:
        """Whether the row tells tokens or requests a second."""
        return self.metric in RATES

    @property
    def group(self) -> str:
        """Models of one shape belong together when some are held out."""
        name = self.model
        for beginning, group in (("deepseek-v3", "deepseek"), ("deepseek-r1", "deepseek"), ("kimi", "kimi")):
            if name.startswith(beginning):
                return group
        size = {"llama-2-70b": "70B", "llama-3.1-70b": "70B", "llama-3.3-70b": "70B"}.get(name)
        small = {"llama-3.1-8b": "8B", "mistral-7b": "8B", "llama-2-7b": "7B", "llama-7b": "7B"}.get(name)
        return size or small or ("gpt-oss" if name.startswith("gpt-oss") else name)


@lru_cache(maxsize=1)
def settings() -> Mapping[str, Any]:
    """What rows leave unsaid."""
    return read_yaml(MEASUREMENTS / "serving_settings.yaml")


def read_serving_row(row: MeasuredRow, catalog: Catalog) -> ServingRow:
    """A row with its settings. Raises Skipped with the reason when it cannot be expressed."""
    note, metric = row.text("note"), row.text("metric").casefold()
    if note.startswith("disagg") or " disagg" in note:
        raise Skipped("prefill and decode pools whose sizes are not stated")
    if metric not in (*RATES, "tpot_ms", "ttft_ms"):
        raise Skipped(f"metric not estimated: {metric or 'not stated'}")
    measured = row.needed("value")
    model = _model(row.text("model"), catalog)
    record = catalog.models[model]
    architecture = architecture_of_record(model, record)
    accelerator = accelerator_of(row, catalog)
    engine, version = _engine(row), row.text("engine_version")
    version = "" if version in NOT_STATED else version
    users = _users(row, metric)
    prompt, answer = _lengths(row, note)
    gpus, groups, expert_groups, replicas = _layout(row, note)
    weights = _weights(row, record.family, accelerator)
    facts = {
        "model": model, "engine": engine, "family": accelerator.family, "precision": row.text("precision"),
        "version": version, "accelerator": accelerator.id, "metric": metric,
    }  # fmt: skip
    if not gpus:
        gpus, replicas = _smallest(architecture, weights, accelerator, row)
    if not 1 <= groups <= gpus:
        raise Skipped("groups of a replica do not fit its GPUs: not what ran")
    if architecture.attention_heads % (gpus / groups):
        raise Skipped("GPUs of a replica do not divide the heads: not what ran")
    return ServingRow(
        id=row.id, metric=metric, measured=measured, model=model, architecture=architecture, accelerator=accelerator,
        engine=engine, version=version, weights=weights, attention=attention_format(architecture, weights),
        cache_bytes=_cache_bytes(row, note, facts), gpus=gpus, groups=groups, expert_groups=expert_groups,
        replicas=replicas, prompt_tokens=prompt, answer_tokens=answer, users=users,
        draft_tokens=_drafted(note, facts, gpus, groups, expert_groups), in_process=bool(LIBRARY.search(note)),
        suspect=_suspect(facts, users),
    )  # fmt: skip


def _model(printed: str, catalog: Catalog) -> str:
    if not printed:
        raise Skipped("model is not stated")
    names = {fold(name): key for name, key in settings()["models"].items()}
    aliases = model_aliases(catalog.models)
    word = fold(printed.rpartition("/")[2] if printed.count("/") == 1 and " " not in printed else printed)
    for beginning in settings()["name_beginnings"]:
        word = word.removeprefix(f"{beginning}-")  # of a benchmark or a maker
    spellings = [fold(printed), word]
    for _ in settings()["name_endings"]:
        for ending in settings()["name_endings"]:
            if spellings[-1].endswith(ending):
                spellings.append(spellings[-1].removesuffix(ending))
    known = {**{key: key for key in catalog.models}, **aliases, **names}
    for spelling in spellings:
        if known.get(spelling) in catalog.models:
            return known[spelling]
    longer = [name for name in known if word.startswith(f"{name}-") and known[name] in catalog.models]
    if longer:
        return known[max(longer, key=len)]
    raise Skipped(f"model not in the catalog: {printed}")


def _engine(row: MeasuredRow) -> str:
    word = row.text("engine").casefold()
    return next((name for start, name in settings()["engines"].items() if word.startswith(start)), "")


def _users(row: MeasuredRow, metric: str) -> float:
    cell = row.text("batch_or_concurrency")
    if cell.casefold() == "max":
        if metric not in RATES:
            raise Skipped("number of users is not stated")
        return math.nan
    if cell.casefold().startswith("slo"):
        raise Skipped("load set by an objective, number of users not stated")
    if not cell:
        raise Skipped("number of users is not stated")
    return row.needed("batch_or_concurrency")


def _lengths(row: MeasuredRow, note: str) -> tuple[float, float]:
    sets = settings()["lengths"]
    name = row.text("isl") if row.text("isl") in sets else ""
    if not row.text("isl"):
        name = next((key for key in sets if row.text("model").startswith(key)), "")
    if name:
        return float(sets[name]["prompt"]), float(sets[name]["answer"])
    share = ROUNDS_OF_LENGTHS if "InferenceX" in note else 1.0
    prompt = row.number("isl")
    if not prompt:
        raise Skipped("isl is not stated")
    return max(1.0, prompt * share), max(1.0, (row.number("osl") or 0.0) * share)


def _layout(row: MeasuredRow, note: str) -> tuple[float, float, float, float]:
    """GPUs of a replica, groups that share its requests, ranks with whole experts, replicas; 0 GPUs when not stated."""
    stages = STAGES.search(note)
    if stages and int(stages[1]) > 1:
        raise Skipped("pipeline stages in serving")
    tensor = row.positive("tp") or 0.0
    count = row.positive("n_gpus") or tensor
    in_table = TABLE_GROUPS.search(note)
    if in_table:
        size = float(in_table[1])
        return size, size, size, 1.0
    stated = GROUPS.search(note)
    if not stated:
        return tensor, 1.0, 1.0, max(1.0, count / tensor) if tensor else 1.0
    groups, slices, whole = float(stated[1]), float(stated[2]), float(stated[3])
    if "InferenceX" in note and whole > 1 and whole == slices:
        tensor = groups = whole  # the record multiplied two names of the same ranks
        return whole, groups if float(stated[1]) > 1 else 1.0, whole, 1.0
    if "InferenceX" in note and groups > 1 and groups == tensor:
        return tensor, tensor, tensor, 1.0
    return tensor * groups, groups, whole, 1.0


def _weights(row: MeasuredRow, family: str, accelerator: AcceleratorRecord) -> str:
    word = row.text("precision").casefold()
    if family in MXFP4_FAMILIES:
        return "mxfp4"
    if not word and row.text("model").startswith("MLPerf"):
        return "nvfp4" if accelerator.fp4_tflops else "fp8" if accelerator.fp8_tflops else "bf16"
    found = next((name for part, name in FORMATS if part in word), "" if word else "bf16")
    if not found:
        raise Skipped(f"precision not known: {word}")
    return found


def _smallest(architecture: Architecture, weights: str, accelerator: AcceleratorRecord, row: MeasuredRow):
    """The fewest GPUs that hold a copy with room for its cache, where a row gives the whole system alone."""
    count = row.positive("n_gpus")
    if not count:
        raise Skipped("number of GPUs is not stated")
    size = {"nvfp4": 0.6, "mxfp4": 0.55, "int4": 0.55, "fp8": 1.0, "int8": 1.0}.get(weights, 2.0)
    gib = _rough_parameters(architecture) * size / 2**30
    ranks = 1.0
    while ranks < count and gib / ranks > 0.6 * (accelerator.memory_gib or 0):
        ranks *= 2
    return min(ranks, count), max(1.0, count / ranks)


def _rough_parameters(shape: Architecture) -> float:
    attention = 2 * shape.hidden_size * shape.head_dimension * (shape.attention_heads + shape.key_value_heads)
    if shape.is_mla:
        attention = shape.hidden_size * shape.attention_heads * shape.value_head_dimension * 2
    experts = shape.moe_layers * (shape.experts + shape.shared_experts) * 3 * shape.hidden_size
    body = shape.layers * attention + experts * shape.expert_intermediate_size
    body += shape.dense_layers * 3 * shape.hidden_size * shape.intermediate_size
    return body + 2 * shape.vocabulary_size * shape.hidden_size


def _holds(rule: Mapping[str, Any], facts: Mapping[str, str]) -> bool:
    names = ("engine", "family", "precision", "version", "accelerator", "metric")
    model = str(rule.get("model", ""))
    return facts["model"].startswith(model) and all(facts[name] == rule[name] for name in names if name in rule)


def _cache_bytes(row: MeasuredRow, note: str, facts: Mapping[str, str]) -> float:
    word = row.text("kv_precision").casefold()
    part = word if word in CACHE_BYTES else next((part for part in CACHE_BYTES if part and part in word), None)
    if part is None:
        raise Skipped(f"format of the cache not known: {word}")
    if CACHE_BYTES[part]:
        return CACHE_BYTES[part]
    known = settings()["eight_bit_cache"]["rows"]
    return 1.0 if "InferenceX" in note and any(_holds(rule, facts) for rule in known) else 2.0


def _drafted(note: str, facts: Mapping[str, str], gpus: float, groups: float, expert_groups: float) -> float:
    stated = re.search(r"\bMTP ?= ?(\d+)|\bMTP(\d+)", note)
    if stated and "no MTP" not in note:
        return float(stated[1] or stated[2])
    if "InferenceX" not in note:
        return 0.0
    for rule in settings()["drafted"]["rows"]:
        least = rule.get("expert_groups", 0)
        if not _holds(rule, facts) or gpus != rule.get("gpus", gpus):
            continue
        if (least == 1 and expert_groups > 1) or expert_groups < least:
            continue
        return float(rule.get("tokens_with_groups", rule["tokens"]) if groups > 1 else rule["tokens"])
    return 0.0


def _suspect(facts: Mapping[str, str], users: float) -> str:
    for rule in settings()["suspect"]:
        if _holds(rule, facts) and users == rule.get("users", users):
            return str(rule["why"])
        if _holds(rule, facts) and "users" not in rule:
            return str(rule["why"])
    return ""
