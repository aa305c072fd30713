"""What is asked for, in at most three sentences."""

from __future__ import annotations

from reportgen.memo.compose.case import Case
from reportgen.memo.compose.head import (
    delivery_weeks,
    latest_order,
    long_date,
    order_overdue,
    rental_time,
    section_name,
)
from reportgen.memo.compose.messages import sentence, what_to_do

LIMITS = ("budget_kept", "site_power_kept", "racks_kept")


def decision(case: Case) -> tuple[str, ...]:
    """Approve what, up to which amount; by when; and renting instead where the job is small."""
    if not case.feasible:
        return _nothing_fits(case)
    rules = (_approve, _limits, _late, _renting_instead, _rented_time, _approval_level, _time)
    return tuple(part for rule in rules if (part := rule(case)))[:3]


def _approve(case: Case) -> str:
    voice = case.voice
    values = {
        "hardware": case.request_hardware,
        "contents": _contents(case),
        "ceiling": voice.ceiling(case.value("approval_ceiling")),
        "terms": _terms(case),
    }
    if case.rents:
        return voice.say("approve_rent" if case.priced else "approve_rent_unpriced", **values, time=rental_time(case))
    if not case.priced:
        return voice.plural("approve_unpriced", len(case.unpriced), **values)
    if not case.open_lines:
        return voice.say("approve", **values)
    if not case.servers_unpriced:
        return voice.plural("approve_partly", case.open_lines, **values)
    if case.open_lines == 1 or case.workstation:
        return voice.say("approve_machines", **values)
    return voice.plural("approve_others", case.open_lines - 1, **values)


def _terms(case: Case) -> str:
    """What the ceiling holds: tax and contingency."""
    key = "terms" if case.taxed else "terms_untaxed"
    return case.voice.say(key, contingency=case.voice.share(case.value("contingency_share")))


def _contents(case: Case) -> str:
    """What comes with the servers, by the categories on the list."""
    voice = case.voice
    present = {line.category for line in case.lines}
    words = [voice.say(f"with_category_{name}") for name in ("network", "storage", "racks") if name in present]
    years = case.value("warranty_years")
    if years > 0:
        words.append(voice.plural("with_support", years * 12))
    return voice.listed(words)


def _late(case: Case) -> str:
    """That the order should have gone out already."""
    return _order(case, "decide_late") if order_overdue(case) else ""


def _time(case: Case) -> str:
    """When the order must go out, from the start and the lead times of the list."""
    return _order(case, "decide_by") if latest_order(case) and not order_overdue(case) else ""


def _order(case: Case, key: str) -> str:
    day, start = latest_order(case).isoformat(), case.facts.start
    return case.voice.plural(key, delivery_weeks(case), day=long_date(case, day), start=long_date(case, start))


def _limits(case: Case) -> str:
    """A limit of the scenario, such as power or budget, that the request breaks, and what would have to change."""
    broken = [check for check in case.result.checks if check.status == "FAIL" and check.key in LIMITS]
    texts = [text.rstrip(".。") for check in broken[:1] if (text := what_to_do(case, check))]
    return case.voice.say("limit_broken", text=texts[0]) if texts else ""


def _approval_level(case: Case) -> str:
    """Whether the amount may be approved here, where the scenario says up to which amount."""
    check = next((item for item in case.result.checks if item.key == "approval_suffices"), None)
    if check is None or check.left != check.left:
        return ""
    key = "approval_suffices" if check.left <= check.right else "approval_exceeded"
    return case.voice.say(key, limit=case.voice.money(check.right))


def _rented_time(case: Case) -> str:
    """What happens to the rent when the work takes longer, or the term is longer than the work."""
    voice = case.voice
    if not case.rents:
        return ""
    if case.value("rental_used_share") < case.value("rental_used_least"):
        return voice.say("rent_term", share=voice.share(case.value("rental_used_share")))
    high = case.ends("training_days")[1] if case.kind == "training" else float("nan")
    return voice.say("rent_grows", time=case.time.amount(high)) if high == high else ""


def _renting_instead(case: Case) -> str:
    """The share of the bought hours that the job takes, and the rent for it alone, when that share is small."""
    if not case.little_used:
        return ""
    voice = case.voice
    values = {
        "share": voice.share(case.value("lifetime_share")),
        "section": section_name(case, "cost"),
        "years": voice.count(case.value("years_of_use"), "years"),
    }
    if not case.may_rent:
        return voice.say("little_used_no_rent", **values)
    if not case.known("rental_cost"):
        return voice.say("little_used_unpriced", **values)
    return voice.say("little_used", **values, rent=voice.money(case.value("rental_cost")))


def _nothing_fits(case: Case) -> tuple[str, ...]:
    """Nothing to approve: by how much the nearest layout fails, and what may be changed."""
    voice = case.voice
    row = case.chosen_row
    considered = voice.number(case.block.considered)
    first = voice.say("no_approval", considered=considered, accelerator=case.accelerator())
    if not row.fits:
        second = voice.say(
            "nearest_memory",
            needed=voice.amount(row["memory_per_gpu_gib"], "GiB"),
            usable=voice.amount(case.value("memory_usable_gib"), "GiB"),
        )
    elif case.kind == "training" and case.deadline == case.deadline:
        second = voice.say(
            "nearest_time",
            time=case.time.amount(case.value("days_to_deadline")),
            allowed=case.time.limit_amount(case.deadline),
            quantile=quantile_text(case),
        )
    else:
        second = voice.say("nearest_speed")
    changes = [message for check in case.result.checks if check.status == "FAIL" for message in check.changes]
    changes = [message for message in changes if message.key.startswith("change_")]
    ways = [message for message in case.result.warnings if message.key.startswith("fit_")]
    known = [text for message in (*changes, *ways) if (text := sentence(case, message))]
    numbers = [voice.say("sentence", text=text.rstrip(".。")) for text in known[:1]]
    return first, second, " ".join([*numbers, voice.say(_remedy(case, row.fits))])


def _remedy(case: Case, fits: bool) -> str:
    """What may be changed: another advice where memory is short than where time is, none for what is done already."""
    if case.kind != "training":
        return f"change_{case.kind}"
    if fits:
        return "change_training_time"
    return "change_training_adapter" if case.result.facts.method in ("lora", "qlora") else "change_training_memory"


def quantile_text(case: Case) -> str:
    """The certainty that the deadline asks for, such as P90."""
    z = case.value("deadline_z")
    share = 0.5 * (1 + _erf(z / 2**0.5)) if z == z else 0.9
    return f"P{round(share * 100)}"


def _erf(value: float) -> float:
    from math import erf

    return erf(value)
