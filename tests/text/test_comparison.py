"""Scenarios beside each other."""

from __future__ import annotations

import dataclasses
import json

import pytest
from click.testing import CliRunner

from reportgen.cli.main import cli
from reportgen.evaluation.compare import compare
from reportgen.evaluation.result import Result
from reportgen.text.comparison import comparison_answer
from reportgen.text.json import comparison_json
from reportgen.text.markdown import markdown
from reportgen.text.table import Terminal
from reportgen.text.width import display_width
from tests.text.sample_result import sample_result


def changed(name: str, **values: float) -> Result:
    result = sample_result(name=name)
    quantities = {
        key: dataclasses.replace(item, value=values.get(key, item.value)) for key, item in result.quantities.items()
    }
    return dataclasses.replace(result, quantities=quantities)


def pair() -> list[Result]:
    return [sample_result(name="base"), changed("cheaper", total_cost=20e6, training_days=0.4)]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("count", [2, 3, 4, 6])
def test_the_terminal_answer_fits(language, count):
    results = [changed(f"scenario-with-a-name-{index}", training_days=5.0 + index) for index in range(count)]
    printed = Terminal(100).answer(comparison_answer(compare(results), results, language))
    assert max(map(display_width, printed.splitlines())) <= 100


def test_the_sentence_and_the_figures():
    results = pair()
    printed = Terminal().answer(comparison_answer(compare(results), results))
    assert "B costs" in printed and "less than A" in printed
    assert "9.6 h" in printed  # days below one read as hours
    assert "−10.12 M CNY (−33.6%)" in printed


def test_markdown_and_json():
    results = pair()
    said = markdown(comparison_answer(compare(results), results))
    assert said.startswith("# A base, B cheaper")
    data = json.loads(comparison_json(compare(results)))
    assert [scenario["letter"] for scenario in data["scenarios"]] == ["A", "B"]
    days = next(item for item in data["results"] if item["key"] == "training_days")
    assert days["values"] == [9.897, 0.4]


@pytest.fixture
def files(tmp_path) -> list[str]:
    paths = []
    for result in pair():
        path = tmp_path / f"{result.facts.name}.json"
        path.write_text(result.dumps(), encoding="utf-8")
        paths.append(str(path))
    return paths


def test_the_command(files, tmp_path):
    runner = CliRunner()
    done = runner.invoke(cli, ["compare", *files, "-f", "md,csv,json", "-o", str(tmp_path / "out")])
    assert done.exit_code == 0, done.stderr
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "comparison.csv",
        "comparison.json",
        "comparison.md",
    ]
    assert runner.invoke(cli, ["compare", files[0]]).exit_code == 2
    assert json.loads(runner.invoke(cli, ["compare", *files, "--json"]).stdout)["version"] == 1
    one_file = runner.invoke(cli, ["compare", *files, "-f", "md", "-o", str(tmp_path / "ticket.md"), "--json"])
    assert json.loads(one_file.stdout)["version"] == 1 and (tmp_path / "ticket.md").exists()


def test_currencies_that_differ_are_a_usage_error(tmp_path, files):
    result = sample_result(name="dollars")
    other = dataclasses.replace(result, facts=dataclasses.replace(result.facts, currency="USD"))
    (tmp_path / "d.json").write_text(other.dumps(), encoding="utf-8")
    done = CliRunner().invoke(cli, ["compare", files[0], str(tmp_path / "d.json")])
    assert done.exit_code == 2
    assert "--currency" in done.stderr
