"""Building the memo, against bare WeasyPrint rendering the same HTML."""

from __future__ import annotations

import logging
from collections.abc import Iterator

from benchmarks.measure import Ratio, alternate
from reportgen.evaluation.evaluate import evaluate
from reportgen.memo import build_html, build_pdf
from reportgen.scenario import load_scenario

SCENARIO = "scenarios/finetune-70b.yaml"


def ratios() -> Iterator[Ratio]:
    """CPU seconds of the PDF; the result is evaluated beforehand."""
    from weasyprint import HTML

    logging.getLogger("fontTools").setLevel(logging.ERROR)
    logging.getLogger("weasyprint").setLevel(logging.CRITICAL)
    result = evaluate(load_scenario(SCENARIO))
    page = build_html(result)
    ours, other = alternate(lambda: build_pdf(result, ()), lambda: HTML(string=page).write_pdf(), runs=3)
    yield Ratio("memo of finetune-70b", ours, other, "bare WeasyPrint, same HTML", "at most 1.1")
