"""5 What it costs over time: own against rent, the cost of the work, and how much of the equipment the job uses."""

from __future__ import annotations

from dataclasses import dataclass

from reportgen.memo.chart_schema import Bar, BarChart
from reportgen.memo.compose.case import Case
from reportgen.memo.compose.derivation import figure_text
from reportgen.memo.compose.scales import MoneyScale
from reportgen.memo.context_schema import Cost, Figure
from reportgen.memo.table_schema import Cell, Column, Row, Table

MILLION = 1e6
SERVING_PARTS = ("depreciation_per_year", "finance_cost_per_year", "energy_cost_per_year", "operation_cost_per_year")


@dataclass(frozen=True)
class Way:
    """A way to pay for the work: its amount (NaN = no price) and whether lines are missing from it."""

    key: str
    amount: float
    partly: bool = False
    allowed: bool = True
    chosen: bool = False


def cost(case: Case) -> Cost:
    """A table of the requested way, bars of the ways, sentences below."""
    if case.kind == "serving":
        return Cost(table=_monthly_table(case), figure=_token_figure(case), lines=_lines(case))
    return Cost(table=None if case.rents else _years_table(case), figure=_ways_figure(case), lines=_lines(case))


# ---- the years of use ------------------------------------------------------------------------------------------------
def _years_table(case: Case) -> Table | None:
    """Purchase, power and operation over the years of use."""
    voice = case.voice
    parts = [(key, case.value(key)) for key in ("purchase_cost_borne", "energy_cost_of_use", "operation_cost_of_use")]
    parts = [(key, value) for key, value in parts if value == value and value > 0]
    total = case.value("purchase_total_cost")
    if not case.priced or not parts or total != total:
        return None
    scale = MoneyScale.for_totals(voice, [total]).fitted(([value for _, value in parts], total))
    partly = case.open_lines > 0
    rows = []
    for key, value in parts:
        open_ = partly and key == "purchase_cost_borne"
        text = scale.text(value)
        rows.append(Row(cells=(_part_name(case, key), Cell(text=f"≥ {text}", mood="open") if open_ else text)))
    rows += [Row(cells=(line.name, line.amount)) for line in scale.rounding_line([value for _, value in parts], total)]
    whole = scale.text(total)
    rows.append(
        Row(cells=(voice.say("sum_total"), Cell(text=f"≥ {whole}", mood="open") if partly else whole), kind="total")
    )
    years = voice.opened(voice.count(case.value("years_of_use"), "years"))
    return Table(
        columns=(Column(name=voice.say("over_years", years=years)), Column(name=scale.unit, number=True)),
        rows=tuple(rows),
    )


def _part_name(case: Case, key: str) -> str:
    voice = case.voice
    if key == "purchase_cost_borne":
        deducted = case.value("purchase_cost_borne") < case.value("purchase_cost") - 0.5
        return voice.say("cost_purchase_without_tax") if deducted else voice.say("cost_purchase", tax=case.tax)
    yearly = {"energy_cost_of_use": "energy_cost_per_year", "operation_cost_of_use": "operation_cost_per_year"}[key]
    return voice.say(f"cost_{key}", yearly=voice.money(case.value(yearly)))


def _ways(case: Case) -> list[Way]:
    """Buying, renting as many hours, renting for this job alone."""
    partly = bool(case.unpriced)
    bought = case.value("purchase_total_cost") if not case.servers_unpriced else float("nan")
    buy = Way("buy_years", bought, partly, chosen=not case.rents)
    same = Way("rent_same", case.value("rental_cost_of_same_use"), allowed=case.may_rent)
    job = Way("rent_job", case.value("rental_total_cost"), allowed=case.may_rent, chosen=case.rents)
    return [job, buy] if case.rents else [buy, same, job]


def _ways_figure(case: Case) -> Figure:
    voice = case.voice
    ways = _ways(case)
    known = [way.amount for way in ways if way.amount == way.amount]
    scale = MoneyScale.for_totals(voice, known)
    years = voice.count(case.value("years_of_use"), "years")
    bars = tuple(_way_bar(case, way, scale, years) for way in ways)
    return Figure(
        caption=_ways_caption(case, ways),
        unit=scale.unit if known else "",
        chart=BarChart(rows=bars, alt=_bars_alt(case, bars)),
        note=_use_note(case),
    )


