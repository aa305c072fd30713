"""The question in its normal form: every field in base units, every default filled in and listed."""

from __future__ import annotations

import datetime
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from reportgen.scenario.architecture import Architecture
from reportgen.scenario.request_keys import Deadline, Hardware, Options, Owned, Ownership, Policy, Site, Tax
from reportgen.scenario.schema import TRAINING_JOBS
from reportgen.scenario.serving_keys import (
    ApiPrice,
    Conversation,
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
    Layout,
    Lora,
    MeasuredTraining,
    Rollouts,
    Stage,
    TrainingPrecision,
    TrainingRun,
)
from reportgen.scenario.units import Amount, Range

Number = float | Range


class Assumed(NamedTuple):
    """A default that was used: its dotted path, its value, and the wording key `assumed.<reason>` that says why."""

    path: str
    value: Any
    reason: str


@dataclass(frozen=True)
class Scenario:
    """What is asked. `Number` is a float or a Range(low, base, high): read it with `base_of` or `Range.of`.

    Every job
      title, purpose, requester, reference   text; the last three may be None
      date                datetime.date of the request: the argument, else the file, else today
      start               datetime.date or None
      job                 one of schema.JOBS: pretraining | continued-pretraining | fine-tuning | preference-tuning |
                          serving | batch-inference
      architecture        Architecture of the model
      model_id            id in the catalog, or None for a config.json or a spelled-out model
      tokenizer           id in the catalog, or None: choose by the family of the model
      deadline_days       days from the start (else the date), or None without a deadline
      deadline_quantile   share 0..1;  deadline_for  campaign | run
      budget              Amount(value, currency) or None
      region              country code such as CN or CN-JS, or None
      hardware            .accelerators ids, the first is the request; .count GPUs or None; .server id or None;
                          .network Gbit/s a GPU or None; .acquire buy | rent; .term on-demand | month |
                          reserved-1y | reserved-3y | spot
      prices              absolute path of a private price book, or None
      tax                 .rate share or None (unknown); .included bool
      contingency         share of the cost, Number
      currency            code of all amounts
      site                .power kW, .racks, .rack_power kW, .cooling air | liquid, .pue Number,
                          .carbon_intensity g/kWh, .electricity_price Amount a kWh; each None when unknown
      owned               tuple of .accelerator, .count, .utilization share or None
      policy              .cloud_allowed, .domestic_only bool; .vendors tuple or None; .approval_limit Amount or None
      options             .smaller_models ids or None, .methods words or None, .rent bool, .quantized bool or None
      ownership           .years Number, .residual share, .utilization share or None
      language            en | zh;  style  memo | feasibility | allocation
      overrides           quantity name -> Number in the unit of the quantity
      layout              .tp .pp .cp .ep .virtual_stages .micro_batch .zero .recompute .offload; None: search

    Training (None or empty for other jobs)
      method              full | lora | qlora | freeze;  algorithm  dpo | simpo | orpo | ppo | grpo in
                          preference tuning
      rollouts            ppo, grpo: .answers, .answer_tokens, .passes, .reference, .critic and .reward parameters or
                          None, .tensor_parallel or None; None under other algorithms
      data                one of .tokens (of an epoch); .text bytes with .language en | zh | mixed; .samples with
                          .length tokens; and .epochs Number, .tokenizer id or None. None when `stages` has the tokens
      sequence_length     tokens;  global_batch  sequences of a step (whole);  packing  bool
      optimizer, stack, gradient_precision, cross_entropy, attention   words of training_keys.py and schema.py
      precision           .compute, .master (fp32 | bf16 | none), .moments
      lora                .rank, .targets: those of LORA_TARGETS that the model has, .embeddings, .base; None without LoRA
      freeze              .trainable_layers, .embeddings; None under other methods
      runs                Number of trainings
      stages              tuple of .name, .tokens, .epochs, .sequence_length, .global_batch, .job, .method, .algorithm,
                          all filled in
      objective           smallest | fastest | cheapest, or None: fewest GPUs, or fastest on a given count or budget
      utilization         share 0..1 Number, or None: from calibration;  utilization_run  TrainingRun or None
      measured            tuple of MeasuredTraining, or None

    Serving and batch inference (None for training)
      prompt_tokens, answer_tokens   .tokens Number, or .characters Number with .language en | zh | mixed
      prefix_hit          share;  precision  .weights, .kv;  engine  word;  max_context  tokens
      utilization_cap     share of the capacity to plan with;  spare_nodes  nodes;  measured  MeasuredServing or None
      load                serving: .users Number or None, .active_share, .requests_per_minute (of one active user when
                          .users is there, else of the whole service), .peak_factor, .profile, .arrivals,
                          .hourly (24 numbers), .days_per_month, each or None
      attention_groups    groups of a replica that share its requests, or None;  separate_prefill  serving: bool or None
      speculative         .draft_tokens, .acceptance share or None; None without drafts
      other_services      each with .title, .gpus; None without
      conversation        serving: .turns, .shared_prefix tokens or None; prompt_tokens are then those new in each turn
      api_price           .prompt, .answer Amount a million tokens; None without
      objectives          serving: .ttft s, .ttft_percentile share, .tpot s
      items               batch: requests, Number;  window  batch: seconds or None

    Where it came from
      given               dotted paths that the user wrote, shorthands spelled out (deadline.in, model.id)
      assumed             tuple of Assumed(path, value in base units, reason)
      sets                tuple of (path, text) from the command line
      vary                dotted path -> list or text, kept for sweeps
      file, files         the scenario file, and all files read; empty for a mapping
      written             the plain mapping after extends and sets, before defaults
    """

    title: str
    job: str
    date: datetime.date
    architecture: Architecture
    hardware: Hardware
    model_id: str | None = None
    tokenizer: str | None = None
    purpose: str | None = None
    requester: str | None = None
    reference: str | None = None
    start: datetime.date | None = None
    deadline: Deadline | None = None
    deadline_days: float | None = None
    deadline_quantile: float = 0.9
    deadline_for: str = "campaign"
    budget: Amount | None = None
    region: str | None = None
    prices: str | None = None
    tax: Tax = field(default_factory=Tax)
    contingency: Number = 0.0
    currency: str = "CNY"
    site: Site = field(default_factory=Site)
    owned: tuple[Owned, ...] = ()
    policy: Policy = field(default_factory=Policy)
    options: Options = field(default_factory=Options)
    ownership: Ownership = field(default_factory=Ownership)
    language: str = "en"
    style: str = "memo"
    overrides: dict[str, Number] = field(default_factory=dict)
    layout: Layout = field(default_factory=Layout)
    measured: tuple[MeasuredTraining, ...] | MeasuredServing | None = None
    precision: TrainingPrecision | ServingPrecision | None = None

    method: str | None = None
    algorithm: str | None = None
    rollouts: Rollouts | None = None
    data: Data | None = None
    sequence_length: int | None = None
    global_batch: int | None = None
    packing: bool | None = None
    optimizer: str | None = None
    gradient_precision: str | None = None
    lora: Lora | None = None
    freeze: Freeze | None = None
    runs: Number | None = None
    stages: tuple[Stage, ...] = ()
    stack: str | None = None
    cross_entropy: str | None = None
    attention: str | None = None
    objective: str | None = None
    utilization: Number | None = None
    utilization_run: TrainingRun | None = None

    prompt_tokens: TokenLength | None = None
    answer_tokens: TokenLength | None = None
    prefix_hit: Number | None = None
    engine: str | None = None
    max_context: int | None = None
    utilization_cap: Number | None = None
    spare_nodes: int | None = None
    attention_groups: int | None = None
    speculative: Speculative | None = None
    api_price: ApiPrice | None = None
    conversation: Conversation | None = None
    other_services: tuple[OtherService, ...] | None = None
    separate_prefill: bool | None = None
    load: Load | None = None
    objectives: Objectives | None = None
    items: Number | None = None
    window: float | None = None

    given: frozenset[str] = frozenset()
    assumed: tuple[Assumed, ...] = ()
    sets: tuple[tuple[str, str], ...] = ()
    vary: dict[str, Any] = field(default_factory=dict)
    file: str = ""
    files: tuple[str, ...] = ()
    written: dict[str, Any] = field(default_factory=dict)

    @property
    def is_training(self) -> bool:
        """Whether the job trains a model."""
        return self.job in TRAINING_JOBS

    @property
    def model_name(self) -> str:
        """The model as printed."""
        return self.architecture.name

    def was_given(self, path: str) -> bool:
        """Whether the user wrote the value at a dotted path."""
        return path in self.given
