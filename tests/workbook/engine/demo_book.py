"""A small book that uses the whole engine: cases, candidate layouts, choice by rank, a drop-down, missing prices."""

from __future__ import annotations

import datetime

from reportgen.formula import (
    DAY,
    GIB,
    MISSING,
    TERAFLOP,
    Graph,
    Symbol,
    all_of,
    at_most,
    ceil,
    equals,
    formula,
    is_known,
    join,
    least,
    maximum,
    pick,
    position,
    text,
    where,
)  # fmt: skip
from reportgen.workbook import chart_designs
from reportgen.workbook.cells import Book, Properties, Sheet
from reportgen.workbook.frame import chosen_rows, frame, group_bands, state_fills
from reportgen.workbook.grid import Grid, first_of, from_mapping
from reportgen.workbook.parts import Validation
from reportgen.workbook.references import ALONG_ROW

FACTS = ("name", "memory_gib", "tflops", "node_price")
ACCELERATORS = (
    ("H800 80GB SXM", 79.6, 989.4, 2_150_000.0),
    ("A800 80GB SXM", 79.6, 312.0, 1_180_000.0),
    ("H20 96GB SXM", 95.0, 148.0, MISSING),
    ("Ascend 910B2 64GB", 62.0, 376.0, MISSING),
)
INPUTS = {  # name: favourable, base, adverse, number format
    "accelerator": (None, "H800 80GB SXM", None, ""),
    "parameters": (None, 70.55e9, None, "#,##0"),
    "tokens": (None, 10e9, None, "#,##0"),
    "utilization": (0.42, 0.36, 0.29, "0.0%"),
    "contingency": (0.03, 0.08, 0.15, "0.0%"),
    "deadline_days": (None, 14.0, None, "0.0"),
    "usable_share": (None, 0.95, None, "0.0%"),
}
STATES = {"ok": "OK", "look": "LOOK", "fail": "FAIL", "changed": "CHANGED"}
CANDIDATES = [(servers, tensor, shards) for servers in (2, 3, 4, 6) for tensor, shards in ((8, 1), (4, 8), (8, 16))]


@formula(unit="GiB", symbol="M_c", source="x")
def card_memory(accelerators_memory_gib, accelerators_name, accelerator):
    """The card decides."""
    return pick(accelerators_memory_gib, position(accelerators_name, accelerator))


@formula(unit="TFLOP/s", symbol="F", source="x")
def card_peak(accelerators_tflops, accelerators_name, accelerator):
    """The card decides."""
    return pick(accelerators_tflops, position(accelerators_name, accelerator))


@formula(unit="money", symbol="p", source="x")
def node_price(accelerators_node_price, accelerators_name, accelerator):
    """A price may be missing."""
    return pick(accelerators_node_price, position(accelerators_name, accelerator))


@formula(unit="flag", symbol="best", source="x")
def best_layout(layouts_rank_key):
    """The smallest key wins."""
    return position(layouts_rank_key, least(layouts_rank_key))


@formula(unit="GPUs", symbol="G", source="x")
def gpus(layouts_servers, best_layout):
    """Of the chosen layout."""
    return pick(layouts_servers, best_layout) * 8


@formula(unit="days", symbol="D", source="x")
def run_days(parameters, tokens, gpus, card_peak, utilization):
    """Work over speed."""
    return 6 * parameters * tokens / (gpus * card_peak * utilization * TERAFLOP) / DAY


@formula(unit="money", symbol="C", source="x")
def purchase(gpus, node_price, contingency):
    """Missing when the price is."""
    return where(is_known(node_price), ceil(gpus / 8) * node_price * (1 + contingency), MISSING)


@formula(unit="text", symbol="V", source="x")
def verdict(run_days, deadline_days):
    """A sentence in the grid."""
    return join(text(run_days, "0.0"), where(at_most(run_days, deadline_days), ", in time", ", too late"))


