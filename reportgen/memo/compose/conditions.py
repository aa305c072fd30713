"""9 Conditions and time: what must be ready, from quantities; when, from lead times. 10: only what rules can say."""

from __future__ import annotations

from datetime import date, timedelta

from reportgen.memo.chart_schema import Task, Tick, TimelineChart
from reportgen.memo.compose.case import Case
from reportgen.memo.compose.head import delivery_weeks, installation_weeks, latest_order, short_date
from reportgen.memo.compose.options import failure_of
from reportgen.memo.context_schema import Conditions, Field

WEEK = 7.0
SMALLEST_TERABYTES = 0.1  # below it data is told in GB


def conditions(case: Case) -> Conditions:
    """Room, power, cooling, network, people; the timeline where lead times are known."""
    kind = _rented_cells if case.rents else (_workstation_cells if case.workstation else _cluster_cells)
    return Conditions(cells=tuple(cell for cell in kind(case) if cell), timeline=_timeline(case), note=_note(case))


def _cluster_cells(case: Case) -> list[Field | None]:
    voice = case.voice
    return [
        Field(name=voice.say("cell_room"), value=_room(case)),
        Field(name=voice.say("cell_power"), value=_power(case)),
        Field(name=voice.say("cell_cooling"), value=_cooling(case)),
        Field(name=voice.say("cell_network"), value=_network(case)),
        Field(name=voice.say("cell_people"), value=voice.count(case.value("operators"), "operators")),
    ]


def _room(case: Case) -> str:
    """Racks, what they draw and hold."""
    voice, racks, site = case.voice, case.value("racks"), case.facts.site
    room = _racks(case, racks)
    return voice.say("room_named", site=site, room=room) if site else room


def _racks(case: Case, racks: float) -> str:
    voice = case.voice
    if not case.value("rack_power_kw") > 0:
        return voice.plural("room_network", racks)
    each = voice.count(case.value("nodes_per_rack"), "nodes")
    return voice.plural("room_value", racks, rack=case.amount("rack_power_kw"), each=each)


def _power(case: Case) -> str:
    voice = case.voice
    if not case.known("facility_power_kw"):
        return voice.say("power_unknown")
    limit = case.value("site_power_limit_kw")
    if limit == limit:
        return voice.say("power_value_limit", it=case.amount("it_power_kw"), limit=voice.amount(limit, "kW"))
    return voice.say("power_value", it=case.amount("it_power_kw"), site=case.amount("facility_power_kw"))


def _cooling(case: Case) -> str:
    kind = case.value("cooling_class")
    if kind != kind:
        return case.voice.say("power_unknown")
    return case.voice.say(f"cooling_{kind:.0f}", kw=case.amount("rack_cooling_kw"))


def _network(case: Case) -> str:
    voice = case.voice
    switches = case.value("compute_switches")
    if not switches > 0:
        return voice.say("network_none")
    return voice.plural(
        "network_value",
        switches,
        ports=voice.number(case.value("switch_ports")),
        rate=case.amount("compute_nic_gbit_s"),
    )


def _workstation_cells(case: Case) -> list[Field | None]:
    voice = case.voice
    power = case.amount("it_power_kw") if case.known("it_power_kw") else ""
    return [
        Field(name=voice.say("cell_place"), value=voice.say("place_value")),
        Field(
            name=voice.say("cell_power"),
            value=voice.say("circuit_value", power=power) if power else voice.say("power_unknown"),
        ),
        Field(name=voice.say("cell_people"), value=voice.say("people_workstation")),
    ]


def _rented_cells(case: Case) -> list[Field | None]:
    voice = case.voice
    data = case.value("dataset_storage_tb")
    return [
        Field(
            name=voice.say("cell_quota"),
            value=voice.say(
                "quota_value", gpus=voice.count(case.value("gpus"), "gpus"), accelerator=case.accelerator()
            ),
        ),
        Field(
            name=voice.say("cell_network"),
            value=voice.say("network_rented") if case.value("nodes") > 1 else voice.say("network_none"),
        ),
        Field(name=voice.say("cell_data"), value=voice.say("data_value", size=_size(case, data)))
        if data > 0
        else None,
        Field(name=voice.say("cell_people")),
    ]


