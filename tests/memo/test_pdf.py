"""The PDF says what the context says, with our typefaces, the same bytes every time, and files inside."""

import hashlib
import re
import subprocess
import sys

import pytest

from reportgen.memo.context_schema import Memo
from reportgen.memo.render import render_pdf
from tests.memo.pages import DATE, DOCUMENTS, FILES, base_fonts, page_texts, reader, rendered, strays

LANGUAGES = ("en", "zh")
MAIN = ("training", "serving", "batch", "comparison")
READ_BACK = {  # page (0, 1, 2 = the appendices) and what must stand on it
    "en": [(0, "8 nodes × 8 H800"), (0, "Decide by 15 December 2026."), (0, "planning limit 76"), (0, "9.9 days"),
           (0, "late in the bad case"), (1, "quote needed"), (1, "Do nothing"), (1, "approval 15 Dec"),
           (2, "Hardware list and cost build-up"), (2, "4.236×1021")],
    "zh": [(0, "请示事项"), (0, "以工期为准。"), (0, "规划上限 76"), (0, "不利时逾期"), (1, "待询价"), (1, "维持现状"),
           (1, "最省的验证："), (2, "采购清单与概算"), (2, "名词解释")],
}  # fmt: skip
THREE_PAGES = {"unbreakable_names"}  # so full of long names that the approvals stand on a third page


PRINTED = [*((name, "en") for name in DOCUMENTS), *((name, "zh") for name in (*MAIN, "long_title", "nothing_fits"))]


@pytest.mark.parametrize(("name", "language"), PRINTED)
def test_every_case_prints_within_its_pages(name, language):
    content, warnings = rendered(name, language)
    texts = page_texts(name, language)
    assert not strays(content)
    assert not re.search(r"\ufffd|\{\{|\*\*|undefined", "".join(texts))
    assert warnings == () or name == "rare_characters"
    context = DOCUMENTS[name](language)
    if isinstance(context, Memo):
        body = 3 if name in THREE_PAGES else 2
        sign = "Budget code" if language == "en" else "预算科目"
        assert [number for number, text in enumerate(texts, 1) if sign in text] == [body]


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_training_memo_reads_back(language):
    first, second, *rest = page_texts("training", language)
    for page, sentence in READ_BACK[language]:
        assert sentence in (first, second, " ".join(rest))[page]


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", MAIN)
def test_only_shipped_typefaces(name, language):
    fonts = base_fonts(name, language)
    assert fonts and all("+RG-" in font for font in fonts), fonts


@pytest.mark.parametrize("language", LANGUAGES)
def test_same_bytes_again_and_in_another_process(language):
    content = rendered("training", language)[0]
    assert render_pdf(DOCUMENTS["training"](language), language, FILES, DATE) == content
    code = (
        "import hashlib; from tests.memo.pages import rendered;"
        f"print(hashlib.sha256(rendered('training', {language!r})[0]).hexdigest())"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split()[-1] == hashlib.sha256(content).hexdigest()


@pytest.mark.parametrize("language", LANGUAGES)
def test_attached_files_come_out_unchanged(language):
    attached = reader("training", language).attachments
    assert {name: contents[0] for name, contents in attached.items()} == {file.name: file.content for file in FILES}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", MAIN)
def test_title_language_tags_bookmarks_and_archive_form(name, language):
    pdf = reader(name, language)
    root = pdf.trailer["/Root"]
    assert pdf.metadata.title == DOCUMENTS[name](language).document.title and pdf.metadata.author == "reportgen"
    assert root["/Lang"] == {"en": "en-GB", "zh": "zh-CN"}[language]
    assert root["/MarkInfo"]["/Marked"]
    assert "/StructTreeRoot" in root and pdf.outline
    metadata = root["/Metadata"].get_object().get_data().decode()
    assert 'pdfaid:part="3"' in metadata and 'pdfaid:conformance="U"' in metadata
    assert pdf.metadata["/CreationDate"] == "D:20261201000000Z"
    assert str(pdf.metadata.get("/CreationDate")) == str(pdf.metadata.get("/ModDate"))


def test_bookmarks_name_sections_and_appendices():
    titles = [item.title for item in reader("training", "en").outline if not isinstance(item, list)]
    assert titles[:3] == ["1 Decision asked", "2 Why, and why now", "3 What is needed"]
    assert titles[11:13] == ["A Hardware list and cost build-up", "B Formulas with their numbers"]


def test_a_character_without_a_glyph_is_marked_and_reported():
    warnings = rendered("rare_characters", "en")[1]
    assert len(warnings) == 1 and "U+9F98" in warnings[0] and "U+1F680" in warnings[0]
    assert "王喆朱镕基〓" in page_texts("rare_characters", "en")[0].replace(" ", "")


def test_a_case_that_fits_gives_nothing_up():
    first, second = page_texts("training", "en")[:2]
    assert "5 nodes" in first and "9 nodes" in first and "Nodes working, 8 to 7" in second


def test_a_crowded_case_keeps_what_decides():
    first, second = page_texts("many_gpus", "en")[:2]
    assert "8 nodes" in first and "4 nodes" in first
    for kept in ("Existing equipment", "Do nothing", "Recommended"):
        assert kept in second


def test_page_one_prints_groups_and_the_appendix_every_line():
    pages = page_texts("many_gpus", "en")
    assert "lines in the whole list: 30" in pages[0] and "Management switch" not in pages[0]
    assert "30 Support" in " ".join(pages[2:])
