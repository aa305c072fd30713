"""Checks, warnings and what is missing: what a reader must know before signing."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from reportgen.catalog.price_book import component_price, server_price
from reportgen.catalog.rent_terms import rent_of_term
from reportgen.estimator.checks import ADVERSE, AT_LEAST, AT_MOST, BASE, CheckRule, checks_of
from reportgen.estimator.request_list import PRICE_INPUTS, Line, lines_of
from reportgen.evaluation.assumed_choices import assumed_choices
from reportgen.evaluation.fitting import ways_to_fit
from reportgen.evaluation.question import Question
from reportgen.evaluation.result import Check, LayoutBlock, Message, Option, Quantity
from reportgen.evaluation.serving_warnings import serving_remarks, serving_warnings
from reportgen.evaluation.tokens import tokenizer_of
from reportgen.evaluation.training_remarks import training_remarks
from reportgen.evaluation.training_warnings import training_warnings
from reportgen.formula import MISSING, at_least, at_most

OK, LOOK = "OK", "LOOK"
MOST_NAMED = 5


def checks(
    features: frozenset[str],
    values: Mapping[str, float],
    units: Mapping[str, str],
    adverse: Mapping[str, float] | None = None,
) -> tuple[Check, ...]:
    """Every check of the structure, judged, in the unit of its left side. adverse: quantities of the adverse case."""
    by_case = {BASE: values, ADVERSE: values if adverse is None else adverse}
    return tuple(_check(rule, by_case[rule.case], values, units[rule.left]) for rule in checks_of(features))


def _check(rule: CheckRule, of_left: Mapping[str, float], values: Mapping[str, float], unit: str) -> Check:
    left = of_left.get(rule.left, MISSING)
    right = rule.right if isinstance(rule.right, (int, float)) else values.get(rule.right, MISSING)
    known = left == left and right == right
    otherwise = rule.unless if known else LOOK  # what is not known has not failed
    status = OK if holds(rule.relation, left, right, rule.tolerance) else otherwise
    return Check(rule.key, left, rule.relation, float(right), unit, rule.tolerance, status)


def holds(relation: str, left: float, right: float, tolerance: float) -> bool:
    """The comparison of a check; a missing side never holds, but two sides of an equality may be missing alike."""
    if relation == AT_MOST:
        return bool(at_most(left, right + tolerance))
    if relation == AT_LEAST:
        return bool(at_least(left, right - tolerance))
    return bool(abs(left - right) <= tolerance) or (left != left and right != right)


def warnings(
    question: Question, blocks: tuple[LayoutBlock, ...], quantities: Mapping[str, Quantity]
) -> tuple[Message, ...]:
    """What was decided for the reader, or may not be trusted."""
    found = []
    scenario = question.scenario
    if not blocks[0].feasible:
        found.append(
            Message("warning_nothing_fits", {"accelerator": blocks[0].accelerator, "considered": blocks[0].considered})
        )
        found += ways_to_fit(question, blocks[0])[:MOST_NAMED]
    found += [Message("warning_at_edge", {"accelerator": block.accelerator}) for block in blocks if block.at_edge]
    found += [
        Message("warning_other_does_not_fit", {"accelerator": block.accelerator})
        for block in blocks[1:]
        if not block.feasible
    ]
    if scenario.is_training:
        found += training_warnings(question, quantities)
    else:
        found += serving_warnings(question, blocks[0])
    reads_text = scenario.data is not None and scenario.data.text is not None
    if (reads_text or not scenario.is_training) and tokenizer_of(scenario, question.catalog)[1]:
        found.append(
            Message("warning_tokenizer_guessed", {"tokenizer": tokenizer_of(scenario, question.catalog)[0].name})
        )
    status = supply_status(question, blocks[0].accelerator)
    if status != "available":
        found.append(
            Message(
                "warning_supply",
                {"accelerator": blocks[0].accelerator, "status": status, "region": scenario.region or ""},
            )
        )
    found += _on_money_and_equipment(question, quantities)
    for item in question.inputs:
        if item.origin == "override":
            found.append(Message("warning_override", {"quantity": item.key, "value": item.value}))
    return tuple(found)


def _on_money_and_equipment(question: Question, quantities: Mapping[str, Quantity]) -> list[Message]:
    """A total without its servers is no total; equipment that is there is used as far as it is known to be free."""
    found = []
    first = question.scenario.hardware.accelerators[0]
    if "buy" in question.features and quantities["main_line_priced"].value == 0:
        others = float(quantities["purchase_cost"].value)
        found.append(Message("warning_servers_unpriced", {"accelerator": first, "purchase_cost": others}))
    reused = quantities.get("nodes_reused")
    if reused is not None and reused.value > 0:
        found.append(Message("warning_owned_reused", {"accelerator": first, "nodes_reused": float(reused.value)}))
    found += [
        Message("warning_owned_use_unknown", {"accelerator": item.accelerator, "gpus": float(item.count)})
        for item in question.scenario.owned
        if item.utilization is None
    ]
    return found


def remarks(
    question: Question,
    blocks: tuple[LayoutBlock, ...],
    quantities: Mapping[str, Quantity],
    options: tuple[Option, ...] = (),
) -> tuple[Message, ...]:
    """How much was looked at and is not shown, and the exchange rates behind foreign prices."""
    tried = {
        "considered": float(blocks[0].considered),
        "accelerator": blocks[0].accelerator,
        "every": float(sum(block.considered for block in blocks)),
        "shown": float(sum(len(block.columns["layout_rank"]) for block in blocks)),
    }
    compared = {block.accelerator for block in blocks} | {option.accelerator for option in options if option.values}
    others = float(len(question.catalog.accelerators) - len(compared))
    found = [
        Message("remark_layouts_tried" if len(blocks) > 1 else "remark_layouts_tried_alone", tried),
        Message("remark_accelerators_not_shown", {"compared": float(len(compared)), "others": others}),
    ]
    found += assumed_choices(question.scenario)
    found += serving_remarks(question, quantities)
    found += _on_whole_servers(question, quantities)
    found += _on_prices(question, quantities)
    found += training_remarks(question, blocks[0], quantities) if question.is_training else []
    for currency in ("USD", "CNY"):
        rate = None if currency == question.money.currency else question.money.rate_from(currency)
        if rate is not None:
            values = {"from": currency, "to": question.money.currency, "rate": f"{rate.rate:.4f}", "day": rate.as_of}
            found.append(Message("remark_exchange_rate", values))
    return tuple(found)


def _on_whole_servers(question: Question, quantities: Mapping[str, Quantity]) -> list[Message]:
    """Servers come full, whatever number of accelerators was asked for."""
    count, per_node = question.scenario.hardware.count, float(quantities["gpus_per_node"].value)
    if not count or count % per_node == 0 or "fabric" not in question.features:
        return []
    whole = -(-count // per_node) * per_node
    return [Message("remark_whole_servers", {"asked": float(count), "per_node": per_node, "gpus": whole})]


def _on_prices(question: Question, quantities: Mapping[str, Quantity]) -> list[Message]:
    """Prices whose source is silent on tax; lines of the price book that a later one replaces."""
    found = []
    silent = _lines_silent_on_tax(question, quantities)
    if silent:
        found.append(Message("remark_tax_unknown", {"lines": float(silent)}))
    names = Counter((line.kind, line.item, line.term) for line in question.money.price_book)
    twice = sorted({item for (_, item, _), count in names.items() if count > 1})
    if twice:
        found.append(
            Message("remark_price_twice", {"items": ", ".join(twice[:MOST_NAMED]), "count": float(len(twice))})
        )
    return found


def _lines_silent_on_tax(question: Question, quantities: Mapping[str, Quantity]) -> int:
    if "rent" in question.features:
        hardware = question.scenario.hardware
        rented = rent_of_term(question.catalog, question.money, hardware.accelerators[0], hardware.term or "on-demand")
        return int(bool(rented and rented.tax_assumed_excluded))
    return sum(
        _is_silent_on_tax(question, rule)
        for rule in lines_of(question.features)
        if quantities[rule.quantity].value > 0 and quantities[rule.amount].value == quantities[rule.amount].value
    )


def _is_silent_on_tax(question: Question, rule: Line) -> bool:
    catalog, money = question.catalog, question.money
    if rule.price in ("node_price", "workstation_price"):
        hardware = question.scenario.hardware
        price = server_price(catalog, money, hardware.accelerators[0], hardware.server)
        return bool(price and price.tax_assumed_excluded)
    values = {item.key: item.value for item in question.inputs}
    components = {item.key: item.component for item in PRICE_INPUTS}
    prices = [component_price(catalog, money, components[key]) for key in rule.price_inputs if key in values]
    return any(price.tax_assumed_excluded for price in prices if price)


def supply_status(question: Question, accelerator: str) -> str:
    """The dated supply status in the region of the site; unknown where the catalog says nothing of the region."""
    region = (question.scenario.region or "CN")[:2].lower()
    column = question.tables.get(f"accelerators_supply_status_{region}")
    return str(column.get(accelerator)) if column is not None else "unknown"


def supply_date(question: Question, accelerator: str) -> str:
    """The day of that status."""
    region = (question.scenario.region or "CN")[:2].lower()
    column = question.tables.get(f"accelerators_supply_date_{region}")
    return str(column.get(accelerator)) if column is not None else ""


def missing(question: Question, quantities: Mapping[str, Quantity]) -> tuple[str, ...]:
    """Keys of what is asked for and not known: unpriced lines, rent, facts of the accelerator."""
    found = []
    for line in () if "rent" in question.features else lines_of(question.features):
        amount = quantities[line.amount].value
        if amount != amount:
            found.append(line.key)
    found += [
        name
        for name in ("rental_price", "energy_cost_per_year")
        if name in quantities and quantities[name].value != quantities[name].value
    ]
    found += [
        item.key
        for item in quantities.values()
        if item.section == "accelerator" and not isinstance(item.value, str) and item.value != item.value
    ]
    return tuple(found)
