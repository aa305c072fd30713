"""A scenario file into a Scenario, or every problem in it at once, in the order of the file."""

from __future__ import annotations

import copy
import datetime
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from reportgen.catalog import Catalog, load_catalog
from reportgen.errors import Place, Problem, ReportError, ScenarioError
from reportgen.scenario.architecture import Architecture
from reportgen.scenario.assemble import assemble
from reportgen.scenario.check import findings
from reportgen.scenario.config_reader import ConfigError
from reportgen.scenario.defaults import fill
from reportgen.scenario.model_config import architecture_of
from reportgen.scenario.model_keys import Model
from reportgen.scenario.names import resolve_names
from reportgen.scenario.problems import adapter_of, problems_of, unknown_top_key
from reportgen.scenario.question import Finding, Question
from reportgen.scenario.scenario import Scenario
from reportgen.scenario.schema import ALL_KEYS, TRAINING_JOBS, RequestKeys, TrainingKeys, keys_of
from reportgen.scenario.sources import Sources, combine, day_of, read_chain, read_set
from reportgen.scenario.units import quoted
from reportgen.scenario.written import Raw, paths_of, plain
from reportgen.scenario.yaml_text import Document


def load_scenario(path: str | Path, sets: Iterable[str] = (), date: datetime.date | str | None = None) -> Scenario:
    """The scenario in a file with `--set path=value` on top; `date` replaces the date of the request.

    Raises ScenarioError with all problems; UsageError when a `--set` or the date is malformed.
    """
    chain = read_chain(path)
    return _build(chain, sets, date)


def scenario_from_mapping(
    data: Mapping[str, Any], sets: Iterable[str] = (), date: datetime.date | str | None = None, folder: str | Path = ""
) -> Scenario:
    """A scenario from plain data, as a file would hold it; relative paths are read against `folder`."""
    document = Document(copy.deepcopy(dict(data)), str(Path(folder) / "scenario.yaml") if folder else "")
    if "extends" in document.data:
        raise ScenarioError.of("extends", "'extends' needs a scenario file", "load the file, or put the keys together")
    return _build([document], sets, date)


def _build(chain: list[Document], sets: Iterable[str], date: datetime.date | str | None) -> Scenario:
    pairs = [read_set(word) for word in sets]
    sources = Sources([document for _, document in reversed(pairs)] + chain)
    raw, problems = combine(chain, pairs, _is_training)
    vary = raw.pop("vary", None)
    problems += _problems_of_vary(vary, sources)
    reading = Reading(raw, sources, load_catalog(), day_of(date), problems)
    scenario = reading.scenario()
    return _with_origin(scenario, chain, pairs, vary, raw, sources)


def _with_origin(scenario: Scenario, chain, pairs, vary, raw: Raw, sources: Sources) -> Scenario:
    words = tuple((path, document.file.removeprefix("--set ").partition("=")[2]) for path, document in pairs)
    return replace(scenario, sets=words, vary=vary or {}, file=chain[0].file, files=sources.files, written=plain(raw))


def _job_of(raw: Mapping[str, Any]) -> str | None:
    try:
        return adapter_of(RequestKeys, "job").validate_python(raw.get("job"))
    except ValidationError:
        return None


def _is_training(raw: Mapping[str, Any]) -> bool:
    job = _job_of(raw)
    return job in TRAINING_JOBS or (job is None and not {"load", "items", "window", "objectives"} & set(raw))


def _problems_of_vary(vary: Any, sources: Sources) -> list[Problem]:
    if vary is None:
        return []
    if not isinstance(vary, dict):
        place = sources.place_of(("vary",))
        return [
            Problem(
                "should-be-mapping",
                "'vary' should be 'key: [values]' lines",
                "write it like 'vary: {hardware.count: [32, 64]}'",
                place,
            )
        ]
    problems = []
    for path, values in vary.items():
        head = str(path).split(".")[0]
        if head not in ALL_KEYS:
            place = sources.place_of(("vary", path), key=True)
            message = f"'vary' names the unknown key '{path}'"
            problems.append(Problem("unknown-key", message, "write a dotted key of the scenario", place))
        if values == [] or isinstance(values, dict):
            problems.append(
                Problem(
                    "wrong-value",
                    f"'vary.{path}' holds no values",
                    "write a list, or 'lo..hi:n'",
                    sources.place_of(("vary", path)),
                )
            )
    return problems


