"""A measured training run: what the row states, by the words of the scenario, and the seconds that were measured."""

from __future__ import annotations

import re
from dataclasses import dataclass

from reportgen.catalog import Catalog
from reportgen.catalog.hardware_records import AcceleratorRecord
from reportgen.evaluation.accuracy.rows import MeasuredRow, Skipped, accelerator_of
from reportgen.evaluation.accuracy.shapes import architecture_of_row
from reportgen.scenario.architecture import Architecture

COLUMNS = ("id", "model", "gpu", "n_gpus", "seq_len", "metric", "value")
SPEEDS = ("tokens_per_s_per_gpu", "tflops_per_gpu", "iteration_s", "mfu", "minutes")
WHOLE_RUNS = ("gpu_hours", "days")
STACKS = (  # first match in the framework's words, then in the source's
    ("megatron-bridge", "megatron-bridge"), ("megatron bridge", "megatron-bridge"), ("megatron-deepspeed", "megatron-deepspeed"),
    ("deepspeed n", "deepspeed"),
    ("modellink", "mindspeed"), ("mindspeed", "mindspeed"), ("torchtitan", "torchtitan"), ("torchtune", "torchtune"),
    ("unsloth", "unsloth"), ("thunder", "torchtitan"), ("litgpt", "fsdp"), ("fms", "fsdp"), ("foundation-model-stack", "fsdp"),
    ("llm-foundry", "llm-foundry"), ("composer", "llm-foundry"), ("xtuner", "xtuner"), ("internevo", "internevo"),
    ("internlm/interne", "internevo"), ("maxtext", "maxtext"), ("pax", "maxtext"), ("colossal", "colossalai"),
    ("llama-factory", "llama-factory"), ("llamafactory", "llama-factory"), ("axolotl", "axolotl"), ("swift", "ms-swift"),
    ("peft", "peft"), ("trl", "trl"), ("transformers", "hf"), ("qwenlm", "hf"), ("megatron-llama", "megatron"),
    ("nemo", "nemo"), ("nvidia release", "nemo"), ("ngc", "nemo"), ("nvidia pytorch", "nemo"), ("dgxc", "nemo"),
    ("megatron", "megatron"), ("deepspeed", "deepspeed"), ("fsdp", "fsdp"), ("mlcommons", "nemo"), ("huggingface", "hf"),
)  # fmt: skip
YEARS = (  # words of the source -> year of the software, where no release or commit tells it
    ("metaseq", 2021.9), ("2205.01068", 2021.9), ("2302.13971", 2023.5), ("models/llama2", 2023.5), ("models/llama3", 2024.2),
    ("2407.21783", 2024.2),
    ("2104.04473", 2021.2), ("narayanan", 2021.2), ("2205.05198", 2022.3), ("korthikanti", 2022.3), ("bigscience", 2022.2),
    ("launcher", 2023.2), ("llm-foundry", 2023.8), ("qwenlm", 2023.8), ("training_results_v3.1", 2023.8),
    ("training_results_v4.0", 2024.4), ("training_results_v4.1", 2024.8), ("training_results_v5.0", 2025.4),
    ("training_results_v5.1", 2025.8), ("dgxc", 2025.2), ("mindspeed", 2024.8), ("unsloth", 2024.0), ("torchtune", 2024.8),
    ("litgpt", 2024.3), ("maxtext", 2024.3), ("internevo", 2024.0), ("xtuner", 2024.2), ("torchtitan", 2025.2),
    ("fms-fsdp", 2024.2), ("megatron-llama", 2023.6), ("peft", 2025.5), ("ml-engineering", 2026.3), ("megatron-core r0.8", 2024.5),
)  # fmt: skip
FINE_TUNING = ("lora", "sft", "fine")  # tasks whose software is plain where no word of the row tells it
RELEASE = re.compile(r"\b(2[3-9])\.(0[1-9]|1[0-2])(?:\.\d+)?\b")
THROUGHPUT = re.compile(r"median logged throughput ([\d.e+]+) (tokens|samples)/s")
ACCUMULATION = re.compile(r"grad(?:ient)? accum(?:ulation)?\w* (\d+)|\bGA (\d+)")
NETWORK = re.compile(r"(\d+)x OmniPath (\d+)G|(\d+) ?Gbps")
OFFLOADED = re.compile(
    r"CPU AdamW offload|same config, torch version sweep|\*CPU offload|CPU offload True|optimizer offload"
)
MINUTES_PER_DAY = 1440
UNPACKED = "unpacked data so the effective length is far below"
AMBIGUOUS = "(AMBIGUOUS for the 2x/4x 4090 rows)"
AVERAGE_LENGTH = re.compile(r"about (\d+) tokens per sample")
UNREACHED_TASKS = (
    "ia3",
    "ln_tuning",
    "prompt",
    "prefix",
    "dora",
    "lora-fa",
    "osf",
    "part frozen",
    "dpo",
    "grpo",
    "ppo",
)


