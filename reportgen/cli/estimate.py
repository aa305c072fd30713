"""reportgen estimate: the answer in the terminal."""

from __future__ import annotations

import shutil
import sys

import click

from reportgen.cli.lazy_group import Command
from reportgen.cli.reading import SeveralErrors, read_results
from reportgen.cli.settings import Settings, is_terminal

CHECK_FAILED = 1


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option("--json", "as_json", is_flag=True, help="The result as JSON; errors as JSON too.")
@click.option("--markdown", "as_markdown", is_flag=True, help="The answer as Markdown, for a ticket.")
@click.pass_obj
def command(settings: Settings, files: tuple[str, ...], as_json: bool, as_markdown: bool) -> int:
    """The answer in the terminal: how many GPUs, how long, how much, and how that follows.

    FILE is a scenario, or a result that `reportgen build -f json` wrote.
    """
    if as_json and as_markdown:
        raise click.UsageError("--json and --markdown exclude each other", click.get_current_context())
    results, errors = read_results(files, settings)
    if errors and as_json:
        raise SeveralErrors(errors)
    if as_json:
        from reportgen.text.json import dumps, result_data

        data = [result_data(result) for result in results]
        click.echo(dumps(data[0] if len(files) == 1 else data))
    else:
        click.echo("\n".join(_printed(result, settings, as_markdown) for result in results), nl=False)
    if errors:
        raise SeveralErrors(errors)
    return CHECK_FAILED if any(result.failed for result in results) else 0


def _printed(result, settings: Settings, as_markdown: bool) -> str:
    from reportgen.text.answer import answer
    from reportgen.text.markdown import markdown
    from reportgen.text.table import WIDEST, Terminal

    said = answer(result, all_checks=settings.verbose)
    if as_markdown:
        return markdown(said)
    width = shutil.get_terminal_size((WIDEST, 24)).columns if is_terminal(sys.stdout) else WIDEST
    return Terminal(width, settings.colored(sys.stdout)).answer(said)
