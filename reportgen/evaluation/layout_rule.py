"""The layout that experienced people start from, where a run does not state its own: degrees, batches, recomputation.

The rule reproduces the medians of published runs; the search of the product finds better layouts, and is not needed to
judge a published speed.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

GIB = 2.0**30
TUNED, EARLY, PLAIN = "tuned", "early", "plain"
BYTES_PER_PARAMETER = {
    "whole": 16.0,
    "sharded": 7.5,
    "adapter": 2.0,
}  # states that a GPU must hold of each of its weights
SHARE_FOR_STATES = 0.55
AMPLE_MEMORY_GIB = 90.0
USED_SHARE = 0.75  # of the memory, by states and activations together; what JAX takes of a GPU unless told otherwise
STATE_BYTES = 16.0  # of a weight, over all GPUs that share it
NODE = 8.0
GIANT = 250e9
MOST_TOKENS_A_STEP = 16e6
SMALL_BATCH = 16.0  # sequences between updates that fine-tuning scripts gather at least
LONGEST_PART = 16384.0  # tokens of a sequence that one GPU takes before it is split
SHARDED_TOKENS = ((1e9, 49152.0), (2e9, 24576.0), (5e9, 20480.0), (20e9, 16384.0), (math.inf, 8192.0))


@dataclass(frozen=True)
class Job:
    """What the rule must know of a training."""

    parameters: float
    layers: float
    attention_heads: float
    experts: float
    sequence_length: float
    gpus: float
    memory_gib: float
    domain: float  # GPUs that share the fast link
    level: str  # software level
    full: bool  # all weights learn
    sharded: bool  # the stack shards all states and splits no layer
    activation_bytes: float = 0.0  # that a token leaves in all layers together
    whole_step_compiled: bool = False  # the compiler keeps what fits, layer by layer
    optimizer_on_host: bool = False


LAYOUT_NAMES = (
    "tensor_parallel", "pipeline_parallel", "virtual_stages", "context_parallel", "expert_parallel", "zero_stage", "micro_batch",
    "global_batch", "recomputed_share",
)  # fmt: skip


def completed_layout(job: Job, known: Mapping[str, float | None]) -> dict[str, float]:
    """The known degrees and batches, the others by the rule. Keys: LAYOUT_NAMES."""
    given = {name: value for name, value in known.items() if value is not None}
    layout = _degrees(job, given)
    replica = layout["tensor_parallel"] * layout["pipeline_parallel"] * layout["context_parallel"]
    data_parallel = max(1.0, job.gpus / replica)
    layout["zero_stage"] = given.get("zero_stage", _zero_stage(job))
    micro = given.get("micro_batch") or _micro_batch(job, given, layout, data_parallel)
    batch = given.get("global_batch") or _global_batch(job, given, layout, data_parallel, micro)
    micro = max(1.0, min(micro, math.floor(batch / data_parallel) or 1.0))
    return {
        **layout,
        "micro_batch": micro,
        "global_batch": batch,
        "recomputed_share": given.get("recomputed_share", _recomputed_share(job, layout, micro)),
    }


def _degrees(job: Job, given: Mapping[str, float]) -> dict[str, float]:
    split = not job.sharded
    ways = _ways(job)
    tensor = given.get("tensor_parallel")
    pipeline = given.get("pipeline_parallel")
    experts = given.get("expert_parallel")
    ways_by_batch = _ways_by_batch(job, given)
    if ways_by_batch and tensor is None and pipeline is None:
        ways = ways_by_batch
    if tensor is None:
        tensor = _tensor(job, ways) if split and not job.experts else 1.0
    if experts is None:
        domain = 32.0 if job.domain > 8 and job.parameters > 60e9 else 8.0
        experts = min(domain, job.experts, job.gpus) if split and job.experts else 1.0
    if pipeline is None:
        share = experts if job.experts else tensor
        pipeline = _power_of_two_up(ways / share) if split else 1.0
    pipeline = max(1.0, min(pipeline, job.gpus / tensor, job.layers))
    virtual = given.get("virtual_stages")
    if virtual is None:
        virtual = max(1.0, min(4.0, math.floor(job.layers / pipeline))) if job.level == TUNED and pipeline > 1 else 1.0
    context = given.get("context_parallel")
    if context is None:
        context = _power_of_two_up(job.sequence_length / LONGEST_PART) if split else 1.0
        context = max(1.0, min(context, job.gpus / (tensor * pipeline)))
        batch = given.get("global_batch")
        while batch and job.gpus / (tensor * pipeline * context) > batch and split:
            context *= 2
    return {
        "tensor_parallel": tensor,
        "pipeline_parallel": pipeline,
        "virtual_stages": virtual if pipeline > 1 else 1.0,
        "context_parallel": context,
        "expert_parallel": experts,
    }


def _ways(job: Job) -> float:
    kind = "sharded" if job.gpus > 1 and job.level != EARLY else "whole"
    each = BYTES_PER_PARAMETER[kind if job.full else "adapter"]
    return max(1.0, each * job.parameters / (SHARE_FOR_STATES * job.memory_gib * GIB))


def _ways_by_batch(job: Job, given: Mapping[str, float]) -> float | None:
    """GPUs of a replica, where batch and number of micro-batches are stated."""
    batch, steps = given.get("global_batch"), given.get("micro_batches")
    if not batch or not steps or job.sharded:
        return None
    return max(1.0, job.gpus * given.get("micro_batch", 1.0) * steps / batch)


def _tensor(job: Job, ways: float) -> float:
    most = min(_most_tensor(job, ways), job.domain if job.domain > 1 else 8.0, job.gpus)
    tuned = job.level == TUNED and ways <= most
    tensor = min(_nearest_power_of_two(ways) if tuned else _power_of_two_up(ways), most)
    while tensor > 1 and job.attention_heads % tensor:
        tensor /= 2
    return tensor


def _most_tensor(job: Job, ways: float) -> float:
    """Tuned software splits layers less: pipelines are cheap there, and large domains hold whole replicas."""
    if job.level != TUNED:
        return 8.0
    if job.domain > NODE:
        return 4.0 if job.parameters > GIANT / 2 else 2.0
    return 8.0 if job.parameters > GIANT or ways <= NODE else 4.0


def _nearest_power_of_two(value: float) -> float:
    return float(2 ** max(0, round(math.log2(max(value, 1.0)))))


def _power_of_two_up(value: float) -> float:
    return float(2 ** max(0, math.ceil(math.log2(max(value, 1.0)) - 1e-9)))


def _zero_stage(job: Job) -> float:
    if job.gpus <= 1 or job.level == PLAIN:
        return 0.0 if job.gpus <= 1 else 3.0
    return 1.0 if not job.sharded else 3.0


def _micro_batch(job: Job, given: Mapping[str, float], layout: Mapping[str, float], data_parallel: float) -> float:
    batch, steps = given.get("global_batch"), given.get("micro_batches")
    if batch and steps:
        return max(1.0, batch / (data_parallel * steps))
    if job.level == PLAIN or job.sharded and job.optimizer_on_host:
        return 1.0
    if not job.sharded:
        tokens = _mixture_tokens(job) if job.experts else (8192.0 if job.parameters < 100e9 else 4096.0)
    else:
        tokens = next(tokens for most, tokens in SHARDED_TOKENS if job.parameters < most)
    micro = max(1.0, math.floor(tokens / job.sequence_length))
    if batch and layout["pipeline_parallel"] > 1:
        most = batch * layout["virtual_stages"] / (4 * layout["pipeline_parallel"] * data_parallel)
        micro = max(1.0, min(micro, math.floor(most)))
    return micro


def _mixture_tokens(job: Job) -> float:
    """Experts want many tokens; memory decides how many."""
    if job.parameters > GIANT:
        return 8192.0 if job.memory_gib > 250 else 4096.0
    if job.memory_gib < 150:
        return 4096.0
    return 32768.0 if job.memory_gib > 250 and job.parameters < 60e9 else 16384.0


def _global_batch(job: Job, given, layout: Mapping[str, float], data_parallel: float, micro: float) -> float:
    if given.get("micro_batches"):
        return given["micro_batches"] * data_parallel * micro
    if layout["pipeline_parallel"] > 1:
        steps = max(8.0, 16 * layout["pipeline_parallel"] / layout["virtual_stages"])
        most = MOST_TOKENS_A_STEP / job.sequence_length
        return data_parallel * micro * max(1.0, min(steps, math.floor(most / (data_parallel * micro))))
    if job.level == PLAIN:
        return data_parallel * micro * max(1.0, math.ceil(SMALL_BATCH / (data_parallel * micro)))
    if job.sharded:
        return data_parallel * micro
    return max(4 * data_parallel * micro, 128.0)


def _recomputed_share(job: Job, layout: Mapping[str, float], micro: float) -> float:
    if job.level == PLAIN or job.sharded and job.optimizer_on_host:  # states leave the GPU where memory is short
        return 1.0
    if job.level == "early":
        return float(job.parameters > 10e9)
    if not job.sharded:
        return 0.0
    if job.whole_step_compiled and job.activation_bytes:
        return max(0.0, _lacking_share(job, layout, micro))
    return float(job.parameters > 5e9 and job.memory_gib < AMPLE_MEMORY_GIB)


def _lacking_share(job: Job, layout: Mapping[str, float], micro: float) -> float:
    """The part of the activations that finds no room beside the states."""
    activations = job.activation_bytes * micro * job.sequence_length / layout["context_parallel"]
    room = USED_SHARE * job.memory_gib * GIB - STATE_BYTES * job.parameters / job.gpus
    return 1 - room / activations
