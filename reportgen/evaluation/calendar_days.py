"""When a training ends: every stage and the whole, as days of the job or as dates where its start is known."""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping

from reportgen.evaluation.question import Question
from reportgen.evaluation.result import Message, Quantity


def calendar(question: Question, quantities: Mapping[str, Quantity]) -> list[Message]:
    """A message a stage, and the end of all runs where the start is given."""
    scenario = question.scenario
    if float(quantities["layout_found"].value) < 1:
        return []
    found = []
    if "staged" in question.features:
        found = [_stage(question, quantities, number) for number in range(1, len(scenario.stages) + 1)]
        worst = scenario.stages[question.worst_stage or 0]
        found.append(Message("remark_stages_planned", {"stages": float(len(found)), "stage": worst.name}))
    if scenario.start:
        days = {name: float(quantities[name].value) for name in ("training_days", "training_days_p90")}
        ends = {
            key: _day(scenario.start, days[name])
            for key, name in (("end", "training_days"), ("late_end", "training_days_p90"))
        }
        found.append(Message("remark_calendar", {"start": scenario.start.isoformat(), **ends}))
    return found


def _stage(question: Question, quantities: Mapping[str, Quantity], number: int) -> Message:
    stage, start = question.scenario.stages[number - 1], question.scenario.start
    days, end = (float(quantities[f"stage_{number}_{name}"].value) for name in ("days", "end_days"))
    tokens = next(item.value for item in question.inputs if item.key == f"stage_{number}_tokens")
    values = {"stage": stage.name, "training_tokens": float(tokens), "training_days": days}
    short = days < 1
    if short:
        values = {**values, "hours": f"{24 * days:.1f}"}
    ending = "_hours" if short else ""
    if start:
        dates = {"start": _day(start, end - days), "end": _day(start, end)}
        return Message(f"remark_stage_dates{ending}", {**values, **dates})
    return Message(f"remark_stage{ending}", {**values, "end_days": f"{end:,.1f}"})


def _day(start: datetime.date, days: float) -> str:
    """The date so many days later, or the last one that a calendar has."""
    later = min(max(0, math.ceil(days - 1e-9)), (datetime.date.max - start).days)
    return (start + datetime.timedelta(days=later)).isoformat()