def _way_bar(case: Case, way: Way, scale: MoneyScale, years: str) -> Bar:
    voice = case.voice
    known = way.amount == way.amount
    text = scale.text(way.amount) if known else voice.say("quote_needed")
    return Bar(
        label=voice.say(f"way_{way.key}", years=years),
        value=way.amount / scale.divisor if known else None,
        text=f"≥ {text}" if known and way.partly else text,
        note="" if way.allowed else voice.say("not_allowed"),
        chosen=way.chosen,
    )


def _bars_alt(case: Case, bars: tuple[Bar, ...]) -> str:
    return case.voice.say("bars_alt", rows=case.voice.joined([f"{bar.label} {bar.text}" for bar in bars]))


def _ways_caption(case: Case, ways: list[Way]) -> str:
    """The conclusion that the prices allow, never more."""
    voice = case.voice
    by_key = {way.key: way for way in ways}
    buy, job = by_key["buy_years"], by_key["rent_job"]
    if buy.amount != buy.amount or buy.partly:
        key = "caption_no_prices" if job.amount != job.amount else "caption_buy_open"
        return voice.plural(key, max(len(case.unpriced), 1))
    if job.amount != job.amount:
        return voice.say("caption_rent_open")
    if case.rents or case.little_used:
        return voice.say("caption_job_rent", rent=voice.money(job.amount), buy=voice.money(buy.amount))
    same = by_key["rent_same"]
    difference = voice.money(abs(buy.amount - same.amount))
    return voice.say("caption_own_cheaper" if buy.amount < same.amount else "caption_own_dearer", difference=difference)


def _use_note(case: Case) -> str:
    """The assumed use behind the hours compared."""
    if case.rents or not case.known("rental_cost_of_same_use"):
        return ""
    return case.voice.say("use_note", share=case.voice.share(case.value("owned_utilization")))


# ---- sentences -------------------------------------------------------------------------------------------------------
def _lines(case: Case) -> tuple[str, ...]:
    lines = (_share_line(case), _unit_cost_line(case), _break_even_line(case), _api_line(case))
    return tuple(line for line in lines if line)


def _api_line(case: Case) -> str:
    """Own cost over that of the same tokens from a service, and the load from which own equipment is the cheaper way."""
    voice = case.voice
    ratio, even = case.value("own_share_of_api_cost"), case.value("break_even_million_tokens_per_month")
    if not case.has_feature("api_price") or ratio != ratio or (case.unpriced and not case.rents):
        return ""
    values = {"times": voice.fixed(ratio, 2 if ratio < 1 else 1), "api": voice.money(case.value("api_job_cost"))}
    if even != even:
        return voice.say("api_line_batch", **values)
    return voice.say("api_line", **values, tokens=voice.amount(even * MILLION, "tokens"))


def _share_line(case: Case) -> str:
    """How much of what is bought the job uses, and the rent for the job alone."""
    voice = case.voice
    share = case.value("lifetime_share")
    if not case.buys_servers or case.kind == "serving" or share != share:
        return ""
    values = {
        "share": voice.share(share),
        "hours": hours_text(case, case.value("job_gpu_hours")),
        "years": voice.count(case.value("years_of_use"), "years"),
    }
    if share >= 1:
        return voice.say("share_line_whole", **values)
    if not case.little_used:
        return voice.say("share_line", **values)
    if not case.may_rent:
        return voice.say("share_line_no_rent", **values)
    rent = case.value("rental_cost")
    return (
        voice.say("share_line_rent", **values, rent=voice.money(rent))
        if rent == rent
        else voice.say("share_line_open", **values)
    )


def hours_text(case: Case, hours: float) -> str:
    """GPU hours: whole ones, or what is left of them for very short work."""
    return case.voice.number(hours, "count") if not hours < 10 else figure_text(hours)


def _unit_cost_line(case: Case) -> str:
    """The cost of a run or of a million tokens, both ways."""
    voice = case.voice
    unit = "run" if case.kind == "training" else "million_tokens"
    own, rent = case.value(f"purchase_cost_per_{unit}"), case.value(f"rental_cost_per_{unit}")
    if case.unpriced and case.servers_unpriced:
        own = float("nan")
    parts = []
    if own == own:
        at_least = "unit_own_partly" if case.unpriced else "unit_own"
        parts.append(
            voice.say(at_least, money=voice.money(own), share=case.voice.share(case.value("owned_utilization")))
        )
    if rent == rent:
        parts.append(voice.say("unit_rent", money=voice.money(rent)))
    return voice.say(f"unit_{unit}", parts=voice.listed(parts)) if parts else ""


