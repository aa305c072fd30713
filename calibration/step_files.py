"""Writing the fitted constants of a step into the catalog."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from calibration.step_parameters import FIXED, PARAMETERS, as_fit
from calibration.step_validation import Study
from reportgen.evaluation.accuracy.rows import MEASUREMENTS
from reportgen.evaluation.accuracy.time import counted_parameters

DATA = Path(__file__).resolve().parents[1] / "reportgen" / "catalog" / "data"
AS_OF = "2026-11-30"
FIRST_LINE = (
    "# Written by `python -m calibration.training_time`; see calibration/reports/training_time.md. Do not edit.\n"
)
COMPARED = (
    "id", "model", "source", "method", "accelerator", "gpus", "precision", "sequence_length", "stack", "mixture",
    "active_parameters", "measured", "estimated",
)  # fmt: skip
CONSTANTS = {  # name -> unit, symbol, what it is
    "misaligned_penalty": ("share", "x_al", "products of shards whose width is not a multiple of 64 take this much longer"),
    "small_batch_tokens": ("tokens", "S_0", "tokens of a micro-batch at which products take twice their best time"),
    "thin_shard_channels": ("channels", "h_0", "channels of a shard at which products take twice their best time"),
    "few_expert_tokens": ("tokens", "S_e0", "tokens of an expert at which its products take twice their best time"),
    "sorting_traffic_bytes": ("B", "b_so", "bytes moved for a channel of a token and chosen expert, forward and backward"),
    "narrow_head_channels": ("channels", "d_a", "channels of a head at which fused attention takes twice its best time"),
    "score_traffic_bytes": ("B", "b_sc", "bytes moved for an element of the score matrix, forward and backward"),
    "cast_traffic_factor": ("factor", "k_q", "further passes over the activations for casting to 8 or 4 bits"),
    "logit_traffic_bytes": ("B", "b_lg", "bytes moved for an element of the logits"),
    "unpacking_traffic_bytes": ("B", "b_up", "bytes moved for a packed weight and pass, latency included"),
    "hidden_launch_share": ("share", "x_l", "part of the launching that shows although the GPU is busy longer"),
    "context_exposure": ("factor", "k_cp", "visible time of context parallelism over volume by link speed"),
    "fast_exchange_exposure": ("factor", "k_ef", "visible time of the exchange of experts over volume by speed of the fast link"),
    "slow_exchange_exposure": ("factor", "k_es", "visible time of the exchange of experts over volume by speed of the network"),
    "sharded_inefficiency": ("factor", "k_z", "time of gathering weights over volume by link speed"),
    "exposed_gathering_share": ("share", "x_z", "part of the gathering that shows although computing takes longer"),
    "exposed_reduction_share": ("factor", "x_r", "visible time of summing gradients over volume by link speed"),
    "update_traffic_bytes": ("B", "b_o", "bytes moved for a weight in an update"),
    "step_start_seconds": ("s", "t_s0", "start of a step, logging, data"),
    "host_update_seconds_per_parameter": ("s", "t_h0", "update of a weight in host memory"),
    "least_network_gb_s": ("GB/s", "B_min", "network of a node whose cards are not known"),
}  # fmt: skip


def rounded(value: float) -> float:
    """Three significant digits: more is not known."""
    return float(f"{value:.3g}")


def write(values: Mapping[str, float], ranges: Mapping[str, tuple[float, float]], errors: Mapping[str, Any]) -> None:
    """The two files of the catalog. errors: sigma of ln by key of constant, and by regime."""
    fit = as_fit({name: rounded(value) for name, value in values.items()})
    constants = {}
    for name, (unit, symbol, note) in CONSTANTS.items():
        low, high = ranges.get(name, (FIXED.get(name),) * 2)
        spread = f"; refits without one source: {rounded(low):g} to {rounded(high):g}" if name not in FIXED else ""
        constants[name] = _record(fit["constant"][name], unit, symbol, "step", note + spread, name in FIXED)
    for key, (value, symbol, note) in errors["constants"].items():
        constants[key] = _record(rounded(value), "share", symbol, "ranges", note, key == "time_error_unlisted")
    body = {"as_of": AS_OF, "constants": constants}
    (DATA / "constants_step_time.yaml").write_text(FIRST_LINE + _dump(body), encoding="utf-8")
    looked_up = {
        "as_of": AS_OF,
        "calibrated": errors["families"],
        "sources": errors["sources"],
        **{key: fit[key] for key in ("families", "devices", "levels", "extras")},
        "errors": errors["regimes"],
    }
    (DATA / "step_time_fit.yaml").write_text(FIRST_LINE + _dump(looked_up), encoding="utf-8")


def write_compared(found: Study, errors: np.ndarray) -> None:
    """Every measured speed beside its estimate by constants that have not seen the model's rows of that source."""
    with (MEASUREMENTS / "training_runs_compared.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COMPARED)
        for run, measured, error in zip(found.runs, found.known.measured, errors, strict=True):
            active = counted_parameters(run)["active_parameters"]
            speeds = (f"{1 / measured:.5g}", f"{1 / measured / np.exp(error):.5g}")
            writer.writerow((
                run.id, run.model, run.source, run.method, run.accelerator.id, run.gpus, run.precision, f"{run.sequence_length:g}",
                run.stack, int(run.architecture.is_moe), f"{active:.5g}", *speeds,
            ))  # fmt: skip


def _record(value: float, unit: str, symbol: str, group: str, note: str, assumed: bool) -> dict[str, Any]:
    facts = {
        "value": value,
        "unit": unit,
        "symbol": symbol,
        "group": group,
        "source": "reportgen" if assumed else "calibration",
    }
    return {**facts, "confidence": "assumed" if assumed else "measured", "note": note}


def _dump(body: Mapping[str, Any]) -> str:
    return yaml.safe_dump(body, sort_keys=False, allow_unicode=True, width=200, default_flow_style=None)


assert {*CONSTANTS} == {name for name, item in PARAMETERS.items() if item.place[0] == "constant"} | {*FIXED}
