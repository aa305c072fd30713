"""What is worth knowing of a training beside its headline: network, dates, own measurements, and how much room there is."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from reportgen.evaluation.calendar_days import calendar
from reportgen.evaluation.candidates import MICRO_BATCHES, MOST_NODES, could_run, node_ladder, training_structures
from reportgen.evaluation.degree_search import CONTEXT, context_degrees
from reportgen.evaluation.measured_runs import measured_messages
from reportgen.evaluation.question import Question
from reportgen.evaluation.result import LayoutBlock, Message, Quantity
from reportgen.evaluation.training_warnings import network_remark

LENGTHS = tuple(base * 2**power for power in range(9, 23) for base in (1, 1.25, 1.5, 1.75))
STRUCTURE = (
    "nodes", "tensor_parallel", "pipeline_parallel", "expert_parallel", "micro_batch", "zero_stage", "full_recomputation",
    "offload_level",
)  # fmt: skip
NEEDED = ("memory_fits", "host_memory_fits", "layout_divides")


def training_remarks(question: Question, block: LayoutBlock, quantities: Mapping[str, Quantity]) -> list[Message]:
    """Messages that change no decision."""
    found = [*network_remark(quantities), *calendar(question, quantities)]
    found += measured_messages(question.scenario, question.measured)
    found += _split_sequences(question)
    return [*found, *_room(question, block, quantities)] if block.feasible else found


def _split_sequences(question: Question) -> list[Message]:
    """That the search splits every sequence over several GPUs, which no column of a layout shows."""
    degree = float(question.base_inputs[CONTEXT])
    if degree <= 1 or question.scenario.layout.cp:
        return []
    told = {"sequence_length": float(question.scenario.sequence_length), "gpus": degree}
    return [Message("remark_sequences_split", told)]


def _room(question: Question, block: LayoutBlock, quantities: Mapping[str, Quantity]) -> list[Message]:
    """The longest sequence on these GPUs, the largest micro-batch of this layout, the fewest GPUs that hold the job."""
    gpus = float(quantities["gpus"].value)
    chosen = {name: float(block.columns[name][block.chosen]) for name in STRUCTURE if name in block.columns}
    found = []
    length = _longest(question, block, chosen)
    if length:
        found.append(Message("remark_longest_sequence", {"gpus": gpus, "sequence_length": length}))
    micro = _largest(question, block, {**chosen, "micro_batch": np.array(MICRO_BATCHES, dtype=float)}, "micro_batch")
    if micro:
        found.append(Message("remark_largest_micro_batch", {"micro_batch": micro}))
    return [*found, *_sizes(question, block, quantities)]


def _sizes(question: Question, block: LayoutBlock, quantities: Mapping[str, Quantity]) -> list[Message]:
    """The fewest GPUs that hold the job, whatever the time: on their own, and with everything possible in host memory."""
    gpus, per_node = (float(quantities[name].value) for name in ("gpus", "gpus_per_node"))
    space, found = question.space(block.accelerator), []
    offloaded = block.columns["offload_level"][block.chosen] > 0 and space.offload_levels
    smallest = _smallest(question, block, (0.0,), MOST_NODES if offloaded else gpus / per_node) * per_node
    asked = question.scenario.deadline_days or question.scenario.hardware.count or question.scenario.objective
    if offloaded and smallest:
        found.append(Message("remark_smallest_on_gpus", {"gpus": smallest}))
    elif asked and 0 < smallest < gpus:
        found.append(Message("remark_smallest_size", {"gpus": smallest}))
    if question.scenario.objective == "smallest":
        least = _smallest(question, block, space.offload_levels, gpus / per_node) * per_node
        if 0 < least < min(smallest or gpus, gpus):
            found.append(Message("remark_smallest_offloaded", {"gpus": least}))
    return found


def _evaluated(question: Question, block: LayoutBlock, changes: Mapping[str, object]) -> np.ndarray:
    shared = {**question.base_inputs, "accelerator": block.accelerator, "layout_number": 0.0}
    with np.errstate(all="ignore"):
        values = question.layout_graph.evaluate({**shared, **changes}, only=NEEDED)
    return np.asarray(could_run(values))


def _largest(question: Question, block: LayoutBlock, changes: dict[str, object], name: str) -> float:
    sizes = np.asarray(changes[name])
    fits = np.broadcast_to(_evaluated(question, block, changes), sizes.shape)
    return float(sizes[fits].max()) if fits.any() else 0.0


def _longest(question: Question, block: LayoutBlock, chosen: Mapping[str, float]) -> float:
    """Any layout on as many servers, one sequence at a time, up to what the model allows."""
    asked = float(question.scenario.sequence_length)
    most = max(float(question.scenario.architecture.maximum_context or 0), asked)
    lengths = np.array(sorted({asked, most, *(length for length in LENGTHS if asked < length < most)}))
    structures = [item for item in training_structures(question.space(block.accelerator)) if item["micro_batch"] == 1]
    if not structures or len(lengths) == 1 or "staged" in question.features or "reinforcement" in question.features:
        return 0.0
    tried = [(length, degree) for length in lengths for degree in context_degrees(question, length)]
    columns = {name: np.tile([item[name] for item in structures], len(tried)) for name in structures[0]}
    columns["sequence_length"] = np.repeat([length for length, _ in tried], len(structures))
    columns[CONTEXT] = np.repeat([degree for _, degree in tried], len(structures))
    return _largest(question, block, {**columns, "nodes": chosen["nodes"]}, "sequence_length")


def _smallest(question: Question, block: LayoutBlock, offload_levels: tuple[float, ...], most: float) -> float:
    """Servers of the smallest size on which some layout fits, whatever the time; 0 where none does up to the most."""
    structures = training_structures(question.space(block.accelerator), offload_levels)
    counts = [count for count in node_ladder() if count <= most]
    if not structures or not counts:
        return 0.0
    columns = {name: np.tile([item[name] for item in structures], len(counts)) for name in structures[0]}
    nodes = np.repeat(np.array(counts, dtype=float), len(structures))
    fits = _evaluated(question, block, {**columns, "nodes": nodes, "fixed_gpu_count": 0.0})
    return float(nodes[fits].min()) if fits.any() else 0.0
