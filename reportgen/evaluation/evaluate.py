"""A scenario evaluated: search the layouts, evaluate the cases, then options, lines, checks, all in one result."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

from reportgen import __version__
from reportgen.catalog import Catalog, load_catalog
from reportgen.errors import Place, ScenarioError
from reportgen.estimator.rules_of_thumb import CROSS_CHECKS
from reportgen.evaluation.better import held_against_request
from reportgen.evaluation.cases import ends, evaluate_cases, sided, tests_of
from reportgen.evaluation.guardrails import with_changes
from reportgen.evaluation.judging import checks, missing, remarks, warnings
from reportgen.evaluation.layouts import Search
from reportgen.evaluation.lines import lines, rental_lines
from reportgen.evaluation.nearest_runs import nearest_to
from reportgen.evaluation.options import live_options, other_options
from reportgen.evaluation.question import Question, ask
from reportgen.evaluation.result import CrossCheck, Facts, InputValue, LayoutBlock, Quantity, Result, Source
from reportgen.evaluation.serving_warnings import load_profile
from reportgen.evaluation.shown import layout_columns
from reportgen.formula import Column, Graph
from reportgen.scenario import Scenario

FAVOURABLE, BASE, ADVERSE = 0, 1, 2


def evaluate(
    scenario: Scenario, catalog: Catalog | None = None, prices_file: str | None = None, currency: str | None = None
) -> Result:
    """The result of a scenario. prices_file and currency stand in for the scenario's own.

    Raises ScenarioError for a scenario that cannot be evaluated, CatalogError for a price book that cannot be read.
    """
    try:
        return _evaluated(scenario, catalog or load_catalog(), prices_file, currency)
    except (ArithmeticError, ValueError) as error:
        if not scenario.overrides:
            raise
        names = ", ".join(sorted(scenario.overrides))
        message = f"with the overrides {names} the estimate cannot be computed ({error})"
        place = Place(file=scenario.file, path="overrides")
        raise ScenarioError.of("override-breaks", message, "check these values", place) from error


def _evaluated(scenario: Scenario, catalog: Catalog, prices_file: str | None, currency: str | None) -> Result:
    question = ask(scenario, catalog, prices_file, currency)
    blocks = tuple(search(question, accelerator) for accelerator in scenario.hardware.accelerators)
    graph = question.case_graph
    shared = {**question.tables, **layout_ranges(blocks[0])}
    changes = [{}, *({key: value} for key, _, value in ends(question.inputs))]
    probes = evaluate_cases(graph, question.inputs, shared, changes)
    base = {name: probes[name][0] for name in probes}
    tests = tests_of(question.inputs, probes, first=1)
    inputs = sided(question.inputs, tests, _numbers(base))
    cases = evaluate_cases(graph, inputs, shared, case_changes(inputs))
    quantities = _quantities(graph, cases)
    options, better = held_against_request(
        question,
        (
            *live_options(question, graph, blocks),
            *other_options(
                question, lambda other: _bare(other, catalog, prices_file, currency), _over_budget(inputs, base)
            ),
        ),
    )
    values = {**_numbers(base), **_numbers({item.key: item.value for item in inputs})}
    units = {item.key: item.unit for item in (*inputs, *quantities.values())}
    verdicts = checks(question.features, values, units, _case_numbers(cases, ADVERSE))
    result = Result(
        id=scenario_id(question),
        facts=_facts(question),
        features=tuple(sorted(question.features)),
        inputs=inputs,
        quantities=quantities,
        layouts=blocks,
        options=options,
        lines=lines(question, inputs, quantities),
        checks=with_changes(question, blocks[0], verdicts, quantities),
        sensitivity=tests,
        cross_checks=_cross_checks(question.features, quantities),
        sources=_sources(catalog, inputs, quantities, question.tables),
        warnings=warnings(question, blocks, quantities),
        missing=missing(question, quantities),
        nearest_runs=nearest_to(question, values),
        rental=rental_lines(question, inputs, quantities),
        remarks=(*better, *remarks(question, blocks, quantities, options)),
        tables={**question.tables, **load_profile(question)},
        tool=__version__,
    )
    return result


def _over_budget(inputs: tuple[InputValue, ...], base: Mapping[str, Any]) -> bool:
    money = next((item.value for item in inputs if item.key == "budget_amount"), None)
    return money is not None and bool(base["amount_against_budget"] > money)


def _bare(
    question: Question, catalog: Catalog, prices_file: str | None, currency: str | None
) -> tuple[LayoutBlock, dict[str, Any]]:
    """Layout and base values of another question, such as the same job by another method."""
    block = search(question, question.scenario.hardware.accelerators[0])
    shared = {**question.tables, **layout_ranges(block)}
    values = evaluate_cases(question.case_graph, question.inputs, shared, [{}])
    return block, {name: values[name][0] for name in values}


def search(question: Question, accelerator: str) -> LayoutBlock:
    """The candidate layouts of one accelerator, the best found."""
    inputs = {**question.base_inputs, "accelerator": accelerator}
    known = question.layout_graph
    shown = tuple(name for name in layout_columns(question.features) if name in known.formulas)
    return Search(known, inputs, question.space(accelerator), shown, question.is_training).block(accelerator)


def layout_ranges(block: LayoutBlock) -> dict[str, Column]:
    """The candidates of a block as ranges that formulas read."""
    keys = tuple(str(number) for number in range(1, len(block.columns["layout_rank"]) + 1))
    renamed = {"layout_rank": "rank"}
    return {
        f"layouts_{renamed.get(name, name)}": Column(f"layouts_{renamed.get(name, name)}", keys, tuple(values))
        for name, values in block.columns.items()
    }


def case_changes(inputs: tuple[InputValue, ...]) -> list[dict[str, Any]]:
    """Favourable, base, adverse: every ranged input at its end."""
    good = {item.key: item.favourable for item in inputs if item.favourable is not None}
    bad = {item.key: item.adverse for item in inputs if item.adverse is not None}
    return [good, {}, bad]


def _case_numbers(cases: Mapping[str, np.ndarray], case: int) -> dict[str, float]:
    """The numbers of one case."""
    return _numbers({name: plain(values[case]) for name, values in cases.items()})


def _numbers(values: Mapping[str, Any]) -> dict[str, float]:
    return {name: float(value) for name, value in values.items() if not isinstance(value, str)}


def plain(value: Any) -> Any:
    """A numpy scalar as a plain number or text."""
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, str) else float(value)


def _quantities(graph: Graph, cases: Mapping[str, np.ndarray]) -> dict[str, Quantity]:
    found = {}
    for item in graph.order:
        favourable, base, adverse = (plain(value) for value in cases[item.name])
        error = {
            end: plain(cases[f"{item.name}_{end}"][BASE]) for end in ("p10", "p90") if f"{item.name}_{end}" in cases
        }
        found[item.name] = Quantity(
            item.name,
            item.section,
            base,
            favourable,
            adverse,
            item.unit,
            item.symbol,
            item.source,
            item.parameters,
            **error,
        )
    return found


def scenario_id(question: Question) -> str:
    """Eight characters of all that went in: scenario, date, prices, facts, version. The same on memo, workbook and JSON."""
    scenario = question.scenario
    facts = [[column.get(name) for column in question.tables.values()] for name in scenario.hardware.accelerators]
    numbers = [(item.key, item.value, item.low, item.high) for item in question.inputs]
    everything = [scenario.written, scenario.date.isoformat(), scenario.currency, __version__, numbers, facts]
    content = json.dumps(everything, sort_keys=True, default=str, ensure_ascii=False)
    digest = hashlib.sha256(content.encode()).hexdigest()
    return f"{digest[:4]}-{digest[4:8]}"


def _facts(question: Question) -> Facts:
    scenario = question.scenario
    stem = scenario.file.replace("\\", "/").rpartition("/")[2].rpartition(".")[0] or "scenario"
    dates = [item.as_of for item in question.inputs if item.unit.startswith("money") and item.as_of]
    first = scenario.hardware.accelerators[0]
    table_dates = [question.tables[name].get(first) for name in ("accelerators_price_date", "accelerators_rent_date")]
    return Facts(
        title=scenario.title,
        name=stem,
        job=scenario.job,
        method=scenario.method or "",
        model=scenario.model_id or scenario.architecture.name,
        model_name=scenario.model_name,
        accelerator=first,
        acquire=scenario.hardware.acquire or "buy",
        language=scenario.language,
        currency=scenario.currency,
        date=scenario.date.isoformat(),
        purpose=scenario.purpose or "",
        requester=scenario.requester or "",
        reference=scenario.reference or "",
        region=scenario.region or "",
        site=scenario.site.name or "",
        start=scenario.start.isoformat() if scenario.start else "",
        style=scenario.style,
        deadline_for=scenario.deadline_for,
        scenario_text=_text_of(scenario),
        price_date=max([date for date in (*dates, *table_dates) if date], default=""),
    )


def _text_of(scenario: Scenario) -> str:
    """The scenario that was evaluated: the file as written, or all of it where other files or changes went in."""
    if scenario.file and not scenario.sets and len(scenario.files) < 2:
        try:
            with open(scenario.file, encoding="utf-8-sig") as file:
                return file.read()
        except OSError:  # gone since it was read
            pass
    import yaml

    return yaml.safe_dump(json.loads(json.dumps(scenario.written, default=str)), allow_unicode=True, sort_keys=False)


def _cross_checks(features: frozenset[str], quantities: Mapping[str, Quantity]) -> tuple[CrossCheck, ...]:
    return tuple(
        CrossCheck(
            method, float(quantities[method].value), float(quantities[ours].value), quantities[method].unit, ours
        )
        for method, ours in CROSS_CHECKS
        if method in quantities and ours in quantities
    )


def _sources(
    catalog: Catalog,
    inputs: tuple[InputValue, ...],
    quantities: Mapping[str, Quantity],
    tables: Mapping[str, Column],
) -> tuple[Source, ...]:
    """Sources of formulas, of inputs and of the facts and prices of accelerators."""
    of_facts = [key for name, column in tables.items() if "source" in name for key in column.values]
    of_values = (item.source for item in (*quantities.values(), *inputs))
    keys = dict.fromkeys([*of_values, *of_facts])
    known = catalog.sources
    return tuple(
        Source(key, known[key].title, known[key].publisher, known[key].address, known[key].read_on, known[key].supports)
        for key in sorted(keys)
        if key in known
    )
