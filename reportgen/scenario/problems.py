"""Turns what pydantic found into sentences with a fix, and finds the nearest allowed key."""

from __future__ import annotations

import types
import typing
from collections.abc import Iterable
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from reportgen.errors import Problem
from reportgen.scenario.schema import ALL_KEYS, BatchKeys, RequestKeys, ServingKeys, TrainingKeys
from reportgen.scenario.sources import Sources
from reportgen.scenario.units import quoted
from reportgen.scenario.yaml_text import dotted

KINDS = {
    "model_type": ("should-be-mapping", "should be 'key: value' lines"),
    "dict_type": ("should-be-mapping", "should be 'key: value' lines"),
    "tuple_type": ("should-be-list", "should be a list"),
    "list_type": ("should-be-list", "should be a list"),
}
LONGEST_EXAMPLE = 30  # characters of a value that an example repeats
ELSEWHERE = {"extends", "vary"}
KNOWN_MISTAKES = {
    "gpu": "hardware", "gpus": "hardware", "accelerator": "hardware", "accelerators": "hardware",
    "dataset": "data", "tokens": "data", "batch_size": "global_batch", "global_batch_size": "global_batch",
    "seq_len": "sequence_length", "seq_length": "sequence_length", "max_length": "sequence_length",
    "cutoff_len": "sequence_length", "context": "sequence_length", "mfu": "utilization",
    "quantization": "precision", "dtype": "precision", "framework": "stack", "parallelism": "layout",
    "users": "load", "qps": "load", "slo": "objectives", "due": "deadline", "task": "job", "type": "job",
    "cost": "budget", "name": "title", "input_tokens": "prompt_tokens", "output_tokens": "answer_tokens",
    "learning_rate": "", "prompt": "prompt_tokens", "answer": "answer_tokens",
}  # fmt: skip


def adapter_of(keys: type[BaseModel], name: str) -> TypeAdapter:
    """The validator of one top-level key."""
    cache = _ADAPTERS.setdefault(keys, {})
    if name not in cache:
        field = keys.model_fields[name]
        cache[name] = TypeAdapter(
            Annotated[(field.annotation, *field.metadata)] if field.metadata else field.annotation
        )
    return cache[name]


_ADAPTERS: dict[type, dict[str, TypeAdapter]] = {}


def problems_of(error: ValidationError, keys: type[BaseModel], name: str, sources: Sources) -> list[Problem]:
    """The problems of one top-level key."""
    return [_problem(item, keys, (name, *item["loc"]), sources) for item in error.errors(include_url=False)]


def _problem(item: dict[str, Any], keys: type[BaseModel], path: tuple, sources: Sources) -> Problem:
    kind, context = item["type"], item.get("ctx") or {}
    path = tuple(part for part in path if part != "[key]")
    if "message" in context and "fix" in context:
        inner = context.get("key")
        where = sources.place_of((*path, inner) if inner else path, key=kind == "unknown-key")
        return Problem(kind, context["message"], context["fix"], where, tuple(context.get("candidates", ())))
    if kind == "extra_forbidden":
        return unknown_key(str(path[-1]), names_at(keys, path[:-1]), path, sources)
    if kind == "missing":
        place = sources.place_of(path[:-1], key=True)
        return Problem("missing-key", f"'{dotted(path[:-1])}' lacks '{path[-1]}'", f"add '{path[-1]}:'", place)
    code, words = KINDS.get(kind, ("wrong-value", "is not what is expected here"))
    known = names_at(keys, path)
    fix = (
        f"its keys are: {', '.join(known)}{_such_as(path, known, item.get('input'))}"
        if known and code == "should-be-mapping"
        else "write it as a list"
        if code == "should-be-list"
        else "check the value"
    )
    return Problem(code, f"'{dotted(path)}' is {quoted(item.get('input'))} but {words}", fix, sources.place_of(path))


def _such_as(path: tuple, known: tuple[str, ...], value: Any) -> str:
    """A single value put under the first key, which is the usual one."""
    if not isinstance(value, (str, int, float)) or isinstance(value, bool) or len(str(value)) > LONGEST_EXAMPLE:
        return ""
    return f"; such as '{path[-1]}: {{{known[0]}: {value}}}'"


def unknown_key(key: str, known: Iterable[str], path: tuple, sources: Sources) -> Problem:
    """A key that does not exist in its mapping."""
    known = tuple(known)
    nearest = tuple(get_close_matches(key.strip().lower().replace("-", "_"), known, 1, 0.66))
    where = f" in '{dotted(path[:-1])}'" if len(path) > 1 else ""
    fix = f"did you mean '{nearest[0]}'?" if nearest else f"known keys: {', '.join(known)}"
    return Problem("unknown-key", f"unknown key '{key}'{where}", fix, sources.place_of(path, key=True), nearest)


def unknown_top_key(key: str, keys: type[RequestKeys], job: str | None, sources: Sources) -> Problem:
    """A top-level key that the job does not have."""
    known = tuple(keys.model_fields)
    if key in ALL_KEYS and job:
        place = sources.place_of((key,), key=True)
        owner = _owner(key)
        return Problem(
            "key-of-other-job",
            f"'{key}' has no meaning for {job}: it belongs to {owner}",
            "remove it, or change 'job'",
            place,
        )
    meant = KNOWN_MISTAKES.get(key.strip().lower().replace("-", "_"))
    if meant in known:
        return Problem(
            "unknown-key",
            f"unknown key '{key}'",
            f"did you mean '{meant}'?",
            sources.place_of((key,), key=True),
            (meant,),
        )
    if meant == "":
        return Problem(
            "unknown-key", f"'{key}' does not change the hardware", "remove it", sources.place_of((key,), key=True)
        )
    problem = unknown_key(key, (*known, *ELSEWHERE), (key,), sources)
    if not problem.candidates:
        fix = f"keys of {job or 'a scenario'}: {', '.join(known)}"
        problem = Problem(problem.code, problem.message, fix, problem.place)
    return problem


def _owner(key: str) -> str:
    owners = {"training jobs": TrainingKeys, "serving": ServingKeys, "batch-inference": BatchKeys}
    return " and ".join(name for name, keys in owners.items() if key in keys.model_fields)


def names_at(keys: type[BaseModel], path: tuple) -> tuple[str, ...]:
    """The names that the mapping at a path may have."""
    here: Any = keys
    for part in path:
        if isinstance(part, int):
            continue
        if here is None:
            return ()
        fields = {field.alias or name: field for name, field in here.model_fields.items()}
        here = model_in(fields[part].annotation) if part in fields else None
    if here is None:
        return ()
    return tuple(field.alias or name for name, field in here.model_fields.items())


def model_in(annotation: Any) -> type[BaseModel] | None:
    """The keys class inside an annotation, or None."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    if typing.get_origin(annotation) in (Annotated, typing.Union, types.UnionType, tuple, list):
        for argument in typing.get_args(annotation):
            found = model_in(argument)
            if found:
                return found
    return None