def _break_even_line(case: Case) -> str:
    voice = case.voice
    share = case.value("break_even_utilization")
    if share != share or case.unpriced:
        return ""
    if case.kind == "serving":
        return ""
    if share >= 1:
        return voice.say("break_even_never")
    return voice.say("break_even", share=voice.share(share))


# ---- serving ---------------------------------------------------------------------------------------------------------
def _monthly_table(case: Case) -> Table | None:
    """A month of owning, part by part, beside a month of renting."""
    voice = case.voice
    parts = [(key, case.value(key) / 12) for key in SERVING_PARTS if case.value(key) > 0]
    own = (
        sum(value for _, value in parts)
        if not case.servers_unpriced and case.priced and not case.rents
        else float("nan")
    )
    rent = case.value("rental_total_cost") / case.value("months_of_service")
    if own != own and rent != rent:
        return None
    known = [value for value in (own, rent) if value == value]
    scale = MoneyScale.for_lists(voice, max(known))
    if own == own:
        scale = scale.fitted(([value for _, value in parts], own))
    rows = (
        [Row(cells=(voice.say(f"month_{key}"), scale.text(value), "–")) for key, value in parts] if own == own else []
    )
    rows += (
        [Row(cells=(line.name, line.amount, "–")) for line in scale.rounding_line([value for _, value in parts], own)]
        if own == own
        else []
    )
    if rent == rent:
        rows.append(Row(cells=(voice.say("month_rent"), "–", scale.text(rent))))
    quote = Cell(text=voice.say("quote_needed"), mood="open")
    own_text = (
        quote
        if own != own
        else (Cell(text=f"≥ {scale.text(own)}", mood="open") if case.open_lines else scale.text(own))
    )
    rows.append(
        Row(cells=(voice.say("sum_total"), own_text, scale.text(rent) if rent == rent else quote), kind="total")
    )
    columns = (
        Column(name=voice.say("a_month", unit=scale.unit)),
        Column(name=voice.say("own"), number=True),
        Column(name=voice.say("rent"), number=True),
    )
    return Table(columns=columns, rows=tuple(rows))


def _token_figure(case: Case) -> Figure:
    """The cost of a million tokens, owned, rented, and from somebody else's service where its price is given."""
    voice = case.voice
    own = case.value("purchase_cost_per_million_tokens") if not case.servers_unpriced else float("nan")
    rent = case.value("rental_cost_per_million_tokens")
    bars = tuple(
        Bar(
            label=voice.say(label),
            value=amount if amount == amount else None,
            text=_token_text(case, amount, partly),
            note="" if allowed else voice.say("not_allowed"),
            chosen=chosen,
        )
        for label, amount, partly, allowed, chosen in (
            ("own", own, bool(case.unpriced), True, not case.rents),
            ("rent", rent, False, case.may_rent, case.rents),
            ("api", case.value("api_cost_per_million_tokens"), False, case.may_rent, False),
        )
        if label != "api" or case.has_feature("api_price")
    )
    return Figure(
        caption=_token_caption(case, own, rent),
        unit=voice.say("currency_million_tokens", currency=voice.currency_name),
        chart=BarChart(rows=bars, alt=_bars_alt(case, bars)),
        note=voice.say("token_note", tokens=case.voice.amount(case.value("tokens_per_month"), "tokens")),
    )


def _token_text(case: Case, amount: float, partly: bool) -> str:
    if amount != amount:
        return case.voice.say("quote_needed")
    text = case.voice.number(amount, "price")
    return f"≥ {text}" if partly else text


def _token_caption(case: Case, own: float, rent: float) -> str:
    voice = case.voice
    if own != own or case.unpriced:
        return voice.plural("caption_no_prices" if rent != rent else "caption_buy_open", max(len(case.unpriced), 1))
    if rent != rent:
        return voice.say("caption_rent_open")
    times = voice.fixed(max(own, rent) / min(own, rent), 1)
    return voice.say("caption_token_own" if own < rent else "caption_token_rent", times=times)
