"""Reading a rendered memo back: text, fonts, words outside the margins."""

from __future__ import annotations

import io
import re
import shutil
import subprocess
from functools import cache

from pypdf import PdfReader

from reportgen.memo.render import Attachment, render_pdf
from tests.memo import comparison_demo, hard_cases, serving_demo, training_demo

DATE = "2026-12-01"
FILES = (
    Attachment(name="scenario.yaml", content=b"job: fine-tuning\n", description="The scenario"),
    Attachment(name="result.json", content=b'{"version": 1}' * 50, description="Every figure of this document"),
)
DOCUMENTS = {
    "training": training_demo.training_memo, "serving": serving_demo.serving_memo, "batch": serving_demo.batch_memo,
    "comparison": comparison_demo.comparison, "crowded_comparison": comparison_demo.crowded_comparison,
    "bare_comparison": comparison_demo.bare_comparison, **hard_cases.HARD_CASES, **hard_cases.STYLED,
}  # fmt: skip
MARGIN = 18 / 25.4 * 72 - 3  # points; the bar of the chosen row stands a little outside


@cache
def rendered(name: str, language: str) -> tuple[bytes, tuple[str, ...]]:
    """The PDF of a demonstration memo, made once, and its warnings."""
    warnings: list[str] = []
    content = render_pdf(DOCUMENTS[name](language), language, FILES, DATE, warnings=warnings)
    return content, tuple(warnings)


@cache
def reader(name: str, language: str) -> PdfReader:
    """The PDF, opened."""
    return PdfReader(io.BytesIO(rendered(name, language)[0]))


@cache
def page_texts(name: str, language: str) -> tuple[str, ...]:
    """The text of each page, spaces made plain."""
    return tuple(plain(page.extract_text()) for page in reader(name, language).pages)


def plain(text: str) -> str:
    """Text with every kind of space as one space and no joiners."""
    return re.sub(r"\s+", " ", re.sub("[\u2060\u200b]", "", text))


def base_fonts(name: str, language: str) -> set[str]:
    """Names of the typefaces inside."""
    found = set()
    for page in reader(name, language).pages:
        for font in page["/Resources"]["/Font"].values():
            found.add(font.get_object()["/BaseFont"])
    return found


def strays(content: bytes) -> list[str]:
    """Words that leave the margins, as poppler sees them; empty without poppler."""
    if not shutil.which("pdftotext"):
        return []
    command = ["pdftotext", "-bbox", "-", "-"]
    text = subprocess.run(command, input=content, capture_output=True, check=True).stdout.decode()
    found = []
    for number, body in enumerate(text.split("<page ")[1:], 1):
        width = float(re.search(r'width="([\d.]+)"', body)[1])
        for left, right, word in re.findall(r'xMin="([\d.-]+)".*?xMax="([\d.-]+)".*?>(.*?)</word>', body):
            if float(left) < MARGIN or float(right) > width - MARGIN:
                found.append(f"page {number}: {word}")
    return found
