"""The rules of a memo: what it asks, what it never says, what it leaves to people."""

import dataclasses
import re
from datetime import date, timedelta

import pytest

from reportgen.memo import build_html, build_pdf
from reportgen.memo.compose import compose_memo
from reportgen.memo.compose.case import Case
from reportgen.memo.fit import first_fit
from reportgen.text.redaction import redacted
from tests.memo.compose.results import LANGUAGES, SCENARIOS, VARIANTS, case_of, found, memo_of, texts

EVERY = (*SCENARIOS, *VARIANTS)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("name", EVERY)
def test_the_bounds_of_the_page(name, language):
    memo = memo_of(name, language)
    assert len(memo.decision) in (1, 2, 3) and len(memo.figures) == 4
    assert 1 <= len(memo.needs.groups) <= 6 and len(memo.options.rows) <= 7
    assert len(memo.risks) <= 5 and len(memo.confidence.lines) <= 3 and len(memo.conditions.cells) <= 5
    assert memo.options.rows[0].chosen
    assert sum(row.keep for row in memo.options.rows) >= 2
    for part in (memo.confidence.figure,):
        assert part is None or len(part.chart.rows) <= 5


@pytest.mark.parametrize("name", EVERY)
def test_never_says_needs_at_least(name):
    for text in texts(memo_of(name, "en")):
        assert not re.search(r"at least \d+ (?:server|node|GPU)", text), text


@pytest.mark.parametrize("name", EVERY)
def test_purpose_is_printed_word_for_word_or_left_to_people(name):
    purpose = found(name, "en").facts.purpose
    assert " ".join(memo_of(name, "en").why) == " ".join(purpose.split())


def test_the_title_is_the_request():
    assert re.match(r"Request: \d+ servers × 8 H800 to fine-tune", memo_of("base", "en").title.main)
    assert memo_of("base", "en").title.main.endswith("CNY incl. tax")
    assert "servers to be quoted, other lines" in memo_of("base", "en").title.main
    assert re.match(r"申请购置\d+台8卡H800服务器，用于", memo_of("base", "zh").title.main)
    assert re.match(r"Request: rent \d+ H800 for ", memo_of("rent", "en").title.main)
    assert re.match(r"申请租用\d+张H800", memo_of("rent", "zh").title.main)
    assert memo_of("one_gpu", "en").title.main.startswith("Request: a workstation with 1 L40S")


@pytest.mark.parametrize("name", ["too_small", "too_slow", "never", "serve_short"])
def test_nothing_fits_is_said_in_the_title_and_the_decision(name):
    english, chinese = memo_of(name, "en"), memo_of(name, "zh")
    assert english.title.main.startswith("Not possible as asked:") and "Approve" not in " ".join(english.decision)
    assert chinese.title.main.startswith("按现有要求无法实施：") and "请批准" not in "".join(chinese.decision)
    assert english.figures[0].open


def test_without_prices_the_price_is_to_be_quoted():
    result = redacted(found("base", "en"))
    memo = compose_memo(result)
    assert memo.title.main.endswith("price to be quoted")
    assert memo.figures[2].value == "quote needed" and memo.figures[2].open
    assert all(group.text == "quote needed" for group in memo.needs.groups)
    assert "CNY" not in " ".join(memo.decision)
    assert build_pdf(result)


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_rent_without_a_price_asks_for_a_quotation(language):
    memo = memo_of("no_rent", language)
    needed = case_of("no_rent", language).voice.say("quote_needed")
    assert memo.figures[2].value == needed and memo.needs.sums[-1].open


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_job_that_uses_little_is_held_against_renting_on_page_one(language):
    for name in EVERY:
        case = case_of(name, language)
        if case.little_used and case.feasible and case.known("rental_cost") and case.may_rent:
            assert case.voice.money(case.value("rental_cost")) in " ".join(memo_of(name, language).decision), name


def test_limits_of_the_scenario_are_part_of_the_decision():
    assert "Not within the limits given" in " ".join(memo_of("four_runs", "en").decision)
    assert "超出给定条件" in "".join(memo_of("four_runs", "zh").decision)
    assert any("60.0 kW" in risk.risk for risk in memo_of("four_runs", "en").risks)


def test_the_start_sets_the_day_of_decision():
    head = {item.name: item.value for item in memo_of("four_runs", "en").document.head}
    assert re.fullmatch(r"\*\*\d+ \w+ 202[67]\*\*", head["Decision by"])
    assert not {item.name: item.value for item in memo_of("past_start", "en").document.head}["Decision by"]
    assert any("can hardly be kept" in line for line in memo_of("past_start", "en").decision)


