"""The same fact under the same name and with the same value in JSON, terminal, workbook, memo, HTML and Markdown."""

from __future__ import annotations

import csv
import html
import io
import json
import re

import openpyxl
import pytest

from reportgen.formats import FORMATS, Manner
from reportgen.text.answer import answer
from reportgen.text.table import Terminal
from tests.evaluation.conftest import shipped

pypdf = pytest.importorskip("pypdf")
NAMES = ("finetune-70b", "serve-70b-chat")


class Documents:
    """The documents of a shipped scenario, read back as text."""

    def __init__(self, name: str):
        result = shipped(name)
        made = {key: FORMATS[key].one(result, Manner()) for key in ("json", "pdf", "html", "md", "csv")}
        self.json = json.loads(made["json"])
        self.list = list(csv.DictReader(io.StringIO(made["csv"].decode("utf-8-sig"))))
        memo = pypdf.PdfReader(io.BytesIO(made["pdf"]))
        self.book = openpyxl.load_workbook(io.BytesIO(memo.attachments[f"{name}.xlsx"][0]), data_only=True)
        self.texts = {
            "terminal": plain(Terminal().answer(answer(result))),
            "markdown": plain(made["md"].decode()),
            "memo": plain(" ".join(page.extract_text() for page in memo.pages)),
            "html": plain(html.unescape(re.sub(r"<style.*?</style>|<[^>]+>", " ", made["html"].decode(), flags=re.S))),
            "workbook": plain(" ".join(cell for sheet in self.book for row in sheet.values for cell in row if isinstance(cell, str))),
        }  # fmt: skip

    def row(self, sheet: str, **wanted: object) -> dict[str, object]:
        """The first row of a sheet's table that holds these values under these heads."""
        rows = list(self.book[sheet].values)
        head = next(row for row in rows if set(wanted) <= set(row))
        found = (dict(zip(head, row, strict=True)) for row in rows[rows.index(head) + 1 :])
        return next(row for row in found if all(row[column] == value for column, value in wanted.items()))

    def says(self, pattern: str, *where: str) -> None:
        """Every document named, or all of them, says it."""
        missing = [name for name in where or self.texts if not re.search(pattern, self.texts[name])]
        assert not missing, (pattern, missing)


def plain(text: str) -> str:
    """Text with every kind of space as one space, without joiners and marks of emphasis."""
    return re.sub(r"\s+", " ", re.sub("[\u2060\u200b*]", "", text).replace("\\", ""))


@pytest.fixture(scope="module", params=NAMES)
def documents(request) -> Documents:
    return Documents(request.param)


def test_gpus_and_power_of_an_option(documents):
    option = next(item for item in documents.json["options"] if item["way"] == "buy" and not item["chosen"])
    bought, servers = option["values"]["gpus_bought"], option["values"]["nodes_bought"]
    power = f"{option['values']['it_power_kw']:.1f}"
    documents.says(rf"{option['accelerator']}, buy\W+{bought}\W+[\d.]+\W+{power}\W", "terminal", "markdown")
    documents.says(
        rf"{servers} servers × {bought // servers} [A-Z]+\d+S? .{{4,40}} {re.escape(power)} ", "memo", "html"
    )
    row = documents.row("Options", Type=2, Way="Buy")
    assert row["GPUs"] == bought and row["Servers"] == servers
    assert row["IT power"] == pytest.approx(option["values"]["it_power_kw"])


def test_power_of_the_request(documents):
    quantities = {item["key"]: item["value"] for item in documents.json["results"]}
    power = f"{quantities['it_power_kw']:.1f}"
    documents.says(rf"IT power, maximum\W+{power} kW", "terminal", "markdown")
    documents.says(rf"{power} kW[; ]", "memo", "html")
    assert documents.row("Read me", Headline="IT power, maximum")["Base"] == pytest.approx(quantities["it_power_kw"])


def test_lines_that_wait_for_a_price(documents):
    needed = [line for line in documents.json["lines"] if line["quantity"]]
    unpriced = [line for line in needed if line["amount"] is None]
    assert 0 < len(unpriced) < len(needed) < len(documents.json["lines"])
    documents.says(rf"{len(unpriced)} of {len(needed)} lines ")


def test_servers_without_a_price_are_named_before_any_amount(documents):
    quantities = {item["key"]: item["value"] for item in documents.json["results"]}
    assert quantities["main_line_priced"] == 0
    cost = quantities["purchase_cost"]
    amount = re.escape(f"{cost / 1e6:.2f} M CNY" if cost >= 1e6 else f"{cost:,.0f} CNY")
    documents.says(rf"servers to be quoted, (the )?other(s| lines) {amount} incl")


def test_layouts_tried(documents):
    tried = documents.json["layouts"][0]["considered"]
    documents.says(rf"{tried:,} layouts of [\w ]*H800", "terminal", "markdown", "memo", "html")
    name = documents.row("Options", Type=1)["Accelerator"]
    assert documents.row("Layouts", **{"Accelerator, counted": name})["Layouts tried"] == tried


def test_checks_that_hold(documents):
    checks = documents.json["checks"]
    held = sum(check["status"] == "OK" for check in checks)
    documents.says(rf"{held} of {len(checks)} checks of the estimate")


def test_list_total_is_that_of_the_cost_model_in_every_format(documents):
    total = next(item["value"] for item in documents.json["results"] if item["key"] == "list_total")
    sheet = [row for row in documents.book["Request"].iter_rows(min_row=6, values_only=True)]
    sums = {
        "json": sum(line["amount"] or 0 for line in documents.json["lines"]),
        "csv": sum(float(line["amount"] or 0) for line in documents.list),
        "workbook": sum(row[11] for row in sheet if isinstance(row[0], (int, float)) and isinstance(row[11], (int, float))),
        "workbook, total": next(row[11] for row in sheet if row[8] == "List total, without tax"),
    }
    assert sums == pytest.approx(dict.fromkeys(sums, total))
    written = f"{total / 1e6:.2f} M" if total >= 1e6 else f"{total:,.0f}"
    documents.says(rf"List total, without tax\W+≥ {re.escape(written)}\W", "terminal", "markdown")
    in_list = f"{total / 1e3:,.0f}" if total >= 1e6 else f"{total:,.0f}"
    documents.says(rf"Subtotal excluding tax {in_list} ", "memo", "html")
