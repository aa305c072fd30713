"""Options held against the request: dearer or cheaper, slower or faster, larger or smaller, and by how much."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping

from reportgen.evaluation.question import Question
from reportgen.evaluation.result import Message, Option, Value
from reportgen.formula import MISSING

PAID = {"buy": "purchase_cost", "rent": "rental_cost"}
OVER_YEARS = {"buy": "purchase_total_cost", "rent": "rental_cost_of_same_use"}
TIMES = ("training_days", "batch_hours", "ttft_s")
SHORTEST = {"training_days": 0.05, "batch_hours": 0.05}  # less is shown as nothing
NOTICED = 0.02  # differences below it are within the estimate


def held_against_request(
    question: Question, options: tuple[Option, ...]
) -> tuple[tuple[Option, ...], tuple[Message, ...]]:
    """The options with how they differ from the request; and, plainly, which are cheaper, faster or smaller."""
    chosen = next((option for option in options if option.chosen), None)
    if chosen is None or not chosen.values:
        return options, ()
    limits = {item.key: item.value for item in question.inputs}
    least = limits.get("rent_compared_below_share", MISSING)
    found = tuple(
        option
        if option.chosen or not option.values or not _runs(option)
        else dataclasses.replace(
            option, reasons=(*option.reasons, *_limits(limits, option), *differences(chosen, option, least))
        )
        for option in options
    )
    return found, _plainly(chosen, found, least)


def _runs(option: Option) -> bool:
    return option.fits and option.in_time and option.permitted


def _number(option: Option, key: str) -> float:
    return option.values.get(key, MISSING)


def cost_of(option: Option, chosen: Option) -> float:
    """What is paid where both go the same way, else over the years of use; unknown while the main price is."""
    priced = _number(option, "rental_price" if option.way == "rent" else "main_line_priced")
    if priced != priced or priced == 0 or option.way not in PAID:
        return MISSING
    return _number(option, (PAID if option.way == chosen.way else OVER_YEARS)[option.way])


def _too_short_to_buy(chosen: Option, option: Option, least: float) -> bool:
    """Whether a rented job uses so little of what would be bought that nobody would rent the same for years."""
    return (chosen.way, option.way) == ("rent", "buy") and _number(option, "lifetime_share") < least


def differences(chosen: Option, option: Option, least: float) -> list[Message]:
    """What is more and what is less than in the request, each with its number. least: share of a lifetime worth buying."""
    found = []
    mine, theirs = cost_of(option, chosen), cost_of(chosen, option)
    compared = option.kind != "owned" and not _too_short_to_buy(chosen, option, least)
    if compared and _apart(mine, theirs):
        word = "reason_dearer" if mine > theirs else "reason_cheaper"
        word += "" if option.way == chosen.way else "_over_years"
        found.append(Message(word, {"money": abs(mine - theirs), "share": abs(mine / theirs - 1)}))
    for key in TIMES:
        mine, theirs = _number(option, key), _number(chosen, key)
        if _apart(mine, theirs) and abs(mine - theirs) >= SHORTEST.get(key, 0):
            word = "slower" if mine > theirs else "faster"
            found.append(Message(f"reason_{word}_{key}", {key: abs(mine - theirs)}))
            break
    if option.way == "rent":
        return found
    for key, word, mine, theirs in (
        ("it_power_kw", "power", _number(option, "it_power_kw"), _number(chosen, "it_power_kw")),
        ("gpus", "gpus", option.gpus, chosen.gpus),
    ):
        if _apart(mine, theirs):
            degree = "more" if mine > theirs else ("fewer" if word == "gpus" else "less")
            found.append(Message(f"reason_{degree}_{word}", {key: abs(mine - theirs)}))
    return found


def _apart(mine: float, theirs: float) -> bool:
    return mine == mine and theirs == theirs and abs(mine - theirs) > NOTICED * abs(theirs)


def _limits(limits: Mapping[str, Value], option: Option) -> list[Message]:
    """What the room and the money do not allow."""
    found = []
    power, room = _number(option, "it_power_kw"), limits.get("site_power_limit_kw")
    if option.way == "buy" and room is not None and power > room:
        found.append(Message("reason_over_site_power", {"it_power_kw": power - room}))
    if option.way == "buy" and limits.get("site_liquid_cooling") == 0 and _number(option, "needs_liquid") > 0:
        found.append(Message("reason_needs_liquid"))
    paid, money = _number(option, PAID.get(option.way, "")), limits.get("budget_amount")
    if money is not None and paid > money:
        found.append(Message("reason_over_budget_by", {"money": paid - money}))
    return found


def _plainly(chosen: Option, options: tuple[Option, ...], least: float) -> tuple[Message, ...]:
    """The cheapest of each way, the fastest and the smallest, where that is not the request."""
    others = [
        option
        for option in options
        if not option.chosen and option.values and _runs(option) and option.kind in ("accelerator", "beside")
    ]
    same = [option for option in others if option.way == chosen.way]
    time = next((key for key in TIMES if _number(chosen, key) == _number(chosen, key)), TIMES[0])
    rest = [option for option in others if option.way != chosen.way and not _too_short_to_buy(chosen, option, least)]
    found = [
        _ahead("cheaper", "money", same, lambda option: (cost_of(option, chosen), cost_of(chosen, option))),
        _ahead("cheaper_over_years", "money", rest, lambda option: (cost_of(option, chosen), cost_of(chosen, option))),
        _ahead("faster", time, same, lambda option: (_number(option, time), _number(chosen, time))),
        _ahead("smaller", "gpus", same, lambda option: (option.gpus, chosen.gpus)),
    ]
    return tuple(message for message in found if message)


def _ahead(
    word: str, name: str, options: list[Option], measures: Callable[[Option], tuple[float, float]]
) -> Message | None:
    """The option that is furthest ahead of the request in a measure; None when none is."""
    pairs = [(*measures(option), option) for option in options]
    ahead = [(mine / theirs, theirs - mine, option) for mine, theirs, option in pairs if mine < theirs * (1 - NOTICED)]
    if not ahead:
        return None
    ratio, difference, best = min(ahead, key=lambda item: (item[0], item[2].key))
    values = {"accelerator": best.accelerator, name: difference, "share": 1 - ratio}
    return Message(f"better_{word}_{best.way}", values)
