"""6 Alternatives: the requested one first, each with a verdict by rules."""

from __future__ import annotations

from reportgen.evaluation.result import Message
from reportgen.evaluation.result import Option as Way
from reportgen.memo.compose.case import Case
from reportgen.memo.compose.messages import sentence
from reportgen.memo.compose.scales import MoneyScale
from reportgen.memo.context_schema import Option, Options

MOST = 7
BETTER = 2  # remarks on what is better
FAILURES = (
    "reason_too_little_memory", "reason_host_memory_short", "reason_does_not_divide", "reason_context_too_long",
    "reason_window_missed", "reason_objectives_missed", "reason_over_budget", "reason_too_slow",
)  # fmt: skip
OWNED = ("reason_owned_busy", "reason_owned_use_unknown")
OVER = ("reason_over_site_power", "reason_over_budget_by")
NONE = "–"
RELATIVE = 0.01  # differences below are called equal


def options(case: Case) -> Options:
    """At most seven ways; existing equipment and doing nothing always among them."""
    ways = _selected(case)
    scale = _scale(case, ways)
    return Options(
        columns=(*_columns(case), scale.unit, case.voice.say("column_it_power")),
        rows=tuple(_row(case, way, scale) for way in ways),
        note=_note(case, len(ways)),
    )


def _selected(case: Case) -> list[Way]:
    """The requested way, the other way for the same card, other cards, methods and models, then what is compulsory."""
    every = case.result.options
    chosen = [way for way in every if way.chosen][:1]
    last = [way for way in every if way.kind in ("owned", "nothing")]
    requested = "rent" if case.rents else "buy"
    others = [way for way in every if way not in chosen and way not in last]
    others.sort(key=lambda way: _order(case, way, requested))
    return [*chosen, *others[: max(MOST - len(chosen) - len(last), 0)], *last]


def _order(case: Case, way: Way, requested: str) -> int:
    if way.kind in ("accelerator", "beside") and (way.accelerator, way.way) in _named(case):
        return 0
    if way.kind == "accelerator":
        if way.accelerator == case.facts.accelerator:
            return 0
        return 1 if way.way == requested else 4
    return {"budget": 1, "method": 2}.get(way.kind, 3)


def _named(case: Case) -> set[tuple[str, str]]:
    """The accelerator and way of every remark that something is cheaper, faster or smaller; the note names them."""
    better = [remark for remark in case.result.remarks if remark.key.startswith("better_")][:BETTER]
    return {(str(remark.values["accelerator"]), remark.key.rpartition("_")[2]) for remark in better}


# ---- columns ---------------------------------------------------------------------------------------------------------
def _columns(case: Case) -> tuple[str, ...]:
    voice = case.voice
    if case.kind == "serving":
        return (voice.say("column_ttft"), voice.say("column_tpot"))
    if case.kind == "batch":
        return (voice.say("column_time", unit=voice.opened(case.time.name)),)
    return (voice.say("column_days", unit=voice.opened(case.time.name)),)


def _scale(case: Case, ways: list[Way]) -> MoneyScale:
    return MoneyScale.for_totals(case.voice, [price(case, way) for way in ways])


def price(case: Case, way: Way) -> float:
    """What a way costs to approve: the purchase, or the rent of this job; NaN where its machines have no price."""
    if way.kind in ("owned", "nothing"):
        return 0.0
    if way.way == "rent":
        return way.values.get("rental_cost", float("nan"))
    return way.values.get("purchase_cost", float("nan")) if way.values.get("main_line_priced", 1.0) else float("nan")


def partly(way: Way) -> bool:
    """Whether lines are missing from a purchase."""
    return way.way == "buy" and way.values.get("unpriced_lines", 0.0) > 0


def _row(case: Case, way: Way, scale: MoneyScale) -> Option:
    voice = case.voice
    cells = [*_speed(case, way)]
    amount = price(case, way)
    known = amount == amount
    money = scale.text(amount) if known else voice.say("quote_needed")
    money = f"≥ {money}" if known and partly(way) else money
    open_ = None if known else len(cells)
    return Option(
        name=_name(case, way),
        cells=(*cells, money, _power(case, way)),
        reason=verdict(case, way),
        chosen=way.chosen,
        open=open_,
        keep=way.kind in ("owned", "nothing"),
    )


