"""Keys of training jobs, as written. Units stand beside each field; they are the units after reading."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from reportgen.scenario.fields import (
    Batch,
    Count,
    Flag,
    Length,
    Name,
    Parameters,
    SharePositive,
    Size,
    Text,
    Tokens,
    Whole,
    WholeOrZero,
    listed,
    word,
)
from reportgen.scenario.units import Range

Number = float | Range


class Keys(BaseModel):
    """A mapping of the scenario: unknown keys are errors, values never change."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True)


Language = word("en", "zh", "mixed", english="en", chinese="zh", code="en")

NUMBER_FORMAT = word(
    "fp32", "tf32", "bf16", "fp16", "fp8", "mxfp8", "nvfp4", "mxfp4", "int8", "int4",
    bfloat16="bf16", float16="fp16", half="fp16", float32="fp32", fp8_e4m3="fp8", fp8_e5m2="fp8", w8a8="int8",
    w4a16="int4", awq="int4", gptq="int4",
)  # fmt: skip

TRAINING_FORMAT = word(
    "fp32", "tf32", "bf16", "fp16", "fp8", "mxfp8", "nvfp4", "mxfp4",
    bfloat16="bf16", float16="fp16", half="fp16", float32="fp32", fp8_e4m3="fp8", fp8_e5m2="fp8",
)  # fmt: skip

STACKS = (
    "megatron", "megatron-bridge", "nemo", "megatron-deepspeed", "mindspeed", "maxtext", "internevo", "torchtitan",
    "fsdp", "torchtune", "unsloth", "llm-foundry", "xtuner", "deepspeed", "colossalai", "hf", "trl", "peft",
    "llama-factory", "axolotl", "ms-swift",
)  # fmt: skip
Stack = word(
    *STACKS, megatron_lm="megatron", megatron_core="megatron", mcore="megatron", transformers="hf", huggingface="hf",
    hf_trainer="hf", accelerate="hf", fsdp2="fsdp", llamafactory="llama-factory", swift="ms-swift",
)  # fmt: skip
OPTIMIZERS = (
    "adamw", "adamw-8bit", "adamw-bf16", "paged-adamw", "paged-adamw-8bit", "adafactor", "lion", "muon", "sgd",
    "sgd-momentum", "galore",
)  # fmt: skip
Optimizer = word(
    *OPTIMIZERS, adam="adamw", adamw_torch="adamw", adamw_torch_fused="adamw", adamw_8_bit="adamw-8bit",
    adamw_bnb_8bit="adamw-8bit", paged_adamw_32bit="paged-adamw",
)  # fmt: skip
LORA_TARGETS = ("query", "key", "value", "output", "gate", "up", "down")
LoraTarget = word(
    *LORA_TARGETS, "attention", "mlp", "all",
    q="query", k="key", v="value", o="output", q_proj="query", k_proj="key", v_proj="value", o_proj="output",
    gate_proj="gate", up_proj="up", down_proj="down", all_linear="all", ffn="mlp",
)  # fmt: skip


class Data(Keys):
    """The training data of one run: tokens, or text that a tokenizer turns into tokens, or samples of a length."""

    tokens: Tokens | None = Field(None, description="tokens of one epoch")
    text: Size | None = Field(None, description="bytes of plain text")
    language: Language | None = Field(None, description="language of the text: en, zh or mixed")
    tokenizer: Name | None = Field(None, description="tokenizer of the catalog; the model's own by default")
    samples: Tokens | None = Field(None, description="number of samples")
    length: Count | None = Field(None, description="tokens of a sample, on average: of each sequence of a preference pair, of a prompt")
    epochs: Count | None = Field(None, description="how many times the data is read")


class Lora(Keys):
    """The adapters of LoRA and QLoRA."""

    rank: Whole | None = Field(None, description="rank of each adapter")
    targets: Annotated[tuple[LoraTarget, ...], BeforeValidator(listed)] | None = Field(
        None,
        description="weights that carry an adapter: query, key, value, output, gate, up, down; or attention, mlp, all",
    )
    embeddings: Flag | None = Field(None, description="whether copies of embeddings and output head are trained too")
    base: word("nf4", "gptq", "int8", bnb="nf4", int4="gptq") | None = Field(
        None, description="qlora: form of the frozen base: nf4 (bitsandbytes), gptq (4 bits) or int8"
    )


class Freeze(Keys):
    """What still learns under method freeze: the last layers, and perhaps the embeddings."""

    trainable_layers: Whole | None = Field(None, description="layers that are trained, counted from the last")
    embeddings: Flag | None = Field(None, description="whether embeddings and output head are trained too")


