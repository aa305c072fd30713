"""Tables, drop-downs, conditional formats, links and charts of a planned sheet, attached to its worksheet."""

from __future__ import annotations

from openpyxl.formatting.rule import Rule
from openpyxl.styles import Border, Font, PatternFill, Side
from openpyxl.styles.differential import DifferentialStyle
from openpyxl.worksheet.cell_range import CellRange as Area
from openpyxl.worksheet.cell_range import MultiCellRange
from openpyxl.worksheet.datavalidation import DataValidation
from openpyxl.worksheet.filters import AutoFilter
from openpyxl.worksheet.hyperlink import Hyperlink
from openpyxl.worksheet.table import Table as TablePart
from openpyxl.worksheet.table import TableColumn
from openpyxl.worksheet.worksheet import Worksheet

from reportgen.formula import Expression, FormulaError
from reportgen.workbook.calculate import formula_text
from reportgen.workbook.cells import Book, Sheet
from reportgen.workbook.charts import ChartMaker
from reportgen.workbook.limits import MAX_PROMPT, MAX_PROMPT_TITLE, escaped
from reportgen.workbook.parts import ConditionalFormat, Table, Validation
from reportgen.workbook.references import CellRef, absolute_text, address, key_of

SAFE_LINKS = ("https://", "http://", "mailto:")


def attach(worksheet: Worksheet, sheet: Sheet, book: Book) -> None:
    """Everything that lies on the cells of a sheet."""
    for table in sheet.tables:
        worksheet.add_table(table_part(table, sheet))
    for validation in sheet.validations:
        worksheet.add_data_validation(validation_part(validation, book))
    for planned in sheet.conditional_formats:
        area = f"{address(planned.row, planned.column)}:{address(planned.last_row, planned.last_column)}"
        worksheet.conditional_formatting.add(area, rule_part(planned, sheet, book))
    if sheet.charts:
        maker = ChartMaker(book)
        for chart in sheet.charts:
            worksheet.add_chart(maker.make(chart))


def table_part(table: Table, sheet: Sheet) -> TablePart:
    """A table whose column names are the texts of its header cells."""
    area = f"{address(table.row, table.column)}:{address(table.last_row, table.last_column)}"
    part = TablePart(displayName=table.name, ref=area)
    for number, column in enumerate(range(table.column, table.last_column + 1), start=1):
        header = sheet.cells[table.row, column].content
        part.tableColumns.append(TableColumn(id=number, name=escaped(header)))
    part.autoFilter = AutoFilter(ref=area) if table.filtered else None
    return part


def validation_part(validation: Validation, book: Book) -> DataValidation:
    """A drop-down or a number between two limits, with its message."""
    part = DataValidation(allow_blank=False, showErrorMessage=True, showInputMessage=bool(validation.prompt))
    if validation.source is not None:
        source = key_of(validation.source)
        part.type = "list"
        part.formula1 = source if isinstance(source, str) else absolute_text(source, book.prefixes)
    else:
        part.type, part.operator = ("whole" if validation.whole else "decimal"), "between"
        part.formula1, part.formula2 = repr(validation.low), repr(validation.high)
    part.promptTitle = part.errorTitle = validation.title[:MAX_PROMPT_TITLE] or None
    part.prompt = validation.prompt[:MAX_PROMPT] or None
    part.error = validation.error[:MAX_PROMPT] or None
    part.sqref = MultiCellRange(list(map(Area, _areas(validation.cells))))
    return part


def _areas(cells: tuple[tuple[int, int], ...]) -> list[str]:
    """The cells as areas, runs along a column joined."""
    runs: list[list[int]] = []
    for column, row in sorted((column, row) for row, column in cells):
        if runs and runs[-1][0] == column and runs[-1][2] == row - 1:
            runs[-1][2] = row
        else:
            runs.append([column, row, row])
    return [f"{address(first, column)}:{address(last, column)}" for column, first, last in runs]


def rule_part(planned: ConditionalFormat, sheet: Sheet, book: Book) -> Rule:
    """A conditional format; its condition is written for the first cell of the area."""
    condition = planned.condition
    if isinstance(condition, Expression):
        condition = formula_text(condition, book.prefixes, CellRef(sheet.key, planned.row, planned.column))[1:]
    look = DifferentialStyle(
        font=Font(color=planned.ink or None, bold=planned.bold or None) if planned.ink or planned.bold else None,
        fill=PatternFill(bgColor=planned.fill) if planned.fill else None,
        border=Border(top=Side(style="thin", color=planned.rule_above)) if planned.rule_above else None,
    )
    return Rule(type="expression", dxf=look, formula=[condition], stopIfTrue=planned.stop or None)


def link_parts(sheet: Sheet, book: Book) -> list[Hyperlink]:
    """Links of cells: to another cell of the book, or to an address on the web."""
    parts = []
    for (row, column), cell in sheet.cells.items():
        if cell.link is None:
            continue
        here, target = address(row, column), key_of(cell.link)
        if isinstance(target, CellRef):
            location = f"{book.prefixes[target.sheet]}{address(target.row, target.column)}"
            parts.append(Hyperlink(ref=here, location=location))
        elif isinstance(target, str) and target.startswith(SAFE_LINKS):
            parts.append(Hyperlink(ref=here, target=target))
        else:
            raise FormulaError(f"{sheet.key}!{here}: a link leads to a cell or to a web address, not to {target!r}")
    return parts
