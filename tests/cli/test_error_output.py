"""How errors are printed."""

from __future__ import annotations

import json

from reportgen.cli.error_output import problems_as_json, problems_as_text
from reportgen.errors import Place, Problem

UNKNOWN = Problem(
    "unknown-accelerator", "unknown accelerator 'h2OO'", "did you mean 'h200-sxm'?  (reportgen catalog accelerators)",
    Place("scenarios/finetune-70b.yaml", 14, 14, "hardware.accelerator", "accelerator: h2OO", 4), ("h200-sxm",),
)  # fmt: skip


def test_line_caret_and_fix():
    assert problems_as_text([UNKNOWN]) == (
        "scenarios/finetune-70b.yaml:14:14: unknown accelerator 'h2OO'\n"
        "  14 | accelerator: h2OO\n"
        "     |              ^^^^\n"
        "fix: did you mean 'h200-sxm'?  (reportgen catalog accelerators)"
    )


def test_the_caret_stands_under_wide_characters():
    problem = Problem("x", "x", place=Place("a.yaml", 3, 7, text="title: 微调 abc", width=2))
    problem = Problem("x", "x", place=Place("a.yaml", 3, 8, text="title: 微调 abc", width=2))
    assert problems_as_text([problem]).splitlines()[1:] == ["  3 | title: 微调 abc", "    |        ^^^^"]
    after = Problem("x", "x", place=Place("a.yaml", 3, 11, text="title: 微调 abc", width=3))
    assert problems_as_text([after]).splitlines()[2] == "    |             ^^^"


def test_long_lines_are_shown_around_the_mark():
    text = "purpose: " + "x" * 200 + "HERE" + "y" * 200
    lines = problems_as_text([Problem("x", "x", place=Place("a.yaml", 1, 210, text=text, width=4))]).splitlines()
    assert lines[1].startswith("  1 | …") and lines[1].endswith("…") and len(lines[1]) < 120
    start = lines[2].index("^")
    assert lines[1][start : start + 4] == "HERE"


def test_several_in_order_each_once():
    plain = Problem("a", "first", "mend it", Place("a.yaml"))
    assert (
        problems_as_text([plain, Problem("b", "second"), plain]) == "a.yaml: first\nfix: mend it\n\nreportgen: second"
    )


def test_a_problem_without_place_is_one_line():
    assert problems_as_text([Problem("a", "wrong")]) == "reportgen: wrong"


def test_json_form():
    assert json.loads(problems_as_json([UNKNOWN])) == {
        "version": 1,
        "errors": [
            {"code": "unknown-accelerator", "file": "scenarios/finetune-70b.yaml", "line": 14, "column": 14,
             "path": "hardware.accelerator", "message": "unknown accelerator 'h2OO'",
             "fix": "did you mean 'h200-sxm'?  (reportgen catalog accelerators)", "candidates": ["h200-sxm"]}
        ],
    }  # fmt: skip


def test_colours_do_not_change_the_text():
    import re

    colored = problems_as_text([UNKNOWN], colored=True)
    assert re.sub("\x1b\\[[0-9;]*m", "", colored) == problems_as_text([UNKNOWN])
    assert colored != problems_as_text([UNKNOWN])


def test_an_option_is_its_own_place():
    problem = Problem("x", "'x' is not a number", "write 64", Place("--set a=x", 1, 3, text="a=x"))
    assert problems_as_text([problem]) == "--set a=x: 'x' is not a number\n   | a=x\n   |   ^\nfix: write 64"
