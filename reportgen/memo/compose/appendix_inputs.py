"""The appendix with the inputs: what was given, then the ranges by their effect; the rest is in the workbook."""

from __future__ import annotations

from reportgen.evaluation.result import InputValue
from reportgen.memo.appendix_schema import InputRow, Inputs, Lines
from reportgen.memo.compose.appendix_formulas import source_name
from reportgen.memo.compose.case import Case
from reportgen.memo.compose.derivation import figure_text
from reportgen.memo.compose.tornado import moves

MOST_RANGED = 16
MOST_ASSUMED = 12
NOT_ASSUMED = ("offer_", "discount_")
EFFECTS = ("training_days", "replicas_before_rounding", "batch_hours", "capital_cost", "rental_cost", "total_cost")


def inputs(case: Case) -> Inputs:
    """Given, ranged, assumed; a note on what is left out."""
    voice = case.voice
    given = [
        item
        for item in case.result.inputs
        if item.origin in ("given", "override")
        and item.unit != "flag"
        and not item.path.startswith("model")
        and _known(item)
    ]
    ranged = [item for item in _by_effect(case) if item not in given][:MOST_RANGED]
    assumed = [item for item in case.result.inputs if _assumed(item) and item not in ranged][:MOST_ASSUMED]
    blocks = (("inputs_given", given), ("inputs_ranged", ranged), ("inputs_assumed", assumed))
    rows = [_model(case)]
    rows += [_row(case, item, voice.say(name)) for name, items in blocks for item in items]
    left = len(case.result.inputs) - len(given) - len(ranged) - len(assumed)
    return Inputs(
        intro=voice.say("inputs_intro"), rows=tuple(rows), notes=(voice.say("inputs_rest", n=voice.number(left)),)
    )


def _model(case: Case) -> InputRow:
    """The model in one row; its architecture stands in the workbook."""
    voice = case.voice
    return InputRow(
        name=voice.say("input_model"),
        base=case.facts.model_name,
        confidence=voice.label("confidence_published"),
        source=case.facts.model or voice.say("source_scenario"),
        group=voice.say("inputs_given"),
    )


def _known(item: InputValue) -> bool:
    return isinstance(item.value, str) or item.value == item.value


def _assumed(item: InputValue) -> bool:
    return (
        item.origin == "default"
        and _known(item)
        and not item.key.startswith(NOT_ASSUMED)
        and item.group != "layout"
        and bool(item.path)
    )


def _by_effect(case: Case) -> list[InputValue]:
    """Ranged inputs, those that move the answers most first."""
    order: dict[str, None] = {}
    for key in EFFECTS:
        if case.known(key):
            order |= dict.fromkeys(move.input for move in moves(case, key, 8))
    return [case.inputs[name] for name in order if name in case.inputs and case.inputs[name].ranged]


def _row(case: Case, item: InputValue, group: str) -> InputRow:
    voice = case.voice
    confidence = f"confidence_{item.confidence}"
    number = _text(case, item, item.value)
    return InputRow(
        name=voice.label(item.key),
        low=_text(case, item, item.low) if item.ranged else "–",
        base=number,
        high=_text(case, item, item.high) if item.ranged else "–",
        unit=voice.unit(item.unit, number),
        confidence=voice.label(confidence) if voice.words.has(confidence) else item.confidence,
        source=_source(case, item),
        group=group,
    )


def _text(case: Case, item: InputValue, value: object) -> str:
    """A value by its unit; factors and other bare numbers without trailing zeros."""
    if isinstance(value, str):
        return _spoken(case, item, value)
    if item.unit == "share":
        return case.voice.share(value)
    if item.unit == "flag" or (item.unit in ("tokens", "parameters") and value >= 1e6) or item.unit.startswith("money"):
        return case.voice.number(value, item.unit)
    return figure_text(float(value)) if value is not None else "–"


def _spoken(case: Case, item: InputValue, value: str) -> str:
    return case.accelerator(value) if item.key == "accelerator" else value


def _source(case: Case, item: InputValue) -> str:
    """Who says so, and when."""
    voice = case.voice
    if item.origin == "given":
        return voice.say("source_scenario")
    if item.origin == "override":
        return voice.say("source_override")
    name = source_name(case, item.source) or voice.say("source_default" if item.origin == "default" else "source_tool")
    return voice.say("source_dated", source=name, date=item.as_of) if item.as_of and item.origin != "default" else name


def sources(case: Case) -> Lines:
    """The sources behind what this memo prints: formulas shown, inputs shown, prices of the list."""
    voice = case.voice
    keys = _printed_sources(case)
    found = [
        source
        for source in case.result.sources
        if source.key in keys and source.key not in ("reportgen", "catalog", "scenario")
    ]
    lines = []
    for source in found:
        title = voice.words.source_title(source.key, source.title)
        parts = [title, source.publisher if source.publisher != source.title else "", source.address]
        read = voice.say("read_on", date=source.read_on) if source.read_on else ""
        lines.append(voice.joined([part for part in (*parts, read) if part]))
    return Lines(intro=voice.say("sources_intro", shown=len(lines), all=len(case.result.sources)), lines=tuple(lines))


def _printed_sources(case: Case) -> set[str]:
    from reportgen.memo.compose.appendix_formulas import GROUPS, MONEY_BUY, MONEY_RENT, POWER

    keys = (
        [key for _, group in GROUPS[case.kind] for key in group]
        + list(MONEY_RENT if case.rents else MONEY_BUY)
        + list(POWER)
    )
    printed = {case.result.quantities[key].source for key in keys if key in case.result.quantities}
    printed |= {item.source for item in _by_effect(case)[:MOST_RANGED]}
    return printed | ({line.source for line in case.lines} if not case.rents else set())
