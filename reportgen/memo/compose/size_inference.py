"""4 How the size follows, for serving and batch work: replicas, memory of a card, load or window against capacity."""

from __future__ import annotations

from reportgen.memo.chart_schema import LoadChart, LoadLine, RangeChart, RangeRow
from reportgen.memo.compose.case import Case, LayoutRow
from reportgen.memo.compose.derivation import Derivation
from reportgen.memo.compose.memory_figure import memory_figure
from reportgen.memo.compose.size_training import symbol_line
from reportgen.memo.context_schema import Figure, Size

REPLICAS_THROUGH = ("peak_requests_per_second", "busy_hour_requests_per_second")
PROFILE = "load_profile"  # a table of the result: 24 shares of the busiest hour


def serving_size(case: Case) -> Size:
    """Replicas for the peak, memory of one card of a replica, load against capacity."""
    voice = case.voice
    working = voice.count(case.value("replicas_working"), "replicas")
    if not case.feasible:
        claim, text = (
            voice.say("claim_nothing"),
            voice.say("claim_nothing_text", considered=voice.number(case.block.considered)),
        )
    elif case.fixed_count:
        claim, text = voice.say("claim_given", gpus=voice.count(case.value("gpus"), "gpus")), _binding(case)
    elif case.value("spare_nodes") > 0:
        more = voice.count(case.value("replicas") - case.value("replicas_working"), "replicas_more")
        claim, text = voice.say("claim_replicas_spare", working=working, more=more), _binding(case)
    else:
        claim, text = voice.say("claim_replicas", working=working), _binding(case)
    return Size(claim=claim, text=text, figures=(_replica_figure(case), _memory(case), _load(case)))


def _binding(case: Case) -> str:
    """What limits the requests that a replica takes at a time."""
    limits = {"memory": case.value("planned_concurrency"), "batch": case.value("batch_per_replica")}
    if limits["memory"] != limits["memory"]:
        return ""
    speed = limits["batch"] < 0.9 * limits["memory"] and case.known("tpot_objective_s")
    return case.voice.say("speed_binds" if speed else "memory_binds")


def _replica_figure(case: Case) -> Figure:
    voice = case.voice
    derivation = Derivation(case)
    key = "replicas_before_rounding"
    formula = derivation.product(key, REPLICAS_THROUGH) if derivation.has(key) else None
    if formula:
        number = voice.fixed(case.value(key), 2)
        ordered = (
            f"{voice.number(case.value('replicas'))} [{voice.unit('replicas', voice.number(case.value('replicas')))}]"
        )
        rounded = voice.number(case.value("replicas_working"))
        formula = [*formula[:-1], number, " → ", rounded, _and_spare(case), {"result": ordered}]
    used = derivation.product_symbols(key, REPLICAS_THROUGH) if formula else []
    return Figure(formula=formula, symbols=symbol_line(case, derivation, used))


def _and_spare(case: Case) -> str:
    """What lies between the replicas at work and those ordered."""
    key = "replicas_whole_servers" if not case.value("spare_nodes") > 0 else "replicas_with_spare"
    return f" [{case.voice.plural(key, max(case.value('spare_nodes'), 1))}] = "


# ---- memory ----------------------------------------------------------------------------------------------------------
def _memory(case: Case) -> Figure:
    voice, chosen = case.voice, case.chosen_row
    rows = [(_cards(case, chosen), chosen)]
    for row in _other_degrees(case):
        rows.append((_cards(case, row), row))
    values = {
        "held": voice.number(case.value("planned_concurrency"), "count"),
        "batch": voice.number(chosen["batch_per_replica"]),
    }
    if not chosen.fits:
        caption = voice.say(
            "memory_over",
            used=voice.number(chosen["memory_per_gpu_gib"], "GiB"),
            usable=voice.number(chosen["memory_usable_gib"], "GiB"),
        )
    elif case.known("tpot_objective_s"):
        caption = voice.plural("memory_requests", chosen["tensor_parallel"], **values)
    else:
        caption = voice.plural("memory_requests_only", chosen["tensor_parallel"], **values)
    return memory_figure(case, rows, caption)


def _cards(case: Case, row: LayoutRow) -> str:
    return case.voice.count(row["tensor_parallel"], "cards_a_replica")


def _other_degrees(case: Case) -> list[LayoutRow]:
    """The nearest smaller and larger number of cards a replica, each at its best layout."""
    chosen = case.chosen_row
    best: dict[float, LayoutRow] = {}
    for row in case.layouts:
        degree = row["tensor_parallel"]
        if degree == chosen["tensor_parallel"] or not row.divides:
            continue
        if degree not in best or (not row.accepted, row["gpus"]) < (not best[degree].accepted, best[degree]["gpus"]):
            best[degree] = row
    smaller = [best[degree] for degree in sorted(best) if degree < chosen["tensor_parallel"]][-1:]
    larger = [best[degree] for degree in sorted(best) if degree > chosen["tensor_parallel"]][:1]
    return [*smaller, *larger]


# ---- load ------------------------------------------------------------------------------------------------------------
def _load(case: Case) -> Figure:
    profile = case.result.tables.get(PROFILE)
    shares = tuple(float(value) for value in profile.values) if profile is not None else ()
    return _day(case, shares) if len(shares) == 24 else _peak(case)


def _load_caption(case: Case) -> str:
    voice = case.voice
    high, left, full = (
        case.value(key)
        for key in ("peak_requests_per_second_p90", "capacity_with_node_down", "capacity_requests_per_second")
    )
    peak = case.value("peak_requests_per_second")
    if not case.value("spare_nodes") > 0:
        return voice.say("load_no_spare" if full >= peak else "load_short")
    if left < peak:
        return voice.say("load_short_down")
    return voice.say("load_safe" if high <= left else ("load_all_needed" if high <= full else "load_p90_short"))


