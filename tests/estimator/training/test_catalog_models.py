"""The architecture formulas count every model of the catalog as its makers and an independent count do."""

from __future__ import annotations

import pytest

from reportgen.catalog.load import load_catalog
from reportgen.estimator import architecture, attention
from reportgen.formula import Formula, Graph, select
from reportgen.scenario.model_config import architecture_of_record
from tests.scenario.counted_otherwise import COUNTED_OTHERWISE
from tests.scenario.parameter_count import parameter_count

FORMULAS = tuple(
    value for part in (attention, architecture) for value in vars(part).values() if isinstance(value, Formula)
)
UNUSUAL = ("embedding_norm", "head_bias", "attention_sinks", "router_bias", "expert_bias", "shared_expert_gate")
MODELS = load_catalog().models
EXACT = ("hub_exact", "package_exact", "measured")


def counts(name: str) -> dict[str, float]:
    shape = architecture_of_record(name, MODELS[name])
    numbers = {**{part: float(getattr(shape, part)) for part in UNUSUAL}, **shape.quantities()}
    features = {
        "gated": shape.gated_mlp,
        "tied": shape.tied_embeddings,
        "mixture_of_experts": shape.is_moe,
        "latent_attention": shape.is_mla,
        "query_compression": shape.query_lora_rank > 0,
        "learned_positions": shape.learned_positions > 0,
        "qk_norm": shape.qk_norm_width > 0,
        "unusual_parts": any(numbers[part] for part in UNUSUAL),
        "multi_token_prediction": shape.multi_token_layers > 0,
        "linear_attention": shape.linear_layers > 0,
    }
    chosen = select(FORMULAS, frozenset(feature for feature, holds in features.items() if holds))
    return Graph(chosen, numbers).evaluate(numbers)


@pytest.mark.parametrize("name", MODELS)
def test_parameters_are_exact(name: str) -> None:
    shape = architecture_of_record(name, MODELS[name])
    assert counts(name)["parameters"] == parameter_count(shape)


@pytest.mark.parametrize("name", [name for name, record in MODELS.items() if record.published_params_basis in EXACT])
def test_published_counts_are_met(name: str) -> None:
    published = MODELS[name].published_params_b * 1e9
    assert counts(name)["parameters"] + COUNTED_OTHERWISE.get(name, 0) == pytest.approx(published, abs=0.5)


@pytest.mark.parametrize("name", [name for name, record in MODELS.items() if record.active_params_b])
def test_active_counts_are_near_the_printed_ones(name: str) -> None:
    """Makers count the active parameters with both, one or none of the vocabulary matrices, some in whole billions."""
    found = counts(name)
    ends = found["embedding_parameters"]
    readings = (found["active_parameters"], found["matmul_parameters"], found["active_parameters"] - ends)
    printed = MODELS[name].active_params_b
    rounding = 0.5 if float(printed).is_integer() else 0.05  # "3B" may stand for 3.25
    assert min(abs(value / 1e9 - printed) for value in readings) < max(0.04 * printed, rounding)


def test_an_extra_prediction_module_is_one_more_layer() -> None:
    found = counts("deepseek-v3")
    assert found["multi_token_parameters"] / 1e9 == pytest.approx(11.6, abs=0.1)
    assert found["parameters"] == 671026404352
