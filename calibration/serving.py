"""Fits the constants of serving on the shipped measurements, cross-validated by model, and writes them with a report.

    .venv/bin/python calibration/serving.py            # fit, cross-validate, write constants, engines and report
    .venv/bin/python calibration/serving.py --dry-run  # print the report, write nothing

The formulas are those of the estimator: what is fitted is what is shipped. Needs scipy (development only).
"""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # small matrices: threads only wait for each other

import numpy as np
from scipy.optimize import least_squares
from serving_output import write_constants, write_engines, write_report

from reportgen.catalog import load_catalog
from reportgen.catalog.yaml_data import read_data
from reportgen.evaluation.accuracy import serving
from reportgen.evaluation.accuracy.rows import MEASUREMENTS, Skipped, read_rows
from reportgen.evaluation.accuracy.serving_rows import COLUMNS, ServingRow, read_serving_row
from reportgen.evaluation.inference_inputs import ENGINE_FIELDS
from reportgen.evaluation.subgraph import graph_of

MEASURED = MEASUREMENTS / "serving_measurements.csv"
FEW_USERS = 8  # the first token is fitted and judged at few users: above, it is a queue of the benchmark
SCALE = {"ttft_ms": 0.20}  # spread of ln(estimate / measured) that counts as usual
USUAL_SCALE = 0.12
TTFT_WEIGHT = 1.0
GROUP_POWER = 0.3  # rows of a large group count less: weight = size ** -0.3
PRIOR_WEIGHT = 1.5
MOST_STEPS = 12
STEP = 1e-4
FEWEST_OF_A_FOLD = 60  # models with fewer rows are held out together

# constant -> value before any row was seen, and how far it may reasonably be from it (standard deviation of the logarithm)
PRIORS: dict[str, tuple[float, float]] = {
    "decode_bandwidth_utilization": (0.80, 0.12),
    "expert_bandwidth_utilization": (0.72, 0.25),
    "cache_bandwidth_utilization": (0.65, 0.20),
    "prefill_compute_utilization": (0.60, 0.20),
    "compute_utilization_8bit": (0.55, 0.20),
    "compute_utilization_4bit": (0.35, 0.25),
    "compute_utilization_widened": (0.35, 0.40),
    "attention_compute_utilization": (0.45, 0.40),
    "activation_passes": (12.0, 0.50),
    "all_reduce_latency": (8e-6, 0.50),
    "all_reduce_bus_share": (0.35, 0.40),
    "decode_layer_time": (26e-6, 0.40),
    "decode_quantized_layer_time": (12e-6, 0.70),
    "decode_expert_layer_time": (35e-6, 0.40),
    "decode_request_time": (6e-6, 1.00),
    "prefill_interference_share": (0.80, 0.30),
    "benchmark_burst_slope": (0.06, 0.50),
    "benchmark_draft_acceptance": (0.72, 0.15),
    "engine_time_factor.sglang": (1.05, 0.20),
    "engine_ttft_offset_s.vllm": (0.02, 0.50),
    "engine_ttft_offset_s.sglang": (0.04, 0.50),
    "engine_ttft_offset_s.tensorrt-llm": (0.02, 0.50),
    "engine_first_token_steps.sglang": (4.0, 0.50),
    "engine_first_token_steps": (1.0, 0.30),
    "engine_launch_time_s.vllm": (35e-6, 0.30),
    "engine_launch_time_s.sglang": (50e-6, 0.30),
    "engine_launch_time_s.tensorrt-llm": (50e-6, 0.30),
}
OTHER_ENGINES = ("vllm", "tensorrt-llm")  # share what stands without an engine's name
ABLATIONS = {
    "time a layer": {"decode_layer_time": 1e-9, "decode_quantized_layer_time": 1e-9, "decode_expert_layer_time": 1e-9},
    "time of a quantised layer": {"decode_quantized_layer_time": 1e-9},
    "passes over activations": {"activation_passes": 1e-3},
    "latency of reductions": {"all_reduce_latency": 1e-9},
    "time a request": {"decode_request_time": 1e-9},
    "engine factor": {"engine_time_factor.sglang": 1.0},
    "interference of prompts": {"prefill_interference_share": 1e-3},
    "drafted tokens known": {"benchmark_draft_acceptance": 1e-3},
}


@dataclass(frozen=True)
class Part:
    """One structure, evaluated once; what depends on fitted constants is evaluated again for each trial."""

    places: np.ndarray
    values: dict
    order: list
    output: str
    factor: np.ndarray
    engines: np.ndarray
    in_process: np.ndarray

    def behind(self, constant: str) -> list:
        """The formulas that depend on a constant, in order."""
        stands_for = {"benchmark_draft_acceptance": "draft_acceptance"}
        touched, found = {stands_for.get(constant, constant)}, []
        for item in self.order:
            if touched.intersection(item.parameters):
                touched.add(item.name)
                found.append(item)
        return found


