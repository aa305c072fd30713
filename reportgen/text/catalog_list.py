"""Catalog records as a table of a kind, or one record with all its facts, source and age."""

from __future__ import annotations

import datetime
from collections.abc import Iterable, Mapping
from typing import Any

from reportgen.catalog.numbers import format_number
from reportgen.catalog.wording import Wording, wording
from reportgen.text.blocks import Answer, Cell, Lines, Table

# kind -> fields shown in a list, each with the unit by which its numbers are written
COLUMNS: dict[str, str] = {
    "accelerators": "id name memory_gb:count memory_bandwidth_gb_s:count bf16_tflops:count fp8_tflops:count "
    "tdp_w:count supply_cn",
    "servers": "id name accelerator gpus_per_node:count max_power_kw:kW prices",
    "node_classes": "id name gpus_per_node:count ram_gb:count compute_nics:count",
    "models": "id name parameters_b:days layers:count hidden_size:count num_experts:count",
    "prices": "id accelerator region kind per_gpu_hour:money/h currency",
    "components": "id item unit low high currency",
    "site": "id facts as_of",
    "tokenizers": "id name vocab_size:count english_tokens_per_char:factor chinese_tokens_per_char:factor",
    "constants": "id value low high unit confidence source",
    "inputs": "id unit group choices",
    "sources": "id title publisher",
}
UNDATED = ("inputs", "sources", "constants", "site")
WRAPPED = ("name", "item", "title", "note", "publisher", "supply_cn", "prices", "choices", "source", "region", "facts")
HEADS = {"title": "title_of_source"}


def kinds_answer(counts: Mapping[str, int], language: str) -> Answer:
    """The kinds of the catalog and how many records each has."""
    words = wording(language)
    rows = tuple((kind, words.label(f"catalog_{kind}"), str(count)) for kind, count in counts.items())
    head = tuple(words.label(f"cli_catalog_{key}") for key in ("kind", "content", "count"))
    return Answer(
        words.label("cli_catalog_title"),
        words.label("cli_catalog_hint"),
        (Table("", head, rows, frozenset({2}), (1,)),),
    )


def records_answer(kind: str, records: Iterable[Any], language: str) -> Answer:
    """All records of a kind, a row each."""
    words = wording(language)
    records, columns = list(records), _columns(kind)
    dated = kind not in UNDATED
    rows = tuple(
        (*(_field(record, name, unit, language) for name, unit in columns), *((record.as_of,) if dated else ()))
        for record in records
    )
    head = tuple(
        words.label(f"cli_catalog_{HEADS.get(name, name)}")
        for name in (*(name for name, _ in columns), *(("as_of",) if dated else ()))
    )
    right = frozenset(index for index, (name, unit) in enumerate(columns) if unit or name in ("value", "low", "high"))
    flexible = tuple(index for index, (name, _) in enumerate(columns) if name in WRAPPED)
    sentence = words.text("cli_catalog_list_hint", count=len(records), kind=kind)
    return Answer(words.label(f"catalog_{kind}"), sentence, (Table("", head, rows, right, flexible),))


def _columns(kind: str) -> list[tuple[str, str]]:
    return [(name, unit) for name, _, unit in (column.partition(":") for column in COLUMNS[kind].split())]


def record_answer(kind: str, record: Any, source: Any, language: str, today: datetime.date) -> Answer:
    """Every fact of one record."""
    words = wording(language)
    data = record.model_dump(exclude_none=True)
    facts = tuple(
        (name.replace("_", " "), text)
        for name, value in data.items()
        if name not in ("id", "source", "as_of")
        for text in _texts(value)
    )
    head = (words.label("cli_catalog_fact"), words.label("cli_catalog_value"))
    lines = [
        f"{words.label('cli_catalog_source')}: {data.get('source') or '–'}",
        f"{words.label('cli_catalog_as_of')}: {age_text(record.as_of, today, words)}",
    ]
    if source is not None:
        lines.append(
            ", ".join(part for part in (source.title, source.publisher, source.address, source.licence) if part)
        )
    blocks = (
        Table("", head, facts, flexible=(1,)),
        Lines(words.label("cli_catalog_origin"), tuple(lines), bullets=False),
    )
    return Answer(data.get("name") or record.id, f"{words.label(f'catalog_{kind}')}: {record.id}", blocks)


def age_text(as_of: str, today: datetime.date, words: Wording) -> str:
    """A date and how long ago it is; a date without a day counts from its start."""
    padded = f"{as_of}-01-01"[:10] if len(as_of) == 4 else f"{as_of}-01"[:10]
    try:
        days = (today - datetime.date.fromisoformat(padded)).days
    except ValueError:
        return as_of or "–"
    return words.text("cli_catalog_age", date=as_of, days=max(0, days))


def _field(record: Any, name: str, unit: str, language: str) -> str:
    if name == "supply_cn":
        return _supply(record, language)
    if name == "facts":
        return _numbers(record)
    if name == "prices":
        return _newest_price(record.prices, language)
    value = _parameters_b(record) if name == "parameters_b" else getattr(record, name, None)
    if isinstance(value, float) and not unit:
        return f"{value:,.6g}"
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return format_number(float(value), unit or "count", language)
    return ", ".join(map(str, value)) if isinstance(value, tuple) else str(value if value is not None else "–")


def _parameters_b(record: Any) -> float:
    from reportgen.evaluation.model_size import parameters_of_record  # half a second that other kinds need not wait

    return parameters_of_record(record) / 1e9


def _supply(record: Any, language: str) -> Cell | str:
    status = record.supply.get("cn") if record.supply else None
    if status is None:
        return "–"
    words = wording(language)
    return Cell(words.label(f"supply_{status.status}"), "good" if status.status == "available" else "look")


def _numbers(record: Any) -> str:
    """Every number of a record whose fields differ from those of its neighbours."""
    data = record.model_dump(exclude_none=True)
    numbers = {
        **data.pop("values", {}),
        **{key: value for key, value in data.items() if isinstance(value, (int, float))},
    }
    return ", ".join(
        f"{key.replace('_', ' ')} {value:,.6g}" for key, value in numbers.items() if not isinstance(value, bool)
    )


def _newest_price(prices: Iterable[Any], language: str) -> str:
    newest = max(prices or (), key=lambda price: str(price.as_of), default=None)
    if newest is None:
        return "–"
    ends = dict.fromkeys(format_number(end, "count", language) for end in (newest.low, newest.high) if end is not None)
    return f"{'–'.join(ends)} {newest.currency}"


def _texts(value: Any) -> list[str]:
    if isinstance(value, Mapping):
        return ["; ".join(f"{key} {' '.join(_texts(item))}" for key, item in value.items())]
    if isinstance(value, (tuple, list)):
        return [text for item in value for text in _texts(item)] or ["–"]
    if isinstance(value, float):
        return [f"{value:,.12g}"]
    return [str(value)]
