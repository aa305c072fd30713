"""Words in both languages: the same keys, the same placeholders, nothing empty; numbers and look."""

from __future__ import annotations

import math
import re

import pytest

from reportgen.catalog import load_catalog
from reportgen.catalog import wording as module
from reportgen.catalog.accelerator_table import COLUMN_UNITS, FACTS
from reportgen.catalog.look import look
from reportgen.catalog.numbers import excel_format, format_money, format_number
from reportgen.catalog.wording import Wording, languages, placeholders, wording
from reportgen.catalog.yaml_data import read_data
from reportgen.errors import CatalogError, UsageError

CATALOG = load_catalog()


def test_both_languages_are_shipped():
    assert languages() == ("en", "zh")


def test_languages_have_equal_keys():
    english, chinese = wording("en"), wording("zh")
    assert sorted(set(english.texts) - set(chinese.texts)) == []
    assert sorted(set(chinese.texts) - set(english.texts)) == []


def test_languages_have_equal_placeholders():
    english, chinese = wording("en"), wording("zh")
    for key, text in english.texts.items():
        spelled_out = {"n"} if key.endswith("_one") else set()  # "one server" needs no number
        assert placeholders(text) - spelled_out == placeholders(chinese.texts.get(key, text)) - spelled_out, key


def test_chinese_words_are_chinese():
    """Labels of columns, groups, constants and lines hold Han characters, or are names that both languages share."""
    shared = {"accelerators_id"}
    for key, text in wording("zh").texts.items():
        if key.startswith(("accelerators_", "group_", "line_", "basis_", "supply_")) and key not in shared:
            assert re.search(r"[\u4e00-\u9fff]", text), key


NEEDED = [f"accelerators_{name}" for name in FACTS]
NEEDED += [f"unit_{unit}" for unit in set(COLUMN_UNITS.values())]
OWN_CONSTANTS = [CATALOG.constants[key] for key in read_data("constants")["constants"]]
NEEDED += [key for record in OWN_CONSTANTS for key in (record.id, f"unit_{record.unit}", f"group_{record.group}")]
NEEDED += [f"line_{key}" for key in CATALOG.component_lines]
NEEDED += [
    f"confidence_{word}" for word in ("measured", "published", "vendor", "assumed", "given", "high", "medium", "low")
]
NEEDED += [f"supply_{status}" for status in ("available", "restricted", "ended", "unknown")]
NEEDED += [f"family_{record.family}" for record in CATALOG.accelerators.values()]
NEEDED += [f"basis_{record.kind}" for record in CATALOG.rents.values()]
NEEDED += [f"source_title_{key}" for key, source in CATALOG.sources.items() if source.publisher == "reportgen"]
UNITS = {record.unit.replace(" ", "_") for record in (*CATALOG.inputs.values(), *CATALOG.constants.values())}
NEEDED += [f"unit_{unit}" for unit in sorted(UNITS) if not unit.startswith("money/")]  # put together from both parts


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_catalog_has_its_words(language):
    words = wording(language)
    assert [key for key in dict.fromkeys(NEEDED) if not words.has(key)] == []


def test_labels_texts_and_symbols():
    words = Wording("en", {"a": "A", "b": "{days} days", "symbol.t": "T"}, {"a": "f", "b": "f", "symbol.t": "f"})
    assert words.label("a") == "A"
    assert words.text("b", days=9) == "9 days"
    assert words.symbol("t") == "T"
    assert words.symbol("u", "U") == "U"
    assert not words.has("c")


def test_a_missing_key_is_named_with_its_language():
    with pytest.raises(CatalogError, match="no wording for 'group_trainin' in language 'zh'") as caught:
        wording("zh").label("group_trainin")
    assert "group_training" in caught.value.problems[0].fix


def test_a_missing_value_is_named():
    words = Wording("en", {"b": "{days} days"}, {"b": "f"})
    with pytest.raises(CatalogError, match="cannot be filled") as caught:
        words.text("b", hours=1)
    assert caught.value.problems[0].fix == "it needs days"


