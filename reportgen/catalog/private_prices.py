"""Reading a private price book: a YAML list or a CSV file of prices that may not leave the building."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
from io import StringIO
from pathlib import Path
from typing import Any

import yaml

from reportgen.catalog.accelerator_facts import node_facts
from reportgen.catalog.load import Catalog
from reportgen.catalog.money import BookPrice
from reportgen.catalog.names import fold, suggestions
from reportgen.catalog.yaml_data import CatalogLoader, place_of, wrong
from reportgen.errors import CatalogError, Place, Problem

REQUIRED = ("item", "price", "currency")
KNOWN = (*REQUIRED, "kind", "unit", "tax", "tax_rate", "source", "as_of", "low", "high", "term", "note")
KINDS = ("server", "rent", "line", "rate")
CHINESE = {  # what procurement writes in a Chinese price list
    "名称": "item", "项目": "item", "类别": "kind", "单价": "price", "币种": "currency", "单位": "unit", "含税情况": "tax",
    "税率": "tax_rate",
    "来源": "source", "日期": "as_of", "最低": "low", "最高": "high", "租期": "term", "备注": "note", "服务器": "server", "租用": "rent",
    "清单项": "line", "汇率": "rate", "含税": "included", "不含税": "excluded", "未税": "excluded", "未说明": "unknown", "人民币": "CNY",
    "美元": "USD",
}  # fmt: skip
TAXES = ("excluded", "included", "unknown")
TERMS = ("", "hour", "month", "year", "3-years", "block", "spot")
LARGEST = 1e13
PER_HOUR = {"GPU-hour": 1.0, "GPU-month": 1 / 720, "node-month": 1 / 720}


def read_price_book(path: Path, catalog: Catalog) -> tuple[BookPrice, ...]:
    """The lines of a price book, in order; later lines win. Items: accelerators, servers, lines of the hardware list.

    Columns: item, price, currency; and kind (server, rent, line, rate), unit, tax, tax_rate, source, as_of, low, high, term.
    A line with an empty price is not quoted yet and counts as absent. kind rate: one unit of item costs so much.
    Raises CatalogError with every wrong line, each with its number.
    """
    names = _Names(catalog)
    lines, problems = [], []
    for number, row in _rows(path):
        try:
            lines += _line(_in_english(row), names, Place(file=str(path), line=number))
        except _WrongLine as error:
            problems.append(
                Problem(
                    "price-book", f"{error}", error.fix, Place(file=str(path), line=number), tuple(error.candidates)
                )
            )
    if problems:
        raise CatalogError(*problems)
    return tuple(lines)


class _Names:
    """Every name that an item may have, folded, -> id."""

    def __init__(self, catalog: Catalog):
        self.catalog = catalog
        self.lines = {fold(key): key for key in catalog.component_lines}
        self.servers = {fold(key): key for key in catalog.servers}
        self.accelerators = {fold(key): key for key in catalog.accelerators} | dict(catalog.accelerator_aliases)

    def gpus_per_node(self, accelerator: str) -> int:
        """Accelerators in the node that a node month rents."""
        return node_facts(self.catalog, self.catalog.accelerators[accelerator]).gpus_per_node


class _WrongLine(ValueError):
    def __init__(self, message: str, fix: str = "", candidates: tuple[str, ...] = ()):
        super().__init__(message)
        self.fix = fix
        self.candidates = candidates


def _in_english(row: Mapping[Any, Any]) -> dict[Any, Any]:
    """Chinese names of columns, and the few words that columns hold, as this program names them."""
    words = ("kind", "tax", "currency")
    named = {CHINESE.get(key, key): value for key, value in row.items()}
    return {key: CHINESE.get(value, value) if key in words else value for key, value in named.items()}


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Line number and fields of every row."""
    try:
        content = _text_of(path)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise CatalogError.of(
            "price-book",
            f"cannot read the price book '{path}': {reason}",
            "check `prices:` or --prices",
            Place(file=str(path)),
        ) from error
    return _csv_rows(path, content) if path.suffix.casefold() == ".csv" else _yaml_rows(path, content)


def _text_of(path: Path) -> str:
    """UTF-8; a CSV that a Chinese spreadsheet saved is in its own encoding."""
    content = path.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        if path.suffix.casefold() != ".csv":
            raise
        return content.decode("gb18030")


