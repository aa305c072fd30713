"""The answer on the terminal and as Markdown."""

from __future__ import annotations

import ast
import dataclasses
import re
from pathlib import Path

import pytest

import reportgen
from reportgen.catalog.wording import placeholders, wording
from reportgen.evaluation.result import Check, Quantity, Result
from reportgen.formula.as_words import PHRASES
from reportgen.text.answer import answer, check_answer
from reportgen.text.blocks import Answer, Bars, Cell, Lines, Table
from reportgen.text.headline import headline_values, reasons
from reportgen.text.markdown import markdown
from reportgen.text.table import Terminal
from reportgen.text.width import display_width
from tests.text.sample_result import sample_result

OWN_FILES = ("text", "cli", "formula")
PACKAGE = Path(reportgen.__file__).parent


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("width", [80, 100])
def test_the_terminal_answer_fits(language, width):
    printed = Terminal(width).answer(answer(sample_result(language), all_checks=True))
    assert max(map(display_width, printed.splitlines())) <= width
    assert "\x1b[" not in printed


def test_the_answer_says_what_matters():
    printed = Terminal().answer(answer(sample_result()))
    for text in (
        "64 GPUs",
        "8 servers",
        "9.9 days",
        "23.95 M CNY",
        "7.3–13.4",
        "63.8 GiB of 80.0 GiB",
        "quote needed",
        "1 of 2",
        "LOOK",
        "a1b2c3d4",
        "30.0%–42.0%",
        "Do nothing",
    ):
        assert text in printed, text


def test_a_missing_price_is_never_zero():
    row = next(line for line in Terminal().answer(answer(sample_result())).splitlines() if "leaf switch" in line)
    assert "0" not in row.partition("switch")[2].replace("2 switches", "")
    assert row.count("–") == 2


def test_lines_that_are_not_needed_are_left_out():
    assert "spine" not in Terminal().answer(answer(sample_result()))


def test_chinese_answer():
    printed = Terminal().answer(answer(sample_result("zh")))
    for text in ("64 卡", "8 台", "2,395 万元", "采购清单", "待询价", "维持现状"):
        assert text in printed, text


def test_columns_of_han_text_line_up():
    lines = Terminal().answer(answer(sample_result("zh"))).splitlines()
    start = next(index for index, line in enumerate(lines) if line.strip().startswith("序号"))
    ends = {
        display_width(line.split("报价")[0].split("待询价")[0].split("价格依据")[0])
        for line in lines[start : start + 3]
    }
    assert len(ends) == 1


def test_colours_leave_the_text_alone():
    plain, colored = (Terminal(90, colored).answer(answer(sample_result())) for colored in (False, True))
    stripped = [line.rstrip() for line in re.sub("\x1b\\[[0-9;]*m", "", colored).splitlines()]
    assert stripped == plain.splitlines()


def test_checks_alone():
    printed = Terminal().answer(check_answer(sample_result()))
    assert "63.8 GiB" in printed and "LOOK" in printed and "OK" in printed


def test_a_result_without_anything_optional_is_printed():
    empty = dataclasses.replace(
        sample_result(),
        quantities={},
        options=(),
        lines=(),
        checks=(),
        inputs=(),
        warnings=(),
        missing=(),
        layouts=(),
        tables={},
    )
    assert Terminal().answer(answer(empty)).strip()
    assert markdown(answer(empty)).startswith("# ")


def test_the_same_result_read_back_from_json_reads_the_same():
    import json

    again = Result.from_json(json.loads(sample_result().dumps()))
    assert Terminal().answer(answer(again)) == Terminal().answer(answer(sample_result()))


def test_markdown_has_the_same_content():
    said = markdown(answer(sample_result()))
    for text in (
        "# =Fine-tune",
        "| 1 | server | 8 servers | 1.82 M | 14.56 M | quote |",
        "**64 GPUs**",
        "quote needed",
    ):
        assert text in said
    columns = {line.count("|") for line in said.splitlines() if line.startswith("| No.") or line.startswith("| 1 |")}
    assert len(columns) == 1


def test_markdown_escapes_what_users_write():
    block = Table("t", ("a|b",), (("<script>x</script> | *b* [l](http://x) `c`\nnew",),))
    said = markdown(Answer("# no", "_s_", (block, Lines("", ("- x",)), Bars("m", (("a", "1", 0.5),)))))
    assert "<script>" not in said.replace("\\<script", "")
    assert "\\|" in said and "\\[l\\]" in said and "\\*b\\*" in said
    assert said.splitlines()[0] == "# \\# no"


