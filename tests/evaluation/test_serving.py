"""Services: objectives out of reach, formats that a card lacks, drafts, groups, two pools, profiles, hybrid models."""

import math

import pytest

from reportgen.catalog.wording import languages, wording
from reportgen.catalog.yaml_data import read_data
from reportgen.evaluation.evaluate import evaluate
from reportgen.scenario import scenario_from_mapping
from reportgen.workbook.book import plan
from reportgen.workbook.calculate import settle
from reportgen.workbook.model import Model
from tests.evaluation.conftest import DAY

CHAT = {
    "title": "A chat", "job": "serving", "model": "llama-3.1-70b", "load": {"users": 5000, "profile": "chat"},
    "prompt_tokens": 1500, "answer_tokens": 350, "objectives": {"ttft": "2 s", "tpot": "50 ms"},
    "precision": {"weights": "fp8", "kv": "fp8"}, "hardware": {"accelerators": ["h100-sxm"]},
}  # fmt: skip


def result_of(**changes):
    return evaluate(scenario_from_mapping({**CHAT, **changes}, date=DAY))


def said(result):
    return {message.key: message.values for message in result.warnings}


def test_an_objective_that_no_number_of_replicas_meets_is_named_with_the_best_there_is():
    found = said(result_of(objectives={"ttft": "20 ms", "tpot": "50 ms"}))
    assert "warning_ttft_unreachable" in found and "warning_tpot_unreachable" not in found
    assert found["warning_ttft_unreachable"]["asked"] == "20 ms"
    assert 60 < float(found["warning_ttft_unreachable"]["best"].removesuffix(" ms")) < 200
    found = said(result_of(objectives={"ttft": "2 s", "tpot": "1 ms"}))
    assert "warning_tpot_unreachable" in found and "warning_ttft_unreachable" not in found


@pytest.mark.parametrize(
    ("accelerator", "weights", "engine", "key"),
    [
        ("h100-sxm", "nvfp4", "vllm", "warning_weights_widened"),
        ("a100-sxm-80gb", "fp8", "vllm", "warning_weights_widened"),
        ("b200-sxm", "nvfp4", "vllm", ""),
        ("h100-sxm", "fp8", "lmdeploy", "warning_engine_not_measured"),
        ("mi300x", "fp8", "vllm", "warning_generation_not_measured"),
    ],
)
def test_formats_and_software_that_were_not_measured(accelerator, weights, engine, key):
    result = result_of(hardware={"accelerators": [accelerator]}, precision={"weights": weights}, engine=engine)
    keys = {name for name in said(result) if name.startswith(("warning_weights", "warning_engine", "warning_generation"))}
    assert keys == ({key} if key else set())
    for language in languages():
        for message in result.warnings:
            assert wording(language).text(message.key, **message.values)


def remarked(result):
    return {message.key: message.values for message in result.remarks}


def test_lengths_that_nobody_gave_are_named():
    found = remarked(result_of(prompt_tokens=None, answer_tokens=None))
    assert found["remark_prompt_tokens_assumed"]["tokens"] == 512
    assert found["remark_answer_tokens_assumed"]["tokens"] == 256
    assert not any(key.endswith("_assumed") for key in remarked(result_of()))


def test_turns_of_a_conversation_say_more_and_find_most_of_it_in_the_cache():
    """Six turns of 200 and 350 tokens: the mean request repeats 2.5 x 550 = 1375 tokens."""
    plain = result_of(prompt_tokens=200)
    turns = result_of(prompt_tokens=200, conversation={"turns": 6}, prefix_hit=1)
    assert turns.value("prompt_tokens") == pytest.approx(200 + 2.5 * 550)
    assert turns.value("prefix_hit") == pytest.approx(1375 / 1575)
    assert turns.value("prompt_tokens_read") == pytest.approx(200)
    assert turns.value("mean_context_tokens") > plain.value("mean_context_tokens")
    assert turns.value("replica_requests_per_second") < plain.value("replica_requests_per_second")


def test_the_hours_of_a_day_decide_the_cost_of_a_token_and_draw_its_chart():
    """Eight equal hours on 22 days: 8/24 x 22 x 24/730 of the busiest hour."""
    hours = [0] * 9 + [50] * 8 + [0] * 7
    result = result_of(load={"users": 5000, "hourly": hours, "days_per_month": 22}, hardware={"accelerators": ["h100-sxm"]})
    assert result.value("average_load_share") == pytest.approx(8 * 22 / 730)
    assert result.tables["load_profile"].values == tuple(hour / 50 for hour in hours)
    usual = result_of()
    assert len(usual.tables["load_profile"].values) == 24 and max(usual.tables["load_profile"].values) == 1
    ratio = result.value("tokens_per_month") / usual.value("tokens_per_month")
    assert usual.value("cost_per_million_tokens") / result.value("cost_per_million_tokens") == pytest.approx(ratio)


