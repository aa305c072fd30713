"""A scenario answered without documents, prices or options: the chosen layout and its quantities."""

from __future__ import annotations

from reportgen.catalog import load_catalog
from reportgen.estimator.structure import layout_variables
from reportgen.evaluation.evaluate import search
from reportgen.evaluation.question import Question, ask
from reportgen.evaluation.result import LayoutBlock
from reportgen.scenario import scenario_from_mapping

CATALOG = load_catalog()


def answered(scenario: dict, *wanted: str) -> tuple[Question, LayoutBlock, dict[str, float]]:
    """The question, its layouts, and some quantities and inputs at the layout chosen."""
    written = {"title": "A question", "job": "fine-tuning", "data": {"tokens": 1e8}, **scenario}
    question = ask(scenario_from_mapping(written, date="2026-11-30"), CATALOG)
    block = search(question, question.scenario.hardware.accelerators[0])
    chosen = {name: float(block.columns[name][block.chosen]) for name in layout_variables(question.features)}
    inputs = {**question.base_inputs, **chosen, "layout_number": 1.0}
    graph = question.layout_graph
    values = graph.evaluate(inputs, only=tuple(name for name in wanted if name in graph.formulas))
    return question, block, {name: values[name] if name in values else inputs[name] for name in wanted if name in {*values, *inputs}}
