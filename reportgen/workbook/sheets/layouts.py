"""The layouts sheet: candidate layouts, one live row each, with the reason why one cannot run; the best found live."""

from __future__ import annotations

from typing import Any

from reportgen.evaluation.shown import memory_parts
from reportgen.formula import (
    Expression,
    Symbol,
    above,
    all_of,
    any_of,
    below,
    count_if,
    equals,
    join,
    least,
    pick,
    where,
)
from reportgen.workbook.frame import HEADER_ROW, chosen_rows, group_bands, print_in_leaves, rejected_rows
from reportgen.workbook.model import BASE, FIRST_ROW, IMPOSSIBLE_RANK, Model
from reportgen.workbook.references import ALONG_ROW, BOTH, column_letter
from reportgen.workbook.row_heights import BOLD, text_width
from reportgen.workbook.sheets.catalog import accelerator_name
from reportgen.workbook.sheets.layout_frontier import write_frontier

TRAINING = (
    "nodes", "gpus", "tensor_parallel", "pipeline_parallel", "expert_parallel", "data_parallel", "micro_batch", "zero_stage",
    "full_recomputation", "offload_level", *memory_parts(frozenset({"training"})), "memory_per_gpu_gib", "memory_usable_gib",
    "recomputation_factor", "bubble_factor", "training_days", "training_days_p90",
)  # fmt: skip
INFERENCE = (
    "tensor_parallel", "batch_per_replica", *memory_parts(frozenset({"serving"})), "memory_per_gpu_gib", "memory_usable_gib", "ttft_s",
    "tpot_s", "replica_requests_per_second", "replica_items_per_second", "batch_hours", "replicas", "gpus", "nodes", "stranded_gpus",
)  # fmt: skip
LEADING = ("number", "type", "accelerator")
WIDTHS = {
    "number": 5.5,
    "type": 6.0,
    "recomputation_factor": 13.5,
    "layout_rank": 12.0,
    "verdict": 48.0,
}
WIDTH, FLAG_WIDTH = {"en": 11.5, "zh": 9.5}, {"en": 9.5, "zh": 8.0}  # by the length of the words in the header
NAME_WIDTH, NAME_SPARE = 24.0, 3.5
WIDEST_PAGE = {"en": 340.0, "zh": 300.0}  # characters that are read on one page across; a wider table takes two
TICK = "✓ "
OF_HOST = ("host_memory_fits", "offload_permitted")  # shown where something waits in host memory


def write(model: Model) -> None:
    """Fill the sheet from the layout grid."""
    say = model.words.label
    flags = reasons_of(model)
    shown = [name for name in (TRAINING if "training" in model.features else INFERENCE) if _has(model, name)]
    columns = [*LEADING, *shown, *flags, "layout_rank", "verdict"]
    language = model.result.facts.language
    usual, flag = WIDTH[language], FLAG_WIDTH[language]
    widths = [WIDTHS.get(name, flag if name in flags else usual) for name in columns]
    widths[2] = _name_width(model)
    sheet = model.frame("layouts", widths, [_rule(model, name) for name in columns], names=3)
    last = HEADER_ROW + sum(model.block_sizes)
    sheet.table("LayoutTable", HEADER_ROW, 1, [say(f"layout_head_{name}") for name in columns], last)
    sheet.heights[HEADER_ROW] = 44.0
    if sum(widths) > WIDEST_PAGE[language]:
        print_in_leaves(sheet, len(LEADING))
        sheet.page.pages_wide = 2
    letters = {name: column_letter(number) for number, name in enumerate(columns, start=1)}
    index = 0
    for block in range(len(model.result.layouts)):
        first = FIRST_ROW + index
        for _ in range(model.block_sizes[block]):
            _candidate(model, index, block, letters, flags)
            index += 1
        _mark(model, letters, first, FIRST_ROW + index - 1)
    group_bands(sheet, FIRST_ROW, last, [("C", letters["verdict"])], group="B")
    write_frontier(model, _summary(model, last + 2) + 2)


def _name_width(model: Model) -> float:
    """Characters that the longest name of an accelerator takes in one line."""
    names = model.result.tables["accelerators_name"]
    widest = max(text_width(str(names.get(block.accelerator))) for block in model.result.layouts)
    return max(NAME_WIDTH, round(BOLD * widest + NAME_SPARE, 1))


def reasons_of(model: Model) -> tuple[str, ...]:
    """The flags that a candidate needs all, as the formula of a possible layout names them."""
    flags = model.layout_graph.formulas["layout_ok"].parameters
    return flags if _any_offloaded(model) else tuple(name for name in flags if name not in OF_HOST)


def _any_offloaded(model: Model) -> bool:
    return any(any(block.columns.get("offload_level", ())) for block in model.result.layouts)


def _has(model: Model, name: str) -> bool:
    if name == "expert_parallel" and "mixture_of_experts" not in model.features:
        return False
    if name == "offload_level" and not _any_offloaded(model):
        return False
    return name in model.layout_grid.rows


def _rule(model: Model, name: str) -> str:
    """What a column says, over its header: its rule and its unit."""
    kind = "training" if "training" in model.features else "inference"
    keys = (f"layout_rule_{name}_{kind}", f"layout_rule_{name}")
    return next((model.words.label(key) for key in keys if model.words.has(key)), "")


