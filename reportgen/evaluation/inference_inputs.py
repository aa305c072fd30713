"""Inputs of serving and batch inference: load, lengths, objectives, number formats, a measured speed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from reportgen.catalog import Catalog
from reportgen.catalog.yaml_data import read_data
from reportgen.evaluation.draft import Draft, mapped
from reportgen.evaluation.features import is_point, measured_accelerator
from reportgen.evaluation.measured_point import point_scenario, put_measured_point
from reportgen.evaluation.tokens import length_in_tokens, tokenizer_of
from reportgen.formula import MISSING
from reportgen.scenario import Range, Scenario
from reportgen.scenario.architecture import Architecture

WEIGHT_CONSTANTS = {
    "fp32": "bytes_fp32", "tf32": "bytes_fp32", "bf16": "bytes_bf16", "fp16": "bytes_fp16", "fp8": "bytes_fp8", "mxfp8": "bytes_fp8",
    "int8": "bytes_int8", "int4": "bytes_int4", "mxfp4": "bytes_mxfp4", "nvfp4": "bytes_nvfp4",
}  # fmt: skip
COMPUTE = {
    "fp8": "fp8",
    "mxfp8": "fp8",
    "nvfp4": "fp4",
    "mxfp4": "mxfp4",
    "int4": "int4",
    "fp32": "fp32",
    "tf32": "fp32",
}  # int4 weights are widened to 16 bit; MXFP4 meets what the card has, see serving_rates
ENGINE_FIELDS = {
    "engine_time_factor": "time_factor",
    "engine_ttft_offset_s": "first_token_offset_s",
    "engine_first_token_steps": "first_token_steps",
    "engine_launch_time_s": "launch_time_s",
}
SECONDS_PER_MINUTE = 60.0
SECONDS_PER_HOUR = 3600.0
HOURS_PER_DAY = 24.0


def put_inference_inputs(draft: Draft) -> None:
    """All inputs of serving and batch inference except prices and the architecture."""
    _lengths(draft)
    _formats(draft)
    _engine(draft)
    _layout(draft)
    _measured(draft)
    _api_price(draft)
    scenario = draft.scenario
    draft.take("fixed_gpu_count", scenario.hardware.count or 0, "hardware.count")
    draft.take("utilization_cap", scenario.utilization_cap, "utilization_cap", "mlperf-v5.1")
    draft.take("spare_nodes", scenario.spare_nodes or 0, "spare_nodes")
    draft.take("max_context", scenario.max_context, "max_context")
    if scenario.job == "serving":
        _load(draft)
        _objectives(draft)
        others = sum(service.gpus for service in scenario.other_services or ())
        draft.take("other_services_gpus", float(others), "other_services")
    else:
        draft.take("items", scenario.items, "items")
        window = MISSING if scenario.window is None else scenario.window / SECONDS_PER_HOUR
        if scenario.window is None and scenario.deadline_days:
            window = scenario.deadline_days * HOURS_PER_DAY
        draft.take("window_hours", window, "window")


def _lengths(draft: Draft) -> None:
    scenario = draft.scenario
    record, _ = tokenizer_of(scenario, draft.catalog)
    for key in ("prompt_tokens", "answer_tokens"):
        length = getattr(scenario, key)
        source = {"source": record.source_key} if length is not None and length.tokens is None else {}
        name = "turn_prompt_tokens" if key == "prompt_tokens" and scenario.conversation else key
        draft.take(name, length_in_tokens(length, record), key, **source)
    if scenario.conversation:
        draft.take("conversation_turns", scenario.conversation.turns, "conversation.turns")
        draft.take("shared_prefix_tokens", scenario.conversation.shared_prefix, "conversation.shared_prefix")
        draft.take("repeated_hit", scenario.prefix_hit, "prefix_hit", "deepseek-infra")
    else:
        draft.take("prefix_hit", scenario.prefix_hit, "prefix_hit")


def _formats(draft: Draft) -> None:
    scenario, constants = draft.scenario, draft.catalog.constants
    weights, cache = scenario.precision.weights, scenario.precision.kv
    record = constants[WEIGHT_CONSTANTS[weights]]
    attention = constants[WEIGHT_CONSTANTS[attention_format(scenario.architecture, weights)]]
    draft.take("weight_bytes_per_parameter", float(record.value), "precision.weights", source=record.source)
    draft.take("attention_bytes_per_parameter", float(attention.value), "precision.weights", source="aiconfigurator")
    draft.take("key_value_bytes", float(constants[WEIGHT_CONSTANTS[cache]].value), "precision.kv", source="reportgen")
    draft.take("compute_precision", COMPUTE.get(weights, "bf16"), "precision.weights")


def weight_bytes(catalog: Catalog, name: str) -> float:
    """Bytes of a weight in a format."""
    return float(catalog.constants[WEIGHT_CONSTANTS[name]].value)


def attention_format(architecture: Architecture, weights: str) -> str:
    """The format of the attention matrices: 16 bit where the checkpoint, or the usual one of its kind, leaves them so."""
    if any("attn" in name or "attention" in name for name in _unconverted(architecture.quantization)):
        return "bf16"
    experts_alone = weights == "mxfp4" or (architecture.is_moe and weights in ("nvfp4", "int4"))
    return "bf16" if experts_alone else weights


def _unconverted(block: Mapping[str, Any]) -> list[str]:
    inner = block.get("quantization") if isinstance(block.get("quantization"), Mapping) else block
    names: list[str] = []
    for key in ("ignore", "modules_to_not_convert", "exclude_modules", "ignored_layers"):
        found = inner.get(key)
        names += [str(name) for name in found] if isinstance(found, (list, tuple)) else []
    return names


def _engine(draft: Draft) -> None:
    engines = read_data("engines_serving")
    name = draft.scenario.engine
    record = engines["engines"].get(name) or engines["engines"]["vllm"]
    confidence = "measured" if name in engines["engines"] else "assumed"
    for key, field in ENGINE_FIELDS.items():
        draft.put(
            key, float(record[field]), origin="catalog", source="serving-fit", as_of=engines["as_of"],
            confidence=confidence, path="engine", note=f"fitted on {record['fitted_on']}",
        )  # fmt: skip


def _layout(draft: Draft) -> None:
    draft.take("attention_data_parallel", draft.scenario.attention_groups or 1, "attention_groups")
    speculative = draft.scenario.speculative
    if speculative is not None:
        draft.take("draft_tokens", speculative.draft_tokens, "speculative.draft_tokens")
        accepted = speculative.acceptance
        constant = draft.catalog.constants["draft_acceptance_default"]
        if accepted is None:
            accepted = Range(constant.low, constant.value, constant.high)
        draft.take("draft_acceptance", accepted, "speculative.acceptance", constant.source)


def _api_price(draft: Draft) -> None:
    price = draft.scenario.api_price
    if price is None:
        return
    for key, amount in (("api_price_of_prompts", price.prompt), ("api_price_of_answers", price.answer)):
        value = draft.money.convert(amount.value, amount.currency or draft.scenario.currency)
        draft.take(key, value, f"api_price.{key.rpartition('_')[2].removesuffix('s')}")


def _measured(draft: Draft) -> None:
    measured = draft.scenario.measured
    if measured is None:
        return
    if is_point(draft.scenario):
        point = Draft(point_scenario(draft.scenario), draft.catalog, draft.money)
        point.inputs.update(draft.inputs)
        for put in (_lengths, _formats, _engine, _layout):
            put(point)
        put_measured_point(draft, point)
        return
    rate = mapped(measured.tokens_per_second, lambda rate: rate / measured.count)
    draft.take("measured_accelerator", measured_accelerator(draft.scenario), "measured.accelerator")
    draft.take("measured_tokens_per_second", rate, "measured.tokens_per_second", confidence="measured")
    draft.take("measured_prompt_share", 0.0, "measured.prompt_share")


def _load(draft: Draft) -> None:
    load = draft.scenario.load
    if load.users is None:
        draft.take(
            "requests_per_second",
            mapped(load.requests_per_minute, lambda rate: rate / SECONDS_PER_MINUTE),
            "load.requests_per_minute",
        )
    else:
        draft.take("users", load.users, "load.users")
        draft.take("active_share", load.active_share, "load.active_share", assumed_source="llm-d-planner")
        draft.take(
            "requests_per_minute", load.requests_per_minute, "load.requests_per_minute", assumed_source="llm-d-planner"
        )
    draft.take("peak_factor", load.peak_factor, "load.peak_factor", assumed_source="llm-d-planner")
    bursty = draft.catalog.constants["arrival_variation_bursty"]
    variation = Range(bursty.low, bursty.value, bursty.high) if load.arrivals == "bursty" else 1.0
    draft.take("arrival_variation", variation, "load.arrivals", bursty.source)
    shares, days = daily_profile(draft.scenario)
    draft.take("hourly_mean_share", sum(shares) / len(shares), "load.hourly")
    draft.take("busy_days_per_month", days, "load.days_per_month")


def daily_profile(scenario: Scenario) -> tuple[tuple[float, ...], float | Range]:
    """Load of each hour of a day over that of the busiest, and the days of a month with such a load."""
    load, known = scenario.load, read_data("load_profiles")
    shape = known["hourly_shapes"][known["profiles"].get(load.profile or "chat", known["profiles"]["chat"])["hourly"]]
    hours = load.hourly or shape["shares"]
    return tuple(hour / max(hours) for hour in hours), load.days_per_month or shape["days_per_month"]


def _objectives(draft: Draft) -> None:
    objectives = draft.scenario.objectives
    draft.take("ttft_objective_s", objectives.ttft, "objectives.ttft")
    draft.take("ttft_percentile", objectives.ttft_percentile, "objectives.ttft_percentile")
    draft.take("tpot_objective_s", objectives.tpot, "objectives.tpot")
