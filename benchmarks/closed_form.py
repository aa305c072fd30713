"""A plain closed form of memory and step time, as a spreadsheet of an afternoon would hold it: the least that one candidate costs.

Parameters from the shape, 18 bytes of states a parameter, activations of Korthikanti et al. with selective recomputation,
6 operations a parameter and token at a fixed utilisation, the bubble of the pipeline, one exchange of gradients.
"""

from __future__ import annotations

LAYERS, HIDDEN, HEADS, KEY_VALUE_HEADS, INTERMEDIATE, VOCABULARY = 80, 8192, 64, 8, 28672, 128256
SEQUENCE, GLOBAL_BATCH = 4096, 64
PEAK, UTILIZATION, MEMORY = 989e12, 0.4, 80 * 2**30
NETWORK = 50e9


def estimate(gpus: int, tensor: int, pipeline: int, micro_batch: int) -> tuple[float, float, bool]:
    """Bytes of one GPU, seconds of a step, and whether it fits."""
    attention = 2 * HIDDEN * HIDDEN * (1 + KEY_VALUE_HEADS / HEADS)
    parameters = LAYERS * (attention + 3 * HIDDEN * INTERMEDIATE) + 2 * VOCABULARY * HIDDEN
    replicas = max(1, gpus // (tensor * pipeline))
    steps = max(1, GLOBAL_BATCH // (replicas * micro_batch))
    states = parameters / (tensor * pipeline) * (6 + 12 / replicas)
    activations = 34 * SEQUENCE * micro_batch * HIDDEN / tensor * LAYERS / pipeline * min(pipeline, steps)
    memory = states + activations + 2 * 2**30
    scores = 6 * LAYERS * HIDDEN * SEQUENCE
    computing = GLOBAL_BATCH * SEQUENCE * (6 * parameters + scores) / (gpus * PEAK * UTILIZATION)
    exchange = 4 * parameters / (tensor * pipeline) * (1 - 1 / replicas) / NETWORK
    return memory, computing * (1 + (pipeline - 1) / steps) + exchange, memory < 0.95 * MEMORY


def sweep() -> None:
    """A thousand candidates, one after the other."""
    for number in range(1000):
        estimate(64 + 8 * (number % 32), 1 << (number % 4), 1 << (number // 4 % 4), 1 + number % 3)
