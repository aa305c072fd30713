"""The shipped data: complete, sourced, consistent; and what happens to data that is not."""

from __future__ import annotations

import re

import pytest

from reportgen.catalog import Catalog, load, load_catalog
from reportgen.catalog.accelerator_table import COLUMN_UNITS, FACTS
from reportgen.catalog.hardware_records import AcceleratorRecord
from reportgen.catalog.quantity_records import ConstantRecord
from reportgen.catalog.record import build_records
from reportgen.catalog.yaml_data import DATA, parse_yaml, read_yaml
from reportgen.errors import CatalogError, ScenarioError

CATALOG = load_catalog()

COUNTS = {
    "accelerators": 55,
    "servers": 25,
    "models": 100,
    "rents": 85,
    "components": 54,
    "site": 103,
    "tokenizers": 9,
}


@pytest.mark.parametrize(("kind", "count"), COUNTS.items())
def test_nothing_is_lost(kind, count):
    assert len(getattr(CATALOG, kind)) >= count


SOURCED = ["accelerators", "servers", "node_classes", "models", "rents", "components", "site", "tokenizers"]
SOURCED += ["token_densities", "published_token_ratios", "exchange_rates"]


@pytest.mark.parametrize("kind", SOURCED)
def test_every_record_has_source_date_and_a_key_of_sources(kind):
    for record in getattr(CATALOG, kind).values():
        assert record.source, record.id
        assert re.fullmatch(r"\d{4}(-\d\d)?(-\d\d)?|\d{4}-Q\d", record.as_of), record.id
        assert record.source_key in CATALOG.sources, f"{kind} {record.id}: {record.source_key}"


@pytest.mark.parametrize("kind", ["component_lines", "utilizations", "precision_factors", "constants"])
def test_sources_that_are_keys_exist(kind):
    for record in getattr(CATALOG, kind).values():
        assert record.source in CATALOG.sources, f"{kind} {record.id}: {record.source}"


def test_references_of_accelerators_exist():
    for record in CATALOG.accelerators.values():
        assert record.default_server is None or CATALOG.servers[record.default_server].accelerator == record.id
        assert record.node_class in CATALOG.node_classes
        assert set(record.checked_against) <= set(CATALOG.sources), record.id
        assert {status.source for status in record.supply.values()} <= set(CATALOG.sources), record.id
        assert {"cn", "us"} <= set(record.supply)


def test_references_of_prices_exist():
    for record in CATALOG.rents.values():
        assert record.accelerator in CATALOG.accelerators, record.id
    for record in CATALOG.component_lines.values():
        assert set(record.components) <= set(CATALOG.components), record.id
    for record in CATALOG.servers.values():
        assert {price.source_key for price in record.prices} <= set(CATALOG.sources)
        assert {record.host_as, record.power_as} - {None} <= set(CATALOG.servers)


def test_sources_say_what_they_support():
    for record in CATALOG.sources.values():
        assert record.title
        assert record.supports
        assert record.publisher


def test_no_value_was_cut_at_a_comma():
    """A comma in an unquoted value of a flow mapping makes a key without value."""
    for path in DATA.glob("*.yaml"):
        assert not _empty_values(read_yaml(path)), path.name


def _empty_values(value) -> list:
    if isinstance(value, dict):
        return [key for key, inner in value.items() if inner is None] + [
            key for inner in value.values() for key in _empty_values(inner)
        ]
    return [key for inner in value for key in _empty_values(inner)] if isinstance(value, list) else []


REPAIRED = {
    "unicom_2022_ai_server": ("item", "AI servers (A100, T4 and Ascend lots)"),
    "host_parts_per_node": ("item", "2 CPUs, 2 TB DDR5, 30 TB NVMe of one node"),
    "cn_object_store_6_9pb": ("unit", "system"),
}


@pytest.mark.parametrize(("record", "expected"), REPAIRED.items())
def test_component_texts_are_whole(record, expected):
    assert getattr(CATALOG.components[record], expected[0]) == expected[1]


MEMORY_GIB = {  # visible MiB / 1024, the printed number, or decimal
    "h100-sxm": 81559 / 1024,
    "h200-sxm": 143771 / 1024,
    "h800-sxm": 80,
    "rtx-4090": 24,
    "b300-sxm": 275040 / 1024,
    "gb300": 284208 / 1024,
    "mi300x": 192,
}


@pytest.mark.parametrize(("key", "gib"), MEMORY_GIB.items())
def test_memory_in_gib(key, gib):
    assert CATALOG.accelerators[key].memory_gib == pytest.approx(gib)


def test_decimal_memory_without_visible_figure():
    record = CATALOG.accelerators["b300-sxm"].model_copy(update={"memory_visible_mib": None})
    assert record.memory_gib == pytest.approx(288e9 / 2**30)


NAMES = {  # as written -> id
    ("accelerator", "H100"): "h100-sxm",
    ("accelerator", "h100"): "h100-sxm",
    ("accelerator", "A100-80GB"): "a100-sxm-80gb",
    ("accelerator", "a100 80gb"): "a100-sxm-80gb",
    ("accelerator", "H20"): "h20-sxm",
    ("accelerator", "RTX 4090"): "rtx-4090",
    ("accelerator", "昇腾910B"): "ascend-910b3",
    ("accelerators", "b200_sxm"): "b200-sxm",
    ("model", "LLAMA-3.1-70B"): "llama-3.1-70b",
    ("model", "meta-llama/Llama-3.1-70B"): "llama-3.1-70b",
    ("model", "Llama 3.1 70B"): "llama-3.1-70b",
    ("server", "DGX-H100"): "dgx-h100",
}


