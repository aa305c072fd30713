"""Many scenarios: finding, naming, writing, the pool, summary and index."""

from __future__ import annotations

import csv
import dataclasses
import io
import json
import os
import stat
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen.batch.find import find_scenarios
from reportgen.batch.index import index_html, summary_csv
from reportgen.batch.output_files import slug, unique_slugs, write_file
from reportgen.batch.pool import jobs_for, run
from reportgen.batch.reading import Choices, read_result
from reportgen.batch.work import CHECK_FAILED, DONE, ERROR, Task, work
from reportgen.cli.main import cli
from reportgen.errors import OutputError, ScenarioError, UsageError
from reportgen.evaluation.result import Check
from reportgen.formats import Manner
from tests.text.sample_result import sample_result


def write_result(path: Path, **facts) -> Path:
    result = sample_result(name=path.stem)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(
        dataclasses.replace(result, facts=dataclasses.replace(result.facts, **facts)).dumps(), encoding="utf-8"
    )
    return path


def failing_result(path: Path) -> Path:
    result = sample_result(name=path.stem)
    path.write_text(
        dataclasses.replace(
            result, checks=(Check("total_within_budget", 2.0, "<=", 1.0, "money", 0.0, "FAIL"),)
        ).dumps()
    )
    return path


def task(file: Path | str, folder: Path, name: str = "a", formats=("md", "csv", "json")) -> Task:
    return Task(str(file), name, str(folder / name), tuple(formats), Choices(), Manner())


# ---- names and files -----------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("finetune-70b", "finetune-70b"),
        ("../../etc/passwd", "etc-passwd"),
        ("a b/c", "a-b-c"),
        ("CON", "CON-"),
        ("nul.yaml", "nul.yaml-"),
        ("...", "scenario"),
        ("微调", "scenario"),
        ("微调 70B", "70B"),
        ("x" * 200, "x" * 80),
        ("trailing. ", "trailing"),
        ("é", "e"),
        ("a\0b", "a-b"),
    ],
)
def test_names_that_every_file_system_takes(name, expected):
    assert slug(name) == expected


def test_names_that_differ_only_in_case_get_numbers():
    assert unique_slugs(["a", "A", "a", "b", "a-2"]) == ["a", "A-2", "a-3", "b", "a-2-2"]


def test_a_file_is_written_whole_with_usual_rights(tmp_path):
    path = write_file(tmp_path / "new" / "a.txt", b"one")
    write_file(path, b"two")
    assert path.read_bytes() == b"two"
    assert os.listdir(path.parent) == ["a.txt"]
    assert stat.S_IMODE(path.stat().st_mode) & 0o400


def test_an_unwritable_place_is_an_output_error(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError) as caught:
        write_file(tmp_path / "file" / "a.txt", b"")
    assert caught.value.exit_code == 5
    (tmp_path / "folder").mkdir()
    with pytest.raises(OutputError):
        write_file(tmp_path / "folder", b"")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder"]


# ---- finding -------------------------------------------------------------------------------------------------------
def test_folders_patterns_and_files(tmp_path):
    for name in ("b.yaml", "a.yml"):
        (tmp_path / name).write_text("title: x\njob: serving\n")
    (tmp_path / "prices.yaml").write_text("- {item: h800-sxm, price: 1}\n")
    (tmp_path / "notes.txt").write_text("job: x")
    files, skipped = find_scenarios([str(tmp_path), str(tmp_path / "*.yaml"), str(tmp_path / "b.yaml")])
    assert [Path(file).name for file in files] == ["a.yml", "b.yaml", "prices.yaml"]
    assert [Path(file).name for file in skipped] == ["prices.yaml"]


@pytest.mark.parametrize(
    ("name", "fix"),
    [
        ("", "name a folder with .yaml files"),
        ("*.nothing", "check the pattern"),
        ("absent", "check the name and the folder"),
        ("empti", "did you mean '{folder}/empty'?"),
    ],
)
def test_a_name_that_means_nothing_is_a_usage_error_and_writes_nothing(tmp_path, name, fix):
    folder = tmp_path / "in"
    (folder / "empty").mkdir(parents=True)
    out = tmp_path / "out"
    done = invoke(write_result(tmp_path / "good.json"), folder / name, "-o", out)
    assert done.exit_code == 2 and not out.exists()
    assert f"fix: {fix.format(folder=folder)}" in done.stderr


