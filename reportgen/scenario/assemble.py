"""Valid keys into the normal form: one way of saying each thing, amounts with a currency, paths made absolute."""

from __future__ import annotations

import datetime
from dataclasses import replace
from typing import Any

from reportgen.scenario.fields import TokenAmount
from reportgen.scenario.question import Question
from reportgen.scenario.request_keys import Hardware, Policy, Site
from reportgen.scenario.scenario import Assumed, Scenario
from reportgen.scenario.sources import Sources
from reportgen.scenario.training_keys import LORA_TARGETS, Stage
from reportgen.scenario.units import Amount

SAME = (
    "title", "purpose", "requester", "reference", "start", "deadline", "tokenizer", "region", "tax",
    "contingency", "currency", "owned", "options", "ownership", "language", "style", "overrides", "layout",
    "measured", "precision", "method", "algorithm", "rollouts", "data", "sequence_length", "packing", "optimizer",
    "gradient_precision", "objective", "freeze", "runs", "stack", "cross_entropy", "attention", "prompt_tokens", "answer_tokens",
    "prefix_hit", "engine", "max_context", "utilization_cap", "spare_nodes", "load", "objectives", "items",
    "window", "attention_groups", "speculative", "separate_prefill", "api_price", "conversation", "other_services",
)  # fmt: skip
ALIASES = {"in": "within", "for": "covers"}
TUNING, TUNING_BATCH = ("fine-tuning", "preference-tuning"), 128  # stages of a longer training that tune have small batches
ATTENTION, MLP = LORA_TARGETS[:4], LORA_TARGETS[4:]


def assemble(
    question: Question, filled: dict[str, Any], assumed: list[Assumed], dated: bool, sources: Sources
) -> Scenario:
    """The Scenario of a question without problems."""
    keys = question.keys
    same = {name: keys[name] for name in SAME if name in keys}
    notes = [_as_read(note, keys) for note in assumed]
    if not dated and "date" not in keys:
        notes.append(Assumed("date", question.date.isoformat(), "today"))
    deadline = keys.get("deadline")
    currency = keys["currency"]
    scenario = Scenario(
        **same,
        job=question.job,
        date=question.date,
        architecture=question.architecture,
        model_id=keys["model"].id,
        hardware=_hardware(keys["hardware"]),
        deadline_days=_days(question),
        deadline_quantile=deadline.quantile if deadline else 0.9,
        deadline_for=deadline.covers if deadline else "campaign",
        budget=_priced(keys.get("budget"), currency),
        prices=_price_book(keys.get("prices"), sources),
        site=_site(keys.get("site"), currency),
        policy=_policy(keys["policy"], currency),
        utilization=keys["utilization"].share if "utilization" in keys else None,
        utilization_run=keys["utilization"].from_run if "utilization" in keys else None,
        given=question.given,
    )
    return (
        replace(_training(scenario, question, notes), assumed=tuple(notes))
        if question.training
        else replace(scenario, assumed=tuple(notes))
    )


def _training(scenario: Scenario, question: Question, notes: list[Assumed]) -> Scenario:
    keys = question.keys
    batch = _sequences(keys["global_batch"], scenario.sequence_length, "global_batch", notes)
    stages = tuple(_stage(stage, scenario, batch, index, notes) for index, stage in enumerate(keys.get("stages") or ()))
    lora = keys.get("lora")
    if lora is not None:
        targets = _targets(lora.targets, question.architecture.gated_mlp)
        lora = lora.model_copy(update={"targets": targets})
    return replace(
        scenario,
        global_batch=batch,
        stages=stages,
        lora=lora if {scenario.method, *(stage.method for stage in stages)} & {"lora", "qlora"} else None,
    )


def _as_read(note: Assumed, keys: dict[str, Any]) -> Assumed:
    """The same note with the value in base units."""
    head, *rest = note.path.split(".")
    value = keys[head]
    for name in rest:
        value = getattr(value, ALIASES.get(name, name))
    return note._replace(value=value.value if isinstance(value, Amount) else value)


def _hardware(hardware: Hardware) -> Hardware:
    names = hardware.accelerators or (hardware.accelerator,)
    return hardware.model_copy(update={"accelerators": tuple(names), "accelerator": names[0]})


def _days(question: Question) -> float | None:
    deadline = question.get("deadline")
    if deadline is None:
        return None
    if deadline.within is not None:
        return deadline.within
    first: datetime.date = question.get("start") or question.date
    return float((deadline.by - first).days)


def _priced(amount: Amount | None, currency: str) -> Amount | None:
    return amount if amount is None or amount.currency else Amount(amount.value, currency)


def _site(site: Site | None, currency: str) -> Site:
    site = site or Site()
    return site.model_copy(update={"electricity_price": _priced(site.electricity_price, currency)})


def _policy(policy: Policy, currency: str) -> Policy:
    return policy.model_copy(update={"approval_limit": _priced(policy.approval_limit, currency)})


def _price_book(name: str | None, sources: Sources) -> str | None:
    return None if name is None else str((sources.folder_of(("prices",)) / name).absolute())


def _sequences(batch: float, sequence_length: int, path: str, notes: list[Assumed]) -> int:
    if not isinstance(batch, TokenAmount):
        return int(batch)
    sequences = max(1, round(batch / sequence_length))
    notes.append(Assumed(path, sequences, "batch-of-tokens"))
    return sequences


def _stage(stage: Stage, scenario: Scenario, batch: int, index: int, notes: list[Assumed]) -> Stage:
    length = stage.sequence_length or scenario.sequence_length
    own = stage.global_batch
    job = stage.job or scenario.job
    tunes = job in TUNING and scenario.job not in TUNING and not scenario.was_given("global_batch")
    usual = TUNING_BATCH if tunes else batch
    own = usual if own is None else _sequences(own, length, f"stages.{index}.global_batch", notes)
    algorithm = (stage.algorithm or scenario.algorithm or "dpo") if job == "preference-tuning" else None
    return stage.model_copy(
        update={
            "name": stage.name or f"{index + 1}",
            "sequence_length": length,
            "global_batch": own,
            "job": job,
            "method": stage.method or scenario.method,
            "algorithm": algorithm,
            "epochs": stage.epochs or 1.0,
        }
    )


def _targets(targets: tuple[str, ...], gated: bool) -> tuple[str, ...]:
    wanted: set[str] = set()
    for target in targets:
        wanted |= set({"all": LORA_TARGETS, "attention": ATTENTION, "mlp": MLP}.get(target, (target,)))
    return tuple(name for name in LORA_TARGETS if name in wanted and (gated or name != "gate"))
