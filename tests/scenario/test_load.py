"""Good scenarios: normal form, defaults, bases, sets, dates, places of names."""

from __future__ import annotations

import dataclasses
import datetime
import json
import pickle
from pathlib import Path

import pytest
import yaml

from reportgen.catalog.wording import languages, wording
from reportgen.errors import ScenarioError
from reportgen.scenario import Amount, Range, load_scenario, scenario_from_mapping
from reportgen.scenario.defaults import ROWS
from reportgen.scenario.schema_paths import json_schema, paths_of_keys

DATA = Path(__file__).parent / "data"
DAY = datetime.date(2027, 1, 15)
TRAIN = {
    "title": "A request",
    "job": "fine-tuning",
    "model": "llama-3.1-8b",
    "data": {"tokens": "1B"},
    "hardware": {"accelerators": ["h100-sxm"]},
}


def train(**more):
    return scenario_from_mapping(TRAIN | more, date=DAY)


def test_fine_tuning():
    scenario = load_scenario(DATA / "finetune.yaml", date=DAY)
    assert scenario.hardware.accelerators == ("h800-sxm", "a800-sxm-80gb", "h20-sxm")
    assert (scenario.data.tokens, scenario.data.epochs, scenario.sequence_length) == (5e9, 2.0, 4096)
    assert (scenario.deadline_days, scenario.deadline_quantile, scenario.deadline_for) == (14.0, 0.9, "campaign")
    assert scenario.architecture.layers == 80 and scenario.model_id == "llama-3.1-70b"
    assert scenario.date == DAY and scenario.language == "zh" and scenario.is_training
    assert scenario.precision.compute == "bf16" and scenario.lora is None
    assert scenario.files == (str(DATA / "finetune.yaml"),)


def test_serving():
    scenario = load_scenario(DATA / "serve.yaml", date=DAY)
    assert scenario.load.users == Range(3000.0, 5000.0, 8000.0)
    assert scenario.hardware.accelerators == ("h20-sxm",)
    assert (scenario.objectives.ttft, scenario.objectives.tpot) == (0.8, 0.04)
    assert scenario.answer_tokens.characters == 1000 and scenario.answer_tokens.language == "zh"
    assert scenario.prompt_tokens.tokens == 512
    assert scenario.budget == Amount(1.2e8, "CNY")
    assert scenario.site.power == 200 and scenario.site.electricity_price == Amount(0.8, "CNY")
    assert scenario.method is None and not scenario.is_training


def test_batch_inference():
    scenario = load_scenario(DATA / "batch.yaml", date=DAY)
    assert (scenario.items, scenario.window) == (1e6, 36000.0)
    assert scenario.answer_tokens.tokens == 0
    assert scenario.budget == Amount(40000.0, "USD") and scenario.region == "US"
    assert scenario.architecture.name == "tiny" and scenario.model_id is None
    assert scenario.objectives is None and scenario.load is None


def test_scenarios_travel_between_processes():
    for name in ("finetune", "serve", "batch"):
        scenario = load_scenario(DATA / f"{name}.yaml", date=DAY)
        assert pickle.loads(pickle.dumps(scenario)) == scenario


def test_every_default_that_is_used_is_listed_with_a_reason():
    scenario = train()
    paths = {note.path for note in scenario.assumed}
    assert {"method", "sequence_length", "global_batch", "optimizer", "currency", "contingency"} <= paths
    assert not paths & scenario.given
    for language in languages():
        words = wording(language)
        assert all(words.has(f"assumed.{note.reason}") for note in scenario.assumed)


def test_a_written_value_is_never_assumed():
    scenario = train(method="lora", lora={"rank": 8}, tax={"rate": "6%"})
    paths = {note.path for note in scenario.assumed}
    assert "lora.rank" not in paths and "lora.targets" in paths and "tax.rate" not in paths
    assert scenario.lora.rank == 8 and scenario.tax.rate == 0.06
    assert scenario.was_given("lora.rank") and not scenario.was_given("lora.targets")


def test_assumed_values_are_in_base_units():
    values = {note.path: note.value for note in train().assumed}
    assert values["ownership.years"] == 3.0


