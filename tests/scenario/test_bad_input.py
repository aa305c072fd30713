"""Each file of bad/ says at its end which errors it gives: line:column code | beginning of the fix."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from reportgen.errors import ScenarioError, UsageError
from reportgen.scenario import load_scenario, scenario_from_mapping

BAD = sorted((Path(__file__).parent / "bad").glob("*.yaml"))
EXPECT = re.compile(r"^# expect (\d+):(\d+) (\S+) \| (.*)$", re.MULTILINE)


@pytest.mark.parametrize("file", BAD, ids=lambda file: file.stem)
def test_bad_file(file):
    expected = [(int(line), int(column), code, fix) for line, column, code, fix in EXPECT.findall(file.read_text())]
    with pytest.raises(ScenarioError) as caught:
        load_scenario(file, date="2027-01-01")
    found = caught.value.problems
    assert [(p.place.line, p.place.column, p.code) for p in found] == [case[:3] for case in expected]
    for problem, (_, _, _, fix) in zip(found, expected, strict=True):
        assert problem.fix.startswith(fix)
        assert problem.message and problem.place.file == str(file)
        if problem.place.line:
            text = file.read_text().split("\n")[problem.place.line - 1]
            assert problem.place.text == text and problem.place.width >= 1


def test_every_rule_has_a_bad_file():
    assert len(BAD) > 100


BINARY = {
    "nul": (b"title: a\0b\n", "not-text"),
    "picture": (b"\x89PNG\r\n\x1a\n\0\0\0\r", "not-text"),
    "gbk": ("title: 微调\njob: fine-tuning\n".encode("gbk"), "not-text"),
    "utf-16": ("title: a\n".encode("utf-16"), "not-text"),
    "empty": (b"", "file-empty"),
    "blank": (b"\n\n   \n", "file-empty"),
    "byte order mark alone": (b"\xef\xbb\xbf", "file-empty"),
    "too large": (b"# " + b"x" * 1_000_001, "file-too-large"),
    "aliases": (b"a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n", "alias"),
    "deep brackets": (b"a: " + b"[" * 100_000, "too-deep"),
    "deep braces": (b"{a: " * 10_000, "too-deep"),
    "deep dashes": (b"- " * 100_000, "too-deep"),
    "directive": (b"%YAML 9.9\n---\na: 1\n", "yaml-syntax"),
}


@pytest.mark.parametrize("name", BINARY)
def test_bytes_that_are_no_scenario(name, tmp_path):
    data, code = BINARY[name]
    file = tmp_path / "scenario.yaml"
    file.write_bytes(data)
    with pytest.raises(ScenarioError) as caught:
        load_scenario(file)
    assert caught.value.problems[0].code == code
    assert caught.value.problems[0].fix


def test_line_of_a_wrong_byte(tmp_path):
    file = tmp_path / "scenario.yaml"
    file.write_bytes(b"title: a\njob: b\nmodel: \xff\n")
    with pytest.raises(ScenarioError) as caught:
        load_scenario(file)
    assert caught.value.problems[0].place.line == 3


def test_folder_and_missing_file(tmp_path):
    (tmp_path / "finetune.yaml").write_text("title: a\n")
    with pytest.raises(ScenarioError, match="folder"):
        load_scenario(tmp_path)
    with pytest.raises(ScenarioError) as caught:
        load_scenario(tmp_path / "fintune.yaml")
    assert caught.value.problems[0].candidates == (str(tmp_path / "finetune.yaml"),)
    with pytest.raises(ScenarioError):
        load_scenario("name\0with nul.yaml")


def test_malformed_arguments():
    base = Path(__file__).parent / "data" / "finetune.yaml"
    with pytest.raises(UsageError):
        load_scenario(base, ["hardware.count"])
    with pytest.raises(UsageError):
        load_scenario(base, ["hardware..count=3"])
    with pytest.raises(UsageError):
        load_scenario(base, date="tomorrow")
    with pytest.raises(ScenarioError):
        load_scenario(base, ["hardware.count={"])


SETS = {
    "hardware.count=abc": (16, "not-a-quantity"),
    "deadline.quantile=1.5": (19, "too-large"),
    "hardware.accelerators=[h100-sxm,h2000]": (33, "unknown-accelerator"),
    "nonsense=3": (1, "unknown-key"),
    "data.tokens=5b": (13, "unit-case"),
}


@pytest.mark.parametrize("word", SETS)
def test_errors_of_a_set_point_into_it(word):
    column, code = SETS[word]
    with pytest.raises(ScenarioError) as caught:
        load_scenario(Path(__file__).parent / "data" / "finetune.yaml", [word])
    problem = caught.value.problems[0]
    assert (problem.code, problem.place.column, problem.place.text) == (code, column, word)


def test_mapping_without_a_file_gives_the_same_errors():
    with pytest.raises(ScenarioError) as caught:
        scenario_from_mapping({"title": "a", "job": "fine-tuning", "model": "llama-3.1-8b", "deadline": 14})
    assert {problem.code for problem in caught.value.problems} == {"missing-key", "unit-missing"}
