"""The report of the calibration of training time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from calibration.step_model import CATALOG, StepModel, hardware_columns
from calibration.step_parameters import PARAMETERS
from calibration.step_validation import NAMES, Study, cross_validated, fold_of, summary
from reportgen.evaluation.accuracy.time import ASSUMED_GPUS, calendar_factor, prepared

REPORT = Path(__file__).parent / "reports" / "training_time.md"
REGIME_SPLITS = {  # errors of the catalog -> split of the rows
    "known": "known", "unknown_configuration": "blind", "new_cluster": "unseen",
    "new_cluster_unknown_configuration": "unseen_blind",
}  # fmt: skip
ABLATIONS = {  # what is left out -> constants held at a value that removes it
    "shape of products (few tokens, thin shards)": {"small_batch_tokens": 1e-6, "thin_shard_channels": 1e-6},
    "sorting of tokens, tokens of an expert": {"sorting_traffic_bytes": 1e-6, "few_expert_tokens": 1e-6},
    "misaligned shards": {"misaligned_penalty": 1e-9},
    "score matrix of early software": {"score_traffic_bytes": 1e-9},
    "traffic of the logits": {"logit_traffic_bytes": 1e-9},
    "casting to 8 and 4 bits": {"cast_traffic_factor": 1e-9},
    "launches": {
        name: 1e-9
        for name in NAMES
        if name.startswith("launch_") or name in ("mixture_launch_ms", "deepspeed_launch_ms", "unpacking_launch_ms")
    },
    "exchange of experts": {"fast_exchange_exposure": 1e-9, "slow_exchange_exposure": 1e-9},
    "tensor and context parallelism": {
        "context_exposure": 1e-9,
        **{name: 1e-9 for name in NAMES if name.startswith("tensor_")},
    },
    "narrow heads": {"narrow_head_channels": 1e-9},
    "exchange between replicas": {"sharded_inefficiency": 1e-9, "exposed_reduction_share": 1e-9},
    "releases of mixtures": {"new_mixture": 1.0, "old_mixture": 1.0},
    "first fused attention": {"first_attention": 1.0},
    "levels of software (all as one)": {
        name: 1.0 for name in NAMES if name.startswith("software_") or name == "megatron_deepspeed"
    },
    "factors of devices": {name: 1.0 for name in NAMES if name.startswith("device_")},
}


def write_report(
    found: Study,
    place: np.ndarray,
    errors: Mapping[str, np.ndarray],
    regimes: np.ndarray,
    spreads: Mapping[str, Any],
    ablate: bool,
) -> None:
    """Accuracy by split, by source, by regime; ablations; constants; what did not help."""
    lines = [_head(found), "## Accuracy", "", "| split | rows | median | P90 | bias |", "|---|---|---|---|---|"]
    names = {
        "known": "5 folds by (source, model)", "unseen": "whole source unseen", "blind": "folds, layout, batches and recomputation hidden",
        "unseen_blind": "source unseen and hidden",
    }  # fmt: skip
    inside = found.errors(found.known, place)
    lines += [_row("all rows in the fit", inside), *(_row(title, errors[key]) for key, title in names.items()), ""]
    lines += [
        "## Range by regime",
        "",
        "P10 to P90 is exp(± 1.2816 sigma); sigma holds 80 % of the cross-validated rows of a regime.",
        "",
    ]
    lines += [
        "| regime | rows | sigma, known | covered | hidden | covered | unseen | covered | unseen and hidden | covered |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    for regime in spreads["regimes"]["known"]:
        rows = regimes == regime
        if rows.any():
            lines.append(_regime(regime, rows, errors, spreads["regimes"]))
    lines += [
        "",
        "## By source",
        "",
        "| source | rows | known: median | P90 | unseen: median | P90 | bias |",
        "|---|---|---|---|---|---|---|",
    ]
    lines += _sources(found, errors)
    if ablate:
        lines += [
            "",
            "## What buys what",
            "",
            "Each line without one part, refitted.",
            "",
            "| without | folds | unseen | hidden |",
            "|---|---|---|---|",
        ]
        lines += _ablations(found, errors)
    lines += ["", "## Whole runs", "", *_whole_runs(found, place)]
    lines += ["", *_tried(), "", "## Constants", "", "| constant | guess | fitted |", "|---|---|---|"]
    lines += [f"| {name} | {PARAMETERS[name].guess:g} | {value:.3g} |" for name, value in found.values(place).items()]
    lines += ["", "## Skipped rows", "", "| reason | rows |", "|---|---|"]
    reasons = [reason for _, reason in found.skipped]
    lines += [
        f"| {reason} | {reasons.count(reason)} |"
        for reason in sorted(set(reasons), key=lambda one: (-reasons.count(one), one))
    ]
    REPORT.write_text("\n".join(lines) + "\n", encoding="utf-8")


def _head(found: Study) -> str:
    return (
        "# Calibration of training time\n\n"
        f"Fitted on {len(found.runs)} measured speeds of `reportgen/catalog/measurements/training_runs.csv` through the formulas "
        "of `reportgen/estimator/step_work.py`, `step_time.py`, `communication.py` and `step_update.py`, by least squares of "
        "ln(estimate / measured) with large errors counted linearly and every constant held near a guess. "
        "Rows of one model from one source are never split.\n"
    )


def _row(title: str, errors: np.ndarray) -> str:
    median, ninth, bias = summary(errors)
    return f"| {title} | {len(errors)} | {median:.1%} | {ninth:.1%} | {bias:+.1%} |"


def _regime(
    regime: str, rows: np.ndarray, errors: Mapping[str, np.ndarray], spreads: Mapping[str, Mapping[str, float]]
) -> str:
    cells = [regime, str(rows.sum())]
    for key, split in REGIME_SPLITS.items():
        sigma = spreads[key][regime]
        covered = np.mean(np.abs(errors[split][rows]) <= 1.2816 * sigma)
        cells += [f"{sigma:.2f}", f"{covered:.0%}"]
    return f"| {' | '.join(cells)} |"


def _sources(found: Study, errors: Mapping[str, np.ndarray]) -> list[str]:
    sources = np.array([run.source for run in found.runs])
    lines = []
    for source in sorted(set(sources), key=lambda one: (-np.sum(sources == one), one)):
        rows = sources == source
        known, unseen = summary(errors["known"][rows]), summary(errors["unseen"][rows])
        shares = " | ".join(f"{value:.1%}" for value in (*known[:2], *unseen[:2]))
        lines.append(f"| {source} | {rows.sum()} | {shares} | {unseen[2]:+.1%} |")
    return lines


def _ablations(found: Study, errors: Mapping[str, np.ndarray]) -> list[str]:
    def text(some: np.ndarray) -> str:
        median, ninth, _ = summary(some)
        return f"{median:.1%} / {ninth:.1%}"

    lines = [f"| nothing | {text(errors['known'])} | {text(errors['unseen'])} | {text(errors['blind'])} |"]
    for title, held in ABLATIONS.items():
        reduced = replace(found, fixed=dict(held))
        place = reduced.constants(np.ones(len(found.runs)))
        known, blind = cross_validated(reduced, place, fold_of)
        unseen, _ = cross_validated(reduced, place, lambda run: run.source)
        lines.append(f"| {title} | {text(known)} | {text(unseen)} | {text(blind)} |")
    return lines


def _whole_runs(found: Study, place: np.ndarray) -> list[str]:
    """Published hours of whole trainings beside the estimate with everything that is lost."""
    items = [prepared(run, with_software=False) for run in found.whole]
    steps = StepModel(items, hardware_columns()).seconds(found.values(place))
    factors = np.array([calendar_factor(item, CATALOG) for item in items])
    errors = np.log(steps * factors / np.array([item.measured for item in items]))
    median, ninth, bias = summary(errors)
    lines = [
        "GPU hours that sources published for whole trainings, restarts and evaluation included, against the time of the steps "
        "times the factor of calendar time (goodput by size, evaluation, checkpoints). No constant is fitted to them.",
        "",
        f"{len(items)} runs: median {median:.1%}, P90 {ninth:.1%}, bias {bias:+.1%}; where the number of GPUs is not published, "
        f"{ASSUMED_GPUS} are assumed.",
        "",
        "| run | GPUs | GPU hours | estimate / measured | factor of calendar time |",
        "|---|---|---|---|---|",
    ]
    for item, error, factor in zip(items, errors, factors, strict=True):
        run = item.run
        hours = item.measured * run.tokens / 3600
        name = f"{run.model}, {run.accelerator.id}"
        lines.append(f"| {name} | {run.gpus or 'not stated'} | {hours:,.0f} | {np.exp(error):.2f} | {factor:.2f} |")
    return lines


def _tried() -> list[str]:
    return (Path(__file__).parent / "reports" / "training_time_tried.md").read_text(encoding="utf-8").splitlines()
