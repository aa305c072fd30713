"""The hardware list as declared: every name exists, every text is there in both languages, none names a maker."""

import math
import re

import pytest

from reportgen.catalog import load_catalog
from reportgen.catalog.accelerator_table import FACTS
from reportgen.catalog.wording import placeholders, wording
from reportgen.estimator.request_list import LINES, PRICE_INPUTS, categories, lines_of
from reportgen.formula import MISSING, Expression, Graph, Symbol, select
from reportgen.formula.operations import NUMBER
from tests.estimator.cluster.quantities import (
    BATCH,
    STRUCTURES,
    TRAINING,
    WORKSTATION,
    cluster_formulas,
    evaluate,
    given,
    without_prices,
)

TEXTS = ("item", "specification", "equivalent", "purpose")
MAKERS = re.compile(
    r"nvidia|amd\b|intel|huawei|dell|supermicro|inspur|lenovo|cisco|arista|mellanox|quantum|spectrum|connectx|bluefield|dgx"
    r"|nvlink|kunpeng|atlas|ascend|英伟达|华为|浪潮|昇腾|曙光|新华三",
    re.IGNORECASE,
)
WITHOUT_PUBLIC_PRICE = {
    "leaf_switch_xdr", "leaf_switch_ethernet_400g", "transceiver_twin_1600g", "transceiver_200g", "out_of_band_switch",
    "fabric_manager", "ups_kw", "rack_cooling_kw", "spare_part_kit", "workstation_ups",
}  # fmt: skip


def test_inputs_of_every_line_are_declared():
    inputs = load_catalog().inputs
    units = {price.key: price.unit for price in PRICE_INPUTS}
    assert {key: inputs[key].unit for key in units} == units
    for line in LINES:
        assert inputs[line.offer].unit == line.price_unit
        assert inputs[line.discount].unit == "share"
        assert set(line.price_inputs) <= set(units)
        assert line.tax_rate in load_catalog().constants
    assert {key for line in LINES for key in line.price_inputs} == set(units)


def test_every_price_has_a_component_or_is_known_to_have_none():
    lines = load_catalog().component_lines
    priced = {key for key, line in lines.items() if line.components or line.low is not None}
    assert {price.component for price in PRICE_INPUTS} - priced == WITHOUT_PUBLIC_PRICE


def test_constants_name_their_sources():
    catalog = load_catalog()
    assert not [key for key, constant in catalog.constants.items() if constant.source not in catalog.sources]


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("line", LINES, ids=lambda line: line.key)
def test_texts_of_a_line(line, language):
    words = wording(language)
    known = {item.name for item in cluster_formulas()} | set(load_catalog().constants) | set(FACTS)
    known |= {"specified_host_memory_gb", "gpus_per_node", "memory_capacity_gib", "memory_bandwidth_gb_s", "peak_tflops_16bit", "link_gb_s"}
    for text in TEXTS:
        sentence = words.label(f"line_{line.key}_{text}")
        assert placeholders(sentence) <= known
        assert not MAKERS.search(sentence), "a brand in a text that goes to suppliers"
        assert max(map(len, re.split(r"\{\w+\}", sentence))) <= 255 or not placeholders(sentence)
    assert words.has(f"category_{line.category}")
    assert words.has(f"unit_{line.unit}")


def test_what_suppliers_are_asked_for_is_no_fingerprint():
    v = evaluate()
    asked = (v["specified_memory_gib"], v["specified_bandwidth_gb_s"], v["specified_tflops"], v["specified_link_gb_s"])
    assert asked == (79, 3300, 950, 450)
    assert evaluate(link_gb_s=31.5)["specified_link_gb_s"] == 30
    assert math.isnan(evaluate(link_gb_s=MISSING)["specified_link_gb_s"])


def test_both_languages_ask_for_the_same_numbers():
    english, chinese = wording("en"), wording("zh")
    for line in LINES:
        for text in TEXTS:
            key = f"line_{line.key}_{text}"
            assert placeholders(english.label(key)) == placeholders(chinese.label(key)), key


def test_a_category_is_one_block_of_the_list():
    for features in (TRAINING, WORKSTATION):
        order = [line.category for line in lines_of(features)]
        assert order == sorted(order, key=categories(lines_of(features)).index)
    assert len(lines_of(TRAINING)) == 24
    assert len(lines_of(WORKSTATION)) == 5


def evaluated(node, value_of):
    """The value of a tree; an operation on a missing value is an error, as in a spreadsheet."""
    if isinstance(node, Symbol):
        return value_of[node.key]
    if not isinstance(node, Expression):
        return node
    if node.operation == "where":
        condition, if_true, if_false = node.arguments
        return evaluated(if_true if evaluated(condition, value_of) else if_false, value_of)
    values = [evaluated(argument, value_of) for argument in node.arguments]
    missing = any(isinstance(value, float) and value != value for value in values)
    assert not missing or node.operation in ("is_known", "total"), f"{node.operation} of a missing value: {node!r}"
    return NUMBER[node.operation](*values)


@pytest.mark.parametrize("features", STRUCTURES.values(), ids=STRUCTURES)
def test_no_formula_computes_with_a_missing_value(features):
    facts = ("node_power_kw", "node_rack_units", "node_nic_count", "node_nic_gbit_s", "node_nvme_tb")
    unknown = without_prices() | {f"accelerators_{fact}": MISSING for fact in facts}
    unknown |= {"electricity_price": MISSING, "training_days": MISSING, "nvlink_domain": MISSING}
    inputs = given(**unknown, **({"batch_hours": MISSING} if features is BATCH else {}))
    graph = Graph(select(cluster_formulas(), features), inputs)
    values = graph.evaluate(inputs)
    for item in graph.order:
        found = evaluated(item.expression, values)
        assert found == pytest.approx(values[item.name], nan_ok=True), item.name