@pytest.mark.parametrize(("asked", "key"), NAMES.items())
def test_names_and_aliases(asked, key):
    assert CATALOG.find(*asked).id == key


SUGGESTIONS = {
    ("accelerator", "h2OO"): "h200-sxm",
    ("accelerator", "h20O"): "h200-sxm",
    ("accelerator", "b30"): "b300-sxm",
    ("model", "lama-3.1-70b"): "llama-3.1-70b",
    ("model", "qwem2.5-7b"): "qwen2.5-7b",
}


@pytest.mark.parametrize(("asked", "near"), SUGGESTIONS.items())
def test_unknown_names_get_the_nearest(asked, near):
    with pytest.raises(ScenarioError) as caught:
        CATALOG.find(*asked)
    problem = caught.value.problems[0]
    kind, name = asked
    assert problem.message == f"unknown {kind} '{name}'"
    assert problem.candidates[0] == near
    assert problem.fix == f"did you mean '{near}'?  (reportgen catalog {kind}s)"


def test_nothing_near_points_to_the_list():
    with pytest.raises(ScenarioError) as caught:
        CATALOG.find("accelerator", "zzzzzzzzz")
    assert caught.value.problems[0].fix == "see the list: reportgen catalog accelerators"


CONSTANT = {"id": "x", "source": "reportgen", "unit": "s", "symbol": "x", "group": "time", "confidence": "assumed"}
ACCELERATOR = CATALOG.accelerators["l4"].model_dump(exclude_none=True)

BROKEN = {
    "no source": (ConstantRecord, [{**CONSTANT, "value": 1, "source": ""}], "source"),
    "range beside the value": (ConstantRecord, [{**CONSTANT, "value": 1, "low": 2}], "does not enclose"),
    "unknown field": (ConstantRecord, [{**CONSTANT, "value": 1, "colour": "red"}], "colour"),
    "infinite": (ConstantRecord, [{**CONSTANT, "value": float("inf")}], "finite"),
    "no id": (ConstantRecord, [{"value": 1}], "record 1 has no id"),
    "negative": (AcceleratorRecord, [{**ACCELERATOR, "memory_gb": -1}], "memory_gb must be a positive"),
    "zero": (AcceleratorRecord, [{**ACCELERATOR, "tdp_w": 0}], "tdp_w must be a positive"),
    "same id": (ConstantRecord, [{**CONSTANT, "value": 1}] * 2, "occurs twice"),
    "same id but for case": (
        ConstantRecord,
        [{**CONSTANT, "value": 1}, {**CONSTANT, "id": "X", "value": 1}],
        "differ only",
    ),
    "wildcard": (ConstantRecord, [{**CONSTANT, "id": "x*", "value": 1}], "contains one of"),
}


@pytest.mark.parametrize("case", BROKEN)
def test_broken_records_are_refused(case):
    kind, rows, said = BROKEN[case]
    with pytest.raises(CatalogError) as caught:
        build_records(kind, rows, "some.yaml", "2026-11-30")
    assert said in str(caught.value)
    assert "some.yaml" in str(caught.value)
    assert caught.value.exit_code == 4


def test_records_are_frozen():
    with pytest.raises(ValueError, match="frozen"):
        CATALOG.accelerators["l4"].memory_gb = 48
    with pytest.raises(TypeError):
        CATALOG.accelerators["x"] = None


def test_yaml_reads_as_written():
    read = parse_yaml(
        "no: off\ndate: 2026-11-30\nratio: 1:30\nbig: 5e9\nsmall: 1.5e-6\nwhole: 12\nnone: ~\nyes: 'true'\ntrue: true"
    )
    assert read == {
        "no": "off",
        "date": "2026-11-30",
        "ratio": "1:30",
        "big": 5e9,
        "small": 1.5e-6,
        "whole": 12,
        "none": None,
        "yes": "true",
        True: True,
    }


def test_yaml_errors_name_file_and_line(tmp_path):
    path = tmp_path / "twice.yaml"
    path.write_text("rows:\n  - a: 1\n    a: 2\n")
    with pytest.raises(CatalogError) as caught:
        read_yaml(path)
    problem = caught.value.problems[0]
    assert "key 'a' occurs twice" in problem.message
    assert problem.place.file == str(path)
    assert problem.place.line == 2


def test_a_missing_file_is_a_catalog_error(tmp_path):
    with pytest.raises(CatalogError, match="cannot read none.yaml"):
        read_yaml(tmp_path / "none.yaml")


def test_units_belong_to_columns():
    assert set(COLUMN_UNITS) <= set(FACTS)


ONE = "constants:\n  x: {value: 1, unit: s, symbol: x, group: time, source: reportgen, confidence: assumed}\n"


def test_a_section_may_stand_in_several_files(tmp_path, monkeypatch):
    (tmp_path / "constants.yaml").write_text(f"as_of: '2026-11-30'\n{ONE}")
    (tmp_path / "constants_more.yaml").write_text(f"as_of: '2026-11-30'\n{ONE.replace('x:', 'y:', 1)}")
    _read_from(tmp_path, monkeypatch)
    assert list(Catalog().constants) == ["x", "y"]


def test_a_key_in_two_files_is_refused(tmp_path, monkeypatch):
    for name in ("constants.yaml", "constants_more.yaml"):
        (tmp_path / name).write_text(f"as_of: '2026-11-30'\n{ONE}")
    _read_from(tmp_path, monkeypatch)
    with pytest.raises(CatalogError, match="'x' stands in constants.yaml and in constants_more.yaml"):
        _ = Catalog().constants


def _read_from(folder, monkeypatch):
    monkeypatch.setattr(load, "DATA", folder)
    monkeypatch.setattr(load, "read_data", lambda name: read_yaml(folder / f"{name}.yaml"))