def test_today_is_assumed_only_when_nobody_says():
    assert scenario_from_mapping(TRAIN).date == datetime.date.today()
    assert "date" in {note.path for note in scenario_from_mapping(TRAIN).assumed}
    written = scenario_from_mapping(TRAIN | {"date": "2026-05-01"})
    assert written.date == datetime.date(2026, 5, 1)
    assert scenario_from_mapping(TRAIN | {"date": "2026-05-01"}, date="2026-06-01").date == datetime.date(2026, 6, 1)
    assert "date" not in {note.path for note in train().assumed}


def test_deadline_by_a_date_counts_from_the_start():
    assert train(deadline={"by": "2027-02-14"}).deadline_days == 30.0
    assert train(deadline={"by": "2027-02-14"}, start="2027-02-04").deadline_days == 10.0
    assert train(deadline={"in": "2 weeks", "for": "run", "quantile": "80%"}).deadline_for == "run"
    assert train().deadline_days is None


LORA = {
    "all": ("query", "key", "value", "output", "gate", "up", "down"),
    "attention": ("query", "key", "value", "output"),
    "mlp": ("gate", "up", "down"),
}


@pytest.mark.parametrize("word", LORA)
def test_adapter_words_are_spelled_out(word):
    assert train(method="lora", lora={"targets": word}).lora.targets == LORA[word]


def test_adapters_by_the_names_of_other_tools():
    assert train(method="qlora", lora={"targets": ["v_proj", "q_proj"]}).lora.targets == ("query", "value")
    assert train(method="lora", model="gpt-neox-20b", sequence_length=2048).lora.targets[-2:] == ("up", "down")


def test_batch_in_tokens_becomes_whole_sequences_and_says_so():
    scenario = train(global_batch="4M tokens")
    assert scenario.global_batch == 977
    assert ("global_batch", 977, "batch-of-tokens") in scenario.assumed
    assert train(global_batch=512).global_batch == 512
    assert train(job="pretraining").global_batch == 1024


def test_stages_are_filled_in_from_the_whole():
    stages = [{"tokens": "1T"}, {"name": "long", "tokens": "50B", "sequence_length": "32k", "global_batch": 128}]
    scenario = scenario_from_mapping(
        {k: v for k, v in TRAIN.items() if k != "data"} | {"job": "pretraining", "stages": stages}
    )
    assert [stage.name for stage in scenario.stages] == ["1", "long"]
    assert [stage.sequence_length for stage in scenario.stages] == [4096, 32768]
    assert [stage.global_batch for stage in scenario.stages] == [1024, 128]


def test_utilization_of_a_past_run():
    run = {"params": "8B", "tokens": "1T", "gpu_hours": "1M", "accelerator": "H100"}
    scenario = train(utilization={"from_run": run})
    assert scenario.utilization is None
    assert (scenario.utilization_run.params, scenario.utilization_run.accelerator) == (8e9, "h100-sxm")
    assert train(utilization={"low": "35%", "base": 0.4, "high": 0.45}).utilization == Range(0.35, 0.4, 0.45)


def test_ranks_of_a_sequence_share_states():
    hardware = {"accelerator": "h100-sxm", "count": 16}
    assert train(hardware=hardware, layout={"cp": 2, "sharding_group": 16}).layout.sharding_group == 16


@pytest.mark.parametrize(("stack", "kind"), [("deepspeed", "all"), ("megatron", "optimizer"), ("mindspeed", "activations")])
def test_stacks_offload_what_they_know(stack, kind):
    assert train(stack=stack, layout={"offload": kind}).layout.offload == kind


def test_a_single_gpu_offloads_an_optimizer_that_is_not_split():
    one = {"accelerator": "h100-sxm", "count": 1}
    assert train(hardware=one, layout={"offload": "optimizer", "zero": 0}).layout.zero == 0


def test_text_stays_as_typed():
    scenario = train(title="2026")
    assert scenario.title == "2026"
    text = (DATA / "finetune.yaml").read_text().replace("Fine-tune a 70B domain model", "007")
    assert _scenario_of(text).title == "007"


def _scenario_of(text, *sets, name="scenario.yaml", folder=None):
    import tempfile

    with tempfile.TemporaryDirectory() as place:
        path = Path(folder or place) / name
        path.write_bytes(text.encode() if isinstance(text, str) else text)
        return load_scenario(path, sets, DAY)


