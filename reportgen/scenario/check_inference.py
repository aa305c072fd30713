"""Rules of serving and batch inference: load, lengths of prompts and answers, items."""

from __future__ import annotations

from typing import Any

from reportgen.scenario.question import Finding, Findings, Question
from reportgen.scenario.units import base_of

HOURS_OF_A_DAY = 24


def serving(question: Question) -> Findings:
    """Serving needs users or requests; a length has tokens or characters."""
    if question.job == "serving" and question.is_ok("load"):
        if not question.get("load"):
            yield Finding(
                "",
                "missing-key",
                "serving needs 'load'",
                "add 'load: {users: 500}' or 'load: {requests_per_minute: 120}'",
            )
        elif question.get("load.users") is None and question.get("load.requests_per_minute") is None:
            yield Finding(
                "load", "missing-key", "'load' has neither users nor requests_per_minute", "add one of them", True
            )
        elif question.get("load.users") is None and question.wrote("load.active_share"):
            yield Finding(
                "load.active_share",
                "contradiction",
                "'active_share' has no meaning without 'users'",
                "add users, or remove it",
                True,
            )
    if question.job == "serving" and question.is_ok("load.hourly"):
        yield from _hours(question)
    for name in ("prompt_tokens", "answer_tokens"):
        if question.training or not question.is_ok(name):
            continue
        length = question.get(name)
        if length is None or (length.tokens is None and length.characters is None):
            yield from _missing_length(question, name, length)
        elif length.tokens is not None and length.characters is not None:
            yield Finding(name, "contradiction", f"'{name}' has both tokens and characters", "keep one of them", True)
        elif name == "prompt_tokens" and base_of(length.tokens) == 0:
            yield Finding(name, "too-small", "a prompt has at least one token", "write 1 or more")


def room(question: Question) -> Findings:
    """The other services leave cards of a given number to this one."""
    count, others = question.get("hardware.count"), question.get("other_services")
    if not count or not others:
        return
    taken = sum(service.gpus for service in others)
    if taken >= count:
        yield Finding(
            "other_services",
            "contradiction",
            f"the other services take {taken} GPUs, and {count} are given: none is left for this one",
            f"raise 'hardware.count' above {taken}, or list fewer services",
            True,
        )


def _hours(question: Question) -> Findings:
    hours = question.get("load.hourly")
    if hours is None:
        return
    if len(hours) != HOURS_OF_A_DAY:
        message = f"'hourly' has {len(hours)} numbers; a day has 24 hours"
        yield Finding("load.hourly", "wrong-length", message, "write one number for each hour, from 0 to 23 o'clock")
    elif not max(hours) > 0:
        yield Finding("load.hourly", "too-small", "'hourly' has no load at all", "write the load of each hour")


def _missing_length(question: Question, name: str, length: Any) -> Findings:
    known = question.get("load.users") is not None or question.get("load.requests_per_minute") is not None
    if question.job == "serving" and not known:
        return
    fix = f"add '{name}: 512' or '{name}: {{characters: 1000, language: zh}}'"
    if length is None:
        yield Finding("", "missing-key", f"{question.job} needs '{name}'", fix)
    else:
        yield Finding(name, "missing-key", f"'{name}' has neither tokens nor characters", fix, True)


def batch(question: Question) -> Findings:
    """Batch inference needs items; one time limit."""
    if question.job != "batch-inference":
        return
    if question.is_ok("items") and question.get("items") is None:
        yield Finding(
            "", "missing-key", "batch-inference needs 'items'", "add 'items: 1M', the requests to work through"
        )
    if question.get("window") and question.get("deadline"):
        yield Finding(
            "deadline", "contradiction", "'window' and 'deadline' both limit the time", "keep one of them", True
        )
