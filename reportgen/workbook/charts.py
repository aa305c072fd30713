"""Planned charts as chart parts: bars, lines and points only, thin grid, the value on the mark, caches filled from the book."""

from __future__ import annotations

from typing import Any

from openpyxl.chart import BarChart, LineChart, ScatterChart
from openpyxl.chart.data_source import AxDataSource, NumData, NumDataSource, NumRef, NumVal, StrData, StrRef, StrVal
from openpyxl.chart.label import DataLabelList
from openpyxl.chart.legend import Legend
from openpyxl.chart.marker import Marker
from openpyxl.chart.series import Series as ChartSeries
from openpyxl.chart.series import SeriesLabel
from openpyxl.chart.shapes import GraphicalProperties
from openpyxl.chart.text import RichText, Text
from openpyxl.chart.title import Title
from openpyxl.drawing.line import LineProperties
from openpyxl.drawing.text import CharacterProperties, Paragraph, ParagraphProperties, RegularTextRun
from openpyxl.drawing.text import Font as TextFont

from reportgen.workbook.cell_xml import number_text
from reportgen.workbook.cells import DASH, Book
from reportgen.workbook.palette import font, palette
from reportgen.workbook.parts import Chart, Series
from reportgen.workbook.references import CellRef, absolute_text, address, key_of

THIN, LINE, STRONG_LINE = 6350, 15875, 25400  # line widths in EMU
LABEL, HEADING = 900, 1100  # text sizes in hundredths of a point


