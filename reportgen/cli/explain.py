"""reportgen explain: where a number comes from."""

from __future__ import annotations

import click

from reportgen.cli.lazy_group import Command
from reportgen.cli.reading import all_results
from reportgen.cli.settings import Settings


@click.command(cls=Command)
@click.argument("quantity", metavar="QUANTITY")
@click.argument("file", metavar="FILE")
@click.option("--depth", type=click.IntRange(1, 50), default=3, show_default=True, help="How many levels of causes.")
@click.option("--json", "as_json", is_flag=True, help="The explanation as JSON.")
@click.pass_obj
def command(settings: Settings, quantity: str, file: str, depth: int, as_json: bool) -> int:
    """Where a number comes from: symbol = substitution = value, then the causes down to inputs and sources.

    QUANTITY is a key of the result, such as training_days, or its label.
    """
    from reportgen.text.explain import explain, explain_data

    result = all_results([file], settings)[0]
    if as_json:
        from reportgen.text.json import dumps

        click.echo(dumps(explain_data(result, quantity, depth)))
    else:
        click.echo(explain(result, quantity, depth=depth), nl=False)
    return 0
