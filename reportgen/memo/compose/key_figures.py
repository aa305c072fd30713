"""The four figures under the decision."""

from __future__ import annotations

from reportgen.memo.compose.case import Case
from reportgen.memo.compose.decision import quantile_text
from reportgen.memo.context_schema import KeyFigure


def key_figures(case: Case) -> tuple[KeyFigure, ...]:
    """How many, how long or how fast, how much, and power or the price of the work."""
    second = {"training": _days, "serving": _load, "batch": _hours}[case.kind](case)
    return (_gpus(case), second, _money(case), _tokens(case) if case.kind == "serving" else _power(case))


def _gpus(case: Case) -> KeyFigure:
    voice = case.voice
    number = voice.number(case.value("gpus"))
    return KeyFigure(
        value=number,
        unit=voice.unit("GPUs", number),
        name=case.accelerator() if case.rents or case.workstation else _servers(case),
        note=_size_reason(case),
        open=not case.feasible,
    )


def _servers(case: Case) -> str:
    """The machines behind the GPUs: those at work, and how many come on top."""
    voice = case.voice
    spare = case.installed - case.value("nodes")
    idle = case.installed * case.value("gpus_per_node") - case.value("gpus")
    working = case.hardware(case.value("nodes"), case.value("nodes") * case.value("gpus_per_node"))
    if spare > 0:
        return voice.plural("with_spare", spare, hardware=working)
    if case.reused and not case.buys_servers:
        return voice.say("all_own", hardware=working)
    if case.reused:
        return voice.plural("with_own", case.reused, hardware=working)
    if idle > 0:
        return voice.say("of_bought", hardware=case.request_hardware)
    return working


def _size_reason(case: Case) -> str:
    """Why this many."""
    voice = case.voice
    if not case.feasible:
        return voice.say("size_fails")
    if case.fixed_count:
        return voice.say("size_given")
    if case.kind == "serving":
        spare = case.value("spare_nodes")
        return voice.plural("size_spare", spare) if spare > 0 else voice.say("size_no_spare")
    if case.deadline == case.deadline:
        return voice.say("size_deadline", quantile=quantile_text(case))
    return voice.say("size_window" if case.kind == "batch" and case.known("window_hours") else "size_fits")


def _days(case: Case) -> KeyFigure:
    voice, time = case.voice, case.time
    low, high = case.ends("training_days")
    runs = voice.plural("for_runs", case.runs)
    allowed = case.deadline == case.deadline
    late = allowed and case.value("days_to_deadline") > case.deadline
    return KeyFigure(
        value=time.text(case.value("training_days")),
        unit=time.name,
        name=voice.say("days_of", runs=runs, allowed=time.limit_amount(case.deadline)) if allowed else runs,
        note=voice.say("eight_in_ten", span=time.span(low, high)) if low == low else "",
        open=late,
    )


def _hours(case: Case) -> KeyFigure:
    voice, time = case.voice, case.time
    low, high = case.ends("batch_hours")
    items = voice.count(case.value("items"), "requests")
    window = case.value("window_hours")
    rate = voice.say("measured_rate") if case.has_feature("measured_rate") else ""
    return KeyFigure(
        value=time.text(case.value("batch_hours") / 24),
        unit=time.name,
        name=voice.say("hours_of", items=items, allowed=time.limit_amount(window / 24)) if window == window else items,
        note=voice.say("eight_in_ten", span=time.span(low / 24, high / 24)) if low == low else rate,
        open=case.value("window_met") == 0,
    )


def _load(case: Case) -> KeyFigure:
    voice = case.voice
    low, high = case.ends("peak_requests_per_second")
    carried = case.value("capacity_with_node_down" if case.value("spare_nodes") > 0 else "capacity_requests_per_second")
    peak = case.value("peak_requests_per_second")
    left = case.value("nodes") - 1
    spare = case.value("spare_nodes") > 0 and left > 0
    text = voice.number(carried, "requests/s")
    return KeyFigure(
        value=voice.number(peak, "requests/s"),
        unit=voice.unit("requests/s"),
        name=voice.plural("peak_carried_by", left, carried=text) if spare else voice.say("peak_carried", carried=text),
        note=voice.say("eight_in_ten", span=voice.span(low, high, "requests/s")) if low == low else "",
        open=carried < peak,
    )