class ChartMaker:
    """Makes the chart parts of one book."""

    def __init__(self, book: Book):
        self.book = book
        self.prefixes = book.prefixes
        self.colours = palette()
        self.font = font(book.language)

    def make(self, plan: Chart) -> BarChart | LineChart | ScatterChart:
        """The openpyxl chart of a plan, with both axes shown and every cache filled."""
        chart = {"lines": self._lines, "points": self._points}.get(plan.kind, self._bars)(plan)
        self._dress(chart, plan)
        chart.width, chart.height = plan.width, plan.height
        chart.anchor = address(plan.row, plan.column)
        return chart

    def _bars(self, plan: Chart) -> BarChart:
        chart = BarChart()
        chart.type, chart.gapWidth, chart.overlap = "bar", 45, 100
        stacked = plan.kind == "stacked bars"
        if stacked:
            chart.grouping = "stacked"
        for index, series in enumerate(plan.series):
            made = self._series(plan, series, index)
            made.invertIfNegative = False
            edge = self.colours.shadow if series.outlined else "FFFFFF"
            made.graphicalProperties = _shape(series.colour, edge, THIN)
            if series.label_ink and plan.label_format:
                made.dLbls = self._labels(plan.label_format, None if stacked else "outEnd", series.label_ink)
            chart.series.append(made)
        chart.x_axis.scaling.orientation = "maxMin"  # the first category on top
        chart.y_axis.crosses = "max"  # or the value axis would follow it to the top
        return chart

    def _lines(self, plan: Chart) -> LineChart:
        chart = LineChart()
        for index, series in enumerate(plan.series):
            made = self._series(plan, series, index)
            made.smooth = False
            width = STRONG_LINE if series.marker else LINE
            stroke = LineProperties(solidFill=series.colour, prstDash=series.dash, w=width)
            made.graphicalProperties = GraphicalProperties(ln=stroke)
            shape = _shape(series.colour, "FFFFFF", THIN)
            made.marker = Marker(symbol=series.marker or "none", size=7, spPr=shape)
            chart.series.append(made)
        return chart

    def _points(self, plan: Chart) -> ScatterChart:
        chart = ScatterChart()
        chart.style, chart.scatterStyle = None, "lineMarker"
        for index, series in enumerate(plan.series):
            made = ChartSeries(idx=index, order=index, tx=self._name(series))
            made.xVal, made.yVal = AxDataSource(numRef=self._numbers(series.along)), NumDataSource(numRef=self._numbers(series.values))
            made.graphicalProperties = GraphicalProperties(ln=LineProperties(noFill=True))
            made.marker = Marker(symbol=series.marker, size=11 if series.outlined else 6, spPr=_shape(series.colour, "FFFFFF", THIN))
            chart.series.append(made)
        chart.x_axis.number_format, chart.x_axis.majorGridlines = plan.value_format, None
        chart.x_axis.scaling.min = plan.minimum
        return chart

    def _name(self, series: Series) -> SeriesLabel:
        name = key_of(series.name)
        return SeriesLabel(strRef=StrRef(f=self._text(name), strCache=_text_cache([self._value(name)])))

    def _numbers(self, values: Any) -> NumRef:
        key = key_of(values)
        return NumRef(f=self._text(key), numCache=_number_cache(self._values(key)))

    def _series(self, plan: Chart, series: Series, index: int) -> ChartSeries:
        made = ChartSeries(idx=index, order=index)
        made.tx = self._name(series)
        categories = key_of(plan.categories)
        made.cat = AxDataSource(strRef=StrRef(f=self._text(categories), strCache=_text_cache(self._values(categories))))
        made.val = NumDataSource(numRef=self._numbers(series.values))
        return made

    def _text(self, key: Any) -> str:
        return absolute_text(key._replace(anchor=""), self.prefixes)

    def _value(self, key: CellRef) -> Any:
        return self.book.value(key)

    def _values(self, key: Any) -> list:
        return [self._value(CellRef(key.sheet, row, column)) for row, column in key.positions()]

    def _dress(self, chart: BarChart | LineChart, plan: Chart) -> None:
        chart.title = self._title(plan.title, self._characters(HEADING, True, self.colours.accent))
        for axis, title in ((chart.y_axis, plan.value_title), (chart.x_axis, plan.category_title)):
            axis.delete = False  # without the element Excel hides the axis
            axis.title = self._title(title, self._characters(ink=self.colours.soft)) if title else None
            axis.txPr = self._rich(self._characters())
            axis.spPr = GraphicalProperties(ln=LineProperties(solidFill=self.colours.rule))
            axis.majorTickMark = "none"
        chart.x_axis.tickLblPos, chart.y_axis.tickLblPos = "low", "nextTo"
        chart.y_axis.number_format = plan.value_format
        chart.y_axis.scaling.min, chart.y_axis.scaling.max = plan.minimum, plan.maximum
        chart.y_axis.majorGridlines.spPr = GraphicalProperties(ln=LineProperties(solidFill=self.colours.grid, w=THIN))
        chart.graphical_properties = _shape("FFFFFF", self.colours.grid, THIN)
        chart.roundedCorners = False
        chart.legend = Legend() if plan.legend else None
        if plan.legend:
            chart.legend.position, chart.legend.overlay = "b", False
            chart.legend.txPr = self._rich(self._characters())

    def _labels(self, number_format: str, position: str | None, ink: str) -> DataLabelList:
        labels = DataLabelList(numFmt=number_format, dLblPos=position, txPr=self._rich(self._characters(ink=ink)))
        labels.showVal = True
        labels.showSerName = labels.showCatName = labels.showLegendKey = labels.showPercent = False
        return labels

    def _characters(self, size: int = LABEL, bold: bool = False, ink: str = "") -> CharacterProperties:
        typeface = TextFont(typeface=self.font)
        return CharacterProperties(sz=size, b=bold, solidFill=ink or self.colours.ink, latin=typeface, ea=typeface)

    def _rich(self, characters: CharacterProperties) -> RichText:
        paragraph = Paragraph(pPr=ParagraphProperties(defRPr=characters), endParaRPr=characters)
        return RichText(p=[paragraph])

    def _title(self, text: str, characters: CharacterProperties) -> Title:
        run = RegularTextRun(rPr=characters, t=text)
        paragraph = Paragraph(pPr=ParagraphProperties(defRPr=characters), r=[run])
        return Title(tx=Text(rich=RichText(p=[paragraph])), overlay=False)


def _shape(fill: str, edge: str, width: int) -> GraphicalProperties:
    return GraphicalProperties(solidFill=fill, ln=LineProperties(solidFill=edge, w=width))


def _number_cache(values: list) -> NumData:
    points = [NumVal(idx=index, v=number_text(value)) for index, value in enumerate(values) if _drawn(value)]
    return NumData(formatCode="General", ptCount=len(values), pt=points)


def _drawn(value: Any) -> bool:
    return isinstance(value, float) and value == value


def _text_cache(values: list) -> StrData:
    points = [StrVal(idx=index, v=_shown(value)) for index, value in enumerate(values)]
    return StrData(ptCount=len(values), pt=points)


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return number_text(value) if value == value else DASH
    return "" if value is None else str(value)


def source_linked(tree: Any) -> None:
    """Mark number formats of a chart as its own: without the mark a label takes the format of its cell."""
    for element in tree.iter():
        if element.tag.rpartition("}")[2] == "numFmt" and element.get("sourceLinked") is None:
            element.set("sourceLinked", "0")
