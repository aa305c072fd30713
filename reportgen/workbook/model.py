"""The calculating part of the book: inputs, cases, trials and candidate layouts as grids that read each other.

  inputs       columns favourable, base, adverse: the typed cells
  calc         the same columns: every formula of the scenario
  trials       a column for each accelerator (options) and for each end of the strongest ranges (sensitivity)
  layout grid  a column for each candidate layout of each accelerator
The sheets that people read link to these cells and never compute a number that a grid has.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from reportgen.catalog.wording import Wording, wording
from reportgen.errors import ScenarioError
from reportgen.estimator import active_formulas
from reportgen.estimator.layout_choice import LAYOUT_UNITS
from reportgen.estimator.request_list import lines_of
from reportgen.estimator.structure import layout_variables
from reportgen.evaluation.question import case_graph
from reportgen.evaluation.result import InputValue, LayoutBlock, Result
from reportgen.evaluation.shown import layout_columns
from reportgen.formula import Formula, FormulaError, Graph, Symbol
from reportgen.workbook.cells import Book, Sheet
from reportgen.workbook.frame import frame
from reportgen.workbook.grid import Grid, Outer, first_of, from_mapping
from reportgen.workbook.input_groups import place
from reportgen.workbook.list_ends import list_ends
from reportgen.workbook.palette import palette
from reportgen.workbook.phrases import Phrases

FAVOURABLE, BASE, ADVERSE = 0, 1, 2
CASE_COLUMNS = ("E", "F", "G")
FIRST_TRIAL_COLUMN = 5
FIRST_ROW = 6
IMPOSSIBLE_RANK = 1e9  # ranks of candidates that cannot run start here
RANK_FORMAT = '[>=1000000000]"–";#,##0.000'
STRONGEST = 8  # ranges whose ends are recalculated live
SHEETS = (
    "readme", "request", "options", "inputs", "layouts", "calc", "sensitivity", "crosscheck", "checks", "catalog", "sources",
    "changes", "trials", "layoutcalc",
)  # fmt: skip
TABS = {
    **dict.fromkeys(("readme", "request", "options"), "read"),
    **dict.fromkeys(("inputs",), "type"),
    **dict.fromkeys(("layouts", "calc", "sensitivity", "trials", "layoutcalc"), "work"),
    **dict.fromkeys(("crosscheck", "checks"), "proof"),
    **dict.fromkeys(("catalog", "sources", "changes"), "reference"),
}


def _graph_of(result: Result) -> Graph:
    """The formulas of a result. ScenarioError when it was read back and other formulas made it."""
    try:
        return case_graph(frozenset(result.features), frozenset(item.key for item in result.inputs))
    except FormulaError:
        message = f"the result {result.id} was made by another version of reportgen, with other formulas"
        raise ScenarioError.of("other-version", message, "make it again from its scenario") from None


@dataclass(frozen=True)
class TestColumn:
    """A column of the trials: one end of one range."""

    input: str
    end: str  # low | high
    index: int  # of the trials grid


class Model:
    """The book with its calculating grids. The sheets are written by sheets/*.py."""

    def __init__(self, result: Result):
        self.result = result
        self.words: Wording = wording(result.facts.language)
        self.phrases = Phrases(self.words, result.facts.currency)
        self.features = frozenset(result.features)
        self.book = Book(result.facts.language)
        for key in SHEETS:
            self.book.add_sheet(key, self.words.label(f"sheet_{key}"))
        self.tables: dict[str, Symbol] = {}  # accelerators_<fact> -> defined name, filled by the catalog sheet
        self.offers: dict[str, Symbol] = {}  # offer_<line>, discount_<line> -> cell of the request sheet that formulas read
        self.typed: dict[str, Symbol] = {}  # the cell of each of them that people type into
        self.lists: dict[str, Symbol] = {}  # what other drop-downs offer, filled by the catalog sheet
        self._formats: dict[str, str] = {}
        self.edge_flag = Symbol("layout_at_edge")  # 1: a better layout may stand outside the list; on the layouts sheet
        self.master_check = Symbol("master_check")  # on the checks sheet
        self.graph = _graph_of(result)

    # ---- what the sheets say alike

    def label(self, key: str) -> str:
        """The name of a quantity, an input or a column."""
        return self.phrases.label(key)

    def unit(self, unit: str) -> str:
        """The unit beside a number."""
        return self.phrases.unit(unit)

    def number_format(self, unit: str, *values: Any) -> str:
        """The number format of a unit, fine enough for the values."""
        return self.phrases.number_format(unit, values)

    def format_of(self, name: str) -> str:
        """The number format of a quantity or an input, the same wherever it stands."""
        known = self._formats.get(name)
        if known is None:
            item = self.result.quantities.get(name) or self.inputs_by_key[name]
            known = "" if isinstance(item.value, str) else self.number_format(item.unit, item.value)
            self._formats[name] = known
        return known

    def frame(self, key: str, widths: Sequence[float], words: Sequence[str] = (), *, names: int = 2) -> Sheet:
        """The frame of a sheet with its title, its sentence, the master check and the way back; returns the sheet."""
        sheet, say = self.book[key], self.words.label
        states = {state: say(f"state_{state}") for state in palette().states}
        title, sentence = say(f"sheet_{key}"), say(f"{key}_about")
        back, back_text = self.book["readme"].ref(1, "A"), say("book_back")
        frame(
            sheet, title, sentence, widths, words, check=self.master_check, states=states, back=back, back_text=back_text, names=names
        )  # fmt: skip
        sheet.tab = palette().tabs[TABS[key]]
        return sheet

    def source_link(self, key: str) -> Symbol | None:
        """The row of a source on the sources sheet, which lists the sources of the result in their order."""
        row = self._source_rows.get(key)
        return None if row is None else self.book["sources"].ref(row, "A")

    @cached_property
    def _source_rows(self) -> dict[str, int]:
        return {source.key: row for row, source in enumerate(self.result.sources, start=FIRST_ROW)}

    @cached_property
    def inputs_by_key(self) -> dict[str, InputValue]:
        """Inputs by their key."""
        return {item.key: item for item in self.result.inputs}

    @cached_property
    def typed_on_request(self) -> set[str]:
        """Inputs whose cells stand on the request sheet: offers and discounts of its lines."""
        lines = lines_of(self.features)
        rented = {"offer_rental"} if "rent" in self.features else set()
        return rented | {name for line in lines for name in (line.offer, line.discount)}

    @cached_property
    def listed_inputs(self) -> list[InputValue]:
        """Inputs that stand on the inputs sheet, by group: those of the request first, constants by subject last."""
        kept = [item for item in self.result.inputs if item.key not in self.typed_on_request]
        subjects = list(dict.fromkeys(item.group for item in kept))
        return sorted(kept, key=lambda item: (*place(item), subjects.index(item.group)))

    # ---- the grids; each is written once its sheet asks for it

    @cached_property
    def inputs(self) -> Grid:
        """The typed cells. Its rows are written by the inputs sheet through `write_inputs`."""
        return Grid(self.book["inputs"], FIRST_ROW, CASE_COLUMNS)

    @cached_property
    def calc(self) -> Grid:
        """Every formula in the three cases."""
        outside = first_of(self.inputs.each, from_mapping(self.offers), from_mapping(self.tables), self._ranges_of(0))
        return Grid(self.book["calc"], FIRST_ROW, CASE_COLUMNS, outside)

    @cached_property
    def trials(self) -> Grid:
        """Options and tests, side by side."""
        count = len(self.result.layouts) + len(self.test_columns)
        columns = range(FIRST_TRIAL_COLUMN, FIRST_TRIAL_COLUMN + count)
        outside = first_of(
            self._ranges_by_trial,
            self.calc.fixed(BASE),
            self.inputs.fixed(BASE),
            from_mapping(self.offers),
            from_mapping(self.tables),
        )
        return Grid(self.book["trials"], FIRST_ROW, columns, outside)

    @cached_property
    def layout_grid(self) -> Grid:
        """Candidate layouts of all accelerators, one block after the other."""
        columns = range(FIRST_TRIAL_COLUMN, FIRST_TRIAL_COLUMN + sum(self.block_sizes))
        outside = first_of(
            self.calc.fixed(BASE), self.inputs.fixed(BASE), from_mapping(self.offers), from_mapping(self.tables)
        )
        return Grid(self.book["layoutcalc"], FIRST_ROW, columns, outside)

    # ---- rows of the grids

    def write_inputs(self) -> None:
        """Favourable, base, adverse of every listed input. A range typed by people in three cells; else the ends follow the base."""
        sheet = self.book["inputs"]
        for item in self.listed_inputs:
            row = self.inputs.next_row
            is_text = isinstance(item.value, str)
            typed, shadow = ("input_text", "shadow_text") if is_text else ("input", "shadow")
            base = sheet.ref(row, "F")
            contents = [base if end is None else end for end in (item.favourable, item.adverse)]
            styles = [shadow if end is None else typed for end in (item.favourable, item.adverse)]
            self.inputs.add(
                item.key,
                [contents[0], item.value, contents[1]],
                [styles[0], typed, styles[1]],
                "" if is_text else self.number_format(item.unit, item.value, item.low, item.high),
            )

    def write_calc(self) -> None:
        """Every formula of the graph, in the order of sections and dependency."""
        for item in self.calc_order:
            self.calc.add(item.name, item, formula_styles(item), self.format_of(item.name))

    @cached_property
    def calc_order(self) -> list[Formula]:
        """Formulas by section, sections in the order of the subjects; rows may read rows below them."""
        sections = list(dict.fromkeys(item.section for item in active_formulas(self.features)))
        return [item for section in sections for item in self.graph.order if item.section == section]

    # ---- candidate layouts

    @cached_property
    def block_sizes(self) -> list[int]:
        """How many candidates each accelerator has."""
        return [len(block.columns["layout_rank"]) for block in self.result.layouts]

    @cached_property
    def layout_graph(self) -> Graph:
        """The formulas of a candidate: layout variables, accelerator and number are inputs."""
        variables = layout_variables(self.features)
        formulas = [item for item in active_formulas(self.features) if not _reads(item, "layouts_")]
        names = {item.key for item in self.result.inputs} | set(self.result.tables) | {*variables, "layout_number"}
        return Graph(formulas, names)

    @cached_property
    def layout_rows(self) -> list[Formula]:
        """Formulas of the layout grid: what depends on the candidate and is ranked or shown."""
        graph, variables = self.layout_graph, layout_variables(self.features)
        shown = [name for name in layout_columns(self.features) if name in graph.formulas]
        wanted = graph.ancestors(["layout_rank", "layout_ok", "gpus", *shown])
        moving = graph.descendants([*variables, "layout_number", "accelerator"])
        return [item for item in graph.order if item.name in wanted & moving]

    def write_layouts(self) -> None:
        """Accelerator, layout variables and number of each candidate as typed facts, then the formulas."""
        grid, blocks = self.layout_grid, self.result.layouts
        requested = self.inputs.ref("accelerator", BASE)
        names = [
            requested if index == 0 else block.accelerator
            for index, block in enumerate(blocks)
            for _ in self._rows_of(block)
        ]
        grid.add("accelerator", names, "fact_text")
        grid.add(
            "layout_number",
            [float(number) for block in blocks for number in range(1, len(self._rows_of(block)) + 1)],
            "fact",
            "0",
        )
        for variable in layout_variables(self.features):
            grid.add(variable, [value for block in blocks for value in block.columns[variable]], "fact", "#,##0")
        grid.add("list_end", [end for block in blocks for end in list_ends(block)], "fact", "0")
        for item in self.layout_rows:
            grid.add(item.name, item, formula_styles(item)[0], self.layout_format(item))

    def layout_format(self, item: Formula) -> str:
        """As the unit says; ranks of layouts that cannot run show a dash."""
        if item.name == "layout_rank":
            return RANK_FORMAT
        if item.name in self.result.quantities:
            return self.format_of(item.name)
        return self.number_format(item.unit)

    @staticmethod
    def _rows_of(block: LayoutBlock) -> list:
        return block.columns["layout_rank"]

    def block_range(self, name: str, block: int) -> Symbol:
        """The cells of a quantity over the candidates of one accelerator."""
        grid = self.layout_grid
        start = sum(self.block_sizes[:block])
        first, last = grid.columns[start], grid.columns[start + self.block_sizes[block] - 1]
        row = grid.rows[name]
        return grid.sheet.range(row, first, row, last)

    def _layout_name(self, name: str) -> str | None:
        """layouts_rank -> layout_rank, layouts_nodes -> nodes; None for other names."""
        if not name.startswith("layouts_"):
            return None
        short = name.removeprefix("layouts_")
        return "layout_rank" if short == "rank" else short

    def _ranges_of(self, block: int) -> Outer:
        def found(name: str) -> Any:
            short = self._layout_name(name)
            return None if short is None else self.block_range(short, block)

        return found

    def _ranges_by_trial(self, name: str) -> Any:
        short = self._layout_name(name)
        if short is None:
            return None
        options = [self.block_range(short, block) for block in range(len(self.result.layouts))]
        return options + [options[0]] * len(self.test_columns)

    # ---- trials

    @cached_property
    def test_columns(self) -> list[TestColumn]:
        """The ends of the strongest ranges, strongest first, low before high."""
        first = len(self.result.layouts)
        names = strongest_inputs(self.result)
        return [
            TestColumn(name, end, first + 2 * index + offset)
            for index, name in enumerate(names)
            for offset, end in enumerate(("low", "high"))
        ]

    @cached_property
    def trial_rows(self) -> list[Formula]:
        """Formulas of the trials: everything that moves with the accelerator, the layout or a tested input."""
        moved = ["accelerator", *{column.input for column in self.test_columns}, *LAYOUT_UNITS]
        touched = self.graph.descendants(moved) | {"chosen_layout", "layout_found"}
        return [item for item in self.calc_order if item.name in touched]

    def write_trials(self) -> None:
        """The changed inputs of each trial, its layout, then the formulas."""
        options, tests = len(self.result.layouts), self.test_columns
        requested = self.inputs.ref("accelerator", BASE)
        compared = [block.accelerator for block in self.result.layouts[1:]]
        self.trials.add("accelerator", [requested, *compared, *[requested] * len(tests)], "link_text")
        for name in dict.fromkeys(column.input for column in tests):
            item, base = self.inputs_by_key[name], self._input_cell(name, BASE)
            ends = [self._end_cell(item, column.end) if column.input == name else base for column in tests]
            self.trials.add(name, [*[base] * options, *ends], "link", self.format_of(name))
        for item in self.trial_rows:
            if _reads(item, "layouts_"):
                kept = [self.calc.ref(item.name, BASE)] * len(tests)
                self.trials.add(item.name, [*[item] * options, *kept], "link", self.format_of(item.name))
            else:
                self.trials.add(item.name, item, formula_styles(item)[0], self.format_of(item.name))

    def _input_cell(self, name: str, case: int) -> Symbol:
        return self.offers[name] if name in self.offers else self.inputs.ref(name, case)

    def _end_cell(self, item: InputValue, end: str) -> Symbol:
        """The cell that holds the low or the high end, wherever it stands."""
        wanted = item.low if end == "low" else item.high
        return self._input_cell(item.key, FAVOURABLE if wanted == item.favourable else ADVERSE)

    def trial(self, name: str, index: int) -> Symbol:
        """The value of a quantity in a trial; what does not move is read from Calc or Inputs."""
        if name in self.trials.rows:
            return self.trials.ref(name, index)
        return self.base(name)

    def base(self, name: str, case: int = BASE) -> Symbol:
        """The cell of a quantity or of an input in a case."""
        if name in self.calc.rows:
            return self.calc.ref(name, case)
        return self._input_cell(name, case)

    def has(self, name: str) -> bool:
        """Whether a quantity or an input of that name has a cell."""
        return name in self.graph.formulas or name in self.inputs_by_key


def strongest_inputs(result: Result) -> list[str]:
    """The ranged inputs that move the answer most, by the span of days, replicas or cost between their ends."""
    spans: dict[str, float] = {}
    for objective in ("training_days", "batch_hours", "replicas_before_rounding", "total_cost"):
        base = result.value(objective)
        if isinstance(base, str) or base != base or not base:
            continue
        values: dict[str, list[float]] = {}
        for test in result.sensitivity:
            values.setdefault(test.input, []).append(test.results.get(objective, base))
        for name, ends in values.items():
            spans[name] = max(spans.get(name, 0.0), abs(max(ends) - min(ends)) / abs(base))
    ordered = sorted((name for name, span in spans.items() if span > 1e-6), key=lambda name: (-spans[name], name))
    return ordered[:STRONGEST]


def _reads(item: Formula, prefix: str) -> bool:
    return any(parameter.startswith(prefix) for parameter in item.parameters)


def formula_styles(item: Formula) -> tuple[str, str, str]:
    """Styles of favourable, base, adverse."""
    return (
        ("formula_text", "formula_text_answer", "formula_text")
        if item.unit == "text"
        else ("formula", "formula_answer", "formula")
    )
