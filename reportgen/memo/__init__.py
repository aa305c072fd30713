"""The memo and the comparison as PDF and HTML, made of results."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from reportgen.evaluation.result import Result
from reportgen.memo.compose import compose_memo
from reportgen.memo.render import Attachment, render_html, render_pdf

__all__ = ["Attachment", "build_html", "build_pdf"]


def build_pdf(
    result: Result,
    attachments: Iterable[Attachment] = (),
    templates_dir: str | Path | None = None,
    warnings: list[str] | None = None,
) -> bytes:
    """The memo of a result as PDF, in the language of the result, with files attached inside."""
    files = tuple(attachments)
    memo = compose_memo(result, [file.name for file in files])
    return render_pdf(memo, result.facts.language, files, result.facts.date, templates_dir, warnings)


def build_html(result: Result, templates_dir: str | Path | None = None) -> str:
    """The same as one self-contained page."""
    return render_html(compose_memo(result), result.facts.language, result.facts.date, templates_dir)
