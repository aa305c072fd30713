"""What would have to change, in numbers, where a guardrail breaks: how much too much, and the size that would keep it."""

from __future__ import annotations

import dataclasses
import datetime
from collections.abc import Mapping
from typing import Any

import numpy as np

from reportgen.estimator.delivery import goods_of
from reportgen.evaluation.candidates import crossed, node_ladder, training_structures
from reportgen.evaluation.judging import OK
from reportgen.evaluation.question import Question
from reportgen.evaluation.result import Check, LayoutBlock, Message, Quantity

LIMITED = {  # check -> quantity of a candidate that must stay below the right side
    "budget_kept": "amount_against_budget",
    "approval_suffices": "amount_against_budget",
    "site_power_kept": "it_power_kw",
    "racks_kept": "racks",
    "deadline_met": "days_to_deadline",
}
SHOWN_AS = {
    "budget_kept": "money",
    "approval_suffices": "money",
    "site_power_kept": "it_power_kw",
    "racks_kept": "racks",
    "deadline_met": "training_days",
}
FINEST = 64  # node counts that are all looked at


def with_changes(
    question: Question, block: LayoutBlock, checks: tuple[Check, ...], quantities: Mapping[str, Quantity]
) -> tuple[Check, ...]:
    """The checks, those that do not hold with the numbers that would have to change."""
    return tuple(
        check
        if check.status == OK
        else dataclasses.replace(check, changes=_changes(question, block, check, quantities))
        for check in checks
    )


def _changes(
    question: Question, block: LayoutBlock, check: Check, quantities: Mapping[str, Quantity]
) -> tuple[Message, ...]:
    if check.key in LIMITED:
        return _of_limit(question, block, check)
    if check.key in ("delivered_in_time", "done_in_time"):
        return _of_delivery(question, check, quantities)
    return _of_term(question, quantities) if check.key == "rental_term_used" else ()


def _of_term(question: Question, quantities: Mapping[str, Quantity]) -> tuple[Message, ...]:
    """What the hours of the job alone cost on demand, with the same extras, reserve and tax."""
    hourly = question.tables["accelerators_rent_per_gpu_hour"].get(question.scenario.hardware.accelerators[0])
    paid, rate = _number(quantities, "rental_cost"), _number(quantities, "rental_gpu_cost")
    cost = _number(quantities, "rental_gpu_hours") * float(hourly) * paid / rate if rate else float("nan")
    return (Message("change_on_demand", {"money": cost}),) if cost < paid else ()


def _of_limit(question: Question, block: LayoutBlock, check: Check) -> tuple[Message, ...]:
    over = check.left - check.right
    if not over > 0:
        return ()
    found = [Message(f"check_{check.key}_over", {SHOWN_AS[check.key]: over, "share": over / check.right})]
    if question.is_training:
        found += _of_size(question, block, check)
    return tuple(found)


def _of_size(question: Question, block: LayoutBlock, check: Check) -> list[Message]:
    """The largest size below a limit of money or room; the smallest size that meets the deadline."""
    values = _sizes(question, block, LIMITED[check.key])
    kept = values["memory_fits"].astype(bool) & values["layout_divides"].astype(bool)
    kept &= values[LIMITED[check.key]] <= check.right * (1 + 1e-9)
    if not kept.any():
        return [Message("change_no_size", {"accelerator": block.accelerator})]
    nodes = np.where(kept, values["nodes"], np.nan)
    wanted = np.nanmin(nodes) if check.key == "deadline_met" else np.nanmax(nodes)
    at = np.flatnonzero(kept & (values["nodes"] == wanted))
    best = int(at[np.argmin(values["training_days"][at])])
    size = {name: float(values[name][best]) for name in ("nodes", "gpus", "training_days")}
    return [Message("change_size", {"accelerator": block.accelerator, **size})]


def _sizes(question: Question, block: LayoutBlock, quantity: str) -> dict[str, np.ndarray]:
    """Every structure on every count of nodes, as far as it is needed to judge a limit."""
    found = int(max(block.columns["nodes"][block.chosen], 1))
    counts = sorted({*range(1, min(found, FINEST) + 1), *node_ladder()})
    candidates = crossed(training_structures(question.space(block.accelerator)), counts)
    wanted = ("memory_fits", "layout_divides", "training_days", "gpus", quantity)
    inputs = {**question.base_inputs, "accelerator": block.accelerator, "fixed_gpu_count": 0.0, **candidates}
    with np.errstate(all="ignore"):
        values = question.layout_graph.evaluate({**inputs, "layout_number": 0.0}, only=wanted)
    size = len(candidates["nodes"])
    columns = {name: np.broadcast_to(np.asarray(values[name], dtype=float), (size,)) for name in wanted}
    return {**columns, "nodes": candidates["nodes"]}


def _of_delivery(question: Question, check: Check, quantities: Mapping[str, Quantity]) -> tuple[Message, ...]:
    """How late, the first day that is possible, and the lines that hold it up."""
    late = check.left - check.right
    if not late > 0:
        return ()
    day = question.scenario.date + datetime.timedelta(days=int(np.ceil(check.left)))
    found = [Message(f"check_{check.key}_over", {"delivery_days": late, "day": day.isoformat()})]
    slowest = _slowest(question, quantities)
    return (*found, slowest) if slowest else tuple(found)


def _slowest(question: Question, quantities: Mapping[str, Quantity]) -> Message | None:
    longest = _number(quantities, "lead_time_longest")
    structure = "cluster" if "fabric" in question.features else "workstation"
    needed = [line for line in goods_of(structure) if _number(quantities, line.quantity) > 0]
    named = [line.key for line in needed if line.lead_time_weeks == longest]
    return Message("change_slowest", {"lead_time_longest": longest, "line": named}) if longest and named else None


def _number(quantities: Mapping[str, Quantity], key: str) -> float:
    item: Any = quantities.get(key)
    return float(item.value) if item is not None else 0.0
