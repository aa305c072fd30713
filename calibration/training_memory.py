"""Fits the constants of training memory to the shipped measurements, cross-validates them, writes constants and report.

    python calibration/training_memory.py            evaluate and print
    python calibration/training_memory.py --write    also write the constants and the report

The formulas are those of the product: nothing is modelled twice. Few constants, each seen by several sources, drawn
towards published values; errors weigh by their logarithm, softly, and rows of one model of one source weigh less the
more they are. Folds hold whole (source, model) pairs, or whole sources, never single rows.
"""

from __future__ import annotations

import argparse
import re
from collections import Counter, defaultdict
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

from reportgen.catalog import Catalog, load_catalog
from reportgen.catalog.yaml_data import DATA
from reportgen.evaluation.accuracy import shipped_file
from reportgen.evaluation.accuracy.memory import MemoryCase, counting, memory_case
from reportgen.evaluation.accuracy.memory_rows import COLUMNS
from reportgen.evaluation.accuracy.rows import Skipped, read_rows
from reportgen.evaluation.training_inputs import formats

CONSTANTS = DATA / "constants_training_memory.yaml"
REPORT = Path(__file__).parent / "reports" / "training_memory.md"
FITTED = {  # constant: published or plausible value, lowest, highest
    "activation_factor": (1.0, 0.7, 1.4),
    "recomputed_layer_factor": (1.0, 0.5, 2.0),
    "logits_bytes_eager": (14, 6, 28),
    "logits_bytes_native": (10, 4, 20),
    "logits_bytes_megatron": (10, 4, 24),
    "logits_bytes_chunked": (4, 1, 8),
    "allocator_factor": (1.05, 1.0, 1.2),
    "framework_memory_gib": (1.5, 0.5, 4),
    "communication_memory_gib": (2, 0, 6),
    "allocator_factor_reserved": (1.03, 1.0, 1.15),
    "framework_memory_reserved_gib": (0.7, 0.2, 2),
    "framework_memory_allocated_gib": (0.1, 0, 0.5),
    "changing_shapes_factor": (3, 1, 5),
    "update_copy_bytes_deepspeed": (8, 0, 10),
    "bucket_parameters": (2e9, 0.5e9, 4e9),
}
REMOVED = {  # what a term buys: constants that switch it off
    "eager copies of norms and activations": {"eager_kernels": 0.0},
    "copies for the update (DeepSpeed)": {"update_copy_bytes_deepspeed": 0.0},
    "gradient buckets": {"bucket_parameters": 1.0},
    "unused blocks of samples of many lengths": {"changing_shapes_factor": 1.0},
    "attention scores without flash attention": {"score_bytes": 0.0},
    "communication buffers": {"communication_memory_gib": 0.0},
    "temporary numbers of the update": {"update_temporary_bytes": 0.0},
}
PULL = 1.0  # how strongly constants are drawn to their published values
USABLE = 0.95
COVERED = 0.8  # share of rows that P10 to P90 shall cover
NORMAL = 1.2816
FOLDS = 5


class Rows:
    """All usable rows, evaluated together: one array calculation a structure."""

    def __init__(self, cases: list[MemoryCase], catalog: Catalog):
        self.cases = cases
        self.constants = {key: record.value for key, record in catalog.constants.items()}
        self.measured = np.array([case.row.positive("peak_gib_per_gpu") or np.nan for case in cases])
        self.ran_out = np.array([case.ran_out for case in cases])
        self.peaks = np.flatnonzero(~np.isnan(self.measured))
        self.method = np.array([case.read.method for case in cases])
        self.source = np.array([case.row.text("source").split(" ")[0] for case in cases])
        models = [case.row.text("model").split(" (")[0] for case in cases]
        self.pair = np.array([f"{source} {model}" for source, model in zip(self.source, models, strict=True)])
        counts = Counter(self.pair[self.peaks])
        self.weight = np.array([max(1, counts[pair]) ** -0.25 for pair in self.pair])
        groups = defaultdict(list)
        for index, case in enumerate(cases):
            groups[case.question.features, tuple(sorted(case.inputs))].append(index)
        self.groups = [
            Group(np.array(group), [cases[index] for index in group], self.constants) for group in groups.values()
        ]

    def estimate(self, changes: dict[str, float] | None = None, device: bool = False) -> np.ndarray:
        """Estimated peaks, counted as each row counts, or all of the whole device."""
        found = np.full(len(self.cases), np.nan)
        for group in self.groups:
            found[group.places] = group.estimate({**self.constants, **(changes or {})}, changes or {}, device)
        return found

    @property
    def usable(self) -> np.ndarray:
        """The usable memory of each row's card."""
        return np.array([
            USABLE * case.question.tables["accelerators_memory_gib"].get(case.inputs["accelerator"]) for case in self.cases
        ])  # fmt: skip


