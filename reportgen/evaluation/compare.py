"""Several results side by side: what differs, because of what, and which one wins."""

from __future__ import annotations

import string
from collections.abc import Sequence
from dataclasses import dataclass

from reportgen.estimator import active_formulas
from reportgen.evaluation.result import Message, Result, Value
from reportgen.formula import MISSING

HEADLINE = (
    "gpus_bought", "nodes_bought", "training_days", "training_days_p90", "batch_hours", "replicas", "ttft_s", "tpot_s",
    "memory_per_gpu_gib", "it_power_kw", "requested_amount", "total_cost", "job_cost", "cost_per_million_tokens",
)  # fmt: skip
COSTS = ("requested_amount", "total_cost")
TIMES = ("training_days", "batch_hours", "request_time_s")
GPUS = "gpus"
FACTS = ("job", "model", "method", "acquire")  # words of the scenario that decide which formulas exist
RELATIVE_NOISE = 1e-9


@dataclass(frozen=True)
class Difference:
    """A key whose values differ. deltas are against the first scenario; NaN where a scenario has no such key or price."""

    key: str
    kind: str  # input | result
    section: str  # group of an input, section of a quantity
    unit: str
    values: tuple[Value, ...]
    deltas: tuple[float, ...]
    because: tuple[str, ...] = ()  # the differing inputs that a result depends on


@dataclass(frozen=True)
class Verdict:
    """How one scenario stands: its place by cost, and what it is best at."""

    rank: int  # 1 is the cheapest of those that can run; 0 when it cannot run or has no cost
    best_at: tuple[str, ...]  # cost, time, gpus, power
    runs: bool  # a layout was found and no check failed
    on_front: bool  # nothing else is both cheaper and faster


@dataclass(frozen=True)
class Comparison:
    """Results in the order given, with letters A, B, C ..."""

    results: tuple[Result, ...]
    letters: tuple[str, ...]
    sentences: tuple[Message, ...]
    inputs: tuple[Difference, ...]
    quantities: tuple[Difference, ...]
    verdicts: tuple[Verdict, ...]
    headline: tuple[str, ...]  # keys of the headline table that at least one scenario has
    time_key: str  # the quantity that stands for time, or empty in a mixed comparison
    cost_key: str


def compare(results: Sequence[Result]) -> Comparison:
    """Two results or more. ValueError for fewer, or for different currencies."""
    if len(results) < 2:
        raise ValueError("a comparison needs two results or more")
    if len({result.facts.currency for result in results}) > 1:
        raise ValueError("the results are in different currencies: evaluate them with one --currency")
    time_key = next((key for key in TIMES if all(result.has(key) for result in results)), "")
    cost_key = next((key for key in COSTS if all(result.has(key) for result in results)), COSTS[0])
    inputs = _input_differences(results)
    verdicts = _verdicts(results, cost_key, time_key)
    letters = tuple(_letter(index) for index in range(len(results)))
    return Comparison(
        tuple(results),
        letters,
        tuple(_sentences(results, letters, verdicts, cost_key, time_key)),
        inputs,
        _quantity_differences(results, {item.key for item in inputs}),
        verdicts,
        tuple(key for key in _headline(results) if any(result.concerns(key) and result.has(key) for result in results)),
        time_key,
        cost_key,
    )


def _headline(results: Sequence[Result]) -> tuple[str, ...]:
    """The figures of a comparison; GPUs at work are one where some are rented."""
    return (GPUS, *HEADLINE) if any(result.facts.acquire == "rent" for result in results) else HEADLINE


