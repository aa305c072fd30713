"""Every key that a scenario may have, as dotted paths and as a JSON Schema for editors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel

from reportgen.scenario.problems import model_in
from reportgen.scenario.schema import BatchKeys, RequestKeys, ServingKeys, TrainingKeys

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


def json_schema() -> dict[str, Any]:
    """JSON Schema of a scenario file, all jobs together; shorthands included."""
    definitions: dict[str, Any] = {}
    properties: dict[str, Any] = {}
    for keys in (TrainingKeys, ServingKeys, BatchKeys):
        schema = keys.model_json_schema(by_alias=True)
        definitions |= schema.get("$defs", {})
        for name, shape in schema["properties"].items():
            known = properties.setdefault(name, shape)
            if known != shape and shape not in known.get("anyOf", ()):
                properties[name] = {"anyOf": [*known.get("anyOf", [known]), shape], "description": shape["description"]}
    _add_shorthands(definitions)
    properties["extends"] = {"type": "string", "description": "a scenario that this one is written on top of"}
    properties["vary"] = {"type": "object", "description": "dotted key: list of values, for a sweep"}
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "reportgen scenario",
        "type": "object",
        "properties": properties,
        "additionalProperties": False,
        "required": [name for name, field in RequestKeys.model_fields.items() if field.is_required()],
        "$defs": definitions,
    }


def _add_shorthands(definitions: dict[str, Any]) -> None:
    for name, kind in SHORTHANDS.items():
        if name in definitions:
            spelled = f"{name}Keys"
            definitions[spelled] = definitions[name]
            definitions[name] = {"anyOf": [{"type": kind}, {"$ref": f"#/$defs/{spelled}"}]}
