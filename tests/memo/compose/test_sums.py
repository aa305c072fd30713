"""Printed parts add up to the printed total, or a line says what rounding took."""

import pytest

from reportgen.memo.table_schema import Cell
from tests.memo.compose.results import LANGUAGES, SCENARIOS, VARIANTS, case_of, figure, memo_of

ALL = [(name, language) for name in (*SCENARIOS, *VARIANTS) for language in LANGUAGES]
PRICED = [(name, language) for name, language in ALL if name != "no_rent"]


def close(parts, total, places):
    return abs(sum(parts) - total) < 0.5 * 10.0**-places


def decimals(text: str) -> int:
    return len(text.strip().rpartition(".")[2]) if "." in text else 0


def checked(amounts: list[str], sums, rounding: str):
    """Parts give the subtotal, and what lies between gives the total."""
    places = max(map(decimals, (line.amount for line in sums)), default=0)
    names = [line.name for line in sums]
    subtotal = next(index for index, name in enumerate(names) if name not in (rounding,))
    before = [figure(line.amount) for line in sums[:subtotal]]
    assert close([*map(figure, amounts), *before], figure(sums[subtotal].amount), places)
    assert close([figure(line.amount) for line in sums[subtotal:-1]], figure(sums[-1].amount), places)


@pytest.mark.parametrize(("name", "language"), PRICED)
def test_needs_add_up(name, language):
    needs = memo_of(name, language).needs
    rounding = case_of(name, language).voice.say("rounding")
    amounts = [group.text for group in needs.groups if group.amount is not None]
    checked(amounts, needs.sums, rounding)


@pytest.mark.parametrize(("name", "language"), PRICED)
def test_the_list_adds_up(name, language):
    hardware = memo_of(name, language).appendices.list
    assert len(hardware.lines) <= 12
    checked(
        [line.amount for line in hardware.lines if line.amount != "–"],
        hardware.sums,
        case_of(name, language).voice.say("rounding"),
    )


@pytest.mark.parametrize(("name", "language"), ALL)
def test_costs_add_up(name, language):
    table = memo_of(name, language).cost.table
    if table is None:
        return
    for column in range(1, len(table.columns)):
        cells = [row.cells[column] for row in table.rows]
        shown = [cell.text if isinstance(cell, Cell) else cell for cell in cells]
        numbers = [text for text in shown if any(letter.isdigit() for letter in text)]
        if shown[-1] in numbers:
            assert close([figure(text) for text in numbers[:-1]], figure(numbers[-1]), decimals(numbers[-1]))


@pytest.mark.parametrize(("name", "language"), ALL)
def test_memory_and_latency_add_up(name, language):
    memo = memo_of(name, language)
    charts = [item.chart for item in (*memo.size.figures, *memo.confidence.more) if item.chart is not None]
    for chart in charts:
        if chart.kind == "memory":
            for row in chart.rows:
                assert close([figure(part.text) for part in row.segments], figure(row.total), 1), row.label
        if chart.kind == "latency":
            for row in chart.rows:
                parts = [figure(part.text or part.name.rpartition(" ")[2]) for part in row.parts]
                assert close(parts, figure(row.total_text), decimals(row.total_text.split()[0].rstrip("秒毫")))
