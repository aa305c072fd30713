"""The ways to do the job: every accelerator bought or rented, other methods, what is there already, nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from typing import Any

from reportgen.errors import ReportError
from reportgen.evaluation.beside import beside, is_domestic
from reportgen.evaluation.cases import evaluate_cases
from reportgen.evaluation.features import WORKSTATION_GPUS, measured_accelerator
from reportgen.evaluation.inference_inputs import weight_bytes
from reportgen.evaluation.judging import supply_date, supply_status
from reportgen.evaluation.question import Question, ask
from reportgen.evaluation.result import LayoutBlock, Message, Option
from reportgen.evaluation.shown import OPTION_VALUES
from reportgen.formula import MISSING, Column, Graph
from reportgen.scenario import Scenario, scenario_from_mapping

METHODS = ("full", "lora", "qlora")
Bare = Callable[[Question], tuple[LayoutBlock, dict[str, Any]]]


def live_options(question: Question, graph: Graph, blocks: tuple[LayoutBlock, ...]) -> tuple[Option, ...]:
    """Each accelerator bought and rented, on the best of its own candidate layouts; recalculated in the workbook."""
    found = []
    chosen_way = question.scenario.hardware.acquire or "buy"
    for number, block in enumerate(blocks):
        ranges = _ranges(block)
        change = {"accelerator": block.accelerator}
        values = evaluate_cases(graph, question.inputs, {**question.tables, **ranges}, [change])
        shown = {name: float(values[name][0]) for name in OPTION_VALUES if name in values}
        for way in ("buy", "rent") if question.scenario.options.rent or chosen_way == "rent" else ("buy",):
            found.append(_accelerator_option(question, block, shown, way, number == 0 and way == chosen_way))
    return tuple(sorted(found, key=lambda option: not option.chosen))


def _ranges(block: LayoutBlock) -> dict[str, Column]:
    keys = tuple(str(number) for number in range(1, len(block.columns["layout_rank"]) + 1))
    return {
        f"layouts_{name.removeprefix('layout_')}": Column(name, keys, tuple(values))
        for name, values in block.columns.items()
    }


def _accelerator_option(
    question: Question, block: LayoutBlock, values: Mapping[str, float], way: str, chosen: bool
) -> Option:
    row = {name: column[block.chosen] for name, column in block.columns.items()}
    fits = bool(row.get("memory_fits", row.get("fits", 1.0)))
    in_time = all(
        bool(row.get(name, 1.0)) for name in ("in_time", "ttft_met", "tpot_met", "window_met", "carries_peak")
    )
    permitted, permit_reasons = _permission(question, block.accelerator, way)
    reasons = [Message("reason_requested")] if chosen and block.feasible else []
    reasons += _obstacles(row, block)
    price = values.get("rental_price" if way == "rent" else "node_price")
    if price is None or price != price:
        reasons.append(Message("reason_quote_needed"))
    return Option(
        key=f"{block.accelerator}-{way}",
        kind="accelerator",
        way=way,
        accelerator=block.accelerator,
        method=question.scenario.method or "",
        values=dict(values),
        fits=fits,
        in_time=in_time and block.feasible,
        permitted=permitted,
        reasons=(*reasons, *permit_reasons) if permitted else (*permit_reasons, *reasons),
        chosen=chosen,
    )


OBSTACLES = {
    "memory_fits": "reason_too_little_memory",
    "fits": "reason_too_little_memory",
    "host_memory_fits": "reason_host_memory_short",
    "layout_divides": "reason_does_not_divide",
    "divides": "reason_does_not_divide",
    "in_time": "reason_too_slow",
    "ttft_met": "reason_objectives_missed",
    "tpot_met": "reason_objectives_missed",
    "carries_peak": "reason_objectives_missed",
    "context_fits": "reason_context_too_long",
    "window_met": "reason_window_missed",
}


def _obstacles(row: Mapping[str, Any], block: LayoutBlock) -> list[Message]:
    """Why the nearest layout cannot do the job; nothing for one that can."""
    if block.feasible:
        return []
    keys = dict.fromkeys(key for name, key in OBSTACLES.items() if name in row and not row[name])
    return [Message(key) for key in keys or ("reason_over_budget",)]


def _permission(question: Question, accelerator: str, way: str) -> tuple[bool, tuple[Message, ...]]:
    policy = question.scenario.policy
    vendor = str(question.tables["accelerators_vendor"].get(accelerator))
    if way == "rent" and policy.cloud_allowed is False:
        return False, (Message("reason_cloud_not_allowed"),)
    if policy.domestic_only and not is_domestic(question, accelerator):
        return False, (Message("reason_not_domestic"),)
    if policy.vendors and vendor.casefold() not in {name.casefold() for name in policy.vendors}:
        return False, (Message("reason_vendor_not_allowed", {"vendor": vendor}),)
    status = supply_status(question, accelerator)
    if status != "available":
        return True, (Message("reason_check_supply", {"status": status, "day": supply_date(question, accelerator)}),)
    return True, ()


def other_options(question: Question, bare: Bare, over_budget: bool) -> tuple[Option, ...]:
    """Accelerators beside the candidates; other methods, formats, smaller models, what the budget buys, on the requested one;
    equipment there is; nothing.
    """
    return (
        *_options_beside(question, bare),
        *_method_options(question, bare),
        *_quantized_options(question, bare),
        *_model_options(question, bare),
        *_budget_options(question, bare, over_budget),
        *_owned_options(question, bare),
        _nothing(),
    )


def _options_beside(question: Question, bare: Bare) -> list[Option]:
    """Variants made for the region and accelerators made in it, as the request would be with them."""
    kept = {key: value for key, value in _plain_hardware(question.scenario).items() if key in ("count", "acquire", "term")}
    found = []
    for name in beside(question):
        option = _variant(question, bare, {"hardware": {**kept, "accelerator": name}}, f"beside-{name}", "beside")
        if option is not None:
            found.append(option)
    return found


SMALLER_FORMATS = ("fp8", "int4")


def _quantized_options(question: Question, bare: Bare) -> list[Option]:
    """Serving with smaller weights, where the scenario lets it be compared; a measured speed says nothing of them."""
    scenario = question.scenario
    if question.is_training or not scenario.options.quantized or scenario.measured is not None:
        return []
    now = weight_bytes(question.catalog, scenario.precision.weights)
    found = []
    for name in (name for name in SMALLER_FORMATS if weight_bytes(question.catalog, name) < now):
        change = {"precision": {"weights": name, "kv": scenario.precision.kv}}
        option = _variant(question, bare, change, f"quantized-{name}", "quantized")
        if option is not None:
            found.append(dataclasses.replace(option, kind="method", method=name))
    return found


def _method_options(question: Question, bare: Bare) -> list[Option]:
    scenario = question.scenario
    if not question.is_training or scenario.job not in ("fine-tuning", "preference-tuning", "continued-pretraining"):
        return []
    if any("method" in stage for stage in scenario.written.get("stages") or ()):
        return []  # every stage has its own
    offered = scenario.options.methods or METHODS
    others = [method for method in offered if method != scenario.method]
    return [
        option
        for method in others
        if (option := _variant(question, bare, {"method": method}, f"method-{method}", "method"))
    ]


def _model_options(question: Question, bare: Bare) -> list[Option]:
    models = question.scenario.options.smaller_models or ()
    return [
        option for model in models if (option := _variant(question, bare, {"model": model}, f"model-{model}", "model"))
    ]


def _owned_options(question: Question, bare: Bare) -> list[Option]:
    """The job on what is free of the equipment that is there, and nothing else."""
    names = dict.fromkeys(item.accelerator for item in question.scenario.owned)
    found = [option for name in names if (option := _owned_option(question, bare, name))]
    return found or [Option("owned-none", "owned", "owned", reasons=(Message("reason_nothing_owned"),), live=False)]


def _owned_option(question: Question, bare: Bare, accelerator: str) -> Option | None:
    inputs = {**question.base_inputs, "accelerator": accelerator}
    values = question.layout_graph.evaluate(inputs, only=("gpus_owned", "gpus_owned_free", "gpus_per_node"))
    there, free, per_node = (int(values[key]) for key in ("gpus_owned", "gpus_owned_free", "gpus_per_node"))
    usable = _whole(question, accelerator, free, per_node)
    if not usable:
        said = _why_none(question, accelerator, float(there), float(free))
        return Option(f"owned-{accelerator}", "owned", "owned", accelerator, fits=False, reasons=said, live=False)
    option = _without_buying(question, bare, accelerator, usable, per_node)
    if option is None:
        return None
    said = Message("reason_owned_free", {"free": float(free), "gpus": float(there)})
    return dataclasses.replace(option, reasons=(option.reasons[0], said, *option.reasons[1:]))


def _whole(question: Question, accelerator: str, free: int, per_node: int) -> int:
    """Servers are taken whole, the cards of a workstation one by one."""
    cards = (question.catalog.accelerators[accelerator].link_domain or 1) <= WORKSTATION_GPUS
    return max(free - free % per_node, min(free, WORKSTATION_GPUS) if cards else 0)


def _why_none(question: Question, accelerator: str, there: float, free: float) -> tuple[Message, ...]:
    if free:
        return Message("reason_owned_free", {"free": free, "gpus": there}), Message("reason_owned_no_whole_server")
    uses = [item.utilization for item in question.scenario.owned if item.accelerator == accelerator]
    if None in uses:
        return (Message("reason_owned_use_unknown", {"gpus": there}),)
    return (Message("reason_owned_busy", {"accelerator": accelerator, "gpus": there}),)


def _without_buying(question: Question, bare: Bare, accelerator: str, usable: int, per_node: int) -> Option | None:
    """The job on so many of the GPUs that its spare servers too are there already."""
    while usable > 0:
        change = {"hardware": {"accelerator": accelerator, "count": usable, "acquire": "buy"}}
        option = _variant(question, bare, change, f"owned-{accelerator}", "owned")
        bought = option.values.get("nodes_bought", 0.0) if option else 0.0
        if not bought > 0:
            return option
        usable -= int(bought) * per_node
    return None


def _budget_options(question: Question, bare: Bare, over_budget: bool) -> list[Option]:
    """What the budget buys when the request is above it; and what half of it buys where the budget is the objective."""
    scenario, features = question.scenario, question.features
    if "budget" not in features or not question.is_training or scenario.budget is None:
        return []
    hardware = {key: value for key, value in _plain_hardware(scenario).items() if key != "count"}
    if "budget_objective" in features:
        half = f"{scenario.budget.value / 2!r} {scenario.budget.currency or scenario.currency}"
        change, key = {"budget": half, "hardware": hardware}, "half-budget"
    elif not over_budget:
        return []
    else:
        change, key = {"deadline": None, "hardware": hardware}, "within-budget"
    option = _variant(question, bare, change, key, "budget")
    if option is None or not option.values.get("rental_price" if option.way == "rent" else "main_line_priced", 0.0) > 0:
        return []  # without a price no budget says what it buys
    late = scenario.deadline_days is not None and option.values.get("training_days_p90", 0) > scenario.deadline_days
    said = Message(f"reason_{key.replace('-', '_')}")
    reasons = [said, *option.reasons[1:], *([Message("reason_too_slow")] if late else [])]
    return [dataclasses.replace(option, reasons=tuple(reasons), in_time=option.in_time and not late)]


def _plain_hardware(scenario: Scenario) -> dict[str, Any]:
    written = scenario.written.get("hardware")
    return dict(written) if isinstance(written, Mapping) else {"accelerators": list(scenario.hardware.accelerators)}


def _nothing() -> Option:
    return Option("nothing", "nothing", "nothing", in_time=False, reasons=(Message("reason_nothing_done"),), live=False)


CONFLICTING = {"lora": ("lora",), "freeze": ("freeze",)}


def _variant(question: Question, bare: Bare, change: Mapping[str, Any], key: str, kind: str) -> Option | None:
    """The same job with a few keys changed; None when the changed scenario is refused."""
    other = _changed(question.scenario, change)
    if other is None:
        return None
    asked = ask(other, question.catalog, question.prices, question.money.currency)
    block, values = bare(asked)
    row = {name: column[block.chosen] for name, column in block.columns.items()}
    fits = bool(row.get("memory_fits", row.get("fits", 1.0)))
    in_time = all(bool(row.get(name, 1.0)) for name in ("in_time", "ttft_met", "tpot_met", "window_met"))
    shown = {name: float(values[name]) for name in OPTION_VALUES if name in values}
    named = other.precision.weights if kind == "quantized" else other.method or ""
    reasons = [Message(f"reason_{kind}", {"method": named, "model": other.model_name})]
    reasons += _obstacles(row, block)
    way = "owned" if kind == "owned" else (other.hardware.acquire or "buy")
    permitted, why = (True, ()) if kind == "owned" else _permission(question, block.accelerator, way)
    if kind == "beside" and not shown.get("rental_price" if way == "rent" else "main_line_priced", MISSING) > 0:
        why = (Message("reason_quote_needed"), *why)
    reasons = [*reasons, *why] if permitted and kind == "beside" else reasons if permitted else [*why, *reasons]
    return Option(
        key, kind, way, block.accelerator, other.method or "", shown, fits, in_time and block.feasible, permitted, tuple(reasons),
        live=False,
    )  # fmt: skip


def _changed(scenario: Scenario, change: Mapping[str, Any]) -> Scenario | None:
    written = {key: value for key, value in {**scenario.written, **change}.items() if value is not None}
    method = written.get("method", "full")
    for name, keys in CONFLICTING.items():
        if name not in method:
            for conflicting in keys:
                written.pop(conflicting, None)
    written.pop("overrides", None)
    if scenario.measured is not None and not scenario.is_training:  # stays where it was measured, also beside other hardware
        written["measured"] = {**written["measured"], "accelerator": measured_accelerator(scenario)}
    try:
        folder = scenario.file.replace("\\", "/").rpartition("/")[0] if scenario.file else ""
        return scenario_from_mapping(written, date=scenario.date, folder=folder)
    except ReportError:
        return None
