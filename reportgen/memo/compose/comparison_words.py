"""The sentences of a comparison: the answer, the advice, and when each request wins."""

from __future__ import annotations

from typing import TYPE_CHECKING

from reportgen.evaluation.result import Message
from reportgen.memo.context_schema import Win

if TYPE_CHECKING:
    from reportgen.memo.compose.comparison import Entry, Table6

COST = ("compare_costs_less", "compare_costs_more")
TIME = ("compare_sooner", "compare_later")
MANY = 4  # requests from which on those that lead in nothing are not listed
HOURS_A_DAY, SECONDS_A_DAY = 24.0, 86_400.0


def title_sentence(view: Table6) -> str:
    """ "B costs 18 % less than A and finishes 6 days later; only A can run as asked"."""
    voice = view.voice
    messages = view.compared.sentences
    cost = next((message for message in messages if message.key in COST), None)
    time = next((message for message in messages if message.key in TIME), None)
    parts = []
    if cost and time and cost.values["other"] == time.values["other"]:
        parts.append(voice.say("both", cost=_clause(view, cost), time=_time_tail(view, time)))
    else:
        parts += [_clause(view, message) for message in (cost, time) if message]
    rest = [message for message in messages if message.key not in (*COST, *TIME)]
    unknown = [entry.letter for entry in view.entries if entry.cost != entry.cost]
    if unknown and cost is None and not any(message.key == "compare_cost_unknown" for message in rest):
        parts.append(voice.say("cost_open", letters=voice.listed(unknown)))
    parts += [_clause(view, message) for message in rest]
    return voice.opened(voice.joined(parts, "semicolon"))


def _open_letters(view: Table6) -> list[str]:
    """The requests whose cost is not known in full."""
    return [entry.letter for entry in view.entries if entry.cost != entry.cost or entry.partly]


def _clause(view: Table6, message: Message) -> str:
    voice, values = view.voice, dict(message.values)
    if "share" in values:
        values["share"] = _percent(view, values["share"])
    if "time" in values:
        values["time"] = _duration(view, message)
    if "letters" in values:
        values["letters"] = voice.listed([part.strip() for part in str(values["letters"]).split(",") if part.strip()])
    return voice.say(f"said_{message.key}", **values)


def _time_tail(view: Table6, message: Message) -> str:
    return view.voice.say(f"tail_{message.key}", time=_duration(view, message))


def _percent(view: Table6, share: float) -> str:
    whole = round(share * 100)
    return view.voice.say("percent", n=view.voice.number(whole if whole >= 1 else share * 100))


def _duration(view: Table6, message: Message) -> str:
    a_day = {"days": 1.0, "h": HOURS_A_DAY, "s": SECONDS_A_DAY}.get(str(message.values.get("unit")), 1.0)
    if message.values.get("unit") == "s":
        return view.voice.amount(float(message.values["time"]), "s")
    return view.time.amount(float(message.values["time"]) / a_day)


# ---- advice ----------------------------------------------------------------------------------------------------------
def advice(view: Table6) -> tuple[str, ...]:
    """Which one to take, as far as costs, times and limits decide."""
    voice = view.voice
    able = [entry for entry in view.entries if entry.verdict.runs]
    if not able:
        return (voice.say("advice_none"),)
    lines = [_first_advice(view, able)]
    if letters := _open_letters(view):
        lines.append(voice.say("advice_quotations", letters=voice.listed(letters)))
    return tuple(line for line in lines if line)


def _first_advice(view: Table6, able: list[Entry]) -> str:
    voice = view.voice
    if len(able) == 1:
        return voice.say("advice_only", letter=able[0].letter)
    fastest = min(able, key=lambda entry: (entry.days, entry is not view.best)) if view.timed else None
    if view.best is None:
        return _fastest_advice(view, able, fastest) if fastest else ""
    if fastest is None or fastest is view.best:
        return voice.say("advice_best" if fastest else "advice_cheapest", letter=view.best.letter)
    more = voice.money(fastest.cost - view.best.cost)
    saved = view.time.amount(view.best.days - fastest.days)
    return voice.say("advice_choice", cheap=view.best.letter, fast=fastest.letter, more=more, time=saved)


def _fastest_advice(view: Table6, able: list[Entry], fastest: Entry) -> str:
    """The fastest, or all that print the same time."""
    time = _days(view, fastest)
    equal = [entry.letter for entry in able if _days(view, entry) == time]
    if len(equal) > 1:
        return view.voice.say("advice_equally_fast", letters=view.voice.listed(equal), time=time)
    return view.voice.say("advice_fastest", letter=fastest.letter, time=time)


def _days(view: Table6, entry: Entry) -> str:
    return view.time.amount(entry.days)


# ---- when each wins --------------------------------------------------------------------------------------------------
def wins(view: Table6) -> tuple[Win, ...]:
    """What each request is best at, or why it cannot be taken; where there are many, only those with something to say."""
    many = len(view.entries) > MANY
    telling = [entry for entry in view.entries if not many or not entry.verdict.runs or entry.verdict.best_at]
    return tuple(_win(view, entry) for entry in telling)


def _win(view: Table6, entry: Entry) -> Win:
    voice = view.voice
    if not entry.verdict.runs:
        return Win(letter=entry.letter, name=voice.say("win_cannot"), text=voice.opened(clause(entry)))
    known = entry.verdict.best_at
    if not known:
        return Win(letter=entry.letter, name=voice.say("win_nothing"), text=_facts(view, entry))
    names = voice.listed([voice.say(f"best_{name}") for name in known])
    return Win(
        letter=entry.letter, name=voice.say("win_if", names=names), text=_facts(view, entry), chosen=entry is view.best
    )


def _facts(view: Table6, entry: Entry) -> str:
    """Time, money and power of a request in one line."""
    voice, case = view.voice, entry.case
    parts = [view.time.amount(entry.days) if entry.days == entry.days and view.timed else ""]
    parts.append(case.money_text if entry.cost == entry.cost else voice.say("money_unknown"))
    if not case.rents and case.known("it_power_kw"):
        parts.append(case.amount("it_power_kw"))
    return voice.say("sentence", text=voice.opened(voice.joined(parts, "pause")))


def clause(entry: Entry) -> str:
    """Whether a request can run as asked, and which limit it misses."""
    case, voice = entry.case, entry.case.voice
    if entry.verdict.runs:
        if case.deadline == case.deadline:
            return voice.say("holds_deadline")
        return voice.say("holds_window" if case.kind == "batch" and case.known("window_hours") else "holds_all")
    if not case.chosen_row.fits:
        return voice.say("misses_memory")
    failed = next(
        (check.key for check in case.result.checks if check.status == "FAIL" and check.key != "layout_found"), ""
    )
    return voice.say(f"misses_{failed}") if voice.has(f"misses_{failed}") else voice.say("misses_speed")