def test_byte_order_mark_and_windows_lines():
    text = (DATA / "finetune.yaml").read_text()
    plain = _scenario_of(text)
    assert _scenario_of(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()).written == plain.written


def test_words_of_yaml_1_1_stay_text():
    text = (DATA / "finetune.yaml").read_text() + "requester: no\nreference: 12:30\n"
    scenario = _scenario_of(text)
    assert (scenario.requester, scenario.reference) == ("no", "12:30")


def test_sets_win_and_are_recorded():
    scenario = load_scenario(
        DATA / "finetune.yaml",
        [
            "hardware.accelerator=h200-sxm",
            "hardware.count=64",
            "deadline.quantile=0.8",
            "data.text=50 GB",
            "purpose=null",
        ],
        DAY,
    )
    assert scenario.hardware.accelerators == ("h200-sxm",) and scenario.hardware.count == 64
    assert (scenario.deadline_days, scenario.deadline_quantile) == (14.0, 0.8)
    assert scenario.data.text == 50e9 and scenario.data.tokens is None and scenario.data.epochs == 2
    assert scenario.purpose is None
    assert scenario.sets[:2] == (("hardware.accelerator", "h200-sxm"), ("hardware.count", "64"))


def test_a_set_reaches_into_lists():
    text = (DATA / "finetune.yaml").read_text() + "owned:\n  - {accelerator: a100-sxm-80gb, count: 8}\n"
    assert _scenario_of(text, "owned.0.count=16").owned[0].count == 16


def test_the_last_set_of_a_key_wins():
    assert load_scenario(DATA / "finetune.yaml", ["runs=2", "runs=3"], DAY).runs == 3


def test_extends_chain(tmp_path):
    (tmp_path / "base.yaml").write_text((DATA / "finetune.yaml").read_text() + "budget: 5 M CNY\n")
    (tmp_path / "middle.yaml").write_text(
        "extends: base.yaml\nhardware: {count: 32}\ndata: {samples: 100k, length: 800}\n"
    )
    (tmp_path / "top.yaml").write_text(
        "extends: middle.yaml\ntitle: Smaller\nmodel: llama-3.1-8b\nbudget: null\nepochs: 3\n"
    )
    scenario = load_scenario(tmp_path / "top.yaml", date=DAY)
    assert scenario.title == "Smaller" and scenario.hardware.count == 32
    assert scenario.hardware.accelerators[0] == "h800-sxm"
    assert (scenario.data.samples, scenario.data.length, scenario.data.tokens) == (1e5, 800.0, None)
    assert scenario.budget is None
    assert [Path(file).name for file in scenario.files] == ["top.yaml", "middle.yaml", "base.yaml"]


def test_errors_of_a_base_name_the_base(tmp_path):
    (tmp_path / "base.yaml").write_text((DATA / "finetune.yaml").read_text().replace("14 days", "14"))
    (tmp_path / "top.yaml").write_text("extends: base.yaml\ntitle: Smaller\nruns: -1\n")
    with pytest.raises(ScenarioError) as caught:
        load_scenario(tmp_path / "top.yaml")
    places = [(Path(p.place.file).name, p.place.line, p.place.column) for p in caught.value.problems]
    assert places == [("top.yaml", 3, 7), ("base.yaml", 8, 11)]


def test_circles_and_missing_bases_are_refused(tmp_path):
    (tmp_path / "a.yaml").write_text("extends: b.yaml\n")
    (tmp_path / "b.yaml").write_text("title: b\nextends: a.yaml\n")
    with pytest.raises(ScenarioError) as caught:
        load_scenario(tmp_path / "a.yaml")
    assert caught.value.problems[0].code == "extends-circle" and caught.value.problems[0].place.line == 2
    (tmp_path / "c.yaml").write_text("title: c\nextends: nowhere.yaml\n")
    with pytest.raises(ScenarioError) as caught:
        load_scenario(tmp_path / "c.yaml")
    assert (caught.value.problems[0].code, caught.value.problems[0].place.line) == ("file-not-found", 2)
    (tmp_path / "d.yaml").write_text("extends: [a.yaml]\n")
    with pytest.raises(ScenarioError):
        load_scenario(tmp_path / "d.yaml")


