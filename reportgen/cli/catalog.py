"""reportgen catalog: accelerators, models, servers, prices, with source and age."""

from __future__ import annotations

import datetime
import sys
from difflib import get_close_matches

import click

from reportgen.cli.lazy_group import Command
from reportgen.cli.settings import Settings
from reportgen.errors import ReportError, UsageError

KINDS = {  # argument -> attribute of the catalog
    "accelerators": "accelerators",
    "servers": "servers",
    "node_classes": "node_classes",
    "models": "models",
    "prices": "rents",
    "components": "components",
    "site": "site",
    "tokenizers": "tokenizers",
    "constants": "constants",
    "inputs": "inputs",
    "sources": "sources",
}


@click.command(cls=Command)
@click.argument("kind", required=False, metavar="[KIND]")
@click.argument("name", required=False, metavar="[NAME]")
@click.option("--json", "as_json", is_flag=True, help="The records as JSON.")
@click.pass_obj
def command(settings: Settings, kind: str | None, name: str | None, as_json: bool) -> int:
    """The facts that estimates rest on: without KIND the kinds, with KIND its records, with NAME one record.

    KIND may be left out before a NAME: reportgen catalog h200-sxm
    """
    from reportgen.catalog import load_catalog
    from reportgen.text import catalog_list

    catalog, language = load_catalog(), settings.language or "en"
    today = datetime.date.fromisoformat(settings.date) if settings.date else datetime.date.today()
    if kind is None:
        counts = {key: len(getattr(catalog, attribute)) for key, attribute in KINDS.items()}
        return _show(catalog_list.kinds_answer(counts, language), counts, settings, as_json)
    found = _kind(kind)
    if found and name is None:
        records = getattr(catalog, KINDS[found]).values()
        said = catalog_list.records_answer(found, records, language)
        return _show(said, [record.model_dump(mode="json") for record in records], settings, as_json)
    found, record = _record(catalog, found, name) if found else _anywhere(catalog, kind, name)
    source = catalog.sources.get(getattr(record, "source_key", None) or record.source)
    said = catalog_list.record_answer(found, record, source, language, today)
    return _show(said, record.model_dump(mode="json"), settings, as_json)


def _kind(word: str) -> str | None:
    folded = word.strip().lower().replace("-", "_")
    also = {"gpu": "accelerators", "gpus": "accelerators", "rents": "prices", "rent": "prices"}
    return next((kind for kind in KINDS if folded in (kind, kind.removesuffix("s"))), also.get(folded))


def _record(catalog, kind: str, name: str):
    return kind, catalog.find(KINDS[kind], name)


def _anywhere(catalog, word: str, name: str | None):
    """A record of any kind by its name alone."""
    if name is None:
        for kind in (
            "accelerators",
            "models",
            "servers",
            "tokenizers",
            "constants",
            "sources",
            "components",
            "prices",
            "site",
        ):
            try:
                return _record(catalog, kind, word)
            except ReportError:
                continue
    near = tuple(get_close_matches(word.lower(), KINDS, 3, 0.5))
    fix = f"did you mean '{near[0]}'?  (reportgen catalog)" if near else "see the kinds: reportgen catalog"
    raise UsageError.of("unknown-kind", f"the catalog has no '{word}'", fix, candidates=near)


def _show(said, data, settings: Settings, as_json: bool) -> int:
    if as_json:
        from reportgen.text.json import dumps

        click.echo(dumps(data))
    else:
        from reportgen.text.table import Terminal

        click.echo(Terminal(colored=settings.colored(sys.stdout)).answer(said), nl=False)
    return 0
