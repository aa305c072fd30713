"""The files of the command line as results."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.batch.reading import Choices, read_result
from reportgen.cli.settings import Progress, Settings
from reportgen.errors import ReportError
from reportgen.evaluation.result import Result


class SeveralErrors(ReportError):
    """Errors of several files, in the order of the files. The gravest gives the exit code."""

    def __init__(self, errors: Sequence[ReportError]):
        super().__init__(*(problem for error in errors for problem in error.problems))
        self.exit_code = max(error.exit_code for error in errors)


def choices_of(settings: Settings) -> Choices:
    """What the global options change in a scenario."""
    return Choices(settings.language, settings.currency, settings.prices_file, tuple(settings.sets), settings.date)


def read_results(files: Sequence[str], settings: Settings) -> tuple[list[Result], list[ReportError]]:
    """A result for every file that is right, an error for every other; one wrong file does not hide the rest."""
    progress, choices = Progress(settings), choices_of(settings)
    results: list[Result] = []
    errors: list[ReportError] = []
    for file in files:
        try:
            results.append(read_result(file, choices))
            if len(files) > 1:
                progress.line(f"estimated {file}")
        except ReportError as error:
            errors.append(error)
    return results, errors


def all_results(files: Sequence[str], settings: Settings) -> list[Result]:
    """A result for every file, or all errors."""
    results, errors = read_results(files, settings)
    if errors:
        raise SeveralErrors(errors)
    return results