@formula(unit="GiB", symbol="M", source="x")
def layout_memory(parameters, tensor, shards):
    """Weights and optimizer of one GPU."""
    return (4 * parameters / tensor + 12 * parameters / tensor / shards) / GIB


@formula(unit="days", symbol="D_l", source="x")
def layout_days(run_days_of_one_gpu, servers):
    """More servers, fewer days."""
    return run_days_of_one_gpu / (servers * 8)


@formula(unit="days", symbol="D_1", source="x")
def run_days_of_one_gpu(parameters, tokens, card_peak, utilization):
    """Work over the speed of one GPU."""
    return 6 * parameters * tokens / (card_peak * utilization * TERAFLOP) / DAY


@formula(unit="flag", symbol="ok", source="x")
def layout_possible(layout_memory, card_memory, usable_share, layout_days, deadline_days):
    """Fits and is in time."""
    fits = at_most(layout_memory, card_memory * usable_share)
    return where(all_of(fits, at_most(layout_days, deadline_days)), 1, 0)


@formula(unit="flag", symbol="r", source="x")
def rank_key(layout_possible, servers, layout_days, candidate):
    """Fewest servers, then fewest days; impossible ones behind all others."""
    return where(equals(layout_possible, 1), servers * 1000 + layout_days + candidate / 1000000, 1000000000 + candidate)


CALC = (
    card_memory, card_peak, node_price, run_days_of_one_gpu, best_layout, gpus, run_days, purchase, verdict,
)  # fmt: skip
LAYOUT_ROWS = (layout_memory, layout_days, layout_possible, rank_key)
FORMATS = {"GiB": "0.0", "days": "0.0", "money": "#,##0", "TFLOP/s": "#,##0.0", "GPUs": "#,##0"}


def number_format(item) -> str:
    return FORMATS.get(item.unit, "")


