"""reportgen check: validate, and evaluate guardrails and checks."""

from __future__ import annotations

import sys

import click

from reportgen.cli.estimate import CHECK_FAILED
from reportgen.cli.lazy_group import Command
from reportgen.cli.reading import SeveralErrors, read_results
from reportgen.cli.settings import Settings


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--json", "as_json", is_flag=True, help="Checks and errors as JSON.")
@click.pass_obj
def command(settings: Settings, files: tuple[str, ...], as_json: bool) -> int:
    """Validate scenarios and evaluate their guardrails: memory, deadline, budget, power, sums.

    Exit code 3 when a scenario is wrong, 1 when a check fails, 0 when all is well.
    """
    results, errors = read_results(files, settings)
    if errors and as_json:
        raise SeveralErrors(errors)
    if as_json:
        click.echo(_as_json(results))
    else:
        click.echo("\n".join(_printed(result, settings) for result in results), nl=False)
    if errors:
        raise SeveralErrors(errors)
    return CHECK_FAILED if any(result.failed for result in results) else 0


def _printed(result, settings: Settings) -> str:
    from reportgen.text.answer import check_answer
    from reportgen.text.table import Terminal

    return Terminal(colored=settings.colored(sys.stdout)).answer(check_answer(result))


def _as_json(results) -> str:
    from reportgen.text.json import dumps

    scenarios = []
    for result in results:
        data = result.to_json()
        scenarios.append(
            {"scenario": result.facts.name, "id": result.id, "failed": result.failed, "checks": data["checks"]}
        )
    return dumps({"version": 1, "scenarios": scenarios})