def _speed(case: Case, way: Way) -> tuple[str, ...]:
    values = way.values
    runs = way.fits and bool(values)
    if case.kind == "serving":
        first, pace = values.get("ttft_s"), values.get("tpot_s")
        if not runs or first is None or pace is None or first != first:
            return NONE, NONE
        return case.voice.fixed(first, 2), case.voice.fixed(pace * 1000, 0)
    middle, high = (
        values.get(key)
        for key in (
            ("batch_hours", "batch_hours_p90") if case.kind == "batch" else ("training_days", "training_days_p90")
        )
    )
    if not runs or middle is None or middle != middle:
        return (NONE,)
    a_day = 24 if case.kind == "batch" else 1
    text = case.time.text(middle / a_day)
    return (f"{text} ({case.time.text(high / a_day)})" if high is not None and high == high else text,)


def _power(case: Case, way: Way) -> str:
    if way.kind == "nothing":
        return "0"
    power = way.values.get("it_power_kw", float("nan"))
    if way.way == "rent" or power != power or not way.fits:
        return NONE
    return case.voice.number(power, "kW")


def _name(case: Case, way: Way) -> str:
    voice = case.voice
    if way.kind == "nothing":
        return voice.say("option_nothing")
    if way.kind == "owned":
        counts = [reason.values["gpus"] for reason in way.reasons if "gpus" in reason.values]
        found = way.values.get("gpus", counts[0] if counts else float("nan"))
        if found != found:
            return voice.say("option_owned_none")
        gpus = voice.number(found)
        return voice.say("option_owned", gpus=gpus, accelerator=case.accelerator(way.accelerator))
    hardware = _hardware(case, way)
    if way.kind == "method":
        method = voice.say(f"method_{way.method}") if voice.has(f"method_{way.method}") else way.method
        return voice.say("option_method", method=method, hardware=hardware)
    if way.kind == "model":
        model = next((reason.values.get("model") for reason in way.reasons if "model" in reason.values), "")
        return voice.say("option_model", model=model, hardware=hardware)
    if way.kind == "budget":
        return voice.say("option_budget", hardware=hardware)
    return voice.opened(hardware)


def _hardware(case: Case, way: Way) -> str:
    """What is bought or rented."""
    voice = case.voice
    if way.way == "rent":
        gpus = voice.number(way.values.get("gpus", float("nan")))
        return voice.say("option_rent", gpus=gpus, accelerator=case.accelerator(way.accelerator))
    if way.chosen:
        return case.request_hardware
    values, own = way.values, way.values.get("nodes_reused", 0.0)
    if own:
        every = case.hardware(
            values["nodes_bought"] + own, values["gpus_bought"] + own * case.value("gpus_per_node"), way.accelerator
        )
        return voice.plural("with_own", own, hardware=every)
    return case.hardware(
        values.get("nodes_bought", float("nan")), values.get("gpus_bought", float("nan")), way.accelerator
    )


# ---- verdicts --------------------------------------------------------------------------------------------------------
def verdict(case: Case, way: Way) -> str:
    """Why a way is requested, impossible, or how it differs from the requested one."""
    voice = case.voice
    if way.kind == "nothing":
        return voice.say("reason_nothing")
    if way.kind == "owned" and not way.values:
        said = next((reason for reason in way.reasons if reason.key in OWNED), None)
        return sentence(case, said) if said else voice.say("reason_owned_none")
    failure = failure_of(case, way)
    if way.chosen:
        return (
            voice.say("reason_chosen_fails", failure=failure)
            if failure
            else voice.say(f"reason_chosen_{_why_chosen(case)}")
        )
    if failure:
        return voice.opened(failure)
    if way.kind == "owned":
        return voice.say("reason_owned_works")
    over = [sentence(case, reason) for reason in way.reasons if reason.key in OVER]
    differences = [*over, *_differences(case, way)]
    supply = next((reason.values["status"] for reason in way.reasons if reason.key == "reason_check_supply"), "")
    if (
        supply
        and way.way == "buy"
        and way.accelerator != case.facts.accelerator
        and voice.has(f"reason_supply_{supply}")
    ):
        differences = [*differences[:1], voice.say(f"reason_supply_{supply}")]
    return voice.opened(voice.joined(differences[:2], "semicolon")) or voice.say("reason_equal")


