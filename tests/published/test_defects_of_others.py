"""What other estimators get wrong, as found by reading and running them: each stays right here."""

from __future__ import annotations

import pytest

from reportgen.scenario import scenario_from_mapping
from tests.estimator.training.cases import estimate
from tests.estimator.training.shapes import DEEPSEEK, LLAMA

GIB = 2**30
PYTHIA = {"L": 32, "h": 4096, "f": 16384, "a": 32, "d": 128, "V": 50688, "gated": False, "bias": True}
LLAMA_7B = {"L": 32, "h": 4096, "f": 11008, "a": 32, "d": 128, "V": 32000}
LLAMA_65B = {"L": 80, "h": 8192, "f": 22016, "a": 64, "d": 128, "V": 32000}
PLAIN = {"zero_stage": 0.0, "nodes": 1.0}


def test_gradients_and_optimizer_states_are_split_by_tensor_parallelism() -> None:
    """EleutherAI's calculator prints 25.60 GiB of gradients for Pythia-6.9B over two; it is half of that."""
    found = estimate(PYTHIA, tensor_parallel=2.0, **PLAIN)
    assert found["gradients_per_gpu_gib"] == pytest.approx(12.80, rel=0.005)
    whole = estimate(PYTHIA, tensor_parallel=1.0, **PLAIN)
    assert found["optimizer_per_gpu_gib"] == pytest.approx(whole["optimizer_per_gpu_gib"] / 2, rel=1e-3)


def test_zero_3_splits_over_replicas_and_not_twice_over_all_gpus() -> None:
    """EleutherAI's calculator divides by tensor and pipeline degree twice."""
    found = estimate(PYTHIA, tensor_parallel=2.0, zero_stage=3.0, nodes=2.0)
    whole = found["parameters"] * 2 / GIB
    assert found["weights_per_gpu_gib"] == pytest.approx(whole / 16, rel=1e-2)


def test_the_output_head_runs_backward_too() -> None:
    """EleutherAI's FLOPs count the head forward only."""
    with_head, without = (estimate({**LLAMA, "V": words}) for words in (128256, 256))
    more = with_head["training_flops_per_token"] - without["training_flops_per_token"]
    assert more == pytest.approx(6 * (128256 - 256) * LLAMA["h"], rel=1e-9)


def test_flash_attention_keeps_no_scores_and_eager_attention_does() -> None:
    """EleutherAI adds 5 a s² in any case; Megatron's report leaves it out without sequence parallelism."""
    layer = {word: estimate(LLAMA, flash_attention=word, sequence_parallel=0.0)["layer_activations_gib"] for word in (0.0, 1.0)}
    doubled = {
        word: estimate(LLAMA, flash_attention=word, sequence_parallel=0.0, sequence_length=8192.0)["layer_activations_gib"]
        for word in (0.0, 1.0)
    }
    assert doubled[1.0] == pytest.approx(2 * layer[1.0], rel=1e-9)
    assert doubled[0.0] > 2.5 * layer[0.0]


def test_a_pipeline_has_its_bubble() -> None:
    """llm-analysis has none: 8 stages and 16 micro-batches wait 7 / 16 of the ideal time."""
    found = estimate(LLAMA, pipeline_parallel=8.0, global_batch=128.0, nodes=8.0)
    assert found["micro_batches"] == 16
    assert found["bubble_factor"] == pytest.approx(1 + 7 / 16)


def test_no_gather_of_weights_is_paid_without_zero_3() -> None:
    """llm-analysis goes from 20.7 to 60.7 days for Llama-65B on 2,048 A100 at one sequence a time, ZeRO off."""
    a100 = {"peak_tflops": 312.0, "peak_tflops_16bit": 312.0, "memory_bandwidth_gb_s": 2039.0, "link_gb_s": 300.0}
    layout = {"nodes": 256.0, "tensor_parallel": 8.0, "global_batch": 2048.0, "sequence_length": 2048.0, "training_tokens": 1.4e12}
    days = {stage: estimate(LLAMA_65B, zero_stage=stage, **layout, **a100) for stage in (0.0, 3.0)}
    ideal = days[0.0]["training_flops_per_token"] * 1.4e12 / (2048 * 312e12) / 86400
    assert ideal < days[0.0]["run_seconds"] / 86400 < 3 * ideal
    assert days[0.0]["training_days"] < days[3.0]["training_days"]


