"""A file as a result: a scenario is estimated, a result in JSON is read back."""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass
from pathlib import Path

from reportgen.errors import Place, ScenarioError, UsageError
from reportgen.evaluation.result import Result

AGAIN = "make it again with reportgen build -f json"
LARGEST_RESULT_BYTES = 64 * 2**20  # the largest result of a shipped scenario has about 1 MiB


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
    result = _revived(file, choices) if file.lower().endswith(".json") else _estimated(file, choices)
    if choices.language and choices.language != result.facts.language:
        result = dataclasses.replace(result, facts=dataclasses.replace(result.facts, language=choices.language))
    return result


def _estimated(file: str, choices: Choices) -> Result:
    from reportgen.evaluation.evaluate import evaluate
    from reportgen.scenario import load_scenario

    scenario = load_scenario(file, sets=choices.sets, date=choices.date)
    return evaluate(scenario, prices_file=choices.prices_file, currency=_currency(choices.currency))


def _currency(code: str | None) -> str | None:
    """The code of a currency, however it is written."""
    if code is None:
        return None
    from reportgen.scenario.units import CURRENCIES, CURRENCY_SIGNS

    known = CURRENCY_SIGNS.get(code.strip().upper())
    if known is None:
        fix = f"choose one of: {', '.join(CURRENCIES)}"
        raise UsageError.of(
            "unknown-currency", f"--currency: '{code}' is not a known currency", fix, candidates=CURRENCIES
        )
    return known


def _refuse_changes(file: str, choices: Choices) -> None:
    """A finished result is rendered as it is; a change that would be ignored is an error."""
    options = {
        "--currency": choices.currency,
        "--prices": choices.prices_file,
        "--set": choices.sets,
        "--date": choices.date,
    }
    given = next((option for option, value in options.items() if value), None)
    if given:
        message = f"'{file}' is a finished result, which {given} cannot change"
        raise UsageError.of("finished-result", message, f"name the scenario, or leave out {given}", Place(file=file))


def _revived(file: str, choices: Choices) -> Result:
    _refuse_changes(file, choices)
    place = Place(file=file)
    try:
        if Path(file).stat().st_size > LARGEST_RESULT_BYTES:
            message = f"'{file}' is larger than {LARGEST_RESULT_BYTES >> 20} MiB, so not a result of reportgen"
            raise ScenarioError.of("result-content", message, AGAIN, place)
        return Result.from_json(json.loads(Path(file).read_text(encoding="utf-8-sig")))
    except FileNotFoundError:
        raise ScenarioError.of(
            "file-not-found", f"there is no file '{file}'", "check the name and the folder", place
        ) from None
    except json.JSONDecodeError as error:
        place = Place(file=file, line=error.lineno, column=error.colno)
        raise ScenarioError.of("result-syntax", f"not valid JSON: {error.msg}", AGAIN, place) from None
    except RecursionError:
        message = f"'{file}' is not a result of reportgen: it is nested too deeply"
        raise ScenarioError.of("result-content", message, AGAIN, place) from None
    except (OSError, UnicodeDecodeError) as error:
        raise ScenarioError.of(
            "file-unreadable", f"cannot read '{file}': {error}", "check its permissions", place
        ) from None
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise ScenarioError.of(
            "result-content", f"'{file}' is not a result of reportgen: {error}", AGAIN, place
        ) from None
