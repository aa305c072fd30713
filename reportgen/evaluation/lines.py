"""The lines of the hardware list: quantities and prices of the result, with basis, source and date."""

from __future__ import annotations

import re
from collections.abc import Mapping

from reportgen.catalog.rent_terms import rent_of_term
from reportgen.catalog.wording import wording
from reportgen.estimator.rental import RentalLine, rental_lines_of
from reportgen.estimator.request_list import Line as LineRule
from reportgen.estimator.request_list import lines_of
from reportgen.evaluation.question import Question
from reportgen.evaluation.result import InputValue, Line, Quantity, Value
from reportgen.formula import MISSING

PLACEHOLDER = re.compile(r"{(\w+)}")
NODE_PRICES = ("node_price", "workstation_price")
EXACT = ("memory_capacity_gib",)  # the figure as printed, beside the one that suppliers are asked for


def lines(question: Question, inputs: tuple[InputValue, ...], quantities: Mapping[str, Quantity]) -> tuple[Line, ...]:
    """Every line of the structure; a line that this size does not need has quantity 0."""
    known = {item.key: item for item in inputs}
    return tuple(_line(rule, question, known, quantities) for rule in lines_of(question.features))


def _line(
    rule: LineRule, question: Question, inputs: Mapping[str, InputValue], quantities: Mapping[str, Quantity]
) -> Line:
    quantity = _value(rule.quantity, inputs, quantities)
    unit_price = _value(rule.unit_price, inputs, quantities)
    amount = _value(rule.amount, inputs, quantities)
    rate = _value(rule.tax_rate, inputs, quantities)
    basis, source, as_of = _basis(rule, question, inputs, unit_price)
    return Line(
        key=rule.key,
        category=rule.category,
        quantity=quantity,
        unit=rule.unit,
        unit_price=unit_price,
        amount=amount,
        tax_rate=rate,
        amount_with_tax=amount * (1 + rate),
        basis=basis,
        source=source,
        as_of=as_of,
        lead_time_weeks=rule.lead_time_weeks,
        facts=specification_facts(rule.key, question, inputs, quantities),
        **_ends(rule, quantities),
    )


def _ends(rule: LineRule | RentalLine, quantities: Mapping[str, Quantity]) -> dict[str, float]:
    """Least and most of quantity and amount over the favourable, base and adverse case."""
    found = {}
    for name, key in (("quantity", rule.quantity), ("amount", rule.amount)):
        item = quantities.get(key)
        cases = [] if item is None else [float(value) for value in (item.favourable, item.value, item.adverse)]
        known = [value for value in cases if value == value]
        found[f"{name}_low"] = min(known) if len(known) == len(cases) and known else MISSING
        found[f"{name}_high"] = max(known) if len(known) == len(cases) and known else MISSING
    return found


def rental_lines(
    question: Question, inputs: tuple[InputValue, ...], quantities: Mapping[str, Quantity]
) -> tuple[Line, ...]:
    """The rental list of a request to rent; empty for a purchase."""
    known = {item.key: item for item in inputs}
    return tuple(_rental_line(rule, question, known, quantities) for rule in rental_lines_of(question.features))


def _rental_line(
    rule: RentalLine, question: Question, inputs: Mapping[str, InputValue], quantities: Mapping[str, Quantity]
) -> Line:
    amount = _value(rule.amount, inputs, quantities)
    rate = _value("value_added_tax_services", inputs, quantities)
    unit_price = _value(rule.price, inputs, quantities)
    basis, source, as_of = _rental_basis(rule, question, inputs, unit_price)
    if basis == "included":
        amount = 0.0
    return Line(
        key=rule.key,
        category="rental",
        quantity=_value(rule.quantity, inputs, quantities),
        unit=rule.unit,
        unit_price=unit_price,
        amount=amount,
        tax_rate=rate,
        amount_with_tax=amount * (1 + rate),
        basis=basis,
        source=source,
        as_of=as_of,
        lead_time_weeks=rule.lead_time_weeks,
        facts=specification_facts(rule.key, question, inputs, quantities),
        **_ends(rule, quantities),
    )


def _rental_basis(
    rule: RentalLine, question: Question, inputs: Mapping[str, InputValue], price: float
) -> tuple[str, str, str]:
    """Where a price of the rental comes from; what has none stands in the allowance, as long as there is one."""
    if rule.key == "rental_instances":
        if inputs["offer_rental"].value:
            return "quote", "scenario", inputs["offer_rental"].as_of
        term = str(inputs["rental_term"].value)
        first = question.scenario.hardware.accelerators[0]
        listed = rent_of_term(question.catalog, question.money, first, term)
        return ("quote_needed", "", "") if listed is None else (listed.basis, listed.source_key, listed.as_of)
    if not rule.price_input:
        share = inputs["rental_extras_share"]
        return ("quote_needed", "", "") if price != price else ("estimate", share.source, share.as_of)
    if price == price:
        item = inputs[rule.price_input]
        return item.note or "estimate", item.source, item.as_of
    return ("included" if inputs["rental_extras_share"].value else "quote_needed"), "", ""


def _value(name: str, inputs: Mapping[str, InputValue], quantities: Mapping[str, Quantity]) -> float:
    if name in quantities:
        return float(quantities[name].value)
    return float(inputs[name].value) if name in inputs else MISSING


def _basis(rule: LineRule, question: Question, inputs: Mapping[str, InputValue], price: float) -> tuple[str, str, str]:
    if inputs[rule.offer].value:
        return "quote", "scenario", inputs[rule.offer].as_of
    if price != price:
        return "quote_needed", "", ""
    if rule.price in NODE_PRICES:
        first = question.scenario.hardware.accelerators[0]
        facts = (question.tables[f"accelerators_price_{name}"].get(first) for name in ("basis", "source", "date"))
        return tuple(str(fact) for fact in facts)
    chosen = next((inputs[key] for key in rule.price_inputs if key in inputs and inputs[key].value == price), None)
    if chosen is None:
        return "estimate", "cluster-rules", ""
    return chosen.note or "estimate", chosen.source, chosen.as_of


def specification_facts(
    key: str, question: Question, inputs: Mapping[str, InputValue], quantities: Mapping[str, Quantity]
) -> dict[str, Value]:
    """The quantities that the specification sentences of a line name, such as {gpus_per_node}."""
    words = wording("en")
    names: dict[str, None] = dict.fromkeys(EXACT if key in ("accelerator_servers", "workstations") else ())
    for part in ("item", "specification", "equivalent", "purpose"):
        if words.has(f"line_{key}_{part}"):
            names |= dict.fromkeys(PLACEHOLDER.findall(words.label(f"line_{key}_{part}")))
    return {name: _fact(name, question, inputs, quantities) for name in names}


def _fact(name: str, question: Question, inputs: Mapping[str, InputValue], quantities: Mapping[str, Quantity]) -> Value:
    if name in quantities:
        return quantities[name].value
    if name in inputs:
        return inputs[name].value
    column = question.tables.get(f"accelerators_{name}")
    return MISSING if column is None else column.get(question.scenario.hardware.accelerators[0])
