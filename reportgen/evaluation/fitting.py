"""What would make a job fit that does not: single changes first, cheapest first, then as many together as it takes."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from reportgen.errors import ReportError
from reportgen.evaluation.candidates import could_run, crossed, node_ladder, training_structures
from reportgen.evaluation.degree_search import CONTEXT, context_degrees
from reportgen.evaluation.question import Question, ask
from reportgen.evaluation.result import LayoutBlock, Message
from reportgen.evaluation.training_inputs import formats
from reportgen.scenario import scenario_from_mapping

Change = tuple[str, dict[str, float]]  # key of the message, inputs that change
WANTED = (
    "memory_per_gpu_gib", "memory_usable_gib", "memory_fits", "host_memory_fits", "layout_divides", "gpus", "training_days",
)  # fmt: skip
MORE_NODES = (2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256)
LIGHTER_METHODS = {"full": ("lora", "qlora"), "freeze": ("lora", "qlora"), "lora": ("qlora",), "qlora": ()}
EIGHT_BIT = "adamw-8bit"
ON_HOST = {1.0: "fit_optimizer_on_host", 2.0: "fit_weights_on_host", 3.0: "fit_all_on_host"}


def ways_to_fit(question: Question, block: LayoutBlock) -> tuple[Message, ...]:
    """Changes under which the job fits the accelerator of a block, by GPU-days; empty when it fits as it is.

    Every message has the memory and what of it is usable, and `share`, the days over those of the layout that does not
    fit. `steps` are keys of messages, whose short form is `<key>_step`.
    """
    if not question.is_training:
        return ()
    layout = {name: float(column[block.chosen]) for name, column in block.columns.items() if name != "layout_rank"}
    start = {
        **question.base_inputs,
        **_variables(question, layout),
        "accelerator": block.accelerator,
        "layout_number": 1.0,
    }
    now = _evaluate(question, start)
    if block.feasible:
        return ()
    if now["memory_fits"]:
        return tuple(message for _, message in sorted(_with_host_memory(block, now), key=lambda item: item[0]))
    found = []
    for key, change in _changes(question, start):
        values = _evaluate(question, {**start, **change})
        if could_run(values):
            found.append((values["gpus"] * values["training_days"], _message(key, change, values, now)))
    found += _with_host_memory(block, now)
    together = None if found else _together(question, start, now)
    if together is not None:
        found.append((0.0, together))
    ranked = [message for _, message in sorted(found, key=lambda item: item[0])]
    return (*ranked, *_larger(question, block, start, now, bool(ranked)), *_methods(question, block, now))


def _with_host_memory(block: LayoutBlock, now: Mapping[str, float]) -> Iterator[tuple[float, Message]]:
    """The listed layouts that keep something in host memory and do what is asked."""
    rows = [dict(zip(block.columns, row, strict=True)) for row in zip(*block.columns.values(), strict=True)]
    for row in rows:
        if row["offload_level"] and not row["offload_permitted"] and could_run(row):
            yield row["gpus"] * row["training_days"], _message(ON_HOST[row["offload_level"]], {}, row, now)


def _larger(
    question: Question, block: LayoutBlock, start: Mapping[str, Any], now: Mapping[str, float], others: bool
) -> tuple[Message, ...]:
    """More GPUs with the same layout, and fewer than that where another layout fits on them."""
    more = _more_nodes(question, start, now)
    fewest = _any_size(question, block, now) if more or not others else ()
    if more and (not fewest or fewest[0].key != "fit_smallest" or fewest[0].values["gpus"] >= more[0].values["gpus"]):
        return more
    return fewest


def _variables(question: Question, layout: Mapping[str, float]) -> dict[str, float]:
    names = {
        *("nodes", "tensor_parallel", "pipeline_parallel", "expert_parallel"),
        *("micro_batch", "zero_stage", "full_recomputation", "offload_level"),
    }
    return {name: layout[name] for name in names if name in layout}


def _evaluate(question: Question, inputs: Mapping[str, Any]) -> dict[str, float]:
    values = question.layout_graph.evaluate(dict(inputs), only=WANTED)
    return {name: float(values[name]) for name in WANTED}


def _changes(question: Question, start: Mapping[str, Any]) -> Iterator[Change]:
    """Single changes that the job itself survives, those without any loss of speed first."""
    if start["micro_batch"] > 1:
        yield "fit_micro_batch", {"micro_batch": 1.0}
    fused = question.catalog.constants["logits_bytes_fused_linear"].value
    if start["logits_bytes"] > fused:
        yield "fit_fused_loss", {"logits_bytes": fused}
    if not start.get("flash_attention", 1.0):
        yield "fit_flash_attention", {"flash_attention": 1.0}
    if start["zero_stage"] < 3 and start["pipeline_parallel"] == 1:
        yield "fit_zero", {"zero_stage": 3.0}
    if start["full_recomputation"] < 1:
        yield "fit_recomputation", {"full_recomputation": 1.0}
    space = question.space(str(start["accelerator"]))
    degrees = [] if space.sharded_only else [
        d for d in (2, 4, 8) if d > start["tensor_parallel"] and d <= space.domain and space.attention_heads % d == 0
    ]
    for degree in degrees:
        yield "fit_tensor_parallel", {"tensor_parallel": float(degree)}
    yield from _lighter_states(question, start)


def _lighter_states(question: Question, start: Mapping[str, Any]) -> Iterator[Change]:
    table = formats()
    moments = table["optimizers"][EIGHT_BIT]["numbers"] * table["moments"]["int8"]["bytes_per_number"]
    if question.scenario.method in ("full", "freeze") and start["optimizer_moment_bytes"] > moments:
        yield "fit_eight_bit_optimizer", {"optimizer_moment_bytes": moments, "update_temporary_bytes": 0.0}
    if not start["checkpoints_on_host"] and start["full_recomputation"] >= 1:
        yield "fit_activations_on_host", {"checkpoints_on_host": 1.0}


def _together(question: Question, start: Mapping[str, Any], now: Mapping[str, float]) -> Message | None:
    """Single changes one upon the other until it fits."""
    changed: dict[str, float] = {}
    keys: list[str] = []
    for key, change in _changes(question, start):
        if key in keys:  # a higher degree replaces a lower one
            keys.remove(key)
        keys.append(key)
        changed |= change
        values = _evaluate(question, {**start, **changed})
        if could_run(values):
            return _message("fit_together", {}, values, now, steps=keys)
    return None


def _more_nodes(question: Question, start: Mapping[str, Any], now: Mapping[str, float]) -> tuple[Message, ...]:
    """The fewest nodes on which the states, split over all of them, leave enough room."""
    split = {"fixed_gpu_count": 0.0}
    if start["pipeline_parallel"] == 1:
        split["zero_stage"] = 3.0
    for nodes in MORE_NODES:
        if nodes <= start["nodes"]:
            continue
        values = _evaluate(question, {**start, **split, "nodes": float(nodes)})
        if could_run(values):
            return (_message("fit_more_nodes", {"nodes": float(nodes)}, values, now),)
    return ()


def _any_size(question: Question, block: LayoutBlock, now: Mapping[str, float]) -> tuple[Message, ...]:
    """The smallest size on which some layout fits, everything in host memory at the last; else that there is none."""
    space = question.space(block.accelerator)
    degrees = {"tensor_parallel", "pipeline_parallel", "expert_parallel"}
    bounds = {"nodes", "zero_stage", "micro_batch", "offload_level", *degrees}
    free = dataclasses.replace(space, fixed={key: value for key, value in space.fixed.items() if key not in bounds})
    shared = {**question.base_inputs, "accelerator": block.accelerator, "fixed_gpu_count": 0.0, "layout_number": 0.0}
    ladder = node_ladder()
    for level in (0.0, 3.0):
        shapes = training_structures(free, (level,))
        splits = context_degrees(question, float(question.scenario.sequence_length))
        structures = [{**shape, CONTEXT: degree} for shape in shapes for degree in splits]
        values = _crossed_values(question, shared, structures, ladder)
        fits = could_run(values)
        if fits.any():
            rung = int(values["nodes"][fits].min())
            between = range(max([count for count in ladder if count < rung], default=0) + 1, rung + 1)
            values = _crossed_values(question, shared, structures, list(between))
            fits = could_run(values)
            best = np.lexsort((values["training_days"], values["nodes"], ~fits))[0]
            return (_message("fit_smallest", {}, {name: float(values[name][best]) for name in WANTED}, now),)
    at = int(np.argmin(np.where(values["layout_divides"] > 0, values["memory_per_gpu_gib"], np.inf)))
    if values["memory_per_gpu_gib"][at] <= values["memory_usable_gib"][at]:
        return ()  # the memory of the step is not what is missing
    leanest = {**{name: float(values[name][at]) for name in WANTED}, "gpus": float(values["gpus"].max())}
    return (_message("fit_nowhere", {}, leanest, now, accelerator=block.accelerator),)


def _crossed_values(
    question: Question, inputs: Mapping[str, Any], structures: Sequence[dict[str, float]], counts: Sequence[int]
) -> dict[str, np.ndarray]:
    candidates = crossed(structures, counts)
    with np.errstate(all="ignore"):
        found = question.layout_graph.evaluate({**inputs, **candidates}, only=WANTED)
    shape = candidates["nodes"].shape
    return {"nodes": candidates["nodes"], **{name: np.broadcast_to(found[name], shape) for name in WANTED}}


def _methods(question: Question, block: LayoutBlock, now: Mapping[str, float]) -> tuple[Message, ...]:
    """Lighter methods of training, which are another job: last."""
    scenario, found = question.scenario, []
    if scenario.job == "pretraining" or any("method" in stage for stage in scenario.written.get("stages") or ()):
        return ()
    for method in LIGHTER_METHODS.get(scenario.method or "full", ()):
        written = {**scenario.written, "method": method}
        written.pop("freeze", None)
        try:
            other = ask(scenario_from_mapping(written, date=scenario.date), question.catalog)
        except ReportError:
            continue
        layout = {name: float(column[block.chosen]) for name, column in block.columns.items() if name != "layout_rank"}
        inputs = {
            **other.base_inputs,
            **_variables(other, layout),
            "accelerator": block.accelerator,
            "layout_number": 1.0,
        }
        values = _evaluate(other, {**inputs, "micro_batch": 1.0})
        if could_run(values):
            found.append(_message(f"fit_method_{method}", {}, values, now))
    return tuple(found)


def _message(
    key: str, change: Mapping[str, float], values: Mapping[str, float], now: Mapping[str, float], **more: Any
) -> Message:
    return Message(
        key,
        {
            **{name: value for name, value in change.items() if name in ("tensor_parallel", "zero_stage", "nodes")},
            **{name: values[name] for name in ("memory_per_gpu_gib", "memory_usable_gib", "gpus")},
            "share": values["training_days"] / now["training_days"],
            **more,
        },
    )
