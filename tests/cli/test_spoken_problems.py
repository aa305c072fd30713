"""Problems in Chinese: every message and every fix of the bad scenarios is said in the language asked for."""

from __future__ import annotations

import re

import pytest
from click.testing import CliRunner

from reportgen.cli.main import cli
from reportgen.cli.spoken_problems import in_language, said
from reportgen.errors import ReportError
from reportgen.scenario import load_scenario
from tests.scenario.test_bad_input import BAD

HAN = re.compile("[\u4e00-\u9fff]")


def test_every_problem_of_a_bad_scenario_is_said_in_chinese():
    left = []
    for file in BAD:
        with pytest.raises(ReportError) as caught:
            load_scenario(file, date="2027-01-01")
        for problem in in_language(caught.value.problems, "zh"):
            left += [text for text in (problem.message, problem.fix) if text and not HAN.search(text)]
    assert not left, sorted(set(left))


@pytest.mark.parametrize(
    ("english", "chinese"),
    [
        ("unknown accelerator 'h2OO'", "未知的加速卡“h2OO”"),
        (
            "did you mean 'h200-sxm'?  (reportgen catalog accelerators)",
            "是否指“h200-sxm”？（reportgen catalog accelerators）",
        ),
        ("'5 gb' is not a number", "'5 gb' 不是数"),
        ("a sentence that nobody wrote down", "a sentence that nobody wrote down"),
    ],
)
def test_what_differs_is_kept(english, chinese):
    assert said(english, "zh") == chinese
    assert said(english, "en") == english or english != chinese


def test_the_command_line_speaks_the_language_asked_for(tmp_path):
    file = tmp_path / "bad.yaml"
    file.write_text("title: x\njob: servin\n", encoding="utf-8")
    done = CliRunner().invoke(cli, ["--lang", "zh", "check", str(file)])
    assert done.exit_code == 3 and "不在可选值之内" in done.stderr and "改正：" in done.stderr
    done = CliRunner().invoke(cli, ["check", str(file)])
    assert done.exit_code == 3 and not HAN.search(done.stderr) and "fix: did you mean 'serving'?" in done.stderr


ENGLISH = re.compile(r"\b(the|of|or|and|is|are|ask|write|not|with|a|an|before|after|than|closed)\b")


def test_no_part_of_a_sentence_stays_english():
    """Beside what the user wrote, in quotes, and lists of keys."""
    left = set()
    for file in BAD:
        with pytest.raises(ReportError) as caught:
            load_scenario(file, date="2027-01-01")
        for problem in in_language(caught.value.problems, "zh"):
            left |= {text for text in (problem.message, problem.fix) if ENGLISH.search(re.sub("[“'][^”']*[”']", "", text))}
    assert not left
