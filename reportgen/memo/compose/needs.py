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


def needs(case: Case) -> Needs:
    """Groups, largest first, then subtotal, reserves, tax and total; parts add up or a line "rounding" says so."""
    if case.rents:
        return _rented(case)
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
        sums=_sums(case, scale, parts, sums),
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
    name = voice.item(line.key)
    name = name if voice.chinese or name[1:2].isupper() else name[:1].lower() + name[1:]
    number = voice.number(line.quantity)
    if line.unit in ("TB", "kW"):
        return voice.say("counted_measure", n=number, unit=line.unit, item=name)
    if line.unit in ("lots", "kits") and line.quantity == 1:
        return name
    return voice.say("counted", n=number, item=name)


def _sums(case: Case, scale: MoneyScale, parts: Sequence[float], sums: dict[str, float]) -> tuple[Line, ...]:
    """Subtotal to total; rounding where printed figures need it."""
    voice = case.voice
    if not case.priced:
        return (
            Line(
                name=voice.say("sum_total"), how=voice.say("sum_total_how"), amount=voice.say("quote_needed"), open=True
            ),
        )
    known = [part for part in parts if part == part]
    lines = [*scale.rounding_line(known, case.value("list_total"))]
    lines += [
        Line(name=voice.say(f"sum_{key}"), how=_how(case, key), amount=scale.text(value)) for key, value in sums.items()
    ]
    lines += scale.rounding_line(list(sums.values()), case.total)
    total = scale.text(case.total)
    partly = case.open_lines > 0
    name = voice.say("sum_total_partly" if partly else "sum_total")
    return (
        *lines,
        Line(
            name=name,
            how=voice.say("sum_total_how"),
            amount=voice.say("at_least", amount=total) if partly else total,
            open=partly,
        ),
    )


def _how(case: Case, key: str) -> str:
    voice = case.voice
    rates = {
        "contingency": {"share": voice.share(case.value("contingency_share"))},
        "price_movement_allowance": {"share": voice.share(case.value("price_movement"))},
        "purchase_tax": {name: voice.share(case.value(f"value_added_tax_{name}")) for name in ("goods", "services")},
    }
    return voice.say(f"sum_{key}_how", **rates.get(key, {}))


def _rented(case: Case) -> Needs:
    """What a rent is made of."""
    voice = case.voice
    gpu, extras = case.value("rental_gpu_cost"), case.value("rental_extras_cost")
    reserve, tax = case.value("rental_contingency"), case.value("rental_tax")
    scale = MoneyScale.for_lists(voice, case.total)
    if case.priced:
        scale = scale.fitted(([gpu, extras, reserve, tax], case.total))
    hours = voice.say(
        "rent_content",
        gpus=voice.count(case.value("gpus"), "gpus"),
        hours=voice.number(case.value("job_gpu_hours"), "count"),
        price=voice.amount(case.value("rental_price"), "money/h")
        if case.known("rental_price")
        else voice.say("quote_needed"),
    )
    share = case.voice.share(case.value("rental_extras_share"))

    def group(name: str, content: str, amount: float) -> NeedGroup:
        known = amount == amount
        text = scale.text(amount) if known else voice.say("quote_needed")
        return NeedGroup(
            name=voice.say(f"group_{name}"),
            content=content,
            amount=amount / scale.divisor if known else None,
            text=text,
            open=not known,
        )

    groups = (group("rent", hours, gpu), group("rent_extras", voice.say("rent_extras_content", share=share), extras))
    if not case.priced:
        total = Line(
            name=voice.say("sum_total"), how=voice.say("sum_total_how"), amount=voice.say("quote_needed"), open=True
        )
        return Needs(unit=scale.unit, lines=2, groups=groups, sums=(total,))
    services = case.voice.share(case.value("value_added_tax_services"))
    sums = (
        Line(
            name=voice.say("sum_contingency"),
            how=voice.say("sum_contingency_how", share=case.voice.share(case.value("contingency_share"))),
            amount=scale.text(reserve),
        ),
        Line(
            name=voice.say("sum_purchase_tax"),
            how=voice.say("sum_services_tax_how", services=services),
            amount=scale.text(tax),
        ),
        *scale.rounding_line([gpu, extras, reserve, tax], case.total),
        Line(name=voice.say("sum_total"), how=voice.say("sum_total_how"), amount=scale.text(case.total)),
    )
    return Needs(unit=scale.unit, lines=2, groups=groups, sums=sums)
