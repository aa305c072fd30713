"""What the PDF prints is what the result holds: every shipped scenario in English, one of each kind in Chinese."""

import pytest

from reportgen.catalog.numbers import format_money, format_number
from tests.memo.compose.results import SCENARIOS, case_of, pages_of, pdf_of, tight

IN_CHINESE = ("finetune-70b-zh", "serve-70b-chat", "batch-1000-requests", "qlora-8b-workstation")
ALL = [*((name, "en") for name in SCENARIOS), *((name, "zh") for name in IN_CHINESE)]
HEADLINE = {
    "training": ("training_days", "days"),
    "serving": ("peak_requests_per_second", "requests/s"),
    "batch": ("batch_hours", "h"),
}


@pytest.mark.parametrize(("name", "language"), ALL)
def test_headline_numbers_stand_on_page_one(name, language):
    case, page = case_of(name, language), pages_of(name, language)[0]
    money = [
        format_money(case.total, language, case.facts.currency),
        case.voice.ceiling(case.value("approval_ceiling")),
    ]
    expected = [format_number(case.value("gpus"), "count", language), *money]
    key, unit = HEADLINE[case.kind]
    if case.time.unit == unit or case.kind != "training":
        expected.append(format_number(case.value(key), unit, language))
    if case.kind != "serving" and not case.rents:  # rented machines draw their power elsewhere
        expected += [format_number(case.value(key), "kW", language) for key in ("it_power_kw", "facility_power_kw")]
    for text in expected:
        assert tight(text) in page, text


@pytest.mark.parametrize(("name", "language"), ALL)
def test_memory_and_ends_stand_on_page_one(name, language):
    case, page = case_of(name, language), pages_of(name, language)[0]
    assert tight(case.voice.amount(case.value("memory_per_gpu_gib"), "GiB")) in page
    if case.kind == "training" and case.time.unit == "days":
        assert all(tight(case.time.text(end)) in page for end in case.ends("training_days"))


@pytest.mark.parametrize(("name", "language"), ALL)
def test_the_body_is_two_pages_and_clean(name, language):
    pages = pages_of(name, language)
    sign = tight("Budget code" if language == "en" else "预算科目")
    assert [number for number, page in enumerate(pages, 1) if sign in page] == [2]
    everything = "".join(pages)
    for wrong in ("{", "**", "memo_", "〓"):
        assert wrong not in everything, wrong
    assert pdf_of(name, language)[1] == ()
