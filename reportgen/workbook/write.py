"""A planned workbook as a file: live formulas, a value beside each, and the same bytes for the same plan."""

from __future__ import annotations

import io
import os
import tempfile
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from openpyxl import Workbook
from openpyxl.drawing.spreadsheet_drawing import SpreadsheetDrawing
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet._writer import WorksheetWriter
from openpyxl.worksheet.dimensions import SheetDimension
from openpyxl.worksheet.hyperlink import Hyperlink
from openpyxl.worksheet.worksheet import Worksheet
from openpyxl.writer.excel import ExcelWriter
from openpyxl.xml.functions import tostring

from reportgen.errors import OutputError
from reportgen.workbook.attachments import attach, link_parts
from reportgen.workbook.calculate import settle
from reportgen.workbook.cell_xml import sheet_data
from reportgen.workbook.cells import Book, Sheet
from reportgen.workbook.charts import source_linked
from reportgen.workbook.header_alignment import align_headers
from reportgen.workbook.page_setup import set_page, set_properties
from reportgen.workbook.references import absolute_text, column_letter
from reportgen.workbook.row_heights import set_row_heights
from reportgen.workbook.styles import StyleSheet

EPOCH = (1980, 1, 1, 0, 0, 0)  # of every part of the zip: the earliest that it can hold
EMPTY_DATA = b"<sheetData></sheetData>"


class FixedZip(ZipFile):
    """A zip whose bytes depend on its parts only: fixed times, one system, one mode."""

    def writestr(self, name, data, **_):
        """Add a part."""
        info = ZipInfo(name, EPOCH)
        info.compress_type, info.external_attr, info.create_system = ZIP_DEFLATED, 0o644 << 16, 3
        super().writestr(info, data)


class SheetWriter(WorksheetWriter):
    """Writes a worksheet with the cells of a planned sheet, which carry formulas and values."""

    def __init__(self, worksheet: Worksheet, sheet: Sheet, styles: StyleSheet, links: list[Hyperlink]):
        super().__init__(worksheet, io.BytesIO())
        self.sheet, self.styles = sheet, styles
        worksheet._hyperlinks = links

    def write_dimensions(self):
        """The filled rectangle."""
        row, column = self.sheet.size
        self.xf.send(SheetDimension(f"A1:{column_letter(column)}{row}").to_tree())

    def rows(self):
        """No rows here: the planned cells take their place in `part`."""
        return []

    def part(self) -> bytes:
        """The whole part."""
        self.write()
        head, tail = self.out.getvalue().split(EMPTY_DATA, 1)
        return head + sheet_data(self.sheet, self.styles.id).encode() + tail


class BookWriter(ExcelWriter):
    """Writes the parts of a workbook whose cells are planned sheets."""

    def __init__(self, workbook: Workbook, archive: ZipFile, book: Book, styles: StyleSheet):
        super().__init__(workbook, archive)
        self.book, self.styles = book, styles
        self.sheets = {sheet.title: sheet for sheet in book.sheets.values()}

    def write_worksheet(self, ws):
        """One sheet with its drawing."""
        ws._drawing = SpreadsheetDrawing()
        ws._drawing.charts, ws._drawing.images = ws._charts, ws._images
        sheet = self.sheets[ws.title]
        writer = SheetWriter(ws, sheet, self.styles, link_parts(sheet, self.book))
        self._archive.writestr(ws.path[1:], writer.part())
        ws._rels = writer._rels
        self.manifest.append(ws)

    def _write_charts(self):
        for chart in self._charts:
            tree = chart._write()
            source_linked(tree)
            self._archive.writestr(chart.path[1:], tostring(tree))
            self.manifest.append(chart)


def workbook_bytes(book: Book) -> bytes:
    """Settle the book and return the file."""
    settle(book)
    workbook = Workbook()
    workbook.remove(workbook.active)
    styles = StyleSheet(workbook, book.language)
    for sheet in book.sheets.values():
        align_headers(sheet)
        set_row_heights(book, sheet)
        worksheet = workbook.create_sheet(sheet.title)
        set_page(worksheet, sheet, book)
        attach(worksheet, sheet, book)
    set_properties(workbook, book.properties, book.language)
    add_names(workbook, book)
    buffer = io.BytesIO()
    BookWriter(workbook, FixedZip(buffer, "w", ZIP_DEFLATED), book, styles).save()
    return buffer.getvalue()


def add_names(workbook: Workbook, book: Book) -> None:
    """The defined names, absolute."""
    prefixes = book.prefixes
    for name, key in book.names.items():
        workbook.defined_names[name] = DefinedName(name, attr_text=absolute_text(key._replace(anchor=""), prefixes))


def write_workbook(book: Book, path: str | os.PathLike) -> Path:
    """Write the file, whole or not at all."""
    return write_file(Path(path), workbook_bytes(book))


def write_file(path: Path, content: bytes) -> Path:
    """Replace a file in one step; a folder that cannot be written is an OutputError."""
    scratch = None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=path.parent, prefix=f".{path.name}.", delete=False) as file:
            scratch = file.name
            file.write(content)
        os.chmod(scratch, 0o644)
        os.replace(scratch, path)
    except OSError as error:
        if scratch and os.path.exists(scratch):
            os.unlink(scratch)
        raise OutputError.of(
            "output-not-writable",
            f"{path} cannot be written: {error.strerror or error}",
            "choose another folder, or close the file",
        ) from error
    return path
