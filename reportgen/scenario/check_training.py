"""Rules of training: data, method, adapters, utilization."""

from __future__ import annotations

from reportgen.scenario.fields import TokenAmount
from reportgen.scenario.question import Finding, Findings, Question
from reportgen.scenario.units import base_of


def data(question: Question) -> Findings:
    """Training needs tokens, said in one way."""
    if not question.training or not question.is_ok("data") or not question.is_ok("stages"):
        return
    ways = [name for name in ("tokens", "text", "samples") if question.get(f"data.{name}") is not None]
    stages = question.get("stages")
    if len(ways) > 1:
        message = f"the data is given as '{ways[0]}' and as '{ways[1]}'"
        yield Finding(f"data.{ways[1]}", "contradiction", message, "keep one of them", True)
    elif ways and stages:
        yield Finding("stages", "contradiction", "the tokens stand in 'data' and in 'stages'", "keep one of them", True)
    elif not ways and not stages:
        fix = "add 'data: {tokens: 5B}', '{text: 50 GB, language: zh}' or '{samples: 100k, length: 800}'"
        if question.wrote("data"):
            yield Finding("data", "missing-key", "'data' says neither tokens, text nor samples", fix, True)
        else:
            yield Finding("", "missing-key", f"{question.job} needs 'data'", fix)
    if ways == ["samples"] and question.get("data.length") is None:
        yield Finding(
            "data",
            "missing-key",
            "'data' has samples but no length",
            "add 'length:', the tokens of a sample on average",
            True,
        )
    for name, needs in (("length", "samples"), ("language", "text")):
        if question.wrote(f"data.{name}") and question.get(f"data.{needs}") is None:
            yield Finding(
                f"data.{name}", "contradiction", f"'{name}' has no meaning without '{needs}'", "remove it", True
            )
    if question.wrote("epochs") and question.wrote("data.epochs") and question.get("epochs") is not None:
        yield Finding("epochs", "contradiction", "'epochs' stands at the top and in 'data'", "keep one of them", True)
    if stages and question.wrote("data.epochs"):
        yield Finding(
            "data.epochs", "contradiction", "stages are read once: 'epochs' has no meaning with them", "remove it", True
        )


def rollouts(question: Question) -> Findings:
    """Learning from rewards needs prompts and lengths; other algorithms write nothing."""
    if not question.training:
        return
    if question.get("algorithm") not in ("ppo", "grpo"):
        if question.wrote("rollouts"):
            fix = "write 'algorithm: grpo' or 'ppo' under 'job: preference-tuning', or remove it"
            yield Finding("rollouts", "contradiction", "only ppo and grpo write answers while they learn", fix, True)
        return
    name = question.get("algorithm")
    fix = "write 'data: {samples: 20k, length: 400}': the prompts and their tokens"
    if question.get("stages"):
        yield Finding("stages", "contradiction", f"{name} is planned as a training of its own", "remove 'stages'", True)
    elif question.is_ok("data") and question.get("data") is not None and question.get("data.samples") is None:
        yield Finding("data", "missing-key", f"{name} learns from prompts, not from a given text", fix, True)
    length, answer = question.get("data.length"), question.get("rollouts.answer_tokens")
    longest, asked = question.get("sequence_length"), base_of(length or 0) + base_of(answer or 0)
    if length and answer and longest and question.wrote("sequence_length") and asked > longest:
        message = f"a prompt of {base_of(length):,.0f} tokens with an answer of {base_of(answer):,.0f} is longer than {longest:,}"
        yield Finding("sequence_length", "too-small", message, f"write {asked:.0f} or more, or remove it")
    yield from _copy_that_writes(question)
    if name == "grpo" and question.get("rollouts.answers") == 1:
        message = "grpo compares the answers to one prompt with each other"
        yield Finding("rollouts.answers", "too-small", message, "write 2 or more, usual is 8")


def _copy_that_writes(question: Question) -> Findings:
    """A copy of the model that writes answers has GPUs and heads enough."""
    degree, count = question.get("rollouts.tensor_parallel"), question.get("hardware.count")
    if not degree:
        return
    path, shape = "rollouts.tensor_parallel", question.architecture
    if count and degree > count:
        message = f"a copy that writes answers over {degree} GPUs is more than the {count} GPUs there are"
        yield Finding(path, "layout", message, f"write {count} or less")
    elif shape and shape.attention_heads % degree:
        message = f"{degree} GPUs a copy do not divide the {shape.attention_heads} heads of '{shape.name}'"
        shares = [str(number) for number in range(1, degree) if shape.attention_heads % number == 0]
        yield Finding(path, "layout", message, f"write one of: {', '.join(shares)}")


