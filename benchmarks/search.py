"""Candidate layouts: one of many at once, against one configuration of llm-analysis and one of a plain closed form."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from benchmarks.closed_form import sweep
from benchmarks.measure import Ratio, alternate
from reportgen.catalog import load_catalog
from reportgen.evaluation.candidates import crossed, narrowed, node_ladder, training_structures
from reportgen.evaluation.question import ask
from reportgen.scenario import load_scenario

SCENARIO = "scenarios/finetune-70b.yaml"
AT_ONCE = 20_000
WANTED = ("memory_per_gpu_gib", "memory_fits", "step_seconds", "layout_ok")


def ratios() -> Iterator[Ratio]:
    """Seconds of one candidate on both sides."""
    question = ask(load_scenario(SCENARIO), load_catalog())
    graph, inputs = question.layout_graph, question.base_inputs
    candidates = crossed(training_structures(question.space("h800-sxm")), node_ladder())
    some = narrowed({name: np.resize(values, AT_ONCE) for name, values in candidates.items()})

    def ours() -> None:
        with np.errstate(all="ignore"):
            graph.evaluate({**inputs, **some, "layout_number": 0.0}, only=WANTED)

    other, name = _llm_analysis()
    mine, theirs = alternate(ours, other or ours)
    per_candidate = mine / AT_ONCE
    print(f"# {1 / per_candidate / 1e6:.2f} million candidates a second (aim: 1)")
    if other is None:
        print(f"# no ratio to llm-analysis: {name}")
        return
    yield Ratio("one candidate (memory, step time, fit)", per_candidate, theirs, name, "1 us or less")
    mine, plain = alternate(ours, sweep)
    yield Ratio("the same", mine / AT_ONCE, plain / 1000, "a closed form of ten lines, in plain Python", "below 1")


def _llm_analysis() -> tuple[Callable[[], None] | None, str]:
    """What evaluates one configuration with the other package, and its name; without it nothing, and why."""
    try:
        import logging

        from llm_analysis.analysis import LLMAnalysis
        from llm_analysis.config import (
            ModelConfig,
            ParallelismConfig,
            get_dtype_config_by_name,
            get_gpu_config_by_name,
        )
    except ImportError:
        return None, "it is not installed (pip install llm-analysis)"
    logging.disable(logging.WARNING)
    shape = {"num_layers": 32, "n_head": 32, "hidden_dim": 4096, "vocab_size": 32000, "ffn_embed_dim": 16384}
    model = ModelConfig("dense-7b", num_key_value_heads=32, max_seq_len=4096, model_type="llama", **shape)
    gpu = get_gpu_config_by_name("a100-sxm-80gb")
    formats = get_dtype_config_by_name("w16a16e16")

    def other() -> None:
        analysis = LLMAnalysis(model, gpu, formats, ParallelismConfig(tp_size=8, pp_size=1, dp_size=3, sp_size=8))
        analysis.training(batch_size_per_gpu=1, total_num_tokens=10**10, seq_len=2048)

    try:
        other()
    except Exception as error:  # whatever that package raises, the comparison is then left out
        return None, f"it fails here ({type(error).__name__})"
    return other, "llm-analysis, one configuration"
