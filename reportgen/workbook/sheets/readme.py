"""Read me: the request in one sentence, the numbers that answer it, the memory chart, contents, legend, limits."""

from __future__ import annotations

from typing import Any

from reportgen import __version__
from reportgen.formula import above, where
from reportgen.workbook.chart_designs import placed
from reportgen.workbook.frame import CHECK_ROW, TITLE_ROW, state_fills
from reportgen.workbook.model import ADVERSE, BASE, FAVOURABLE, SHEETS, Model
from reportgen.workbook.sheets.known_limits import known_limits
from reportgen.workbook.sheets.memory_table import memory_chart
from reportgen.workbook.sheets.places import in_lines
from reportgen.workbook.sheets.readers import headers, heading, states
from reportgen.workbook.sheets.request_sentences import Sentences

WIDTHS = (36, 16, 15, 15, 15, 26)
HEADLINE = (
    "gpus", "nodes_bought", "replicas", "training_days", "training_days_p90", "deadline_days", "batch_hours", "window_hours", "ttft_s",
    "tpot_s", "capacity_requests_per_second", "memory_per_gpu_gib", "memory_usable_gib", "it_power_kw",
    "purchase_cost", "rental_cost", "total_cost", "cost_per_run", "cost_per_million_tokens",
)  # fmt: skip
LOWER_BOUNDS = ("purchase_cost", "total_cost")
UNIT_COSTS = ("cost_per_run", "cost_per_million_tokens")
OF_BUYING, OF_RENTING = {"purchase_cost", "nodes_bought", "it_power_kw"}, {"rental_cost", "nodes"}
COLUMNS = ("headline", "base", "unit", "favourable", "adverse", "where")
CENTIMETRES_OF_ROW = 0.529
TITLE_WIDTH, LINE_WIDTH = 72, 112  # characters that a line holds at the sizes of title and text
CHART_WIDTH = {"en": 21.0, "zh": 23.0}
CHART_BASE, CHART_OF_ONE = 4.5, 2.1  # centimetres: frame and legend, one bar
MOST_HEADLINES = 11  # more would be a table with filter buttons
SAMPLE_FACT = 0.95
LEGEND = ("input", "fact", "formula", "link", "total", "check")


def write(model: Model) -> None:
    """One page that answers, one page that explains the book."""
    sheet = model.frame("readme", WIDTHS, names=1)
    sheet.freeze, sheet.zoom, sheet.page.portrait = (CHECK_ROW + 1, 1), 100, True
    sheet.page.title_rows = (TITLE_ROW, CHECK_ROW)
    lines = in_lines(model.result.facts.title, TITLE_WIDTH)
    sheet.put(TITLE_ROW, "A", lines[0] + ("…" if len(lines) > 1 else ""), "title")
    sheet.cells.pop((TITLE_ROW, len(WIDTHS)))
    row = _sentences(model) + 2
    row = _headline(model, row) + 2
    width, height = CHART_WIDTH[model.result.facts.language], CHART_BASE + CHART_OF_ONE * len(model.result.layouts)
    sheet.charts.append(placed(memory_chart(model, width, height), row, 1))
    row += round(height / CENTIMETRES_OF_ROW) + 2
    sheet.page.row_breaks.append(row)
    row = _contents(model, row + 1) + 2
    row = _legend(model, row) + 2
    row = _limits(model, row) + 2
    _about(model, row)


def _sentences(model: Model) -> int:
    """What to look at, the request, and one line each on time, size, price, reason, purpose."""
    sheet, row = model.book["readme"], CHECK_ROW
    facts = model.result.facts
    constants = [model.words.text("readme_purpose", purpose=facts.purpose)] if facts.purpose else []
    if len(in_lines(facts.title, TITLE_WIDTH)) > 1:
        constants.append(model.words.text("readme_title", title=facts.title))
    written = [("say", line) for content in constants for line in in_lines(content, LINE_WIDTH)]
    for style, content in [*Sentences(model).all(), *written]:
        row += 1
        sheet.put(row, "A", content, style)
    return row


def _headline(model: Model, row: int) -> int:
    """Ten numbers or so, each with its case values and the way to its formula."""
    sheet, words = model.book["readme"], model.words
    left_out = OF_BUYING if "rent" in model.features else OF_RENTING
    keys = [_known(model, key) for key in HEADLINE if model.has(key) and key not in left_out]
    if len(keys) > MOST_HEADLINES:
        keys.remove("memory_usable_gib")
    sheet.table("Headline", row, "A", headers(model, "readme_column", COLUMNS), row + len(keys))
    for key in keys:
        row += 1
        layout = model.format_of(key)
        sheet.put(row, "A", model.label(key), "text")
        sheet.put(row, "B", model.base(key, BASE), "link_strong", layout)
        sheet.put(row, "C", _unit_words(model, key), "unit")
        sheet.put(row, "D", model.base(key, FAVOURABLE), "link", layout)
        sheet.put(row, "E", model.base(key, ADVERSE), "link", layout)
        home = "calc" if key in model.calc.rows else "inputs"
        cell = model.base(key)
        text = words.text("readme_where", sheet=words.label(f"sheet_{home}"), row=cell.key.row)
        sheet.put(row, "F", text, "jump", link=cell)
    return row


