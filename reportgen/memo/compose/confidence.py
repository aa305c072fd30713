"""7 Confidence: the tornado, and what follows from ranges and errors, sentence by rule."""

from __future__ import annotations

from reportgen.memo.compose.case import Case
from reportgen.memo.compose.latency import latency_figure
from reportgen.memo.compose.tornado import input_at, moves, tornado_figure
from reportgen.memo.context_schema import Confidence

MOST_LINES = 3


def confidence(case: Case) -> Confidence:
    """Tornado and at most three sentences; the latency split of a service below."""
    rules = {
        "training": (_range_of_days, _memory_close, _single_input_days, _all_bad_days),
        "serving": (_range_of_replicas, _single_input_replicas, _peak_above),
        "batch": (_range_of_hours, _measured, _single_input_hours),
    }[case.kind]
    if not case.feasible:
        return Confidence(figure=tornado_figure(case), lines=(case.voice.say("line_not_feasible"),))
    lines = [line for rule in rules if (line := rule(case))]
    more = latency_figure(case) if case.kind == "serving" else None
    return Confidence(figure=tornado_figure(case), lines=tuple(lines[:MOST_LINES]), more=(more,) if more else ())


# ---- training --------------------------------------------------------------------------------------------------------
def _range_of_days(case: Case) -> str:
    voice, time = case.voice, case.time
    low, high = case.ends("training_days")
    if low != low:
        return ""
    values = {"span": time.span(low, high), "high": time.amount(high)}
    if case.deadline != case.deadline:
        return voice.say("line_range", **values)
    certain = case.value("days_to_deadline")
    if certain > case.deadline:
        return voice.say("line_range_late", **values, over=time.amount(certain - case.deadline))
    return voice.say("line_range_holds", **values, spare=time.amount(case.deadline - certain))


def _single_input_days(case: Case) -> str:
    """Whether one input at its bad end breaks the deadline at P90."""
    voice = case.voice
    if case.deadline != case.deadline or case.value("days_to_deadline") > case.deadline:
        return ""
    ratio = case.value("days_to_deadline") / case.value("training_days")
    found = moves(case, "training_days", 20)
    if not found:
        return ""
    worst = max(found, key=lambda move: max(move.at_low, move.at_high))
    days = max(worst.at_low, worst.at_high)
    values = {
        "input": input_at(case, worst),
        "time": case.time.amount(days * ratio),
    }
    breaking = [move for move in found if max(move.at_low, move.at_high) * ratio > case.deadline]
    if not breaking:
        return voice.say("line_none_breaks", **values)
    return voice.say("line_breaks", **values)


def _all_bad_days(case: Case) -> str:
    found = case.result.quantities.get("training_days")
    if found is None or isinstance(found.adverse, str) or found.adverse == found.value:
        return ""
    return case.voice.say("line_all_bad", time=case.time.amount(max(found.adverse, found.favourable)))


def _memory_close(case: Case) -> str:
    share = case.value("memory_fit_probability")
    if not share < 0.9 or not case.chosen_row.fits:
        return ""
    return case.voice.say("line_memory_close", share=case.voice.number(share * 100))


# ---- serving ---------------------------------------------------------------------------------------------------------
def _range_of_replicas(case: Case) -> str:
    voice = case.voice
    low, high = case.ends("replicas_before_rounding")
    if low != low:
        return ""
    decimals = 1 if voice.fixed(high, 1) != voice.fixed(case.value("replicas"), 1) else 2
    values = {
        "low": voice.fixed(low, decimals),
        "high": voice.fixed(high, decimals),
        "ordered": voice.count(case.value("replicas"), "replicas"),
        "left": voice.number(case.value("replicas_at_peak")),
    }
    if high > case.value("replicas"):
        return voice.say("line_replicas_short", **values)
    return voice.say("line_replicas_tight" if high > case.value("replicas_at_peak") else "line_replicas", **values)


def _single_input_replicas(case: Case) -> str:
    voice = case.voice
    found = moves(case, "replicas_before_rounding", 20)
    if not found or not case.known("replicas"):
        return ""
    worst = max(found, key=lambda move: max(move.at_low, move.at_high))
    needed = max(worst.at_low, worst.at_high)
    values = {
        "input": input_at(case, worst),
        "needed": voice.fixed(needed, 1),
    }
    return voice.say(
        "line_replica_breaks" if needed > case.value("replicas_at_peak") else "line_replica_none", **values
    )


def _peak_above(case: Case) -> str:
    """The high end of the load against what is left when a node fails."""
    voice = case.voice
    high, left = case.value("peak_requests_per_second_p90"), case.value("capacity_with_node_down")
    if high != high or not case.value("spare_nodes") > 0:
        return ""
    values = {"high": voice.amount(high, "requests/s"), "left": voice.amount(left, "requests/s")}
    return voice.say("line_peak_above" if high > left else "line_peak_below", **values)


# ---- batch -----------------------------------------------------------------------------------------------------------
def _range_of_hours(case: Case) -> str:
    low, high = case.ends("batch_hours")
    if low != low:
        return ""
    return case.voice.say("line_range", span=case.time.span(low / 24, high / 24), high=case.time.amount(high / 24))


def _measured(case: Case) -> str:
    if not case.has_feature("measured_rate"):
        return ""
    return case.voice.say("line_measured", rate=case.amount("measured_tokens_per_second"))


def _single_input_hours(case: Case) -> str:
    voice = case.voice
    needed = case.value("replicas_before_rounding")
    if needed != needed or not case.known("window_hours"):
        return ""
    return voice.say(
        "line_window", needed=voice.fixed(needed, 2), replicas=voice.count(case.value("replicas"), "replicas")
    )