def test_relative_paths_are_read_beside_the_file_that_names_them(tmp_path):
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "config.json").write_text('{"model_type": "gpt2"}')
    (tmp_path / "models" / "base.yaml").write_text(
        (DATA / "finetune.yaml").read_text().replace("llama-3.1-70b", "{config: config.json}").replace("4096", "1024")
    )
    (tmp_path / "prices.yaml").write_text("prices: []\n")
    (tmp_path / "top.yaml").write_text("extends: models/base.yaml\nprices: prices.yaml\n")
    scenario = load_scenario(tmp_path / "top.yaml", date=DAY)
    assert scenario.architecture.name == "models"
    assert scenario.prices == str(tmp_path / "prices.yaml")


def test_a_broken_config_is_shown_where_it_is_named(tmp_path):
    (tmp_path / "config.json").write_text('{"model_type": "t5"}')
    (tmp_path / "s.yaml").write_text(
        (DATA / "finetune.yaml").read_text().replace("llama-3.1-70b", "{config: config.json}")
    )
    with pytest.raises(ScenarioError) as caught:
        load_scenario(tmp_path / "s.yaml")
    problem = caught.value.problems[0]
    assert (problem.place.line, problem.place.column, problem.code) == (5, 17, "config-unsupported")
    assert "config.json" in problem.message and "encoder-decoder" in problem.message


def test_vary_is_kept():
    vary = {"hardware.count": [32, 64], "data.tokens": "1B..10B:4"}
    assert train(vary=vary).vary == vary


def test_a_price_book_that_is_missing():
    with pytest.raises(ScenarioError, match="price book"):
        train(prices="nowhere.yaml")


def test_longest_request_grows_with_prompt_and_answer():
    serve = {k: v for k, v in TRAIN.items() if k != "data"} | {"job": "serving", "load": {"users": 100}}
    assert scenario_from_mapping(serve).max_context == 32768
    assert scenario_from_mapping(serve | {"prompt_tokens": 40000}).max_context == 65536
    assert scenario_from_mapping(serve | {"model": "llama-2-7b"}).max_context == 4096


def test_requests_without_users_are_the_whole_service():
    serve = {k: v for k, v in TRAIN.items() if k != "data"} | {
        "job": "serving",
        "prompt_tokens": 500,
        "answer_tokens": 200,
    }
    scenario = scenario_from_mapping(serve | {"load": {"requests_per_minute": 120}})
    assert scenario.load.requests_per_minute == 120 and scenario.load.users is None
    assert scenario.load.peak_factor == 1 and scenario.load.active_share is None


def test_every_key_and_reason_has_words_in_every_language():
    for language in languages():
        words = wording(language)
        assert [path for path in paths_of_keys() if not words.has(f"scenario.{path}")] == []
        assert [row[2] for row in ROWS if not words.has(f"assumed.{row[2]}")] == []


def test_json_schema_names_every_top_level_key():
    schema = json_schema()
    json.dumps(schema)
    named = {
        name for keys in ("TrainingKeys", "ServingKeys", "BatchKeys") for name in schema["$defs"][keys]["properties"]
    }
    assert {path for path in paths_of_keys() if "." not in path} | {"extends", "vary"} == named
    for key in ("deadline", "model", "hardware", "lora"):
        accepted = schema["$defs"]["TrainingKeys"]["properties"][key]["anyOf"]
        assert any("string" in choice.get("type", ()) for choice in accepted), key


def test_what_was_written_can_be_written_again():
    scenario = load_scenario(DATA / "finetune.yaml", ["utilization=0.4", "runs=3"], DAY)
    again = scenario_from_mapping(yaml.safe_load(yaml.safe_dump(scenario.written)), date=DAY)
    assert dataclasses.replace(again, file="", files=(), sets=()) == dataclasses.replace(
        scenario, file="", files=(), sets=()
    )
    assert json.loads(json.dumps(scenario.written)) == scenario.written


def test_a_mapping_cannot_extend():
    with pytest.raises(ScenarioError, match="extends"):
        train(extends="base.yaml")


def test_longer_sequences_may_be_taught():
    assert train(job="continued-pretraining", sequence_length="256k").sequence_length == 262144
