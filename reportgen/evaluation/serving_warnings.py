"""What a reader of a serving estimate must know: objectives out of reach, formats that the card lacks, software not measured."""

from __future__ import annotations

from collections.abc import Mapping

from reportgen.catalog.yaml_data import read_data
from reportgen.evaluation.features import measured_accelerator
from reportgen.evaluation.inference_inputs import daily_profile
from reportgen.evaluation.question import Question
from reportgen.evaluation.result import LayoutBlock, Message, Quantity
from reportgen.formula import Column

OBJECTIVES = {"ttft": ("ttft_met", "ttft_s", "ttft_objective_s"), "tpot": ("tpot_met", "tpot_s", "tpot_objective_s")}
UNITS = {"nvfp4": "fp4_tflops", "mxfp4": "fp4_tflops", "fp8": "fp8_tflops", "mxfp8": "fp8_tflops"}
FAR_OFF = 1.6  # about twice the sigma of the estimate


def serving_warnings(question: Question, block: LayoutBlock) -> list[Message]:
    """Messages of serving and batch inference."""
    found = [] if block.feasible else _objectives(question, block)
    found += _over_nodes(question, block)
    found += [*_formats(question, block.accelerator), *_not_measured(question, block.accelerator)]
    return [*found, *_point_far_off(question), *_measured_elsewhere(question, block.accelerator)]


def load_profile(question: Question) -> dict[str, Column]:
    """The load of each hour over that of the busiest, for the chart of a day."""
    if "serving" not in question.features:
        return {}
    shares, _ = daily_profile(question.scenario)
    return {"load_profile": Column("load_profile", tuple(f"{hour:02d}" for hour in range(len(shares))), shares)}


def serving_remarks(question: Question, values: Mapping[str, Quantity]) -> list[Message]:
    """Lengths that the kind of use stands for, cards that no replica can use, and how often all that is needed is up."""
    if "serving" not in question.features:
        return []
    found = []
    for key in ("prompt_tokens", "turn_prompt_tokens", "answer_tokens"):
        item = next((item for item in question.inputs if item.key == key), None)
        if item is not None and item.origin == "default":
            load = question.scenario.load
            facts = {"length": key, "tokens": float(item.value), "profile": load.profile or ""}
            found.append(Message(f"remark_{key}_assumed", facts))
    stranded, gpus = (float(values[key].value) for key in ("stranded_gpus", "gpus"))
    if stranded > 0:
        degree = float(values["tensor_parallel"].value)
        found.append(Message("remark_stranded_gpus", {"stranded": stranded, "gpus": gpus, "degree": degree}))
    others = question.scenario.other_services or ()
    if others:
        titles = ", ".join(service.title for service in others)
        facts = {"titles": titles, "other_services_gpus": float(sum(service.gpus for service in others))}
        found.append(Message("remark_other_services", facts))
    available = float(values["service_availability"].value)
    spare, hours = (float(values[key].value) for key in ("working_spare_nodes", "rolling_upgrade_hours"))
    facts = {"available": f"{100 * available:.2f}", "spare": spare, "hours": f"{hours:.1f}"}
    found.append(Message("remark_availability" if spare else "remark_availability_no_spare", facts))
    return found


def _objectives(question: Question, block: LayoutBlock) -> list[Message]:
    columns = block.columns
    if "ttft_met" not in columns:
        return []
    usable = [
        place
        for place in range(len(columns["fits"]))
        if columns["fits"][place] and columns["divides"][place] and columns["context_fits"][place]
    ]
    if not usable:
        return []
    asked = {item.key: item.value for item in question.inputs}
    found = []
    for name, (met, quantity, limit) in OBJECTIVES.items():
        if not any(columns[met][place] for place in usable):
            best = min(columns[quantity][place] for place in usable)
            values = {"accelerator": block.accelerator, "asked": _time(asked[limit]), "best": _time(best)}
            found.append(Message(f"warning_{name}_unreachable", values))
    return found or [Message("warning_objectives_together", {"accelerator": block.accelerator})]


def _time(seconds: float) -> str:
    milliseconds = 1000 * float(seconds)
    return f"{seconds:.2f} s" if milliseconds >= 1000 else f"{milliseconds:.3g} ms"


def _over_nodes(question: Question, block: LayoutBlock) -> list[Message]:
    """A replica that no node holds and no fast link joins: its ranks reduce over the network."""
    ranks = float(block.columns["tensor_parallel"][block.chosen])
    per_node, joined = (
        float(question.tables[f"accelerators_{name}"].get(block.accelerator)) for name in ("gpus_per_node", "nvlink_domain")
    )
    if ranks <= max(per_node, joined):
        return []
    return [Message("warning_replica_over_nodes", {"accelerator": block.accelerator, "replica_nodes": ranks / per_node})]


def _formats(question: Question, accelerator: str) -> list[Message]:
    scenario = question.scenario
    weights = scenario.precision.weights
    field = UNITS.get(weights)
    if field is None or getattr(question.catalog.accelerators[accelerator], field):
        return []
    return [Message("warning_weights_widened", {"accelerator": accelerator, "precision": weights})]


def _point_far_off(question: Question) -> list[Message]:
    """A measured point that no error of the estimate explains: something of the server is other than the scenario says."""
    known = {item.key: item.value for item in question.inputs}
    if "measured_tpot_s" not in known:
        return []
    measured, estimated = known["measured_tpot_s"], known["estimated_tpot_at_point_s"]
    if max(measured / estimated, estimated / measured) < FAR_OFF:
        return []
    return [Message("warning_point_far_off", {"measured": _time(measured), "estimated": _time(estimated)})]


def _measured_elsewhere(question: Question, accelerator: str) -> list[Message]:
    """The user's own speed of an accelerator that is not planned, or of one that did not say how many."""
    if question.scenario.measured is None:
        return []
    if measured_accelerator(question.scenario) == accelerator:
        return [] if question.scenario.was_given("measured.count") else [Message("warning_measured_on_one", {})]
    measured = question.catalog.accelerators[measured_accelerator(question.scenario)].name
    return [Message("warning_measured_other_accelerator", {"accelerator": accelerator, "measured": measured})]


def _not_measured(question: Question, accelerator: str) -> list[Message]:
    found = []
    engine, family = question.scenario.engine, question.catalog.accelerators[accelerator].family
    if engine not in read_data("engines_serving")["engines"]:
        found.append(Message("warning_engine_not_measured", {"engine": engine}))
    if f"serving_error_{family}" not in question.catalog.constants:
        found.append(Message("warning_generation_not_measured", {"accelerator": accelerator}))
    return found
