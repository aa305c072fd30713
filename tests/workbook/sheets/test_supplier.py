"""The file for suppliers: the needed lines of the Request sheet, nothing else of the request, and boxes that add up."""

from __future__ import annotations

import io
import zipfile

import openpyxl
import pytest

from reportgen.workbook.supplier import build_supplier_workbook
from tests.workbook.engine.recalculate import iron_calc, with_inputs
from tests.workbook.sheets.reader_books import shipped, shipped_result
from tests.workbook.sheets.test_request import BRANDS

CASES = (("finetune-70b", "en"), ("finetune-70b", "zh"), ("rent-finetune-8b", "en"))


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(case))
def offer(request):
    """The request as a book, and the bytes of the file for suppliers."""
    name, language = request.param
    model = shipped(name, language)
    return model, build_supplier_workbook(model.result)


def test_lines_are_those_of_the_request(offer):
    model, content = offer
    asked, table = model.book["request"], model.book["request"].tables[0]
    rows = [row for row in range(table.row + 1, table.last_row + 1) if asked.cells[row, 6].value > 0]
    sheet = openpyxl.load_workbook(io.BytesIO(content), data_only=True).worksheets[0]
    for at, row in enumerate(rows, start=6):
        found = [sheet.cell(at, column).value for column in range(1, 8)]
        assert found == [asked.cells[row, column].value for column in range(1, 8)]
    assert sheet.cell(6 + len(rows), 1).value is None


def test_nothing_of_the_request_is_told(offer):
    model, content = offer
    result = model.result
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        everything = "\n".join(archive.read(name).decode(errors="replace") for name in archive.namelist()).casefold()
    for secret in (result.facts.title, result.facts.purpose, result.facts.model_name, *BRANDS):
        assert not secret or secret.casefold() not in everything, secret
    prices = {round(line.unit_price, 2) for line in (*result.lines, *result.rental) if line.unit_price > 0}
    assert prices and not [price for price in prices if str(price) in everything]


def test_an_offer_adds_up_in_another_engine(offer):
    content = offer[1]
    book = openpyxl.load_workbook(io.BytesIO(content))
    sheet = book.worksheets[0]
    quantities = [sheet.cell(row, 6).value for row in (6, 7)]
    typed = {(sheet.title, 6, 8): 1000.0, (sheet.title, 7, 8): 10.0, (sheet.title, 6, 9): 0.13}
    read = iron_calc(with_inputs(content, typed))
    last = max(row for row in range(6, sheet.max_row + 1) if isinstance(sheet.cell(row, 1).value, (int, float)))
    first, second = 1000 * quantities[0], 10 * quantities[1]
    assert read((sheet.title, 6, 10)) == pytest.approx(first)
    assert read((sheet.title, last + 1, 10)) == pytest.approx(first + second)
    assert read((sheet.title, last + 2, 10)) == pytest.approx(1.13 * first + second)


def test_the_same_request_gives_the_same_bytes():
    result = shipped_result("qlora-8b-workstation")
    assert build_supplier_workbook(result) == build_supplier_workbook(result)
