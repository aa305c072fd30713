"""Several scenarios beside each other: the sentence, how each stands, the figures, what differs and because of what."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.evaluation.compare import Comparison, Difference
from reportgen.evaluation.result import Result, Value
from reportgen.text.blocks import Answer, Cell, Table
from reportgen.text.headline import TIMES
from reportgen.text.speech import NOTHING, Speech

MOST_COLUMNS = 4  # scenarios that fit beside each other on a terminal
OPEN = ("requested_amount", "total_cost")  # lower bounds while lines of a purchase have no price
MOST_CAUSES = 3
MOST_INPUTS = 24


def comparison_answer(comparison: Comparison, results: Sequence[Result], language: str | None = None) -> Answer:
    """What the terminal and a ticket show about several scenarios."""
    speech = Speech(results[0], language)
    title = speech.say("compare_joint").join(
        f"{letter} {result.facts.name}" for letter, result in zip(comparison.letters, results, strict=True)
    )
    blocks = [_standing(comparison, speech)]
    if len(results) <= MOST_COLUMNS:
        blocks += [_figures(comparison, speech), _inputs(comparison, speech), _causes(comparison, speech)]
    return Answer(title, comparison_sentence(comparison, speech), tuple(block for block in blocks if block.rows))


def comparison_sentence(comparison: Comparison, speech: Speech) -> str:
    """The differences that matter in one sentence."""
    clauses = speech.say("compare_clause").join(speech.message(message) for message in comparison.sentences)
    return speech.say("compare_end", clauses=clauses[:1].upper() + clauses[1:])


def _standing(comparison: Comparison, speech: Speech) -> Table:
    """A row a scenario."""
    keys = [*_time_keys(comparison), "it_power_kw", comparison.cost_key]
    units = [_unit(comparison, key) for key in keys]
    firsts = [next((value for r in comparison.results if (value := r.beside(key)) == value), None) for key in keys]
    scales = [speech.scaled((first,), unit)[1] for first, unit in zip(firsts, units, strict=True)]
    heads = [_head(key, scale, speech) for key, scale in zip(keys, scales, strict=True)]
    rows = []
    for index, (letter, result) in enumerate(zip(comparison.letters, comparison.results, strict=True)):
        figures = [
            speech.in_unit(result.beside(key), unit, scale) for key, unit, scale in zip(keys, units, scales, strict=True)
        ]
        figures[-1] = _at_least(figures[-1], result)
        rows.append((letter, result.facts.name, speech.number(result.gpus, "count"), *figures, _verdict(comparison, index, speech)))
    head = ("", speech.say("scenario"), speech.say("column_gpus"), *heads, speech.say("verdict"))
    right = frozenset(range(2, len(keys) + 3))
    return Table("", head, tuple(rows), right, (1, len(head) - 1), speech.say("compare_note"))


def _time_keys(comparison: Comparison) -> list[str]:
    return [key for key in TIMES if any(result.has(key) for result in comparison.results)][:2]


def _head(key: str, unit: str, speech: Speech) -> str:
    if "money" in unit:
        return speech.say("column_cost", currency=speech.currency)
    return speech.say(f"column_{key}", unit=speech.unit(unit))


def _at_least(written: str, result: Result) -> str:
    unpriced = result.value("unpriced_lines")
    open_lines = result.facts.acquire == "buy" and not isinstance(unpriced, str) and unpriced > 0
    return f"≥ {written}" if open_lines and written != NOTHING else written


def _verdict(comparison: Comparison, index: int, speech: Speech) -> Cell:
    verdict = comparison.verdicts[index]
    if not verdict.runs:
        return Cell(speech.say("compare_cannot"), "bad")
    said = [speech.say(f"best_{name}") for name in verdict.best_at]
    return Cell(
        speech.say("compare_joint").join(said) or (speech.say("compare_front") if verdict.on_front else ""),
        "strong" if said else "",
    )


def _figures(comparison: Comparison, speech: Speech) -> Table:
    """The headline figures, a column a scenario."""
    rows = []
    for key in comparison.headline:
        unit = _unit(comparison, key)
        values = tuple(result.beside(key) for result in comparison.results)
        written = _row(values, unit, speech)
        if key in OPEN:
            written = [_at_least(text, result) for text, result in zip(written, comparison.results, strict=True)]
        rows.append((speech.label(key), *written))
    head = (speech.say("quantity"), *comparison.letters)
    return Table(speech.say("compare_figures"), head, tuple(rows), frozenset(range(1, len(head))), (0,))


def _row(values: Sequence[Value], unit: str, speech: Speech) -> list[str]:
    return [speech.readable(value, unit) for value in values]


def _unit(comparison: Comparison, key: str) -> str:
    return next((r.quantities[key].unit for r in comparison.results if key in r.quantities), "")


def _inputs(comparison: Comparison, speech: Speech) -> Table:
    """The inputs that differ, a column a scenario: those that somebody gave first, then those that several have."""
    order = _by_weight(comparison)
    shown = sorted(comparison.inputs, key=lambda item: order[item.key])[:MOST_INPUTS]
    rows = tuple((_name(item.key, speech), *_row(_words(item, speech), item.unit, speech)) for item in shown)
    head = (speech.say("input"), *comparison.letters)
    left = len(comparison.inputs) - len(shown)
    note = speech.say("compare_more_inputs", count=left) if left else ""
    right = frozenset(range(1, len(head)))
    return Table(speech.say("compare_inputs"), head, rows, right, tuple(range(len(head))), note)


def _words(item: Difference, speech: Speech) -> list[Value]:
    """The values of an input, words of the scenario in the language of the answer."""
    return [speech.words.value(item.key, value) if isinstance(value, str) else value for value in item.values]


def _by_weight(comparison: Comparison) -> dict[str, tuple[int, int]]:
    """Key of an input that differs -> its place: what somebody gave, then what several have, then the rest."""
    given = {item.key for r in comparison.results for item in r.inputs if item.origin in ("given", "override")}
    places = {}
    for place, item in enumerate(comparison.inputs):
        known = sum(isinstance(value, str) or value == value for value in item.values)
        weight = 0 if item.key in given or item.section == "request" else (1 if known > 1 else 2)
        places[item.key] = (weight, place)
    return places


def _name(key: str, speech: Speech) -> str:
    return speech.label(f"text_fact_{key}" if speech.words.has(f"text_fact_{key}") else key)


def _causes(comparison: Comparison, speech: Speech) -> Table:
    """The headline figures that differ: by how much against the first, and because of which inputs."""
    found = {item.key: item for item in comparison.quantities}
    order = _by_weight(comparison)
    rows = tuple(_cause(found[key], order, speech) for key in comparison.headline if key in found)
    head = (speech.say("quantity"), *comparison.letters[1:], speech.say("because"))
    title = speech.say("compare_causes", first=comparison.letters[0])
    return Table(title, head, rows, frozenset(range(1, len(head) - 1)), (0, len(head) - 1))


def _cause(item: Difference, order: dict[str, tuple[int, int]], speech: Speech) -> tuple[str, ...]:
    deltas = [_delta(item, index, speech) for index in range(1, len(item.values))]
    names = [_name(key, speech) for key in sorted(item.because, key=lambda key: order.get(key, (9, 0)))]
    more = speech.say("compare_more", count=len(names) - MOST_CAUSES) if len(names) > MOST_CAUSES else ""
    because = speech.say("compare_joint").join([*names[:MOST_CAUSES], *([more] if more else [])])
    return (speech.label(item.key), *deltas, because)


def _delta(item: Difference, index: int, speech: Speech) -> str:
    delta, first = item.deltas[index], item.values[0]
    if delta != delta:
        return NOTHING
    if delta == 0:
        return "="
    sign = "+" if delta > 0 else ""
    share = f" ({sign}{speech.number(delta / first, 'share')})" if not isinstance(first, str) and first else ""
    return f"{sign}{speech.readable(delta, item.unit)}{share}"
