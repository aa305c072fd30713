"""The workbook of several results: every column equals its result, recalculates elsewhere, and says what differs."""

from __future__ import annotations

import dataclasses

import pytest

from reportgen.errors import UsageError
from reportgen.evaluation.compare import compare
from reportgen.evaluation.evaluate import evaluate
from reportgen.scenario import load_scenario
from reportgen.workbook.calculate import settle
from reportgen.workbook.comparison import FIRST_COLUMN, FIRST_ROW, MOST, Compared, plan_comparison
from reportgen.workbook.frame import HEADER_ROW
from reportgen.workbook.write import workbook_bytes
from tests.workbook.engine.recalculate import differences, formula_cells, iron_calc, settled_values, with_inputs
from tests.workbook.sheets.reader_books import ROOT, shipped_result

SETS = {
    "two methods": ("finetune-70b", "finetune-70b-lora"),
    "mixed jobs": ("finetune-70b", "serve-70b-chat", "batch-1000-requests", "qlora-8b-workstation"),
    "two services": ("serve-70b-chat", "serve-deepseek-v3"),
}


@pytest.fixture(scope="module", params=SETS)
def compared(request) -> Compared:
    found = plan_comparison([shipped_result(name) for name in SETS[request.param]])
    settle(found.book)
    return found


def test_every_column_is_its_result(compared):
    for index, result in enumerate(compared.results):
        for key, item in result.quantities.items():
            cell = compared.cell(key, index)
            if key == "accelerator_row":
                continue
            found = compared.book.value(cell)
            assert found == (item.value if isinstance(item.value, str) else pytest.approx(item.value, nan_ok=True)), key


def test_it_recalculates_elsewhere(compared):
    content = workbook_bytes(compared.book)
    assert not differences(formula_cells(compared.book), settled_values(compared.book), iron_calc(content))


def test_checks_say_what_the_results_say(compared):
    sheet = compared.book["checks"]
    words = compared.words
    shown = {cell.value: row for (row, column), cell in sheet.cells.items() if column == 2}
    for index, result in enumerate(compared.results):
        for check in result.checks:
            row = shown[words.label(f"check_{check.key}")]
            assert sheet.cells[row, 4 + index].value == words.label(f"state_{check.status.lower()}"), check.key


def test_what_is_not_known_is_to_be_looked_at():
    path = ROOT / "scenarios" / "finetune-70b.yaml"
    unknown = evaluate(load_scenario(path, sets=("hardware.accelerators=[h800-sxm]", "budget=10 M CNY")))
    found = plan_comparison([shipped_result("finetune-70b"), unknown])
    settle(found.book)
    sheet = found.book["checks"]
    label = found.words.label("check_budget_kept")
    row = next(row for (row, column), cell in sheet.cells.items() if column == 2 and cell.value == label)
    assert sheet.cells[row, 5].value == "LOOK"


def test_ranks_are_those_of_the_comparison(compared):
    sheet = compared.book["summary"]
    rank = next(column for (row, column), cell in sheet.cells.items() if row == 5 and cell.value == "Rank by cost")
    wanted = compare(compared.results).verdicts
    for index, verdict in enumerate(wanted):
        found = sheet.cells[FIRST_ROW + index, rank].value
        assert (0 if found != found else found) == verdict.rank


def test_a_purchase_without_its_servers_has_no_rank_and_no_rival_is_called_the_cheapest():
    path = ROOT / "scenarios" / "finetune-70b.yaml"
    unpriced = evaluate(load_scenario(path, sets=("hardware={accelerators: [gaudi2]}",)))
    found = plan_comparison([shipped_result("finetune-70b-lora"), unpriced])
    settle(found.book)
    sheet = found.book["summary"]
    rank = next(column for (row, column), cell in sheet.cells.items() if row == 5 and cell.value == "Rank by cost")
    assert unpriced.value("main_line_priced") == 0
    for index, verdict in enumerate(compare(found.results).verdicts):
        shown = sheet.cells[FIRST_ROW + index, rank].value
        assert (0 if shown != shown else shown) == verdict.rank
        said = found.words.label("compared_best_cost") in str(sheet.cells[FIRST_ROW + index, rank + 1].value)
        assert said == ("cost" in verdict.best_at)


