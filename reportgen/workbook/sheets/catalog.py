"""The catalog sheet: what the accelerator drop-down reaches, a row an accelerator; and the lists of the drop-downs."""

from __future__ import annotations

from itertools import chain

from reportgen.catalog import load_catalog
from reportgen.catalog.accelerator_table import COLUMN_UNITS
from reportgen.formula import Expression, Symbol, pick, position
from reportgen.workbook.cells import DASH
from reportgen.workbook.frame import HEADER_ROW, SENTENCE_ROW, missing_fills, print_in_leaves
from reportgen.workbook.model import FIRST_ROW, Model
from reportgen.workbook.palette import line_height
from reportgen.workbook.sheets.request_offers import choices as offer_choices

PREFIX = "accelerators_"
IDENTITY = ("name", "id")  # stay in sight, and repeat on every leaf
LEAVES = (  # the columns of each printed leaf
    (
        "vendor", "family", "form_factor", "release_year", "memory_gib", "bandwidth_gb_s", "bf16_tflops", "fp16_tflops", "fp8_tflops",
        "fp4_tflops", "fp32_tflops", "tf32_tflops", "tdp_kw",
        "interconnect_gb_s", "pcie_gb_s", "nvlink_domain", "confidence", "as_of", "source",
    ),
    (
        "node_name", "gpus_per_node", "node_power_kw", "node_rack_units", "node_cpu_cores", "node_ram_gb", "node_nvme_tb",
        "node_nic_count", "node_nic_gbit_s", "node_price", "node_price_low", "node_price_high", "price_basis", "price_date",
        "price_source",
    ),
    (
        "rent_per_gpu_hour", "rent_per_gpu_hour_low", "rent_per_gpu_hour_high", "rent_basis", "rent_date", "rent_source",
        "rent_month", "rent_reserved_1y", "rent_reserved_3y", "rent_spot", "owned_gpus", "owned_busy_share",
    ),
    (
        "planning_utilization_bf16", "planning_utilization_fp16", "planning_utilization_fp8", "planning_utilization_fp4",
        "supply_status_cn", "supply_date_cn", "supply_source_cn", "supply_status_us", "supply_date_us", "supply_source_us",
    ),
)  # fmt: skip
WIDTHS = {
    "name": 36.0, "id": 16.0, "vendor": 9.0, "node_name": 68.0, "source": 19.0, "price_source": 17.0, "rent_source": 17.0,
    "supply_source_cn": 17.0, "supply_source_us": 17.0,
    "node_price": 14.0, "node_price_low": 14.0, "node_price_high": 14.0, "price_basis": 14.0, "rent_basis": 17.5,
    "gpus_per_node": 10.0, "node_power_kw": 10.0, "node_rack_units": 10.0, "node_cpu_cores": 10.0, "node_ram_gb": 10.0,
    "node_nvme_tb": 10.0, "node_nic_count": 10.0, "node_nic_gbit_s": 10.0,
    "supply_status_cn": 23.0, "supply_status_us": 23.0, "form_factor": 11.0, "family": 12.0,
}  # fmt: skip
WIDTH = 12.5
TRANSLATED = {
    "family": "family", "confidence": "confidence", "price_basis": "basis", "rent_basis": "basis", "supply_status_cn": "supply",
    "supply_status_us": "supply",
}  # fmt: skip  # never read by formulas, so they stand in the words of the language
YEARS = {"release_year"}
PRICED = ("node_price", "rent_per_gpu_hour", "rent_month", "rent_reserved_1y", "rent_reserved_3y", "rent_spot")
SCALE = {"en": 50, "zh": 41}  # percent, at most: the widest leaf fits
HEAD = {"en": 121.0, "zh": 126.0}  # points of the printed rows above the first
PAGE_HEIGHT = 520.0  # points
FLAGS = (0.0, 1.0)