class Rollouts(Keys):
    """Answers that the model writes while it learns, under PPO and GRPO; the prompts are the samples of the data."""

    answers: Whole | None = Field(None, description="answers written to each prompt")
    answer_tokens: Count | None = Field(None, description="tokens of an answer, on average")
    passes: Whole | None = Field(None, description="how often each answer is learned from")
    reference: Flag | None = Field(None, description="whether a frozen copy of the model holds the policy near")
    critic: Parameters | None = Field(None, description="parameters of the critic, such as 8B; 0 without one")
    reward: Parameters | None = Field(None, description="parameters of the reward model; 0 where rules or tests reward")
    tensor_parallel: Whole | None = Field(None, description="GPUs that share one copy of the model while it writes")


class Stage(Keys):
    """One part of a longer training: its tokens, and what differs from the whole."""

    name: Text | None = None
    job: word(
        "pretraining", "continued-pretraining", "fine-tuning", "preference-tuning", cpt="continued-pretraining",
        sft="fine-tuning", dpo="preference-tuning",
    ) | None = Field(None, description="kind of this part; the job of the whole by default")  # fmt: skip
    method: word("full", "lora", "qlora", "freeze") | None = Field(None, description="method of this part")
    algorithm: word("dpo", "simpo", "orpo") | None = Field(None, description="of a part that tunes by preference")
    epochs: Count | None = Field(None, description="how many times the tokens are read")
    tokens: Tokens = Field(description="tokens read in this stage")
    sequence_length: Length | None = Field(None, description="tokens of a sequence")
    global_batch: Batch | None = Field(None, description="sequences of an optimizer step")


class Layout(Keys):
    """A fixed parallel layout; a degree that is left out is searched for."""

    tp: Whole | None = Field(None, description="tensor-parallel degree")
    pp: Whole | None = Field(None, description="pipeline stages")
    cp: Whole | None = Field(None, description="context-parallel degree")
    ep: Whole | None = Field(None, description="expert-parallel degree")
    etp: Whole | None = Field(None, description="GPUs that cut each expert (expert tensor parallelism)")
    sharding_group: Whole | None = Field(None, description="GPUs that share one copy of the states (HSDP); all by default")
    virtual_stages: Whole | None = Field(None, description="interleaved chunks of each pipeline stage")
    micro_batch: Whole | None = Field(None, description="sequences that a GPU works on at a time")
    zero: Annotated[WholeOrZero, Field()] | None = Field(None, description="ZeRO stage: 0, 1, 2 or 3")
    recompute: word("none", "selective", "full") | None = Field(None, description="activation recomputation")
    recompute_layers: Whole | None = Field(None, description="with recompute full: layers that are recomputed, of all")
    offload: word("none", "auto", "optimizer", "parameters", "activations", "all", "nvme", cpu="optimizer") | None = Field(
        None,
        description="what moves to host memory: none, optimizer states, optimizer states and parameters, kept activations, or all; "
        "nvme: optimizer states to disks; auto: as much as it takes, searched",
    )


class TrainingRun(Keys):
    """A run of the past whose speed tells the utilization."""

    params: Tokens = Field(description="parameters that were active for a token")
    tokens: Tokens = Field(description="tokens read")
    gpu_hours: Count = Field(description="GPU hours used")
    accelerator: Name = Field(description="accelerator of the catalog")
    precision: TRAINING_FORMAT | None = None


class Utilization(Keys):
    """Model FLOPs utilization: a share of the peak, or a past run to take it from."""

    share: SharePositive | None = Field(None, description="model FLOPs utilization, 0..1")
    from_run: TrainingRun | None = None


class MeasuredTraining(Keys):
    """A measured training speed of your own: it moves the estimate for the same accelerator, and is shown beside others."""

    name: Text | None = None
    accelerator: Name = Field(description="accelerator of the catalog")
    count: Whole = Field(description="GPUs")
    params: Tokens | None = Field(None, description="parameters; the model of the scenario by default")
    sequence_length: Length | None = Field(None, description="tokens of a sequence")
    global_batch: Batch | None = Field(None, description="sequences of a step")
    tokens_per_second: Count | None = Field(None, description="tokens a second of the whole run")
    memory_per_gpu: Size | None = Field(None, description="bytes, peak of a GPU")
    layout: Layout | None = Field(None, description="its parallel layout; the best one by default")
    precision: TRAINING_FORMAT | None = None
    source: Text | None = None


class TrainingPrecision(Keys):
    """Number formats of training; one word means the format of the matrix products."""

    compute: TRAINING_FORMAT | None = Field(None, description="format of the matrix products")
    master: word("fp32", "bf16", "none") | None = Field(None, description="master copy of the trained weights")
    moments: word("fp32", "bf16", "fp8", "int8") | None = Field(None, description="optimizer moments")