def test_a_month_of_31_equal_days_carries_no_more_than_all_of_it():
    every_hour = {"users": 5000, "hourly": [1] * 24, "days_per_month": 31}
    assert result_of(load=every_hour).value("average_load_share") == 1


def test_bursts_wait_longer_and_carry_less():
    random, bursty = (result_of(load={"users": 5000, "arrivals": word}) for word in ("poisson", "bursty"))
    assert bursty.value("ttft_s") > random.value("ttft_s")
    assert bursty.value("replica_requests_per_second") <= random.value("replica_requests_per_second")


def test_cards_that_hold_no_replica_are_named():
    result = result_of(hardware={"accelerator": "h100-sxm", "count": 7})
    found = remarked(result)["remark_stranded_gpus"]
    assert (found["stranded"], found["gpus"]) == (7 - result.value("replicas") * result.value("tensor_parallel"), 7)
    assert found["stranded"] in (1, 3)


def test_a_model_that_no_server_holds_spans_several():
    """405B in 16 bit is 756 GiB: eight H100 hold 637, sixteen hold it; a given count of one server does not."""
    many = {"model": "llama-3.1-405b", "precision": {"weights": "bf16", "kv": "bf16"}, "objectives": {"tpot": "200 ms", "ttft": "10 s"}}
    result = result_of(**many)
    assert result.value("tensor_parallel") == 16 and result.value("nodes_per_replica_group") == 2
    assert result.value("layout_found") == 1
    assert said(result)["warning_replica_over_nodes"]["replica_nodes"] == 2
    assert result.value("speed_error") >= result_of(**many, hardware={"accelerators": ["h200-sxm"]}).value("speed_error")
    held = result_of(**many, hardware={"accelerator": "h100-sxm", "count": 8})
    assert held.value("layout_found") == 0 and "warning_nothing_fits" in said(held)


