"""The workbook of several results: one live column a scenario, what differs and why, and how each stands.

The layout and the facts of the accelerator are typed cells of each column; everything else is calculated in the book.
"""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from functools import cached_property

from reportgen.catalog.wording import Wording, wording
from reportgen.errors import UsageError
from reportgen.estimator import SUBJECTS
from reportgen.evaluation.compare import Comparison, compare
from reportgen.evaluation.question import case_graph
from reportgen.evaluation.result import InputValue, Result
from reportgen.formula import Expression, Formula, Graph, Symbol
from reportgen.workbook.cells import Book, Properties, Sheet
from reportgen.workbook.frame import frame
from reportgen.workbook.grid import Grid
from reportgen.workbook.palette import palette
from reportgen.workbook.phrases import Phrases
from reportgen.workbook.row_heights import BOLD, shown, text_width
from reportgen.workbook.write import workbook_bytes

MOST = 30
FIRST_COLUMN, FIRST_ROW = 5, 6
SPARE, WIDEST = 4.0, 34.0  # characters
ACCELERATOR, LAYOUT, ROW = "accelerators_", "layouts_", "accelerator_row"
SHEETS = ("summary", "differences", "inputs", "calc", "request", "checks", "sources")
TABS = dict(zip(SHEETS, ("read", "read", "type", "work", "read", "proof", "reference"), strict=True))


def build_comparison_workbook(results: Sequence[Result]) -> bytes:
    """The xlsx file that compares two results or more. UsageError for more than 30."""
    return workbook_bytes(plan_comparison(results).book)


def plan_comparison(results: Sequence[Result]) -> Compared:
    """Every sheet of a comparison, planned and not yet settled."""
    from reportgen.workbook.sheets import compared_grids, compared_lists, compared_summary

    if len(results) > MOST:
        raise UsageError.of(
            "too-many-scenarios",
            f"a workbook compares at most {MOST} scenarios, not {len(results)}",
            "compare fewer, or read summary.csv",
        )
    compared = Compared(compare(results))
    compared_grids.write_inputs(compared)
    compared_grids.write_calc(compared)
    compared_lists.write_checks(compared)
    compared_lists.write_request(compared)
    compared_lists.write_sources(compared)
    compared_summary.write_differences(compared)
    compared_summary.write_summary(compared)
    return compared


class FactsInPlace(Formula):
    """A formula whose look-ups in the accelerator table are cells of its own column."""

    def __init__(self, item: Formula):
        super().__init__(item.function, item.name, item.unit, item.symbol, item.source, item.when, item.section)
        self.parameters = item.parameters
        self.original = item

    @cached_property
    def expression(self):
        """The tree with each pick(accelerators_<fact>, row) replaced by the fact."""
        return _without_picks(self.original.expression)


def _without_picks(node):
    if isinstance(node, Symbol) or not isinstance(node, Expression):
        return node
    if node.operation == "pick" and str(getattr(node.arguments[0], "key", "")).startswith(ACCELERATOR):
        return node.arguments[0]
    return Expression(node.operation, tuple(_without_picks(argument) for argument in node.arguments))


