"""How large the model is, by the formulas of the architecture alone, before anything else of a question is known."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.catalog.model_records import ModelRecord
from reportgen.estimator import active_formulas
from reportgen.evaluation.draft import Draft
from reportgen.evaluation.features import architecture_features, architecture_numbers
from reportgen.formula import Graph
from reportgen.scenario.model_config import architecture_of_record


def total_parameters(draft: Draft, features: frozenset[str]) -> float:
    """All parameters of the model, by the formulas of the architecture alone."""
    return _counted({key: item.value for key, item in draft.inputs.items()}, features)


def parameters_of_record(record: ModelRecord) -> float:
    """All parameters of a model of the catalog, by the same formulas; published counts may include masks or indices."""
    shape = architecture_of_record(record.id, record)
    return _counted(architecture_numbers(shape), frozenset(architecture_features(shape)))


def _counted(known: Mapping[str, float], features: frozenset[str]) -> float:
    formulas = [item for item in active_formulas(features) if item.section in ("architecture", "attention")]
    return Graph(formulas, known).evaluate(known, only=("parameters",))["parameters"]
