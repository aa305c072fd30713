"""Names at the left of bars: whole, on as many lines as they need; a row with more lines is taller."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.memo.faces import wrapped

MOST_LINES = 4
LEADING = 1.1  # of the type size, from one line to the next
RISE = 0.35  # of the type size: the baseline below the middle of a line


def label_lines(label: str, width: float, size: float, bold: bool = False) -> tuple[str, ...]:
    """The lines of a name in a column of that width."""
    return wrapped(label, width, size, MOST_LINES, bold)


def placed_rows(
    names: Sequence[tuple[str, ...]], top: float, bar: float, gap: float, size: float
) -> tuple[list, float]:
    """A row a name: `y` of its bar and the baseline of every line, centred on the bar; and where the last bar's row ends."""
    rows, y = [], top
    for lines in names:
        more = max(0.0, len(lines) * size * LEADING - bar - gap / 2)
        middle = y + (bar + more) / 2
        first = middle + size * RISE - (len(lines) - 1) * size * LEADING / 2
        texts = [{"text": line, "y": first + index * size * LEADING} for index, line in enumerate(lines)]
        rows.append({"y": middle - bar / 2, "lines": texts})
        y += bar + more + gap
    return rows, y - gap
