"""Sources: where every value and formula of the book comes from, one row each."""

from __future__ import annotations

from collections import Counter

from reportgen.evaluation.result import Source
from reportgen.workbook.attachments import SAFE_LINKS
from reportgen.workbook.model import Model
from reportgen.workbook.sheets.places import breakable
from reportgen.workbook.sheets.readers import headers

WIDTHS = (20, 44, 28, 50, 12, 12, 44)
COLUMNS = ("key", "title", "publisher", "address", "read_on", "used", "supports")
FIRST = 6
ADDRESS = 44  # characters of an address in a line


def write(model: Model) -> None:
    """The table of sources, by key."""
    sheet = model.frame("sources", WIDTHS, names=1)
    sources = model.result.sources
    sheet.table("Sources", FIRST - 1, "A", headers(model, "sources_column", COLUMNS), FIRST + max(1, len(sources)) - 1)
    used = Counter(item.source for item in (*model.result.inputs, *model.result.quantities.values()))
    used.update(key for name, column in model.result.tables.items() if "source" in name for key in column.values)
    for row, source in enumerate(sources, start=FIRST):
        _write_row(model, row, source, used[source.key])
    if not sources:
        sheet.put_row(FIRST, "A", ["–"] * len(COLUMNS), "note")


def _write_row(model: Model, row: int, source: Source, used: int) -> None:
    sheet = model.book["sources"]
    sheet.put(row, "A", source.key, "text_bold")
    sheet.put(row, "B", model.words.source_title(source.key, source.title), "text")
    sheet.put(row, "C", source.publisher or "–", "text")
    link = source.address if source.address.startswith(SAFE_LINKS) else None
    sheet.put(row, "D", breakable(source.address, ADDRESS) or "–", "note" if link is None else "jump", link=link)
    sheet.put(row, "E", source.read_on or "–", "number")
    sheet.put(row, "F", used, "fact", "#,##0")
    sheet.put(row, "G", source.supports or "–", "note")