def _peak(case: Case) -> Figure:
    """The peak with its range against what remains when a node fails."""
    voice = case.voice
    middle = case.value("peak_requests_per_second")
    low, high = case.ends("peak_requests_per_second")
    spare = case.value("spare_nodes") > 0
    limit = case.value("capacity_with_node_down" if spare else "capacity_requests_per_second")
    low, high = (low, high) if low == low else (middle, middle)
    number = lambda value: voice.number(value, "requests/s")  # noqa: E731
    row = RangeRow(
        label=voice.say("peak_load"),
        low=low,
        middle=middle,
        high=high,
        low_text=number(low),
        middle_text=number(middle),
        high_text=number(high),
        note=voice.say("peak_verdict_short" if high > limit else "peak_verdict"),
        chosen=True,
        late=high > limit,
    )
    name = voice.say("capacity_node_down" if spare else "capacity")
    return Figure(
        caption=_load_caption(case),
        unit=voice.say("requests_unit"),
        chart=RangeChart(
            rows=(row,),
            unit=voice.unit("requests/s"),
            limit=limit,
            limit_text=name,
            limit_value_text=number(limit),
            alt=voice.say("peak_alt", peak=number(middle), low=number(low), high=number(high), limit=number(limit)),
        ),
    )


def _day(case: Case, shares: tuple[float, ...]) -> Figure:
    """The load of a day against the capacities with all nodes, and with one or two fewer."""
    voice = case.voice
    peak, high = case.value("peak_requests_per_second"), case.value("peak_requests_per_second_p90")
    nodes = case.value("nodes")
    full, down = case.value("capacity_requests_per_second"), case.value("capacity_with_node_down")
    number = lambda value: voice.number(value, "requests/s")  # noqa: E731
    lines = [
        LoadLine(
            value=full,
            texts=(
                voice.say("line_capacity", nodes=voice.count(nodes, "nodes"), rate=number(full)),
                voice.say("as_requested"),
            ),
            mood="chosen",
        )
    ]
    if down > 0:
        lines.append(
            LoadLine(
                value=down,
                texts=(
                    voice.say("line_capacity", nodes=voice.count(nodes - 1, "nodes"), rate=number(down)),
                    voice.say("one_down"),
                ),
                mood="limit",
            )
        )
    return Figure(
        caption=_load_caption(case),
        unit=voice.say("requests_unit"),
        chart=LoadChart(
            base=tuple(share * peak for share in shares),
            high=tuple(share * high for share in shares) if high == high else (),
            lines=tuple(lines),
            axis=tuple(voice.say("load_axis").split("|")),
            peak_text=voice.say("peak_at", rate=number(peak)),
            high_text=voice.say("p90_at", rate=number(high)) if high == high else "",
            hour_text=voice.say("hour_mark"),
            alt=voice.say(
                "peak_alt",
                peak=number(peak),
                low=number(case.value("peak_requests_per_second_p10")),
                high=number(high),
                limit=number(down),
            ),
        ),
    )


# ---- batch -----------------------------------------------------------------------------------------------------------
def batch_size(case: Case) -> Size:
    """Hours from the rate of a replica; memory of a card; hours against the window."""
    voice = case.voice
    window = case.known("window_hours")
    gpus = voice.count(case.value("gpus"), "gpus")
    if not case.feasible:
        claim = voice.say("claim_nothing")
    elif case.fixed_count or not window:
        claim = voice.say("claim_given" if case.fixed_count else "claim_one_replica", gpus=gpus)
    else:
        claim = voice.say("claim_window", gpus=gpus, needed=voice.fixed(case.value("replicas_before_rounding"), 2))
    text = voice.say("claim_measured" if case.has_feature("measured_rate") else "claim_computed")
    return Size(claim=claim, text=text, figures=(_hours_figure(case), _memory(case)))


def _hours_figure(case: Case) -> Figure:
    voice, time = case.voice, case.time
    derivation = Derivation(case)
    through = ("replica_items_per_second", "measured_tokens_per_request") if case.has_feature("measured_rate") else ()
    formula = derivation.product("batch_hours", through) if derivation.has("batch_hours") else None
    used = derivation.product_symbols("batch_hours", through) if formula else []
    low, high = case.ends("batch_hours")
    return Figure(
        caption=voice.say("hours_caption", time=time.amount(case.value("batch_hours") / 24)),
        unit=voice.say("p10_median_p90") if low == low else "",
        formula=formula,
        symbols=symbol_line(case, derivation, used),
        chart=_window_chart(case, low, high) if low == low else None,
    )


def _window_chart(case: Case, low: float, high: float) -> RangeChart:
    voice, time = case.voice, case.time
    middle, window = case.value("batch_hours"), case.value("window_hours")
    limit = window == window
    late = limit and high > window
    note = "" if not limit else voice.say("verdict_late_bad" if late else "verdict_holds")
    row = RangeRow(
        label=voice.count(case.value("gpus"), "gpus"),
        low=time.scaled(low / 24),
        middle=time.scaled(middle / 24),
        high=time.scaled(high / 24),
        low_text=time.text(low / 24),
        middle_text=time.text(middle / 24),
        high_text=time.text(high / 24),
        note=note,
        chosen=True,
        late=late,
    )
    alt = voice.say(
        "range_alt",
        rows=voice.say("range_alt_row", label=row.label, low=row.low_text, high=row.high_text),
        unit=time.name,
    )
    return RangeChart(
        rows=(row,),
        unit=time.name,
        limit=time.scaled(window / 24) if limit else None,
        limit_text=voice.say("window") if limit else "",
        limit_value_text=time.limit(window / 24) if limit else "",
        alt=alt,
    )
