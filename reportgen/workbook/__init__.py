"""The workbook: a plan of sheets and cells (cells, grid, frame, parts), settled (calculate) and written (write)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from reportgen.evaluation.result import Result


def build_workbook(result: Result) -> bytes:
    """The xlsx file of one result."""
    from reportgen.workbook.book import build_workbook as build

    return build(result)


def build_comparison_workbook(results: Sequence[Result]) -> bytes:
    """The xlsx file that compares several results."""
    from reportgen.workbook.comparison import build_comparison_workbook as build

    return build(results)


def build_supplier_workbook(result: Result) -> bytes:
    """The xlsx file that a supplier fills in."""
    from reportgen.workbook.supplier import build_supplier_workbook as build

    return build(result)
