"""The appendix with the hardware list: at most twelve rows, the sums, what the list leaves out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from reportgen.evaluation.result import Line as ListedLine
from reportgen.memo.appendix_schema import HardwareList, ListLine
from reportgen.memo.compose.case import Case
from reportgen.memo.compose.derivation import figure_text
from reportgen.memo.compose.needs import counted, purchase_parts, purchase_sums
from reportgen.memo.compose.needs_rent import rental_scale, rental_sums
from reportgen.memo.compose.scales import MoneyScale
from reportgen.memo.table_schema import Line

MOST = 12
LONGEST = {"en": 112, "zh": 56}  # characters of a specification here; the Request sheet has it whole
STOPS = re.compile(r"(?<=[;；])\s*")
PAUSES = re.compile(r"(?<=,)\s+|(?<=[，、])\s*")
PLACEHOLDER = re.compile(r"{(\w+)}")


def hardware_list(case: Case) -> HardwareList | None:
    """The list of what is asked for, bought or rented."""
    if not case.lines:
        return None
    voice = case.voice
    rows = _rows(case)
    scale = rental_scale(case) if case.rents else _scale(case, rows)
    return HardwareList(
        intro=voice.plural("list_intro", len(case.lines)),
        unit=scale.unit,
        lines=tuple(_line(case, lines, scale) for lines in rows),
        sums=_sums(case, scale, rows),
        notes=_notes(case, len(rows)),
    )


def _rows(case: Case) -> list[list[ListedLine]]:
    """Lines, the small ones of a category together where there are too many; the unpriced stay apart while they can."""
    rows = [[line] for line in case.lines]
    for mixed in (False, True):
        while len(rows) > MOST and (pair := _smallest_pair(rows, mixed)):
            first, second = pair
            rows[first] = rows[first] + rows[second]
            del rows[second]
    return rows


def _smallest_pair(rows: list[list[ListedLine]], mixed: bool) -> tuple[int, int] | None:
    """The two rows of one category that matter least together; the machines are never joined."""
    pairs = [
        (_known(first) + _known(second), (index, other))
        for index, first in enumerate(rows)
        for other, second in enumerate(rows[index + 1 :], index + 1)
        if first[0].category == second[0].category != "servers" and (mixed or _open(first) == _open(second))
    ]
    return min(pairs)[1] if pairs else None


def _known(lines: Sequence[ListedLine]) -> float:
    return sum(line.amount for line in lines if line.amount == line.amount)


def _open(lines: Sequence[ListedLine]) -> bool:
    return any(line.amount != line.amount for line in lines)


def _scale(case: Case, rows: Sequence[Sequence[ListedLine]]) -> MoneyScale:
    """One more decimal than page one in Chinese, as lists are printed; finer where sums ask for it."""
    scale = case.table_money
    if case.voice.chinese and scale.divisor > 1:
        scale = scale.finer()
    parts = [_known(lines) for lines in rows]
    return (
        scale.fitted((parts, case.value("list_total")), (list(purchase_parts(case).values()), case.total))
        if case.priced
        else scale
    )


def _sums(case: Case, scale: MoneyScale, rows: Sequence[Sequence[ListedLine]]) -> tuple[Line, ...]:
    """Subtotal to total, in the unit of the list."""
    if case.rents:
        return rental_sums(case, scale)
    return purchase_sums(case, scale, [_known(lines) for lines in rows], purchase_parts(case))


def _line(case: Case, lines: Sequence[ListedLine], scale: MoneyScale) -> ListLine:
    voice = case.voice
    if len(lines) > 1:
        return _group(case, lines, scale)
    line = lines[0]
    open_ = line.amount != line.amount
    number = quantity_text(case, line.quantity)
    return ListLine(
        name=voice.item(line.key),
        specification=specification(case, line),
        quantity=number,
        unit=voice.unit(line.unit, number),
        price=_price(case, line.unit_price, scale),
        amount="–" if open_ or line.basis == "included" else scale.text(line.amount),
        basis=basis(case, line.basis),
        as_of=line.as_of,
        weeks=_weeks(case, [line]),
        open=open_,
    )


def quantity_text(case: Case, quantity: float) -> str:
    """Whole things whole; hours and months with the digits that tell them apart."""
    whole = float(quantity).is_integer() or quantity >= 100
    return case.voice.number(quantity) if whole else figure_text(round(quantity, 2))


def _price(case: Case, price: float, scale: MoneyScale) -> str:
    """A unit price in the unit of the list, with as many decimals as small prices need."""
    if price != price:
        return "–"
    scaled = price / scale.divisor
    if scaled < 0.1 and scale.divisor > 1:
        return f"{case.voice.number(price, 'price')} {case.voice.currency_name}"
    return case.voice.fixed(scaled, max(scale.decimals, 0 if scaled >= 100 else (1 if scaled >= 10 else 2)))


def _group(case: Case, lines: Sequence[ListedLine], scale: MoneyScale) -> ListLine:
    voice = case.voice
    open_ = _open(lines)
    known = _known(lines)
    partly = voice.say("at_least", amount=scale.text(known)) if known else "–"
    dates = sorted({line.as_of for line in lines if line.as_of})
    bases = {line.basis for line in lines}
    return ListLine(
        name=voice.say("list_group", category=voice.label(f"category_{lines[0].category}")),
        specification=voice.joined([counted(case, line) for line in lines]),
        quantity=str(len(lines)),
        unit=voice.unit("lines", str(len(lines))),
        price="–",
        amount=partly if open_ else scale.text(known),
        basis=basis(case, bases.pop()) if len(bases) == 1 else voice.say("several_bases"),
        as_of=dates[0] if len(dates) == 1 else (f"{dates[0]}–{dates[-1]}" if dates else ""),
        weeks=_weeks(case, lines),
        open=open_,
    )


def _weeks(case: Case, lines: Sequence[ListedLine]) -> str:
    known = [line.lead_time_weeks for line in lines if line.lead_time_weeks == line.lead_time_weeks]
    return case.voice.number(max(known)) if known else "–"


def basis(case: Case, key: str) -> str:
    """What a price rests on, in words."""
    voice = case.voice
    return voice.label(f"basis_{key}") if voice.words.has(f"basis_{key}") else key.replace("_", " ")


def specification(case: Case, line: ListedLine) -> str:
    """The first clauses of the specification, as many as the row holds."""
    voice = case.voice
    key = f"line_{line.key}_specification"
    if not voice.words.has(key):
        return ""
    facts = {name: fact_text(case, name, value) for name, value in line.facts.items()}
    names = PLACEHOLDER.findall(voice.words.label(key))
    text = voice.words.text(key, **{name: facts.get(name, "–") for name in names})
    return _shortened(text, LONGEST[voice.language])


def fact_text(case: Case, name: str, value: object) -> str:
    """A fact inside a specification: without trailing zeros; minimums are the card's own."""
    if isinstance(value, str):
        known = f"{name}_{value}"
        return case.voice.label(known) if case.voice.words.has(known) else value
    if value is None or value != value:
        return "–"
    if case.unit(name) == "share":
        return case.voice.share(float(value))
    return f"{float(value):,.4g}" if not float(value).is_integer() else f"{float(value):,.0f}"


def _shortened(text: str, most: int) -> str:
    """Whole clauses up to so many characters, without the mark after the last."""
    for breaks in (STOPS, PAUSES):
        kept = ""
        for clause in breaks.split(text):
            if kept and len(kept) + len(clause) > most:
                break
            kept += ("" if not kept or kept[-1] in "；，、" else " ") + clause if kept else clause
        if len(kept) <= most or breaks is PAUSES:
            return kept.rstrip(";；,，、 ")
        text = kept
    return text


def _notes(case: Case, rows: int) -> tuple[str, ...]:
    """What is grouped, what awaits a quotation, what is not on the list."""
    voice = case.voice
    notes = []
    if rows < len(case.lines):
        notes.append(voice.say("list_grouped", rows=rows, lines=len(case.lines)))
    if case.open_lines:
        notes.append(voice.plural("list_open", case.open_lines))
    notes.append(voice.say("list_left_out_rent" if case.rents else "list_left_out"))
    return tuple(notes)
