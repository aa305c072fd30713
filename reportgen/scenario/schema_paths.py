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
SHORTHANDS = {
    "Deadline": "string",
    "Model": "string",
    "TrainingPrecision": "string",
    "ServingPrecision": "string",
    "Lora": "integer",
    "Tax": ["number", "string"],
    "Utilization": ["number", "string"],
    "TokenLength": ["number", "string"],
    "Hardware": ["string", "array"],
}


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
        definitions |= schema.pop("$defs", {})
        definitions[keys.__name__] = schema | {"properties": schema["properties"] | MORE_KEYS, "required": []}
        condition = {"properties": {"job": {"enum": list(jobs)}}, "required": ["job"]}
        branches.append({"if": condition, "then": {"$ref": f"#/$defs/{keys.__name__}"}})
    _add_shorthands(definitions)
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A scenario of reportgen",
        "type": "object",
        "properties": {"job": {"enum": list(JOBS)}} | MORE_KEYS,
        "allOf": branches,
        "$defs": definitions,
    }


def _add_shorthands(definitions: dict[str, Any]) -> None:
    for name, kind in SHORTHANDS.items():
        if name in definitions:
            spelled = f"{name}Keys"
            definitions[spelled] = definitions[name]
            definitions[name] = {"anyOf": [{"type": kind}, {"$ref": f"#/$defs/{spelled}"}]}