def test_every_name_that_means_nothing_is_told_at_once(tmp_path):
    with pytest.raises(UsageError) as caught:
        find_scenarios([str(tmp_path / name) for name in ("one", "two.yaml")])
    assert [Path(problem.place.file).name for problem in caught.value.problems] == ["one", "two.yaml"]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("{", "result-syntax"),
        ("{}", "result-content"),
        ('{"version": 2}', "result-content"),
        ("[1]", "result-content"),
        ("1", "result-content"),
        ("[" * 200_000 + "]" * 200_000, "result-content"),
        ('{"a":' * 200_000 + "1" + "}" * 200_000, "result-content"),
        ('{"version": 1, "facts": ' + "[" * 900 + "]" * 900 + "}", "result-content"),
        (" " * 2_000_000, "result-content"),
    ],
    ids=lambda value: value[:12],
)
def test_a_file_that_is_no_result(tmp_path, content, code, monkeypatch):
    monkeypatch.setattr("reportgen.batch.reading.LARGEST_RESULT_BYTES", 1_900_000)
    (tmp_path / "a.json").write_text(content)
    with pytest.raises(ScenarioError) as caught:
        read_result(str(tmp_path / "a.json"), Choices())
    assert caught.value.problems[0].code == code


# ---- work and pool -------------------------------------------------------------------------------------------------
def test_one_scenario(tmp_path):
    outcome = work(task(write_result(tmp_path / "a.json"), tmp_path / "out"))
    assert (outcome.state, outcome.exit_code) == (DONE, 0)
    assert sorted(Path(file).name for file in outcome.files) == ["a.csv", "a.json", "a.md"]


def test_states(tmp_path):
    (tmp_path / "wrong.json").write_text("{")
    assert work(task(failing_result(tmp_path / "f.json"), tmp_path / "out")).state == CHECK_FAILED
    wrong = work(task(tmp_path / "wrong.json", tmp_path / "out"))
    assert (wrong.state, wrong.exit_code, wrong.result) == (ERROR, 3, None)


def test_a_bug_in_one_scenario_is_an_outcome(tmp_path, monkeypatch):
    monkeypatch.setattr("reportgen.batch.work.render", lambda *_: 1 / 0)
    outcome = work(task(write_result(tmp_path / "a.json"), tmp_path / "out"))
    assert (outcome.state, outcome.exit_code) == (ERROR, 70)
    assert "ZeroDivisionError" in outcome.problems[0].message


def test_the_pool_keeps_the_order_and_reports_each(tmp_path):
    tasks = [task(write_result(tmp_path / f"{name}.json"), tmp_path / "out", name) for name in "cab"]
    heard = []
    outcomes = run(tasks, 2, heard.append)
    assert [outcome.task.name for outcome in outcomes] == ["c", "a", "b"]
    assert sorted(outcome.task.name for outcome in heard) == ["a", "b", "c"]


def test_a_process_that_dies_takes_only_its_own_task_with_it(tmp_path, monkeypatch):
    (tmp_path / "sitecustomize.py").write_text(
        "import os, reportgen.batch.work as w\n"
        "done = w.read_result\n"
        "w.read_result = lambda file, choices: os._exit(9) if file.endswith('bad.json') else done(file, choices)\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    tasks = [
        task(write_result(tmp_path / f"{name}.json"), tmp_path / "out", name, ["json"]) for name in ("a", "bad", "c")
    ]
    outcomes = run(tasks, 2)
    assert [outcome.state for outcome in outcomes] == [DONE, ERROR, DONE], [outcome.problems for outcome in outcomes]
    assert "died" in outcomes[1].problems[0].message


def test_as_many_processes_as_tasks_at_most():
    assert jobs_for(3, 8) == 3
    assert jobs_for(0, None) == 1
    assert 1 <= jobs_for(100) <= 100


