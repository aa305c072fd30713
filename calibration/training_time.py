"""Fits the constants of a step to the shipped runs, validates them, writes the catalog files and the report.

python -m calibration.training_time            all of it (about two minutes of one core)
python -m calibration.training_time --quick    no ablations
"""

from __future__ import annotations

import sys

import numpy as np

from calibration.step_files import write, write_compared
from calibration.step_report import REGIME_SPLITS, write_report
from calibration.step_validation import NAMES, Study, cross_validated, fold_of, spread, study

UNLISTED_ERROR = 0.45
FEWEST = 25  # rows that a regime needs for an error of its own
LEVELS = ("tuned", "megatron", "early", "compiled", "fused", "plain")


def regimes_of(found: Study) -> np.ndarray:
    """Regime of every row: mixtures, else the level of the software."""
    from reportgen.evaluation.accuracy.time import regime_of

    return np.array([regime_of(run) for run in found.runs])


def errors_by_regime(regimes: np.ndarray, errors: np.ndarray) -> dict[str, float]:
    """Sigma by regime; small regimes take that of all dense rows."""
    dense = spread(errors[regimes != "mixture"])
    found = {}
    for regime in ("mixture", *LEVELS):
        rows = regimes == regime
        found[regime] = float(f"{spread(errors[rows]) if rows.sum() >= FEWEST else dense:.3g}")
    return found


def errors_of(regimes: np.ndarray, splits: dict[str, np.ndarray]) -> dict:
    """Sigma of ln by key of constant (with symbol and note), and by regime."""
    dense = regimes != "mixture"
    words = {
        "time_error_known": ("known", dense, "s_k", "dense model, stack and hardware in the data, configuration known"),
        "time_error_new_cluster": ("unseen", dense, "s_n", "the same on a source that no constant has seen"),
        "time_error_unknown_configuration": ("unseen_blind", dense, "s_b", "unseen source, layout and batches by rule"),
        "time_error_mixture_of_experts": ("unseen_blind", ~dense, "s_e", "mixtures of experts, layout and batches by rule"),
    }
    constants = {key: (spread(splits[split][rows]), symbol, note) for key, (split, rows, symbol, note) in words.items()}
    constants["time_error_unlisted"] = (UNLISTED_ERROR, "s_u", "hardware of a family without any published run")
    return {
        "constants": constants,
        "regimes": {key: errors_by_regime(regimes, splits[split]) for key, split in REGIME_SPLITS.items()},
    }


def main(arguments: list[str]) -> None:
    found = study()
    everything = np.ones(len(found.runs))
    place = found.constants(everything)
    known, blind = cross_validated(found, place, fold_of)
    unseen, unseen_blind = cross_validated(found, place, lambda run: run.source)
    splits = {"known": known, "blind": blind, "unseen": unseen, "unseen_blind": unseen_blind}
    regimes = regimes_of(found)
    errors = errors_of(regimes, splits)
    errors["families"] = sorted({run.accelerator.family for run in found.runs})
    errors["sources"] = sorted({run.source for run in found.runs})
    write(found.values(place), _ranges(found, place), errors)
    write_compared(found, known)
    write_report(found, place, splits, regimes, errors, "--quick" not in arguments)


def _ranges(found: Study, place: np.ndarray) -> dict[str, tuple[float, float]]:
    """Least and greatest value of each constant over refits that leave one large source out."""
    sources = [run.source for run in found.runs]
    large = [source for source in dict.fromkeys(sources) if sources.count(source) >= FEWEST]
    tried = [found.values(place)]
    for source in large:
        weights = np.array([float(other != source) for other in sources])
        tried.append(found.values(found.constants(weights, place, 4)))
    return {name: (min(values[name] for values in tried), max(values[name] for values in tried)) for name in NAMES}


if __name__ == "__main__":
    main(sys.argv[1:])
