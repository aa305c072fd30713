"""reportgen schema: the JSON Schema of a scenario, for completion and checks in editors."""

from __future__ import annotations

import click

from reportgen.cli.lazy_group import Command
from reportgen.cli.settings import Settings


@click.command(cls=Command)
@click.pass_obj
def command(settings: Settings) -> int:
    """Print the JSON Schema of a scenario.

    Save it beside your scenarios and begin each with the line
    # yaml-language-server: $schema=reportgen.schema.json
    """
    from reportgen.text.json import dumps

    click.echo(dumps(scenario_schema()))
    return 0


def scenario_schema() -> dict:
    """The keys of every job: which of three lists holds is decided by `job`."""
    from reportgen.scenario.schema import TRAINING_JOBS, BatchKeys, ServingKeys, TrainingKeys

    definitions: dict = {}
    branches = []
    for keys, jobs in ((TrainingKeys, TRAINING_JOBS), (ServingKeys, ("serving",)), (BatchKeys, ("batch-inference",))):
        schema = keys.model_json_schema(by_alias=True, ref_template="#/$defs/{model}")
        definitions |= {name: _loosened(part) for name, part in schema.pop("$defs", {}).items()}
        definitions[keys.__name__] = _opened(_loosened(schema))
        condition = {"properties": {"job": {"enum": list(jobs)}}, "required": ["job"]}
        branches.append({"if": condition, "then": {"$ref": f"#/$defs/{keys.__name__}"}})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "A scenario of reportgen",
        "type": "object",
        "properties": {"extends": {"type": "string", "description": "a scenario whose keys this one takes over"}},
        "allOf": branches,
        "$defs": definitions,
    }


def _loosened(schema: dict) -> dict:
    """Mappings and lists may be written short: `deadline: 14 days`, `model: llama-3.1-70b`, one item without a list."""
    properties = {name: _short_too(part) for name, part in schema.get("properties", {}).items()}
    return {**schema, "properties": properties} if properties else schema


def _short_too(part: dict) -> dict:
    choices = part.get("anyOf", [part])
    if not any("$ref" in choice or choice.get("type") == "array" for choice in choices):
        return part
    about = {key: part[key] for key in ("description", "default", "title") if key in part}
    bare = [{key: value for key, value in choice.items() if key not in about} for choice in choices]
    return {**about, "anyOf": [*bare, {"type": ["string", "number", "boolean", "array"]}]}


def _opened(schema: dict) -> dict:
    """What a base file may provide is not required here; `extends` and `vary` belong to every job."""
    properties = {
        **schema["properties"],
        "extends": {"type": "string"},
        "vary": {"type": "object", "description": "dotted key: [values], for a matrix of scenarios"},
    }
    return {**schema, "properties": properties, "required": []}