def method(question: Question) -> Findings:
    """Methods fit the job; their keys fit the method."""
    if not question.training:
        return
    chosen = question.get("method")
    if question.job == "pretraining" and chosen in ("lora", "qlora", "freeze"):
        yield Finding(
            "method",
            "contradiction",
            f"pretraining trains all weights: '{chosen}' does not fit",
            "write 'method: full', or change 'job'",
        )
    parts = {stage.method for stage in question.get("stages") or ()}
    if question.wrote("lora") and chosen not in ("lora", "qlora", None) and not parts & {"lora", "qlora"}:
        yield Finding(
            "lora",
            "contradiction",
            f"'lora' has no meaning under method '{chosen}'",
            "write 'method: lora', or remove it",
            True,
        )
    if question.wrote("freeze") and chosen not in ("freeze", None) and "freeze" not in parts:
        yield Finding(
            "freeze",
            "contradiction",
            f"'freeze' has no meaning under method '{chosen}'",
            "write 'method: freeze', or remove it",
            True,
        )
    if question.wrote("algorithm") and question.job != "preference-tuning":
        yield Finding(
            "algorithm",
            "contradiction",
            f"'algorithm' has no meaning for {question.job}",
            "write 'job: preference-tuning', or remove it",
            True,
        )
    if question.get("packing") and question.wrote("packing") and question.job == "preference-tuning":
        yield Finding("packing", "contradiction", "preference pairs are not packed", "remove it")
    layers = question.get("freeze.trainable_layers")
    if layers and question.architecture and layers > question.architecture.layers:
        message = f"{layers} trainable layers of a model with {question.architecture.layers}"
        yield Finding("freeze.trainable_layers", "contradiction", message, f"write {question.architecture.layers} or less")
    if (
        chosen == "qlora"
        and question.wrote("precision.compute")
        and question.get("precision.compute") in ("fp8", "mxfp8", "nvfp4", "mxfp4", "int8", "int4")
    ):
        yield Finding(
            "precision.compute",
            "contradiction",
            "qlora computes in 16 bits over a 4-bit base",
            "write 'precision: bf16'",
        )


def adapters(question: Question) -> Findings:
    """Adapters sit on weights that the model has."""
    targets, shape = question.get("lora.targets"), question.architecture
    if not targets or not shape or not question.training:
        return
    if "gate" in targets and not shape.gated_mlp:
        yield Finding(
            "lora.targets", "contradiction", f"'{shape.name}' has no gate in its feed-forward part", "remove 'gate'"
        )
    rank = question.get("lora.rank")
    if rank and rank > shape.hidden_size:
        yield Finding(
            "lora.rank",
            "too-large",
            f"the rank {rank} exceeds the width {shape.hidden_size} of the model",
            f"write {shape.hidden_size} or less; usual ranks are 8 to 256",
        )


def cut_samples(question: Question) -> Findings:
    """Samples that are not packed lie in one sequence each."""
    length, longest = base_of(question.get("data.length")), question.get("sequence_length")
    apart = question.get("packing") is False or question.job == "preference-tuning"
    if question.training and apart and length and longest and question.wrote("sequence_length") and length > longest:
        if question.get("algorithm") in ("ppo", "grpo"):
            return
        message = f"samples of {length:,.0f} tokens on average are cut to sequences of {longest:,}"
        fix = f"write 'sequence_length: {length:.0f}' or more, or the 'length' that is left of a sample"
        yield Finding("sequence_length", "too-small", message, fix)


def batch(question: Question) -> Findings:
    """A step has one sequence at least, and no less than one GPU works on at a time."""
    asked, length, micro = (question.get(name) for name in ("global_batch", "sequence_length", "layout.micro_batch"))
    if not question.training or asked is None or not question.wrote("global_batch"):
        return
    if isinstance(asked, TokenAmount) and length and asked < length:
        message = f"a batch of {asked:,.0f} tokens is less than one sequence of {length:,}"
        yield Finding("global_batch", "too-small", message, f"write '{length} tokens' or more")
    elif not isinstance(asked, TokenAmount) and micro and micro > asked:
        message = f"a micro-batch of {micro} is more than the global batch of {asked}"
        yield Finding("layout.micro_batch", "too-large", message, f"write {asked} or less")


def objective(question: Question) -> Findings:
    """The fastest of all is the largest of all, unless something bounds it."""
    bounded = question.get("hardware.count") or question.get("budget")
    if question.get("objective") == "fastest" and not bounded and question.is_ok("hardware") and question.is_ok("budget"):
        fix = "add 'hardware.count' or 'budget', or write 'objective: smallest' with a 'deadline'"
        yield Finding("objective", "missing-key", "the fastest of any size has no end: more GPUs are always faster", fix)
    if question.get("objective") == "smallest" and question.get("hardware.count"):
        yield Finding("objective", "contradiction", "the number of GPUs is given: there is none smaller", "remove it")


def utilization(question: Question) -> Findings:
    """Utilization is said in one way."""
    if question.get("utilization.share") is not None and question.get("utilization.from_run") is not None:
        yield Finding("utilization", "contradiction", "'utilization' has a number and a run", "keep one of them", True)
