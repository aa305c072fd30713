"""Choices in words that a scenario leaves open: what was taken for them, as it would be written."""

from __future__ import annotations

from reportgen.evaluation.result import Message
from reportgen.scenario import Scenario

CHOICES = (
    "method", "algorithm", "optimizer", "precision.compute", "precision.master", "precision.moments", "gradient_precision", "stack",
    "attention", "cross_entropy", "packing", "data.language", "engine", "precision.weights", "precision.kv", "prompt_tokens.language",
    "answer_tokens.language",
)  # fmt: skip
FLAGS = {True: "true", False: "false"}


def assumed_choices(scenario: Scenario) -> list[Message]:
    """One message of all of them, in the words of the scenario, which are the same in every language."""
    taken = {item.path: item.value for item in scenario.assumed if isinstance(item.value, (str, bool))}
    said = [f"{path} {FLAGS.get(taken[path], taken[path])}" for path in CHOICES if path in taken]
    return [Message("remark_assumed_choices", {"choices": " · ".join(said)})] if said else []