class Model:
    """Estimates of rows as a function of the fitted constants."""

    def __init__(self, rows: list[ServingRow], catalog):
        self.size = len(rows)
        self.constants = {key: float(record.value) for key, record in catalog.constants.items()}
        self.parts = [part for block in serving.blocks(rows, catalog) for part in self._parts(block)]

    def _parts(self, block) -> list[Part]:
        inputs = serving.prepared(block, self.constants)
        first = np.array([row.metric == "ttft_ms" for row in block.rows])
        rate = "batch_inference" in block.features
        chosen = [("replica_items_estimated", np.ones(len(first), bool))] if rate else [
            ("benchmark_ttft_s", first), ("tpot_at_limit_s", ~first)]  # fmt: skip
        engines = np.array([row.engine for row in block.rows])
        names = {name.partition(".")[0] for name in PRIORS} | {"draft_acceptance"}
        parts = []
        for output, rows in chosen:
            if not rows.any():
                continue
            mine = {key: value[rows] if _is_by_row(value, len(first)) else value for key, value in inputs.items()}
            graph = graph_of(block.features, frozenset(mine), (output,))
            with np.errstate(all="ignore"):
                values = graph.evaluate(mine)
            moving = graph.descendants(names)
            order = [item for item in graph.order if item.name in moving and item.name not in names]
            factor = serving.counted(block)[rows] if rate else np.full(int(rows.sum()), 1e3)
            parts.append(
                Part(block.places[rows], values, order, output, factor, engines[rows], block.inputs["in_process"][rows])
            )
        return parts

    def __call__(self, trial: dict[str, float], changed: str = "", base: list[dict] | None = None) -> np.ndarray:
        """Estimates of all rows; with `base`, values of an earlier call, only what depends on `changed` is computed."""
        found = np.empty(self.size)
        for number, part in enumerate(self.parts):
            values = dict(base[number] if base else part.values)
            self._put(values, part, trial if not changed else {changed: trial[changed]})
            order = part.order if not changed else part.behind(changed.partition(".")[0])
            with np.errstate(all="ignore"):
                for item in order:
                    values[item.name] = item.function(*[values[name] for name in item.parameters])
            found[part.places] = values[part.output] * part.factor
            if base is not None and not changed:
                base[number] = values
        return found

    def full(self, trial: dict[str, float]) -> tuple[np.ndarray, list[dict]]:
        """Estimates of all rows, and every value on the way."""
        base = [dict(part.values) for part in self.parts]
        return self(trial, base=base), base

    def _put(self, values: dict, part: Part, trial: dict[str, float]) -> None:
        for name, value in trial.items():
            constant, _, engine = name.partition(".")
            if constant.startswith("engine_"):
                where = part.engines == engine if engine else np.isin(part.engines, OTHER_ENGINES)
                apart = constant in serving.SERVER_ALONE
                values[constant] = np.where(where & ~(apart & part.in_process), value, values[constant])
            elif constant == "benchmark_draft_acceptance":
                values["draft_acceptance"] = value
            elif constant == "benchmark_burst_slope":
                values[constant] = np.where(part.in_process, 1.0, value)
            else:
                values[constant] = value


def _is_by_row(value, size: int) -> bool:
    return isinstance(value, np.ndarray) and value.shape == (size,)