class Group:
    """Rows of one structure as columns."""

    def __init__(self, places: np.ndarray, cases: list[MemoryCase], constants: dict[str, float]):
        self.places, self.graph, size = places, cases[0].question.layout_graph, len(cases)
        tables = cases[0].question.tables
        names = [key for key in cases[0].inputs if not key.startswith("accelerators_")]
        columns = {key: np.array([case.inputs[key] for case in cases]) for key in names}
        self.inputs = {key: value[0] if value.dtype.kind in "UO" else value for key, value in columns.items()} | tables
        usable = [USABLE * tables["accelerators_memory_gib"].get(case.inputs["accelerator"]) for case in cases]
        self.inputs["memory_usable_gib"] = np.array(usable)
        free = {  # where no scenario overrides the quantity
            key: np.array([key not in case.read.scenario.get("overrides", {}) for case in cases])
            for key in self.inputs
            if key in constants or key in ("eager_kernels", "update_temporary_bytes")
        }
        self.free = free
        self.logits = [_logits_constant(case) for case in cases]
        self.measures = np.array([case.measure for case in cases])
        self.first_stage = np.array([case.read.first_stage for case in cases])
        self.size = size

    def estimate(self, constants: dict[str, float], changes: dict[str, float], device: bool) -> np.ndarray:
        """Estimated peaks with other constants."""
        inputs = dict(self.inputs)
        for key, free in self.free.items():
            if key in FITTED or key in changes:
                inputs[key] = np.where(free, changes.get(key, constants.get(key, np.nan)), inputs[key])
        seen = np.array([constants[name] for name in self.logits])
        inputs["logits_bytes"] = seen if device else np.where(self.first_stage, 0.0, seen)
        copies = self.inputs["update_copy_bytes"]
        inputs["update_copy_bytes"] = np.where(copies > 0, constants["update_copy_bytes_deepspeed"], 0.0)
        for measure in () if device else ("allocated", "reserved"):
            here = self.measures == measure
            for key, value in counting(measure, constants).items():
                inputs[key] = np.where(here, value, inputs[key])
        found = self.graph.evaluate(inputs, only=("memory_per_gpu_gib",))["memory_per_gpu_gib"]
        return np.broadcast_to(found, (self.size,))


def _logits_constant(case: MemoryCase) -> str:
    table, scenario = formats(), case.question.scenario
    kind = table["cross_entropies"][scenario.cross_entropy]["logits"]
    return table["stacks"][scenario.stack]["logits"] if kind == "by_stack" else kind


def fit(rows: Rows, chosen: np.ndarray, fixed: dict[str, float] | None = None) -> dict[str, float]:
    """The constants that suit the chosen rows; fixed ones keep their values."""
    names = [name for name in FITTED if name not in (fixed or {})]
    start, low, high = (np.array([FITTED[name][part] for name in names], dtype=float) for part in range(3))
    scale = high - low

    def residuals(point: np.ndarray) -> np.ndarray:
        estimate = rows.estimate({**dict(zip(names, point * scale, strict=True)), **(fixed or {})})
        errors = np.log(estimate[chosen] / rows.measured[chosen]) * rows.weight[chosen]
        return 10 * np.concatenate([errors, PULL * (point - start / scale)])

    solved = least_squares(
        residuals, start / scale, bounds=(low / scale, high / scale), loss="soft_l1", f_scale=0.6,
        max_nfev=8, diff_step=1e-3, x_scale=0.3,
    )  # fmt: skip
    return {**dict(zip(names, solved.x * scale, strict=True)), **(fixed or {})}


def cross_validated(rows: Rows, key: np.ndarray, folds: int, fixed: dict[str, float] | None = None):
    """Estimates of rows whose key was not in the fit; of the peaks as measured, and of the whole device."""
    keys = sorted(set(key))
    order = np.random.RandomState(0).permutation(len(keys))
    fold = {name: int(order[place]) % folds for place, name in enumerate(keys)}
    of_row = np.array([fold[name] for name in key])
    estimate, device, fitted = np.full(len(key), np.nan), np.full(len(key), np.nan), []
    for number in range(folds):
        test = of_row == number
        constants = fit(rows, rows.peaks[of_row[rows.peaks] != number], fixed)
        fitted.append(constants)
        estimate[test] = rows.estimate(constants)[test]
        device[test] = rows.estimate(constants, device=True)[test]
    return estimate, device, fitted


