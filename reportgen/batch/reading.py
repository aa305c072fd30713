"""A file as a result: a scenario is estimated, a result in JSON is read back."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

from reportgen.errors import Place, ScenarioError
from reportgen.evaluation.result import Result

AGAIN = "make it again with reportgen build -f json"


@dataclass(frozen=True)
class Choices:
    """What the command line changes in every scenario."""

    language: str | None = None
    currency: str | None = None
    prices_file: str | None = None
    sets: tuple[str, ...] = ()
    date: str | None = None


def read_result(file: str, choices: Choices) -> Result:
    """The result of a file, in the language asked for. ReportError when the file is wrong."""
    result = _revived(file) if file.lower().endswith(".json") else _estimated(file, choices)
    if choices.language and choices.language != result.facts.language:
        result = dataclasses.replace(result, facts=dataclasses.replace(result.facts, language=choices.language))
    return result


def _estimated(file: str, choices: Choices) -> Result:
    from reportgen.evaluation.evaluate import evaluate
    from reportgen.scenario import load_scenario

    scenario = load_scenario(file, sets=choices.sets, date=choices.date)
    return evaluate(scenario, prices_file=choices.prices_file, currency=choices.currency)


def _revived(file: str) -> Result:
    place = Place(file=file)
    try:
        return Result.from_json(json.loads(Path(file).read_text(encoding="utf-8-sig")))
    except FileNotFoundError:
        raise ScenarioError.of(
            "file-not-found", f"there is no file '{file}'", "check the name and the folder", place
        ) from None
    except json.JSONDecodeError as error:
        place = Place(file=file, line=error.lineno, column=error.colno)
        raise ScenarioError.of("result-syntax", f"not valid JSON: {error.msg}", AGAIN, place) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError.of(
            "file-unreadable", f"cannot read '{file}': {error}", "check its permissions", place
        ) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ScenarioError.of(
            "result-content", f"'{file}' is not a result of reportgen: {error}", AGAIN, place
        ) from None
