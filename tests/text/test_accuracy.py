"""The accuracy report: whole runs apart, held-out errors beside those of the fit, and which rows have the widest range."""

from __future__ import annotations

from reportgen.evaluation.accuracy.rows import UNLISTED, Outcome, WholeRun
from reportgen.evaluation.nearest_runs import compared_runs
from reportgen.text.accuracy import accuracy_answer

FAR = {"metric": "speed", "accelerator": "mi300x", "regime": UNLISTED}


def printed(*outcomes: Outcome, language: str = "en") -> list[str]:
    """All cells and lines."""
    blocks = accuracy_answer({"training_time": outcomes}, language).blocks
    rows = [cell for block in blocks for row in getattr(block, "rows", ()) for cell in row]
    heads = [cell for block in blocks for cell in getattr(block, "head", ())]
    return [*heads, *rows, *(line for block in blocks for line in getattr(block, "lines", ()))]


def outcome(key: str, measured: float, predicted: float, **more) -> Outcome:
    return Outcome(key, "training_time", measured, predicted, predicted / 2, predicted * 2, **more)


def test_whole_runs_stand_apart_with_hours_and_days():
    whole = WholeRun("Llama-1-65B", "a100-sxm-80gb", 2048, 1.4e12)
    found = printed(outcome("a", 1e-3, 1.1e-3), outcome("b", 2.6e-3, 2.6e-3, whole_run=whole))
    assert "Whole runs, everything lost included" in found
    assert "1,011,111" in found and "20.6" in found


def test_hardware_without_published_runs_is_named():
    assert any("mi300x" in text and "wider" in text for text in printed(outcome("a", 1e-3, 1e-3, classes=FAR)))
    assert any("mi300x" in text and "更宽" in text for text in printed(outcome("a", 1e-3, 1e-3, classes=FAR), language="zh"))
    assert not any("wider" in text for text in printed(outcome("a", 1e-3, 1e-3)))


def test_shipped_rows_show_the_error_of_constants_that_have_not_seen_them():
    run = compared_runs()[0].shown
    words = "shipped rows, by constants fitted without them"
    assert words in printed(outcome(run.id, 1 / run.measured, 1 / run.measured))
    assert words not in printed(outcome(run.id, 2 / run.measured, 2 / run.measured))
    assert words not in printed(outcome("of the user", 1 / run.measured, 1 / run.measured))
