"""3 What is needed, when renting is asked for: the hours, the extras, and the sums that lead to the total."""

from __future__ import annotations

from reportgen.memo.compose.case import Case
from reportgen.memo.compose.needs import how, total_line
from reportgen.memo.compose.scales import MoneyScale
from reportgen.memo.context_schema import NeedGroup, Needs
from reportgen.memo.table_schema import Line

GROUPS = ("rental_gpu_cost", "rental_extras_cost")
SUMS = ("rental_list_total", "rental_contingency", "rental_tax")


def rental_needs(case: Case) -> Needs:
    """Groups and sums of a rent; parts add up or a line "rounding" says so."""
    scale = rental_scale(case)
    contents = {"rental_gpu_cost": _hours(case), "rental_extras_cost": _extras(case)}
    return Needs(
        unit=scale.unit,
        lines=max(len(case.lines), len(GROUPS)),
        groups=tuple(_group(case, key, contents[key], scale) for key in GROUPS),
        sums=rental_sums(case, scale),
    )


def rental_scale(case: Case) -> MoneyScale:
    """The unit of money in which both sums add up."""
    parts, sums = ([case.value(key) for key in keys] for keys in (GROUPS, SUMS))
    scale = MoneyScale.for_lists(case.voice, case.total)
    return scale.fitted((parts, case.value("rental_list_total")), (sums, case.total)) if case.priced else scale


def _group(case: Case, key: str, content: str, scale: MoneyScale) -> NeedGroup:
    voice, amount = case.voice, case.value(key)
    known = amount == amount
    return NeedGroup(
        name=voice.say(f"group_{key}"),
        content=content,
        amount=amount / scale.divisor if known else None,
        text=scale.text(amount) if known else voice.say("quote_needed"),
        open=not known,
    )


def _hours(case: Case) -> str:
    """So many hours at which price, by which term."""
    voice = case.voice
    billed = case.value("rental_billed_gpu_hours")
    price = (
        voice.amount(case.value("rental_price"), "money/h") if case.known("rental_price") else voice.say("quote_needed")
    )
    return voice.say(
        "rent_content",
        gpus=voice.count(case.value("gpus"), "gpus"),
        hours=voice.number(billed if billed == billed else case.value("job_gpu_hours")),
        price=price,
        term=_term(case),
    )


def _term(case: Case) -> str:
    """The term of a rent in words."""
    term = case.raw("rental_term")
    return case.voice.label(f"rental_term_{term}") if isinstance(term, str) else ""


def _extras(case: Case) -> str:
    """Storage, traffic and services: what has a price of its own, and the allowance for the rest."""
    voice = case.voice
    if case.value("rental_open_lines") == 0:
        return voice.say("rent_extras_priced")
    return voice.say("rent_extras_content", share=voice.share(case.value("rental_extras_share")))


def rental_sums(case: Case, scale: MoneyScale) -> tuple[Line, ...]:
    """Subtotal, reserve, tax, total."""
    if not case.priced:
        return (total_line(case, scale),)
    values = {key: case.value(key) for key in SUMS}
    parts = [case.value(key) for key in GROUPS]
    names = {"rental_list_total": "list_total", "rental_contingency": "contingency", "rental_tax": "services_tax"}
    lines = [*scale.rounding_line(parts, values["rental_list_total"])]
    lines += [
        Line(name=case.voice.say(f"sum_{names[key]}"), how=how(case, names[key]), amount=scale.text(value))
        for key, value in values.items()
    ]
    return (*lines, *scale.rounding_line(list(values.values()), case.total), total_line(case, scale))
