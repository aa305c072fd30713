"""How large the model is, by the formulas of the architecture alone, before anything else of a question is known."""

from __future__ import annotations

from reportgen.estimator import active_formulas
from reportgen.evaluation.draft import Draft
from reportgen.formula import Graph


def total_parameters(draft: Draft, features: frozenset[str]) -> float:
    """All parameters of the model, by the formulas of the architecture alone."""
    known = {key: item.value for key, item in draft.inputs.items()}
    formulas = [item for item in active_formulas(features) if item.section in ("architecture", "attention")]
    return Graph(formulas, known).evaluate(known, only=("parameters",))["parameters"]