def _why_chosen(case: Case) -> str:
    if case.fixed_count:
        return "given"
    if case.kind == "batch":
        return "window" if case.known("window_hours") else "smallest"
    return "deadline" if case.kind == "serving" or case.deadline == case.deadline else "smallest"


def failure_of(case: Case, way: Way) -> str:
    """What a way cannot do; empty when it can."""
    voice, values = case.voice, way.values
    if not way.permitted:
        reason = next((item for item in way.reasons if voice.has(item.key)), None)
        return voice.say(reason.key, **reason.values) if reason else voice.say("not_allowed")
    said = next((reason for reason in way.reasons if reason.key in FAILURES), None)
    if not way.fits:
        return _memory_failure(case, way) or (_lowered(case, said) if said else voice.say("fails_memory_only"))
    days = values.get("days_to_deadline", float("nan"))
    if not way.in_time and days > case.deadline:
        return voice.say("fails_time", time=case.time.amount(days))
    if not way.in_time:
        return _lowered(case, said) if said else voice.say("fails_only")
    return ""


def _memory_failure(case: Case, way: Way) -> str:
    """How much memory a way lacks, if memory is what it lacks."""
    needed, usable = (way.values.get(key, float("nan")) for key in ("memory_per_gpu_gib", "memory_usable_gib"))
    if not needed > usable:
        return ""
    numbers = (case.voice.number(value, "GiB") for value in (needed, usable))
    return case.voice.say("fails_memory", **dict(zip(("needed", "usable"), numbers, strict=True)))


def _lowered(case: Case, message: Message) -> str:
    return case.voice.lowered(sentence(case, message))


def _differences(case: Case, way: Way) -> list[str]:
    """Against the requested way: cost, then time, then size."""
    base = next((item for item in case.result.options if item.chosen), None)
    if base is None:
        return []
    return [
        text
        for text in (
            _cost_difference(case, way, base),
            _time_difference(case, way, base),
            _size_difference(case, way, base),
        )
        if text
    ]


def _cost_difference(case: Case, way: Way, base: Way) -> str:
    mine, theirs = price(case, way), price(case, base)
    if way.way == "rent" and base.way == "buy":
        return _rent_against_purchase(case, mine, base)
    if way.way != base.way:
        return case.voice.say("differs_buy")
    if mine != mine or theirs != theirs or partly(way) != partly(base):
        return ""
    if abs(mine - theirs) < RELATIVE * max(mine, theirs):
        return case.voice.say("costs_equal")
    return case.voice.say("cheaper" if mine < theirs else "dearer", money=case.voice.money(abs(mine - theirs)))


def _rent_against_purchase(case: Case, rent: float, base: Way) -> str:
    """What renting for this job saves against what is known of the purchase."""
    known = base.values.get("purchase_cost", float("nan"))
    if not rent < known:
        return case.voice.say("differs_rent")
    return case.voice.say(
        "rent_cheaper_partly" if partly(base) else "rent_cheaper", money=case.voice.money(known - rent)
    )


def _time_difference(case: Case, way: Way, base: Way) -> str:
    key = {"training": "training_days", "batch": "batch_hours"}.get(case.kind)
    if key is None:
        return ""
    mine, theirs = (item.values.get(key, float("nan")) for item in (way, base))
    if mine != mine or theirs != theirs or abs(mine - theirs) < RELATIVE * max(mine, theirs):
        return ""
    days = abs(mine - theirs) / (24 if case.kind == "batch" else 1)
    return case.voice.say("faster" if mine < theirs else "slower", time=case.time.amount(days))


def _size_difference(case: Case, way: Way, base: Way) -> str:
    mine, theirs = way.gpus, base.gpus
    if mine != mine or theirs != theirs or mine == theirs:
        return ""
    return case.voice.plural("fewer_gpus" if mine < theirs else "more_gpus", abs(mine - theirs))


def _note(case: Case, shown: int) -> str:
    """What is plainly cheaper, faster or smaller than the request; how to read the list; how many ways are not in it."""
    voice = case.voice
    better = [sentence(case, remark) for remark in case.result.remarks if remark.key.startswith("better_")]
    variants = any(not way.live for way in case.result.options if way.kind in ("method", "model"))
    more = len(case.result.options) - shown
    further = [voice.plural("options_more", more)] if more > 0 else []
    return " ".join([*better[:BETTER], *([voice.say("options_note")] if variants else []), *further])