def _known(model: Model, key: str) -> str:
    """The cost of the work as asked for; as rented while bought machines have no price and a rent is known."""
    rented = f"rental_{key}"
    if key not in UNIT_COSTS or model.result.has(key) or not model.result.has(rented):
        return key
    return rented


def _unit_words(model: Model, key: str) -> Any:
    """The unit; that the amount is a lower bound while lines of a purchase have no price."""
    unit = model.unit(_unit(model, key))
    if key not in LOWER_BOUNDS or "rent" in model.features:
        return unit
    return where(above(model.base("unpriced_lines"), 0), model.words.text("readme_lower_bound", unit=unit), unit)


def _unit(model: Model, key: str) -> str:
    quantity = model.result.quantities.get(key)
    return quantity.unit if quantity is not None else model.inputs_by_key[key].unit


def _contents(model: Model, row: int) -> int:
    """Every sheet, the question it answers, and for whom."""
    sheet, words = model.book["readme"], model.words
    heading(sheet, row, words.label("readme_contents"))
    row += 1
    sheet.put_row(row, "A", headers(model, "readme_contents", ("sheet", "question")), "head")
    sheet.put_row(row, "C", [None, None, None], "head")
    sheet.put(row, "F", words.label("readme_contents_reader"), "head")
    for key in SHEETS[1:]:
        row += 1
        sheet.put(row, "A", words.label(f"sheet_{key}"), "jump", link=model.book[key].ref(1, "A"))
        sheet.put(row, "B", words.label(f"readme_question_{key}"), "line")
        sheet.put_row(row, "C", [None, None, None], "line")
        sheet.put(row, "F", words.label(f"readme_reader_{key}"), "note")
    return row


def _legend(model: Model, row: int) -> int:
    """One living sample of each kind of cell."""
    sheet, words = model.book["readme"], model.words
    heading(sheet, row, words.label("readme_legend"))
    gpus, cost = model.base("gpus"), model.base("requested_amount")
    samples = {
        "input": (words.label("readme_sample"), ""),
        "fact": (SAMPLE_FACT, "0.0%"),
        "formula": (gpus * 1, "#,##0"),
        "link": (gpus, "#,##0"),
        "total": (cost, "#,##0"),
        "check": (words.label("state_ok"), ""),
    }
    for key in LEGEND:
        row += 1
        content, layout = samples[key]
        sheet.put(row, "A", words.label(f"readme_legend_{key}"), "line")
        sheet.put(row, "B", content, "input_text" if key == "input" else key, layout)
        sheet.put(row, "C", words.label(f"readme_meaning_{key}"), "line")
        sheet.put_row(row, "D", [None, None, None], "line")
    state_fills(sheet, (row, "B", row, "B"), states(model))
    return row


def _limits(model: Model, row: int) -> int:
    """At most eight things that the numbers do not cover."""
    sheet = model.book["readme"]
    heading(sheet, row, model.words.label("readme_limits"))
    for number, limit in enumerate(known_limits(model), start=1):
        for line in in_lines(f"{number}. {limit}", LINE_WIDTH):
            row += 1
            sheet.put(row, "A", line, "say")
    return row


def _about(model: Model, row: int) -> None:
    """Who, when, in which money, with what."""
    sheet, words, facts = model.book["readme"], model.words, model.result.facts
    heading(sheet, row, words.label("readme_book"))
    made = words.text("readme_made_with", version=model.result.tool or __version__, schema=model.result.version)
    rows: list[tuple[str, Any, str]] = [
        ("prepared_for", None, "input_text"),
        ("prepared_by", facts.requester or None, "input_text"),
        ("reference", facts.reference or None, "input_text"),
        ("date", facts.date, "line"),
        ("currency", words.text("readme_currency_and_tax", currency=model.unit("money")), "line"),
        ("price_date", facts.price_date or "–", "line"),
        ("made", made, "line"),
        ("id", model.result.id, "line"),
    ]
    for key, content, style in rows:
        row += 1
        sheet.put(row, "A", words.label(f"readme_book_{key}"), "line")
        sheet.put(row, "B", content, style)
        sheet.put_row(row, "C", [None, None, None, None], "line")
