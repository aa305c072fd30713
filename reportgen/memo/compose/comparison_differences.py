"""What differs between requests: inputs that were changed, results that follow, and because of what."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.evaluation.compare import Difference as Found
from reportgen.memo.compose.derivation import figure_text
from reportgen.memo.context_schema import Difference

if TYPE_CHECKING:
    from reportgen.memo.compose.comparison import Entry, Table6

MOST_INPUTS, MOST_RESULTS = 6, 8
WIDE = 4  # requests whose columns leave the causes on one line
MOST_ROWS = 17  # of requests and differences together, on one page
ROOM = {"en": 34, "zh": 17}  # characters of the causes of a result that keep to one line
RESULTS = (
    "gpus_bought", "training_days", "batch_hours", "replicas", "capacity_requests_per_second", "ttft_s", "tpot_s", "memory_per_gpu_gib",
    "tokens_per_second", "it_power_kw", "purchase_cost", "rental_cost", "total_cost", "cost_per_run", "cost_per_million_tokens",
)  # fmt: skip
HIDDEN = (
    "offer_",
    "discount_",
    "deadline_z",
    "deadline_for_campaign",
)  # beginnings of inputs that say nothing by themselves
ZERO_IS_NONE = ("fixed_gpu_count",)
ORIGINS = {"given": 0, "override": 0, "default": 1, "catalog": 2}


def differences(view: Table6) -> tuple[tuple[Difference, ...], tuple[Difference, ...]]:
    """Inputs that people changed first; then the results that readers ask for."""
    places = _places(view)
    inputs = sorted(
        (item for item in view.compared.inputs if not item.key.startswith(HIDDEN)),
        key=lambda item: _weight(view, item),
    )
    by_key = {item.key: item for item in view.compared.quantities}
    results = [by_key[key] for key in RESULTS if key in by_key and not _only_part_priced(view, key)]
    many = max(0, len(view.entries) - WIDE)  # narrower columns: causes take two lines
    inputs = inputs[: MOST_INPUTS - many]
    room = MOST_ROWS - len(view.entries) - len(inputs) - 2 * many
    shown = [item.key for item in inputs]
    return (
        tuple(_line(view, item, places, ()) for item in inputs),
        tuple(_line(view, item, places, _causes(item, shown)) for item in results[: min(MOST_RESULTS, room)]),
    )


def _places(view: Table6) -> list[int]:
    """Where the printed requests stand among all."""
    return [view.compared.letters.index(entry.letter) for entry in view.entries]


def _weight(view: Table6, item: Found) -> tuple[int, int]:
    """Words of the scenario, then what was given, then defaults, then the catalog; model facts last."""
    origins = [_origin(entry, item.key) for entry in view.entries]
    architecture = item.section in ("architecture", "attention")
    return (0 if item.section == "request" and item.unit == "text" else 1 + architecture * 3, min(origins, default=3))


def _origin(entry: Entry, key: str) -> int:
    found = entry.case.inputs.get(key)
    return ORIGINS.get(found.origin, 3) if found else 0


def _only_part_priced(view: Table6, key: str) -> bool:
    """A cost that does not count the machines is no result to compare."""
    return "cost" in key and key != "rental_cost" and any(entry.cost != entry.cost for entry in view.entries)


def _causes(item: Found, shown: list[str]) -> list[str]:
    """The changed inputs behind a result, those of the table first."""
    return sorted(item.because, key=lambda key: shown.index(key) if key in shown else len(shown))


def _line(view: Table6, item: Found, places: list[int], causes) -> Difference:
    voice = view.voice
    values = tuple(_text(view, item, item.values[place]) for place in places)
    because = ""
    if item.kind == "input":
        because = voice.say("because_input")
    elif causes:
        because = _because(view, [_name(view, key) for key in causes])
    return Difference(name=_name(view, item.key), values=values, unit=_unit(view, item, values), because=because)


def _because(view: Table6, names: list[str]) -> str:
    """As many causes as one line holds, and how many more there are."""
    voice = view.voice
    for shown in range(len(names), 0, -1):
        rest = len(names) - shown
        text = voice.joined(names[:shown])
        text = voice.say("because_more", names=text, n=rest) if rest else text
        if len(text) <= ROOM[voice.language]:
            break
    return text


def _name(view: Table6, key: str) -> str:
    voice = view.voice
    return voice.say(f"fact_{key}") if voice.has(f"fact_{key}") else voice.label(key)


def _unit(view: Table6, item: Found, values: tuple[str, ...]) -> str:
    if item.unit.startswith("money") and view.voice.chinese:
        return "–"
    return view.voice.unit(item.unit) or "–"


def _text(view: Table6, item: Found, value: object) -> str:
    voice = view.voice
    if isinstance(value, str):
        return _word(view, item.key, value)
    if value is None or value != value or (item.key in ZERO_IS_NONE and not value):
        return "–"
    if (
        item.kind == "input"
        and item.unit not in ("tokens", "parameters", "share", "flag")
        and not item.unit.startswith("money")
    ):
        return figure_text(float(value))
    return voice.number(value, item.unit)


def _word(view: Table6, key: str, value: str) -> str:
    """A word of the scenario as people say it."""
    if key == "accelerator":
        return view.first.case.accelerator(value)
    if key == "model":
        return next((entry.case.facts.model_name for entry in view.entries if entry.case.facts.model == value), value)
    known = f"word_of_{key}_{value.replace('-', '_')}"
    return view.voice.say(known) if view.voice.has(known) else (value or "–")


def differences_note(view: Table6, inputs: tuple, results: tuple) -> str:
    """How many further differences the workbook lists."""
    left = len(view.compared.inputs) + len(view.compared.quantities) - len(inputs) - len(results)
    return view.voice.plural("differences_left", left) if left > 0 else ""