def errors(estimate: np.ndarray, measured: np.ndarray) -> str:
    """Median, ninth decile and bias as a row of a table."""
    ratio = estimate / measured
    off = np.abs(ratio - 1)
    return f"{len(ratio)} | {np.median(off):.1%} | {np.quantile(off, 0.9):.1%} | {np.median(ratio) - 1:+.1%}"


def spread(estimate: np.ndarray, measured: np.ndarray) -> float:
    """The sigma whose P10 to P90 covers the wanted share of the rows."""
    return float(np.quantile(np.abs(np.log(measured / estimate)), COVERED) / NORMAL)


def read(catalog: Catalog) -> tuple[Rows, Counter]:
    """The usable rows of the shipped file, and why others are not."""
    cases, skipped = [], Counter()
    for row in read_rows(shipped_file("training_memory"), COLUMNS):
        try:
            cases.append(memory_case(row, catalog))
        except Skipped as reason:
            skipped[str(reason)] += 1
    return Rows(cases, catalog), skipped


def main() -> None:
    """Fit, validate, print; with --write also write, with --terms also what each term buys."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--terms", action="store_true")
    asked = parser.parse_args()
    rows, skipped = read(load_catalog())
    constants = fit(rows, rows.peaks)
    pairs, device, of_pairs = cross_validated(rows, rows.pair, FOLDS)
    sources, _, of_sources = cross_validated(rows, rows.source, FOLDS)
    sigma = {
        method: spread(pairs[of], rows.measured[of])
        for method in ("full", "lora", "qlora")
        if len(of := _of(rows, method))
    }
    text = report(rows, constants, pairs, device, sources, sigma, skipped, asked.terms)
    print(text)
    if asked.write:
        REPORT.write_text(text, encoding="utf-8")
        folds = [constants, *of_pairs, *of_sources]
        ends = {name: (min(item[name] for item in folds), max(item[name] for item in folds)) for name in constants}
        write_constants({**constants, **{f"{method}_memory_error": value for method, value in sigma.items()}}, ends)


def _of(rows: Rows, method: str) -> np.ndarray:
    return rows.peaks[rows.method[rows.peaks] == method]


def write_constants(values: dict[str, float], ends: dict[str, tuple[float, float]]) -> None:
    """The values into the YAML file, ranging over what the folds found."""
    text = CONSTANTS.read_text(encoding="utf-8")
    for name, value in values.items():
        written = f"value: {_number(value)}"
        if name in ends:
            written += f", low: {_number(ends[name][0])}, high: {_number(ends[name][1])}"
        pattern = rf"(  {name}:\n    {{)value: [^,]+(?:, low: [^,]+, high: [^,]+)?"
        text, count = re.subn(pattern, rf"\g<1>{written}", text)
        assert count == 1, name
    CONSTANTS.write_text(text, encoding="utf-8")


def _number(value: float) -> str:
    return f"{value:.3g}" if value < 1e6 else f"{value / 1e9:.3g}e9"


def report(rows, constants, pairs, device, sources, sigma, skipped, terms: bool) -> str:
    """The report as Markdown."""
    peaks, measured = rows.peaks, rows.measured
    head = "| | rows | median | P90 | bias |\n|---|---|---|---|---|\n"
    lines = ["# Memory of training: calibration", "", "Generated by `calibration/training_memory.py`.", ""]
    lines += ["## Errors", "", head + f"| in sample | {errors(rows.estimate(constants)[peaks], measured[peaks])} |"]
    lines += [f"| five folds by source and model | {errors(pairs[peaks], measured[peaks])} |"]
    lines += [f"| whole sources unseen | {errors(sources[peaks], measured[peaks])} |", ""]
    lines += ["By method and by stack, five folds:", "", head.rstrip("\n")]
    for name, key in (("method", rows.method), ("stack", np.array([c.question.scenario.stack for c in rows.cases]))):
        for value in sorted(set(key[peaks])):
            of = peaks[key[peaks] == value]
            lines.append(f"| {name} {value} | {errors(pairs[of], measured[of])} |")
    lines += ["", "## Range", "", "| method | rows | sigma | inside P10 to P90 |", "|---|---|---|---|"]
    for method, value in sigma.items():
        of = _of(rows, method)
        inside = np.mean(np.abs(np.log(measured[of] / pairs[of])) <= NORMAL * value)
        lines.append(f"| {method} | {len(of)} | {value:.3f} | {inside:.0%} |")
    caught = device[rows.ran_out] > rows.usable[rows.ran_out]
    refused = np.mean(device[peaks] > rows.usable[peaks]), np.mean(pairs[peaks] > rows.usable[peaks])
    full = np.mean(measured[peaks] > rows.usable[peaks])
    lines += ["", "## Does it fit", "", f"Rule: estimate above {USABLE:.0%} of the capacity means no.", ""]
    lines += [f"* ran out of memory: {caught.sum()} of {len(caught)} rows foreseen"]
    lines += [f"* fitted: {refused[1]:.1%} refused counted as measured, {refused[0]:.1%} counted as nvidia-smi does;"]
    lines += [f"  {full:.1%} measured above {USABLE:.0%} of the capacity themselves", ""]
    lines += ["| ran out | estimate GiB | usable GiB |", "|---|---|---|"]
    for index in np.flatnonzero(rows.ran_out):
        lines.append(f"| {rows.cases[index].row.id} | {device[index]:.1f} | {rows.usable[index]:.1f} |")
    lines += ["", "## Constants", "", "| constant | published | fitted |", "|---|---|---|"]
    lines += [f"| {name} | {FITTED[name][0]:g} | {value:.4g} |" for name, value in constants.items()]
    if terms:
        lines += ["", "## What a term buys (refitted without it, in sample)", "", head.rstrip("\n")]
        for name, fixed in REMOVED.items():
            lines.append(
                f"| without {name} | {errors(rows.estimate(fit(rows, peaks, fixed))[peaks], measured[peaks])} |"
            )
    lines += ["", "## Rows left out", "", "| reason | rows |", "|---|---|"]
    lines += [f"| {reason} | {count} |" for reason, count in skipped.most_common()]
    lines += ["", NOTES.strip(), ""]
    return "\n".join(lines)


NOTES = """
## Read with care

