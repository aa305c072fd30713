"""Memory of serving against figures that engines and papers print."""

import numpy as np
import pytest

from reportgen.formula import GIB
from tests.estimator.serving.quantities import evaluate

TWO = {"weight_bytes_per_parameter": 2.0, "attention_bytes_per_parameter": 2.0, "key_value_bytes": 2.0, "compute_precision": "bf16"}


@pytest.mark.parametrize(
    ("name", "number_bytes", "expected"),
    [
        ("llama-3.1-70b", 2.0, 327_680),  # 80 x 8 x 128 x 2 x 2
        ("llama-3.1-70b", 1.0, 163_840),
        ("llama-3.1-8b", 2.0, 131_072),
        ("llama-3.1-8b", 1.0, 65_536),
        ("llama-2-7b", 2.0, 524_288),
        ("llama-3.1-405b", 2.0, 516_096),  # vllm-project/vllm#6746
        ("deepseek-v3", 2.0, 70_272),  # 61 x (512 + 64) x 2
    ],
)
def test_cache_of_a_token(name, number_bytes, expected):
    assert evaluate(name, "h100", key_value_bytes=number_bytes)["key_value_bytes_per_token"] == expected


def test_tokens_and_room_of_405b_as_the_engine_logged():
    """79,392 tokens of 405B are 38.2 GiB over eight cards (vllm-project/vllm#6746)."""
    values = evaluate("llama-3.1-405b", "h100", tensor_parallel=8.0, key_value_bytes=2.0)
    room = 79_392 * values["key_value_bytes_per_token"] / values["key_value_shards"] / GIB
    assert room * 8 == pytest.approx(38.2, abs=0.05)


def test_bytes_of_a_token_on_one_rank_of_llama_4_scout():
    """24 GiB for 1,048,576 tokens on each of eight ranks (vllm-project/vllm#16118): 48 layers of 8 heads of 128."""
    shape = {"layers": 48.0, "key_value_heads": 8.0, "head_dimension": 128.0, "value_head_dimension": 128.0}
    values = evaluate(
        "llama-3.1-70b", "h100", tensor_parallel=8.0, key_value_bytes=2.0, max_context=1_048_576.0, **shape
    )
    assert values["key_value_bytes_per_token"] / values["key_value_shards"] == 24_576
    assert values["key_value_bytes_at_max_context"] / values["key_value_shards"] / GIB == 24.0


@pytest.mark.parametrize(
    ("name", "ranks", "expected"),
    [("llama-3.1-70b", 4.0, 4.0), ("llama-3.1-70b", 16.0, 8.0), ("qwen2.5-7b", 8.0, 4.0), ("deepseek-v3", 8.0, 1.0)],
)
def test_copies_of_the_cache(name, ranks, expected):
    assert evaluate(name, "h100", tensor_parallel=ranks)["key_value_shards"] == expected


def test_layers_with_a_window_keep_the_window():
    """gpt-oss: half of the layers see 128 tokens."""
    sliding = {"sliding_window": 128.0, "sliding_layers": 40.0}
    with_window = evaluate(
        "llama-3.1-70b", "h100", frozenset({"serving", "latency_objectives", "fabric", "sliding_window"}), **sliding
    )
    without = evaluate("llama-3.1-70b", "h100")
    assert without["key_value_bytes_per_request"] == 2048 * 163_840
    assert with_window["key_value_bytes_per_request"] == (40 * 2048 + 40 * 128) * 2048
    assert with_window["prefill_attention_s"] < without["prefill_attention_s"]


def test_weights_keep_their_tables_at_16_bit():
    """72.7 GB for 70B in fp8: 68.5 of linear layers, and two tables of 2.1 GB."""
    eight = evaluate("llama-3.1-70b", "h100")
    sixteen = evaluate("llama-3.1-70b", "h100", **TWO)
    assert eight["weights_gib"] * GIB / 1e9 == pytest.approx(72.66, abs=0.01)
    assert sixteen["weights_gib"] * GIB == pytest.approx(2 * sixteen["parameters"])
    assert eight["weights_per_gpu_gib"] == pytest.approx(eight["weights_gib"] / 4)


def test_parts_add_up_and_the_limit_is_the_narrower_one():
    values = evaluate("llama-3.1-70b", "h100", batch_per_replica=np.array([1.0, 64.0, 400.0, 2000.0]))
    parts = ("weights_per_gpu_gib", "key_value_cache_per_gpu_gib", "activation_reserve_gib", "runtime_reserve_gib")
    assert values["memory_per_gpu_gib"] == pytest.approx(sum(values[part] for part in parts))
    assert values["fits"].tolist() == [1, 1, 1, 0]
    assert values["planned_concurrency"] == pytest.approx(
        values["key_value_room_per_gpu_gib"] * GIB * 4 / (2048 * 163_840)
    )


def test_a_batch_that_just_fits():
    limit = evaluate("llama-3.1-70b", "h100")["planned_concurrency"]
    assert evaluate("llama-3.1-70b", "h100", batch_per_replica=limit)["fits"] == 1
    assert evaluate("llama-3.1-70b", "h100", batch_per_replica=limit * 1.0001)["fits"] == 0


def test_model_larger_than_the_card_has_no_room():
    values = evaluate("llama-3.1-70b", "h100", tensor_parallel=1.0, **TWO)
    assert values["key_value_room_per_gpu_gib"] == 0
    assert values["key_value_tokens"] == 0
    assert values["fits"] == 0 and values["context_fits"] == 0 and values["layout_ok"] == 0


def test_longest_request_must_fit():
    """70B in 16 bit on two 80 GB cards holds no request of 131,072 tokens."""
    two = evaluate("llama-3.1-70b", "h100", tensor_parallel=2.0, max_context=131_072.0, **TWO)
    four = evaluate("llama-3.1-70b", "h100", tensor_parallel=4.0, max_context=131_072.0, key_value_bytes=1.0)
    assert two["context_fits"] == 0
    assert four["context_fits"] == 1


