"""Reading a private price book: a YAML list or a CSV file of prices that may not leave the building."""

from __future__ import annotations

import csv
import math
from collections.abc import Iterator, Mapping
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
KINDS = ("server", "rent", "line")
TAXES = ("excluded", "included", "unknown")
TERMS = ("", "hour", "month", "year", "block")
PER_HOUR = {"GPU-hour": 1.0, "GPU-month": 1 / 720, "node-month": 1 / 720}


def read_price_book(path: Path, catalog: Catalog) -> tuple[BookPrice, ...]:
    """The lines of a price book, in order; later lines win. Items: accelerators, servers, lines of the hardware list.

    Columns: item, price, currency; and kind (server, rent, line), unit, tax, tax_rate, source, as_of, low, high, term.
    Raises CatalogError with every wrong line, each with its number.
    """
    known_lines = {fold(key): key for key in catalog.component_lines}
    lines, problems = [], []
    for number, row in _rows(path):
        try:
            lines.append(_line(row, catalog, known_lines))
        except _WrongLine as error:
            problems.append(
                Problem(
                    "price-book", f"{error}", error.fix, Place(file=str(path), line=number), tuple(error.candidates)
                )
            )
    if problems:
        raise CatalogError(*problems)
    return tuple(lines)


class _WrongLine(ValueError):
    def __init__(self, message: str, fix: str = "", candidates: tuple[str, ...] = ()):
        super().__init__(message)
        self.fix = fix
        self.candidates = candidates


def _rows(path: Path) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """Line number and fields of every row."""
    try:
        content = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise CatalogError.of(
            "price-book",
            f"cannot read the price book '{path}': {reason}",
            "check `prices:` or --prices",
            Place(file=str(path)),
        ) from error
    return _csv_rows(content) if path.suffix.casefold() == ".csv" else _yaml_rows(path, content)


def _csv_rows(content: str) -> Iterator[tuple[int, Mapping[str, Any]]]:
    reader = csv.DictReader(content.splitlines())
    for row in reader:
        yield (
            reader.line_num,
            {(key or "").strip(): (value or "").strip() for key, value in row.items() if key is not None},
        )


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


def _line(row: Mapping[str, Any], catalog: Catalog, known_lines: Mapping[str, str]) -> BookPrice:
    for key in row:
        if key not in KNOWN:
            near = suggestions(str(key), KNOWN, limit=1)
            raise _WrongLine(
                f"unknown column '{key}'",
                f"did you mean '{near[0]}'?" if near else f"columns: {', '.join(KNOWN)}",
                near,
            )
    for key in REQUIRED:
        if row.get(key) in (None, ""):
            raise _WrongLine(f"{key} is missing", f"every line needs {', '.join(REQUIRED)}")
    kind, item = _item(str(row["item"]), str(row.get("kind") or ""), catalog, known_lines)
    price = _number(row, "price")
    low, high = _number(row, "low"), _number(row, "high")
    if (low is not None and low > price) or (high is not None and high < price):
        raise _WrongLine(f"low and high must enclose the price {price:g}", "swap them, or leave them out")
    unit = str(row.get("unit") or ("GPU-hour" if kind == "rent" else ""))
    factor = _per_hour(unit, item, catalog) if kind == "rent" else 1.0
    return BookPrice(
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
    )


def _item(name: str, kind: str, catalog: Catalog, known_lines: Mapping[str, str]) -> tuple[str, str]:
    """Kind and id of an item; without a kind a line key wins over a server and a server over an accelerator."""
    if kind and kind not in KINDS:
        raise _WrongLine(f"unknown kind '{kind}'", f"kinds: {', '.join(KINDS)}", suggestions(kind, KINDS, limit=1))
    if kind in ("", "line") and fold(name) in known_lines:
        return "line", known_lines[fold(name)]
    servers = {fold(key): key for key in catalog.servers}
    if kind in ("", "server") and fold(name) in servers:
        return "server", servers[fold(name)]
    accelerators = {fold(key): key for key in catalog.accelerators} | dict(catalog.accelerator_aliases)
    if kind != "line" and fold(name) in accelerators:
        return kind or "server", accelerators[fold(name)]
    pool = known_lines.values() if kind == "line" else [*catalog.accelerators, *servers.values(), *known_lines.values()]
    near = suggestions(name, pool, limit=3)
    raise _WrongLine(
        f"unknown item '{name}'", f"did you mean '{near[0]}'?" if near else "see: reportgen catalog accelerators", near
    )


def _per_hour(unit: str, item: str, catalog: Catalog) -> float:
    factor = PER_HOUR.get(unit)
    if factor is None:
        raise _WrongLine(f"a rent is not priced by '{unit}'", f"units: {', '.join(PER_HOUR)}")
    if unit != "node-month":
        return factor
    return factor / node_facts(catalog, catalog.accelerators[item]).gpus_per_node


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
    return number


def _choice(row: Mapping[str, Any], key: str, choices: tuple[str, ...], default: str) -> str:
    value = str(row.get(key) or default)
    if value not in choices:
        named = ", ".join(choice for choice in choices if choice)
        raise _WrongLine(
            f"{key} '{value}' is not known", f"choose one of: {named}", suggestions(value, choices, limit=1)
        )
    return value