def _letter(index: int) -> str:
    letters = string.ascii_uppercase
    return letters[index] if index < 26 else letters[index // 26 - 1] + letters[index % 26]


def _input_differences(results: Sequence[Result]) -> tuple[Difference, ...]:
    tables = [{item.key: item for item in result.inputs} for result in results]
    keys = dict.fromkeys(key for table in tables for key in table)
    found = []
    for key in FACTS:
        words = tuple(str(getattr(result.facts, key)) for result in results)
        if _differ(words):
            found.append(Difference(key, "input", "request", "text", words, (MISSING,) * len(words)))
    for key in keys:
        values = tuple(table[key].value if key in table else MISSING for table in tables)
        if _differ(values):
            item = next(table[key] for table in tables if key in table)
            found.append(Difference(key, "input", item.group, item.unit, values, _deltas(values)))
    return tuple(found)


def _quantity_differences(results: Sequence[Result], changed: set[str]) -> tuple[Difference, ...]:
    keys = dict.fromkeys(key for result in results for key in result.quantities)
    causes = _causes(results, changed)
    found = []
    for key in keys:
        values = tuple(result.beside(key) if key in result.quantities else MISSING for result in results)
        if _differ(values):
            item = next(result.quantities[key] for result in results if key in result.quantities)
            way = changed & {"acquire"} if not all(result.concerns(key) for result in results) else set()
            because = tuple(sorted(causes.get(key, set()) | way))
            found.append(Difference(key, "result", item.section, item.unit, values, _deltas(values), because))
    return tuple(found)


def _causes(results: Sequence[Result], changed: set[str]) -> dict[str, set[str]]:
    """Quantity -> the changed inputs that it depends on in any of the results."""
    structural = changed & set(FACTS)
    causes: dict[str, set[str]] = {}
    for result in results:
        ranked = _ranked_inputs(result) & changed
        known: dict[str, set[str]] = {key: {key} for key in changed}
        for key, item in result.quantities.items():
            found = [known.get(name, ranked if name.startswith("layouts_") else set()) for name in item.depends_on]
            known[key] = known.get(key, set()).union(*found)
            if any(_written_otherwise(key, item.depends_on, other) for other in results):
                known[key] = known[key] | structural
        for key, names in known.items():
            causes.setdefault(key, set()).update(names)
    return causes


def _ranked_inputs(result: Result) -> set[str]:
    """The inputs that decide which layout is chosen."""
    reads = {item.name: item.parameters for item in active_formulas(frozenset(result.features))}
    found: set[str] = set()
    stack = ["layout_rank"]
    while stack:
        name = stack.pop()
        if name not in found:
            found.add(name)
            stack.extend(reads.get(name, ()))
    return found


def _written_otherwise(key: str, depends_on: tuple[str, ...], other: Result) -> bool:
    """Whether another result computes the quantity from other quantities, or not at all."""
    item = other.quantities.get(key)
    return item is None or item.depends_on != depends_on


def _differ(values: Sequence[Value]) -> bool:
    first = values[0]
    return any(not _same(first, value) for value in values[1:])


def _same(left: Value, right: Value) -> bool:
    if isinstance(left, str) or isinstance(right, str):
        return left == right
    if left != left or right != right:
        return left != left and right != right
    return abs(left - right) <= RELATIVE_NOISE * max(abs(left), abs(right))


def _deltas(values: Sequence[Value]) -> tuple[float, ...]:
    first = values[0]
    return tuple(MISSING if isinstance(value, str) or isinstance(first, str) else value - first for value in values)


def runs(result: Result) -> bool:
    """Whether a layout was found and no check failed."""
    return result.value("layout_found") == 1.0 and not result.failed


def comparable_cost(result: Result, key: str = COSTS[0]) -> float:
    """What a result is ranked by. NaN while there is no such amount, or the main line of a purchase has no price."""
    if result.facts.acquire != "rent" and result.has("main_line_priced") and result.value("main_line_priced") == 0:
        return MISSING
    return float(result.value(key)) if result.has(key) else MISSING


def _verdicts(results: Sequence[Result], cost_key: str, time_key: str) -> tuple[Verdict, ...]:
    able = [index for index, result in enumerate(results) if runs(result)]
    measures = {"cost": cost_key, "time": time_key, "gpus": GPUS, "power": "it_power_kw"}
    best: dict[int, list[str]] = {}
    for name, key in measures.items():
        values = _known_measures(results, able, key)
        if name == "cost" and len(values) < len(able):
            continue  # the cheapest may be one that awaits its price
        if len(values) > 1 and max(values.values()) > min(values.values()):
            for index, value in values.items():
                if value == min(values.values()):
                    best.setdefault(index, []).append(name)
    costs = _known_measures(results, able, cost_key)
    order = {index: place for place, index in enumerate(sorted(costs, key=lambda index: costs[index]), start=1)}
    front = pareto(results, able, cost_key, time_key)
    return tuple(
        Verdict(order.get(index, 0), tuple(best.get(index, ())), index in able, index in front)
        for index in range(len(results))
    )


def _known_measures(results: Sequence[Result], able: Sequence[int], key: str) -> dict[int, float]:
    """Index -> the value of a key, where it is known; a cost only where it compares."""
    measured = {index: _measure(results[index], key) for index in able if key and results[index].has(key)}
    return {index: value for index, value in measured.items() if value == value}


def _measure(result: Result, key: str) -> float:
    """A figure to be best at: of GPUs those that are asked for, bought or rented."""
    if key in COSTS:
        return comparable_cost(result, key)
    return result.gpus if key == GPUS else float(result.beside(key))


def pareto(results: Sequence[Result], able: Sequence[int], cost_key: str, time_key: str) -> set[int]:
    """Those that nothing else beats in both cost and time, of those that have both."""
    costs, times = _known_measures(results, able, cost_key), _known_measures(results, able, time_key)
    points = {index: (cost, times[index]) for index, cost in costs.items() if index in times}
    return {
        index
        for index, (cost, time) in points.items()
        if not any(
            (other_cost <= cost and other_time <= time and (other_cost < cost or other_time < time))
            for other, (other_cost, other_time) in points.items()
            if other != index
        )
    }


def _sentences(
    results: Sequence[Result], letters: Sequence[str], verdicts: Sequence[Verdict], cost_key: str, time_key: str
) -> list[Message]:
    """One clause a difference that matters: cost, time, and who can run at all; against the first scenario."""
    other = _counterpart(verdicts)
    found = [*_cost_clause(results, letters, other, cost_key), *_time_clause(results, letters, other, time_key)]
    if len({result.facts.job for result in results}) > 1:
        found.append(Message("compare_different_jobs", {"letters": ", ".join(letters)}))
    able = [letter for letter, verdict in zip(letters, verdicts, strict=True) if verdict.runs]
    if len(able) < len(letters):
        key = "compare_none_runs" if not able else ("compare_only_one_runs" if len(able) == 1 else "compare_only_run")
        found.append(Message(key, {"letters": ", ".join(able)}))
    return found or [Message("compare_equal", {"letters": ", ".join(letters)})]


def _counterpart(verdicts: Sequence[Verdict]) -> int:
    """The scenario that the first is measured against: the cheapest other one, else the second."""
    ranked = [index for index in range(1, len(verdicts)) if verdicts[index].rank]
    return min(ranked, key=lambda index: verdicts[index].rank) if ranked else 1


def _cost_clause(results: Sequence[Result], letters: Sequence[str], other: int, key: str) -> list[Message]:
    first, second = comparable_cost(results[0], key), comparable_cost(results[other], key)
    if first != first or second != second:
        return [Message("compare_cost_unknown", {"first": letters[0], "other": letters[other]})]
    if _same(first, second):
        return []
    share = abs(second - first) / max(first, second) if first and second else 1.0
    name = "compare_costs_less" if second < first else "compare_costs_more"
    if second > first:
        share = (second - first) / first if first else MISSING
    facts = {
        "first": letters[0],
        "other": letters[other],
        "share": share,
        "money": abs(second - first),
        "quantity": key,
    }
    return [Message(name, facts)]


def _time_clause(results: Sequence[Result], letters: Sequence[str], other: int, key: str) -> list[Message]:
    if not key:
        return []
    first, second = float(results[0].value(key)), float(results[other].value(key))
    if first != first or second != second or _same(first, second):
        return []
    unit = results[0].quantities[key].unit
    name = "compare_sooner" if second < first else "compare_later"
    facts = {"first": letters[0], "other": letters[other], "time": abs(second - first), "unit": unit}
    return [Message(name, facts)]