def _money(case: Case) -> KeyFigure:
    voice = case.voice
    name = voice.say("rent_with_tax" if case.rents else "purchase_with_tax", tax=case.tax)
    if not case.priced:
        lines = voice.plural("lines_unpriced", case.open_lines) if case.open_lines else voice.say("no_rent_known")
        return KeyFigure(value=voice.say("quote_needed"), name=name, note=lines, open=True)
    number, unit = voice.money_parts(case.total)
    if case.open_lines and case.servers_unpriced and not case.rents:
        note = voice.plural("others_await", case.open_lines, all=len(case.lines), money=voice.money(case.total))
        return KeyFigure(value=voice.say("quote_needed"), name=name, note=note, open=True)
    if case.open_lines:
        note = voice.plural("lines_await", case.open_lines, all=len(case.lines))
        return KeyFigure(
            value=f"≥ {number}", unit=unit, name=voice.say("priced_part", tax=case.tax), note=note, open=True
        )
    return KeyFigure(value=number, unit=unit, name=name, note=_money_span(case))


def _money_span(case: Case) -> str:
    """The total with every ranged input at its good and its bad end."""
    found = case.result.quantities.get("rental_cost" if case.rents else "purchase_cost")
    if found is None or found.favourable == found.adverse:
        return ""
    low, high = sorted((float(found.favourable), float(found.adverse)))
    if low != low or high != high:
        return ""
    return case.voice.say("money_span", low=case.voice.money(low), high=case.voice.money(high))


def _power(case: Case) -> KeyFigure:
    voice = case.voice
    if case.rents:
        return _rent_price(case)
    if not case.known("it_power_kw"):
        return KeyFigure(value="–", name=voice.say("power_of_equipment"), note=voice.say("power_unknown"))
    limit, yearly = case.value("site_power_limit_kw"), case.value("energy_cost_per_year")
    notes = [voice.say("power_with_cooling", site=case.amount("facility_power_kw"))]
    if limit == limit:
        notes = [voice.say("power_limit", limit=voice.amount(limit, "kW")), *notes]
    elif yearly == yearly:
        notes.append(voice.say("power_a_year", money=voice.money(yearly)))
    return KeyFigure(
        value=voice.number(case.value("it_power_kw"), "kW"),
        unit="kW",
        name=voice.say("power_of_equipment"),
        note=voice.joined(notes, "semicolon"),
        open=limit == limit and case.value("it_power_kw") > limit,
    )


def _rent_price(case: Case) -> KeyFigure:
    """Nothing is powered here: the price of the hour stands instead."""
    voice = case.voice
    price = case.value("rental_cost_per_gpu_hour")
    if price != price:
        return KeyFigure(value=voice.say("quote_needed"), name=voice.say("rent_an_hour"), open=True)
    billed = case.value("rental_billed_gpu_hours")
    hours = voice.number(billed if billed == billed else case.value("job_gpu_hours"), "count")
    return KeyFigure(
        value=voice.number(price, "money/h"),
        unit=voice.currency_name,
        name=voice.say("rent_an_hour"),
        note=voice.say("rent_hours", hours=hours),
    )


def _tokens(case: Case) -> KeyFigure:
    """The price of a million tokens, all costs in it."""
    voice = case.voice
    cost = case.value("cost_per_million_tokens")
    if cost != cost:
        return KeyFigure(
            value=voice.say("quote_needed"),
            name=voice.say("million_tokens"),
            note=voice.say("with_all_prices"),
            open=True,
        )
    months = voice.count(case.value("months_of_service"), "months")
    note = voice.say(
        "million_tokens_note", months=months, tokens=voice.number(case.value("tokens_per_month"), "tokens")
    )
    partly = case.open_lines > 0
    number = voice.number(cost, "price")
    return KeyFigure(
        value=f"≥ {number}" if partly else number,
        unit=voice.currency_name,
        name=voice.say("million_tokens"),
        note=note,
        open=partly,
    )
