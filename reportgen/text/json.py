"""The result for programs: the result's own JSON, each computed value with its formula and its substitution."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from reportgen.evaluation.result import Result
from reportgen.text.speech import Speech
from reportgen.text.tracing import Tracing

if TYPE_CHECKING:
    from reportgen.evaluation.compare import Comparison, Difference


def result_data(result: Result) -> dict[str, Any]:
    """Plain data. `expression` is spreadsheet text over names, `substituted` the same with figures."""
    data = result.to_json()
    tracing, speech = Tracing(result), Speech(result, "en")
    for item in data["results"]:
        item["expression"] = tracing.expression(item["key"])
        item["substituted"] = tracing.substituted(item["key"], speech)
    return data


def result_json(result: Result) -> str:
    """One result as JSON text."""
    return dumps(result_data(result))


def dumps(data: Any) -> str:
    """Plain data as JSON text, the same for every output; never NaN."""
    return json.dumps(data, ensure_ascii=False, indent=1, allow_nan=False)


def plain_numbers(values: dict[str, Any]) -> dict[str, Any]:
    """Values for JSON: missing is null."""
    return {key: None if value != value else value for key, value in values.items()}


def comparison_json(comparison: Comparison) -> str:
    """What differs, for programs; the results themselves are left to `result_json`."""
    scenarios = [
        {
            "letter": letter,
            "name": result.facts.name,
            "id": result.id,
            "title": result.facts.title,
            "rank": verdict.rank,
            "best_at": list(verdict.best_at),
            "runs": verdict.runs,
            "on_front": verdict.on_front,
            "headline": plain_numbers({key: result.beside(key) for key in comparison.headline}),
        }
        for letter, result, verdict in zip(comparison.letters, comparison.results, comparison.verdicts, strict=True)
    ]
    data = {
        "version": 1,
        "scenarios": scenarios,
        "sentences": [
            {"key": message.key, "values": plain_numbers(message.values)} for message in comparison.sentences
        ],
        "inputs": [_difference(item) for item in comparison.inputs],
        "results": [_difference(item) for item in comparison.quantities],
    }
    return dumps(data)


def _difference(item: Difference) -> dict[str, Any]:
    plain = [None if value != value else value for value in item.values]
    deltas = [None if value != value else value for value in item.deltas]
    return {"key": item.key, "unit": item.unit, "values": plain, "deltas": deltas, "because": list(item.because)}
