"""Whole documents through the command line: written, reproducible, rendered again from JSON, without prices."""

from __future__ import annotations

import re
import zipfile
from io import BytesIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from reportgen.batch.reading import Choices, read_result
from reportgen.cli.main import cli

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = str(ROOT / "scenarios" / "finetune-70b.yaml")
DATE = ("--date", "2026-11-30")
pypdf = pytest.importorskip("pypdf")


def build(folder: Path, *arguments: str) -> Path:
    done = CliRunner().invoke(cli, ["build", *arguments, "-o", str(folder)])
    assert done.exit_code == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return build(tmp_path_factory.mktemp("built"), SCENARIO, "-f", "xlsx,pdf,html,md,csv,json", *DATE)


def test_every_format_is_written(folder):
    assert sorted(path.suffix for path in folder.iterdir()) == [".csv", ".html", ".json", ".md", ".pdf", ".xlsx"]
    assert (folder / "finetune-70b.pdf").read_bytes().startswith(b"%PDF-")
    assert zipfile.is_zipfile(folder / "finetune-70b.xlsx")


def test_a_result_is_rendered_again_to_the_same_bytes(folder, tmp_path):
    again = build(tmp_path, str(folder / "finetune-70b.json"), "-f", "xlsx,pdf,md")
    for ending in ("xlsx", "pdf", "md"):
        name = f"finetune-70b.{ending}"
        assert (again / name).read_bytes() == (folder / name).read_bytes(), ending


def test_the_memo_carries_the_scenario_the_result_and_the_workbook(folder):
    inside = pypdf.PdfReader(folder / "finetune-70b.pdf").attachments
    assert inside["finetune-70b.yaml"][0] == Path(SCENARIO).read_bytes()
    assert inside["finetune-70b.json"][0] == (folder / "finetune-70b.json").read_bytes()
    assert inside["finetune-70b.xlsx"][0] == (folder / "finetune-70b.xlsx").read_bytes()


def test_documents_without_prices(tmp_path):
    without = build(tmp_path, SCENARIO, "--redact-prices", "-f", "xlsx,pdf,html,md,csv,json", *DATE)
    result = read_result(SCENARIO, Choices(date="2026-11-30"))
    facts = {f"{value:g}" for column in result.tables.values() for value in column if isinstance(value, float)}
    amounts = {
        f"{item.value:.2f}".rstrip("0").rstrip(".")
        for item in (*result.quantities.values(), *result.inputs)
        if "money" in item.unit and not isinstance(item.value, str) and item.value > 5000
    }
    book = zipfile.ZipFile(BytesIO((without / "finetune-70b.xlsx").read_bytes()))
    pages = pypdf.PdfReader(without / "finetune-70b.pdf")
    text = "".join(book.read(name).decode("utf-8", "ignore") for name in book.namelist())
    text += "".join(page.extract_text() for page in pages.pages)
    text += "".join(
        (without / f"finetune-70b.{ending}").read_text(encoding="utf-8") for ending in ("md", "csv", "json", "html")
    )
    shown = {token.strip(".") for token in re.findall(r"[\d.]+", text.replace(",", ""))}
    shown |= {token.partition(".")[0] for token in shown}
    assert not (amounts - facts) & shown
    assert "finetune-70b.yaml" not in pages.attachments


def test_a_comparison(tmp_path):
    other = str(ROOT / "scenarios" / "finetune-70b-lora.yaml")
    done = CliRunner().invoke(cli, ["compare", SCENARIO, other, "-f", "xlsx,pdf,html", "-o", str(tmp_path)])
    assert done.exit_code == 0, done.stderr
    assert sorted(path.name for path in tmp_path.iterdir()) == ["comparison.html", "comparison.pdf", "comparison.xlsx"]
    inside = pypdf.PdfReader(tmp_path / "comparison.pdf").attachments
    assert sorted(inside) == [
        "A finetune-70b.json",
        "A finetune-70b.yaml",
        "B finetune-70b-lora.json",
        "B finetune-70b-lora.yaml",
    ]
    assert inside["A finetune-70b.yaml"][0] == Path(SCENARIO).read_bytes()


def test_a_comparison_says_what_its_typefaces_lack(tmp_path):
    rare = ("--set", "title=Tune \U00013000")
    other = str(ROOT / "scenarios" / "finetune-70b-lora.yaml")
    done = CliRunner().invoke(cli, ["compare", SCENARIO, other, *rare, "-f", "pdf", "-o", str(tmp_path)])
    assert "note: no shipped typeface holds \U00013000" in done.stderr


def test_a_scenario_is_not_compared_with_itself(tmp_path):
    twin = f"{ROOT}/tests/../scenarios/finetune-70b.yaml"
    done = CliRunner().invoke(cli, ["compare", SCENARIO, twin, "-f", "pdf", "-o", str(tmp_path)])
    assert done.exit_code == 2 and not list(tmp_path.iterdir()) and not done.stdout
    assert "named twice" in done.stderr and "fix: write what changes into a file beside it" in done.stderr
