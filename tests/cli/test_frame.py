"""The frame of the command line: lazy imports, errors and exit codes, options before and after the command."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen import __version__
from reportgen.cli.main import COMMANDS, cli
from tests.text.sample_result import sample_result

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("numpy", "yaml", "pydantic", "openpyxl", "jinja2", "weasyprint", "difflib", "json", "traceback")


def run(*arguments: str, **named):
    return CliRunner().invoke(cli, list(arguments), **named)


def python(code: str, **named) -> subprocess.CompletedProcess:
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT, check=False, **named)


@pytest.fixture
def result_file(tmp_path) -> str:
    path = tmp_path / "finetune.json"
    path.write_text(sample_result().dumps(), encoding="utf-8")
    return str(path)


def modules_after(arguments: list[str]) -> set[str]:
    code = f"""
import sys
from reportgen.cli.main import cli
cli.main({arguments!r}, standalone_mode=False)
print("MODULES", *sys.modules)
"""
    done = python(code)
    assert "MODULES" in done.stdout, done.stderr
    return set(done.stdout.partition("MODULES ")[2].split())


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], []])
def test_help_imports_nothing_heavy(arguments):
    import_of_click = set(
        python("import sys, click; from click.testing import CliRunner; print(*sys.modules)").stdout.split()
    )
    loaded = modules_after(arguments) - import_of_click
    assert not [name for name in HEAVY if name in loaded]
    assert not [
        name
        for name in loaded
        if name.startswith("reportgen.") and not name.startswith(("reportgen.cli", "reportgen.errors"))
    ]


def test_estimate_imports_no_workbook_and_no_memo(result_file):
    loaded = modules_after(["estimate", result_file])
    assert not loaded & {"openpyxl", "weasyprint", "jinja2"}


def test_every_command_has_help_and_takes_the_global_options():
    for name, line in COMMANDS.items():
        said = run(name, "--help")
        assert said.exit_code == 0, name
        for option in (
            "--lang",
            "--currency",
            "--prices",
            "--set",
            "--date",
            "--quiet",
            "--verbose",
            "--no-color",
            "--templates",
        ):
            assert option in said.output, (name, option)
        assert line.endswith(".")


def test_version():
    assert run("--version").output == f"reportgen {__version__}\n"


def test_no_arguments_print_the_help():
    done = run()
    assert done.exit_code == 0
    assert "Commands:" in done.stdout


USAGE = [
    (["buld"], "reportgen: no such command 'buld'\nfix: did you mean 'build'?  (reportgen --help)\n"),
    (["zzz"], "reportgen: no such command 'zzz'\nfix: see reportgen --help\n"),
    (["--lagn", "zh"], "reportgen: no such option '--lagn'\nfix: did you mean '--lang'?  (reportgen --help)\n"),
    (
        ["build", "x.json", "--fromat", "md"],
        "reportgen: no such option '--fromat'\nfix: did you mean '--format'?  (reportgen build --help)\n",
    ),
    (["estimate"], "reportgen: FILE is missing\nfix: see reportgen estimate --help\n"),
    (
        ["--date", "tomorrow"],
        "reportgen: --date: 'tomorrow' is not a date such as 2027-03-01\nfix: see reportgen --help\n",
    ),
    (["--lang", "fr"], "reportgen: --lang: 'fr' is not one of 'en', 'zh'\nfix: see reportgen --help\n"),
    (
        ["estimate", "x.json", "--set", "a"],
        "reportgen: --set: 'a' is not path=value, such as hardware.count=64\nfix: see reportgen estimate --help\n",
    ),
    (["build", "x.json", "-f", "xslx"], "reportgen: unknown format 'xslx'\nfix: did you mean 'xlsx'?\n"),
]


@pytest.mark.parametrize(
    ("arguments", "expected"), USAGE, ids=lambda value: " ".join(value) if isinstance(value, list) else ""
)
def test_usage_errors_look_like_every_other_error(arguments, expected):
    done = run(*arguments)
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", expected)


def test_usage_errors_as_json():
    done = run("estimate", "--json")
    assert done.exit_code == 2
    assert json.loads(done.stdout) == {
        "version": 1,
        "errors": [
            {
                "code": "missing-argument",
                "file": "",
                "line": 0,
                "column": 0,
                "path": "",
                "message": "FILE is missing",
                "fix": "see reportgen estimate --help",
                "candidates": [],
            }
        ],
    }


def test_missing_file_is_a_wrong_scenario(tmp_path):
    done = run("estimate", str(tmp_path / "none.json"))
    assert done.exit_code == 3
    assert "there is no file" in done.stderr


def test_a_bug_writes_a_report(monkeypatch, result_file, tmp_path):
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr("tempfile.tempdir", None)
    monkeypatch.setattr("reportgen.cli.estimate.read_results", lambda *_: 1 / 0)
    done = run("estimate", result_file)
    assert done.exit_code == 70
    assert done.stdout == ""
    assert "reportgen: a bug: ZeroDivisionError: division by zero" in done.stderr
    assert "Traceback" not in done.stderr
    report = Path(
        next(line for line in done.stderr.splitlines() if line.startswith("report: ")).removeprefix("report: ")
    )
    content = report.read_text()
    assert report.parent == tmp_path
    assert all(
        text in content for text in ("Traceback", "ZeroDivisionError", f"reportgen {__version__}", "estimate", "click")
    )


class FatalError(BaseException):
    """As WeasyPrint raises where it may not fetch."""


@pytest.mark.parametrize(
    ("error", "code"), [(KeyboardInterrupt, 130), (FatalError, 70), (RecursionError, 70), (OSError, 70)]
)
def test_what_else_may_happen(monkeypatch, result_file, error, code):
    def fail(*_):
        raise error("x")

    monkeypatch.setattr("reportgen.cli.estimate.read_results", fail)
    assert run("estimate", result_file).exit_code == code


def test_a_closed_pipe_is_quiet(result_file):
    code = "from reportgen.cli.main import main; main()"
    command = f'{sys.executable} -c "{code}" estimate {" ".join([result_file] * 60)} | head -n 1'
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, cwd=ROOT, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_options_before_and_after_the_command(result_file):
    before, after = run("--lang", "zh", "estimate", result_file), run("estimate", result_file, "--lang", "zh")
    assert before.output == after.output
    assert "采购清单" in after.output
    both = run("--lang", "en", "estimate", result_file, "--lang", "zh")
    assert both.output == after.output


def test_sets_add_up(monkeypatch, result_file):
    seen = []

    def read(file, choices):
        seen.append(choices)
        return sample_result()

    monkeypatch.setattr("reportgen.cli.reading.read_result", read)
    run(
        "--set",
        "a=1",
        "--prices",
        "p.yaml",
        "estimate",
        result_file,
        "--set",
        "b=2",
        "--date",
        "2027-03-01",
        "--currency",
        "USD",
    )
    assert seen[0].sets == ("a=1", "b=2")
    assert (seen[0].prices_file, seen[0].date, seen[0].currency) == ("p.yaml", "2027-03-01", "USD")


def test_colours_only_on_a_terminal(result_file, monkeypatch):
    assert "\x1b[" not in run("estimate", result_file).output
    monkeypatch.setattr("reportgen.cli.settings.is_terminal", lambda stream: True)
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert "\x1b[" in run("estimate", result_file, color=True).output
    assert "\x1b[" not in run("estimate", result_file, "--no-color", color=True).output
    assert "\x1b[" not in run("estimate", result_file, color=True, env={"NO_COLOR": "1"}).output


def test_chinese_reaches_a_pipe_in_any_locale(result_file):
    code = "from reportgen.cli.main import main; main()"
    environment = {**os.environ, "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run(
        [sys.executable, "-c", code, "estimate", result_file, "--lang", "zh"],
        capture_output=True,
        cwd=ROOT,
        env=environment,
        check=False,
    )
    assert done.returncode == 0
    assert "采购清单" in done.stdout.decode("utf-8")


def test_the_readme_names_every_command():
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    missing = [name for name in COMMANDS if f"reportgen {name}" not in readme]
    assert not missing
