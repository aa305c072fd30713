"""The memo and the comparison as PDF and HTML, made of results."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from reportgen.evaluation.compare import Comparison
from reportgen.evaluation.result import Result
from reportgen.memo.compose import compose_comparison, compose_memo
from reportgen.memo.render import Attachment, render_html, render_pdf

__all__ = ["Attachment", "build_comparison_html", "build_comparison_pdf", "build_html", "build_pdf"]


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


def build_comparison_pdf(
    compared: Comparison | Sequence[Result],
    attachments: Iterable[Attachment] = (),
    templates_dir: str | Path | None = None,
    warnings: list[str] | None = None,
) -> bytes:
    """Results, or their comparison, on one page; in the language of the first."""
    first = _first(compared)
    page = compose_comparison(compared)
    return render_pdf(page, first.facts.language, tuple(attachments), first.facts.date, templates_dir, warnings)


def build_comparison_html(compared: Comparison | Sequence[Result], templates_dir: str | Path | None = None) -> str:
    """The same as one self-contained page."""
    first = _first(compared)
    return render_html(compose_comparison(compared), first.facts.language, first.facts.date, templates_dir)


def _first(compared: Comparison | Sequence[Result]) -> Result:
    return compared.results[0] if isinstance(compared, Comparison) else compared[0]
