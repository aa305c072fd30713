"""Every structure of a training scenario has all its formulas, once; and each formula reads the same everywhere."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from reportgen.catalog.load import load_catalog
from reportgen.formula import Column
from reportgen.formula.as_excel import excel_formula
from tests.estimator.training.cases import FORMULAS, architecture_case, estimate, training_case
from tests.estimator.training.shapes import DEEPSEEK, LLAMA, METHODS, SHAPES

QUESTIONS = (
    (),
    ("deadline",),
    ("budget",),
    ("deadline", "budget", "given_utilization"),
    ("given_utilization", "utilization_from_run"),
    ("reference_model",),
    ("multi_token_prediction",),
    ("published_methods",),
)
KNOWN_RUN = {
    "known_run_parameters": 7e9,
    "known_run_tokens": 2e12,
    "known_run_peak_tflops": 312.0,
    "known_run_gpu_hours": 184320.0,
}
HEADLINES = (
    "training_days",
    "memory_per_gpu_gib",
    "gpu_hours",
    "layout_rank",
    "checkpoint_gb",
    "host_memory_per_node_gib",
)


ADAPTERS = ("lora", "qlora")  # are not trained beside extra prediction modules
CASES = [
    (shape, method, features)
    for shape, method, features in itertools.product(SHAPES, METHODS, QUESTIONS)
    if not ("multi_token_prediction" in features and method in ADAPTERS)
]


@pytest.mark.parametrize(("shape", "method", "features"), CASES)
def test_every_structure_is_whole(shape: str, method: str, features: tuple[str, ...]) -> None:
    found = estimate(SHAPES[shape], method, features, **KNOWN_RUN)
    for name in HEADLINES:
        assert np.isfinite(found[name]) and found[name] > 0, name


def test_inputs_are_declared_and_used() -> None:
    catalog = load_catalog()
    produced = {item.name for item in FORMULAS}
    needed = {name for item in FORMULAS for name in item.parameters if not name.startswith("accelerators_")}
    declared = {*catalog.inputs, *catalog.constants}
    hardware = "accelerator_row peak_tflops peak_tflops_16bit memory_capacity_gib memory_usable_gib"
    hardware += " gpus_per_node nvlink_domain link_gb_s memory_bandwidth_gb_s amount_against_budget budget_allows"
    hardware += " requested_amount main_line_priced"
    layout = "nodes tensor_parallel pipeline_parallel expert_parallel micro_batch zero_stage full_recomputation"
    layout += " offload_level"
    serving = "peak_requests_per_second output_tokens_per_second gpu_output_tokens_per_second"
    batch = "items_per_second_needed batch_tokens window_hours batch_tokens_per_second"
    from_others = {*hardware.split(), *layout.split(), *serving.split(), *batch.split()}
    assert needed - produced - declared == from_others - produced - declared


@pytest.mark.parametrize("item", FORMULAS, ids=[f"{item.name}-{item.when.name}" for item in FORMULAS])
def test_formula_becomes_a_spreadsheet_formula(item) -> None:
    assert excel_formula(item.expression, str).startswith("=")
    assert "\n" not in item.doc


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("shape", SHAPES)
def test_arrays_give_what_numbers_give(shape: str, method: str) -> None:
    layouts = [
        {"nodes": nodes, "tensor_parallel": t, "pipeline_parallel": p, "zero_stage": z, "full_recomputation": r}
        for nodes, t, p, z, r in itertools.product(
            (1.0, 6.0, 64.0), (1.0, 8.0), (1.0, 4.0), (0.0, 1.0, 3.0), (0.0, 1.0)
        )
    ]
    columns = {name: np.array([layout[name] for layout in layouts]) for name in layouts[0]}
    graph, inputs = training_case(SHAPES[shape], method, ("deadline",))
    together = graph.evaluate({**inputs, **columns})
    for index in (0, 7, 25, len(layouts) - 1):
        alone = graph.evaluate({**inputs, **layouts[index]})
        for name in graph.formulas:
            at = np.broadcast_to(np.asarray(together[name]), (len(layouts),))[index]
            assert at == pytest.approx(alone[name], rel=1e-13, nan_ok=True), name


def test_column_of_missing_facts_leads_to_the_next_precision() -> None:
    missing = Column("missing", ("h100-sxm",), (float("nan"),))
    found = estimate(
        LLAMA,
        features=("planning_table",),
        compute_precision="fp4",
        accelerators_planning_utilization_fp4=missing,
        accelerators_planning_utilization_fp8=missing,
        accelerators_planning_utilization_bf16=missing,
    )
    assert found["planning_utilization"] == 0.38


def test_shape_of_published_form_is_understood() -> None:
    features, numbers = architecture_case(DEEPSEEK)
    assert {"mixture_of_experts", "latent_attention", "query_compression", "gated"} <= features
    assert numbers["moe_layers"] == 58