* A figure is compared as its source counts: tensors alone, blocks of the allocator, or what nvidia-smi shows.
* G and GB without a base are taken as GiB by the file, an ambiguity of up to 7 %.
* Two of the rows that ran out of memory are not foreseen. 16 sequences of the 1.3B GPT on two stages: the last stage, with ten
  bytes an element of the logits, takes 28 to 29 GiB of 32, so that blocks of 6 GiB that fit nowhere must have decided. The
  206B BLOOM on 4 x 12 GPUs: its fullest stage has 4.6e9 weights a GPU, that of the 203B one 4.5e9, and that took 67 GiB of 80;
  layers divide evenly in both, embedding and head are counted as layers in both.
* Figures of the 1.3B GPT with a pipeline are those of the first of two nodes, where the logits do not run: they are compared with
  the first stage. Megatron-DeepSpeed P90 17.6 to 14.4 %; an element of Megatron's logits 8.0 to 9.8 bytes (10 by its kernels).
* The rows on V100 of 16 GB are the second half of the table of the 1.3B GPT: three of the eleven ran out of memory, and ran
  on the cards of 32 GB with less than 16 GB shown on the first node.
* Llama-2-70B with QLoRA over two GPUs (PEFT, two sequences of 2048): FSDP with its weights in host memory takes 19.6 GB a GPU,
  estimated 15.5 GiB (13.4 before); 35.6 GB without offload, estimated 34.3 GiB (32.8 before); Llama-3-70B over four cards 20.1 GiB,
  estimated 18.6 (15.3 before). Scales of bitsandbytes are no parameters, so each GPU keeps those of all layers; embedding and head
  are one unit of FSDP that stays whole; a product unpacks its matrix; a shard comes from the host before its layer is gathered.
  Torchtune splits the scales and wraps embedding and head singly, as DeepSpeed gathers them. What is still missing is about
  what the dropout of the adapters keeps (a copy and a mask of each input, 0.9 GiB), which no scenario names.
* Rows of ms-swift, PEFT and old torchtune name the cap of the sequence; the samples are shorter or vary.
* The three LitGPT full fine-tunings on an A10G show 4 bytes a weight; their optimizer is not stated. They stay in.
* Four-bit bases of LitGPT without recomputation keep about half as much again as the estimate. No other source has
  such rows, so there is no constant for it.
* Mistral, ChatGLM and Yi at 8192 tokens under ms-swift look as if one layer kept its attention scores, although
  the source says flash attention. Not modelled.

## Tried without gain

* Two copies of every kept layer input for pipelines of DeepSpeed: too steep in the micro-batch. Copies for the
  update, both gradients in bf16, and communication buffers explain the same rows.
* A factor on all moving memory where lengths change: activations do not grow by it, only logits do.
* Eager copies of norms move no median: the factor on activations takes their place. They stay, since they are exact,
  and so does the temporary number of the update, which decides few rows.
* Another activation factor for adapters; gradients of the widest part as a fitted factor (it trades against the
  recomputed layer).
"""

if __name__ == "__main__":
    main()
