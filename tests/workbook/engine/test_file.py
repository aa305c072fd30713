"""The file: its parts, its bytes, what may not stand in it, and how it reaches the disk."""

import datetime
import io
import os
import re
import warnings
from zipfile import ZipFile

import openpyxl
import pytest
from lxml import etree

from reportgen.errors import OutputError
from reportgen.formula import FormulaError, Symbol, join, where
from reportgen.workbook.cells import Book, Properties
from reportgen.workbook.write import workbook_bytes, write_workbook
from tests.workbook.engine.demo_book import Demo
from tests.workbook.engine.recalculate import iron_calc, stored_values

NASTY = [
    "=cmd|' /C calc'!A0", '=HYPERLINK("http://evil")', "=1", "=", "+1", "-1", "@SUM(A1)", "\t=1", "#N/A", "#DIV/0!",
    "TRUE", "007", "<v>&amp;</v>", "]]>", "a\nb", " padded ", "_x0041_", "中文 “×”", "1E5",
]  # fmt: skip


def parts(content: bytes) -> dict[str, bytes]:
    with ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


@pytest.fixture(scope="module")
def demo_parts() -> dict[str, bytes]:
    return parts(workbook_bytes(Demo().book))


def test_the_same_plan_gives_the_same_bytes():
    assert workbook_bytes(Demo().book) == workbook_bytes(Demo().book)
    demo = Demo()
    assert workbook_bytes(demo.book) == workbook_bytes(demo.book), "writing twice"


def test_every_part_is_well_formed_and_names_no_machine(demo_parts):
    for name, part in demo_parts.items():
        etree.fromstring(part)
        assert not re.search(rb"/(tmp|root|home|work|Users)/", part), name


def test_charts_show_both_axes_and_carry_their_values(demo_parts):
    charts = [part.decode() for name, part in demo_parts.items() if name.startswith("xl/charts/")]
    assert len(charts) == 4
    for chart in charts:
        assert chart.count('<delete val="0"/>') == 2
        assert not re.search(r"<numFmt(?![^>]*sourceLinked)[^>]*>", chart)
        series = chart.count("<ser>")
        assert chart.count("<numCache>") == series and chart.count("<strCache>") == 2 * series
        assert '<roundedCorners val="0"/>' in chart and '<overlay val="1"/>' not in chart
    lines = next(chart for chart in charts if "<lineChart>" in chart)
    assert lines.count('<smooth val="0"/>') == lines.count("<ser>")


def test_every_formula_has_a_value_and_no_function_is_young(demo_parts):
    sheets = [part.decode() for name, part in demo_parts.items() if name.startswith("xl/worksheets/sheet")]
    for sheet in sheets:
        assert len(re.findall("<f>", sheet)) == len(re.findall("</f><v>[^<]+</v>", sheet))
        assert not re.search(r"XLOOKUP|LET\(|IFS\(|OFFSET|INDIRECT|NOW\(|TODAY\(|RAND|_xlfn", sheet)
        assert "mergeCell" not in sheet


def test_headers_are_the_names_of_table_columns(demo_parts):
    workbook = openpyxl.load_workbook(io.BytesIO(workbook_bytes(Demo().book)))
    tables = [(sheet, table) for sheet in workbook for table in sheet.tables.values()]
    assert len(tables) == 5
    for sheet, table in tables:
        header = [cell.value for cell in sheet[table.ref][0]]
        assert header == [column.name for column in table.tableColumns]


def test_openpyxl_reads_it_without_a_warning():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        workbook = openpyxl.load_workbook(io.BytesIO(workbook_bytes(Demo().book)))
    assert workbook.sheetnames == ["Read me", "Inputs", "Calc", "Layout calculation", "Catalog"]
    assert workbook["Inputs"]["F6"].style == "input_text" and not workbook["Inputs"]["F6"].protection.locked
    assert workbook["Calc"]["F12"].style == "formula_answer" and workbook["Calc"]["F12"].protection.locked
    assert workbook["Calc"]["F12"].number_format == "0.0"
    assert [validation.formula1 for validation in workbook["Inputs"].data_validations.dataValidation] == [
        "accelerators_name",
        "0.05",
    ]
    assert workbook["Calc"].freeze_panes == "C6"
    assert workbook["Read me"]["F9"].hyperlink.location == "Calc!F11"
    assert workbook["Read me"]["A13"].hyperlink.target == "https://example.org/?a=1&b=2"
    assert workbook.custom_doc_props["Scenario id"].value == "demo-1"
    assert workbook.properties.created == workbook.properties.modified == datetime.datetime(2026, 11, 30)
    assert workbook.defined_names["run_days"].attr_text == "Calc!$F$12"


