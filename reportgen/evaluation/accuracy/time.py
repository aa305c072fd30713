"""Training speed: measured runs through the formulas of a step, many rows at a time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from reportgen.catalog import Catalog
from reportgen.catalog.accelerator_table import TableJob, accelerator_table
from reportgen.catalog.money import Money
from reportgen.catalog.step_constants import fitted, is_calibrated, software_inputs, software_level
from reportgen.catalog.yaml_data import read_data
from reportgen.estimator import active_formulas
from reportgen.evaluation.accuracy.rows import UNLISTED, Outcome, Skipped, WholeRun, read_rows
from reportgen.evaluation.accuracy.training_rows import COLUMNS, MeasuredRun, measured_run
from reportgen.evaluation.features import architecture_features, architecture_numbers
from reportgen.evaluation.layout_rule import Job, completed_layout
from reportgen.formula import Formula, Graph
from reportgen.scenario.architecture import Architecture

KIND = "training_time"
OPTIONAL_INPUTS = ("network_gb_s_per_gpu",)  # inputs that stand in for a formula where a row states them
SECONDS = "seconds_per_token_per_gpu"
SELECTIVE = {
    "torchtitan": 0.5,
    "fsdp": 0.5,
    "xtuner": 0.15,
}  # part of the forward that their selective recomputation repeats
RECOMPUTED = {"none": 0.0, "full": 1.0}
DEFAULT_RANK = 16.0
ASSUMED_GPUS = 1024  # of whole runs that do not state their number
LAYOUT_KEYS = (
    "tensor_parallel", "pipeline_parallel", "virtual_stages", "context_parallel", "expert_parallel", "zero_stage", "micro_batch",
    "global_batch", "micro_batches",
)  # fmt: skip
EFFICIENCIES = ("gemm_efficiency_16bit", "gemm_efficiency_8bit", "gemm_efficiency_4bit", "attention_efficiency")
NEW = {True: "new_cluster", False: "new_cluster_unknown_configuration"}
Hidden = frozenset[str]
NOTHING: Hidden = frozenset()
BLIND: Hidden = frozenset({"layout", "batch", "recompute"})


@dataclass(frozen=True)
class Prepared:
    """A run as inputs of the formulas."""

    run: MeasuredRun
    features: frozenset[str]
    inputs: Mapping[str, Any]
    measured: float  # seconds of one GPU for a token; NaN for whole runs


@lru_cache(maxsize=256)
def formulas_of(features: frozenset[str], wanted: tuple[str, ...], given: frozenset[str]) -> tuple[Formula, ...]:
    """The formulas that the wanted quantities rest on, down to what is given."""
    known = {item.name: item for item in active_formulas(features)}
    found: dict[str, Formula] = {}
    stack = list(wanted)
    while stack:
        name = stack.pop()
        if name in known and name not in found and name not in given:
            found[name] = known[name]
            stack.extend(known[name].parameters)
    return tuple(found.values())


def prepared(run: MeasuredRun, hidden: Hidden = NOTHING, with_software: bool = True) -> Prepared:
    """Inputs of a run; what is hidden, or not stated, comes from the rule for layouts."""
    level = software_level(run.stack, run.year)
    features = features_of_run(run, level)
    inputs = {**architecture_numbers(run.architecture), **_hardware_inputs(run), **_method_inputs(run)}
    if with_software:
        inputs |= software_inputs(run.stack, run.year, run.method, family=run.accelerator.family)
    inputs["sequence_length"] = run.sequence_length
    counts = _counts(run.architecture, features, run.sequence_length)
    gpus = run.gpus or ASSUMED_GPUS
    job = _job(run, level, counts["parameters"], gpus)
    layout = completed_layout(job, _stated(run, hidden))
    inputs |= layout
    inputs["fixed_gpu_count"] = inputs["gpus"] = float(gpus)
    inputs["full_recomputation"] = layout["recomputed_share"]
    inputs["optimizer_on_host"] = float(run.optimizer_on_host)
    inputs["host_weight_seconds"] = 0.0  # no published run whose weights wait on the host is read
    as_run = {
        **inputs,
        **completed_layout(job, _stated(run, NOTHING)),
    }  # what was measured does not depend on what is hidden
    return Prepared(run, features, inputs, measured_seconds(run, as_run, counts))


def features_of_run(run: MeasuredRun, level: str) -> frozenset[str]:
    """The structure of a run, by the names of estimator/structure.py."""
    chosen = architecture_features(run.architecture)
    if level == "early":
        chosen.add("score_matrix")
    return frozenset(chosen | {"training", run.method})


def _counts(architecture: Architecture, features: frozenset[str], sequence_length: float) -> dict[str, float]:
    return _counted(tuple(sorted(architecture_numbers(architecture).items())), features, sequence_length)


def counted_parameters(run: MeasuredRun) -> dict[str, float]:
    """All parameters, and those that work for a token."""
    return _counts(run.architecture, features_of_run(run, software_level(run.stack, run.year)), run.sequence_length)


@lru_cache(maxsize=1024)
def _counted(quantities: tuple, features: frozenset[str], sequence_length: float) -> dict[str, float]:
    """Parameters and operations that do not depend on the layout."""
    inputs = {**dict(quantities), "sequence_length": sequence_length}
    wanted = ("parameters", "active_parameters", "matmul_parameters", "attention_flops_per_token")
    values = Graph(formulas_of(features, wanted, frozenset(inputs)), inputs).evaluate(inputs)
    return {name: float(values[name]) for name in wanted}


def _hardware_inputs(run: MeasuredRun) -> dict[str, Any]:
    record = run.accelerator
    sixteen = record.bf16_tflops or record.fp16_tflops or record.fp32_tflops
    peaks = {"fp8": record.fp8_tflops, "fp4": record.fp4_tflops, "fp32": record.fp32_tflops}
    found: dict[str, Any] = {
        "compute_precision": run.precision,
        "peak_tflops_16bit": sixteen,
        "peak_tflops": peaks.get(run.precision) or sixteen,
        "memory_bandwidth_gb_s": record.memory_bandwidth_gb_s,
        "link_gb_s": record.interconnect_per_direction_gb_s or record.pcie_per_direction_gb_s,
        "nvlink_domain": float(record.link_domain or 1),
        "accelerator": record.id,
    }
    if run.network_gbit:
        found["network_gb_s_per_gpu"] = run.network_gbit / 8 / min(8, max(1, record.link_domain or 8))
    return found


def _method_inputs(run: MeasuredRun) -> dict[str, float]:
    found = {"utilization_factor": 1.0, "embeddings_trained": float(run.method == "full")}
    if run.method != "full":
        targets = ("query", "key", "value", "output", "gate", "up", "down")
        found |= {f"lora_{target}": 1.0 for target in targets} | {"lora_rank": DEFAULT_RANK}
    return found


def _job(run: MeasuredRun, level: str, parameters: float, gpus: float) -> Job:
    architecture = run.architecture
    return Job(
        parameters=parameters,
        layers=architecture.layers,
        attention_heads=architecture.attention_heads,
        experts=architecture.experts,
        sequence_length=run.sequence_length,
        gpus=gpus,
        memory_gib=run.accelerator.memory_gib,
        domain=float(run.accelerator.link_domain or 1),
        level=level,
        full=run.method == "full",
        sharded=run.stack == "maxtext" or level in ("compiled", "fused", "plain"),
        activation_bytes=_activation_bytes(architecture),
        whole_step_compiled=run.stack in read_data("software_levels")["whole_step_compiled"],
        optimizer_on_host=run.optimizer_on_host,
    )


def _activation_bytes(architecture: Architecture) -> float:
    """What a token leaves in all layers, in 16 bits: norms, attention, feed-forward; a copy for every chosen expert."""
    width = architecture.hidden_size
    dense = architecture.dense_layers * 6 * architecture.intermediate_size
    chosen = architecture.experts_per_token * (6 * architecture.expert_intermediate_size + 4 * width)
    return architecture.layers * 20 * width + dense + architecture.moe_layers * chosen


def _stated(run: MeasuredRun, hidden: Hidden) -> dict[str, float | None]:
    known: dict[str, float | None] = {name: getattr(run, name) for name in LAYOUT_KEYS}
    share = SELECTIVE.get(run.stack, 0.0) if run.recompute == "selective" else RECOMPUTED.get(run.recompute or "")
    known["recomputed_share"] = None if "recompute" in hidden else share
    for part, names in (("layout", LAYOUT_KEYS[:6]), ("batch", LAYOUT_KEYS[6:])):
        if part in hidden:
            known |= dict.fromkeys(names)
    return known


def measured_seconds(run: MeasuredRun, inputs: Mapping[str, Any], counts: Mapping[str, float]) -> float:
    """The measured figure as seconds of one GPU for a token, whatever the row prints."""
    if run.metric == "tokens_per_s_per_gpu":
        return 1 / run.value
    if run.metric == "iteration_s":
        batch = run.global_batch or inputs["global_batch"]
        return run.value * run.gpus / (batch * run.sequence_length)
    if run.metric in ("gpu_hours", "days"):
        hours = run.value if run.metric == "gpu_hours" else run.value * 24 * run.gpus
        return hours * 3600 / run.tokens
    flops = printed_flops(run.convention, counts, inputs["recomputed_share"])
    speed = run.value * 1e12 if run.metric == "tflops_per_gpu" else run.value / 100 * inputs["peak_tflops_16bit"] * 1e12
    return flops / speed


def printed_flops(convention: str, counts: Mapping[str, float], recomputed: float) -> float:
    """FLOPs of a token as the source counts them."""
    linear, causal = 2 * counts["matmul_parameters"], counts["attention_flops_per_token"]
    if convention == "causal":
        return 3 * (linear + causal)
    if convention == "hardware-causal":
        return 4 * (linear + causal)
    passes = 4 if convention == "hardware" and recomputed > 0 else 3
    return passes * (linear + 2 * causal)


class Batch:
    """Prepared runs of one structure as arrays, for one evaluation of its formulas."""

    def __init__(self, rows: Sequence[tuple[int, Prepared]], columns: Mapping[str, Any], fitted: Iterable[str] = ()):
        self.places = np.array([place for place, _ in rows])
        first = rows[0][1]
        names = first.inputs.keys() | set().union(*(item.inputs.keys() for _, item in rows))
        ids = {key: number for number, key in enumerate(columns["accelerators_id"], start=1)}
        self.inputs: dict[str, Any] = dict(columns)
        for name in names:
            values = [item.inputs.get(name) for _, item in rows]
            text = any(isinstance(value, str) for value in values)
            self.inputs[name] = np.array(values, dtype=object if text else float)
        self.inputs["accelerator_row"] = np.array([float(ids[item.run.accelerator.id]) for _, item in rows])
        self.inputs["gpus_per_node"] = np.asarray(columns["accelerators_gpus_per_node"], dtype=float)[
            self.inputs["accelerator_row"].astype(int) - 1
        ]
        self.features = first.features
        self.graph = Graph(formulas_of(self.features, (SECONDS,), frozenset(self.inputs)), {*self.inputs, *fitted})

    def seconds(self, constants: Mapping[str, Any]) -> np.ndarray:
        """Estimated seconds of one GPU for a token, a number a run."""
        with np.errstate(all="ignore"):
            values = self.graph.evaluate({**self.inputs, **constants}, only=(SECONDS,))
        return np.broadcast_to(np.asarray(values[SECONDS], dtype=float), self.places.shape)


# Outcomes


def regime_of(run: MeasuredRun) -> str:
    """Which range applies: mixtures of experts, else the level of the software."""
    return "mixture" if run.architecture.is_moe else software_level(run.stack, run.year)


def batches(rows: Sequence[tuple[int, Prepared]], columns: Mapping[str, Any], constants: Iterable[str]) -> list[Batch]:
    """Rows grouped by structure, and by which optional inputs they have."""
    groups: dict[frozenset[str], list[tuple[int, Prepared]]] = {}
    for place, item in rows:
        key = item.features | {f"given {name}" for name in OPTIONAL_INPUTS if name in item.inputs}
        groups.setdefault(key, []).append((place, item))
    return [Batch(members, columns, constants) for members in groups.values()]


def estimated_seconds(rows: Sequence[Prepared], catalog: Catalog) -> np.ndarray:
    """Seconds of one GPU for a token, by the constants of the catalog."""
    table = accelerator_table(catalog, Money.of(catalog, "USD"), TableJob())
    columns = {f"accelerators_{name}": column for name, column in table.items()}
    constants = {key: record.value for key, record in catalog.constants.items()}
    found = np.full(len(rows), np.nan)
    for batch in batches(list(enumerate(rows)), columns, constants):
        found[batch.places] = batch.seconds(constants)
    return found


def outcomes(path: Path, catalog: Catalog) -> list[Outcome]:
    """Every row of a file of training runs, estimated or skipped."""
    results: list[Outcome] = []
    rows: list[tuple[int, Prepared]] = []
    for row in read_rows(path, COLUMNS):
        try:
            run = measured_run(row, catalog)
            rows.append((len(results), prepared(run)))
            results.append(Outcome(row.id, KIND))
        except Skipped as reason:
            results.append(Outcome(row.id, KIND, skipped=str(reason)))
    seconds = estimated_seconds([item for _, item in rows], catalog)
    for (place, item), value in zip(rows, seconds, strict=True):
        results[place] = _outcome(item, float(value), catalog)
    return results


def _outcome(item: Prepared, seconds: float, catalog: Catalog) -> Outcome:
    run = item.run
    if not seconds > 0:
        return Outcome(run.id, KIND, skipped="the formulas give no speed for this combination")
    sigma = sigma_of(run, catalog)
    whole = None
    if run.whole_run:
        whole = WholeRun(run.model, run.accelerator.id, run.gpus or None, run.tokens)
        seconds *= calendar_factor(item, catalog)
        sigma = math.hypot(sigma, catalog.constants["calendar_error"].value)
    reach = math.exp(catalog.constants["normal_quantile_p90"].value * sigma)
    return Outcome(
        run.id, KIND, item.measured, seconds, seconds / reach, seconds * reach, classes=classes_of(run),
        regime=regime_of(run), whole_run=whole,
    )  # fmt: skip


def calendar_factor(item: Prepared, catalog: Catalog) -> float:
    """What evaluation, checkpoints, failures and other lost time make of the time of the steps alone."""
    inputs = {key: record.value for key, record in catalog.constants.items()} | item.inputs
    wanted = ("calendar_factor",)
    graph = Graph(formulas_of(item.features, wanted, frozenset(inputs)), inputs)
    return float(graph.evaluate(inputs, only=wanted)["calendar_factor"])


def sigma_of(run: MeasuredRun, catalog: Catalog) -> float:
    """Error of a row: wider for a source that no constant has seen, where layout or batches are not stated, and widest
    where the hardware has no published run."""
    if not is_calibrated(run.accelerator):
        return catalog.constants["time_error_unlisted"].value
    stated = run.micro_batch is not None and (run.tensor_parallel is not None or run.gpus <= 1)
    known_layout = stated or run.micro_batches is not None
    seen = run.source in fitted()["sources"]
    kind = ("known" if known_layout else "unknown_configuration") if seen else NEW[known_layout]
    return fitted()["errors"][kind][regime_of(run)]


def classes_of(run: MeasuredRun) -> dict[str, str]:
    """How the report sorts a row."""
    return {
        "metric": "whole run" if run.whole_run else "speed",
        "accelerator": run.accelerator.id,
        "precision": run.precision,
        "stack": run.stack or "not stated",
        "architecture": "mixture" if run.architecture.is_moe else "dense",
        "method": run.method,
        "source": run.source,
        "regime": regime_of(run) if is_calibrated(run.accelerator) else UNLISTED,
    }