class Reading:
    """One scenario on its way from raw data to a Scenario, collecting problems."""

    def __init__(
        self, raw: Raw, sources: Sources, catalog: Catalog, day: datetime.date | None, problems: list[Problem]
    ):
        self.raw, self.sources, self.catalog, self.day = raw, sources, catalog, day
        self.problems = problems
        self.given = frozenset(paths_of(raw))
        self.job = _job_of(raw)
        self.keys: type[RequestKeys] = keys_of(self.job or ("serving" if not _is_training(raw) else None))

    def scenario(self) -> Scenario:
        """The scenario. Raises ScenarioError with every problem."""
        filled = copy.deepcopy(self.raw)
        self.problems += resolve_names(filled, self.catalog, self.sources)
        architecture = self.architecture(filled)
        assumed = fill(filled, self.job or "", architecture)
        values = self.values(filled)
        self.look_for_prices(values.get("prices"))
        day = self.day or values.get("date") or datetime.date.today()
        question = self.question(values, architecture, day)
        self.problems += [self.problem(finding) for finding in findings(question)] if self.job else []
        if self.problems or architecture is None:
            raise ScenarioError(*self.in_order())
        return assemble(question, filled, assumed, self.day is not None, self.sources)

    def look_for_prices(self, name: str | None) -> None:
        """A price book that is named must be there."""
        if name is not None and not (self.sources.folder_of(("prices",)) / name).is_file():
            place = self.sources.place_of(("prices",))
            message = f"there is no price book '{name}'"
            self.problems.append(Problem("file-not-found", message, "check the name and the folder", place))

    def question(self, values: dict[str, Any], architecture: Architecture | None, day: datetime.date) -> Question:
        """What the rules of meaning look at."""
        broken = frozenset(name for name in self.raw if name not in values)
        return Question(self.job or "", values, self.given, architecture, self.catalog, day, broken)

    def values(self, filled: Raw) -> dict[str, Any]:
        """Every top-level key that is right; problems for the others."""
        values = {}
        for name in filled:
            if name not in self.keys.model_fields:
                if self.job or name not in ALL_KEYS:
                    self.problems.append(unknown_top_key(name, self.keys, self.job, self.sources))
                continue
            try:
                values[name] = adapter_of(self.keys, name).validate_python(filled[name])
            except ValidationError as error:
                self.problems += problems_of(error, self.keys, name, self.sources)
        meant = {name for problem in self.problems if problem.code == "unknown-key" for name in problem.candidates}
        for name, field in self.keys.model_fields.items():
            if field.is_required() and name not in filled and name not in meant:
                self.problems.append(self.missing(name))
        return values

    def missing(self, name: str) -> Problem:
        """A key that every scenario needs."""
        examples = {
            "title": "Fine-tune a 70B model",
            "job": "fine-tuning",
            "model": "llama-3.1-70b",
            "hardware": "{accelerators: [h200-sxm]}",
        }
        return Problem("missing-key", f"the scenario lacks '{name}'", f"add '{name}: {examples[name]}'", self.top())

    def top(self) -> Place:
        """The whole file."""
        return Place(file=self.sources.place_of(()).file or next(iter(self.sources.files), ""))

    def problem(self, finding: Finding) -> Problem:
        """A finding with its place."""
        if not finding.path:
            return Problem(finding.code, finding.message, finding.fix, self.top())
        path = tuple(int(part) if part.isdecimal() else part for part in finding.path.split("."))
        return Problem(finding.code, finding.message, finding.fix, self.sources.place_of(path, finding.key))

    def architecture(self, filled: Raw) -> Architecture | None:
        """The architecture of the model, if it can be known."""
        if "model" not in filled:
            return None
        try:
            model = adapter_of(TrainingKeys, "model").validate_python(filled["model"])
        except ValidationError:
            return None
        return self._read_model(model)

    def _read_model(self, model: Model) -> Architecture | None:
        record = self.catalog.models.get(model.id or "")
        if model.id is not None and record is None:
            return None
        path = ("model", "config") if model.config else ("model", "id") if model.id else ("model",)
        try:
            return architecture_of(model, record, self.sources.folder_of(path))
        except ConfigError as error:
            shown = f"{quoted(model.config)}: {error.message}" if model.config else error.message
            self.problems.append(
                Problem(error.code, shown, error.fix, self.sources.place_of(path, key=not model.config))
            )
        except ReportError as error:
            self.problems += [self._in_config(problem, path) for problem in error.problems]
        return None

    def _in_config(self, problem: Problem, path: tuple) -> Problem:
        place = self.sources.place_of(path)
        line = f" (line {problem.place.line}, column {problem.place.column})" if problem.place.line else ""
        shown = quoted(self.raw["model"].get("config")) if isinstance(self.raw.get("model"), dict) else "the config"
        message = problem.message if "'" in problem.message else f"{shown}: {problem.message}{line}"
        return Problem(problem.code, message, problem.fix, place, problem.candidates)

    def in_order(self) -> list[Problem]:
        """Problems by place, each once."""
        unique = list(dict.fromkeys(self.problems))
        if not unique:
            unique = [
                Problem(
                    "model", "the model is not known", "name a model of the catalog", self.sources.place_of(("model",))
                )
            ]
        return sorted(unique, key=self.sources.order)
