"""The list recomputed inside the file: from 8 to 4,096 GPUs, by a spreadsheet engine, as the estimate itself says."""

from functools import lru_cache

import pytest

from reportgen.estimator.request_list import lines_of
from reportgen.evaluation.evaluate import evaluate
from reportgen.evaluation.result import Result
from reportgen.scenario import scenario_from_mapping
from reportgen.workbook.book import plan
from reportgen.workbook.calculate import settle
from reportgen.workbook.model import BASE, Model
from reportgen.workbook.write import workbook_bytes
from tests.evaluation.conftest import DAY
from tests.workbook.engine.recalculate import iron_calc, with_inputs

ACCELERATORS = ("h100-sxm", "ascend-910b3")
TOTALS = ("list_total", "purchase_cost", "purchase_total_cost", "it_power_kw", "racks", "unpriced_lines")


@lru_cache
def result_of(accelerator: str, gpus: int) -> Result:
    """A training job on a number of GPUs, its layout fixed but for the replicas."""
    written = {
        "title": "A test", "job": "fine-tuning", "model": "llama-3.1-8b", "data": {"tokens": 1e11}, "global_batch": 4096,
        "layout": {"tp": 8, "pp": 1, "micro_batch": 1, "zero": 1, "recompute": "full"},
        "hardware": {"accelerator": accelerator, "count": gpus},
    }  # fmt: skip
    return evaluate(scenario_from_mapping(written, date=DAY))


def changed(model: Model, nodes: float, gpus: float) -> dict:
    """The cells that hold the size: the GPUs asked for, and the servers of every listed layout."""
    grid = model.layout_grid
    cells = {(model.book["layoutcalc"].title, grid.rows["nodes"], column): nodes for column in grid.columns}
    inputs = model.inputs
    return cells | {(model.book["inputs"].title, inputs.rows["fixed_gpu_count"], inputs.columns[BASE]): gpus}


@pytest.mark.parametrize("accelerator", ACCELERATORS)
def test_from_8_to_4096_gpus(accelerator):
    small, large = result_of(accelerator, 8), result_of(accelerator, 4096)
    model = Model(small)
    settle(plan(model))
    content = with_inputs(workbook_bytes(model.book), changed(model, 512.0, 4096.0))
    read = iron_calc(content)
    calc = model.book["calc"].title

    def found(name: str):
        value = read((calc, model.calc.rows[name], model.calc.columns[BASE]))
        return value if isinstance(value, (int, float)) else None

    assert small.value("nodes") == 1 and found("nodes") == 512
    for line in lines_of(model.features):
        for name in (line.quantity, line.amount):
            if name in model.calc.rows:
                expected = large.value(name)
                assert found(name) == (pytest.approx(expected, rel=1e-9) if expected == expected else None), name
    for name in TOTALS:
        expected = large.value(name)
        assert found(name) == (pytest.approx(expected, rel=1e-9) if expected == expected else None), name
