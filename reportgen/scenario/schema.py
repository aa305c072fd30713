"""The keys of a scenario as people write them, one class a kind of job.

`Scenario` (scenario.py) is what the estimate reads; its docstring lists every field with its unit.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BeforeValidator, Field, PlainValidator, WithJsonSchema

from reportgen.scenario import units
from reportgen.scenario.fields import (
    Batch,
    Count,
    Date,
    Flag,
    Length,
    Name,
    Share,
    SharePositive,
    Text,
    Whole,
    WholeOrZero,
    Window,
    complain,
    listed,
    money,
    quantity,
    reader_of,
    word,
)
from reportgen.scenario.model_keys import Model
from reportgen.scenario.request_keys import Deadline, Hardware, Options, Owned, Ownership, Policy, Site, Tax
from reportgen.scenario.serving_keys import (
    ApiPrice,
    Conversation,
    Engine,
    Load,
    MeasuredServing,
    Objectives,
    OtherService,
    ServingPrecision,
    Speculative,
    TokenLength,
)
from reportgen.scenario.training_keys import (
    Data,
    Freeze,
    Keys,
    Layout,
    Lora,
    MeasuredTraining,
    Optimizer,
    Rollouts,
    Stack,
    Stage,
    TrainingPrecision,
    Utilization,
)
from reportgen.scenario.units import CURRENCIES, CURRENCY_SIGNS, quoted

TRAINING_JOBS = ("pretraining", "continued-pretraining", "fine-tuning", "preference-tuning")
JOBS = (*TRAINING_JOBS, "serving", "batch-inference")
Job = word(
    *JOBS, pre_training="pretraining", pretrain="pretraining", finetuning="fine-tuning", sft="fine-tuning",
    fine_tune="fine-tuning", cpt="continued-pretraining", dpo="preference-tuning", inference="serving",
    batch="batch-inference",
)  # fmt: skip
Method = word("full", "lora", "qlora", "freeze")


def _read_currency(value: Any) -> str:
    text = str(value).strip()
    known = CURRENCY_SIGNS.get(text.upper())
    if not known:
        raise complain(
            "unknown-currency", f"{quoted(value)} is not a known currency", f"write one of: {', '.join(CURRENCIES)}"
        )
    return known


def _read_region(value: Any) -> str:
    text = str(value).strip()
    known = {"china": "CN", "prc": "CN", "usa": "US", "europe": "EU", "uk": "GB", "中国": "CN", "美国": "US"}
    code = known.get(text.lower(), text.upper())
    if isinstance(value, bool) or not (2 <= len(code) <= 12 and code.replace("-", "").isalnum() and code.isascii()):
        raise complain(
            "unknown-region",
            f"{quoted(value)} is not the code of a region",
            "write a country code such as CN, US, EU, CN-JS",
        )
    return code


_NUMBER = reader_of(quantity(units.COUNT, least=None))
_SHARE = reader_of(quantity(units.SHARE, least=None))


def _read_override(value: Any) -> Any:
    return (_SHARE if isinstance(value, str) and value.strip().endswith(("%", "％")) else _NUMBER)(value)


Currency = Annotated[str, PlainValidator(_read_currency), WithJsonSchema({"type": "string", "enum": list(CURRENCIES)})]
Region = Annotated[str, PlainValidator(_read_region), WithJsonSchema({"type": "string"})]
Override = Annotated[Any, PlainValidator(_read_override), WithJsonSchema({"type": ["number", "string", "object"]})]


class RequestKeys(Keys):
    """Keys of every job."""

    title: Text = Field(description="the request in a few words")
    job: Job = Field(description="what the hardware is for")
    model: Model = Field(
        description="a model of the catalog, {config: path of a config.json}, or the architecture spelled out"
    )
    hardware: Hardware = Field(description="candidates, and how many if that is fixed")
    purpose: Text | None = Field(None, description="why it is needed; printed, never invented")
    requester: Text | None = Field(None, description="who asks")
    reference: Text | None = Field(None, description="number of the ticket or project")
    date: Date | None = Field(None, description="date of the request")
    start: Date | None = Field(None, description="when work can start")
    deadline: Deadline | None = Field(None, description="14 days, or {in, for, quantile}, or {by: date}")
    tokenizer: Name | None = Field(None, description="tokenizer of the catalog")
    budget: money(above=0) | None = Field(None, description="the most it may cost, such as 12.5 M CNY")
    region: Region | None = Field(None, description="country where it will stand")
    prices: Text | None = Field(None, description="path of a private price book")
    tax: Tax | None = Field(None, description="value-added tax")
    contingency: Share | None = Field(None, description="share of the cost kept in reserve, 0..1")
    currency: Currency | None = Field(None, description="currency of all amounts")
    site: Site | None = Field(None, description="the room and its limits")
    owned: Annotated[tuple[Owned, ...], BeforeValidator(listed)] | None = Field(
        None, description="equipment that is there already"
    )
    policy: Policy | None = Field(None, description="rules of the house")
    options: Options | None = Field(None, description="alternatives that may be compared")
    ownership: Ownership | None = Field(None, description="how long bought equipment serves")
    language: word("en", "zh", english="en", chinese="zh", zh_cn="zh") | None = Field(None, description="en or zh")
    style: word("memo", "feasibility", "allocation") | None = Field(None, description="form of the memo")
    overrides: dict[Name, Override] | None = Field(None, description="fixed values of computed quantities")


class TrainingKeys(RequestKeys):
    """Keys of pretraining, continued pretraining, fine-tuning and preference tuning."""

    method: Method | None = Field(None, description="full, lora, qlora or freeze")
    algorithm: word("dpo", "simpo", "orpo", "ppo", "grpo", rlhf="ppo", rlvr="grpo") | None = Field(
        None, description="preference tuning: dpo, simpo or orpo on pairs; ppo or grpo on answers written meanwhile"
    )
    rollouts: Rollouts | None = Field(None, description="answers that the model writes while it learns: ppo, grpo")
    data: Data | None = Field(None, description="training data of one run")
    epochs: Count | None = Field(None, description="how many times the data is read")
    sequence_length: Length | None = Field(None, description="tokens of a sequence")
    global_batch: Batch | None = Field(None, description="sequences of an optimizer step; '4M tokens' in tokens")
    packing: Flag | None = Field(None, description="whether short samples share a sequence")
    optimizer: Optimizer | None = Field(None, description="optimizer")
    precision: TrainingPrecision | None = Field(None, description="number formats")
    gradient_precision: word("fp32", "bf16", "fp16", "none") | None = Field(
        None,
        description="format of accumulated gradients; none: the update runs inside the backward pass and keeps none",
    )
    lora: Lora | None = Field(None, description="adapters of lora and qlora")
    freeze: Freeze | None = Field(None, description="what still learns under method freeze")
    runs: Count | None = Field(None, description="how many times the training is run")
    stages: Annotated[tuple[Stage, ...], BeforeValidator(listed)] | None = Field(
        None, description="parts of a longer training"
    )
    stack: Stack | None = Field(None, description="training software")
    layout: Layout | None = Field(None, description="a fixed parallel layout")
    cross_entropy: word("standard", "fused", "chunked", "fused-linear", liger="fused-linear") | None = Field(
        None, description="how the loss is computed"
    )
    attention: word("flash", "eager", sdpa="flash") | None = Field(
        None, description="flash: no score matrix in memory; eager: every head keeps its scores"
    )
    objective: word("smallest", "fastest", "cheapest") | None = Field(
        None, description="what the search looks for: fewest GPUs, fastest on the given GPUs or budget, least money"
    )
    utilization: Utilization | None = Field(None, description="model FLOPs utilization, or {from_run: ...}")
    measured: Annotated[tuple[MeasuredTraining, ...], BeforeValidator(listed)] | None = Field(
        None, description="speeds you measured"
    )


class InferenceKeys(RequestKeys):
    """Keys that serving and batch inference share."""

    prompt_tokens: TokenLength | None = Field(None, description="tokens of a prompt, or {characters, language}")
    answer_tokens: TokenLength | None = Field(None, description="tokens of an answer, or {characters, language}")
    prefix_hit: Share | None = Field(None, description="share of prompt tokens found in the prefix cache, 0..1")
    precision: ServingPrecision | None = Field(None, description="number formats of weights and KV cache")
    engine: Engine | None = Field(None, description="serving software")
    max_context: Length | None = Field(None, description="longest request in tokens")
    utilization_cap: SharePositive | None = Field(None, description="share of the capacity that is planned with, 0..1")
    spare_nodes: WholeOrZero | None = Field(None, description="nodes above need")
    layout: Layout | None = Field(None, description="a fixed parallel layout")
    attention_groups: Whole | None = Field(
        None, description="groups of a replica's GPUs that share its requests (attention data parallelism)"
    )
    speculative: Speculative | None = Field(None, description="drafted tokens")
    measured: MeasuredServing | None = Field(None, description="a speed you measured")
    api_price: ApiPrice | None = Field(None, description="price of the same tokens from a service, to compare with")


class ServingKeys(InferenceKeys):
    """Keys of serving."""

    load: Load | None = Field(None, description="users or requests")
    objectives: Objectives | None = Field(None, description="how fast an answer must come")
    conversation: Conversation | None = Field(None, description="requests are turns of a conversation")
    other_services: Annotated[tuple[OtherService, ...], BeforeValidator(listed)] | None = Field(
        None, description="other services that share the nodes"
    )
    separate_prefill: Flag | None = Field(None, description="prompts are read by replicas of their own")


class BatchKeys(InferenceKeys):
    """Keys of batch inference."""

    items: Count | None = Field(None, description="requests to work through")
    window: Window | None = Field(None, description="time to do it in, in seconds")


def keys_of(job: str | None) -> type[RequestKeys]:
    """The class of keys that a job has."""
    if job == "serving":
        return ServingKeys
    return BatchKeys if job == "batch-inference" else TrainingKeys


ALL_KEYS = {name for keys in (TrainingKeys, ServingKeys, BatchKeys) for name in keys.model_fields}
