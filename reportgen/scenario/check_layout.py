"""Rules about lengths and parallel layouts: what divides what."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from reportgen.catalog.yaml_data import read_data
from reportgen.scenario.architecture import Architecture
from reportgen.scenario.question import Finding, Findings, Question
from reportgen.scenario.units import base_of

# Jobs that may teach a model longer sequences than it knows.
LENGTHENING = ("pretraining", "continued-pretraining")
REPLICA = ("tp", "pp", "cp")
ONLY_SHARDED = ("parameters", "all", "nvme")
OF_WEIGHTS = ("parameters", "all")
SHARDED = 3  # the ZeRO stage that splits weights


def lengths(question: Question) -> Findings:
    """Sequences fit the model."""
    longest = question.architecture.maximum_context if question.architecture else 0
    for path in ("sequence_length", "max_context"):
        length = question.get(path)
        if length and longest and length > longest and question.wrote(path) and question.job not in LENGTHENING:
            message = f"{length:,} tokens exceed the {longest:,} that '{question.architecture.name}' allows"
            yield Finding(
                path, "too-long", message, f"write {longest} or less, or choose a model with a longer context"
            )
    if question.architecture and question.architecture.learned_positions and question.job in LENGTHENING:
        length = question.get("sequence_length")
        if length and length > question.architecture.learned_positions and question.wrote("sequence_length"):
            message = (
                f"the model has {question.architecture.learned_positions:,} learned positions, fewer than {length:,}"
            )
            yield Finding("sequence_length", "too-long", message, "write less, or another model")
    prompt, answer = base_of(question.get("prompt_tokens.tokens")), base_of(question.get("answer_tokens.tokens"))
    context = question.get("max_context")
    if context and prompt is not None and answer is not None and prompt + answer > context:
        path = "max_context" if question.wrote("max_context") else "prompt_tokens"
        message = f"prompt and answer have {prompt + answer:,.0f} tokens, more than the longest request of {context:,}"
        yield Finding(path, "too-long", message, "raise 'max_context', or shorten them")


def degrees(question: Question) -> Findings:
    """A written layout divides heads, layers, experts and GPUs."""
    layout, shape = question.get("layout"), question.architecture
    if not layout:
        return
    yield from _degrees_of_model(layout, shape)
    yield from _replicas(question, layout)
    zero = layout.zero
    if zero is not None and zero > 3:
        yield Finding("layout.zero", "too-large", f"there is no ZeRO stage {zero}", "write 0, 1, 2 or 3")
    if zero == 3 and (layout.pp or 1) > 1:
        yield Finding(
            "layout.zero", "layout", "ZeRO 3 and pipeline stages are not combined", "write 'zero: 1', or 'pp: 1'"
        )
    if layout.virtual_stages and layout.virtual_stages > 1 and (layout.pp or 1) == 1:
        yield Finding(
            "layout.virtual_stages",
            "layout",
            "virtual stages need a pipeline",
            "write 'pp:' of 2 or more, or remove it",
        )
    if not question.training:
        for name in ("zero", "recompute", "offload", "micro_batch", "virtual_stages"):
            if question.wrote(f"layout.{name}"):
                yield Finding(
                    f"layout.{name}",
                    "key-of-other-job",
                    f"'layout.{name}' has no meaning for {question.job}",
                    "remove it",
                    True,
                )
    yield from _batch(question, layout)


def _replicas(question: Question, layout: Any) -> Findings:
    """A replica is a whole part of the GPUs, and so is a group that shares states."""
    count = question.get("hardware.count")
    written = {name: getattr(layout, name) for name in REPLICA if getattr(layout, name)}
    if not count:
        return
    product = math.prod(written.values())
    if count % product:
        text = " x ".join(f"{name} {degree}" for name, degree in written.items())
        message = f"{text} = {product} GPUs a replica does not divide {count} GPUs"
        yield Finding("layout", "layout", message, _nearest(written, count, question.architecture), True)
    ranks = count // math.prod(degree for name, degree in written.items() if name != "cp")  # ranks of a sequence share states
    if count % product == 0 and layout.sharding_group and ranks % layout.sharding_group:
        message = f"a sharding group of {layout.sharding_group} GPUs does not divide the {ranks} that hold the same part"
        yield Finding("layout.sharding_group", "layout", message, f"write one of: {_divisors(ranks)}")


def _nearest(written: Mapping[str, int], count: int, shape: Architecture | None) -> str:
    """The degree nearest to what was written that divides the GPUs, and the count nearest to the one given."""
    product = math.prod(written.values())
    whole = max(product, round(count / product) * product)
    found = []
    for name, degree in written.items():
        rest = product // degree
        others = [other for other in range(1, count // rest + 1) if count % (rest * other) == 0]
        fitting = [other for other in others if shape is None or not [*_degrees_of_model(_Degrees(**{name: other}), shape)]]
        found += [(abs(math.log(other / degree)), name, other) for other in fitting]
    if not found:
        return f"write 'count: {whole}'"
    _, name, degree = min(found)
    return f"write '{name}: {degree}', or 'count: {whole}'"


@dataclass(frozen=True)
class _Degrees:
    """One degree as the only one written."""

    tp: int | None = None
    pp: int | None = None
    cp: int | None = None
    ep: int | None = None
    virtual_stages: int | None = None


def _degrees_of_model(layout: Any, shape: Architecture | None) -> Findings:
    if not shape:
        return
    if layout.tp and shape.attention_heads % layout.tp:
        message = f"tp {layout.tp} does not divide the {shape.attention_heads} heads of '{shape.name}'"
        yield Finding("layout.tp", "layout", message, f"write one of: {_divisors(shape.attention_heads)}")
    elif layout.tp and not shape.is_mla and layout.tp > shape.key_value_heads and layout.tp % shape.key_value_heads:
        message = f"tp {layout.tp} is no multiple of the {shape.key_value_heads} key and value heads of '{shape.name}'"
        yield Finding("layout.tp", "layout", message, f"write {shape.key_value_heads} or a multiple")
    elif layout.tp and not shape.is_mla and layout.tp <= shape.key_value_heads and shape.key_value_heads % layout.tp:
        message = f"tp {layout.tp} does not divide the {shape.key_value_heads} key and value heads of '{shape.name}'"
        yield Finding("layout.tp", "layout", message, f"write one of: {_divisors(shape.key_value_heads)}")
    stages = (layout.pp or 1) * (layout.virtual_stages or 1)
    if stages > shape.layers:
        path = "virtual_stages" if (layout.pp or 1) <= shape.layers else "pp"
        most = shape.layers // (layout.pp or 1) if path == "virtual_stages" else shape.layers
        message = f"{stages} stages are more than the {shape.layers} layers"
        yield Finding(f"layout.{path}", "layout", message, f"write {most} or less")
    if layout.ep and layout.ep > 1 and not shape.is_moe:
        yield Finding("layout.ep", "layout", f"'{shape.name}' has no experts to spread", "remove 'ep'", True)
    elif layout.ep and shape.is_moe and shape.experts % layout.ep:
        message = f"ep {layout.ep} does not divide the {shape.experts} experts"
        yield Finding("layout.ep", "layout", message, f"write one of: {_divisors(shape.experts)}")


def recomputation(question: Question) -> Findings:
    """Layers are recomputed where that is asked for, and no more of them than there are."""
    layers, kind, shape = question.get("layout.recompute_layers"), question.get("layout.recompute"), question.architecture
    if not layers or not question.training:
        return
    if kind != "full":
        message = "'recompute_layers' has no meaning without 'recompute: full'"
        yield Finding("layout.recompute_layers", "contradiction", message, "write 'recompute: full', or remove it", True)
    elif shape and layers > shape.layers:
        message = f"{layers} recomputed layers of a model with {shape.layers}"
        yield Finding("layout.recompute_layers", "too-large", message, f"write {shape.layers} or less")


def offloading(question: Question) -> Findings:
    """What waits on the host is what the software can take off the GPU."""
    kind = question.get("layout.offload")
    if not question.training or kind is None:
        return
    found = _unknown_to_stack(question, kind) or _without_shards(question, kind)
    if found:
        yield found
    if kind == "activations" and question.get("layout.recompute") in ("none", "selective"):
        message = "only the kept inputs of recomputed layers wait on the host"
        yield Finding("layout.recompute", "layout", message, "write 'recompute: full', or remove 'offload'")


def _unknown_to_stack(question: Question, kind: str) -> Finding | None:
    stack = question.get("stack")
    if kind not in OF_WEIGHTS or not question.wrote("stack"):
        return None
    offloads = read_data("optimizers_training")["stacks"].get(stack, {}).get("offloads", "all")
    if offloads == "none":
        message = f"{stack} works on one GPU and keeps the weights there: it knows no 'offload: {kind}'"
        fix = "write 'optimizer: paged-adamw-8bit' and remove 'offload', or another 'stack'"
        return Finding("layout.offload", "layout", message, fix)
    if offloads == "optimizer":
        message = f"{stack} offloads the optimizer alone: it knows no 'offload: {kind}'"
        return Finding("layout.offload", "layout", message, "write 'offload: optimizer', or 'stack: deepspeed'")
    return None


def _without_shards(question: Question, kind: str) -> Finding | None:
    zero, count = question.get("layout.zero"), question.get("hardware.count")
    if kind in ONLY_SHARDED and zero is not None and zero < SHARDED:
        message = f"'offload: {kind}' works on shards: ZeRO {zero} has none of the weights"
        return Finding("layout.zero", "layout", message, "write 'zero: 3', or 'offload: optimizer'")
    if kind in ONLY_SHARDED and (question.get("layout.pp") or 1) > 1:
        message = f"'offload: {kind}' needs ZeRO 3, which is not combined with pipeline stages"
        return Finding("layout.pp", "layout", message, "write 'pp: 1', or 'offload: optimizer'")
    if kind == "optimizer" and zero == 0 and count and count > 1:
        message = "'offload: optimizer' on several GPUs works on shards of the states: ZeRO 0 has none"
        return Finding("layout.zero", "layout", message, "write 'zero: 2', or remove 'offload'")
    return None


def _divisors(number: int) -> str:
    return ", ".join(str(degree) for degree in range(1, number + 1) if number % degree == 0 and degree <= 512)


def _batch(question: Question, layout: Any) -> Findings:
    count, batch = question.get("hardware.count"), question.get("global_batch")
    if not (question.training and count and isinstance(batch, int) and layout.tp and layout.pp):
        return
    replicas = count // (layout.tp * layout.pp * (layout.cp or 1))
    step = replicas * (layout.micro_batch or 1)
    if replicas and (batch < replicas or (layout.micro_batch and batch % step)):
        message = (
            f"the global batch {batch} is no multiple of {replicas} replicas x micro-batch {layout.micro_batch or 1}"
        )
        yield Finding(
            "global_batch" if question.wrote("global_batch") else "layout",
            "layout",
            message,
            f"write a multiple of {step}",
        )