@dataclass(frozen=True)
class MeasuredRun:
    """A run as far as its row states it; None is what a user would leave blank."""

    id: str
    source: str
    model: str
    architecture: Architecture
    accelerator: AcceleratorRecord
    gpus: int
    sequence_length: float
    precision: str
    method: str  # full, lora or qlora
    stack: str
    year: float | None
    tensor_parallel: float | None
    pipeline_parallel: float | None
    virtual_stages: float | None
    context_parallel: float | None
    expert_parallel: float | None
    zero_stage: float | None
    micro_batch: float | None
    global_batch: float | None
    micro_batches: float | None
    recompute: str | None  # none, selective or full
    optimizer_on_host: bool
    quantized_by: str  # for qlora: gptq or nf4
    network_gbit: float | None  # of one node, where the row states it
    metric: str
    value: float
    convention: str  # of FLOPs in figures of TFLOP/s: model, causal or hardware
    tokens: float | None  # of a whole run
    wall_days: bool = False

    @property
    def whole_run(self) -> bool:
        """Whether days or GPU hours of a whole training were measured, and not the speed of its steps."""
        return self.metric in WHOLE_RUNS


def measured_run(row: MeasuredRow, catalog: Catalog) -> MeasuredRun:
    """The run of a row. Raises Skipped when the scenario language has no words for it, or nothing was measured."""
    metric, note = row.text("metric"), row.text("note")
    if row.text("source_kind") == "published_estimate" or metric == "days_estimated":
        raise Skipped("a published plan, not a measurement")
    if metric not in (*SPEEDS, *WHOLE_RUNS):
        raise Skipped(f"metric is not one of {', '.join((*SPEEDS, *WHOLE_RUNS))}: {metric}")
    if "IMPLAUSIBLE" in row.text("check_flag"):
        raise Skipped("the source's figure is impossible for the device")
    if UNPACKED in note:
        raise Skipped("unpacked samples, whose real length is not stated")
    if row.text("note").endswith(AMBIGUOUS) and row.text("gpu").startswith("RTX4090") and (row.positive("n_gpus") or 1) > 1:
        raise Skipped("the source does not say whether the figure is that of one GPU or of all")
    method, quantized_by = _method(row.text("task"))
    accelerator = accelerator_of(row, catalog)
    architecture = architecture_of_row(row, catalog)
    metric, value = _figure(row, metric, note)
    stack, year = _software(row)
    mixed = "submission dependent" in row.text("precision")
    sequence = row.positive("seq_len") or _unstated_length(row, architecture)
    average = AVERAGE_LENGTH.search(note)
    gpus = row.positive("n_gpus")
    if gpus is None and metric not in ("gpu_hours", "tflops_per_gpu", "tokens_per_s_per_gpu", "mfu"):
        raise Skipped("number of GPUs is not stated")
    accumulation = ACCUMULATION.search(note)
    network = NETWORK.search(note)
    tokens = row.positive("tokens_trained_b")
    if metric in WHOLE_RUNS and tokens is None:
        raise Skipped("tokens of the run are not stated")
    return MeasuredRun(
        id=row.id,
        source=row.text("source").split(" ")[0].split("@")[0] or "unknown",
        model=row.text("model"),
        architecture=architecture,
        accelerator=accelerator,
        gpus=int(gpus or 0),
        sequence_length=float(average[1]) if average else sequence,
        precision=_precision("bf16" if mixed and stack == "deepspeed" else row.text("precision"), accelerator),
        method=method,
        stack=stack,
        year=year,
        tensor_parallel=row.positive("tp"),
        pipeline_parallel=row.positive("pp"),
        virtual_stages=row.positive("vpp"),
        context_parallel=row.positive("cp"),
        expert_parallel=row.positive("ep"),
        zero_stage=_zero_stage(row.text("zero_stage")),
        micro_batch=row.positive("micro_batch"),
        global_batch=row.positive("global_batch"),
        micro_batches=float(accumulation[1] or accumulation[2]) if accumulation else None,
        recompute=_recompute(row.text("recompute")),
        optimizer_on_host=bool(OFFLOADED.search(note)),
        quantized_by=quantized_by,
        network_gbit=_network(network),
        metric=metric,
        value=value,
        convention=_convention(row),
        tokens=tokens * 1e9 if tokens else None,
    )


