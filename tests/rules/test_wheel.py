"""The wheel works outside the checkout: catalog, wording, templates and fonts are inside."""

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = """
title: A test of the wheel
job: fine-tuning
method: lora
model: qwen3-8b
data: {samples: 1000, length: 500}
hardware: {accelerator: rtx-4090, count: 2}
"""


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """A folder with the wheel's content."""
    folder = tmp_path_factory.mktemp("wheel")
    quiet = ["-m", "pip", "--disable-pip-version-check", "--quiet"]
    subprocess.run([sys.executable, *quiet, "wheel", str(ROOT), "--no-deps", "-w", str(folder)], check=True)
    with ZipFile(next(folder.glob("*.whl"))) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_it_builds_both_documents_from_anywhere(site, tmp_path):
    (tmp_path / "job.yaml").write_text(SCENARIO)
    environment = {**os.environ, "PYTHONPATH": str(site)}
    command = [sys.executable, "-m", "reportgen.cli.main", "build", "job.yaml", "-o", "made", "--lang", "zh"]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode in (0, 1), done.stderr
    assert (tmp_path / "made/job.xlsx").stat().st_size > 20_000
    assert (tmp_path / "made/job.pdf").stat().st_size > 20_000


def test_it_reads_its_own_files(site, tmp_path):
    environment = {**os.environ, "PYTHONPATH": str(site)}
    script = "import reportgen.memo.environment as e, reportgen; print(reportgen.__file__)"
    done = subprocess.run([sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert str(site) in done.stdout
    assert (site / "reportgen/templates/memo.html.j2").exists()
    assert list((site / "reportgen/memo/fonts").glob("OFL-*.txt"))
