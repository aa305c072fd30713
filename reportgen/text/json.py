"""The result for programs: the result's own JSON, each computed value with its formula and its substitution."""

from __future__ import annotations

import json
from typing import Any

from reportgen.evaluation.result import Result
from reportgen.text.speech import Speech
from reportgen.text.tracing import Tracing


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
