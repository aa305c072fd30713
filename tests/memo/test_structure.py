"""Templates hold structure only; words are complete in both languages; tables and fitting keep their rules."""

import re
from dataclasses import replace

import pytest

from reportgen.catalog.wording import FOLDER, placeholders
from reportgen.catalog.yaml_data import read_yaml
from reportgen.memo.context_schema import APPENDICES, SECTIONS, appendix_letter, section_number
from reportgen.memo.environment import find_templates, style_sheet
from reportgen.memo.fit import Fit, fitted, tightened
from reportgen.memo.render import render_html
from reportgen.memo.tables import column_widths, needs_table, options_table
from tests.memo.pages import DATE, DOCUMENTS
from tests.memo.training_demo import training_memo

WORDS = {language: read_yaml(FOLDER / language / "memo.yaml") for language in ("en", "zh")}
TEMPLATES = sorted(find_templates().rglob("*.j2"))


def test_both_languages_have_the_same_words_and_placeholders():
    assert WORDS["en"].keys() == WORDS["zh"].keys()
    for key, text in WORDS["en"].items():
        assert key.startswith("memo_")
        assert placeholders(str(text)) == placeholders(str(WORDS["zh"][key]))
        assert str(text).count("|") == str(WORDS["zh"][key]).count("|"), key


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_templates_hold_no_words(path):
    text = path.read_text(encoding="utf-8")
    text = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}|<script>.*?</script>", "", text, flags=re.S)
    text = re.sub(r"<[^>]*>|&\w+;", "", text)
    assert not re.search(r"[A-Za-z\u4e00-\u9fff]{2,}", text), text


@pytest.mark.parametrize("screen", [True, False])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_token_of_the_style_sheet_is_filled(language, screen):
    sheet = style_sheet(find_templates(), language, screen)
    assert "var(" not in sheet and "#18222D" in sheet


def test_sections_have_their_numbers():
    assert section_number("memo", "decision") == 1
    assert section_number("memo", "otherwise") == 10
    assert section_number("memo", "approval") == 11
    names = [{name for page in pages for name in page} for pages in SECTIONS.values()]
    assert all(found == names[0] for found in names)


def test_appendices_take_letters_by_what_is_present():
    assert appendix_letter(APPENDICES, "changes") == "I"
    assert appendix_letter(["sources", "formulas"], "sources") == "B"
    assert appendix_letter(training_memo("en").appendices, "sources") == "E"


@pytest.mark.parametrize("language", ["en", "zh"])
def test_column_widths_stay_below_the_whole(language):
    memo = training_memo(language)
    for table in (
        memo.cost.table,
        memo.appendices.cross_check.measured,
        needs_table(memo.needs, lambda key, **_: key, 9),
    ):
        widths = column_widths(table, 394, 7.6)
        assert 99 < sum(widths) < 100 and all(width > 0 for width in widths)


def test_options_to_keep_stay():
    memo = training_memo("en")
    table = options_table(memo.options, lambda key, **_: key, 4)
    assert [row.cells[0] for row in table.rows] == [
        "8 nodes × 8 H800", "Smaller: 7 nodes × 8 H800", "Existing equipment: 2 × 8 A800", "Do nothing"]  # fmt: skip


def test_parts_give_way_in_order():
    memo = training_memo("en")
    assert tightened(Fit(), memo, (0.0, 0.0)) == (Fit(), 0.0)
    little, lacking = tightened(Fit(), memo, (8.0, 0.0))
    assert little == replace(Fit(), dense=True) and not lacking
    more, _ = tightened(Fit(), memo, (40.0, 0.0))
    assert more.memory_rows == 2 and more.subtitle and more.why > 2
    everything, lacking = tightened(Fit(), memo, (5000.0, 5000.0))
    assert lacking > 0 and everything.why == 1 and everything.risks == 3


def test_the_requested_size_always_stays():
    memory, days = training_memo("en").size.figures
    few = replace(Fit(), memory_rows=2, range_rows=2)
    assert [row.label for row in fitted(memory, few).chart.rows] == ["8 nodes", "4 nodes"]
    assert [row.label for row in fitted(days, few).chart.rows] == ["7 nodes", "8 nodes"]
    assert [row.label for row in fitted(days, replace(few, range_rows=1)).chart.rows] == ["8 nodes"]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("name", ["training", "serving", "comparison", "nothing_known"])
def test_the_page_is_one_file(name, language):
    html = render_html(DOCUMENTS[name](language), language, DATE)
    assert html.startswith("<!doctype html>") and f'<html lang="{"en-GB" if language == "en" else "zh-CN"}">' in html
    assert not re.search(r'(?:src|href)="(?!#)', html) and "asset:" not in html and "@import" not in html
    assert not re.findall(r"url\((?!data:)", html) and len(html) < 500_000
    assert html == render_html(DOCUMENTS[name](language), language, DATE)


def test_the_page_keeps_characters_that_paper_cannot_print():
    assert "龘" in render_html(DOCUMENTS["rare_characters"]("zh"), "zh", DATE)
