"""Names of the catalog in a scenario: found by name or alias, replaced by their ids."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from reportgen.catalog import Catalog
from reportgen.errors import Problem, ScenarioError
from reportgen.scenario.sources import Sources

# Where names stand: path ('*' is any item of a list), and the kind of record.
NAMED = (
    ("hardware.accelerator", "accelerator"),
    ("hardware.accelerators.*", "accelerator"),
    ("hardware.server", "server"),
    ("owned.*.accelerator", "accelerator"),
    ("measured.accelerator", "accelerator"),
    ("measured.*.accelerator", "accelerator"),
    ("utilization.from_run.accelerator", "accelerator"),
    ("tokenizer", "tokenizer"),
    ("data.tokenizer", "tokenizer"),
    ("model.id", "model"),
    ("options.smaller_models.*", "model"),
)


def resolve_names(raw: dict[str, Any], catalog: Catalog, sources: Sources) -> list[Problem]:
    """Replaces names by ids in place; one problem for each name that the catalog does not know."""
    problems: list[Problem] = []
    if isinstance(raw.get("hardware"), dict) and isinstance(raw["hardware"].get("accelerators"), str):
        raw["hardware"]["accelerators"] = [raw["hardware"]["accelerators"]]
    for pattern, kind in NAMED:
        for path, name, replace in _matches(raw, pattern.split("."), ()):
            if not isinstance(name, str) or not name.strip():
                continue
            try:
                replace(catalog.find(kind, name).id)
            except ScenarioError as error:
                place = sources.place_of(path)
                problems += [Problem(p.code, p.message, p.fix, place, p.candidates) for p in error.problems]
    return problems


def _matches(value: Any, pattern: list[str], path: tuple) -> Iterator[tuple[tuple, Any, Callable[[Any], None]]]:
    head, *rest = pattern
    if head == "*":
        items = list(enumerate(value)) if isinstance(value, list) else []
    else:
        items = [(head, value[head])] if isinstance(value, dict) and head in value else []
    for key, child in items:
        if rest:
            yield from _matches(child, rest, (*path, key))
        else:
            yield (*path, key), child, lambda new, holder=value, key=key: holder.__setitem__(key, new)
