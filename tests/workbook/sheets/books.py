"""Workbooks of shipped scenarios and of hard cases, each evaluated and built once a session; and random changes of their inputs."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

from reportgen.estimator.structure import layout_variables
from reportgen.evaluation.cases import evaluate_cases
from reportgen.evaluation.evaluate import case_changes, evaluate, layout_ranges
from reportgen.evaluation.result import InputValue, Result
from reportgen.scenario import load_scenario, scenario_from_mapping
from reportgen.workbook.book import plan
from reportgen.workbook.calculate import settle
from reportgen.workbook.cells import constant
from reportgen.workbook.model import BASE, Model
from reportgen.workbook.sheets.inputs import limits_of
from reportgen.workbook.write import workbook_bytes
from tests.workbook.engine.recalculate import Position

SCENARIOS = Path(__file__).resolve().parents[3] / "scenarios"
DATE = datetime.date(2026, 11, 30)
SHIPPED = tuple(sorted(path.stem for path in SCENARIOS.glob("*.yaml")))
TUNING = {
    "job": "fine-tuning", "model": "llama-3.1-8b", "data": {"tokens": 2e7}, "sequence_length": 2048, "date": "2026-11-30",
}  # fmt: skip
SERVING = {"job": "serving", "model": "llama-3.1-8b", "load": {"users": 300}, "date": "2026-11-30"}
HARD = {
    "nothing-fits": {**TUNING, "title": "Too large", "model": "llama-3.1-70b", "hardware": {"accelerator": "a100-sxm-80gb", "count": 8}},
    "too-late": {**TUNING, "title": "Too late", "data": {"tokens": 1e14}, "deadline": "1 day", "hardware": {"accelerator": "l20"}},
    "no-price": {**TUNING, "title": "No price", "hardware": {"accelerators": ["ascend-910b3", "h200-sxm"]}},
    "one-gpu": {**TUNING, "title": "One card", "method": "qlora", "hardware": {"accelerator": "rtx-4090", "count": 1}},
    "4096-gpus": {**TUNING, "title": "Many", "data": {"tokens": 1e12}, "hardware": {"accelerator": "h100-sxm", "count": 4096}},
    "long-title": {
        **TUNING, "title": "=A & B <c> \"d\" " + "a very long title of a request " * 12, "purpose": "Why " * 300, "language": "zh",
        "hardware": {"accelerator": "a800-sxm-80gb"},
    },
    "rented": {**TUNING, "title": "Rented", "currency": "USD", "hardware": {"accelerator": "h100-sxm", "acquire": "rent"}},
    "cheapest-measured": {
        **TUNING, "title": "Cheapest", "objective": "cheapest",
        "hardware": {"accelerators": ["a100-sxm-80gb"], "acquire": "rent", "network": "50 Gbit/s"},
        "measured": [{"accelerator": "a100-sxm-80gb", "count": 8, "tokens_per_second": 20000}], "precision": "tf32",
    },
    "cut-experts": {
        **TUNING, "title": "Cut experts", "model": "mixtral-8x7b", "stack": "megatron", "hardware": {"accelerators": ["a100-sxm-80gb"]},
        "layout": {"etp": 2, "ep": 4, "sharding_group": 8, "offload": "nvme"},
    },
    "experts": {**TUNING, "title": "Experts", "model": "mixtral-8x7b", "hardware": {"accelerators": ["h100-sxm"]}},
    "service-too-small": {
        **SERVING, "title": "Small", "measured": {"tokens_per_second": 900, "concurrency": 16, "count": 1},
        "api_price": {"prompt": "1 USD", "answer": "2 USD"}, "hardware": {"accelerator": "h20-sxm", "count": 1},
    },
    "service-measured": {
        **SERVING, "title": "Measured", "measured": {"tokens_per_second": 900, "accelerator": "l40s", "count": 1},
        "hardware": {"accelerators": ["l40s"]}, "other_services": [{"title": "Embeddings", "gpus": 3}],
    },
}  # fmt: skip
ALL = (*SHIPPED, *HARD)
PRECISIONS = ("fp32", "bf16", "fp16", "fp8", "fp4")
COUNTS = (0, 1, 2, 8, 24, 64, 100, 512, 4096)


@dataclass
class Built:
    """A result with its book, settled, and its file."""

    result: Result
    model: Model
    content: bytes


@cache
def result_of(name: str) -> Result:
    """The result of a shipped scenario or of a hard case."""
    if name in HARD:
        return evaluate(scenario_from_mapping(HARD[name]))
    return evaluate(load_scenario(SCENARIOS / f"{name}.yaml", date=DATE))


@cache
def built(name: str) -> Built:
    """The book of a scenario as issued; not to be changed."""
    model = planned(name)
    return Built(result_of(name), model, workbook_bytes(model.book))


def planned(name: str) -> Model:
    """A fresh plan of all sheets, settled."""
    model = Model(result_of(name))
    settle(plan(model))
    return model


# ---- changes made inside a file


def numbers_of(model: Model) -> list[InputValue]:
    """The inputs that hold numbers and do not shape the model."""
    return [
        item
        for item in model.listed_inputs
        if not isinstance(item.value, str) and item.group != "architecture" and item.key != "fixed_gpu_count"
    ]


def random_changes(model: Model, generator: np.random.Generator) -> dict[str, float | str]:
    """Other base values for a dozen inputs, whatever the drop-downs offer, another number of GPUs."""
    changed: dict[str, float | str] = {}
    if generator.random() < 0.7:
        changed["accelerator"] = str(generator.choice(list(model.result.tables["accelerators_id"])))
    if generator.random() < 0.5:
        changed["compute_precision"] = str(generator.choice(PRECISIONS))
    if generator.random() < 0.4:
        changed["fixed_gpu_count"] = float(generator.choice(COUNTS))
    items = numbers_of(model)
    for index in generator.choice(len(items), 14, replace=False):
        changed[items[index].key] = _other_value(items[index], generator)
    return {key: value for key, value in changed.items() if key in model.inputs_by_key}


def _other_value(item: InputValue, generator: np.random.Generator) -> float:
    if item.unit == "flag":
        return float(generator.integers(0, 2))
    low, high = limits_of(item)
    if item.value != item.value:
        drawn = float(generator.choice([1.0, 123456.0]))
    elif item.ranged:
        drawn = float(generator.uniform(item.low, item.high))
    elif item.unit == "share":
        drawn = float(generator.choice([0.0, 1.0, round(generator.uniform(0, 1), 3)]))
    elif float(item.value).is_integer():
        drawn = float(max(0 if item.value == 0 else 1, round(item.value * generator.choice([0.5, 2, 3]))))
    else:
        drawn = float(item.value * generator.uniform(0.3, 3))
    return min(max(drawn, low), high)


def positions(model: Model, changes: dict[str, float | str]) -> dict[Position, float | str]:
    """Where the base values of the inputs stand."""
    title, column = model.book["inputs"].title, model.inputs.columns[BASE]
    return {(title, model.inputs.rows[key], column): value for key, value in changes.items()}


def retype(model: Model, changes: dict[str, float | str], settled: bool = True) -> dict[str, float | str]:
    """Type other base values into a planned book and return those that stood there."""
    before = {}
    for key, value in changes.items():
        cell = model.book.cell(model.inputs.ref(key, BASE))
        before[key], cell.content = cell.content, constant(value)
    if settled:
        settle(model.book)
    return before


def python_values(result: Result, changes: dict[str, float | str]) -> dict[str, np.ndarray]:
    """Favourable, base, adverse of every quantity, by evaluating the formulas for the changed inputs over the same candidates."""
    inputs = tuple(replace(item, value=changes.get(item.key, item.value)) for item in result.inputs)
    block, model = result.layouts[0], Model(result)
    listed = {name: np.array(block.columns[name]) for name in layout_variables(model.features)}
    size = len(block.columns["layout_rank"])
    known = {item.key: item.value for item in inputs} | dict(result.tables)
    with np.errstate(all="ignore"):
        values = model.layout_graph.evaluate({**known, **listed, "layout_number": np.arange(1.0, size + 1)})
    columns = {name: np.broadcast_to(np.asarray(values[name]), (size,)).tolist() for name in (*listed, "layout_rank")}
    shared = {**result.tables, **layout_ranges(replace(block, columns=columns))}
    return evaluate_cases(model.graph, inputs, shared, case_changes(inputs))
