"""What the fit of serving writes: constants and engines of the catalog, and the report."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from reportgen.evaluation.accuracy.serving_rows import ServingRow

DATA = Path(__file__).parents[1] / "reportgen" / "catalog" / "data"
QUANTILE = 1.2816
FEW_USERS = 8
DATE = "2026-11-30"
# constant -> unit, symbol, note
FACTS = {
    "decode_bandwidth_utilization": ("share", "MBU", "share of the memory bandwidth that shared matrices keep"),
    "expert_bandwidth_utilization": ("share", "MBU_E", "the same for experts, read in one grouped kernel"),
    "cache_bandwidth_utilization": ("share", "MBU_K", "the same for the cache of keys and values"),
    "prefill_compute_utilization": ("share", "u_16", "share of the dense 16-bit peak that matrix products keep"),
    "compute_utilization_8bit": ("share", "u_8", "the same in fp8"),
    "compute_utilization_4bit": ("share", "u_4", "the same in NVFP4"),
    "compute_utilization_widened": ("share", "u_w", "the same where 4-bit weights are widened to 16 bit on the way"),
    "attention_compute_utilization": ("share", "u_a", "the same for scores and weighted values of a prompt"),
    "activation_passes": ("passes", "n_a", "reads and writes of each token's activations a layer, and for each expert visited"),
    "all_reduce_latency": ("s", "alpha_AR", "twice a layer when the heads are split"),
    "all_reduce_bus_share": ("share", "beta_AR", "share of the link bandwidth in one direction"),
    "decode_layer_time": ("s", "tau_L", "a layer and step, beside its traffic"),
    "decode_quantized_layer_time": ("s", "tau_q", "added where attention is quantised: its activations are converted first"),
    "decode_expert_layer_time": ("s", "tau_E", "added for a layer with experts"),
    "decode_request_time": ("s", "tau_r", "a request and step: scheduling, sampling, handing out"),
    "prefill_interference_share": ("share", "kappa", "share of the work of other prompts that a running answer feels"),
    "benchmark_burst_slope": ("share", "kappa_b", "only in benchmarks whose users all start together; a plan uses a queue"),
    "benchmark_draft_acceptance": ("share", "a_b", "share of drafts accepted in the benchmark with multi-token prediction; random text"),
}  # fmt: skip
ERRORS = {
    "serving_error_dense": ("sigma_S", lambda row: not row.architecture.is_moe and row.weights not in ("nvfp4", "int4")),
    "serving_error_narrow": ("sigma_S", lambda row: not row.architecture.is_moe and row.weights in ("nvfp4", "int4")),
    "serving_error_mixture": ("sigma_S", lambda row: row.architecture.is_moe),
    "serving_error_pcie": ("sigma_S", lambda row: row.gpus > 1 and (row.accelerator.link_domain or 1) == 1),
    "serving_error_hopper": ("sigma_G", lambda row: row.accelerator.family == "hopper"),
    "serving_error_blackwell": ("sigma_G", lambda row: row.accelerator.family == "blackwell"),
    "serving_error_ampere": ("sigma_G", lambda row: row.accelerator.family == "ampere"),
}  # fmt: skip
POINT_NEAR = 2.0  # loads no further apart than this give the error at a measured point
UNLISTED_FACTOR = 2.0  # an accelerator or a generation that the fit has not seen


def errors(rows: Sequence[ServingRow], predicted: np.ndarray) -> np.ndarray:
    """ln(estimate / measured) of every row."""
    return np.log(predicted) - np.log([row.measured for row in rows])


def sigma(found: np.ndarray) -> float:
    """The sigma whose P10 to P90 covers four rows in five."""
    return float(np.quantile(np.abs(found), 0.8) / QUANTILE)


def ranges(rows: Sequence[ServingRow], predicted: np.ndarray) -> dict[str, tuple[float, str]]:
    """Constants of the estimate's own error: value and symbol."""
    error = errors(rows, predicted)
    speed = np.array([row.metric != "ttft_ms" and not row.suspect for row in rows])
    found = {}
    for name, (symbol, holds) in ERRORS.items():
        chosen = speed & np.array([holds(row) for row in rows])
        found[name] = (round(sigma(error[chosen]), 2), symbol)
    found["serving_error_unlisted"] = (round(UNLISTED_FACTOR * sigma(error[speed]), 2), "sigma_G")
    first = np.array([row.metric == "ttft_ms" and not row.suspect for row in rows])
    few = np.array([row.users <= FEW_USERS for row in rows])
    found["first_token_error"] = (round(sigma(error[first & few]), 2), "sigma_F")
    found["first_token_error_crowded"] = (round(sigma(error[first & ~few]), 2), "sigma_Fc")
    near = measured_points(rows, predicted)
    found["measured_point_error"] = (round(sigma(near[near[:, 2] <= np.log(POINT_NEAR), 1]), 2), "sigma_m")
    return found


