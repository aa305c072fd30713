"""3 What is needed: the list by groups, and the sums that lead to the total."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.evaluation.result import Line as ListedLine
from reportgen.memo.compose.case import Case
from reportgen.memo.compose.scales import MoneyScale
from reportgen.memo.context_schema import NeedGroup, Needs
from reportgen.memo.table_schema import Line

GROUPS = (
    ("servers", ("servers",)),
    ("network", ("network",)),
    ("storage", ("storage", "management")),
    ("room", ("racks", "power", "spares")),
    ("services", ("software", "services")),
)
LONGEST = {"en": 54, "zh": 29}  # characters of the contents of a group


def purchase_needs(case: Case) -> Needs:
    """Groups, largest first, then subtotal, reserves, tax and total; parts add up or a line "rounding" says so."""
    parts = [_amount(lines) for _, lines in _grouped(case)]
    sums = purchase_parts(case)
    scale = case.table_money
    if case.priced:
        known = [part for part in parts if part == part]
        scale = scale.fitted((known, case.value("list_total")), (list(sums.values()), case.total))
    groups = [_group(case, name, lines, scale) for name, lines in sorted(_grouped(case), key=_weight)]
    return Needs(
        unit=scale.unit,
        lines=len(case.lines),
        groups=tuple(groups),
        sums=purchase_sums(case, scale, parts, sums),
    )


def purchase_parts(case: Case) -> dict[str, float]:
    """The parts of the total of a purchase; price movement only where there is any."""
    keys = ["list_total", "price_movement_allowance", "contingency", "purchase_tax"]
    return {key: case.value(key) for key in keys if case.value(key) or key == "list_total"}


def _grouped(case: Case) -> list[tuple[str, list[ListedLine]]]:
    found = []
    for name, categories in GROUPS:
        lines = [line for line in case.lines if line.category in categories]
        if lines:
            found.append((name, lines))
    return found


def _weight(group: tuple[str, list[ListedLine]]) -> tuple[bool, float]:
    """The machines lead where nobody has priced them; else the largest amount first."""
    name, lines = group
    amount = _amount(lines)
    return not (name == "servers" and amount != amount), -amount if amount == amount else 0.0


def _amount(lines: Sequence[ListedLine]) -> float:
    """What is known of a group; NaN when nothing is."""
    known = [line.amount for line in lines if line.amount == line.amount]
    return sum(known) if known else float("nan")


def _group(case: Case, name: str, lines: Sequence[ListedLine], scale: MoneyScale) -> NeedGroup:
    voice = case.voice
    amount = _amount(lines)
    open_ = any(line.amount != line.amount for line in lines)
    if amount != amount:
        text = voice.say("quote_needed")
    else:
        text = voice.say("at_least", amount=scale.text(amount)) if open_ else scale.text(amount)
    return NeedGroup(
        name=voice.say("group_workstation" if name == "servers" and case.workstation else f"group_{name}"),
        content=_content(case, lines),
        amount=None if amount != amount else amount / scale.divisor,
        text=text,
        open=open_,
    )


def _content(case: Case, lines: Sequence[ListedLine]) -> str:
    """The main lines of a group with their quantities, as many as the column holds."""
    voice = case.voice
    if lines[0].key == "accelerator_servers":
        return _server_content(case, lines[0])
    ordered = sorted(lines, key=lambda line: -(line.amount if line.amount == line.amount else 0.0))
    texts = [counted(case, line) for line in ordered]
    room = LONGEST[voice.language]
    for kept in range(len(texts), 0, -1):
        rest = len(texts) - kept
        text = voice.joined(texts[:kept])
        text = voice.plural("and_others", rest, parts=text) if rest else text
        if len(text) <= room:
            break
    return text


def _server_content(case: Case, line: ListedLine) -> str:
    """What is in a server, from the facts of its line."""
    voice, facts = case.voice, line.facts
    return voice.say(
        "server_content",
        n=voice.number(line.quantity),
        gpus=voice.number(facts.get("gpus_per_node")),
        accelerator=case.accelerator(),
        memory=voice.number(facts.get("memory_capacity_gib"), "count"),
        ports=voice.number(facts.get("compute_nics_per_node")),
        rate=voice.number(facts.get("compute_nic_gbit_s")),
    )


def counted(case: Case, line: ListedLine) -> str:
    """A line with its quantity: "17 × transceiver, switch side", "30 TB of shared file storage"."""
    voice = case.voice
    name = voice.lowered(voice.item(line.key))
    number = voice.number(line.quantity)
    if line.unit in ("TB", "kW"):
        return voice.say("counted_measure", n=number, unit=line.unit, item=name)
    if line.unit in ("lots", "kits") and line.quantity == 1:
        return name
    return voice.say("counted", n=number, item=name)


def purchase_sums(case: Case, scale: MoneyScale, parts: Sequence[float], sums: dict[str, float]) -> tuple[Line, ...]:
    """Subtotal to total; rounding where printed figures need it."""
    if not case.priced:
        return (total_line(case, scale),)
    known = [part for part in parts if part == part]
    lines = [*scale.rounding_line(known, case.value("list_total"))]
    lines += [
        Line(name=case.voice.say(f"sum_{key}"), how=how(case, key), amount=scale.text(value))
        for key, value in sums.items()
    ]
    return (*lines, *scale.rounding_line(list(sums.values()), case.total), total_line(case, scale))


def total_line(case: Case, scale: MoneyScale) -> Line:
    """The total, as far as it is known."""
    voice = case.voice
    how_ = voice.say("sum_total_how" if case.taxed else "sum_total_how_untaxed")
    if not case.priced:
        return Line(name=voice.say("sum_total"), how=how_, amount=voice.say("quote_needed"), open=True)
    total = scale.text(case.total)
    if not case.open_lines:
        return Line(name=voice.say("sum_total"), how=how_, amount=total)
    return Line(name=voice.say("sum_total_partly"), how=how_, amount=voice.say("at_least", amount=total), open=True)


def how(case: Case, key: str) -> str:
    voice = case.voice
    rates = {
        "contingency": {"share": voice.share(case.value("contingency_share"))},
        "price_movement_allowance": {"share": voice.share(case.value("price_movement"))},
        "purchase_tax": {name: voice.share(case.value(f"value_added_tax_{name}")) for name in ("goods", "services")},
        "services_tax": {"services": voice.share(case.value("value_added_tax_services"))},
    }
    return voice.say(f"sum_{key}_how", **rates.get(key, {}))
