"""Where a number comes from: symbol = substitution = value, then its causes down to the inputs with their sources."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from reportgen.errors import ScenarioError
from reportgen.evaluation.result import InputValue, Quantity, Result
from reportgen.text.speech import Speech
from reportgen.text.tracing import Tracing
from reportgen.text.width import harmless, wrap

DEPTH = 3
BRANCH, LAST, RAIL, BLANK = "├─ ", "└─ ", "│  ", "   "


@dataclass(frozen=True)
class Step:
    """One node of the tree: how deep, the rails before it, what it is, and whether its causes follow."""

    depth: int
    rails: str
    item: Quantity | InputValue
    state: str  # open | input | shown (its causes stand above) | deep (cut by the depth)


def find(result: Result, name: str, language: str | None = None) -> Quantity | InputValue:
    """The quantity or input of a name, key or label. ScenarioError with the nearest names."""
    items = {**{item.key: item for item in result.inputs}, **result.quantities}
    key = name.strip().replace("-", "_").replace(" ", "_")
    if key in items:
        return items[key]
    if key.lower() in items:
        return items[key.lower()]
    speech = Speech(result, language)
    labels = {speech.label(known).casefold(): known for known in items}
    for folded in (name.strip().casefold(), key.casefold()):
        if folded in labels:
            return items[labels[folded]]
    raise _unknown(name, key, list(items), labels)


def _unknown(name: str, key: str, known: list[str], labels: dict[str, str]) -> ScenarioError:
    from difflib import get_close_matches

    near = get_close_matches(key.casefold(), known, 3, 0.6)
    near += [labels[label] for label in get_close_matches(name.casefold(), labels, 3, 0.6)]
    near += [other for other in known if len(key) > 2 and key.casefold() in other]
    nearest = tuple(dict.fromkeys(near))[:3]
    fix = (
        f"did you mean {' or '.join(repr(other) for other in nearest)}?"
        if nearest
        else "see the keys in reportgen estimate --json"
    )
    return ScenarioError.of("unknown-quantity", f"this scenario has no quantity '{name}'", fix, candidates=nearest)


def steps(tracing: Tracing, item: Quantity | InputValue, depth: int = DEPTH) -> Iterator[Step]:
    """The tree in reading order; what has been explained once is not explained again."""
    yield from _steps(tracing, item, depth, 0, "", {item.key})


def _steps(tracing: Tracing, item, deepest: int, depth: int, rails: str, seen: set[str]) -> Iterator[Step]:
    causes = tracing.causes(item.key)
    for index, cause in enumerate(causes):
        last = index == len(causes) - 1
        inner = tracing.causes(cause.key)
        state = (
            "input" if not inner else ("shown" if cause.key in seen else ("deep" if depth + 1 >= deepest else "open"))
        )
        yield Step(depth, rails + (LAST if last else BRANCH), cause, state)
        if state == "open":
            seen.add(cause.key)
            yield from _steps(tracing, cause, deepest, depth + 1, rails + (BLANK if last else RAIL), seen)


def explain(result: Result, name: str, language: str | None = None, depth: int = DEPTH, width: int = 100) -> str:
    """The explanation for a terminal."""
    speech, tracing = Speech(result, language), Tracing(result)
    item = find(result, name, language)
    lines = [f"{speech.label(item.key)}  ({item.key})", *_equation(item, tracing, speech, width)]
    lines += _grounds(item, tracing, speech, width)
    tree = [_branch(step, tracing, speech, width) for step in steps(tracing, item, depth)]
    if tree:
        lines += ["", speech.say("causes"), *tree]
    if isinstance(item, Quantity):
        lines += _cases(item, speech)
    users = tracing.users(item.key)
    if users:
        lines += ["", *wrap(speech.say("used_by", names=", ".join(users)), width)]
    return "\n".join(harmless(line) for text in lines for line in text.split("\n")) + "\n"


def _equation(item: Quantity | InputValue, tracing: Tracing, speech: Speech, width: int) -> list[str]:
    symbol, value = tracing.symbol(item.key), speech.exact(item)
    symbols = tracing.symbols(item.key)
    if not symbols:
        return [f"  {symbol} = {value}"]
    lead = " " * len(symbol)
    rows = [f"{symbol} = {symbols}", f"{lead} = {tracing.substituted(item.key, speech)}", f"{lead} = {value}"]
    return [line for row in rows for line in wrap(row.lstrip(), width, "  " if row[0] != " " else f"  {lead} ")]


def _grounds(item: Quantity | InputValue, tracing: Tracing, speech: Speech, width: int) -> list[str]:
    found = tracing.formula(item.key)
    lines = wrap(f"{speech.say('in_words')}: {tracing.in_words(item.key, speech)}", width, "  ") if found else []
    if found and found.doc and speech.language == "en":
        lines += wrap(f"{speech.say('why')}: {' '.join(found.doc.split())}", width, "  ")
    return lines + wrap(f"{speech.say('source')}: {_source(item, tracing, speech)}", width, "  ")


def _source(item: Quantity | InputValue, tracing: Tracing, speech: Speech, brief: bool = False) -> str:
    source = next((source for source in tracing.result.sources if source.key == item.source), None)
    title = speech.words.source_title(source.key, source.title) if source else item.source
    if source and source.publisher and source.publisher.casefold() not in title.casefold():
        title = f"{title} ({source.publisher})"
    if isinstance(item, Quantity):
        return title
    origin = speech.say(f"origin_{item.origin}")
    if item.source == "scenario":
        return origin if brief else ", ".join(part for part in (origin, item.path, item.note) if part)
    confidence = speech.label(f"confidence_{item.confidence}") if item.confidence else ""
    parts = [origin, confidence, title, item.as_of, "" if brief else item.note]
    return ", ".join(dict.fromkeys(part for part in parts if part))


def _branch(step: Step, tracing: Tracing, speech: Speech, width: int) -> str:
    item = step.item
    text = f"{tracing.symbol(item.key)} = {speech.exact(item)}  {speech.label(item.key)}"
    if step.state == "input":
        text += f"  [{_source(item, tracing, speech, brief=True)}]"
    elif step.state != "open":
        text += f"  ({speech.say('see_above' if step.state == 'shown' else 'see_deeper', quantity=item.key)})"
    continued = step.rails[:-3] + (BLANK if step.rails.endswith(LAST) else RAIL)
    lines = wrap(text, width - len(continued) - 6)
    return "\n".join([f"  {step.rails}{lines[0]}", *(f"  {continued}    {line}" for line in lines[1:])])


def _cases(item: Quantity, speech: Speech) -> list[str]:
    if isinstance(item.value, str):
        return []
    parts = []
    if item.favourable != item.value or item.adverse != item.value:
        parts += [
            f"{speech.say(key)} {speech.amount(getattr(item, key), item.unit)}" for key in ("favourable", "adverse")
        ]
    if item.p10 is not None and item.p10 != item.p90:
        parts.append(f"{speech.say('p10_p90')} {speech.range(item.p10, item.p90, item.unit)}")
    return ["", "  " + " · ".join(parts)] if parts else []


def explain_data(result: Result, name: str, depth: int = DEPTH) -> dict:
    """The explanation for programs: the quantity and every cause, each with formula and source."""
    tracing, speech = Tracing(result), Speech(result, "en")
    item = find(result, name)
    seen = {item.key: _node(item, tracing, speech)}
    for step in steps(tracing, item, depth):
        seen.setdefault(step.item.key, _node(step.item, tracing, speech))
    return {"version": 1, "quantity": item.key, "nodes": list(seen.values())}


def _node(item: Quantity | InputValue, tracing: Tracing, speech: Speech) -> dict:
    value = None if item.value != item.value else item.value
    node = {"key": item.key, "value": value, "unit": item.unit, "source": item.source}
    if isinstance(item, InputValue):
        return node | {"kind": "input", "origin": item.origin, "confidence": item.confidence, "as_of": item.as_of}
    formulas = {"expression": tracing.expression(item.key), "substituted": tracing.substituted(item.key, speech)}
    return node | {"kind": "quantity", **formulas, "depends_on": list(item.depends_on)}