@pytest.mark.parametrize("text", NASTY)
def test_text_stays_text(text):
    book = Book()
    sheet = book.add_sheet("a", "A")
    shown = sheet.put(1, "A", text)
    sheet.put(2, "A", join(text, "!"), "formula_text")
    sheet.put(3, "A", where(True, shown, ""), "formula_text")
    content = workbook_bytes(book)
    for reader in (stored_values(content), iron_calc(content)):
        assert reader(("A", 1, 1)) in (text, text.replace("_x0041_", "_x005F_x0041_"))
        assert reader(("A", 2, 1)) in (text + "!", text.replace("_x0041_", "_x005F_x0041_") + "!")
    cell = openpyxl.load_workbook(io.BytesIO(content))["A"]["A1"]
    assert cell.data_type in ("s", "inlineStr")
    assert cell.quotePrefix == text.startswith(("=", "+", "-", "@", "\t"))


def test_an_empty_text_is_a_value():
    book = Book()
    sheet = book.add_sheet("a", "A")
    sheet.put(1, "A", 1)
    sheet.put(2, "A", where(sheet.ref(1, "A"), "", "x"), "formula_text")
    assert '<f>IF(A1,"","x")</f><v></v>' in parts(workbook_bytes(book))["xl/worksheets/sheet1.xml"].decode()


@pytest.mark.parametrize("value", [0.1 + 0.2, 1e300, -2.5e-12, 3.0, -7, 2**60, 1e15, 123456789.123456789])
def test_numbers_keep_every_digit(value):
    book = Book()
    sheet = book.add_sheet("a", "A")
    sheet.put(2, "A", sheet.put(1, "A", value, "fact") * 1, "formula")
    content = workbook_bytes(book)
    for row in (1, 2):
        assert stored_values(content)(("A", row, 1)) == value


def test_links_lead_into_the_book_or_to_the_web():
    book = Book()
    book.add_sheet("a", "A").put(1, "A", "x", "jump", link="javascript:alert(1)")
    with pytest.raises(FormulaError, match="web address"):
        workbook_bytes(book)


def test_unknown_styles_are_named():
    book = Book()
    book.add_sheet("a", "A").put(1, "A", "x", "pretty")
    with pytest.raises(FormulaError, match="pretty"):
        workbook_bytes(book)


def test_a_footer_shows_an_ampersand_as_one():
    book = Book(properties=Properties(footer_left="R&D", scenario_id="x&y"))
    book.add_sheet("a", "A").put(1, "A", 1)
    assert "R&amp;&amp;D" in parts(workbook_bytes(book))["xl/worksheets/sheet1.xml"].decode()


def test_a_header_is_text_and_unique():
    sheet = Book().add_sheet("a", "A")
    for headers in (["x", "X"], ["x", ""]):
        with pytest.raises(FormulaError):
            sheet.table("T_able", 1, "A", headers, 3)
    with pytest.raises(FormulaError):
        sheet.table("TP1", 1, "A", ["x"], 3)


def test_a_file_is_written_whole(tmp_path):
    path = write_workbook(Demo().book, tmp_path / "made" / "book.xlsx")
    assert path.read_bytes() == workbook_bytes(Demo().book)
    assert os.listdir(path.parent) == ["book.xlsx"]


def test_a_place_that_cannot_be_written_is_an_output_error(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(OutputError, match="cannot be written"):
        write_workbook(Demo().book, tmp_path / "file" / "book.xlsx")
    (tmp_path / "folder.xlsx").mkdir()
    with pytest.raises(OutputError):
        write_workbook(Demo().book, tmp_path / "folder.xlsx")
    assert sorted(os.listdir(tmp_path)) == ["file", "folder.xlsx"]


def test_a_broken_plan_leaves_the_old_file(tmp_path):
    path = tmp_path / "book.xlsx"
    path.write_bytes(b"old")
    book = Book()
    book.add_sheet("a", "A").put(1, "A", Symbol("nowhere") + 1)
    with pytest.raises(FormulaError):
        write_workbook(book, path)
    assert path.read_bytes() == b"old"
