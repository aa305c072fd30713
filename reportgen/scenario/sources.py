"""The texts a scenario is read from: the file, the files it extends, the `--set` words; and where each value stands."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from pathlib import Path

from reportgen.errors import Place, Problem, ScenarioError, UsageError
from reportgen.scenario.written import EXCLUSIVE, Raw, drop, merged, put, spelled_out, without_nulls
from reportgen.scenario.yaml_text import Build, Document, Path_, compose, dotted, read_document

DEEPEST_CHAIN = 8
# Where a shorthand was written, when the spelled-out path was not.
SHORTHANDS: tuple[tuple[Path_, Path_], ...] = (
    (("data", "epochs"), ("epochs",)),
    (("hardware", "accelerators"), ("hardware",)),
    (("utilization", "share"), ("utilization",)),
    (("prompt_tokens", "tokens"), ("prompt_tokens",)),
    (("answer_tokens", "tokens"), ("answer_tokens",)),
)


@dataclass
class Sources:
    """Documents from the strongest (a `--set`) to the weakest (the last base)."""

    documents: list[Document] = field(default_factory=list)

    def place_of(self, path: Path_, key: bool = False) -> Place:
        """Where a value (or its key) was written; the nearest parent when it was not."""
        shown, path = path, self._as_written(path)
        best, longest = None, -1
        for document in self.documents:
            length = _known_length(document, path)
            if length > longest:
                best, longest = document, length
        place = best.place_of(path, key) if best else Place()
        return Place(place.file, place.line, place.column, dotted(shown), place.text, place.width)

    def _as_written(self, path: Path_) -> Path_:
        for spelled, short in SHORTHANDS:
            if path[: len(spelled)] == spelled and not any(spelled in document.values for document in self.documents):
                return short + path[len(spelled) :]
        return path

    def folder_of(self, path: Path_) -> Path:
        """The folder against which a path in the value is read."""
        file = self.place_of(path).file
        return Path(file).parent if file and not file.startswith("--set") else self.folder

    @property
    def folder(self) -> Path:
        """The folder of the scenario itself."""
        files = self.files
        return Path(files[0]).parent if files else Path()

    @property
    def files(self) -> tuple[str, ...]:
        """The files read, the scenario first."""
        return tuple(doc.file for doc in self.documents if doc.file and not doc.file.startswith("--set"))

    def order(self, problem: Problem) -> tuple:
        """Sorts problems: sets first, then file by file in the order of lines."""
        names = [document.file for document in self.documents]
        file = problem.place.file
        return (names.index(file) if file in names else len(names), problem.place.line, problem.place.column)


def _known_length(document: Document, path: Path_) -> int:
    for length in range(len(path), 0, -1):
        if path[:length] in document.values:
            return length
    return 0


def read_chain(path: str | Path) -> list[Document]:
    """A scenario file and the bases it extends, nearest first. Raises ScenarioError on a circle."""
    chain = [read_document(path)]
    seen = [Path(path).resolve()]
    while "extends" in chain[-1].data:
        place = chain[-1].place_of(("extends",))
        name = chain[-1].data.pop("extends")
        if name is None:
            break
        if not isinstance(name, str) or not name.strip():
            raise ScenarioError.of("extends", "'extends' names one file", "write it like 'extends: base.yaml'", place)
        base = Path(chain[-1].file).parent / name.strip()
        if base.resolve() in seen:
            raise ScenarioError.of(
                "extends-circle", f"'{name}' extends itself in a circle", "remove one of the 'extends:' lines", place
            )
        if len(chain) >= DEEPEST_CHAIN:
            raise ScenarioError.of(
                "extends-too-long", f"more than {DEEPEST_CHAIN} files extend one another", "put them together", place
            )
        seen.append(base.resolve())
        try:
            chain.append(read_document(base))
        except ScenarioError as error:
            raise ScenarioError(*(_at(problem, place) for problem in error.problems)) from None
    return chain


def _at(problem: Problem, place: Place) -> Problem:
    """A base that cannot be opened is shown where it is named."""
    return (
        problem
        if problem.place.line
        else Problem(problem.code, problem.message, problem.fix, place, problem.candidates)
    )


def read_set(word: str) -> tuple[str, Document]:
    """One `--set path=value`. Raises UsageError on another form, ScenarioError when the value is not YAML."""
    path, sign, text = word.partition("=")
    path = path.strip()
    if not sign or not path or any(not part for part in path.split(".")):
        raise UsageError.of("set-form", f"'{word}' is not path=value", "write it like --set deadline='14 days'")
    parts = tuple(int(part) if part.isdecimal() else part for part in path.split("."))
    file = f"--set {word}"
    indented = " " * (len(word) - len(text)) + text
    try:
        build = Build(word, file)
        value = build.value(compose(indented, file), parts) if text.strip() else None
    except ScenarioError as error:
        raise ScenarioError(*(_shown_as(problem, word, file) for problem in error.problems)) from None
    if build.problems:
        raise ScenarioError(*build.problems)
    values = {
        parts[:length]: Place(file, 1, 1, dotted(parts[:length]), word, len(path))
        for length in range(1, len(parts) + 1)
    }
    return path, Document({path: value}, file, dict(values) | build.keys, values | build.values)


def _shown_as(problem: Problem, word: str, file: str) -> Problem:
    place = Place(
        file, problem.place.line or 1, problem.place.column or 1, problem.place.path, word, problem.place.width
    )
    return Problem(problem.code, problem.message, problem.fix, place, problem.candidates)


def combine(documents: list[Document], sets: list[tuple[str, Document]], is_training) -> tuple[Raw, list[Problem]]:
    """One mapping from bases, file and sets, shorthands spelled out. `is_training(raw)` tells the kind of job."""
    raw: Raw = {}
    for document in reversed(documents):
        data = document.data
        raw = merged(spelled_out(raw, is_training(data | raw)), _spelled_patch(data, is_training(raw | data)))
    problems = []
    for path, document in sorted(sets, key=lambda pair: pair[0] != "job"):
        value = document.data[path]
        raw = spelled_out(raw, is_training(raw))
        if value is None:
            drop(raw, path)
        elif put(raw, path, value):
            _remove_rivals_of(raw, path)
        else:
            place = next(iter(document.values.values()))
            message = f"'{path}' is not a key that can be set: something else stands in its way"
            problems.append(Problem("set-path", message, "set the whole key above it", place))
    return spelled_out(without_nulls(raw), is_training(raw)), problems


def _spelled_patch(data: Raw, training: bool) -> Raw:
    """Shorthands spelled out, nulls kept: they remove what a base wrote."""
    spelled = spelled_out({key: value for key, value in data.items() if value is not None}, training)
    return spelled | {key: None for key, value in data.items() if value is None}


def _remove_rivals_of(raw: Raw, path: str) -> None:
    for names in EXCLUSIVE:
        for name in names:
            if path == name or path.startswith(f"{name}."):
                for rival in set(names) - {name}:
                    drop(raw, rival)
    ways = {"data.tokens": ("text", "language", "samples", "length"), "data.text": ("tokens", "samples", "length")}
    ways |= {"data.samples": ("tokens", "text", "language")}
    for rival in ways.get(path, ()):
        drop(raw, f"data.{rival}")


def day_of(date: datetime.date | str | None) -> datetime.date | None:
    """The `--date` argument. Raises UsageError when it is not a date."""
    if date is None or isinstance(date, datetime.date):
        return date.date() if isinstance(date, datetime.datetime) else date
    try:
        return datetime.date.fromisoformat(str(date).strip())
    except ValueError:
        raise UsageError.of("not-a-date", f"'{date}' is not a date", "write it like 2027-03-01") from None