def test_embeddings_are_tied_only_where_the_model_ties_them_and_llama_has_a_gate() -> None:
    """llm-analysis counts 6.574 B for the 7B."""
    assert estimate(LLAMA_7B)["parameters"] == 6_738_415_616
    assert estimate({**LLAMA_7B, "tied": True})["parameters"] == 6_738_415_616 - 32000 * 4096


def test_host_memory_of_a_node_falls_with_the_nodes() -> None:
    """DeepSpeed prints 25,232 GB a node for 70B on 8 x 8, its own document 3,154."""
    offloaded = {"offload_level": 1.0, "zero_stage": 2.0}
    few, many = (estimate(LLAMA_65B, nodes=nodes, **offloaded)["host_memory_per_node_gib"] for nodes in (2.0, 8.0))
    assert many < few / 2 and many < 3154 * 1e9 / GIB


def test_memory_is_the_sum_and_not_the_largest_part() -> None:
    """accelerate shows 64 GB for training 8 B, the largest part; the states alone are 18 bytes a parameter."""
    found = estimate(LLAMA_7B, **PLAIN)
    states = sum(found[f"{part}_per_gpu_gib"] for part in ("weights", "gradients", "optimizer"))
    assert states == pytest.approx(18 * 6_738_415_616 / GIB, rel=1e-9)
    assert found["memory_per_gpu_gib"] > states


def test_rank_and_recomputation_are_no_fixed_factors() -> None:
    """gpu_poor has one rank, and 0.15 for recomputation whatever the model."""
    small, large = (estimate(LLAMA_7B, "lora", lora_rank=rank, **PLAIN) for rank in (8.0, 256.0))
    assert large["lora_parameters"] == pytest.approx(32 * small["lora_parameters"])
    shares = [
        estimate(shape, full_recomputation=1.0)["kept_per_layer_gib"] / estimate(shape)["kept_per_layer_gib"]
        for shape in (LLAMA_7B, LLAMA, DEEPSEEK)
    ]
    assert max(shares) > 1.2 * min(shares)


@pytest.mark.parametrize(
    ("change", "smaller"),
    [({"gated": False}, True), ({"kv": 4}, True), ({"f": 22016}, False)],
)
def test_activations_know_gate_groups_and_width(change: dict, smaller: bool) -> None:
    """Megatron's report has 18 + 4 f / h whatever the gate, the groups of heads, the experts."""
    plain, changed = (estimate(shape)["layer_activations_gib"] for shape in (LLAMA_7B, {**LLAMA_7B, **change}))
    assert (changed < plain) is smaller


def test_context_parallelism_splits_activations() -> None:
    """Megatron's report does not know it."""
    one, two = (estimate(LLAMA_7B, context_parallel=parts)["layer_activations_gib"] for parts in (1.0, 2.0))
    assert two == pytest.approx(one / 2)


def test_the_vocabulary_counts_in_parameters_and_in_logits() -> None:
    """calculon has 51,200 words and no logits."""
    few, many = (estimate({**LLAMA_7B, "V": words}) for words in (32000, 128000))
    assert many["parameters"] - few["parameters"] == 2 * 96000 * 4096
    assert many["logits_gib"] == pytest.approx(4 * few["logits_gib"])


def test_parameters_are_those_of_the_architecture() -> None:
    """IBM's estimator has 12 h² + 13 h a layer for every model: half a B too few for Llama-2-7B's gate alone."""
    rule = 32 * (12 * 4096**2 + 13 * 4096) + 32000 * 4096 + 4 * 4096
    assert estimate(LLAMA_7B)["parameters"] > rule + 10_000_000