def test_services_share_nodes_spare_and_cost():
    """Three replicas of four cards and six cards of others stand on three nodes with one spare; alone it would be four for both."""
    alone = result_of(layout={"tp": 4})
    others = [{"title": "Embeddings", "gpus": 4}, {"title": "Reranker", "gpus": 2}]
    both = result_of(layout={"tp": 4}, other_services=others)
    working = alone.value("replicas_working")
    needed = -(-(working * 4 + 6) // 8)
    assert both.value("nodes") == needed + 1
    assert both.value("replicas") * 4 + 6 + both.value("stranded_gpus") == both.value("gpus")
    assert both.value("replicas_at_peak") >= working and both.value("layout_found") == 1
    share = both.value("own_cluster_share")
    assert share == pytest.approx(1 - 6 / both.value("gpus"))
    tokens = both.value("months_of_service") * both.value("million_tokens_per_month")
    assert both.value("cost_per_million_tokens") == pytest.approx(share * both.value("job_cost") / tokens)
    assert remarked(both)["remark_other_services"]["titles"] == "Embeddings, Reranker"


def test_weights_without_units_save_memory_and_no_time():
    narrow = result_of(precision={"weights": "nvfp4", "kv": "fp8"})
    eight = result_of()
    assert narrow.value("weights_gib") < 0.65 * eight.value("weights_gib")
    assert narrow.value("serving_peak_tflops") == pytest.approx(eight.value("serving_peak_tflops") / 2, rel=0.01)


def test_an_accelerator_outside_the_fit_has_a_wider_range():
    assert result_of(hardware={"accelerators": ["mi300x"]}).value("speed_error") > 1.5 * result_of().value("speed_error")


def test_drafts_two_pools_and_groups():
    plain = result_of()
    drafted = result_of(speculative={"draft_tokens": 3, "acceptance": 0.7})
    assert 1.0 < drafted.value("speculative_gain") < drafted.value("accepted_tokens_per_step")
    assert drafted.value("gpus") <= plain.value("gpus")
    pools = result_of(separate_prefill=True)
    assert pools.value("prefill_interference_s") == 0
    assert pools.value("prefill_pool_replicas") + pools.value("decode_pool_replicas") == pools.value("replicas")
    experts = {"model": "deepseek-v3", "hardware": {"accelerators": ["h200-sxm"]}, "layout": {"tp": 8}}
    whole, groups = result_of(**experts), result_of(**experts, attention_groups=8)
    assert groups.value("planned_concurrency") > 3 * whole.value("planned_concurrency")


@pytest.mark.parametrize("profile", sorted(read_data("load_profiles")["profiles"]))
def test_a_profile_is_enough(profile):
    facts = read_data("load_profiles")["profiles"][profile]
    only = {"title": "A service", "job": "serving", "model": "qwen3-32b", "load": {"users": 200, "profile": profile},
            "max_context": "131072" if profile == "agents" else 32768, "hardware": {"accelerators": ["h200-sxm"]}}  # fmt: skip
    if profile == "agents":
        only["model"] = "llama-3.1-8b"
    result = evaluate(scenario_from_mapping(only, date=DAY))
    for key in ("prompt_tokens", "answer_tokens", "active_share", "peak_factor", "prefix_hit"):
        assert result.value(key) == facts[key]
    assert result.value("ttft_objective_s") == facts["ttft"] and result.value("tpot_objective_s") == facts["tpot"]


def test_a_hybrid_model_holds_many_more_long_requests():
    long = {"prompt_tokens": 30_000, "answer_tokens": 1000, "max_context": 65_536, "hardware": {"accelerators": ["h200-sxm"]},
            "objectives": {"ttft": "20 s", "tpot": "200 ms"}, "layout": {"tp": 8}}  # fmt: skip
    hybrid = result_of(**long, model="qwen3.5-397b-a17b")
    latent = result_of(**long, model="deepseek-v3")
    assert hybrid.value("key_value_bytes_per_token") == 15_360
    assert hybrid.value("planned_concurrency") > latent.value("planned_concurrency")


def test_more_users_never_need_fewer_replicas():
    counts = [result_of(load={"users": users, "profile": "chat"}).value("replicas") for users in (500, 1000, 3000, 9000)]
    assert counts == sorted(counts)


POINT = {"tokens_per_second": 1800, "concurrency": 64, "count": 4, "prompt_tokens": 1000, "answer_tokens": 1000}


def test_a_measured_point_is_reproduced_at_its_own_load():
    """The step is scaled so that the same load takes the measured time, and the range is that of measured servers."""
    result, before = (result_of(layout={"tp": 4}, **more) for more in ({"measured": {**POINT, "tpot": "30 ms"}}, {}))
    given = {item.key: item.value for item in result.inputs}
    step = given["estimated_tpot_at_point_s"] - given["estimated_interference_at_point_s"]
    assert result.value("step_correction") * step + given["estimated_interference_at_point_s"] == pytest.approx(0.030)
    assert result.value("tpot_s") > before.value("tpot_s")
    assert result.value("speed_error") < before.value("speed_error")


def test_a_measured_point_says_less_of_loads_away_from_it():
    """At four times the users half of the logarithm of the correction is left, 1 / sqrt(4)."""
    point = {**POINT, "tpot": "30 ms"}
    near, far = (result_of(measured={**point, "concurrency": users}, layout={"tp": 4}) for users in (64, 4))
    assert near.value("speed_error") < far.value("speed_error") < result_of(layout={"tp": 4}).value("speed_error_estimated")


def test_a_point_under_conversations_has_their_mean_prompt():
    """Six turns of 200 and 350 tokens, nothing cached: as if 200 + 2.5 x 550 = 1575 tokens had been measured."""
    turns = {"prompt_tokens": 200, "conversation": {"turns": 6}, "prefix_hit": 0}
    point = {"tokens_per_second": 1800, "concurrency": 64, "count": 4}
    keys = ("estimated_tpot_at_point_s", "estimated_interference_at_point_s")
    found = []
    for more in ({}, {"prompt_tokens": 1575, "answer_tokens": 350}):
        given = {item.key: item.value for item in result_of(**turns, measured={**point, **more}).inputs}
        found.append([given[key] for key in keys])
    assert found[0] == pytest.approx(found[1])


def test_a_rate_gives_the_time_a_token_by_littles_law():
    """64 requests of 1000 tokens at 1800 tokens a second last 35.6 s each; 0.3 s of it passed before the first token."""
    found = {item.key: item.value for item in result_of(measured={**POINT, "ttft": "300 ms"}).inputs}
    assert found["measured_tpot_s"] == pytest.approx((64 * 1000 / 1800 - 0.3) / 999)


def test_a_point_of_another_accelerator_changes_nothing():
    """Neither its speed nor its number of GPUs: eight there force nothing here, and the reader is told."""
    apart, plain = result_of(measured={**POINT, "accelerator": "h200-sxm", "count": 8}), result_of()
    assert apart.value("step_correction") == 1
    for key in ("tensor_parallel", "gpus", "tpot_s"):
        assert apart.value(key) == pytest.approx(plain.value(key))
    assert said(apart)["warning_measured_other_accelerator"] == {"accelerator": "h100-sxm", "measured": "NVIDIA H200 SXM 141GB"}
    assert "warning_measured_other_accelerator" not in said(result_of(measured={**POINT, "accelerator": "h100-sxm"}))


def test_a_rate_of_another_accelerator_sizes_nothing():
    """Not the plan, and not an option beside the one that was measured."""
    rate = {"tokens_per_second": 900, "accelerator": "l4", "count": 1}
    apart, plain = result_of(measured=rate), result_of()
    assert apart.value("gpus") == plain.value("gpus") and "warning_measured_other_accelerator" in said(apart)
    both = result_of(measured={**rate, "accelerator": "h100-sxm"}, hardware={"accelerators": ["h100-sxm", "l40s"]})
    rates = {}
    for block in both.layouts:
        requests, degree = (block.columns[key][block.chosen] for key in ("replica_requests_per_second", "tensor_parallel"))
        rates[block.accelerator] = requests * 350 / degree
    assert rates["h100-sxm"] == pytest.approx(900) != pytest.approx(rates["l40s"])


def test_a_measured_speed_stays_where_it_was_measured_when_other_hardware_is_looked_at():
    """Without a name it is the planned accelerator; those made for the region stand beside it with their own estimate."""
    beside = []
    for rate in ({"tokens_per_second": 900, "count": 1}, {"tokens_per_second": 900, "count": 1, "accelerator": "h100-sxm"}):
        options = result_of(measured=rate, region="cn").options
        beside.append({item.key: item.values["gpus"] for item in options if item.kind == "beside"})
    assert beside[0] and beside[0] == beside[1]


@pytest.mark.parametrize(("rate", "warned"), [(1800, True), (3200, False)])
def test_a_point_that_no_error_explains_is_named(rate, warned):
    assert ("warning_point_far_off" in said(result_of(measured={**POINT, "tokens_per_second": rate}))) is warned


def test_a_rate_without_its_load_replaces_the_estimate():
    assert "measured_tokens_per_second" in {
        item.key for item in result_of(measured={"tokens_per_second": 900, "count": 4}).inputs
    }


def test_a_service_is_compared_with_the_price_of_an_api():
    """1,500 and 350 tokens at 1 and 4 dollars a million: 1.57 a million of the mix."""
    result = result_of(currency="USD", api_price={"prompt": "1 USD", "answer": "4 USD"})
    mixed = (1500 * 1 + 350 * 4) / 1850
    assert result.value("api_cost_per_million_tokens") == pytest.approx(mixed)
    months = result.value("months_of_service")
    assert result.value("api_job_cost") == pytest.approx(mixed * months * result.value("tokens_per_month") / 1e6)
    own = result.value("cost_per_million_tokens") / mixed
    assert result.value("own_share_of_api_cost") == pytest.approx(own)
    even = result.value("break_even_million_tokens_per_month")
    assert even == pytest.approx(own * result.value("tokens_per_month") / 1e6)


def test_nothing_is_divided_by_a_price_or_a_rate_of_zero():
    """Prompts alone are read and the API is free: the comparisons with both are missing, in the workbook too."""
    result = result_of(answer_tokens=0, api_price={"prompt": "0 USD", "answer": "0 USD"})
    assert result.value("output_tokens_per_second") == 0 == result.value("api_cost_per_million_tokens")
    for key in ("token_rate_gpus", "own_share_of_api_cost", "break_even_million_tokens_per_month"):
        assert math.isnan(result.value(key))
    settle(plan(Model(result)))


def test_the_price_of_an_api_is_converted():
    euros = result_of(currency="CNY", api_price={"prompt": "1 USD", "answer": "1 USD"})
    assert 5 < euros.value("api_cost_per_million_tokens") < 9


def test_a_rate_without_a_count_is_that_of_one_gpu_and_says_so():
    alone, one = (result_of(measured={"tokens_per_second": 1800, **more}) for more in ({}, {"count": 1}))
    assert alone.value("gpus") == one.value("gpus")
    assert "warning_measured_on_one" in said(alone) and "warning_measured_on_one" not in said(one)
