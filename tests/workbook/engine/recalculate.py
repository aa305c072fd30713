"""Spreadsheet engines of others as oracles: they load a written file, recalculate it and say what each cell holds."""

from __future__ import annotations

import io
import math
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile

import formualizer
import ironcalc
import openpyxl
import pandas
from lxml import etree

from reportgen.workbook.cells import DASH, Book
from reportgen.workbook.references import column_letter

Position = tuple[str, int, int]  # title of the sheet, row, column
Reader = Callable[[Position], object]

NOTHING_LEFT = 1e-9
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
RECALCULATE_ON_LOAD = """<?xml version="1.0"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry" xmlns:xs="http://www.w3.org/2001/XMLSchema">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load"><prop oor:name="OOXMLRecalcMode" oor:op="fuse">
<value>0</value></prop></item></oor:items>"""


def formula_cells(book: Book) -> list[Position]:
    """Where the book has formulas."""
    return [
        (sheet.title, row, column)
        for sheet in book.sheets.values()
        for (row, column), cell in sheet.cells.items()
        if cell.live
    ]


def settled_values(book: Book) -> Reader:
    """The book's own values."""
    sheets = {sheet.title: sheet.cells for sheet in book.sheets.values()}
    return lambda position: sheets[position[0]][position[1:]].value


def sheet_paths(content: bytes) -> dict[str, str]:
    """Title of each sheet -> its part; sheets are numbered in order."""
    with ZipFile(io.BytesIO(content)) as archive:
        tree = etree.fromstring(archive.read("xl/workbook.xml"))
    titles = [sheet.get("name") for sheet in tree.iter(f"{MAIN}sheet")]
    return {title: f"xl/worksheets/sheet{number}.xml" for number, title in enumerate(titles, start=1)}


def with_inputs(content: bytes, changes: Mapping[Position, float | str]) -> bytes:
    """The file with other constants in some cells and every stored value as it was."""
    paths = sheet_paths(content)
    with ZipFile(io.BytesIO(content)) as archive:
        parts = {name: archive.read(name) for name in archive.namelist()}
    for title in {position[0] for position in changes}:
        tree = etree.fromstring(parts[paths[title]])
        cells = {cell.get("r"): cell for cell in tree.iter(f"{MAIN}c")}
        for (sheet, row, column), value in changes.items():
            if sheet == title:
                _set_constant(cells[f"{column_letter(column)}{row}"], value)
        parts[paths[title]] = etree.tostring(tree)
    buffer = io.BytesIO()
    with ZipFile(buffer, "w", ZIP_DEFLATED) as archive:
        for name, part in parts.items():
            archive.writestr(name, part)
    return buffer.getvalue()


def _set_constant(cell: etree._Element, value: float | str) -> None:
    assert cell.find(f"{MAIN}f") is None, "an input is a constant"
    for child in list(cell):
        cell.remove(child)
    if isinstance(value, str):
        cell.set("t", "inlineStr")
        etree.SubElement(etree.SubElement(cell, f"{MAIN}is"), f"{MAIN}t").text = value
    else:
        cell.attrib.pop("t", None)
        etree.SubElement(cell, f"{MAIN}v").text = repr(float(value))


def iron_calc(content: bytes) -> Reader:
    """IronCalc's values of a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "book.xlsx"
        path.write_bytes(content)
        model = ironcalc.load_from_xlsx(str(path), "en", "UTC", "en")
    model.evaluate()
    numbers = {title: number for number, title in enumerate(sheet_paths(content))}
    return lambda position: model.get_cell_value(numbers[position[0]], position[1], position[2])


def formualizer_values(content: bytes) -> Reader:
    """formualizer's values of a file."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "book.xlsx"
        path.write_bytes(content)
        workbook = formualizer.load_workbook(str(path))
    workbook.evaluate_all()
    return lambda position: workbook.evaluate_cell(*position)


def is_office_left_out() -> bool:
    """Whether tests do without LibreOffice: it is not installed, and no build server (which sets CI) promises it."""
    return shutil.which("soffice") is None and not os.environ.get("CI")


def libre_office(files: Mapping[str, bytes]) -> dict[str, Reader]:
    """LibreOffice's values of many files in one call, recalculated whatever values they carry."""
    with tempfile.TemporaryDirectory() as folder:
        home, made = Path(folder), Path(folder) / "made"
        (home / "profile/user").mkdir(parents=True)
        (home / "profile/user/registrymodifications.xcu").write_text(RECALCULATE_ON_LOAD)
        for name, content in files.items():
            (home / f"{name}.xlsx").write_bytes(content)
        command = ["soffice", f"-env:UserInstallation=file://{home}/profile", "--headless", "--norestore"]
        command += ["--convert-to", "xlsx", "--outdir", str(made), *(str(home / f"{name}.xlsx") for name in files)]
        subprocess.run(command, check=True, capture_output=True, timeout=300)
        return {name: stored_values((made / f"{name}.xlsx").read_bytes()) for name in files}


def stored_values(content: bytes) -> Reader:
    """The values that stand in the file, as a reader sees them that does not calculate."""
    workbook = openpyxl.load_workbook(io.BytesIO(content), data_only=True)
    return lambda position: workbook[position[0]].cell(position[1], position[2]).value


def blank_in_pandas(content: bytes, positions: list[Position]) -> list[Position]:
    """The cells that pandas with calamine reads as blank."""
    frames = pandas.read_excel(
        io.BytesIO(content), sheet_name=None, header=None, engine="calamine", keep_default_na=False
    )
    return [item for item in positions if frames[item[0]].iat[item[1] - 1, item[2] - 1] is None]


def same(left: object, right: object, tolerance: float = 1e-12) -> bool:
    """Equality of two cells: texts exactly, numbers relatively; missing is the dash, an empty text is a blank."""
    left, right = _comparable(left), _comparable(right)
    if isinstance(left, str) or isinstance(right, str):
        return left == right
    if left == 0 or right == 0:  # amounts of millions that cancel, added up in another order
        return abs(left - right) < NOTHING_LEFT
    return math.isclose(left, right, rel_tol=tolerance, abs_tol=tolerance)


def _comparable(value: object) -> float | str:
    if value is None:
        return ""
    if not isinstance(value, (int, float)):
        return str(value)  # also the error objects of an engine
    return DASH if value != value else float(value)


def differences(positions: list[Position], left: Reader, right: Reader, tolerance: float = 1e-12) -> list[tuple]:
    """The cells in which two readers disagree, with both values."""
    found = []
    for position in positions:
        one, other = left(position), right(position)
        if not same(one, other, tolerance):
            found.append((position, one, other))
    return found
