"""Every key that a scenario may have, as dotted paths and as a JSON Schema for editors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from reportgen.scenario.problems import model_in
from reportgen.scenario.schema import JOBS, TRAINING_JOBS, BatchKeys, ServingKeys, TrainingKeys

MORE_KEYS = {
    "extends": {"type": "string", "description": "a scenario that this one is written on top of"},
    "vary": {"type": "object", "description": "dotted key: list of values, for a sweep"},
}
SHORT_TYPES = ["string", "number", "boolean", "array"]


def paths_of_keys(keys: type[BaseModel] | None = None) -> tuple[str, ...]:
    """Dotted paths of all keys of a job's class, or of all jobs together."""
    classes = [keys] if keys else [TrainingKeys, ServingKeys, BatchKeys]
    return tuple(dict.fromkeys(path for each in classes for path in _paths(each)))


def _paths(keys: type[BaseModel], prefix: str = "") -> Iterator[str]:
    for name, field in keys.model_fields.items():
        path = f"{prefix}{field.alias or name}"
        yield path
        inner = model_in(field.annotation)
        if inner:
            yield from _paths(inner, f"{path}.")


JOBS_OF_KEYS = ((TrainingKeys, TRAINING_JOBS), (ServingKeys, ("serving",)), (BatchKeys, ("batch-inference",)))


def json_schema() -> dict[str, Any]:
    """JSON Schema of a scenario file: the job decides which keys there are; shorthands are included.

    Nothing is required, because a file may take any key from the base that it extends.
    """
    definitions: dict[str, Any] = {}
    branches = []
    for keys, jobs in JOBS_OF_KEYS:
        schema = keys.model_json_schema(by_alias=True)
        definitions |= {name: _loosened(part) for name, part in schema.pop("$defs", {}).items()}
        schema = _loosened(schema)
        definitions[keys.__name__] = schema | {"properties": schema["properties"] | MORE_KEYS, "required": []}
        condition = {"properties": {"job": {"enum": list(jobs)}}, "required": ["job"]}
        branches.append({"if": condition, "then": {"$ref": f"#/$defs/{keys.__name__}"}})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A scenario of reportgen",
        "type": "object",
        "properties": {"job": {"enum": list(JOBS)}} | MORE_KEYS,
        "allOf": branches,
        "$defs": definitions,
    }


def _loosened(schema: dict[str, Any]) -> dict[str, Any]:
    """Mappings and lists may be written short: `deadline: 14 days`, `model: llama-3.1-70b`, one item without a list."""
    properties = {name: _short_too(part) for name, part in schema.get("properties", {}).items()}
    return {**schema, "properties": properties} if properties else schema


def _short_too(part: dict[str, Any]) -> dict[str, Any]:
    choices = part.get("anyOf", [part])
    if not any("$ref" in choice or choice.get("type") == "array" for choice in choices):
        return part
    about = {key: part[key] for key in ("description", "default", "title") if key in part}
    bare = [{key: value for key, value in choice.items() if key not in about} for choice in choices]
    return {**about, "anyOf": [*bare, {"type": SHORT_TYPES}]}