@pytest.mark.parametrize(("days_left", "overdue"), [(1, False), (0, False), (-1, True)])
def test_on_the_last_day_to_order_the_start_can_still_be_kept(days_left, overdue):
    result = found("past_start", "en")
    day = date.fromisoformat(result.facts.date) + timedelta(weeks=result.value("delivery_weeks"), days=days_left)
    memo = compose_memo(dataclasses.replace(result, facts=dataclasses.replace(result.facts, start=day.isoformat())))
    assert any("can hardly be kept" in line for line in memo.decision) == overdue
    assert (not {item.name: item.value for item in memo.document.head}["Decision by"]) == overdue
    assert any("elivery" in risk.risk and "start" in risk.risk for risk in memo.risks) == overdue


def test_a_promised_date_of_delivery_is_the_one_of_the_memo():
    result = found("past_start", "en")
    promised = dataclasses.replace(result.quantities["delivery_weeks"], value=5.0)
    memo = compose_memo(dataclasses.replace(result, quantities={**result.quantities, "delivery_weeks": promised}))
    assert any("takes up to 5 weeks" in line for line in memo.decision)


def test_risks_come_from_rules_only():
    assert any("Sale of H800 has ended" in risk.risk for risk in memo_of("base", "en").risks)
    assert all(risk.owner == "" for name in EVERY for risk in memo_of(name, "en").risks)


def test_existing_equipment_answers_what_happens_otherwise():
    assert "16 A800" in memo_of("four_runs", "en").otherwise[0]
    assert memo_of("base", "en").otherwise == ()


def test_the_fields_people_fill_are_left_blank():
    head = memo_of("base", "en").document.head
    assert [item.value for item in head if item.name in ("To", "From", "Reference")] == ["", "", ""]


def test_ranges_hold_the_median():
    for name in EVERY:
        for item in memo_of(name, "en").size.figures:
            if item.chart is not None and item.chart.kind == "ranges":
                assert all(row.low <= row.middle <= row.high for row in item.chart.rows)
                assert sum(row.chosen for row in item.chart.rows) == 1


def test_names_of_accelerators_are_short_and_apart():
    case = Case(found("finetune-70b", "en"))
    assert case.accelerator() == "H800" and case.accelerator("a800-sxm-80gb") == "A800"
    assert case_of("qlora-8b-workstation", "en").accelerator() == "RTX 4090"


def test_html_is_the_same_memo():
    page = build_html(found("finetune-70b", "en"))
    assert "Approve in principle" in page and page.startswith("<!doctype html>")


def test_what_a_note_calls_better_stands_among_the_alternatives():
    case = case_of("pretrain-gpt3-175b", "en")
    better = [remark for remark in case.result.remarks if remark.key.startswith("better_")][:2]
    rows = memo_of("pretrain-gpt3-175b", "en").options.rows
    assert better
    for remark in better:
        name = case.accelerator(remark.values["accelerator"])
        assert name != case.accelerator() and any(name in row.name for row in rows), name


def test_pages_that_say_much_start_with_closer_lines():
    full, short = (memo_of(name, "en") for name in ("finetune-70b", "batch-1000-requests"))
    assert first_fit(full).dense and first_fit(full).dense_later
    assert not first_fit(dataclasses.replace(short, decision=short.decision[:1])).dense
    assert not first_fit(dataclasses.replace(full, risks=())).dense_later


def test_ways_that_are_not_shown_are_counted():
    memo, result = memo_of("base", "en"), found("base", "en")
    assert f"{len(result.options) - len(memo.options.rows)} further ways" in memo.options.note


def with_values(name: str, **values: float) -> Case:
    """A case with other values of some quantities."""
    result = found(name, "en")
    changed = {key: dataclasses.replace(result.quantities[key], value=value) for key, value in values.items()}
    return Case(dataclasses.replace(result, quantities={**result.quantities, **changed}))


def test_renting_instead_is_no_question_where_nothing_is_bought():
    assert case_of("base", "en").little_used and not with_values("base", gpus_bought=0.0).little_used


def test_a_job_longer_than_the_equipment_lasts_is_no_share_of_it():
    said = " ".join(compose_memo(with_values("base", lifetime_share=1.0).result).cost.lines)
    assert "all that the equipment works in 3 years, or more" in said and "100%" not in said


def test_an_order_that_is_overdue_is_told_before_renting_instead():
    assert "can hardly be kept" in memo_of("past_start", "en").decision[1]
