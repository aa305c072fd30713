"""The search over layouts of one accelerator, vectorised, and the candidates that the workbook lists live."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from reportgen.evaluation import candidates as space_of
from reportgen.evaluation.candidates import SENTINEL, Candidates, Space, could_run
from reportgen.evaluation.result import LayoutBlock
from reportgen.formula import Graph

UNDIVIDED = 3  # tier of candidates whose degrees do not go into each other
LISTED = 18  # candidates of one accelerator in the workbook
BEST_OF_WINNING_COUNT = 5
SPREAD_OF_BATCHES = (1.0, 8.0, 64.0, 256.0)  # listed besides, so that speed for one and rate for all can be seen together
MOST_LISTED_SERVING = 40
WIDER_COUNTS = (0.25, 0.5, 0.75, 1.5, 2.0, 3.0, 4.0, 8.0)
LEANEST_COUNTS = (1.0, 2.0, 4.0)
ON_GPU = (0.0,)  # nothing waits in host memory
NEEDED = ("layout_divides", "memory_fits", "host_memory_fits", "offload_permitted", "training_days")


class Search:
    """Evaluates candidates of one accelerator on the layout graph, at the base case."""

    def __init__(
        self, layout_graph: Graph, inputs: Mapping[str, Any], space: Space, shown: tuple[str, ...], training: bool
    ):
        self.graph = layout_graph
        self.inputs = inputs
        self.space = space
        self.shown = shown
        self.training = training
        self.considered = 0
        needed = NEEDED if training else ()
        if "within_budget" in layout_graph.ancestors(["layout_ok"]):
            needed = (*needed, "requested_amount")
        self.wanted = tuple(dict.fromkeys(("layout_rank", "layout_ok", "memory_per_gpu_gib", "gpus", *needed, *shown)))

    def evaluate(self, candidates: Candidates, numbers: np.ndarray | float = 0.0) -> dict[str, np.ndarray]:
        """The wanted quantities of candidates; numbers are their places in the list, 0 while searching."""
        size = len(candidates["tensor_parallel"])
        self.considered += size
        with np.errstate(all="ignore"):
            known = {**self.inputs, **space_of.narrowed(candidates), "layout_number": numbers}
            values = self.graph.evaluate(known, only=self.wanted)
        return {name: np.broadcast_to(np.asarray(values[name]), (size,)) for name in self.wanted if name in values}

    def block(self, accelerator: str) -> LayoutBlock:
        """Search, then list the candidates that matter and choose among them exactly as the workbook does."""
        listed = self._listed_training() if self.training else self._listed_inference()
        size = len(next(iter(listed.values())))
        numbers = np.arange(1.0, size + 1)
        values = self.evaluate(listed, numbers)
        rank = values["layout_rank"]
        chosen = int(np.argmin(rank))
        feasible = bool(rank[chosen] < SENTINEL)
        sizes = listed["nodes"] if self.training else listed["batch_per_replica"]
        at_edge = self.training and "nodes" not in self.space.fixed and feasible and sizes[chosen] in _open_edges(sizes)
        columns = {name: array.tolist() for name, array in {**listed, **values}.items()}
        return LayoutBlock(accelerator, columns, chosen, feasible, at_edge, self.considered)

    def _counts(self) -> list[int]:
        fixed = self.space.fixed.get("nodes")
        return [int(fixed)] if fixed else space_of.node_ladder()

    def _listed_training(self) -> Candidates:
        """What stays on the GPUs first; host memory where nothing else does what is asked, or the smallest size is."""
        everywhere = (*ON_GPU, *self.space.offload_levels)
        allowed, last = self.inputs["offload_allowed"] > 0, self.inputs["offload_last"] > 0
        attempts = [ON_GPU, everywhere] if last else [everywhere]
        for levels in attempts if allowed else [ON_GPU]:
            structures = space_of.training_structures(self.space, levels)
            ladder, values = self._ladder(structures)
            if values["layout_rank"].min() < SENTINEL:
                found = self._around_winner(structures, ladder, values)
                return found if last else _joined(found, self._with_host_memory(late=False))
        return _joined(self._least_bad(ladder, values), self._with_host_memory(late=not could_run(values).any()))

    def _ladder(self, structures: list[dict[str, float]], **known: float) -> tuple[Candidates, dict[str, np.ndarray]]:
        """Structures on all counts, coarsely, and what they come to."""
        ladder = space_of.crossed(structures, self._counts())
        constants = {name: np.full(len(ladder["nodes"]), value) for name, value in known.items()}
        return ladder, self.evaluate({**ladder, **constants})

    def _with_host_memory(self, late: bool) -> list[Candidates]:
        """Of each level of offloading that is not allowed the best layout that would do what is asked; `late`: or only fit."""
        found = []
        for level in self.space.offload_levels if not self.inputs["offload_allowed"] else ():
            structures = space_of.training_structures(self.space, (level,))
            if not structures:
                continue
            ladder, values = self._ladder(structures, offload_allowed=1.0)
            fits = could_run(values) if late else values["layout_rank"] < SENTINEL
            if fits.any():
                days = np.where(fits, values["training_days"], np.inf)
                found.append(space_of.rows(ladder, [int(np.lexsort((days, values["layout_rank"]))[0])]))
        return found

    def _around_winner(
        self, structures: list[dict[str, float]], ladder: Candidates, values: dict[str, np.ndarray]
    ) -> Candidates:
        """The candidates that matter around the best rung of the ladder, on every count near it."""
        counts = self._refined(self._counts(), int(ladder["nodes"][int(np.argmin(values["layout_rank"]))]))
        fine = space_of.crossed(structures, counts)
        return self._that_matter(fine, self.evaluate(fine))

    def _refined(self, counts: list[int], found: int) -> list[int]:
        """Every count between the rung below the one found and a little above it, and the ladder around."""
        if len(counts) == 1:
            return counts
        lower = max([count for count in counts if count < found], default=1)
        near = range(max(1, lower - 1), found + 4)
        wide = {max(1, round(found * factor)) for factor in WIDER_COUNTS}
        return sorted({*near, *wide})

    def _that_matter(self, candidates: Candidates, values: dict[str, np.ndarray]) -> Candidates:
        """The best of the winning count, the nearest of other counts, and the leanest: only layouts that divide."""
        rank, nodes = values["layout_rank"], candidates["nodes"]
        count = nodes[int(np.argmin(rank))]
        tiers, every = _nearness(values)
        order = every[tiers[every] < UNDIVIDED]
        chosen = list(order[nodes[order] == count][:BEST_OF_WINNING_COUNT])
        wide = {max(1, round(count * factor)) for factor in WIDER_COUNTS}
        near = {count + step for step in (-2, -1, 1, 2)}
        for other in sorted({float(item) for item in (*wide, *near)} - {float(count)}):
            chosen += list(order[nodes[order] == other][:1])
        for factor in LEANEST_COUNTS:
            at = order[nodes[order] == max(1, round(count * factor))]
            chosen += [at[np.argmin(values["memory_per_gpu_gib"][at])]] if len(at) else []
        ends = _ends_of_list(count, nodes[chosen], nodes, every)
        unique = list(dict.fromkeys(int(index) for index in (*ends, *chosen)))[:LISTED]
        return space_of.rows(candidates, sorted(unique, key=lambda index: (nodes[index], rank[index], index)))

    def _least_bad(self, candidates: Candidates, values: dict[str, np.ndarray]) -> Candidates:
        """Nothing is feasible: the candidate nearest to it comes first, then the nearest of other counts."""
        memory, nodes = values["memory_per_gpu_gib"], candidates["nodes"]
        fits = (values["memory_fits"] * values["host_memory_fits"]) > 0
        unfit = np.where(fits, 0.0, memory)
        # where a budget decides the size, nearest means cheapest; otherwise fastest
        missed = values["requested_amount"] if "requested_amount" in values else values["training_days"]
        order = np.lexsort((np.where(fits, missed, 0.0), unfit, 1 - values["layout_divides"]))
        nearest = {}
        for index in order:
            nearest.setdefault(float(nodes[index]), int(index))
        first = int(order[0])
        others = [index for count, index in sorted(nearest.items()) if count != nodes[first]]
        return space_of.rows(candidates, [first, *others[:: max(1, -(-len(others) // LISTED))]][:LISTED])

    def _listed_inference(self) -> Candidates:
        candidates = space_of.as_columns(space_of.inference_structures(self.space))
        values = self.evaluate(candidates)
        wide = space_of.wide_structures(self.space)
        if wide and "tensor_parallel" not in self.space.fixed and not _any_held(values):
            candidates = space_of.as_columns(wide)
            over_nodes = self.evaluate(candidates)
            if not _any_held(over_nodes):
                candidates = space_of.as_columns(space_of.inference_structures(self.space))
            else:
                values = over_nodes
        rank, memory = values["layout_rank"], values["memory_per_gpu_gib"]
        chosen = []
        for degree in np.unique(candidates["tensor_parallel"]):
            at = np.flatnonzero(candidates["tensor_parallel"] == degree)
            best = int(at[np.argmin(rank[at])]) if rank[at].min() < SENTINEL else int(at[np.argmin(memory[at])])
            place = int(np.flatnonzero(at == best)[0])
            wide = at[np.isin(candidates["batch_per_replica"][at], SPREAD_OF_BATCHES)]
            chosen += sorted({*at[max(0, place - 2) : place + 3].tolist(), *wide.tolist()})
        if rank.min() >= SENTINEL:
            closest = int(np.argmin(memory))
            chosen = [closest, *(index for index in chosen if index != closest)]
        return space_of.rows(candidates, chosen[:MOST_LISTED_SERVING])


def _joined(first: Candidates, others: list[Candidates]) -> Candidates:
    return {name: np.concatenate([values, *(item[name] for item in others)]) for name, values in first.items()}


def _any_held(values: Mapping[str, np.ndarray]) -> bool:
    """Whether some layout holds the model and a request of the longest length."""
    return bool((values["fits"] * values["context_fits"] * values["divides"] > 0).any())


def _nearness(values: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
    """How near each candidate comes to what is asked, and the order: what meets it by rank, what runs by days, the rest by memory."""
    runs = could_run(values)
    meets = values["layout_rank"] < SENTINEL
    tiers = np.where(meets, 0, np.where(runs, 1, np.where(values["layout_divides"] > 0, 2, UNDIVIDED)))
    within = np.where(
        meets, values["layout_rank"], np.where(runs, values["training_days"], values["memory_per_gpu_gib"])
    )
    return tiers, np.lexsort((within, tiers))


def _ends_of_list(count: float, listed: np.ndarray, nodes: np.ndarray, order: np.ndarray) -> list[int]:
    """A smaller and a larger count than the winner's where the list has none: even one that no layout divides closes the list."""
    found = []
    if not (listed < count).any() and (nodes < count).any():
        found.append(int(order[nodes[order] == nodes[nodes < count].max()][0]))
    if not (listed > count).any() and (nodes > count).any():
        found.append(int(order[nodes[order] == nodes[nodes > count].min()][0]))
    return found


def _open_edges(sizes: np.ndarray) -> set[float]:
    """The ends of the listed counts where a better one might stand outside: the largest, and the smallest above one."""
    edges = {float(sizes.max())}
    return edges | ({float(sizes.min())} if sizes.min() > 1 else set())