def _csv_rows(path: Path, content: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(StringIO(content), restkey="(beyond the last column)")
    header = [CHINESE.get(name.strip(), name.strip()) for name in reader.fieldnames or ()]
    absent = [name for name in REQUIRED if header.count(name) != 1]
    if absent:
        raise CatalogError.of(
            "price-book",
            f"the first line of '{path}' must name each of these columns once: {', '.join(absent)}",
            f"begin with: {','.join(KNOWN)}",
            Place(file=str(path), line=1),
        )
    for row in reader:
        fields = {key.strip(): value.strip() if isinstance(value, str) else value for key, value in row.items()}
        yield reader.line_num, fields


def _yaml_rows(path: Path, content: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    loader = CatalogLoader(content)
    try:
        node = loader.get_single_node()
        if not isinstance(node, yaml.SequenceNode):
            raise CatalogError.of(
                "price-book",
                f"the price book '{path}' must be a list",
                "start every price with '- item:'",
                Place(file=str(path), line=1),
            )
        for child in node.value:
            fields = loader.build(child)
            yield child.start_mark.line + 1, fields if isinstance(fields, dict) else {"item": str(fields)}
    except yaml.YAMLError as error:
        message = f"the price book '{path}' is not valid YAML: {wrong(error)}"
        raise CatalogError.of("price-book", message, "mend the line named", place_of(path, error)) from error
    finally:
        loader.dispose()


def _line(row: Mapping[str, Any], names: _Names, place: Place) -> list[BookPrice]:
    """The price of a line; none while it has no price."""
    for key in row:
        if key not in KNOWN:
            near = suggestions(str(key), KNOWN, limit=1)
            raise _WrongLine(
                f"unknown column '{key}'",
                f"did you mean '{near[0]}'?" if near else f"columns: {', '.join(KNOWN)}",
                near,
            )
    unpriced = "price" in row and row["price"] in (None, "")
    for key in REQUIRED:
        if key == "price" and unpriced:
            continue
        if row.get(key) in (None, ""):
            raise _WrongLine(f"{key} is missing", f"every line needs {', '.join(REQUIRED)}")
    unit = str(row.get("unit") or "")
    kind, item = _item(str(row["item"]), str(row.get("kind") or ("rent" if unit in PER_HOUR else "")), names)
    price = _number(row, "price")
    if unpriced:
        return []
    low, high = _number(row, "low"), _number(row, "high")
    if (low is not None and low > price) or (high is not None and high < price):
        raise _WrongLine(f"low and high must enclose the price {price:g}", "swap them, or leave them out")
    factor = _per_hour(unit or "GPU-hour", item, names) if kind == "rent" else 1.0
    return [
        BookPrice(
            item=item,
            kind=kind,
            price=price * factor,
            currency=str(row["currency"]).upper(),
            unit=unit,
            tax=_choice(row, "tax", TAXES, "unknown"),
            source=str(row.get("source") or "private price book"),
            as_of=str(row.get("as_of") or ""),
            low=None if low is None else low * factor,
            high=None if high is None else high * factor,
            tax_rate=_number(row, "tax_rate"),
            term=_choice(row, "term", TERMS, ""),
            place=place,
        )
    ]


def _item(name: str, kind: str, names: _Names) -> tuple[str, str]:
    """Kind and id of an item; without a kind a line key wins over a server and a server over an accelerator."""
    if kind and kind not in KINDS:
        raise _WrongLine(f"unknown kind '{kind}'", f"kinds: {', '.join(KINDS)}", suggestions(kind, KINDS, limit=1))
    if kind == "rate":
        return kind, name.strip().upper()
    wanted = fold(name)
    if kind in ("", "line") and wanted in names.lines:
        return "line", names.lines[wanted]
    if kind in ("", "server") and wanted in names.servers:
        return "server", names.servers[wanted]
    if kind != "line" and wanted in names.accelerators:
        return kind or "server", names.accelerators[wanted]
    pool = names.lines if kind == "line" else [*names.catalog.accelerators, *names.servers, *names.lines]
    near = suggestions(name, pool, limit=3)
    raise _WrongLine(
        f"unknown item '{name}'", f"did you mean '{near[0]}'?" if near else "see: reportgen catalog accelerators", near
    )


def _per_hour(unit: str, item: str, names: _Names) -> float:
    factor = PER_HOUR.get(unit)
    if factor is None:
        raise _WrongLine(f"a rent is not priced by '{unit}'", f"units: {', '.join(PER_HOUR)}")
    return factor / names.gpus_per_node(item) if unit == "node-month" else factor


def _number(row: Mapping[str, Any], key: str) -> float | None:
    value = row.get(key)
    if value in (None, ""):
        return None
    try:
        number = float(str(value).replace(",", "").replace("_", "").removesuffix("%"))
    except ValueError:
        raise _WrongLine(f"{key} '{value}' is not a number", "write digits, such as 2450000") from None
    number = number / 100 if str(value).endswith("%") else number
    if not math.isfinite(number) or number < 0 or (number == 0 and key != "tax_rate"):
        raise _WrongLine(
            f"{key} must be positive, not '{value}'", "leave an unknown price out: it is then marked 'quote needed'"
        )
    if number > LARGEST:
        raise _WrongLine(f"{key} '{value}' is more than anything costs", "write the amount in digits, such as 2450000")
    return number


def _choice(row: Mapping[str, Any], key: str, choices: tuple[str, ...], default: str) -> str:
    value = str(row.get(key) or default)
    if value not in choices:
        named = ", ".join(choice for choice in choices if choice)
        raise _WrongLine(
            f"{key} '{value}' is not known", f"choose one of: {named}", suggestions(value, choices, limit=1)
        )
    return value
