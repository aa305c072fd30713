"""The same result gives the same bytes, here and in another process, with its files inside."""

import hashlib
import io
import os
import subprocess
import sys

import pytest

from reportgen.memo import Attachment, build_comparison_pdf, build_pdf
from tests.memo.compose.results import found, pdf_of


@pytest.mark.parametrize(("name", "language"), [("finetune-70b", "en"), ("serve-70b-chat", "zh")])
def test_same_bytes_in_another_process(name, language):
    content = pdf_of(name, language)[0]
    code = (
        "import hashlib; from tests.memo.compose.results import pdf_of;"
        f"print(hashlib.sha256(pdf_of({name!r}, {language!r})[0]).hexdigest())"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert done.stdout.strip() == hashlib.sha256(content).hexdigest()


def test_files_lie_inside_and_are_named():
    from pypdf import PdfReader

    files = (
        Attachment("scenario.yaml", b"job: fine-tuning\n"),
        Attachment("book.xlsx", b"PK"),
        Attachment("result.json", b"{}"),
    )
    reader = PdfReader(io.BytesIO(build_pdf(found("finetune-70b", "en"), files)))
    assert {name: parts[0] for name, parts in reader.attachments.items()} == {file.name: file.content for file in files}
    assert "scenario.yaml, book.xlsx and result.json" in " ".join(
        "".join(page.extract_text() for page in reader.pages).split()
    )


def test_a_comparison_is_deterministic():
    results = [found("base", "en"), found("too_slow", "en")]
    assert build_comparison_pdf(results) == build_comparison_pdf(results)
