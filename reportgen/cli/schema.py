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
    from reportgen.scenario.schema_paths import json_schema
    from reportgen.text.json import dumps

    click.echo(dumps(json_schema()))
    return 0
