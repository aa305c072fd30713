"""reportgen build: workbook, memo and the other formats as files."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import click

from reportgen.batch.output_files import unique_slugs, write_file
from reportgen.cli.estimate import CHECK_FAILED
from reportgen.cli.lazy_group import Command
from reportgen.cli.reading import SeveralErrors, read_results
from reportgen.cli.settings import Progress, Settings
from reportgen.errors import ReportError
from reportgen.formats import FORMATS, Manner, named_formats, render

STYLES = ("memo", "feasibility", "allocation")


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "-f",
    "--format",
    "formats",
    default="xlsx,pdf",
    show_default=True,
    metavar="LIST",
    help=f"Of: {', '.join(FORMATS)}.",
)
@click.option(
    "-o",
    "--output",
    default="output",
    show_default=True,
    metavar="PATH",
    help="Folder; or a file, for one scenario in one format.",
)
@click.option("--style", type=click.Choice(STYLES), help="Form of the memo; else the scenario's.")
@click.option("--redact-prices", is_flag=True, help="Leave out every price and amount.")
@click.option("--json", "as_json", is_flag=True, help="The paths written as JSON; errors as JSON too.")
@click.pass_obj
def command(
    settings: Settings,
    files: tuple[str, ...],
    formats: str,
    output: str,
    style: str | None,
    redact_prices: bool,
    as_json: bool,
) -> int:
    """Write documents: by default the live workbook and the PDF memo. Prints the paths.

    FILE is a scenario, or a result that `-f json` wrote, rendered again without estimating.
    """
    names = named_formats(formats)
    results, errors = read_results(files, settings)
    results = [prepared(result, style, redact_prices) for result in results]
    paths, more = write_all(results, names, Path(output), settings, echo=not as_json)
    errors += more
    if as_json and not errors:
        from reportgen.text.json import dumps

        click.echo(dumps({"version": 1, "files": [str(path) for path in paths]}))
    if errors:
        raise SeveralErrors(errors)
    return CHECK_FAILED if any(result.failed for result in results) else 0


def prepared(result, style: str | None, redact_prices: bool):
    """The result in the style asked for, without prices if so asked."""
    if style:
        result = dataclasses.replace(result, facts=dataclasses.replace(result.facts, style=style))
    if redact_prices:
        from reportgen.text.redaction import redacted

        result = redacted(result)
    return result


def _is_file(output: Path, name: str) -> bool:
    """Whether the output is named as a file of that format."""
    return output.suffix.lower() == f".{FORMATS[name].extension.rpartition('.')[2]}"


def write_all(
    results: Sequence, names: Sequence[str], output: Path, settings: Settings, echo: bool = True
) -> tuple[list[Path], list[ReportError]]:
    """Every result in every format; a format that fails does not stop the others."""
    progress, manner = Progress(settings), Manner(settings.templates)
    paths, errors = [], []
    single = len(results) == len(names) == 1 and _is_file(output, names[0])
    slugs = unique_slugs([result.facts.name or result.facts.title for result in results])
    for result, stem in zip(results, slugs, strict=True):
        for name in names:
            path = output if single else output / f"{stem}.{FORMATS[name].extension}"
            try:
                paths.append(write_file(path, render(name, result, manner)))
                if echo:
                    click.echo(path)
            except ReportError as error:
                errors.append(error)
        progress.line(f"built {stem}")
    for warning in dict.fromkeys(manner.warnings):
        progress.message(f"note: {warning}")
    return paths, errors
