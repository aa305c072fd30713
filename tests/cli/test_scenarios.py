"""The shipped scenarios through the command line: both languages, every text format, explanations, redaction."""

from __future__ import annotations

import json
import re
from functools import lru_cache
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen.batch.reading import Choices, read_result
from reportgen.catalog.wording import wording
from reportgen.cli.main import cli
from reportgen.evaluation.result import Result
from reportgen.text.answer import answer
from reportgen.text.explain import explain
from reportgen.text.headline import HEADLINE
from reportgen.text.json import result_json
from reportgen.text.markdown import markdown
from reportgen.text.redaction import redacted
from reportgen.text.table import Terminal
from reportgen.text.width import display_width

ROOT = Path(__file__).resolve().parents[2]
SCENARIOS = sorted(str(path.relative_to(ROOT)) for path in (ROOT / "scenarios").glob("*.yaml"))


@pytest.fixture(autouse=True)
def at_the_root(monkeypatch):
    monkeypatch.chdir(ROOT)


@lru_cache(maxsize=32)
def result_of(file: str) -> Result:
    return read_result(file, Choices(date="2026-11-30"))


def run(*arguments: str):
    return CliRunner().invoke(cli, list(arguments))


@pytest.mark.parametrize("file", SCENARIOS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_answer_fits_and_leaves_no_key_unspoken(file, language):
    result = result_of(file)
    printed = Terminal(80).answer(answer(result, language, all_checks=True))
    assert max(map(display_width, printed.splitlines())) <= 80
    assert not re.search(r"\b(reason|warning|text|cli)_\w+", printed)
    assert "nan" not in printed.lower().split()


@pytest.mark.parametrize("file", SCENARIOS)
def test_json_carries_formula_and_substitution(file):
    data = json.loads(result_json(result_of(file)))
    computed = [item for item in data["results"] if item["expression"]]
    assert len(computed) == len(data["results"])
    assert all(item["substituted"] for item in computed)
    assert Result.from_json(data).dumps() == result_of(file).dumps()


@pytest.mark.parametrize("file", SCENARIOS)
def test_everything_can_be_explained(file):
    result = result_of(file)
    keys = [*list(result.quantities)[::9], *[item.key for item in result.inputs][::25]]
    for language, key in zip(["en", "zh"] * len(keys), keys, strict=False):
        said = explain(result, key, language)
        assert max(map(display_width, said.splitlines())) <= 104


@pytest.mark.parametrize("file", SCENARIOS)
def test_redaction_leaves_no_amount(file):
    result = result_of(file)
    amounts = {
        f"{item.value:.2f}".rstrip("0").rstrip(".")
        for item in (*result.quantities.values(), *result.inputs)
        if "money" in item.unit and not isinstance(item.value, str) and item.value > 5000
    }
    facts = {f"{value:g}" for column in result.tables.values() for value in column if isinstance(value, float)}
    without = redacted(result)
    text = without.dumps() + result_json(without) + markdown(answer(without))
    assert not [amount for amount in amounts - facts if re.search(rf"(?<![\d.]){re.escape(amount)}(?!\d)", text)]
    kept = [key for key, item in result.quantities.items() if "money" not in item.unit and key in ("gpus", "nodes")]
    assert all(without.value(key) == result.value(key) for key in kept)


def test_a_typo_gets_place_and_suggestion(tmp_path):
    file = tmp_path / "typo.yaml"
    file.write_text(
        (ROOT / "scenarios" / "finetune-70b.yaml").read_text(encoding="utf-8").replace("h20-sxm", "h2O-sxm")
    )
    done = run("check", str(file))
    assert done.exit_code == 3
    place, line, caret, fix = done.stderr.splitlines()[:4]
    assert re.fullmatch(rf"{re.escape(str(file))}:\d+:\d+: unknown accelerator 'h2O-sxm'", place)
    assert line.partition("| ")[2][caret.index("^") - len(line.partition("| ")[0]) - 2 :].startswith("h2O-sxm")
    assert "did you mean 'h20-sxm'" in fix


def test_a_set_is_shown_as_given():
    done = run("estimate", "scenarios/finetune-70b.yaml", "--set", "hardware.count=64", "--json")
    assert json.loads(done.stdout)["results"] and '"gpus"' in done.stdout
    values = {item["key"]: item["value"] for item in json.loads(done.stdout)["results"]}
    assert values["gpus"] == 64


def test_a_wrong_set_is_a_usage_or_scenario_error():
    assert run("estimate", "scenarios/finetune-70b.yaml", "--set", "hardware.cuont=64").exit_code in (2, 3)


def test_the_same_date_gives_the_same_text():
    first, second = (run("estimate", "scenarios/finetune-70b.yaml", "--date", "2026-11-30").stdout for _ in range(2))
    assert first == second


@pytest.mark.parametrize("file", SCENARIOS)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_everything_said_has_words(file, language):
    result, words = result_of(file), wording(language)
    keys = {message.key for option in result.options for message in option.reasons}
    keys |= {message.key for message in result.warnings}
    keys |= {f"check_{check.key}" for check in result.checks} | {f"line_{line.key}_item" for line in result.lines}
    keys |= {f"basis_{line.basis}" for line in result.lines}
    keys |= {key for key in HEADLINE if key in result.quantities}
    keys |= {item.key for item in result.inputs if item.origin in ("default", "override")}
    assert not sorted(key for key in keys if not words.has(key))
