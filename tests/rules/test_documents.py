"""The documents of the project agree with the product."""

import re
import shlex
import shutil
from pathlib import Path

import pytest
from click.testing import CliRunner

from docs.make_formulas import TARGET, page
from reportgen.cli.main import cli

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
COMMANDS = [line.partition("   #")[0].strip() for line in README.splitlines() if line.startswith("reportgen ")]


def test_the_page_of_formulas_is_fresh():
    assert TARGET.read_text(encoding="utf-8") == page(), "run `make docs`"


def test_the_readme_names_every_command():
    assert {line.split()[1] for line in COMMANDS} == set(cli.list_commands(None))


@pytest.mark.parametrize("line", COMMANDS, ids=lambda line: line.split()[1])
def test_every_command_of_the_readme_runs(line, tmp_path, monkeypatch):
    if line.split()[1] == "accuracy":
        line += " --training-runs tests/rules/one_run.csv"
    if line.split()[1] == "batch":
        for name in ("finetune-70b-lora", "serve-70b-chat", "batch-1000-requests"):
            shutil.copy(ROOT / "scenarios" / f"{name}.yaml", tmp_path)
        line = line.replace(" scenarios ", f" {tmp_path} ")
    words = shlex.split(line)[1:]
    expanded = [str(path) for word in words for path in (sorted(ROOT.glob(word)) if "*" in word else [word])]
    arguments = [str(tmp_path) if word.startswith("output") else word for word in expanded]
    monkeypatch.chdir(ROOT)
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code in (0, 1), result.output[-2000:]
    assert result.exception is None or isinstance(result.exception, SystemExit)


def test_links_of_the_documents_lead_somewhere():
    for document in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", ROOT / "docs/decisions/README.md"):
        for target in re.findall(r"\]\(([^)#]+)\)", document.read_text(encoding="utf-8")):
            assert target.startswith("http") or (document.parent / target).exists(), f"{document.name}: {target}"