class Demo:
    """The book and the grids in it."""

    def __init__(self, language: str = "en"):
        about = Properties(
            "Demo of the engine", scenario_id="demo-1", date=datetime.date(2026, 11, 30), footer_left="Demo & more"
        )
        self.book = book = Book(language, about)
        chinese = language == "zh"
        self.read = book.add_sheet("read", "说明" if chinese else "Read me")
        self.inputs = book.add_sheet("inputs", "参数" if chinese else "Inputs")
        self.calc = book.add_sheet("calc", "计算" if chinese else "Calc")
        self.layouts = book.add_sheet("layouts", "并行方案" if chinese else "Layout calculation")
        self.catalog = book.add_sheet("catalog", "规格" if chinese else "Catalog")
        self.columns = self._catalog()
        self.input_grid = self._inputs()
        self.calc_grid = self._calc()
        self.layout_grid = self._layout_grid()
        for item in Graph(CALC, [*INPUTS, *self.columns, "layouts_rank_key", "layouts_servers"]).order:
            self.calc_grid.add(item.name, item, ["formula", "formula_answer", "formula"], number_format(item))
        self._calc_frame()
        self._read_me()

    def _frame(self, sheet: Sheet, title: str, widths: list[float]) -> None:
        sentence = "One sentence on what this sheet answers."
        check, back = Symbol("master_check"), self.read.ref(1, "A")
        frame(sheet, title, sentence, widths, check=check, states=STATES, back=back, back_text="← Read me")

    def _catalog(self) -> dict[str, Symbol]:
        sheet, last = self.catalog, 5 + len(ACCELERATORS)
        self._frame(sheet, "Catalog", [24, 12, 12, 16])
        sheet.table("Accelerators", 5, "A", ["Accelerator", "Memory GiB", "Peak TFLOP/s", "Node price"], last)
        for offset, (name, *numbers) in enumerate(ACCELERATORS, start=6):
            sheet.put(offset, "A", name, "fact_text")
            for column, value, layout in zip("BCD", numbers, ("0.0", "#,##0.0", "#,##0"), strict=True):
                sheet.put(offset, column, value, "fact", layout)
        ranges = {fact: sheet.range(6, column, last, column) for fact, column in zip(FACTS, "ABCD", strict=True)}
        return {f"accelerators_{fact}": self.book.name(f"accelerators_{fact}", area) for fact, area in ranges.items()}

    def _inputs(self) -> Grid:
        sheet = self.inputs
        self._frame(sheet, "Inputs", [14, 26, 8, 8, 18, 18, 18])
        headers = ["Group", "Quantity", "Symbol", "Unit", "Favourable", "Base", "Adverse"]
        sheet.table("InputsTable", 5, "A", headers, 5 + len(INPUTS))
        grid = Grid(sheet, 6, "EFG")
        for name, (favourable, base, adverse, layout) in INPUTS.items():
            row, box = grid.next_row, "input_text" if isinstance(base, str) else "input"
            shadow = "shadow_text" if isinstance(base, str) else "shadow"
            ends = [sheet.ref(row, "F") if end is None else end for end in (favourable, adverse)]
            styles = [shadow if end is None else box for end in (favourable, adverse)]
            grid.add(name, [ends[0], base, ends[1]], [styles[0], box, styles[1]], layout)
            for column, content in zip("ABCD", ("Job", name.replace("_", " ").capitalize(), name[0], "–"), strict=True):
                sheet.put(row, column, content, "text" if column == "B" else "unit")
            self.book.name(name, grid.ref(name, 1))
        sheet.validations.append(
            Validation(
                ((6, 6),), source="accelerators_name", title="Accelerator", prompt="Choose.", error="From the list."
            )
        )
        sheet.validations.append(Validation(((9, 6),), low=0.05, high=0.9, title="Utilization", error="0.05 to 0.9."))
        return grid

    def _calc(self) -> Grid:
        ranges = {f"layouts_{name}": name for name in ("rank_key", "servers")}

        def layouts(name: str):
            return self.layout_grid.range(ranges[name]) if name in ranges else None

        return Grid(self.calc, 6, "EFG", first_of(self.input_grid.each, from_mapping(self.columns), layouts))

    def _layout_grid(self) -> Grid:
        base = first_of(self.calc_grid.fixed(1), self.input_grid.fixed(1))
        grid = Grid(self.layouts, 6, range(3, 3 + len(CANDIDATES)), base)
        self._frame(self.layouts, "Layout calculation", [26, 8, *[9.5] * len(CANDIDATES)])
        for name, values in zip(("servers", "tensor", "shards"), zip(*CANDIDATES, strict=True), strict=True):
            grid.add(name, list(values), "fact", "#,##0")
        grid.add("candidate", list(range(1, len(CANDIDATES) + 1)), "number")
        for item in LAYOUT_ROWS:
            grid.add(item.name, item, "formula", number_format(item) or '[>=1000000000]"—";#,##0')
        for name, row in grid.rows.items():
            self.layouts.put(row, "A", name.replace("_", " ").capitalize())
            self.layouts.put(row, "B", "–", "unit")
        return grid

    def _calc_frame(self) -> None:
        sheet, grid = self.calc, self.calc_grid
        self._frame(sheet, "Calculation", [14, 30, 8, 10, 18, 20, 18])
        headers = ["Section", "Quantity", "Symbol", "Unit", "Favourable", "Base", "Adverse"]
        sheet.table("CalcTable", 5, "A", headers, grid.next_row - 1)
        for item in (grid.live[row] for row in grid.live):
            sheet.put(item.row, "A", "1 Model" if item.row < 10 else "2 Layout chosen")
            sheet.put(item.row, "B", item.name.replace("_", " ").capitalize())
            sheet.put_row(item.row, "C", ["x", "–"], "unit")
            self.book.name(item.name, grid.ref(item.name, 1))
        group_bands(sheet, 6, grid.next_row - 1, [("B", "G")])
        chosen_rows(sheet, (6, "A", grid.next_row - 1, "G"), equals(sheet.ref(6, "B", ALONG_ROW), "Gpus"))

    def _read_me(self) -> None:
        sheet, grid = self.read, self.calc_grid
        sheet.set_widths([34, 15, 11, 14, 14, 24])
        sheet.page.portrait, sheet.zoom = True, 100
        sheet.put(1, "A", "Demo of the engine", "title")
        check = where(at_most(Symbol("run_days"), Symbol("deadline_days")), "OK: in time", "FAIL: too late")
        self.book.name("master_check", sheet.put(3, "A", check, "say_bold"))
        sheet.put_row(3, "B", [None] * 5, "say")
        state_fills(sheet, (3, "A", 3, "F"), STATES, of_first_cell=True)
        price = where(is_known(Symbol("purchase")), text(Symbol("purchase"), "#,##0"), "a quotation is needed")
        sheet.put(4, "A", join("Buy ", text(Symbol("gpus"), "0"), " GPUs, ", price, "."), "lead")
        sheet.put(5, "A", "=1+1 is text here, & <so> is this; \u4e2d\u6587 × too", "say")
        sheet.put(6, "A", "A long purpose that wraps in its narrow column and must not be cut at the bottom.", "text")
        sheet.table(
            "Headline", 8, "A", ["Headline", "Base", "Unit", "Favourable", "Adverse", "Where it comes from"], 12
        )
        for row, name in enumerate(("gpus", "run_days", "purchase", "card_memory"), start=9):
            sheet.put(row, "A", name.replace("_", " ").capitalize())
            for column, index, style in (("B", 1, "link_strong"), ("D", 0, "link"), ("E", 2, "link")):
                sheet.put(row, column, grid.ref(name, index), style, "#,##0.0")
            sheet.put(row, "C", "–", "unit")
            sheet.put(row, "F", f"Calc, row {grid.rows[name]}", "jump", link=grid.ref(name, 1))
        sheet.put(13, "A", "The source", "jump", link="https://example.org/?a=1&b=2")
        self._charts()

    def _charts(self) -> None:
        sheet = self.read
        sheet.put(40, "A", "Behind the charts", "section")
        sheet.table("Memory", 41, "A", ["Card", "Weights", "Optimizer", "Free", "Days", "Limit"], 44)
        for row, option in enumerate((1, 2, 3), start=42):
            column = self.layout_grid.columns[option]
            needed = self.layouts.ref(self.layout_grid.rows["layout_memory"], column)
            days = self.layouts.ref(self.layout_grid.rows["layout_days"], column)
            sheet.put(row, "A", join("Layout ", text(self.layouts.ref(9, column), "0")), "formula_text")
            sheet.put(row, "B", needed / 4, "formula", "0.0")
            sheet.put(row, "C", needed - sheet.ref(row, "B"), "formula", "0.0")
            sheet.put(row, "D", maximum(0, Symbol("card_memory") - needed), "formula", "0.0")
            sheet.put(row, "E", days, "link", "0.0")
            sheet.put(row, "F", Symbol("deadline_days"), "link", "0.0")
        names = sheet.range(42, "A", 44, "A")
        area = {column: (sheet.range(42, column, 44, column), sheet.ref(41, column)) for column in "BCDEF"}
        parts = dict(zip(("weights", "optimizer", "free"), (area[column] for column in "BCD"), strict=True))
        memory = chart_designs.memory_bars("Memory of one GPU, GiB", names, parts)
        lines = chart_designs.line_chart(
            "Days", names, [area["E"]], area["F"], value_title="days", category_title="layouts", width=19.6, height=7
        )
        sheet.charts += [
            chart_designs.placed(memory, 15, "A"),
            chart_designs.placed(lines, 47, "A"),
            chart_designs.placed(chart_designs.chosen_bars("Days", names, area["E"], area["F"]), 62, "A"),
            chart_designs.placed(chart_designs.tornado("Change", names, area["E"], area["B"]), 82, "A"),
        ]
