"""Serving estimates: time of one, and error on the same measured points, beside aiconfigurator and GenZ where they are installed."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from statistics import median

import numpy as np

from benchmarks.measure import Ratio, alternate
from reportgen.catalog import load_catalog
from reportgen.evaluation.accuracy import serving, shipped_file
from reportgen.evaluation.accuracy.rows import Skipped, read_rows
from reportgen.evaluation.accuracy.serving_rows import COLUMNS, ServingRow, read_serving_row
from reportgen.evaluation.candidates import as_columns, inference_structures
from reportgen.evaluation.question import ask
from reportgen.scenario import load_scenario

SCENARIO = "scenarios/serve-70b-chat.yaml"
AT_ONCE = 20_000
WANTED = ("memory_per_gpu_gib", "ttft_at_limit_s", "tpot_at_limit_s", "replica_requests_per_second", "layout_ok")
POINTS = 12
MODEL, CARD = "llama-3.1-70b", "h200-sxm"
PEER_MODEL, PEER_CARD = "meta-llama/Meta-Llama-3.1-70B", "h200_sxm"
GENZ_MODEL = "meta-llama/Llama-3.1-70B"
GENZ_CARD = {"Flops": 1979, "Memory_size": 141, "Memory_BW": 4800, "ICN": 450, "real_values": True}
Peer = Callable[[ServingRow], float]  # milliseconds a token


def ratios() -> Iterator[Ratio]:
    """Seconds of one estimate on both sides, for each peer that is installed."""
    rows = points()
    print(f"# TPOT of {len(rows)} measured points, reportgen (whose fit saw them): median error {_error(rows, _ours(rows)):.1%}")
    peers = [(name, peer) for name, make in (("aiconfigurator", _aiconfigurator), ("GenZ", _genz)) if (peer := make(rows[0]))]
    if not peers:
        print("# no ratio of one serving candidate: neither aiconfigurator nor GenZ is installed")
    for name, peer in peers:
        print(f"# TPOT of the same points, {name}: median error {_error(rows, [peer(row) for row in rows]):.1%}")
        mine, theirs = alternate(_many_candidates(), lambda peer=peer: peer(rows[1]), runs=5)
        yield Ratio("one serving candidate (memory, TTFT, TPOT, rate)", mine / AT_ONCE, theirs, name, "0.2 us or less")


def points() -> list[ServingRow]:
    """Measured points of one model on one card, whose lengths and users are all stated."""
    found = []
    for row in read_rows(shipped_file("serving"), COLUMNS):
        if row.text("metric") != "tpot_ms" or "Llama-3.1-70B" not in row.text("model"):
            continue
        try:
            read = read_serving_row(row, load_catalog())
        except Skipped:
            continue
        if read.accelerator.id == CARD and read.engine == "vllm" and read.weights == "fp8" and read.groups == 1:
            found.append(read)
    return found[:: max(1, len(found) // POINTS)][:POINTS]


def _ours(rows: Sequence[ServingRow]) -> list[float]:
    catalog = load_catalog()
    constants = {key: float(record.value) for key, record in catalog.constants.items()}
    return list(serving.predict(rows, serving.blocks(rows, catalog), constants)[0])


def _error(rows: Sequence[ServingRow], predicted: Sequence[float]) -> float:
    return median(abs(value / row.measured - 1) for row, value in zip(rows, predicted, strict=True))


def _many_candidates() -> Callable[[], None]:
    question = ask(load_scenario(SCENARIO), load_catalog())
    graph, inputs = question.layout_graph, question.base_inputs
    candidates = as_columns(inference_structures(question.space("h800-sxm")))
    some = {name: np.resize(values, AT_ONCE) for name, values in candidates.items()}

    def run() -> None:
        with np.errstate(all="ignore"):
            graph.evaluate({**inputs, **some, "layout_number": 0.0}, only=WANTED)

    return run


def _aiconfigurator(first: ServingRow) -> Peer | None:
    try:
        import logging

        from aiconfigurator.cli.api import cli_estimate
    except ImportError:
        return None
    logging.disable(logging.WARNING)

    def estimate(row: ServingRow) -> float:
        lengths = {"isl": round(row.prompt_tokens), "osl": round(row.answer_tokens)}
        return cli_estimate(
            PEER_MODEL, PEER_CARD, backend_name="vllm", batch_size=round(row.users), tp_size=round(row.gpus),
            gemm_quant_mode="fp8", kvcache_quant_mode="fp8" if row.cache_bytes == 1 else None, **lengths,
        ).tpot  # fmt: skip

    return _working("aiconfigurator", estimate, first)


def _genz(first: ServingRow) -> Peer | None:
    try:
        from GenZ import decode_moddeling
    except ImportError:
        return None

    def estimate(row: ServingRow) -> float:
        ranks = round(row.gpus)
        return decode_moddeling(
            model=GENZ_MODEL, batch_size=round(row.users), input_tokens=round(row.prompt_tokens),
            output_tokens=round(row.answer_tokens / 2), Bb=1, system_name=GENZ_CARD, bits="fp8", tensor_parallel=ranks,
            parallelism_heirarchy=f"TP{{{ranks}}}_EP{{1}}_PP{{1}}",
        )["Latency"]  # fmt: skip

    return _working("GenZ", estimate, first)


def _working(name: str, peer: Peer, row: ServingRow) -> Peer | None:
    """The peer, if it can estimate the first point; whatever it raises, the comparison is then left out."""
    try:
        peer(row)
    except Exception as error:
        print(f"# {name} is installed and fails here: {type(error).__name__}")
        return None
    return peer


if __name__ == "__main__":
    for ratio in ratios():
        print(ratio.line())
