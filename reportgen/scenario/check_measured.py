"""Rules about runs of the past: none is faster than its accelerators, none holds more than their memory."""

from __future__ import annotations

import math
from typing import Any

from reportgen.catalog.hardware_records import AcceleratorRecord
from reportgen.scenario.architecture import Architecture
from reportgen.scenario.question import Finding, Findings, Question
from reportgen.scenario.units import base_of

FLOP_OF_A_PARAMETER = {"full": 6, "lora": 4, "qlora": 4, "freeze": 2}  # for a token, at the least
SECONDS_OF_AN_HOUR = 3600
TERA = 1e12
GIGA = 1e9


def known_run(question: Question) -> Findings:
    """The run that tells the utilization stayed below the peak of its accelerators."""
    run = question.get("utilization.from_run")
    record = question.catalog.accelerators.get(run.accelerator) if run else None
    peak = _peak(record, run.precision) if record else None
    if not question.training or not peak:
        return
    yield from _without_units(record, run.precision, "utilization.from_run")
    hours = 6 * base_of(run.params) * base_of(run.tokens) / (peak * TERA * SECONDS_OF_AN_HOUR)
    share = hours / base_of(run.gpu_hours)
    if share > 1:
        message = f"that run would take {100 * share:,.0f}% of the peak of '{record.id}'"
        fix = f"write 'gpu_hours: {math.ceil(hours)}' or more, or correct 'params' and 'tokens'"
        yield Finding("utilization.from_run.gpu_hours", "too-small", message, fix)


def measured_runs(question: Question) -> Findings:
    """A measured run says what it measured, and nothing that cannot be."""
    runs = question.get("measured")
    if not question.training or not isinstance(runs, tuple):
        return
    for index, run in enumerate(runs):
        path, record = f"measured.{index}", question.catalog.accelerators.get(run.accelerator)
        if run.tokens_per_second is None and run.memory_per_gpu is None:
            message, fix = "the run has neither a speed nor a memory", "add 'tokens_per_second' or 'memory_per_gpu'"
            yield Finding(path, "missing-key", message, fix)
        if record is not None:
            yield from _without_units(record, run.precision, path)
            yield from _impossible(question, run, record, path)
        yield from _misfit(question, run, path)


def _without_units(record: AcceleratorRecord, precision: str | None, path: str) -> Findings:
    if precision and not record.peak_tflops(precision):
        widest = "bf16" if record.bf16_tflops else "fp16"
        message = f"'{record.id}' has no units for {precision}"
        yield Finding(f"{path}.precision", "no-units", message, f"write 'precision: {widest}'")


def _misfit(question: Question, run: Any, path: str) -> Findings:
    """The layout of a run is one of its GPUs, and its sequences those of the model."""
    written = {name: degree for name in ("tp", "pp", "cp") if (degree := getattr(run.layout, name, None))}
    product = math.prod(written.values())
    if run.count % product:
        text = " x ".join(f"{name} {degree}" for name, degree in written.items())
        message = f"{text} = {product} GPUs a replica does not divide {run.count} GPUs"
        yield Finding(f"{path}.layout", "layout", message, f"write 'count: {max(1, round(run.count / product)) * product}'")
    longest = question.architecture.maximum_context if question.architecture and run.params is None else 0
    lengthens = question.job in ("pretraining", "continued-pretraining")
    if run.sequence_length and longest and run.sequence_length > longest and not lengthens:
        message = f"{run.sequence_length:,} tokens exceed the {longest:,} that '{question.architecture.name}' allows"
        yield Finding(f"{path}.sequence_length", "too-long", message, f"write {longest} or less")


def _impossible(question: Question, run: Any, record: AcceleratorRecord, path: str) -> Findings:
    memory, speed = base_of(run.memory_per_gpu), base_of(run.tokens_per_second)
    if memory and memory > record.memory_gib * 2**30:
        message = f"{memory / GIGA:,.0f} GB exceed the {record.memory_gb:g} GB of '{record.id}'"
        yield Finding(f"{path}.memory_per_gpu", "too-large", message, "write the peak of one GPU")
    peak, parameters = _peak(record, run.precision or question.get("precision.compute")), _parameters(question, run)
    if speed and peak and parameters:
        work = FLOP_OF_A_PARAMETER.get(question.get("method") or "full", 2) * parameters
        fastest = run.count * peak * TERA / work
        if speed > fastest:
            message = f"{speed:,.0f} tokens/s are {100 * speed / fastest:,.0f}% of the peak of {run.count} GPUs"
            fix = f"write less than {math.floor(fastest)}: the tokens a second of all GPUs of the run"
            yield Finding(f"{path}.tokens_per_second", "too-large", message, fix)


def _peak(record: AcceleratorRecord, precision: str | None) -> float | None:
    return record.peak_tflops(precision or "bf16") or record.bf16_tflops or record.fp16_tflops


def _parameters(question: Question, run: Any) -> float | None:
    """Parameters at work for a token, at the least; unknown where only the total of a mixture is stated."""
    shape = question.architecture
    if run.params is not None:
        return None if shape is None or shape.is_moe else base_of(run.params)
    return least_parameters(shape) if shape else None


def least_parameters(shape: Architecture) -> float:
    """Weights of the layers that surely work for a token: those of latent and linear attention are left out."""
    matrices = 3 if shape.gated_mlp else 2
    routed = shape.moe_layers * (shape.experts_per_token + shape.shared_experts) * shape.expert_intermediate_size
    mlp = matrices * shape.hidden_size * (shape.dense_layers * shape.intermediate_size + routed)
    if shape.is_mla:
        return float(mlp)
    heads = 2 * shape.attention_heads + 2 * shape.key_value_heads
    projections = (shape.layers - shape.linear_layers) * shape.hidden_size * heads * shape.head_dimension
    return float(mlp + projections)