def _candidate(model: Model, index: int, block: int, letters: dict[str, str], flags: tuple[str, ...]) -> None:
    sheet, grid, row = model.book["layouts"], model.layout_grid, FIRST_ROW + index
    sheet.put(row, 1, float(index + 1), "number", "0")
    sheet.put(row, 2, float(block + 1), "number", "0")
    sheet.put(row, 3, accelerator_name(grid.ref("accelerator", index)), "link_text")
    for name, letter in letters.items():
        if name in grid.rows and name not in LEADING:
            sheet.put(row, letter, value_of(model, name, index), "formula", _format(model, name))
    sheet.put(row, letters["verdict"], _verdict(model, index, block, letters, flags), "formula_text")


def value_of(model: Model, name: str, index: int) -> Symbol:
    """The cell of a quantity of a candidate."""
    return model.layout_grid.ref(name, index)


def _format(model: Model, name: str) -> str:
    """As in the layout calculation; memory and days with one decimal, so that columns compare well."""
    if name == "full_recomputation":
        return model.words.label("flag_format")
    if name == "data_parallel":
        return "[<1]0.00;#,##0"
    item = model.layout_graph.formulas.get(name)
    if item is not None and item.unit in ("GiB", "days"):
        return model.number_format(item.unit)
    return model.layout_grid.sheet.cells[model.layout_grid.rows[name], model.layout_grid.columns[0]].number_format


def _verdict(model: Model, index: int, block: int, letters: dict[str, str], flags: tuple[str, ...]) -> Expression:
    """Possible, the best with a tick, or every reason against it."""
    sheet, say, row = model.book["layouts"], model.words.label, FIRST_ROW + index
    against = [where(equals(_cell(sheet, row, letters, flag), 1), "", say(f"layout_without_{flag}")) for flag in flags]
    rank = _cell(sheet, row, letters, "layout_rank")
    best = TICK + say("layout_chosen" if block == 0 else "layout_best")
    possible = where(equals(rank, least(_ranks(model, block, letters))), best, say("layout_possible"))
    return where(below(rank, IMPOSSIBLE_RANK), possible, join(*against))


def _cell(sheet: Any, row: int, letters: dict[str, str], name: str) -> Symbol:
    return sheet.ref(row, letters[name], ALONG_ROW)


def _ranks(model: Model, block: int, letters: dict[str, str]) -> Symbol:
    """The ranks of an accelerator's candidates on this sheet."""
    first = FIRST_ROW + sum(model.block_sizes[:block])
    letter = letters["layout_rank"]
    return model.book["layouts"].range(first, letter, first + model.block_sizes[block] - 1, letter, BOTH)


def _mark(model: Model, letters: dict[str, str], first: int, last: int) -> None:
    """Tint the best row of an accelerator, grey those that cannot run."""
    sheet = model.book["layouts"]
    rank, letter = _cell(sheet, first, letters, "layout_rank"), letters["layout_rank"]
    best = all_of(equals(rank, least(sheet.range(first, letter, last, letter, BOTH))), below(rank, IMPOSSIBLE_RANK))
    area = (first, 3, last, letters["verdict"])
    chosen_rows(sheet, area, best)
    rejected_rows(sheet, area, negate(below(rank, IMPOSSIBLE_RANK)))


def negate(condition: Expression) -> Expression:
    """The opposite, for a condition of a format."""
    return where(condition, False, True)


def _summary(model: Model, row: int) -> int:
    """How many candidates of each accelerator can run; and whether the winner stands at the end of the list. Its last row."""
    sheet, say, blocks = model.book["layouts"], model.words.label, model.result.layouts
    heads = [say(f"layout_count_{name}") for name in ("accelerator", "possible", "listed", "considered")]
    sheet.table("LayoutCounts", row, 3, heads, row + len(blocks))
    start = 0
    for number, block in enumerate(blocks):
        at = row + 1 + number
        sheet.put(at, 3, accelerator_name(model.layout_grid.ref("accelerator", start)), "link_text")
        sheet.put(at, 4, count_if(model.block_range("layout_ok", number), 1), "formula", "#,##0")
        sheet.put(at, 5, float(model.block_sizes[number]), "number", "#,##0")
        sheet.put(at, 6, float(block.considered), "number", "#,##0")
        start += model.block_sizes[number]
    at = row + len(blocks) + 2
    sheet.put(at, 3, say("layout_at_edge"), "text")
    edge = sheet.put(at, 4, at_edge(model), "formula", say("flag_format"))
    model.book.name("layout_at_edge", edge)
    return at


def at_edge(model: Model) -> Expression:
    """1 when the chosen candidate ends the list, so that a better one may stand outside it."""
    stands_at_end = pick(model.block_range("list_end", 0), model.calc.ref("chosen_layout", BASE))
    unfound = equals(model.calc.ref("layout_found", BASE), 0)
    if "training" not in model.features:
        return where(unfound, 0, stands_at_end)
    return where(any_of(unfound, above(model.base("fixed_gpu_count"), 0)), 0, stands_at_end)
