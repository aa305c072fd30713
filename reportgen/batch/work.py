"""One scenario of a batch, start to end: read, estimate, render, write. Runs in a process of the pool."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path

from reportgen.batch.output_files import write_file
from reportgen.batch.reading import Choices, read_result
from reportgen.errors import Problem, ReportError
from reportgen.evaluation.result import Result
from reportgen.formats import FORMATS, Manner, render

DONE, CHECK_FAILED, ERROR = "done", "check_failed", "error"
BUG = 70


@dataclass(frozen=True)
class Task:
    """A scenario to do: its file, its folder, its name in the index."""

    file: str
    name: str
    folder: str
    formats: tuple[str, ...]
    choices: Choices
    manner: Manner


@dataclass(frozen=True)
class Outcome:
    """What came of it. `result` is None when nothing could be estimated; `files` are those written."""

    task: Task
    state: str
    exit_code: int
    result: Result | None = None
    files: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = field(default=())


def work(task: Task) -> Outcome:
    """Do one scenario. Whatever goes wrong is part of the outcome; nothing is raised."""
    try:
        result = read_result(task.file, task.choices)
    except Exception as error:
        return Outcome(task, ERROR, _code(error), None, (), _problems(error, task))
    files, problems, code = [], [], 0
    for name in task.formats:
        path = Path(task.folder) / f"{task.name}.{FORMATS[name].extension}"
        try:
            files.append(str(write_file(path, render(name, result, task.manner))))
        except Exception as error:
            problems += _problems(error, task)
            code = max(code, _code(error))
    state = ERROR if problems else (CHECK_FAILED if result.failed else DONE)
    return Outcome(task, state, code or int(result.failed), result, tuple(files), tuple(problems))


def _code(error: Exception) -> int:
    return error.exit_code if isinstance(error, ReportError) else BUG


def _problems(error: Exception, task: Task) -> tuple[Problem, ...]:
    if isinstance(error, ReportError):
        return error.problems
    import traceback

    last = traceback.extract_tb(error.__traceback__)[-1]
    where = f"{os.path.basename(last.filename)}:{last.lineno}"
    return (
        Problem(
            "bug",
            f"{task.file}: a bug: {type(error).__name__}: {error} ({where})",
            f"run it alone: reportgen build {task.file}",
        ),
    )
