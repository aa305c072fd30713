"""The printed page, the frozen frame, protection without a password, and what the document says about itself."""

from __future__ import annotations

import datetime

from openpyxl import Workbook
from openpyxl.packaging.custom import StringProperty
from openpyxl.worksheet.pagebreak import Break
from openpyxl.worksheet.worksheet import Worksheet

from reportgen.workbook.cells import Book, Properties, Sheet
from reportgen.workbook.page_breaks import breaks_between
from reportgen.workbook.palette import font
from reportgen.workbook.references import address, column_letter

A4 = 9
FOOTER_SIZE = 8
LANGUAGE_TAGS = {"en": "en", "zh": "zh-CN"}


def set_page(worksheet: Worksheet, sheet: Sheet, book: Book) -> None:
    """Everything of a sheet that is not a cell, a table or a chart."""
    _set_view(worksheet, sheet)
    _set_paper(worksheet, sheet)
    _set_scale(worksheet, sheet)
    _set_running_lines(worksheet, sheet, book)
    _protect(worksheet, sheet)


def _set_view(worksheet: Worksheet, sheet: Sheet) -> None:
    worksheet.sheet_view.showGridLines = False
    worksheet.sheet_view.zoomScale = sheet.zoom
    if sheet.tab:
        worksheet.sheet_properties.tabColor = sheet.tab
    if sheet.freeze:
        worksheet.freeze_panes = address(*sheet.freeze)
    for column, width in sheet.widths.items():
        worksheet.column_dimensions[column_letter(column)].width = width


def _set_paper(worksheet: Worksheet, sheet: Sheet) -> None:
    page = sheet.page
    worksheet.page_setup.paperSize = A4
    worksheet.page_setup.orientation = "portrait" if page.portrait else "landscape"
    margins = worksheet.page_margins
    margins.left = margins.right = 0.35
    margins.top, margins.bottom = (0.6 if page.header_left else 0.45), 0.55
    margins.header = margins.footer = 0.25
    worksheet.print_options.horizontalCentered = page.centred or None
    last_row, last_column = sheet.size
    last_column = page.last_column or last_column
    worksheet.print_area = (
        f"A{page.first_row}:{column_letter(last_column)}{page.last_row or max(last_row, _last_row_of_charts(sheet))}"
    )
    if page.title_rows:
        worksheet.print_title_rows = "{}:{}".format(*page.title_rows)
    if page.title_columns:
        worksheet.print_title_cols = ":".join(map(column_letter, page.title_columns))


def _last_row_of_charts(sheet: Sheet) -> int:
    """The row under the lowest chart, so that a chart below the last cell is printed."""
    last = 1
    for chart in sheet.charts:
        left, row = chart.height * 72 / 2.54, chart.row
        while left > 0:
            left -= sheet.heights.get(row, 15.0)
            row += 1
        last = max(last, row)
    return last


def _set_scale(worksheet: Worksheet, sheet: Sheet) -> None:
    page = sheet.page
    for row in (*page.row_breaks, *breaks_between(sheet)):
        worksheet.row_breaks.append(Break(id=row))
    for column in page.column_breaks:
        worksheet.col_breaks.append(Break(id=column))
    if page.scale:
        worksheet.page_setup.scale = page.scale
        return
    worksheet.sheet_properties.pageSetUpPr.fitToPage = True
    worksheet.page_setup.fitToWidth, worksheet.page_setup.fitToHeight = page.pages_wide, 0


def _literal(text: str) -> str:
    """Text of a footer: an ampersand would start a code."""
    return text.replace("&", "&&")


def _set_running_lines(worksheet: Worksheet, sheet: Sheet, book: Book) -> None:
    properties = book.properties
    footer, header = worksheet.oddFooter, worksheet.oddHeader
    footer.left.text = _literal(sheet.page.footer_left or properties.footer_left)
    footer.center.text = properties.footer_page
    footer.right.text = f"&A · {_literal(properties.scenario_id)}" if properties.scenario_id else "&A"
    header.left.text = _literal(sheet.page.header_left) or None
    header.right.text = _literal(sheet.page.header_right) or None
    for part in (footer.left, footer.center, footer.right, header.left, header.right):
        part.size = FOOTER_SIZE
        part.font = f"{font(book.language)},Regular"


def _protect(worksheet: Worksheet, sheet: Sheet) -> None:
    protection = worksheet.protection
    protection.sheet = sheet.protected
    protection.formatColumns = protection.formatRows = protection.autoFilter = protection.sort = False


def set_properties(workbook: Workbook, properties: Properties, language: str) -> None:
    """Document properties; the times are the date of the report, so that the same report gives the same file."""
    about = workbook.properties
    about.title, about.subject, about.description = properties.title, properties.subject, properties.description
    about.keywords, about.version, about.creator = properties.keywords, properties.version or None, "reportgen"
    about.language = LANGUAGE_TAGS.get(language, language)
    about.created = about.modified = datetime.datetime.combine(properties.date, datetime.time())
    custom = dict(properties.custom)
    if properties.scenario_id:
        custom["Scenario id"] = properties.scenario_id
    for name, value in custom.items():
        workbook.custom_doc_props.append(StringProperty(name=name, value=value))