# ---- time ------------------------------------------------------------------------------------------------------------
def _timeline(case: Case) -> TimelineChart | None:
    """Delivery, installation, then the work, in weeks or dates from the decision."""
    delivery, installation = delivery_weeks(case) * WEEK, installation_weeks(case) * WEEK
    if case.rents or not delivery or not case.feasible:
        return None
    voice = case.voice
    work = _work_days(case)
    spans = [("task_delivery", 0.0, delivery)]
    if installation:
        spans.append(("task_installation", delivery, delivery + installation))
    ready = delivery + installation
    spans.append((f"task_run_{case.kind}", ready, ready + max(work, ready * 0.02)))
    latest = latest_order(case)
    rows = tuple(
        Task(
            label=voice.say(key),
            start=start,
            end=end,
            dates=_dates(case, start, end, latest, index == len(spans) - 1),
            chosen=index == len(spans) - 1,
        )
        for index, (key, start, end) in enumerate(spans)
    )
    return TimelineChart(
        rows=rows,
        ticks=_ticks(case, rows[-1].end),
        start_text=voice.say("order_by", day=short_date(case, latest)) if latest else voice.say("order_day"),
        alt=voice.say("timeline_alt", rows=voice.joined([f"{row.label} {row.dates}" for row in rows], "semicolon")),
    )


def _work_days(case: Case) -> float:
    """How long the work takes in the bad case; a service shows its first month."""
    if case.kind == "training":
        return case.ends("training_days")[1] if case.known("training_days") else 0.0
    return 30.0 if case.kind == "serving" else case.value("batch_hours") / 24


def _dates(case: Case, start: float, end: float, latest: date | None, last: bool) -> str:
    voice = case.voice
    if latest is not None:
        first, final = (latest + timedelta(days=round(days)) for days in (start, end))
        if last and case.kind == "serving":
            return voice.say("from_date", day=short_date(case, first))
        return voice.say("dates", first=short_date(case, first), last=short_date(case, final))
    first, final = int(start // WEEK) + 1, max(int(-(-end // WEEK)), int(start // WEEK) + 1)
    if last and case.kind == "serving":
        return voice.say("from_week", n=first)
    return voice.say("one_week", n=first) if first == final else voice.say("weeks", first=first, last=final)


def _ticks(case: Case, end: float) -> tuple[Tick, ...]:
    """A grid line every few weeks."""
    weeks = end / WEEK
    step = next((step for step in (1, 2, 4, 8, 13, 26) if weeks / step <= 8), 52)
    return tuple(
        Tick(day=week * WEEK, name=case.voice.say("tick_week", n=week)) for week in range(step, int(weeks) + 1, step)
    )


def _note(case: Case) -> str:
    """Lead times are what suppliers usually quote, not a promise."""
    if case.rents or not delivery_weeks(case) or not case.feasible:
        return ""
    slowest = max((line for line in case.bought if line.category != "services"), key=lambda line: line.lead_time_weeks)
    return case.voice.say(
        "timeline_note", item=case.voice.item(slowest.key), weeks=case.voice.count(delivery_weeks(case), "weeks")
    )


# ---- if not approved -------------------------------------------------------------------------------------------------
def otherwise(case: Case) -> tuple[str, ...]:
    """Only what the result knows of the equipment that is there; all else is left to people."""
    owned = next((option for option in case.result.options if option.kind == "owned" and option.values), None)
    if owned is None:
        return ()
    voice, values = case.voice, owned.values
    name = voice.say(
        "equipment",
        gpus=voice.number(values.get("gpus", float("nan"))),
        accelerator=case.accelerator(owned.accelerator),
    )
    failure = failure_of(case, owned)
    if failure:
        return (voice.say("otherwise_fails", equipment=name, failure=failure),)
    return (voice.say("otherwise_works", equipment=name),)


def _size(case: Case, terabytes: float) -> str:
    """An amount of data, in GB where terabytes would print as nothing."""
    if terabytes >= SMALLEST_TERABYTES:
        return case.voice.amount(terabytes, "TB")
    return case.voice.amount(max(round(terabytes * 1000), 1), "GB")
