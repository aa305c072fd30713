"""A hand-made result of a training request: enough of everything that renderers print."""

from __future__ import annotations

from reportgen.evaluation.result import (
    Check,
    Facts,
    InputValue,
    LayoutBlock,
    Line,
    Message,
    Option,
    Quantity,
    Result,
    Source,
    Test,
)
from reportgen.formula import MISSING, Column


def sample_result(language: str = "en", name: str = "finetune-70b") -> Result:
    """64 GPUs for 9.9 days; one line without a price, one check to look at."""
    quantities = [
        Quantity("gpus", "cluster", 64.0, 64.0, 64.0, "GPUs", "N", "reportgen", ("nodes", "gpus_per_node")),
        Quantity("nodes", "layout_choice", 8.0, 8.0, 8.0, "nodes", "N_w", "layouts"),
        Quantity("accelerator_row", "accelerator", 1.0, 1.0, 1.0, "row", "i", "catalog", ("accelerators_id", "accelerator")),
        Quantity("gpus_per_node", "accelerator", 8.0, 8.0, 8.0, "GPUs", "g", "catalog", ("accelerators_gpus_per_node", "accelerator_row")),
        Quantity("accelerator_name", "accelerator", "H800 SXM", "H800 SXM", "H800 SXM", "text", "", "catalog"),
        Quantity("training_days", "training_time", 9.897, 7.94, 12.4, "days", "T", "reportgen", ("gpus",), 7.34, 13.35),
        Quantity("weights_gib", "training_memory", 2.04, 2.04, 2.04, "GiB", "M_w", "zero-2020"),
        Quantity("optimizer_gib", "training_memory", 19.86, 19.86, 19.86, "GiB", "M_opt", "zero-2020"),
        Quantity("activations_gib", "activations", 41.86, 41.86, 41.86, "GiB", "M_act", "reportgen"),
        Quantity(
            "memory_per_gpu_gib", "training_memory", 63.76, 63.76, 63.76, "GiB", "M", "reportgen",
            ("weights_gib", "optimizer_gib", "activations_gib"),
        ),
        Quantity("memory_capacity_gib", "accelerator", 80.0, 80.0, 80.0, "GiB", "M_gpu", "catalog", ("accelerator_row",)),
        Quantity("memory_usable_gib", "accelerator", 76.0, 76.0, 76.0, "GiB", "M_use", "reportgen", ("memory_capacity_gib", "memory_fit_share")),
        Quantity("it_power_kw", "power", 81.6, 81.6, 81.6, "kW", "P", "reportgen", ("nodes",)),
        Quantity("capital_cost", "cost", 23_950_000.0, 21_000_000.0, 27_100_000.0, "money", "K", "reportgen", ("nodes",)),
        Quantity("total_cost", "cost", 30_120_000.0, 27_000_000.0, 34_000_000.0, "money", "K_t", "reportgen", ("capital_cost",)),
    ]  # fmt: skip
    return Result(
        id="a1b2c3d4",
        facts=Facts(
            title="=Fine-tune a 70B domain model" if language == "en" else "70B 领域模型全参数微调", name=name, job="fine-tuning",
            method="full", model="llama-3.1-70b", model_name="Llama 3.1 70B", accelerator="h800-sxm", acquire="buy", language=language,
            currency="CNY", date="2026-11-30", scenario_text="title: Fine-tune\n", price_date="2026-11-20",
        ),
        features=("training", "full", "grouped_attention", "buy"),
        inputs=(
            InputValue("accelerator", "h800-sxm", "text", "X", "hardware"),
            InputValue("memory_fit_share", 0.95, "share", "", "memory", source="reportgen", confidence="assumed", origin="default", as_of="2026-11-30"),
            InputValue("model_flops_utilization", 0.36, "share", "MFU", "time", 0.3, 0.42, 0.42, 0.3, origin="default", confidence="measured"),
            InputValue("price_adjustment", 1.0, "factor", "k", "cost", origin="override"),
        ),
        quantities={item.key: item for item in quantities},
        layouts=(LayoutBlock("h800-sxm", {"nodes": [7.0, 8.0], "layout_rank": [1e9, 1.0]}, 1, True, False, 5120),),
        options=(
            Option("h800-buy", "accelerator", "buy", "h800-sxm", values={"gpus": 64.0, "training_days": 9.897, "total_cost": 30.12e6}, chosen=True),
            Option("h20-buy", "accelerator", "buy", "h20-sxm", values={"gpus": 416.0, "training_days": 9.8, "total_cost": MISSING}, permitted=False),
            Option("nothing", "nothing", "nothing"),
        ),
        lines=(
            Line("server", "servers", 8, "servers", 1_820_000, 14_560_000, 0.13, 16_452_800, "quote", "=cmd()", "2026-11-20", 8),
            Line("leaf_switch", "network", 2, "switches", MISSING, MISSING, 0.13, MISSING, "quote_needed"),
            Line("spine_switch", "network", 0, "switches", MISSING, MISSING, 0.13, MISSING, "quote_needed"),
        ),
        checks=(
            Check("memory_fits", 63.76, "<=", 76.0, "GiB", 0.0, "OK"),
            Check("all_lines_priced", 1, "=", 0, "", 0.0, "LOOK"),
        ),
        sensitivity=(Test("model_flops_utilization", "low", 0.3, {"total_cost": 30.12e6}),),
        cross_checks=(),
        sources=(Source("zero-2020", "ZeRO: memory optimizations", "SC20"), Source("reportgen", "Own derivation")),
        warnings=(Message("text_ranges_note"),),
        missing=("leaf_switch",),
        tables={
            "accelerators_id": Column("accelerators_id", ("h800-sxm",), ("h800-sxm",)),
            "accelerators_gpus_per_node": Column("accelerators_gpus_per_node", ("h800-sxm",), (8.0,)),
        },
        tool="reportgen 0.1.0",
    )  # fmt: skip
