"""8 Risks: each raised by a named rule from facts of the result. What no rule raises, people add by hand."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date

from reportgen.memo.compose.case import Case
from reportgen.memo.compose.head import delivery_weeks, long_date, order_overdue
from reportgen.memo.compose.tornado import input_at, moves
from reportgen.memo.context_schema import Risk

MOST = 5
OLD_PRICE_MONTHS = 12
CLOSE_MEMORY = 0.9  # below this probability that memory fits, a trial step is asked for


def risks(case: Case) -> tuple[Risk, ...]:
    """The risks that the facts raise, in order of weight."""
    return tuple(found for rule in RULES if (found := rule(case)))[:MOST]


def supply_not_available(case: Case) -> Risk | None:
    """The requested card is restricted, ended or unknown in the region."""
    status = next((item.values.get("status") for item in case.result.warnings if item.key == "warning_supply"), None)
    if not status or case.rents:
        return None
    known = status if case.voice.has(f"risk_supply_{status}") else "unknown"
    return _risk(case, "supply", name=f"risk_supply_{known}", accelerator=case.accelerator())


def lines_without_price(case: Case) -> Risk | None:
    """Some lines await a quotation."""
    if not case.open_lines:
        return None
    key = "unpriced_servers" if case.servers_unpriced else "unpriced"
    return _risk(case, key, lines=case.voice.count(case.open_lines, "lines"))


def order_too_late(case: Case) -> Risk | None:
    """Delivery and installation take longer than the time until the start."""
    if not order_overdue(case):
        return None
    return _risk(
        case, "too_late", weeks=case.voice.count(delivery_weeks(case), "weeks"), start=long_date(case, case.facts.start)
    )


def memory_close(case: Case) -> Risk | None:
    """The likely memory fits, the unlucky one does not."""
    share = case.value("memory_fit_probability")
    if not share < CLOSE_MEMORY or not case.chosen_row.fits:
        return None
    return _risk(
        case,
        "memory",
        likely=case.voice.say("percent", n=case.voice.number((1 - share) * 100)),
        high=case.voice.amount(case.ends("memory_per_gpu_gib")[1], "GiB"),
    )


def deadline_broken_by_one_input(case: Case) -> Risk | None:
    """One input at its bad end breaks the deadline."""
    if case.kind != "training" or not case.value("days_to_deadline") <= case.deadline:
        return None
    ratio = case.value("days_to_deadline") / case.value("training_days")
    found = [(max(move.at_low, move.at_high), move) for move in moves(case, "training_days", 20)]
    breaking = [(days, move) for days, move in found if days * ratio > case.deadline]
    if not breaking:
        return None
    days, move = max(breaking, key=lambda pair: pair[0])
    return _risk(
        case,
        "input",
        named=case.voice.opened(input_at(case, move)),
        time=case.time.amount(days * ratio),
    )


def reruns_not_included(case: Case) -> Risk | None:
    """One run is assumed; a second takes as long again."""
    runs = case.inputs.get("runs")
    if case.kind != "training" or runs is None or runs.origin != "default":
        return None
    return _risk(case, "reruns", time=case.time.amount(case.value("run_days")))


def new_cluster_error(case: Case) -> Risk | None:
    """No run of the team stands behind the speed."""
    if case.kind != "training" or case.has_feature("given_utilization"):
        return None
    return _risk(case, "new_cluster", error=case.voice.number(case.value("step_error") * 100))


def load_is_forecast(case: Case) -> Risk | None:
    """The high end of the peak is above what remains when a node fails."""
    high, left = case.value("peak_requests_per_second_p90"), case.value("capacity_with_node_down")
    if case.kind != "serving" or not high > left:
        return None
    return _risk(case, "load", high=case.voice.amount(high, "requests/s"), left=case.voice.amount(left, "requests/s"))


def prompts_longer(case: Case) -> Risk | None:
    """Prompt lengths are assumed or given without a range."""
    if case.kind != "serving":
        return None
    return _risk(case, "prompts", tokens=case.amount("prompt_tokens"))


def use_stays_low(case: Case) -> Risk | None:
    """Bought equipment that the job does not fill."""
    if not case.little_used or case.kind == "serving":
        return None
    return _risk(case, "low_use", share=case.voice.share(case.value("lifetime_share")))


def old_prices(case: Case) -> Risk | None:
    """Prices older than a year stand behind some lines."""
    if case.rents:
        return None
    today = date.fromisoformat(case.facts.date)
    old = [
        line
        for line in case.lines
        if line.amount == line.amount and (age := _months(line.as_of, today)) is not None and age > OLD_PRICE_MONTHS
    ]
    if not old:
        return None
    oldest = min(line.as_of for line in old)
    return _risk(case, "old_prices", lines=case.voice.count(len(old), "lines"), oldest=oldest)


def _months(as_of: str, today: date) -> int | None:
    try:
        year, month = int(as_of[:4]), int(as_of[5:7] or 12)
    except ValueError:
        return None
    return (today.year - year) * 12 + today.month - month


def site_too_small(case: Case) -> Risk | None:
    """A guardrail of the site fails."""
    failed = next(
        (
            check
            for check in case.result.checks
            if check.status == "FAIL" and check.key in ("site_power_kept", "racks_kept")
        ),
        None,
    )
    if failed is None:
        return None
    unit = "kW" if failed.key == "site_power_kept" else "racks"
    return _risk(
        case, failed.key, needed=case.voice.amount(failed.left, unit), there=case.voice.amount(failed.right, unit)
    )


def over_budget(case: Case) -> Risk | None:
    """The known part is above the budget."""
    failed = next(
        (check for check in case.result.checks if check.key == "budget_kept" and check.status == "FAIL"), None
    )
    if failed is None:
        return None
    return _risk(case, "budget", over=case.voice.money(failed.left - failed.right))


RULES: tuple[Callable[[Case], Risk | None], ...] = (
    over_budget,
    site_too_small,
    order_too_late,
    supply_not_available,
    lines_without_price,
    memory_close,
    deadline_broken_by_one_input,
    load_is_forecast,
    prompts_longer,
    reruns_not_included,
    use_stays_low,
    new_cluster_error,
    old_prices,
)


def _risk(case: Case, key: str, name: str = "", likely: str = "", **values: str) -> Risk:
    """The three sentences of a rule, filled in. The owner is a person."""
    voice = case.voice
    risk = voice.say(name or f"risk_{key}", **values)
    return Risk(
        risk=risk,
        likely=likely,
        effect=voice.say(f"risk_{key}_effect", **values),
        measure=voice.say(f"risk_{key}_measure", **values),
    )