class Fit:
    """A robust fit of the logarithm of estimate over measured, held near the priors."""

    def __init__(self, rows: list[ServingRow], catalog, fixed: dict[str, float] | None = None):
        self.fixed = fixed or {}
        self.names = [name for name in PRIORS if name not in self.fixed]
        self.start = np.log([PRIORS[name][0] for name in self.names])
        self.width = np.array([PRIORS[name][1] for name in self.names])
        self.model = Model(rows, catalog)
        self.target = np.log([row.measured for row in rows])
        keys = [(row.group, row.accelerator.id, row.engine, row.weights, row.metric) for row in rows]
        size = {key: keys.count(key) for key in set(keys)}
        weight = np.array([size[key] ** -GROUP_POWER for key in keys])
        first = np.array([row.metric == "ttft_ms" for row in rows])
        self.weight = weight / weight.mean() * np.where(first, TTFT_WEIGHT, 1.0)
        self.scale = np.array([SCALE.get(row.metric, USUAL_SCALE) for row in rows])

    def trial(self, x: np.ndarray) -> dict[str, float]:
        return {**dict(zip(self.names, np.exp(x), strict=True)), **self.fixed}

    def _robust(self, estimate: np.ndarray) -> np.ndarray:
        error = (np.log(estimate) - self.target) / self.scale
        return np.sqrt(2 * (np.sqrt(1 + error * error) - 1)) * np.sqrt(self.weight)

    def residuals(self, x: np.ndarray) -> np.ndarray:
        return np.concatenate([self._robust(self.model(self.trial(x))), (x - self.start) / self.width * PRIOR_WEIGHT])

    def slopes(self, x: np.ndarray) -> np.ndarray:
        """Differences, each constant moved alone and only what depends on it computed again."""
        estimate, base = self.model.full(self.trial(x))
        level = self._robust(estimate)
        columns = []
        for place, name in enumerate(self.names):
            moved = x.copy()
            moved[place] += STEP
            columns.append((self._robust(self.model(self.trial(moved), name, base)) - level) / STEP)
        return np.vstack([np.array(columns).T, np.diag(PRIOR_WEIGHT / self.width)])

    def solve(self, x: np.ndarray | None = None) -> np.ndarray:
        begin = self.start if x is None else x
        return least_squares(self.residuals, begin, jac=self.slopes, x_scale=self.width, max_nfev=MOST_STEPS).x


def read(catalog) -> tuple[list[ServingRow], dict[str, int]]:
    rows, skipped = [], {}
    for row in read_rows(MEASURED, COLUMNS):
        try:
            rows.append(read_serving_row(row, catalog))
        except Skipped as reason:
            skipped[str(reason)] = skipped.get(str(reason), 0) + 1
    return rows, skipped


def distinct(rows: list[ServingRow]) -> list[ServingRow]:
    """The same measurement published twice counts once."""
    seen: dict[tuple, ServingRow] = {}
    for row in rows:
        key = (
            row.group, row.accelerator.id, row.engine, row.weights, row.gpus, row.groups, row.expert_groups,
            round(row.prompt_tokens), round(row.answer_tokens), row.users, row.metric, round(row.measured, 2),
        )  # fmt: skip
        seen.setdefault(key, row)
    return list(seen.values())


def fit_for(row: ServingRow) -> bool:
    """Rows that the constants are fitted on."""
    few = row.users <= FEW_USERS
    return not row.suspect and (row.metric != "ttft_ms" or few) and row.metric in ("tpot_ms", "ttft_ms", "output_tok_s")


def cross_validated(rows: list[ServingRow], catalog, fixed=None) -> tuple[np.ndarray, dict[str, dict[str, float]]]:
    """Every row estimated with constants that no row of its model took part in."""
    predicted, constants = np.full(len(rows), np.nan), {}
    sizes = Counter(row.group for row in rows)
    fold = {name: name if size >= FEWEST_OF_A_FOLD else "others" for name, size in sizes.items()}
    group = np.array([fold[row.group] for row in rows])
    start = None
    for held_out in sorted(set(group)):
        seen = distinct([row for row, name in zip(rows, group, strict=True) if name != held_out and fit_for(row)])
        fit = Fit(seen, catalog, fixed)
        x = fit.solve(start)
        start = x if start is None else start
        constants[held_out] = fit.trial(x)
        mine = np.flatnonzero(group == held_out)
        predicted[mine] = Model([rows[place] for place in mine], catalog)(constants[held_out])
    return predicted, constants


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--dry-run", action="store_true", help="print the report, write nothing")
    parser.add_argument("--ablations", action="store_true", help="cross-validate without each term too (minutes)")
    arguments = parser.parse_args()
    catalog = load_catalog()
    rows, skipped = read(catalog)
    fit = Fit(distinct([row for row in rows if fit_for(row)]), catalog)
    constants = fit.trial(fit.solve())
    inside = Model(rows, catalog)(constants)
    predicted, by_fold = cross_validated(rows, catalog)
    ablations = {}
    if arguments.ablations:
        for name, fixed in ABLATIONS.items():
            ablations[name] = cross_validated(rows, catalog, fixed)[0]
    report = write_report(rows, skipped, inside, predicted, constants, by_fold, PRIORS, ablations)
    print(report)
    if not arguments.dry_run:
        folder = Path(__file__).parent
        (folder / "reports").mkdir(exist_ok=True)
        (folder / "reports" / "serving.md").write_text(report, encoding="utf-8")
        write_constants(rows, predicted, constants, by_fold)
        write_engines(rows, constants, read_data("engines_serving"), ENGINE_FIELDS)
    return 0


if __name__ == "__main__":
    sys.exit(main())
