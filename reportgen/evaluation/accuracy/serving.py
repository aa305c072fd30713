"""Measured serving against the formulas: all rows of one structure are evaluated at once, as arrays."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from reportgen.catalog import Catalog
from reportgen.catalog.accelerator_table import TableJob, accelerator_table
from reportgen.catalog.money import Money
from reportgen.catalog.yaml_data import read_data
from reportgen.evaluation.accuracy.rows import Outcome, Skipped, read_rows
from reportgen.evaluation.accuracy.serving_rows import COLUMNS, ServingRow, read_serving_row, settings
from reportgen.evaluation.features import architecture_features, architecture_numbers
from reportgen.evaluation.inference_inputs import COMPUTE, ENGINE_FIELDS, WEIGHT_CONSTANTS
from reportgen.evaluation.subgraph import graph_of

MOST_USERS = 2048.0  # requests that engines take at once where nobody limits them
FEW_USERS = 8  # above, the first token of a benchmark is a queue
SHARED = {
    "attention_data_parallel_off": 1.0, "prefix_hit": 0.0, "fixed_gpu_count": 0.0, "spare_nodes": 0.0, "utilization_cap": 1.0,
    "layout_number": 1.0, "ttft_percentile": 0.5, "qk_norm_width": 0.0, "max_context": 4096.0,
}  # fmt: skip
SERVER_ALONE = ("engine_ttft_offset_s", "engine_first_token_steps", "engine_launch_time_s")  # not in a library run
SERVING = frozenset({"serving", "published_methods", "fabric"})
BATCH = frozenset({"batch_inference", "published_methods", "fabric"})


@dataclass(frozen=True)
class Block:
    """Rows of one structure: their places in the list, and the inputs of the formulas as arrays."""

    places: np.ndarray
    features: frozenset[str]
    inputs: Mapping[str, Any]
    rows: tuple[ServingRow, ...]


def outcomes(path: Path, catalog: Catalog) -> list[Outcome]:
    """Every row of a file once, in its order."""
    found: list[Outcome | None] = []
    rows: list[ServingRow] = []
    places: list[int] = []
    for row in read_rows(path, COLUMNS):
        try:
            rows.append(read_serving_row(row, catalog))
            places.append(len(found))
            found.append(None)
        except Skipped as reason:
            found.append(Outcome(row.id, row.text("metric"), measured=_value(row), skipped=str(reason)))
    constants = {key: float(record.value) for key, record in catalog.constants.items()}
    predicted, sigma = predict(rows, blocks(rows, catalog), constants)
    for place, row, value, error in zip(places, rows, predicted, sigma, strict=True):
        found[place] = _outcome(row, float(value), float(error), constants["normal_quantile_p90"])
    return [item for item in found if item is not None]


def _value(row) -> float | None:
    try:
        return row.number("value")
    except Skipped:
        return None


def _outcome(row: ServingRow, value: float, sigma: float, quantile: float) -> Outcome:
    if not math.isfinite(value) or value <= 0:
        return Outcome(row.id, row.metric, measured=row.measured, skipped="the estimate has no value")
    spread = math.exp(quantile * sigma)
    kind = "experts" if row.architecture.is_moe else "dense"
    classes = {
        "metric": row.metric, "accelerator": row.accelerator.id, "engine": row.engine or "other",
        "precision": row.weights, "model": row.model, "source": "suspect" if row.suspect else "",
    }  # fmt: skip
    regime = f"{row.accelerator.family}, {kind}"
    return Outcome(
        row.id, row.metric, row.measured, value, value / spread, value * spread,
        classes={key: text for key, text in classes.items() if text}, regime=regime,
    )  # fmt: skip


def structure_of(row: ServingRow) -> frozenset[str]:
    """Features of the formulas that a row needs."""
    chosen = architecture_features(row.architecture)
    if row.groups > 1 and row.architecture.is_moe:
        chosen.add("attention_data_parallel")
    if row.draft_tokens:
        chosen.add("speculative")
    return frozenset(chosen) | (BATCH if row.is_rate else SERVING)


def blocks(rows: Sequence[ServingRow], catalog: Catalog) -> list[Block]:
    """Rows by structure, with their inputs."""
    places: dict[frozenset[str], list[int]] = {}
    for place, row in enumerate(rows):
        places.setdefault(structure_of(row), []).append(place)
    tables = _tables(catalog)
    return [
        Block(np.array(found), features, _inputs([rows[place] for place in found], catalog, tables), tuple(rows[place] for place in found))
        for features, found in places.items()
    ]  # fmt: skip


@lru_cache(maxsize=2)
def _tables(catalog: Catalog) -> dict[str, Any]:
    table = accelerator_table(catalog, Money.of(catalog, "USD"), TableJob(job="serving"))
    return {f"accelerators_{name}": column for name, column in table.items()}


def _inputs(rows: Sequence[ServingRow], catalog: Catalog, tables: Mapping[str, Any]) -> dict[str, Any]:
    constants = catalog.constants
    engines = read_data("engines_serving")["engines"]
    numbers = [architecture_numbers(row.architecture) for row in rows]
    columns: dict[str, Any] = {key: np.array([item[key] for item in numbers]) for key in numbers[0]}
    records = [engines.get(row.engine) or engines["vllm"] for row in rows]
    in_process = np.array([row.in_process for row in rows])
    for key, field in ENGINE_FIELDS.items():
        values = np.array([float(record[field]) for record in records])
        columns[key] = np.where(in_process, 0.0, values) if key in SERVER_ALONE else values
    users = np.array([row.users for row in rows])
    return {
        **SHARED,
        **columns,
        **tables,
        "accelerator": np.array([row.accelerator.id for row in rows], dtype=object),
        "tensor_parallel": np.array([row.gpus for row in rows]),
        "attention_data_parallel": np.array([row.groups for row in rows]),
        "prompt_tokens": np.array([row.prompt_tokens for row in rows]),
        "answer_tokens": np.array([row.answer_tokens for row in rows]),
        "draft_tokens": np.array([row.draft_tokens for row in rows]),
        "key_value_bytes": np.array([row.cache_bytes for row in rows]),
        "compute_precision": np.array([COMPUTE.get(row.weights, "bf16") for row in rows], dtype=object),
        "weight_bytes_per_parameter": np.array([float(constants[WEIGHT_CONSTANTS[row.weights]].value) for row in rows]),
        "attention_bytes_per_parameter": np.array(
            [float(constants[WEIGHT_CONSTANTS[row.attention]].value) for row in rows]
        ),
        "serving_memory_share": np.array([settings()["memory_share"].get(row.engine, 0.9) for row in rows]),
        "benchmark_users": np.where(np.isnan(users), 1.0, users),
        "users": np.where(np.isnan(users), MOST_USERS * np.array([row.groups for row in rows]), users),
        "counts_free_memory": np.array([row.engine == "tensorrt-llm" for row in rows]),
        "in_process": in_process,
    }


def predict(
    rows: Sequence[ServingRow], parts: Sequence[Block], constants: Mapping[str, float]
) -> tuple[np.ndarray, np.ndarray]:
    """Estimates in the unit of each row, and the sigma of their logarithm."""
    predicted, sigma = np.full(len(rows), np.nan), np.full(len(rows), np.nan)
    for part in parts:
        value, error = _evaluate(part, constants)
        predicted[part.places], sigma[part.places] = value, error
    return predicted, sigma


def prepared(part: Block, constants: Mapping[str, float]) -> dict[str, Any]:
    """All inputs of a block, with the batch that memory holds."""
    inputs = {**constants, "draft_acceptance": constants["benchmark_draft_acceptance"], **part.inputs}
    inputs["benchmark_burst_slope"] = np.where(part.inputs["in_process"], 1.0, constants["benchmark_burst_slope"])
    inputs["batch_per_replica"] = np.ones(len(part.rows))
    with np.errstate(all="ignore"):
        return inputs | _memory(part, inputs)


def _evaluate(part: Block, constants: Mapping[str, float]) -> tuple[np.ndarray, np.ndarray]:
    inputs = prepared(part, constants)
    with np.errstate(all="ignore"):
        if "batch_inference" in part.features:
            values = _values(part.features, inputs, ("replica_items_estimated", "speed_error"))
            rate = values["replica_items_estimated"] * counted(part)
            return rate, np.broadcast_to(values["speed_error"], len(part.rows))
        wanted = ("tpot_at_limit_s", "benchmark_ttft_s", "speed_error")
        values = _values(part.features, inputs, wanted)
    first = np.array([row.metric == "ttft_ms" for row in part.rows])
    few = part.inputs["benchmark_users"] <= FEW_USERS
    error = np.where(few, constants["first_token_error"], constants["first_token_error_crowded"])
    value = np.where(first, values["benchmark_ttft_s"], values["tpot_at_limit_s"]) * 1e3
    return value, np.where(first, error, values["speed_error"])


def _memory(part: Block, inputs: Mapping[str, Any]) -> dict[str, Any]:
    """The requests in flight that memory holds; TensorRT-LLM takes a share of what the weights leave."""
    features = (part.features - BATCH) | SERVING
    weights = _values(features, inputs, ("weights_per_gpu_gib", "memory_capacity_gib"))
    capacity, taken = weights["memory_capacity_gib"], weights["weights_per_gpu_gib"]
    share = inputs["serving_memory_share"]
    free = np.where(inputs["counts_free_memory"], taken + share * np.maximum(0, capacity - taken), capacity * share)
    known = {**inputs, "engine_memory_budget_gib": free}
    found = _values(features, known, ("planned_concurrency",))["planned_concurrency"]
    return {"engine_memory_budget_gib": free, "batch_per_replica": np.minimum(inputs["users"], np.maximum(1.0, found))}


def counted(part: Block) -> np.ndarray:
    """What a row counts of each item, times its replicas: answers, prompts, both, or requests."""
    counts = {
        "req_s": lambda row: 1.0,
        "output_tok_s": lambda row: row.answer_tokens,
        "input_tok_s": lambda row: row.prompt_tokens,
        "total_tok_s": lambda row: row.prompt_tokens + row.answer_tokens,
    }
    return np.array([counts[row.metric](row) * row.replicas for row in part.rows])


def _values(features: frozenset[str], inputs: Mapping[str, Any], wanted: tuple[str, ...]) -> dict[str, Any]:
    return graph_of(features, frozenset(inputs), wanted).evaluate(inputs)
