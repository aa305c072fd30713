"""Errors that a user can mend: where it is, what is wrong, how to fix it. The exit code stands on the class."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Place:
    """Where an error stands: a file, and line and column counted from 1 (0 = the whole file)."""

    file: str = ""
    line: int = 0
    column: int = 0
    path: str = ""  # the key inside the scenario, such as hardware.accelerator
    text: str = ""  # the line as written
    width: int = 1  # how many characters the caret line marks


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong. `code` is stable for programs; `candidates` are the nearest known names."""

    code: str
    message: str
    fix: str = ""
    place: Place = field(default_factory=Place)
    candidates: tuple[str, ...] = ()


class ReportError(Exception):
    """Something the user can mend. Carries one problem or several, in the order of the file."""

    exit_code = 3

    def __init__(self, *problems: Problem):
        super().__init__("; ".join(problem.message for problem in problems))
        self.problems = problems

    @classmethod
    def of(cls, code: str, message: str, fix: str = "", place: Place | None = None, candidates: tuple[str, ...] = ()):
        """The common case of one problem."""
        return cls(Problem(code, message, fix, place or Place(), candidates))


class UsageError(ReportError):
    """The command line asks for something that does not exist."""

    exit_code = 2


class ScenarioError(ReportError):
    """The scenario is wrong: syntax, types, unknown names, contradictions."""

    exit_code = 3


class CatalogError(ReportError):
    """The catalog or a price book cannot be read."""

    exit_code = 4


class OutputError(ReportError):
    """A file cannot be written, or a renderer is missing."""

    exit_code = 5