class Compared:
    """The book of a comparison with its two grids: typed cells and formulas, a column a scenario."""

    def __init__(self, comparison: Comparison):
        self.comparison = comparison
        self.results = comparison.results
        self.letters = comparison.letters
        facts = self.results[0].facts
        self.words: Wording = wording(facts.language)
        self.phrases = Phrases(self.words, facts.currency)
        self.book = Book(facts.language, self._properties())
        for key in SHEETS:
            self.book.add_sheet(key, self.words.label(f"sheet_{key}"))
        columns = range(FIRST_COLUMN, FIRST_COLUMN + len(self.results))
        self.inputs = Grid(self.book["inputs"], FIRST_ROW, columns)
        self.calc = Grid(self.book["calc"], FIRST_ROW, columns, self.inputs.each)
        self.failures: list[Symbol] = []  # checks that fail, a cell a scenario; filled by the checks sheet
        self.looks: list[Symbol] = []

    def _properties(self) -> Properties:
        facts = self.results[0].facts
        names = ", ".join(result.facts.name for result in self.results)
        return Properties(
            title=self.words.text("compared_title", names=names[:120]),
            version=self.results[0].tool,
            scenario_id="",
            date=datetime.date.fromisoformat(facts.date),
            footer_left=names[:70],
            footer_page=self.words.label("book_page"),
        )

    # ---- what stands where

    @cached_property
    def heads(self) -> list[str]:
        """The header of each scenario: its letter and its name."""
        return [f"{letter} {result.facts.name}"[:60] for letter, result in zip(self.letters, self.results, strict=True)]

    @cached_property
    def known_inputs(self) -> list[dict[str, InputValue]]:
        """Inputs by key, for each scenario."""
        return [{item.key: item for item in result.inputs} for result in self.results]

    @cached_property
    def graphs(self) -> list[Graph]:
        """The formulas of each scenario."""
        return [
            case_graph(frozenset(result.features), frozenset(known))
            for result, known in zip(self.results, self.known_inputs, strict=True)
        ]

    @cached_property
    def formulas(self) -> list[dict[str, Formula]]:
        """The formulas that stay live, for each scenario; scenarios of one structure share them."""
        shared: dict[frozenset, dict[str, Formula]] = {}
        found = []
        for result, graph in zip(self.results, self.graphs, strict=True):
            key = frozenset(result.features)
            live = {item.name: item for item in graph.order if _stays_live(item)}
            known = shared.setdefault(key, {})
            found.append({name: known.setdefault(name, FactsInPlace(item)) for name, item in live.items()})
        return found

    @cached_property
    def calc_names(self) -> list[str]:
        """Every formula that a scenario has, by section."""
        sections = {item.name: item.section for formulas in self.formulas for item in formulas.values()}
        order = {section: place for place, section in enumerate(SUBJECTS)}
        return sorted(sections, key=lambda name: order.get(sections[name], len(order)))

    @cached_property
    def layout_names(self) -> list[str]:
        """What a chosen layout fixes and no scenario computes: typed on Inputs. What another computes is typed on Calc."""
        names = (item.name for graph in self.graphs for item in graph.order if _reads(item, LAYOUT))
        return [name for name in dict.fromkeys(names) if name not in self.calc_names]

    @cached_property
    def fact_names(self) -> list[str]:
        """Columns of the accelerator table that formulas read."""
        names = (
            parameter
            for graph in self.graphs
            for item in graph.order
            for parameter in item.parameters
            if parameter.startswith(ACCELERATOR) and parameter != f"{ACCELERATOR}id"
        )
        return list(dict.fromkeys(names))

    def cell(self, name: str, index: int) -> Symbol | None:
        """The cell of a quantity or an input of a scenario; None where it has none."""
        for grid in (self.calc, self.inputs):
            if name in grid.rows:
                return grid.ref(name, index) if self.has(name, index) else None
        return None

    def shown(self, name: str, index: int) -> Symbol | None:
        """The cell of what says something about a scenario; None where it has none, as a rent buys no GPUs."""
        return self.cell(name, index) if self.results[index].concerns(name) else None

    def has(self, name: str, index: int) -> bool:
        """Whether a scenario has a quantity or an input of that name."""
        return name in self.results[index].quantities or name in self.known_inputs[index]

    def unit(self, name: str) -> str:
        """The unit of a quantity or an input in the first scenario that has it."""
        for result, known in zip(self.results, self.known_inputs, strict=True):
            item = result.quantities.get(name) or known.get(name)
            if item is not None:
                return item.unit
        return ""

    def values(self, name: str) -> list:
        """Its values, missing where a scenario has none."""
        return [result.value(name) for result in self.results]

    def format_of(self, name: str) -> str:
        """One number format for all scenarios."""
        values = self.values(name)
        numbers = [value for value in values if not isinstance(value, str)]
        return "" if len(numbers) < len(values) else self.phrases.number_format(self.unit(name), numbers)

    def width(self, names: Sequence[str], least: float) -> float:
        """Characters that the numbers of some quantities and inputs need in a column, and their difference."""
        widest = least
        for name in names:
            layout = self.format_of(name)
            numbers = [value for value in self.values(name) if not isinstance(value, str)]
            widest = max([widest, *(SPARE + BOLD * text_width(shown(value, layout)) for value in numbers)])
        return min(round(widest, 1), WIDEST)

    # ---- the frame

    def frame(self, key: str, widths: Sequence[float], words: Sequence[str] = (), names: int = 2) -> Sheet:
        """Title, sentence, check and way back of a sheet."""
        sheet, say = self.book[key], self.words.label
        states = {state: say(f"state_{state}") for state in palette().states}
        back = self.book["summary"].ref(1, "A")
        about, title = say(f"compared_{key}_about"), say(f"sheet_{key}")
        frame(
            sheet, title, about, widths, words, check=Symbol("master_check"), states=states, back=back,
            back_text=say("compared_back"), names=names,
        )  # fmt: skip
        sheet.tab = palette().tabs[TABS[key]]
        return sheet


def _reads(item: Formula, prefix: str) -> bool:
    return any(parameter.startswith(prefix) for parameter in item.parameters)


def _stays_live(item: Formula) -> bool:
    return not _reads(item, LAYOUT) and item.name != ROW
