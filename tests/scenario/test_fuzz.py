"""No input makes a traceback: bytes, YAML text, data and damaged scenarios give a Scenario or a ReportError."""

from __future__ import annotations

import string
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from reportgen.errors import ReportError
from reportgen.scenario import load_scenario, scenario_from_mapping
from reportgen.scenario.config_reader import ConfigError
from reportgen.scenario.model_config import architecture_of_config
from reportgen.scenario.model_families import FAMILIES
from reportgen.scenario.schema_paths import paths_of_keys

DATA = Path(__file__).parent / "data"
GOOD = [(DATA / f"{name}.yaml").read_text() for name in ("finetune", "serve", "batch")]
ANY = settings(
    max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)

WORDS = st.sampled_from(
    [
        "5B",
        "5b",
        "14 days",
        "llama-3.1-8b",
        "h100-sxm",
        "H20",
        "serving",
        "lora",
        "2027-01-01",
        "65%",
        "80 GB",
        "12 M CNY",
        "all",
        "zh",
        "-3",
    ]
)
SCALARS = st.one_of(st.none(), st.booleans(), st.integers(-(10**20), 10**20), st.floats(), st.text(max_size=12), WORDS)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.dictionaries(
            st.sampled_from(["low", "base", "high", "tokens", "in", "by", "count", "x"]), inner, max_size=3
        ),
    ),
    max_leaves=6,
)
PATHS = st.sampled_from([path for path in paths_of_keys()])


def settle(read):
    """Runs a reader; problems must be complete."""
    try:
        read()
    except ReportError as error:
        assert error.problems
        for problem in error.problems:
            assert problem.code and problem.message
            assert len(problem.message) < 2000


@ANY
@given(st.binary(max_size=300))
def test_bytes(tmp_path, data):
    file = tmp_path / "s.yaml"
    file.write_bytes(data)
    settle(lambda: load_scenario(file))


@ANY
@given(st.text(alphabet=string.printable + "é中\x85\u2028\ufeff&*!|>%@`", max_size=200))
def test_text(tmp_path, text):
    file = tmp_path / "s.yaml"
    file.write_bytes(text.encode("utf-8", "surrogatepass"))
    settle(lambda: load_scenario(file))


@ANY
@given(st.sampled_from(GOOD), st.data())
def test_damaged_scenarios(tmp_path, text, data):
    position = data.draw(st.integers(0, len(text)))
    removed = data.draw(st.integers(0, 12))
    inserted = data.draw(st.text(alphabet=string.printable, max_size=6))
    file = tmp_path / "s.yaml"
    file.write_bytes((text[:position] + inserted + text[position + removed :]).encode())
    settle(lambda: load_scenario(file))


@ANY
@given(st.sampled_from([0, 1, 2]), st.dictionaries(PATHS, VALUES, min_size=1, max_size=4))
def test_values_in_wrong_places(index, changes):
    import yaml

    raw = yaml.safe_load(GOOD[index])
    for path, value in changes.items():
        *parents, last = path.split(".")
        here = raw
        for part in parents:
            child = here.get(part)
            if not isinstance(child, dict):
                child = here[part] = {}
            here = child
        here[last] = value
    settle(lambda: scenario_from_mapping(raw, folder=DATA))


@ANY
@given(st.lists(st.tuples(PATHS, st.text(alphabet=string.printable, max_size=15)), max_size=3))
def test_sets(pairs):
    settle(lambda: load_scenario(DATA / "finetune.yaml", [f"{path}={text}" for path, text in pairs]))


@ANY
@given(st.lists(st.text(max_size=20), max_size=2))
def test_malformed_sets(words):
    settle(lambda: load_scenario(DATA / "finetune.yaml", words))


CONFIG_KEYS = st.sampled_from(
    [
        "hidden_size",
        "num_hidden_layers",
        "num_attention_heads",
        "num_key_value_heads",
        "head_dim",
        "intermediate_size",
        "vocab_size",
        "layer_types",
        "sliding_window",
        "num_local_experts",
        "quantization_config",
        "text_config",
        "moe_layer_freq",
        "tie_word_embeddings",
        "mlp_only_layers",
        "max_window_layers",
        "qk_rope_head_dim",
        "kv_lora_rank",
        "first_k_dense_replace",
        "_name_or_path",
        "model_type",
    ]
)


@ANY
@given(st.sampled_from(sorted(FAMILIES)), st.dictionaries(CONFIG_KEYS, VALUES, max_size=5))
def test_configs(kind, changes):
    try:
        shape = architecture_of_config({"model_type": kind} | changes)
    except ConfigError as error:
        assert error.message
    else:
        assert (
            shape.layers >= 1 and shape.quantities() and shape.features() and isinstance(shape.quantization_format, str)
        )


@pytest.mark.parametrize(
    "text",
    ["a: 1\r\rb: 2\x85c", "? a\n: b\n", "{}", "[]", "---", "...", "%", "'", '"', "a:\n- b\n c", "\ufeff\ufeffa: 1"],
)
def test_small_oddities(tmp_path, text):
    file = tmp_path / "s.yaml"
    file.write_bytes(text.encode())
    settle(lambda: load_scenario(file))
