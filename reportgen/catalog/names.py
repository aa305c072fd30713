"""Finding a record by the name that a person wrote, and saying which names come near when there is none."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import TYPE_CHECKING

from reportgen.catalog.yaml_data import read_data
from reportgen.errors import Place, ScenarioError

if TYPE_CHECKING:
    from reportgen.catalog.load import Catalog
    from reportgen.catalog.record import Record

# kind -> (attribute of the catalog, argument of `reportgen catalog`)
KINDS: dict[str, tuple[str, str]] = {
    "accelerator": ("accelerators", "accelerators"),
    "server": ("servers", "servers"),
    "model": ("models", "models"),
    "tokenizer": ("tokenizers", "tokenizers"),
    "rent": ("rents", "prices"),
    "component": ("components", "components"),
    "component line": ("component_lines", "components"),
    "site value": ("site", "site"),
    "node class": ("node_classes", "servers"),
    "constant": ("constants", "constants"),
    "input": ("inputs", "inputs"),
    "source": ("sources", "sources"),
}
PLURALS = {attribute: kind for kind, (attribute, _) in KINDS.items()}
PLURALS |= {"component_line": "component line", "node_class": "node class", "price": "rent", "prices": "rent"}

TUNED = re.compile(r"(?:-(?:instruct|chat|base|hf|it))+$")  # the same shape as the model that was tuned
DASH_BEFORE_NUMBER = re.compile(r"(?<=[a-z])-(?=\d)")
POINT_OF_VERSION = re.compile(r"(?<=\d)\.(?=\d+-)|(?<=[a-z]\d)\.(?=\d+$)")  # of llama3.1-8b and deepseek-v3.2, not of opt-1.3b


def fold(name: str) -> str:
    """A name without the differences that people do not mean: case, blanks, underscores."""
    return re.sub(r"[\s_]+", "-", name.strip().casefold())


def suggestions(name: str, known: Iterable[str], limit: int = 3) -> tuple[str, ...]:
    """The known names nearest to a name, best first."""
    folded = {fold(candidate): candidate for candidate in known}
    wanted = fold(name)
    near = difflib.get_close_matches(wanted, folded, n=limit, cutoff=0.5)
    near += [other for other in folded if len(wanted) > 2 and other.startswith(wanted) and other not in near]
    zero = difflib.get_close_matches(wanted.replace("o", "0"), folded, n=limit, cutoff=0.6)
    ranked = sorted({*near, *zero}, key=lambda other: (-_likeness(wanted, other), other))
    return tuple(folded[other] for other in ranked[:limit])


def _likeness(wanted: str, other: str) -> float:
    """Ratio of equal letters, O read as 0 where that fits better; a common start counts more."""
    spellings = {wanted, wanted.replace("o", "0")}
    return max(
        difflib.SequenceMatcher(None, spelling, other).ratio() + (0.3 if other.startswith(spelling) else 0.0)
        for spelling in spellings
    )


def find(catalog: Catalog, kind: str, name: str, place: Place | None = None) -> Record:
    """The record of a name or alias. Raises ScenarioError with suggestions."""
    kind = PLURALS.get(kind, kind)
    attribute, listing = KINDS[kind]
    records: Mapping[str, Record] = getattr(catalog, attribute)
    record = records.get(name)
    if record is not None:
        return record
    known = {fold(key): key for key in records}
    aliases = _aliases(catalog, kind, records)
    for spelling in model_spellings(name) if kind == "model" else (fold(name),):
        key = known.get(spelling) or aliases.get(spelling)
        if key is not None:
            return records[key]
    near = _unique(aliases.get(fold(other), other) for other in suggestions(name, [*records, *aliases], limit=6))[:3]
    command = f"reportgen catalog {listing}"
    hint = f"did you mean '{near[0]}'?  ({command})" if near else f"see the list: {command}"
    raise ScenarioError.of(f"unknown-{kind.replace(' ', '-')}", f"unknown {kind} '{name}'", hint, place, near)


def _aliases(catalog: Catalog, kind: str, records: Mapping[str, Record]) -> Mapping[str, str]:
    if kind == "accelerator":
        return {**{fold(record.name): key for key, record in records.items()}, **catalog.accelerator_aliases}
    if kind == "model":
        return model_aliases(records)
    return {}


def model_spellings(name: str) -> Iterator[str]:
    """Spellings under which a model may be known: as written, without its maker, without the ending of a tuned one."""
    folded = fold(name).replace(":", "-")
    plain = TUNED.sub("", folded)
    bare = plain.rpartition("/")[2].removeprefix("meta-")
    yield from (folded, plain, folded.rpartition("/")[2], bare, DASH_BEFORE_NUMBER.sub("", bare))


def model_aliases(records: Mapping[str, Record]) -> Mapping[str, str]:
    """Other names of models, printed names and hub names -> id; the first model wins where two share a name.

    Each is folded, with and without a dash before a number, with the point of a version, a dash in its place, or nothing.
    """
    return _model_aliases(tuple((key, record.name, record.hf_id) for key, record in records.items()))


@lru_cache(maxsize=4)
def _model_aliases(models: tuple[tuple[str, str, str | None], ...]) -> Mapping[str, str]:
    known = {key for key, _, _ in models}
    listed = read_data("aliases")["models"]
    names = [(alias, key) for key, others in listed.items() if key in known for alias in others]
    for key, printed, hub in models:
        names += [(name, key) for name in (printed, hub, hub and hub.rpartition("/")[2], key) if name]
    aliases: dict[str, str] = {}
    for name, key in names:
        aliases.setdefault(fold(name), key)
    for name, key in names:
        for dashed in (fold(name), DASH_BEFORE_NUMBER.sub("", fold(name))):
            for spelling in (dashed, POINT_OF_VERSION.sub("-", dashed), POINT_OF_VERSION.sub("", dashed)):
                aliases.setdefault(spelling, key)
    return MappingProxyType(aliases)


def _unique(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(names))
