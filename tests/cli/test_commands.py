"""What the commands print, write and return; on results that need no estimate."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen.cli.main import cli
from reportgen.errors import OutputError
from reportgen.evaluation.result import Check
from reportgen.formats import FORMATS, Renderer
from reportgen.scenario.schema_paths import json_schema
from tests.text.sample_result import sample_result


def run(*arguments: object):
    return CliRunner().invoke(cli, list(map(str, arguments)))


@pytest.fixture
def good(tmp_path) -> Path:
    path = tmp_path / "good.json"
    path.write_text(sample_result().dumps(), encoding="utf-8")
    return path


@pytest.fixture
def failing(tmp_path) -> Path:
    path = tmp_path / "failing.json"
    check = Check("total_within_budget", 2e6, "<=", 1e6, "money", 0.0, "FAIL")
    path.write_text(dataclasses.replace(sample_result(), checks=(check,)).dumps(), encoding="utf-8")
    return path


# ---- estimate, check, explain --------------------------------------------------------------------------------------
def test_estimate(good):
    done = run("estimate", good)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "64 GPUs" in done.stdout


def test_estimate_as_json_and_markdown(good):
    assert json.loads(run("estimate", good, "--json").stdout)["id"] == "a1b2c3d4"
    assert len(json.loads(run("estimate", good, good, "--json").stdout)) == 2
    assert run("estimate", good, "--markdown").stdout.startswith("# ")
    assert run("estimate", good, "--markdown", "--json").exit_code == 2


def test_a_failed_check_is_exit_code_1(good, failing):
    assert run("estimate", failing).exit_code == 1
    assert run("check", failing).exit_code == 1
    assert run("check", good).exit_code == 0
    assert "FAIL" in run("check", failing).stdout


def test_one_wrong_file_does_not_hide_the_rest(good, tmp_path):
    (tmp_path / "wrong.json").write_text("{")
    done = run("estimate", tmp_path / "wrong.json", good)
    assert done.exit_code == 3
    assert "64 GPUs" in done.stdout and "wrong.json:1:2: not valid JSON" in done.stderr
    as_json = run("estimate", tmp_path / "wrong.json", good, "--json")
    assert json.loads(as_json.stdout)["errors"][0]["code"] == "result-syntax"


def test_check_as_json(failing):
    data = json.loads(run("check", failing, "--json").stdout)
    assert data["scenarios"][0]["failed"] is True
    assert data["scenarios"][0]["checks"][0]["status"] == "FAIL"


def test_explain(good):
    assert "M_use = M_gpu" in run("explain", "memory_usable_gib", good).stdout
    assert json.loads(run("explain", "memory_usable_gib", good, "--json").stdout)["quantity"] == "memory_usable_gib"
    unknown = run("explain", "memory_usabel", good)
    assert unknown.exit_code == 3
    assert "did you mean 'memory_usable_gib'" in unknown.stderr


# ---- build ---------------------------------------------------------------------------------------------------------
@pytest.fixture
def two_formats(monkeypatch):
    """A workbook that works and a memo whose text engine is missing."""

    def without_pango(*_):
        raise OSError("cannot load library 'libpango-1.0-0'")

    monkeypatch.setitem(FORMATS, "xlsx", Renderer("xlsx", lambda result, manner: b"workbook"))
    monkeypatch.setitem(FORMATS, "pdf", Renderer("pdf", without_pango))


def test_build_writes_what_it_can_and_says_what_is_missing(good, tmp_path, two_formats):
    done = run("build", good, "-o", tmp_path / "out")
    assert done.exit_code == 5
    assert done.stdout == f"{tmp_path / 'out' / 'finetune-70b.xlsx'}\n"
    assert "cannot write pdf: cannot load library 'libpango-1.0-0'" in done.stderr
    assert "fix: reportgen doctor" in done.stderr


def test_build_of_one_format_into_a_file(good, tmp_path):
    done = run("build", good, "-f", "md", "-o", tmp_path / "ticket.md")
    assert done.exit_code == 0
    assert (tmp_path / "ticket.md").read_text(encoding="utf-8").startswith("# ")


def test_build_as_json_names_the_files(good, tmp_path):
    done = run("build", good, "-f", "md,csv", "-o", tmp_path / "out", "--json")
    assert json.loads(done.stdout)["files"] == [
        str(tmp_path / "out" / f"finetune-70b.{ending}") for ending in ("md", "csv")
    ]


def test_files_of_two_scenarios_of_one_name_differ(good, tmp_path):
    run("build", good, good, "-f", "md", "-o", tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["finetune-70b-2.md", "finetune-70b.md"]


def test_a_failed_check_still_writes_the_files(failing, tmp_path):
    done = run("build", failing, "-f", "md", "-o", tmp_path / "out")
    assert done.exit_code == 1
    assert (tmp_path / "out" / "finetune-70b.md").exists()


def test_a_place_that_cannot_be_written(good, tmp_path):
    (tmp_path / "file").write_text("")
    done = run("build", good, "-f", "md", "-o", tmp_path / "file")
    assert done.exit_code == 5
    assert "cannot write" in done.stderr


def test_the_style_reaches_the_result(good, tmp_path, monkeypatch):
    seen = []
    monkeypatch.setitem(
        FORMATS, "html", Renderer("html", lambda result, manner: seen.append(result.facts.style) or b"")
    )
    run("build", good, "-f", "html", "--style", "allocation", "-o", tmp_path / "out")
    assert seen == ["allocation"]


def test_a_renderers_own_error_is_kept(good, tmp_path, monkeypatch):
    def fail(*_):
        raise OutputError.of("template", "the template does not work", "compare it")

    monkeypatch.setitem(FORMATS, "html", Renderer("html", fail))
    done = run("build", good, "-f", "html", "-o", tmp_path / "out")
    assert (done.exit_code, done.stderr) == (5, "reportgen: the template does not work\nfix: compare it\n")


# ---- catalog, schema, doctor ---------------------------------------------------------------------------------------
def test_catalog():
    assert "accelerators" in run("catalog").stdout
    assert "h200-sxm" in run("catalog", "accelerators").stdout
    assert "As of" in run("catalog", "gpus", "h200-sxm", "--date", "2027-03-01").stdout
    assert run("catalog", "h200-sxm").stdout == run("catalog", "accelerator", "h200-sxm").stdout
    assert "模型" in run("catalog", "models", "--lang", "zh").stdout
    listed = next(line.split() for line in run("catalog", "models").stdout.splitlines() if "gpt-neo-125m" in line)
    assert "0.1" in listed  # without the masks that its published file holds
    wrong = run("catalog", "acelerators")
    assert (wrong.exit_code, "did you mean 'accelerators'" in wrong.stderr) == (2, True)
    assert run("catalog", "models", "llama-3.1-70bb").exit_code == 3


@pytest.mark.parametrize(
    "kind",
    [
        "accelerators",
        "servers",
        "node_classes",
        "models",
        "prices",
        "components",
        "site",
        "tokenizers",
        "constants",
        "inputs",
        "sources",
    ],
)
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_kind_of_the_catalog_is_listed(kind, language):
    from reportgen.text.width import display_width

    done = run("catalog", kind, "--lang", language)
    assert done.exit_code == 0
    assert max(map(display_width, done.stdout.splitlines())) <= 100
    assert json.loads(run("catalog", kind, "--json").stdout)


def test_schema():
    schema = json.loads(run("schema").stdout)
    assert schema["$defs"]["TrainingKeys"]["properties"]["sequence_length"]
    assert schema["$defs"]["ServingKeys"]["additionalProperties"] is False
    assert "deadline" in schema["$defs"]["ServingKeys"]["properties"]
    assert schema == json_schema()


@pytest.mark.parametrize(
    "file", sorted((Path(__file__).parents[2] / "scenarios").glob("*.yaml")), ids=lambda path: path.stem
)
def test_the_schema_accepts_the_shipped_scenarios(file):
    jsonschema = pytest.importorskip("jsonschema")
    from reportgen.catalog.yaml_data import read_yaml

    jsonschema.Draft202012Validator(json.loads(run("schema").stdout)).validate(read_yaml(file))


@pytest.mark.parametrize("option", ["--set=a=1", "--currency=USD", "--date=2027-01-01", "--prices=p.yaml"])
def test_a_finished_result_is_not_changed(good, option):
    done = run("estimate", good, option)
    assert done.exit_code == 2
    assert "is a finished result" in done.stderr


def test_an_unknown_currency(tmp_path):
    scenario = Path(__file__).parents[2] / "scenarios" / "finetune-70b.yaml"
    done = run("estimate", scenario, "--currency", "XYZ")
    assert (done.exit_code, "'XYZ' is not a known currency" in done.stderr) == (2, True)


def test_doctor():
    done = run("doctor")
    assert done.exit_code in (0, 5)
    assert "weasyprint" in done.stdout
    parts = {finding["part"]: finding for finding in json.loads(run("doctor", "--json").stdout)["findings"]}
    assert parts["Python"]["state"] == "ok"
    assert all(finding["mend"] for finding in parts.values() if finding["state"] != "ok")


def test_doctor_names_what_is_missing(monkeypatch):
    import subprocess

    monkeypatch.setattr(subprocess, "run", lambda *_, **__: subprocess.CompletedProcess([], 1))
    monkeypatch.setattr("reportgen.cli.doctor.version_of", lambda name: None if name == "weasyprint" else "1")
    done = run("doctor")
    assert done.exit_code == 5
    assert (
        "pip install 'weasyprint" in "".join(line.strip() for line in done.stdout.splitlines())
        or "weasyprint" in done.stdout
    )
    assert "missing" in done.stdout


def test_doctor_works_without_words(monkeypatch):
    from reportgen.errors import CatalogError

    def broken(language):
        raise CatalogError.of("wording-twice", "wording 'x' stands twice")

    monkeypatch.setattr("reportgen.catalog.wording.wording", broken)
    done = run("doctor")
    assert done.exit_code == 5
    assert "Catalog: missing wording 'x' stands twice" in done.stdout