def measured_points(rows: Sequence[ServingRow], predicted: np.ndarray) -> np.ndarray:
    """Pairs of loads of one server: error of a time a token, the same corrected by the other, their distance, same prompt.

    As in the estimate, the correction fades with the distance: ratio ** (1 / sqrt(ratio of the users)).
    """
    error = errors(rows, predicted)
    servers: dict[tuple, list[int]] = {}
    for place, row in enumerate(rows):
        if row.metric == "tpot_ms" and not row.suspect and row.users >= 1:
            key = (row.model, row.accelerator.id, row.gpus, row.groups, row.expert_groups, row.engine, row.version)
            servers.setdefault((*key, row.weights, row.draft_tokens), []).append(place)
    pairs = []
    for places in servers.values():
        for mine, other in ((mine, other) for mine in places for other in places if mine != other):
            distance = abs(np.log(rows[mine].users / rows[other].users))
            corrected = error[mine] - error[other] * np.exp(-distance / 2)
            pairs.append((error[mine], corrected, distance, rows[mine].prompt_tokens == rows[other].prompt_tokens))
    return np.array(pairs)


def write_constants(
    rows, predicted, constants: Mapping[str, float], by_fold: Mapping[str, Mapping[str, float]]
) -> None:
    """constants_serving_fitted.yaml: each with the range that it took when models were held out."""
    lines = [
        "# Written by calibration/serving.py from reportgen/catalog/measurements/serving_measurements.csv; do not edit by hand.",
        "# value: fitted on all rows. low, high: the range of the fits without one model each, at least 5 % either way.",
        f"as_of: '{DATE}'",
        "constants:",
    ]
    for name, (unit, symbol, note) in FACTS.items():
        value = constants[name]
        folds = [fold[name] for fold in by_fold.values()]
        low, high = min(*folds, 0.95 * value), max(*folds, 1.05 * value)
        if unit == "share" and not name.startswith(("prefill_interf", "benchmark_b")):
            high = min(high, 1.0)
        lines.append(
            f"  {name}:\n    {{value: {_number(value)}, low: {_number(low)}, high: {_number(high)}, unit: {unit}, symbol: {symbol}, "
            f'group: serving, source: serving-fit, confidence: measured,\n     note: "{note}"}}'
        )
    lines.append(
        "  pcie_all_reduce_bandwidth:\n    {value: 20.0e+9, low: 2.0e+9, high: 25.0e+9, unit: B/s, symbol: B_PCIe, group: serving, "
        'source: aiconfigurator, confidence: measured,\n     note: "link bandwidth to put in the place of NVLink between PCIe cards"}'
    )
    for name, (value, symbol) in ranges(rows, predicted).items():
        lines.append(
            f"  {name}:\n    {{value: {value}, unit: share, symbol: {symbol}, group: ranges, source: serving-fit, "
            'confidence: measured,\n     note: "sigma of ln(measured / estimate) of models held out"}'
        )
    (DATA / "constants_serving_fitted.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def write_engines(rows, constants: Mapping[str, float], known: Mapping, fields: Mapping[str, str]) -> None:
    """engines_serving.yaml: factors against vLLM, and the releases they were fitted on."""
    lines = [
        "# Written by calibration/serving.py; do not edit by hand.",
        "# Engines: factors against vLLM, what passes before the first token, and the releases that the fit saw.",
        f"as_of: '{DATE}'",
        "engines:",
    ]
    for engine, record in known["engines"].items():
        values = {}
        for key, field in fields.items():
            own, shared = constants.get(f"{key}.{engine}"), constants.get(key)
            values[field] = own if own is not None else shared if shared is not None else record[field]
        seen = sorted({row.version for row in rows if row.engine == engine and row.version and not row.suspect})
        text = ", ".join(f"{field}: {_number(float(value))}" for field, value in values.items())
        lines.append(f"  {engine}:\n    {{{text},\n     fitted_on: '{_releases(seen)}'}}")
    (DATA / "engines_serving.yaml").write_text("\n".join(lines) + "\n", encoding="utf-8")


def _releases(seen: Sequence[str]) -> str:
    numbered = [version for version in seen if version[:1].isdigit() and " " not in version]
    return ", ".join(numbered)


def _number(value: float) -> str:
    text = f"{value:.4g}"
    if "e" in text:
        mantissa, _, exponent = text.partition("e")
        text = f"{mantissa if '.' in mantissa else mantissa + '.0'}e{int(exponent):+d}"
    return text


# --- the report


def table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A Markdown table."""
    lines = [" | ".join(head), " | ".join("---" for _ in head), *(" | ".join(row) for row in body)]
    return "\n".join(f"| {line} |" for line in lines)


def scored(name: str, error: np.ndarray, spread: np.ndarray | None = None) -> list[str]:
    """Rows, median, P90, bias, and what P10 to P90 covers."""
    share = np.abs(np.exp(error) - 1)
    covered = "–" if spread is None else f"{100 * np.mean(np.abs(error) <= QUANTILE * spread):.0f} %"
    middle, ninth = np.median(share), np.quantile(share, 0.9)
    bias = 100 * (np.exp(np.median(error)) - 1)
    return [name, str(len(error)), f"{100 * middle:.1f} %", f"{100 * ninth:.1f} %", f"{bias:+.1f} %", covered]


HEAD = ("", "rows", "median", "P90", "bias", "in P10–P90")


def write_report(rows, skipped, inside, predicted, constants, by_fold, priors, ablations) -> str:
    """The report as Markdown."""
    error, fitted = errors(rows, predicted), errors(rows, inside)
    spread = spreads(rows, ranges(rows, predicted))
    known = np.array([bool(row.version) for row in rows])
    clean = known & np.array([not row.suspect for row in rows])
    kinds = _kinds(rows)
    parts = [
        "# Serving: constants fitted on published measurements",
        INTRODUCTION,
        "## Models held out",
        "Rows whose configuration is known and whose engine version is stated; every row estimated with constants that no row of its "
        "model took part in. Models with few rows are held out together.",
        table(HEAD, [scored(name, error[chosen & known], spread[chosen & known]) for name, chosen in kinds.items()]),
        "The same rows with constants fitted on all of them:",
        table(HEAD[:-1], [scored(name, fitted[chosen & known])[:-1] for name, chosen in kinds.items()]),
        "Without rows that contradict other rows (see below):",
        table(HEAD[:-1], [scored(name, error[chosen & clean])[:-1] for name, chosen in kinds.items()]),
    ]
    every = np.ones(len(rows), bool)
    for title, key in BY.items():
        parts.append(f"## By {title}")
        parts.append(_by(rows, error, spread, kinds, known, key))
    parts += [
        "## Range by accelerator",
        "All rows, all metrics, the range that the estimate gives for itself.",
        table(
            HEAD,
            [
                scored(name, error[chosen], spread[chosen])
                for name, chosen in _groups(rows, lambda row: row.accelerator.id, every)
                if chosen.sum() >= 100
            ],
        ),
        "## With a measured point",
        "Pairs of loads of one server, release and layout: the time a token of one when the other corrects the step, the less the further "
        "apart their users are. The first token gains nothing from it.",
        table(
            ("users apart", "pairs", "median before", "P90 before", "median after", "P90 after"),
            _points(measured_points(rows, predicted)),
        ),
        "## Constants",
        table(
            ("constant", "before", "fitted", "lowest and highest without one model"),
            [
                [
                    name,
                    _number(priors[name][0]),
                    _number(value),
                    " – ".join(
                        _number(end)
                        for end in (
                            min(fold[name] for fold in by_fold.values()),
                            max(fold[name] for fold in by_fold.values()),
                        )
                    ),
                ]
                for name, value in constants.items()
            ],
        ),
        "## Rows not estimated",
        table(
            ("reason", "rows"),
            [[reason, str(count)] for reason, count in sorted(skipped.items(), key=lambda item: -item[1])],
        ),
        "## Rows left out of the fit, kept in the figures",
        table(("reason", "rows"), _suspects(rows)),
    ]
    if ablations:
        parts += ["## What each term buys", table(
            ("without", *(f"{name}: median, P90" for name in kinds)),
            [["nothing", *(_pair(error[chosen & known]) for chosen in kinds.values())],
             *([name, *(_pair(errors(rows, found)[chosen & known]) for chosen in kinds.values())] for name, found in ablations.items())],
        )]  # fmt: skip
    parts += ["## What was tried and not kept", TRIED]
    return "\n\n".join(parts) + "\n"


def spreads(rows: Sequence[ServingRow], found: Mapping[str, tuple[float, str]]) -> np.ndarray:
    """The sigma that the estimate gives each row."""
    values = []
    for row in rows:
        if row.metric == "ttft_ms":
            values.append(found["first_token_error" if row.users <= FEW_USERS else "first_token_error_crowded"][0])
            continue
        kind = "mixture" if row.architecture.is_moe else "narrow" if row.weights in ("nvfp4", "mxfp4") else "dense"
        family = found.get(f"serving_error_{row.accelerator.family}") or found["serving_error_unlisted"]
        value = max(found[f"serving_error_{kind}"][0], family[0])
        if row.gpus > (row.accelerator.link_domain or 1):
            value = max(value, found["serving_error_pcie"][0])
        values.append(value)
    return np.array(values)


def _kinds(rows) -> dict[str, np.ndarray]:
    metric = np.array([row.metric for row in rows])
    few = np.array([row.users <= FEW_USERS for row in rows])
    return {
        "time per output token": metric == "tpot_ms",
        "output tokens a second": metric == "output_tok_s",
        f"time to first token, 1 to {FEW_USERS} users": (metric == "ttft_ms") & few,
        "time to first token, more users": (metric == "ttft_ms") & ~few,
    }


BY: dict[str, Callable[[ServingRow], str]] = {
    "model": lambda row: row.group,
    "accelerator": lambda row: row.accelerator.id,
    "engine": lambda row: row.engine or "other",
    "precision": lambda row: row.weights,
}


def _groups(rows, key, among: np.ndarray):
    names = np.array([key(row) for row in rows])
    return [(name, (names == name) & among) for name in sorted(set(names[among]))]


def _by(rows, error, spread, kinds, known, key) -> str:
    body = []
    for kind, of_kind in list(kinds.items())[:3]:
        for name, chosen in _groups(rows, key, of_kind & known):
            if chosen.sum() >= 10:
                body.append([kind, *scored(name, error[chosen], spread[chosen])])
    return table(("metric", *HEAD), body)


def _suspects(rows) -> list[list[str]]:
    counts: dict[str, int] = {}
    for row in rows:
        if row.suspect:
            counts[row.suspect] = counts.get(row.suspect, 0) + 1
    return [[reason, str(count)] for reason, count in sorted(counts.items(), key=lambda item: -item[1])]


def _points(pairs: np.ndarray) -> list[list[str]]:
    body = []
    for same, of_prompt in ((1, "same prompt"), (0, "other prompt")):
        for low, high in ((0, 2), (2, 4), (4, 8), (8, 1000)):
            chosen = (pairs[:, 3] == same) & (pairs[:, 2] >= np.log(max(low, 1))) & (pairs[:, 2] < np.log(high))
            before, after = (scored("", pairs[chosen, column])[2:4] for column in (0, 1))
            name = f"{max(low, 1)} to {high} times" if high < 1000 else f"{low} times and more"
            body.append([f"{name}, {of_prompt}", str(int(chosen.sum())), *before, *after])
    return body


def _pair(error: np.ndarray) -> str:
    share = np.abs(np.exp(error) - 1)
    return f"{100 * np.median(share):.1f} %, {100 * np.quantile(share, 0.9):.0f} %"


INTRODUCTION = """Written by `calibration/serving.py`. The formulas are those of the estimator (`reportgen/estimator/serving_*.py`);
the rows are `reportgen/catalog/measurements/serving_measurements.csv`, with what published benchmark scripts say of settings that the rows
leave out (`serving_settings.yaml`). Loss: pseudo-Huber of ln(estimate / measured), rows of a large group (model, accelerator, engine,
precision, metric) weighted by size to the power -0.3, constants held near priors. The first token is fitted at 1 to 8 users only: above,
it is a queue of the benchmark.

Three things in the rows decide the result more than any constant:

* `n_gpus` of rows with `moeTP = moeEP = k` in InferenceX is k squared: the same measurements stand elsewhere in the file with k GPUs.
* Runs with multi-token prediction are not told from runs without. The change log of InferenceX names the images; without this the rows of
  DeepSeek and Qwen3.5 contradict each other by 1.5 to 1.9.
* The format of the cache is not in the rows; the scripts name it."""

TRIED = """* One bandwidth share for weights, experts and cache: they differ by little (0.8 to 0.9), but the fit without
  one model moves less when they are apart.
* A lower compute share for experts: it disappears once the passes over activations are counted for every expert that a
  token visits.
* (read^q + multiply^q)^(1/q) with q = 1, 1.4 (kernel tables) or very large in place of 2: the same within 0.1 %; 2 is the
  shortest formula.
* A factor for the generation (Blackwell starts small kernels sooner), one for the prompts of others in SGLang, a time for
  the exchange of tokens between whole experts: each was fitted (near 0.85, 1.15, 20 microseconds a layer), and models held
  out are estimated as well without them.
* A time a step whatever the model (0.5 ms): the same within 0.1 % without it.
* A measured point that scales the step at any load: beyond four times its users it does more harm than good.
* A factor for TensorRT-LLM on the time of the layers: 1.0 within its error.
* Own compute shares for Ampere and Ada: within 5 % of those of Hopper.
* The number of users lowered by those that wait for their first token: no gain at any load.
* One launch count a layer for all models: the first token of latent and linear attention is 2 to 3 times later than that of
  plain attention; counting their kernels (30 more a layer) explains it for both, and for three engines.
* A delay of the first token by the number of tokens that an engine hands out at a time (TensorRT-LLM, 10 or 20): true for
  some runs, not known for the others; left in the error."""