def test_differences_are_those_of_the_comparison(compared):
    sheet = compared.book["differences"]
    shown = [cell.value for (row, column), cell in sorted(sheet.cells.items()) if column == 2 and row >= FIRST_ROW]
    for item in compared.comparison.quantities:
        assert compared.phrases.label(item.key) in shown


def test_amounts_add_up(compared):
    sheet = compared.book["request"]
    total = next(
        row for (row, column), cell in sheet.cells.items() if column == 2 and cell.value == "Sum of the amounts"
    )
    for index, result in enumerate(compared.results):
        assert sheet.cells[total, 5 + 2 * index].value == pytest.approx(result.value("list_total"))


def test_an_edit_in_one_column_stays_in_it():
    found = plan_comparison([shipped_result(name) for name in SETS["two methods"]])
    content = workbook_bytes(found.book)
    before = [found.book.value(found.cell("purchase_cost", index)) for index in range(2)]
    cell = found.cell("contingency_share", 1)
    place = cell.key
    found.book.cell(cell).content = 0.5
    settle(found.book)
    after = [found.book.value(found.cell("purchase_cost", index)) for index in range(2)]
    assert after[0] == before[0] and after[1] > 1.3 * before[1]
    changed = with_inputs(content, {(found.book[place.sheet].title, place.row, place.column): 0.5})
    assert not differences(formula_cells(found.book), settled_values(found.book), iron_calc(changed))


def test_an_override_stands_in_its_own_column():
    path = ROOT / "scenarios" / "finetune-70b.yaml"
    fixed = evaluate(load_scenario(path, sets=("overrides={it_power_kw: 99}",)))
    found = plan_comparison([shipped_result("finetune-70b"), fixed])
    settle(found.book)
    assert found.book.value(found.cell("it_power_kw", 1)) == 99
    assert found.book.value(found.cell("it_power_kw", 0)) == pytest.approx(found.results[0].value("it_power_kw"))


def test_a_rented_scenario_shows_no_purchase_and_no_power_of_its_own():
    path = ROOT / "scenarios" / "finetune-70b.yaml"
    rented = evaluate(load_scenario(path, sets=("hardware.acquire=rent",)))
    found = plan_comparison([shipped_result("finetune-70b"), rented])
    settle(found.book)
    sheet = found.book["summary"]
    heads = {cell.value: column for (row, column), cell in sheet.cells.items() if row == HEADER_ROW}
    shown = [name for name in ("gpus", "gpus_bought", "it_power_kw") if found.phrases.label(name) in heads]
    assert shown[:2] == ["gpus", "gpus_bought"]
    for name in shown:
        first, second = (sheet.cells[FIRST_ROW + index, heads[found.phrases.label(name)]].value for index in range(2))
        assert first > 0 and (second == rented.value("gpus") if name == "gpus" else second != second)
    differing = {item.key: item.values[1] for item in found.comparison.quantities}
    assert differing["it_power_kw"] != differing["it_power_kw"]
    sheet, label = found.book["differences"], found.phrases.label("it_power_kw")
    row = next(row for (row, column), cell in sheet.cells.items() if column == 2 and cell.value == label)
    assert sheet.cells[row, FIRST_COLUMN].value > 0 and sheet.cells[row, FIRST_COLUMN + 1].value != sheet.cells[row, FIRST_COLUMN + 1].value


def test_as_many_as_thirty_and_no_more():
    first = shipped_result("qlora-8b-workstation")
    several = [
        dataclasses.replace(first, facts=dataclasses.replace(first.facts, name=f"scenario-{number}"))
        for number in range(MOST + 1)
    ]
    found = plan_comparison(several[:MOST])
    assert workbook_bytes(found.book)
    assert len(found.letters) == MOST and found.letters[26] == "AA"
    with pytest.raises(UsageError, match="at most 30"):
        plan_comparison(several)


def test_in_chinese():
    results = [shipped_result(name) for name in ("finetune-70b-zh", "serve-70b-chat")]
    found = plan_comparison(results)
    content = workbook_bytes(found.book)
    assert [sheet.title for sheet in found.book.sheets.values()][:2] == ["汇总", "差异"]
    assert not differences(formula_cells(found.book), settled_values(found.book), iron_calc(content))
