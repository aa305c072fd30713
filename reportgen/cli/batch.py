"""reportgen batch: many scenarios, a folder each, with index, summary and comparison."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from reportgen.batch.find import find_scenarios
from reportgen.batch.index import counts, index_html, place_and_message, summary_csv
from reportgen.batch.output_files import slug, unique_slugs, write_file
from reportgen.batch.pool import run
from reportgen.batch.work import CHECK_FAILED, DONE, ERROR, Outcome, Task
from reportgen.catalog.wording import Wording, wording
from reportgen.cli.compare import compared
from reportgen.cli.error_output import problems_as_text
from reportgen.cli.lazy_group import Command
from reportgen.cli.reading import choices_of
from reportgen.cli.settings import Progress, Settings
from reportgen.errors import Problem, ReportError, UsageError
from reportgen.formats import FORMATS, Manner, named_formats, render_several

MOST_COMPARED = 30
LESS_THAN_ALL = 1


@click.command(cls=Command)
@click.argument("names", nargs=-1, required=True, metavar="DIR|GLOB|FILE...")
@click.option("-j", "--jobs", type=click.IntRange(1), metavar="N", help="Processes; else one a processor.")
@click.option(
    "-f",
    "--format",
    "formats",
    default="xlsx,pdf",
    show_default=True,
    metavar="LIST",
    help=f"Of: {', '.join(FORMATS)}.",
)
@click.option("-o", "--output", default="output", show_default=True, metavar="DIR", help="Folder for everything.")
@click.option("--json", "as_json", is_flag=True, help="The outcome of every scenario as JSON.")
@click.pass_obj
def command(
    settings: Settings, names: tuple[str, ...], jobs: int | None, formats: str, output: str, as_json: bool
) -> int:
    """Build many scenarios: a folder each, index.html, summary.csv, and a comparison of up to 30.

    A scenario that fails never stops the others: it is named in the index, and the exit code is 1.
    """
    wanted = named_formats(formats)
    files, skipped = find_scenarios(names)
    progress, folder = Progress(settings), Path(output)
    for file in skipped:
        progress.message(_words(settings).text("cli_batch_skipped", file=file))
    tasks = tasks_for(files, folder, wanted, settings)
    outcomes = run(tasks, jobs, _reporter(progress, len(tasks), settings))
    shared, errors = _write_shared(outcomes, folder, wanted, settings)
    if as_json:
        click.echo(_as_json(outcomes, shared))
    else:
        _print_summary(outcomes, shared, settings)
    for error in errors:
        progress.message(_problems(error.problems, settings, outcomes))
    return LESS_THAN_ALL if errors or any(outcome.state != DONE for outcome in outcomes) else 0


def tasks_for(files: Sequence[str], folder: Path, formats: tuple[str, ...], settings: Settings) -> list[Task]:
    """A task a file, each with a folder of its own whatever the file system makes of capitals."""
    stems = unique_slugs(["index-", "summary-", "comparison-", *(slug(Path(file).stem) for file in files)])[3:]
    manner, choices = Manner(settings.templates), choices_of(settings)
    return [
        Task(file, stem, str(folder / stem), formats, choices, manner) for file, stem in zip(files, stems, strict=True)
    ]


def _words(settings: Settings, outcomes: Sequence[Outcome] = ()) -> Wording:
    """Words in the language asked for, else in that of the first scenario that was estimated."""
    known = (outcome.result.facts.language for outcome in outcomes if outcome.result is not None)
    return wording(settings.language or next(known, "en"))


def _reporter(progress: Progress, count: int, settings: Settings):
    done = iter(range(1, count + 1))

    def report(outcome: Outcome) -> None:
        reason = f": {place_and_message(outcome.problems[0])}" if outcome.problems else ""
        state = _words(settings, [outcome]).label(f"cli_state_{outcome.state}")
        progress.line(f"[{next(done)}/{count}] {outcome.task.name}: {state}{reason}")

    return report


def _write_shared(
    outcomes: Sequence[Outcome], folder: Path, formats: Sequence[str], settings: Settings
) -> tuple[list[Path], list[ReportError]]:
    """Comparison, summary and index; the index links to the others."""
    results = [outcome.result for outcome in outcomes if outcome.result is not None]
    words = _words(settings, outcomes)
    paths, errors = [], []
    if 2 <= len(results) <= MOST_COMPARED:
        paths, errors = _write_comparison(results, folder, formats, settings)
    elif len(results) > MOST_COMPARED:
        Progress(settings).message(words.text("cli_batch_not_compared", count=len(results), most=MOST_COMPARED))
    paths.append(write_file(folder / "summary.csv", summary_csv(outcomes)))
    paths.append(
        write_file(folder / "index.html", index_html(outcomes, words.language, folder, [str(path) for path in paths]))
    )
    return paths, errors


def _write_comparison(
    results, folder: Path, formats: Sequence[str], settings: Settings
) -> tuple[list[Path], list[ReportError]]:
    paths, errors, manner = [], [], Manner(settings.templates)
    try:
        comparison = compared(results)
    except UsageError as error:
        Progress(settings).message(f"no comparison: {error}")
        return [], []
    for name in formats:
        if FORMATS[name].several is None or name == "csv":
            continue
        try:
            content = render_several(name, comparison, results, manner)
            paths.append(write_file(folder / f"comparison.{FORMATS[name].extension}", content))
        except ReportError as error:
            errors.append(error)
    for warning in dict.fromkeys(manner.warnings):
        Progress(settings).message(f"note: {warning}")
    return paths, errors


def _print_summary(outcomes: Sequence[Outcome], shared: Sequence[Path], settings: Settings) -> None:
    found, words = counts(outcomes), _words(settings, outcomes)
    for outcome in outcomes:
        if outcome.problems:
            Progress(settings).message(f"{outcome.task.name}:\n{_problems(outcome.problems, settings, outcomes)}")
        elif outcome.state != DONE:
            Progress(settings).message(f"{outcome.task.name}: {words.label('cli_state_check_failed')}")
    for path in shared:
        click.echo(path)
    Progress(settings).message(
        words.text("cli_batch_summary", done=found[DONE], failed=found[CHECK_FAILED], wrong=found[ERROR])
    )


def _problems(problems: Sequence[Problem], settings: Settings, outcomes: Sequence[Outcome]) -> str:
    """Each with its place, its line and its fix."""
    return problems_as_text(problems, settings.colored(sys.stderr), _words(settings, outcomes).language)


def _as_json(outcomes: Sequence[Outcome], shared: Sequence[Path]) -> str:
    from reportgen.text.headline import headline_values
    from reportgen.text.json import dumps, plain_numbers

    scenarios = [
        {
            "scenario": outcome.task.name,
            "file": outcome.task.file,
            "state": outcome.state,
            "exit_code": outcome.exit_code,
            "files": list(outcome.files),
            "errors": [place_and_message(problem) for problem in outcome.problems],
            "headline": plain_numbers(headline_values(outcome.result)) if outcome.result else {},
        }
        for outcome in outcomes
    ]
    return dumps({"version": 1, "scenarios": scenarios, "files": [str(path) for path in shared]})
