"""reportgen compare: two or more scenarios beside each other."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from reportgen.batch.output_files import write_file
from reportgen.cli.estimate import CHECK_FAILED
from reportgen.cli.lazy_group import Command
from reportgen.cli.reading import SeveralErrors, all_results
from reportgen.cli.settings import Progress, Settings
from reportgen.errors import ReportError, UsageError
from reportgen.formats import FORMATS, Manner, named_formats, render_several


@click.command(cls=Command)
@click.argument("files", nargs=-1, required=True, metavar="A B [C...]")
@click.option("-f", "--format", "formats", metavar="LIST", help=f"Also write files, of: {', '.join(FORMATS)}.")
@click.option(
    "-o", "--output", default="output", show_default=True, metavar="PATH", help="Folder; or a file, for one format."
)
@click.option("--json", "as_json", is_flag=True, help="The comparison as JSON; errors as JSON too.")
@click.option("--markdown", "as_markdown", is_flag=True, help="The comparison as Markdown, for a ticket.")
@click.pass_obj
def command(
    settings: Settings, files: tuple[str, ...], formats: str | None, output: str, as_json: bool, as_markdown: bool
) -> int:
    """Say in a sentence and a table how scenarios differ, and why. The first is what the others are compared with."""
    if len(files) < 2:
        raise click.UsageError("a comparison needs two scenarios or more", click.get_current_context())
    _refuse_twins(files)
    names = named_formats(formats) if formats else ()
    results = all_results(files, settings)
    comparison = compared(results)
    click.echo(_printed(comparison, results, settings, as_json, as_markdown), nl=False)
    _write(names, comparison, results, Path(output), settings, beside_json=as_json)
    return CHECK_FAILED if any(result.failed for result in results) else 0


def _refuse_twins(files: Sequence[str]) -> None:
    """The same file twice answers nothing: what the command line changes, it changes in both."""
    seen: set[Path] = set()
    for file in files:
        path = Path(file).resolve()
        if path in seen:
            message = f"'{file}' is named twice, and a scenario does not differ from itself"
            fix = f"write what changes into a file beside it that begins with 'extends: {path.name}', and name that one"
            raise UsageError.of("same-file", message, fix)
        seen.add(path)


def compared(results):
    """The comparison. UsageError when the results cannot stand beside each other."""
    from reportgen.evaluation.compare import compare

    try:
        return compare(results)
    except ValueError as error:
        raise UsageError.of(
            "not-comparable", str(error), "add --currency CNY, or see reportgen compare --help"
        ) from None


def _printed(comparison, results, settings: Settings, as_json: bool, as_markdown: bool) -> str:
    if as_json:
        from reportgen.text.json import comparison_json

        return comparison_json(comparison) + "\n"
    from reportgen.text.comparison import comparison_answer

    said = comparison_answer(comparison, results)
    if as_markdown:
        from reportgen.text.markdown import markdown

        return markdown(said)
    from reportgen.text.table import Terminal

    return Terminal(colored=settings.colored(sys.stdout)).answer(said)


def _write(names, comparison, results, output: Path, settings: Settings, beside_json: bool) -> None:
    errors, manner = [], Manner(settings.templates)
    single = len(names) == 1 and output.suffix.lower() == f".{FORMATS[names[0]].extension}"
    for name in names:
        path = output if single else output / f"comparison.{FORMATS[name].extension}"
        try:
            write_file(path, render_several(name, comparison, results, manner))
            click.echo(path, err=beside_json)
        except ReportError as error:
            errors.append(error)
    for warning in dict.fromkeys(manner.warnings):
        Progress(settings).message(f"note: {warning}")
    if errors:
        raise SeveralErrors(errors)