def test_the_width_of_the_feed_forward_part_is_work() -> None:
    """EleutherAI's FLOPs script takes --ffn-hidden-size and never uses it."""
    narrow, wide = (estimate({**LLAMA, "f": width})["training_flops_per_token"] for width in (14336, 28672))
    assert wide - narrow == pytest.approx(6 * 32 * 3 * 4096 * 14336, rel=1e-9)


def test_dense_layers_of_a_mixture_are_work() -> None:
    """EleutherAI's FLOPs drop the dense layers where a token visits several experts."""
    few, more = (estimate({**DEEPSEEK, "dense": layers})["training_flops_per_token"] for layers in (3, 4))
    shared_and_routed, router = 9 * 3 * 7168 * 2048, 7168 * 256
    assert more - few == pytest.approx(6 * (3 * 7168 * 18432 - shared_and_routed - router), rel=1e-6)


def test_gradients_and_optimizer_states_are_split_by_pipeline_stages() -> None:
    """EleutherAI's calculator leaves gradients and states whole over pipeline stages too."""
    found, whole = (estimate(LLAMA_7B, pipeline_parallel=stages, nodes=2.0, zero_stage=0.0) for stages in (2.0, 1.0))
    for part in ("gradients_per_gpu_gib", "optimizer_per_gpu_gib"):
        assert found[part] == pytest.approx(whole[part] / 2, rel=0.03)  # the embedding lies in one of the stages


def test_recomputing_attention_is_paid_once_a_layer() -> None:
    """llm-analysis multiplies it by the layers twice: 3.04 s for 1.24 s a step."""
    for layers in (16, 32, 64):
        shape = {**LLAMA_7B, "L": layers}
        plain, selective, full = (
            estimate(shape, **kind)["seconds_per_token_per_gpu"]
            for kind in ({}, {"selective_recomputation": 1.0}, {"full_recomputation": 1.0})
        )
        assert plain < selective < full < 1.4 * plain
        scores_only = estimate(shape, selective_recomputation=1.0, selective_scores_only=1.0)["seconds_per_token_per_gpu"]
        assert scores_only == plain


def test_a_batch_in_tokens_is_not_a_batch_in_sequences() -> None:
    """The published example of llm-analysis has a global batch of 4 million sequences: a step of 2.92 hours."""
    scenario = {
        "title": "A question", "job": "pretraining", "model": "llama-65b", "data": {"tokens": 1.4e12}, "sequence_length": 2048,
        "global_batch": "4M tokens", "hardware": {"accelerator": "a100-sxm-80gb", "count": 2048},
    }  # fmt: skip
    read = scenario_from_mapping(scenario, date="2026-11-30")
    assert read.global_batch == pytest.approx(4e6 / 2048, rel=0.01)


def test_states_of_mixed_precision_are_18_bytes_with_gradients_in_32_bits() -> None:
    """calculon has 16: 5 to 11 % less than the paper it follows; gpu_poor has 8 for Adam, without a master copy."""
    found = estimate(LLAMA_7B, **PLAIN)
    assert found["optimizer_per_gpu_gib"] == pytest.approx(12 * 6_738_415_616 / GIB, rel=1e-9)
    assert found["gradients_per_gpu_gib"] == pytest.approx(4 * 6_738_415_616 / GIB, rel=1e-9)


def test_grouped_queries_are_less_work_and_latent_attention_has_its_own() -> None:
    """calculon knows one key head a query head or one in all, and no other."""
    work = [estimate({**LLAMA, "kv": heads})["training_flops_per_token"] for heads in (32, 8, 1)]
    assert work[0] > work[1] > work[2]
    assert work[0] - work[1] == pytest.approx(6 * 32 * 2 * 4096 * 24 * 128, rel=1e-9)