def _figure(row: MeasuredRow, metric: str, note: str) -> tuple[str, float]:
    """The metric that tells the speed, and its value; minutes to a target tell it only with a logged throughput."""
    if metric != "minutes":
        return metric, row.needed("value")
    reported = row.positive("reported_tokens_per_s_per_gpu")
    logged = THROUGHPUT.search(note)
    if reported is None and logged and row.positive("n_gpus"):
        per_unit = 1.0 if logged[2] == "tokens" else row.needed("seq_len")
        reported = float(logged[1]) * per_unit / row.needed("n_gpus")
    if reported is None and row.positive("tokens_trained_b"):
        return "days", row.needed("value") / MINUTES_PER_DAY
    if reported is None:
        raise Skipped("minutes to a target quality, without a logged throughput")
    return "tokens_per_s_per_gpu", reported


def _method(task: str) -> tuple[str, str]:
    folded = task.casefold()
    if any(word in folded for word in UNREACHED_TASKS):
        raise Skipped(f"method is not in the scenario language: {task}")
    if "qlora" in folded:
        return "qlora", "gptq" if "gptq" in folded else "nf4"
    return ("lora" if "lora" in folded else "full"), ""


def _software(row: MeasuredRow) -> tuple[str, float | None]:
    framework, source = row.text("framework").casefold(), row.text("source").casefold()
    words = f"{framework} | {row.id.casefold()} | {row.text('model').casefold()} | {source}"
    blank = "hf" if any(word in row.text("task").casefold() for word in FINE_TUNING) else ""
    stack = next((stack for text in (framework, source) for word, stack in STACKS if word in text), blank)
    release = RELEASE.search(row.text("framework")) or RELEASE.search(row.text("note")[:40])
    if release and stack in ("megatron-bridge", "nemo", "megatron"):
        return stack, 2000.0 + float(release[1]) + (float(release[2]) - 0.5) / 12
    return stack, next((year for word, year in YEARS if word in words), None)


def _precision(text: str, accelerator: AcceleratorRecord) -> str:
    folded = text.casefold()
    if "fp4" in folded:
        return "fp4"
    if "fp8" in folded:
        return "fp8" if accelerator.fp8_tflops else "bf16"
    if "fp16" in folded and "bf16" not in folded:
        return "fp16"
    return "fp32" if folded in ("fp32", "tf32") else ("bf16" if accelerator.bf16_tflops else "fp16")


def _zero_stage(text: str) -> float | None:
    folded = text.casefold()
    if "ulysses" in folded or not folded:
        return None
    if "deepspeed" in folded or "config not stated" in folded:
        return 3.0
    stage = re.search(r"zero[- ]?(\d)", folded) or re.fullmatch(r"(\d)", folded)
    if stage:
        return float(stage[1])
    if "fsdp" in folded or "full_shard" in folded:
        return 3.0
    if "dist" in folded:
        return 1.0
    return 0.0 if folded in ("none", "ddp") else None


def _recompute(text: str) -> str | None:
    folded = text.casefold()
    return next((word for word in ("full", "selective", "none") if folded.startswith(word)), None)


def _network(found: re.Match | None) -> float | None:
    if found is None:
        return None
    return float(found[1]) * float(found[2]) if found[1] else float(found[3])


def _convention(row: MeasuredRow) -> str:
    """How the source counts FLOPs, by its note and by the count that fits its other figures."""
    note, flag, source = row.text("note").casefold(), row.text("check_flag").casefold(), row.text("source").casefold()
    excluded = "recompute excluded" in note or "same config" in note
    if excluded or "causal attention" in note or "causal" in flag.split("ratio")[0]:
        return "hardware-causal" if "(recompute)" in flag else "causal"
    if "hardware" in note or "(recompute)" in flag or "includes recompute" in note:
        return "hardware"
    if "internevo" in source and row.text("recompute").casefold().startswith("full"):
        return "hardware"
    return "model"


def _unstated_length(row: MeasuredRow, architecture: Architecture) -> float:
    """The usual length of the time: the model's own context, at most 4096; 2048 for the oldest."""
    if row.text("metric") in ("iteration_s",):
        raise Skipped("seq_len is not stated")
    return float(min(architecture.maximum_context or 2048, 4096))
