"""Both languages say the same things, fully, and in grammar."""

import re
import string

import pytest

from reportgen.catalog.wording import FOLDER
from reportgen.catalog.yaml_data import read_yaml
from tests.memo.compose.results import LANGUAGES, SCENARIOS, VARIANTS, case_of, memo_of, texts

FILES = sorted(path.name for path in (FOLDER / "en").glob("memo*.yaml"))
EVERY = (*SCENARIOS, *VARIANTS)
PLURALS = "GPUs|servers|nodes|cards|replicas|days|hours|minutes|weeks|months|years|lines|racks|runs|users|requests|switches|epochs"


def fields(text: str) -> set[str]:
    return {name for _, name, _, _ in string.Formatter().parse(str(text)) if name}


@pytest.mark.parametrize("name", FILES)
def test_files_have_the_same_keys_and_places(name):
    english, chinese = (read_yaml(FOLDER / language / name) for language in LANGUAGES)
    assert list(english) == list(chinese)
    for key, text in english.items():
        assert fields(chinese[key]) <= fields(text) or fields(text) <= fields(chinese[key]), key


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", EVERY)
def test_no_figure_is_missing_or_bare(name, language):
    identity = memo_of(name, language).document.identity
    for text in texts(memo_of(name, language)):
        if text == identity:
            continue
        assert not re.search(r"\bnan\b|\bNone\b(?! of| named)|\binf\b|\de[+-]?\d|(?<!_)\{\w*\}", text), text
        assert not re.search(r"(?<![\w–])-\d", re.sub(r"\d{4}-\d\d-\d\d|\^?−|10\^-", "", text)) or "/" in text, text


@pytest.mark.parametrize("name", EVERY)
def test_one_is_singular(name):
    for text in texts(memo_of(name, "en")):
        assert not re.search(rf"(?<![\d.,×])\b1 (?:{PLURALS})\b(?! of)", text), text


@pytest.mark.parametrize("name", EVERY)
def test_english_has_no_chinese_and_the_other_way_round(name):
    facts = case_of(name, "zh").facts
    if any("\u4e00" <= letter <= "\u9fff" for letter in facts.title + facts.purpose + facts.requester):
        return
    for text in texts(memo_of(name, "en")):
        assert not re.search(r"[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]", text), text


@pytest.mark.parametrize("name", EVERY)
def test_both_languages_ask_for_the_same_amount(name):
    ceilings = []
    for language, unit in (("en", "M"), ("zh", "万")):
        case = case_of(name, language)
        text = case.voice.ceiling(case.value("approval_ceiling"))
        number = float(re.sub(r"[^\d.]", "", text.split()[0]) or 0)
        ceilings.append(round(number * (1e6 if f" {unit} " in text else 1e4 if unit in text else 1)))
    assert ceilings[0] == ceilings[1]
