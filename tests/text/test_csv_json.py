"""The hardware list as CSV and the result as JSON."""

from __future__ import annotations

import csv
import io
import json

import pytest

from reportgen.evaluation.result import Result
from reportgen.text.csv import COLUMNS, cell, hardware_list, summary, table
from reportgen.text.json import result_json
from tests.text.sample_result import sample_result


def rows_of(content: bytes) -> list[list[str]]:
    return list(csv.reader(io.StringIO(content.decode("utf-8-sig"))))


@pytest.mark.parametrize(
    "text",
    [
        "=1+1",
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        "  =1",
        "=cmd|' /C calc'!A0",
        "＝1",
        "|x",
        "%x",
        "\ufeff=1",
    ],
)
def test_text_never_becomes_a_formula(text):
    assert cell(text).startswith("'")
    assert rows_of(table([[text]]))[0][0][0] == "'"


@pytest.mark.parametrize(
    ("value", "expected"),
    [(8.0, 8), (0.13, "0.13"), (float("nan"), ""), (None, ""), (True, "true"), ("a", "a"), (-3.0, -3)],
)
def test_values(value, expected):
    assert cell(value) == expected


def test_hardware_list():
    content = hardware_list(sample_result())
    rows = rows_of(content)
    assert content.startswith(b"\xef\xbb\xbf") and b"\r\n" in content
    assert tuple(rows[0]) == COLUMNS
    server, leaf, spine = (dict(zip(COLUMNS, row, strict=True)) for row in rows[1:])
    assert (server["quantity"], server["amount"], server["source"]) == ("8", "14560000", "'=cmd()")
    assert (leaf["unit_price"], leaf["amount"], leaf["basis"]) == ("", "", "quote_needed")
    assert spine["quantity"] == "0"


def test_summary_has_a_row_a_scenario():
    rows = rows_of(summary([sample_result(), sample_result("zh")]))
    assert rows[1][rows[0].index("gpus")] == "64"
    assert rows[1][rows[0].index("title")] == "'=Fine-tune a 70B domain model"


def test_json_is_the_result_and_more():
    data = json.loads(result_json(sample_result()))
    assert data["version"] == 1
    days = next(item for item in data["results"] if item["key"] == "memory_usable_gib")
    assert days["expression"] == "=memory_capacity_gib*memory_fit_share"
    assert days["substituted"] == "80.0 × 95.0%"
    leaf = data["lines"][1]
    assert leaf["amount"] is None
    assert Result.from_json(data) == Result.from_json(json.loads(sample_result().dumps()))


def test_json_says_missing_as_null():
    assert "NaN" not in result_json(sample_result())
