"""The layouts sheet: candidates as rows, the reason against each, the best found live."""

import pytest

from reportgen.workbook.calculate import settle
from reportgen.workbook.list_ends import list_ends
from reportgen.workbook.model import FIRST_ROW
from reportgen.workbook.sheets.layouts import TICK, reasons_of
from tests.workbook.sheets.books import ALL, built, planned, retype


def headers(model) -> dict[str, int]:
    sheet = model.book["layouts"]
    table = sheet.tables[0]
    return {sheet.cells[5, column].content: column for column in range(table.column, table.last_column + 1)}


def verdicts(model) -> list[str]:
    sheet = model.book["layouts"]
    column = headers(model)[model.words.label("layout_head_verdict")]
    return [sheet.cells[FIRST_ROW + index, column].value for index in range(sum(model.block_sizes))]


@pytest.mark.parametrize("name", ALL)
def test_rows_show_what_the_search_found(name):
    model = built(name).model
    columns, sheet, index = headers(model), model.book["layouts"], 0
    for block in model.result.layouts:
        for place in range(len(block.columns["layout_rank"])):
            for quantity in ("memory_per_gpu_gib", "layout_rank"):
                cell = sheet.cells[FIRST_ROW + index, columns[model.words.label(f"layout_head_{quantity}")]]
                assert cell.value == pytest.approx(block.columns[quantity][place], rel=1e-9)
            index += 1


@pytest.mark.parametrize("name", ALL)
def test_the_best_of_each_accelerator_is_ticked_and_the_others_say_why_not(name):
    model = built(name).model
    said, start = verdicts(model), 0
    for number, block in enumerate(model.result.layouts):
        size = len(block.columns["layout_rank"])
        own = said[start : start + size]
        ticked = [place for place, verdict in enumerate(own) if verdict.startswith(TICK)]
        assert ticked == ([block.chosen] if block.feasible else []), number
        for place, verdict in enumerate(own):
            runs = block.columns["layout_ok"][place] >= 1
            assert verdict.removeprefix(TICK).strip()
            assert runs == (verdict in possible(model)), verdict
        start += size


def possible(model) -> set[str]:
    words = model.words.label
    return {words("layout_possible"), TICK + words("layout_chosen"), TICK + words("layout_best")}


@pytest.mark.parametrize("name", ALL)
def test_every_reason_has_its_words(name):
    model = built(name).model
    assert all(model.words.has(f"layout_without_{flag}") for flag in reasons_of(model))


@pytest.mark.parametrize("name", ALL)
def test_possible_candidates_are_counted(name):
    model = built(name).model
    counts, sheet = model.book["layouts"].tables[1], model.book["layouts"]
    for number, block in enumerate(model.result.layouts, start=1):
        assert sheet.cells[counts.row + number, 4].value == sum(block.columns["layout_ok"])
        assert sheet.cells[counts.row + number, 5].value == len(block.columns["layout_ok"])


@pytest.mark.parametrize("name", ALL)
def test_as_issued_the_edge_is_what_the_search_says(name):
    model = built(name).model
    assert model.book.value(model.edge_flag) == float(model.result.layouts[0].at_edge)


def test_a_later_deadline_moves_the_winner_to_the_end_of_the_list():
    model = planned("finetune-70b")
    assert model.book.value("layout_at_edge") == 0
    tighter = {"deadline_days": 2.2}
    retype(model, tighter)
    block = model.result.layouts[0]
    assert model.book.value("layout_at_edge") == list_ends(block)[int(model.book.value("chosen_layout")) - 1] == 1
    retype(model, {"fixed_gpu_count": 64.0})
    assert model.book.value("layout_at_edge") == 0, "a fixed count has no neighbours to look at"


def test_ends_of_a_list_are_the_counts_beyond_which_there_are_others():
    ends = {
        name: [list_ends(block) for block in built(name).result.layouts] for name in ("finetune-70b", "serve-70b-chat")
    }
    nodes = built("finetune-70b").result.layouts[0].columns["nodes"]
    assert [bool(end) for end in ends["finetune-70b"][0]] == [node == max(nodes) for node in nodes], (
        "one node is no edge"
    )
    assert any(ends["serve-70b-chat"][0]) and not all(ends["serve-70b-chat"][0])


def test_another_accelerator_renames_the_rows_of_the_request():
    model = planned("finetune-70b")
    retype(model, {"accelerator": "l40s"})
    sheet = model.book["layouts"]
    assert "L40S" in sheet.cells[FIRST_ROW, 3].value
    assert "L40S" not in sheet.cells[FIRST_ROW + model.block_sizes[0], 3].value
    settle(model.book)


def test_host_memory_is_used_once_its_input_allows_it():
    """The listed layout that keeps the optimizer on the host is refused until then, and says so."""
    model = planned("nothing-fits")
    block, words = model.result.layouts[0], model.words.label
    on_host = [place for place, level in enumerate(block.columns["offload_level"]) if level]
    refused = {verdicts(model)[place].strip() for place in on_host}
    assert not block.feasible and refused == {words("layout_without_offload_permitted").strip()}
    retype(model, {"offload_allowed": 1.0})
    ticked = [place for place, verdict in enumerate(verdicts(model)) if verdict.startswith(TICK)]
    assert len(ticked) == 1 and ticked[0] in on_host