def write(model: Model) -> None:
    """Fill the sheet, and give each column the name that formulas read."""
    columns = _columns(model)
    units = [_unit(model, fact) for fact in columns]
    sheet = model.frame("catalog", [WIDTHS.get(fact, WIDTH) for fact in columns], units)
    count = len(model.result.tables[f"{PREFIX}id"])
    last = HEADER_ROW + count
    sheet.table("AcceleratorTable", HEADER_ROW, 1, [model.label(PREFIX + fact) for fact in columns], last)
    for column, fact in enumerate(columns, start=1):
        _fill(model, fact, column)
        area = sheet.range(FIRST_ROW, column, last, column)
        model.tables[PREFIX + fact] = model.book.name(PREFIX + fact, area)
        if fact in PRICED:
            missing_fills(sheet, (FIRST_ROW, column, last, column))
    sheet.put(SENTENCE_ROW, len(IDENTITY) + 1, model.words.label("catalog_about_more"), "subtitle")
    _lists(model, last + 3)
    page, at = sheet.page, len(IDENTITY)
    print_in_leaves(sheet, len(IDENTITY))
    page.scale = _scale(model.result.facts.language, count)
    page.last_row = last  # the lists below are for the drop-downs
    for leaf in LEAVES[:-1]:
        at += sum(fact in columns for fact in leaf)
        page.column_breaks.append(at)


def _scale(language: str, count: int) -> int:
    """Percent at which a leaf holds every accelerator, one line each."""
    tall = HEAD[language] + count * (line_height(language) + 4)
    return min(SCALE[language], int(100 * PAGE_HEIGHT / tall))


def _columns(model: Model) -> list[str]:
    """The columns of the leaves that there are, and whatever else a formula reads."""
    shown_columns = [fact for fact in (*IDENTITY, *chain(*LEAVES)) if PREFIX + fact in model.result.tables]
    parameters = chain(*(item.parameters for graph in (model.graph, model.layout_graph) for item in graph.order))
    read = [name.removeprefix(PREFIX) for name in parameters if name.startswith(PREFIX)]
    return list(dict.fromkeys([*shown_columns, *read]))


def _unit(model: Model, fact: str) -> str:
    unit = COLUMN_UNITS.get(fact)
    return model.unit(unit) if unit else ""


def _fill(model: Model, fact: str, column: int) -> None:
    sheet, values = model.book["catalog"], model.result.tables[PREFIX + fact].values
    is_text = any(isinstance(value, str) for value in values)
    number_format = "" if is_text else _number_format(model, fact, values)
    for row, value in enumerate(values, start=FIRST_ROW):
        link = model.source_link(value) if is_text and "source" in fact else None
        style = ("fact_text" if link is None else "jump") if is_text else "fact"
        sheet.put(row, column, _shown(model, fact, value), style, number_format, link)


def _number_format(model: Model, fact: str, values: tuple) -> str:
    return "0" if fact in YEARS else model.number_format(COLUMN_UNITS.get(fact, "count"), *values)


def _shown(model: Model, fact: str, value: object) -> object:
    """Text of a fact in the words of the language where it has some; the dash where nothing is known."""
    if value == "":
        return DASH
    key = f"{TRANSLATED[fact]}_{value}" if fact in TRANSLATED else ""
    return model.words.label(key) if key and model.words.has(key) else value


def _lists(model: Model, row: int) -> None:
    """What the drop-downs offer that is not an accelerator."""
    sheet = model.book["catalog"]
    sheet.put(row, 1, model.words.label("catalog_lists"), "section")
    lists = {"flags": (model.words.label("list_flags"), FLAGS)}
    lists["offer"] = (model.words.label("request_column_taken"), offer_choices(model))
    lists |= {key: (model.label(key), values) for key, values in choices(model).items()}
    for column, (key, (head, values)) in enumerate(lists.items(), start=1):
        last = row + 1 + len(values)
        sheet.table(f"Choices_{key}", row + 1, column, [head], last)
        for offset, value in enumerate(values, start=row + 2):
            sheet.put(offset, column, value, "fact_text" if isinstance(value, str) else "fact")
        model.lists[key] = model.book.name(f"list_{key}", sheet.range(row + 2, column, last, column))


def choices(model: Model) -> dict[str, tuple[str, ...]]:
    """Inputs of text that take one of a few values."""
    declared = load_catalog().inputs
    texts = [item.key for item in model.listed_inputs if isinstance(item.value, str) and item.key in declared]
    return {key: declared[key].choices for key in texts if declared[key].choices}


def accelerator_name(key: Symbol) -> Expression:
    """The name of an accelerator beside its key, for sheets that show it."""
    return pick(Symbol(f"{PREFIX}name"), position(Symbol(f"{PREFIX}id"), key))