@pytest.mark.parametrize("name", ["llama-3.1-8b", "llama-3.1-70b", "deepseek-v3"])
def test_more_context_never_leaves_room_for_more_requests(name):
    held = [
        evaluate(name, "h200", tensor_parallel=8.0, prompt_tokens=tokens, max_context=2 * tokens)
        for tokens in (500.0, 2_000.0, 8_000.0, 32_000.0)
    ]
    for quantity in ("planned_concurrency", "maximum_concurrency"):
        counts = [values[quantity] for values in held]
        assert counts == sorted(counts, reverse=True) and counts[0] > counts[-1] > 0


def test_deepseek_v3_fits_eight_cards_of_96_gb_and_not_of_80_gb():
    """83 to 84 GB a card (InternLM/lmdeploy#2960): eight H800 run out of memory, eight H20 carry it."""
    small = evaluate("deepseek-v3", "h100", tensor_parallel=8.0, batch_per_replica=1.0, key_value_bytes=2.0)
    large = evaluate("deepseek-v3", "h20", tensor_parallel=8.0, batch_per_replica=1.0, key_value_bytes=2.0)
    assert small["fits"] == 0
    assert large["fits"] == 1 and large["context_fits"] == 1
    assert large["weights_per_gpu_gib"] * GIB / 1e9 == pytest.approx(84, abs=1)


def test_short_steps_where_memory_is_scarce():
    assert evaluate("llama-3.1-8b", "h100", tensor_parallel=1.0)["engine_step_tokens"] == 8192
    assert evaluate("llama-3.1-8b", "rtx-4090", tensor_parallel=1.0)["engine_step_tokens"] == 2048
    assert evaluate("deepseek-v3", "h20", tensor_parallel=8.0)["engine_step_tokens"] == 2048


HYBRID = frozenset({"serving", "latency_objectives", "fabric", "linear_attention"})
QWEN35 = {  # config.json of Qwen3.5-397B-A17B: 15 of 60 layers keep tokens, 45 a state of 64 x 128 x 128 numbers
    "layers": 60.0, "key_value_heads": 2.0, "head_dimension": 256.0, "value_head_dimension": 256.0, "linear_layers": 45.0,
    "linear_value_heads": 64.0, "linear_head_dimension": 128.0, "linear_key_width": 2048.0, "linear_value_width": 8192.0,
    "linear_convolution": 4.0, "attention_output_gate": 1.0,
}  # fmt: skip


def test_hybrid_layers_keep_a_state_of_constant_size():
    """30,720 B a token in 16 bit, and 188.7 MB of fp32 state a request whatever its length, split over all ranks."""
    values = evaluate("llama-3.1-70b", "h200", HYBRID, tensor_parallel=8.0, key_value_bytes=2.0, **QWEN35)
    assert values["key_value_bytes_per_token"] == 30_720
    state = 45 * 64 * 128 * 128 * 4
    assert values["linear_state_bytes"] / values["key_value_shards"] == state / 8
    assert values["key_value_bytes_per_request"] == 2048 * 30_720 + values["linear_state_bytes"]
    assert values["key_value_bytes_read_per_request"] == 1536 * 30_720 + 2 * values["linear_state_bytes"]


@pytest.mark.parametrize(
    ("tokens", "blocks"),
    [(3664, 229), (7344, 459)],  # vllm-project/vllm#2418, QwenLM/Qwen3#295
)
def test_tokens_come_in_whole_blocks(tokens, blocks):
    """Llama-2-7B in 16 bit: the engine prints whole blocks of 16 tokens."""
    room = tokens * 524_288 / GIB
    for more in (0.0, 0.9):
        values = evaluate(
            "llama-2-7b", "h100", tensor_parallel=1.0, key_value_bytes=2.0,
            key_value_room_per_gpu_gib=room + more * 16 * 524_288 / GIB,
        )  # fmt: skip
        assert values["key_value_tokens"] == tokens == 16 * blocks


def test_the_engine_takes_nine_tenths_whatever_the_model_needs():
    """38 GB on each of two 40 GB cards for 13B is the budget, not the need (vllm-project/vllm#823)."""
    values = evaluate("llama-3.1-8b", "h100", memory_capacity_gib=39.4, serving_memory_share=0.9)
    assert values["engine_memory_budget_gib"] * GIB / 1e9 == pytest.approx(38.1, abs=0.05)


def test_kimi_on_eight_ranks_as_the_engine_logged():
    """46.80 GiB hold 715,072 tokens: every rank has the whole latent cache (vLLM recipe of Kimi K2, TP 8)."""
    values = evaluate("deepseek-v3", "h200", tensor_parallel=8.0, key_value_bytes=2.0, key_value_room_per_gpu_gib=46.80)
    assert values["key_value_tokens"] == pytest.approx(715_072, rel=2e-4)


def test_attention_left_at_16_bit():
    """DeepSeek-V3 in NVFP4: 11.4 B parameters of attention stay at two bytes."""
    narrow = {"weight_bytes_per_parameter": 0.5625, "compute_precision": "fp4"}
    all_narrow = evaluate("deepseek-v3", "h200", **narrow, attention_bytes_per_parameter=0.5625)
    usual = evaluate("deepseek-v3", "h200", **narrow, attention_bytes_per_parameter=2.0)
    more = (usual["weights_gib"] - all_narrow["weights_gib"]) * GIB
    assert more == pytest.approx(11.41e9 * (2 - 0.5625), rel=1e-3)
    assert usual["quantized_layers"] == 0 and all_narrow["quantized_layers"] == 61