# ---- summary and index ---------------------------------------------------------------------------------------------
def outcomes_of(tmp_path: Path) -> list:
    (tmp_path / "wrong.json").write_text("{")
    good = write_result(tmp_path / "good.json", title="<b>=1+1</b>")
    return [work(task(good, tmp_path / "out", "good")), work(task(tmp_path / "wrong.json", tmp_path / "out", "wrong"))]


def test_summary(tmp_path):
    rows = list(csv.DictReader(io.StringIO(summary_csv(outcomes_of(tmp_path)).decode("utf-8-sig"))))
    assert (rows[0]["state"], rows[0]["gpus"], rows[0]["training_days"]) == ("done", "64", "9.897")
    assert (rows[1]["state"], rows[1]["exit_code"], rows[1]["gpus"]) == ("error", "3", "")
    assert "wrong.json:1:2" in rows[1]["error"]


@pytest.mark.parametrize("language", ["en", "zh"])
def test_index(tmp_path, language):
    page = index_html(
        outcomes_of(tmp_path), language, tmp_path / "out", [str(tmp_path / "out" / "summary.csv")]
    ).decode()
    assert 'href="good/good.md"' in page and 'href="summary.csv"' in page
    assert "<b>=1+1</b>" not in page and "&lt;b&gt;" in page
    assert "wrong.json:1:2" in page
    assert f'lang="{language}"' in page


# ---- the command ---------------------------------------------------------------------------------------------------
def invoke(*arguments: object):
    return CliRunner().invoke(cli, ["batch", *map(str, arguments)])


def test_the_command(tmp_path, monkeypatch):
    monkeypatch.setattr("reportgen.cli.batch._write_comparison", lambda *_: ([], []))
    write_result(tmp_path / "in" / "a.json")
    write_result(tmp_path / "in" / "other" / "A.json")
    (tmp_path / "in" / "wrong.json").write_text("{")
    out = tmp_path / "out"
    done = invoke(tmp_path / "in" / "**" / "*.json", "-o", out, "-f", "md,json", "-j", "1")
    assert done.exit_code == 1
    assert sorted(os.listdir(out)) == ["A", "a-2", "index.html", "summary.csv"] or sorted(os.listdir(out)) == [
        "A-2",
        "a",
        "index.html",
        "summary.csv",
    ]
    assert "wrong.json:1:2" in done.stderr
    assert str(out / "summary.csv") in done.stdout


@pytest.mark.parametrize(
    ("language", "said"),
    [
        (
            "en",
            ("] f: check failed", "f: check failed", "1 finished, 1 with a failed check, 1 not estimated", "skipped "),
        ),
        ("zh", ("] f: 校核未通过", "f: 校核未通过", "完成 1 个，校核未通过 1 个，未能测算 1 个", "略过 ")),
    ],
)
def test_progress_is_in_the_language_asked_for(tmp_path, monkeypatch, language, said):
    monkeypatch.setattr("reportgen.cli.batch._write_comparison", lambda *_: ([], []))
    write_result(tmp_path / "in" / "a.json")
    failing_result(tmp_path / "in" / "f.json")
    (tmp_path / "in" / "wrong.yaml").write_text("job: nothing\n")
    (tmp_path / "in" / "prices.yaml").write_text("- {item: h800-sxm, price: 1}\n")
    places = (tmp_path / "in" / "*.json", tmp_path / "in")
    done = invoke(*places, "-o", tmp_path / "out", "-f", "md", "-j", "1", "--lang", language, "--verbose")
    assert not [text for text in said if text not in done.stderr], done.stderr


def test_the_command_as_json(tmp_path, monkeypatch):
    monkeypatch.setattr("reportgen.cli.batch._write_comparison", lambda *_: ([], []))
    done = invoke(write_result(tmp_path / "a.json"), "-o", tmp_path / "out", "-f", "md", "-j", "1", "--json")
    data = json.loads(done.stdout)
    assert done.exit_code == 0
    assert data["scenarios"][0]["headline"]["gpus"] == 64