def test_an_unknown_language_is_a_usage_error():
    with pytest.raises(UsageError, match="unknown language 'fr'"):
        wording("fr")


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a.yaml": "x: 1", "b.yaml": "x: 2"}, "stands in a.yaml and in b.yaml"),
        ({"a.yaml": "x: {y: 1}"}, "must be one line"),
    ],
)
def test_wrong_files_are_refused(tmp_path, monkeypatch, files, said):
    (tmp_path / "xx").mkdir()
    for name, text in files.items():
        (tmp_path / "xx" / name).write_text(text)
    monkeypatch.setattr(module, "FOLDER", tmp_path)
    with pytest.raises(CatalogError, match=said):
        wording.__wrapped__("xx")


NUMBERS = {  # (value, unit) -> en, zh
    (9.94, "days"): ("9.9", "9.9"),
    (9.95, "days"): ("10.0", "10.0"),
    (1234, "GPUs"): ("1,234", "1,234"),
    (23_947_000, "money"): ("23.95 M", "2,395 万元"),
    (412_345.6, "money"): ("412,346", "41.23 万元"),
    (980.4, "money"): ("980", "980 元"),
    (230_000_000, "money"): ("230.00 M", "2.30 亿元"),
    (0.3842, "share"): ("38.4%", "38.4%"),
    (81.25, "GiB"): ("81.3", "81.3"),
    (70.553e9, "parameters"): ("70.6 B", "705.5 亿"),
    (5e9, "tokens"): ("5 B", "50 亿"),
    (1.5e13, "tokens"): ("15 T", "15 万亿"),
    (3.2e24, "FLOP"): ("3.2 Y", "3.2 Y"),
    (-3.25, "days"): ("−3.3", "−3.3"),
    (-0.001, "days"): ("0.0", "0.0"),
    (1e21, "EFLOP"): ("1,000,000,000,000,000,000,000",) * 2,
    (21.633, "money/h"): ("21.63", "21.63"),
    (2026, "year"): ("2026", "2026"),
    (None, "GiB"): ("–", "–"),
    (math.nan, "money"): ("–", "–"),
    ("2027-03-01", "date"): ("2027-03-01", "2027-03-01"),
}


@pytest.mark.parametrize(("case", "expected"), NUMBERS.items())
def test_numbers(case, expected):
    assert tuple(format_number(*case, language) for language in ("en", "zh")) == expected


def test_money_with_its_currency():
    assert format_money(23_947_000) == "23.95 M CNY"
    assert format_money(23_947_000, "zh", "USD") == "2,395 万美元"
    assert format_money(None) == "–"


EXCEL = {
    "GPUs": "#,##0",
    "share": "0.0%",
    "days": "#,##0.0",
    "money": "#,##0",
    "money/h": "#,##0.00",
    "factor": "0.000",
}
EXCEL |= {
    "date": "yyyy-mm-dd",
    "never heard of": "#,##0",
    "tokens/s/GPU": "#,##0",
    "TFLOP/s": "#,##0.0",
    "million money": "#,##0.00",
}


@pytest.mark.parametrize(("unit", "expected"), EXCEL.items())
def test_excel_formats(unit, expected):
    assert excel_format(unit) == expected


def test_no_format_has_an_exponent():
    assert not [unit for unit, rule in look().numbers.items() if "E" in rule.excel.replace("General", "")]


def test_colours_are_hexadecimal_and_readable():
    tokens = look()
    for value in [*tokens.colour.values(), *tokens.memory.values()]:
        assert re.fullmatch(r"[0-9A-F]{6}", value)
    for ink, ground in (("ink", "white"), ("soft", "white"), ("input_ink", "input_fill"), ("link_ink", "white")):
        assert _contrast(tokens.colour[ink], tokens.colour[ground]) >= 4.5, ink
    for state in ("ok", "look", "fail", "changed"):
        assert _contrast(tokens.colour[f"{state}_ink"], tokens.colour[f"{state}_fill"]) >= 4.5, state
    assert tokens.css("blue") == "#123F63"


def _contrast(first: str, second: str) -> float:
    light, dark = sorted((_luminance(first), _luminance(second)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (0, 2, 4)]
    linear = [value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4 for value in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_sources_of_our_own_have_one_title_in_english():
    for key, source in CATALOG.sources.items():
        assert wording("en").source_title(key, source.title) == source.title
