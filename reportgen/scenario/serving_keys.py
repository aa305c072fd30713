"""Keys of serving and batch inference, as written. Units stand beside each field; they are the units after reading."""

from __future__ import annotations

from typing import Annotated

from pydantic import BeforeValidator, Field

from reportgen.scenario.fields import (
    Count,
    CountOrZero,
    FirstToken,
    Name,
    Percentile,
    Seconds,
    Share,
    SharePositive,
    Text,
    Whole,
    listed,
    money,
    quantity,
    word,
)
from reportgen.scenario.training_keys import NUMBER_FORMAT, Keys, Language
from reportgen.scenario.units import COUNT

ENGINES = ("vllm", "sglang", "tensorrt-llm", "lmdeploy", "tgi", "mindie", "llama.cpp")
Engine = word(
    *ENGINES,
    trtllm="tensorrt-llm",
    trt_llm="tensorrt-llm",
    tensorrt="tensorrt-llm",
    turbomind="lmdeploy",
    llama_cpp="llama.cpp",
)
PROFILES = (
    "chat", "code-completion", "code-generation", "rag", "summarization", "translation", "reasoning", "agents",
)  # fmt: skip
OTHER_PROFILES = {
    "code": "code-completion",
    "coding": "code-generation",
    "retrieval": "rag",
    "summary": "summarization",
    "summarisation": "summarization",
    "agent": "agents",
}
Profile = word(*PROFILES, **OTHER_PROFILES)
Arrivals = word("poisson", "bursty", random="poisson")


class Load(Keys):
    """How much the service is asked: users and their habits, or requests a minute of the whole service."""

    users: Count | None = Field(None, description="people who may use the service")
    active_share: Share | None = Field(None, description="share of users active at the same time, 0..1")
    requests_per_minute: Count | None = Field(
        None, description="requests a minute: of one active user when `users` is written, else of the whole service"
    )
    peak_factor: quantity(COUNT, least=1) | None = Field(None, description="busiest minute over the mean, 1 or more")
    arrivals: Arrivals | None = Field(None, description="poisson (independent users) or bursty (agents, batches of calls)")
    hourly: Annotated[tuple[quantity(COUNT, ranged=False), ...], BeforeValidator(listed)] | None = Field(
        None, description="load of each hour of a usual day from 0 to 23 o'clock, in any unit"
    )
    days_per_month: quantity(COUNT, above=0, least=None, most=31) | None = Field(None, description="days with such a load")
    profile: Profile | None = Field(None, description=f"usual habits: {', '.join(PROFILES)}")


class Conversation(Keys):
    """Requests that are turns of a conversation, each of which sends all earlier ones again."""

    turns: quantity(COUNT, least=1) = Field(description="requests of one conversation")
    shared_prefix: CountOrZero | None = Field(None, description="tokens at the beginning of every request: instructions, tools")


class OtherService(Keys):
    """Another service on the same nodes, sized by a scenario of its own."""

    title: Text = Field(description="what it serves")
    gpus: Whole = Field(description="GPUs that it keeps busy: of its own estimate, without spare")


class TokenLength(Keys):
    """A length in tokens, or in characters of a language that a tokenizer turns into tokens."""

    tokens: CountOrZero | None = Field(None, description="tokens")
    characters: Count | None = Field(None, description="characters")
    language: Language | None = Field(None, description="language of the characters: en, zh or mixed")


class ServingPrecision(Keys):
    """Number formats of serving; one word means the format of the weights."""

    weights: NUMBER_FORMAT | None = Field(None, description="format of the weights")
    kv: NUMBER_FORMAT | None = Field(None, description="format of the KV cache")


class Speculative(Keys):
    """Tokens that a small model, or a head of the model itself, drafts ahead; the model verifies them in one step."""

    draft_tokens: Whole = Field(description="tokens drafted for each request and step")
    acceptance: SharePositive | None = Field(None, description="share of drafts that are right: measure it, 0..1")


class ApiPrice(Keys):
    """What a million tokens cost from somebody else's service, to compare with."""

    prompt: money() = Field(description="money a million tokens of prompts")
    answer: money() = Field(description="money a million tokens of answers")


class Objectives(Keys):
    """How fast an answer must come."""

    ttft: FirstToken | None = Field(None, description="seconds to the first token")
    ttft_percentile: Percentile | None = Field(None, description="share of requests that keep it, 0..1 (p95 is 0.95)")
    tpot: Seconds | None = Field(None, description="seconds a token after the first")


class MeasuredServing(Keys):
    """A measured speed of your own: with `concurrency` it corrects the estimate, alone it replaces it, of the same accelerator."""

    tokens_per_second: Count = Field(description="output tokens a second of the measured deployment")
    accelerator: Name | None = Field(None, description="accelerator of the catalog")
    count: Whole = Field(description="GPUs of the measured deployment")
    concurrency: Count | None = Field(None, description="requests in flight")
    prompt_tokens: Count | None = Field(None, description="tokens of a prompt")
    answer_tokens: CountOrZero | None = Field(None, description="tokens of an answer")
    ttft: FirstToken | None = Field(None, description="seconds to the first token")
    tpot: Seconds | None = Field(None, description="seconds a token after the first")
    weights: NUMBER_FORMAT | None = None
    engine: Engine | None = None
    source: Text | None = None