def test_wide_tables_wrap_and_keep_every_character():
    key = "decode_bandwidth_utilization_of_something_long"
    table = Table("", ("id", "text", "n"), ((key, "word " * 40, "1,234,567"),), frozenset({2}), (1,))
    lines = Terminal(80).block(table)
    assert max(map(display_width, lines)) <= 80
    assert key in "".join(lines) and "1,234,567" in "".join(lines)


def test_a_cell_is_its_text():
    assert Cell("x", "good") == "x" and Cell("x", "good").mark == "good"


# ---- wording ------------------------------------------------------------------------------------------------------
def said_keys() -> set[str]:
    """Keys that the renderers and commands say, written out in full."""
    found = set()
    for folder, prefix in (("text", "text_"), ("batch", ""), ("cli", "")):
        for path in (PACKAGE / folder).glob("*.py"):
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.args:
                    first = node.args[0]
                    if node.func.attr == "say" and isinstance(first, ast.Constant):
                        found.add(prefix + first.value)
                    if (
                        node.func.attr in ("text", "label")
                        and isinstance(first, ast.Constant)
                        and isinstance(first.value, str)
                    ):
                        found.add(first.value)
    return {key for key in found if key.startswith(("text_", "cli_"))}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_word_that_is_said_exists(language):
    words = wording(language)
    assert not [key for key in said_keys() if not words.has(key)]
    assert not [phrase for phrase in PHRASES if not words.has(f"formula_{phrase}")]


def test_both_languages_have_the_same_keys_and_placeholders():
    english, chinese = wording("en"), wording("zh")
    own = [{key for key, file in words.files.items() if Path(file).stem in OWN_FILES} for words in (english, chinese)]
    assert own[0] == own[1]
    assert not [key for key in own[0] if placeholders(english.label(key)) != placeholders(chinese.label(key))]


# ---- what a result may say besides -----------------------------------------------------------------------------------
def test_a_failed_check_comes_first():
    failed = Check("memory_fits", 160.7, "<=", 76.0, "GiB", 0.0, "FAIL")
    printed = Terminal().answer(answer(dataclasses.replace(sample_result(), checks=(failed,))))
    assert "Does not stand as it is" in printed.splitlines()[1]
    assert "FAIL" in printed and "160.7 GiB" in printed


def test_lines_without_a_price_make_the_cost_a_lower_bound():
    quantity = Quantity("unpriced_lines", "request_list", 2.0, 2.0, 2.0, "lines", "n_q", "reportgen")
    result = sample_result()
    result = dataclasses.replace(result, quantities={**result.quantities, "unpriced_lines": quantity})
    assert "at least 23.95 M CNY to buy (2 of 2 lines without a price)" in answer(result).sentence


def test_small_times_read_in_a_smaller_unit():
    result = sample_result()
    days = dataclasses.replace(result.quantities["training_days"], value=0.2, favourable=0.1, adverse=0.3)
    result = dataclasses.replace(result, quantities={**result.quantities, "training_days": days})
    assert "4.8 h of training" in Terminal().answer(answer(result))


def test_a_title_cannot_steer_the_terminal():
    result = sample_result()
    facts = dataclasses.replace(result.facts, title="\x1b[31mred\u202e", name="\x1b]0;x\x07")
    said = answer(dataclasses.replace(result, facts=facts))
    assert "\x1b" not in Terminal().answer(said) and "\u202e" not in markdown(said)


@pytest.mark.parametrize(("least", "told"), [(0.2, True), (0.1, False)])
def test_rent_is_compared_below_the_share_of_the_result(least, told):
    sample = sample_result()
    share = dataclasses.replace(sample.quantities["capital_cost"], key="lifetime_share", value=0.15, unit="share")
    rent = dataclasses.replace(sample.quantities["capital_cost"], key="rental_cost", value=7_654_321.0)
    limit = dataclasses.replace(sample.inputs[0], key="rent_compared_below_share", value=least, unit="share")
    quantities = {**sample.quantities, "lifetime_share": share, "rental_cost": rent}
    result = dataclasses.replace(sample, quantities=quantities, inputs=(*sample.inputs, limit))
    sentence = r"uses 15\.0% of the hours that the purchase lasts; renting for this job alone costs 7\.65 M"
    assert bool(re.search(sentence, markdown(answer(result)))) == told


def test_what_is_rented_shows_its_rent_and_no_power_of_ours():
    bought = sample_result()
    rented = dataclasses.replace(bought, facts=dataclasses.replace(bought.facts, acquire="rent"))
    assert "it_power_kw" in headline_values(bought) and "it_power_kw" not in headline_values(rented)
    assert (reasons(bought)[-1], reasons(rented)[-1]) == ("purchase_cost", "rental_cost")
