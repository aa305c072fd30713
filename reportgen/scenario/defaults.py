"""Every default of a scenario, in one place. Each one that is used is reported with the reason that stands beside it.

A row is: dotted path, value (or a function of the facts so far), reason, and the condition under which it applies.
Rows are read in order, so that later ones see earlier ones. Values are as a user would write them.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from reportgen.catalog.yaml_data import read_data
from reportgen.scenario.architecture import Architecture
from reportgen.scenario.scenario import Assumed
from reportgen.scenario.schema import TRAINING_JOBS
from reportgen.scenario.serving_keys import OTHER_PROFILES
from reportgen.scenario.units import COUNT, QuantityError, read_quantity
from reportgen.scenario.written import Raw, look_up, put

PRETRAINING = ("pretraining", "continued-pretraining")
LONGEST_DEFAULT_CONTEXT = 32768
LARGE_MODEL = 1e11  # weights of the layers, by 12 L h^2, from which all of them are trained over tensor and pipeline stages
MUCH_DATA = 1e10  # tokens from which a fine-tuning takes the batches of a pretraining
REGIONS = {
    "CNY": "CN",
    "USD": "US",
    "EUR": "EU",
    "GBP": "GB",
    "JPY": "JP",
    "KRW": "KR",
    "INR": "IN",
    "SGD": "SG",
    "HKD": "HK",
    "TWD": "TW",
}
TAX_RATES = {"CN": 0.13}


@dataclass(frozen=True)
class Facts:
    """What a default may depend on: the job, the data so far, the model if it is known."""

    job: str
    raw: Raw
    architecture: Architecture | None

    def get(self, path: str) -> Any:
        """The value at a dotted path, as written or as defaulted above; None when there is none."""
        return look_up(self.raw, path)

    def has(self, path: str) -> bool:
        """Whether there is a value."""
        return self.get(path) is not None

    def word(self, path: str) -> str:
        """A value as a tidy word."""
        return str(self.get(path) or "").strip().lower().replace("_", "-")


def always(facts: Facts) -> bool:
    """Every job."""
    return True


def training(facts: Facts) -> bool:
    """Jobs that train."""
    return facts.job in TRAINING_JOBS


def inference(facts: Facts) -> bool:
    """Serving and batch inference."""
    return facts.job in ("serving", "batch-inference")


def serving(facts: Facts) -> bool:
    """Serving."""
    return facts.job == "serving"


def pretraining(facts: Facts) -> bool:
    """Jobs that read much text once."""
    return facts.job in PRETRAINING


def methods(facts: Facts) -> set[str]:
    """Methods of the whole and of its parts."""
    stages = facts.get("stages")
    parts = [stage.get("method") for stage in stages if isinstance(stage, dict)] if isinstance(stages, list) else []
    return {facts.word("method"), *(str(part).strip().lower() for part in parts)}


def with_adapters(facts: Facts) -> bool:
    """Methods that train adapters."""
    return training(facts) and bool(methods(facts) & {"lora", "qlora"})


def frozen(facts: Facts) -> bool:
    """Methods that train the last layers."""
    return training(facts) and "freeze" in methods(facts)


def rewarded(facts: Facts) -> bool:
    """Algorithms that write answers and learn from rewards."""
    return facts.job == "preference-tuning" and facts.word("algorithm") in ("ppo", "grpo", "rlhf", "rlvr")


def with_critic(facts: Facts) -> bool:
    """PPO learns a critic beside the policy."""
    return rewarded(facts) and facts.word("algorithm") in ("ppo", "rlhf")


def has(*paths: str) -> Callable[[Facts], bool]:
    """When all of these are there."""
    return lambda facts: all(facts.has(path) for path in paths)


def both(*conditions: Callable[[Facts], bool]) -> Callable[[Facts], bool]:
    """When all conditions hold."""
    return lambda facts: all(condition(facts) for condition in conditions)


def sequence_length(facts: Facts) -> int:
    """The usual 4096, or the model's own when that is shorter."""
    longest = facts.architecture.maximum_context if facts.architecture else 0
    return min(4096, longest) if longest else 4096


def rollout_length(facts: Facts) -> int | None:
    """A prompt with its answer."""
    length = _tokens(facts.get("data.length")) + _tokens(facts.get("rollouts.answer_tokens"))
    return round(length) if length >= 1 else None


def stack(facts: Facts) -> str:
    """What people use for the job: mixtures and all weights of very large models need more than sharding."""
    shape, how = facts.architecture, methods(facts)
    mixture = shape is not None and shape.is_moe and "qlora" not in how
    large = shape is not None and 12 * shape.layers * shape.hidden_size**2 > LARGE_MODEL and bool({"full", "freeze"} & how)
    return "megatron" if pretraining(facts) or mixture or large else "hf"


def cross_entropy(facts: Facts) -> str:
    """Megatron computes the loss fused, plain PyTorch stacks do not."""
    return "fused" if facts.word("stack").startswith(("megatron", "mcore", "nemo", "mindspeed")) else "standard"


def gradient_precision(facts: Facts) -> str:
    """Summed in 32 bits, but for DeepSpeed's ZeRO, which keeps the format of the weights."""
    return "bf16" if facts.word("stack") == "deepspeed" else "fp32"


def moments(facts: Facts) -> str:
    """8-bit Adam keeps moments in 8 bits."""
    return {"adamw-8bit": "int8", "paged-adamw-8bit": "int8", "adamw-bf16": "bf16"}.get(facts.word("optimizer"), "fp32")


def global_batch(facts: Facts) -> str | int:
    """About four million tokens for pretraining and for as much data, 1,024 answers for rewards, 128 sequences else."""
    if rewarded(facts):
        return 1024
    return "4194304 tokens" if pretraining(facts) or _tokens(facts.get("data.tokens")) > MUCH_DATA else 128


def text_language(facts: Facts) -> str:
    """The language of the document."""
    return "zh" if facts.word("language") == "zh" else "en"


def profile_value(field: str, layout: str = "{}") -> Callable[[Facts], float | str | None]:
    """A number of the profile, by the catalog, written by a layout such as `{} s`."""

    def found(facts: Facts) -> float | str | None:
        value = read_data("load_profiles")["profiles"].get(_profile(facts), {}).get(field)
        return value if value is None or layout == "{}" else layout.format(value)

    return found


def _profile(facts: Facts) -> str:
    word = facts.word("load.profile")
    return OTHER_PROFILES.get(word, word)


def kept_of_turns(facts: Facts) -> float:
    """What a large service found in its cache; nothing is known of the user's own."""
    return read_data("load_profiles")["defaults"]["repeated_hit"]["value"]


def weights_format(facts: Facts) -> str:
    """The format of the checkpoint; bf16 when it is not quantized."""
    return (facts.architecture and facts.architecture.quantization_format) or "bf16"


def max_context(facts: Facts) -> int:
    """At least 32768 where the model allows it; the next power of two when prompt and answer need more."""
    longest = facts.architecture.maximum_context if facts.architecture else 0
    need = sum(_tokens(facts.get(f"{name}.tokens")) for name in ("prompt_tokens", "answer_tokens"))
    need = need * max(1.0, _tokens(facts.get("conversation.turns"))) + _tokens(facts.get("conversation.shared_prefix"))
    wanted = LONGEST_DEFAULT_CONTEXT
    while wanted < min(need, 2**30):
        wanted *= 2
    return min(wanted, longest) if longest else wanted


def _tokens(value: Any) -> float:
    value = value.get("high") if isinstance(value, dict) else value
    try:
        return read_quantity(value, COUNT)
    except QuantityError:
        return 0.0


def region(facts: Facts) -> str | None:
    """Where the currency is at home."""
    return REGIONS.get(str(facts.get("currency")).upper())


def tax_rate(facts: Facts) -> float | None:
    """The general rate on goods where it is known."""
    return TAX_RATES.get(str(facts.get("region") or "").upper()[:2])


def measured_alone(facts: Facts) -> bool:
    """A measured rate of a service without the load it was measured at."""
    return inference(facts) and facts.has("measured.tokens_per_second") and not facts.has("measured.concurrency")


ROWS: tuple[tuple[str, Any, str, Callable[[Facts], bool]], ...] = (
    ("language", "en", "language", always),
    ("style", "memo", "style", always),
    ("currency", "CNY", "currency", always),
    ("region", region, "region-of-currency", always),
    ("deadline.for", "campaign", "deadline-for", has("deadline")),
    ("deadline.quantile", 0.9, "deadline-quantile", has("deadline")),
    ("hardware.acquire", "buy", "acquire", has("hardware")),
    ("hardware.term", "on-demand", "rental-term", has("hardware")),
    ("tax.rate", tax_rate, "tax-rate", always),
    ("tax.included", False, "tax-excluded", always),
    ("contingency", 0.1, "contingency", always),
    ("policy.cloud_allowed", True, "cloud-allowed", always),
    ("policy.domestic_only", False, "domestic-only", always),
    ("ownership.years", "3 years", "ownership-years", always),
    ("ownership.residual", 0, "residual", always),
    ("options.rent", True, "option-rent", always),
    ("options.quantized", False, "option-quantized", inference),
    ("method", "full", "method", training),
    ("algorithm", "dpo", "algorithm", lambda facts: facts.job == "preference-tuning"),
    ("data.epochs", 1, "epochs", both(training, has("data"))),
    ("data.language", text_language, "text-language", both(training, has("data.text"))),
    ("rollouts.answers", lambda facts: 1 if with_critic(facts) else 8, "rollout-answers", rewarded),
    ("rollouts.answer_tokens", 1024, "rollout-answer-tokens", rewarded),
    ("rollouts.passes", 1, "rollout-passes", rewarded),
    ("rollouts.reference", True, "rollout-reference", rewarded),
    ("sequence_length", rollout_length, "rollout-length", both(rewarded, has("data.length"))),
    ("sequence_length", sequence_length, "sequence-length", training),
    ("global_batch", global_batch, "global-batch", training),
    ("packing", True, "packing", training),
    ("optimizer", "adamw", "optimizer", training),
    ("precision.compute", "bf16", "training-precision", training),
    ("precision.master", "fp32", "master-weights", training),
    ("precision.moments", moments, "moments", training),
    ("gradient_precision", gradient_precision, "gradient-precision", training),
    ("lora.rank", 16, "lora-rank", with_adapters),
    ("lora.targets", "all", "lora-targets", with_adapters),
    ("lora.embeddings", False, "lora-embeddings", with_adapters),
    ("lora.base", "nf4", "lora-base", lambda facts: with_adapters(facts) and "qlora" in methods(facts)),
    ("freeze.trainable_layers", 2, "trainable-layers", frozen),
    ("freeze.embeddings", False, "frozen-embeddings", frozen),
    ("runs", 1, "runs", training),
    ("stack", stack, "stack", training),
    ("cross_entropy", cross_entropy, "cross-entropy", training),
    ("attention", "flash", "attention", training),
    ("measured.count", 1, "measured-count", measured_alone),
    ("objectives.ttft", profile_value("ttft", "{} s"), "profile-ttft", both(serving, has("load.profile"))),
    ("objectives.tpot", profile_value("tpot", "{} s"), "profile-tpot", both(serving, has("load.profile"))),
    ("prefix_hit", kept_of_turns, "prefix-of-turns", both(serving, has("conversation"))),
    ("conversation.shared_prefix", 0, "shared-prefix", both(serving, has("conversation"))),
    ("load.arrivals", "poisson", "arrivals", both(serving, has("load"))),
    ("prefix_hit", profile_value("prefix_hit"), "profile-prefix", both(serving, has("load.profile"))),
    ("load.profile", "chat", "profile", both(serving, has("load.users"))),
    ("load.active_share", profile_value("active_share"), "profile-active-share", both(serving, has("load.users"))),
    (
        "load.requests_per_minute",
        profile_value("requests_per_minute"),
        "profile-requests",
        both(serving, has("load.users")),
    ),
    ("load.peak_factor", profile_value("peak_factor"), "profile-peak", both(serving, has("load.profile"))),
    ("load.peak_factor", 1, "peak-included", both(serving, has("load"))),
    (
        "prompt_tokens.tokens",
        profile_value("prompt_tokens"),
        "profile-prompt",
        lambda f: serving(f) and f.has("load.profile") and not f.has("prompt_tokens"),
    ),
    (
        "answer_tokens.tokens",
        profile_value("answer_tokens"),
        "profile-answer",
        lambda f: serving(f) and f.has("load.profile") and not f.has("answer_tokens"),
    ),
    ("prompt_tokens.language", text_language, "text-language", both(inference, has("prompt_tokens.characters"))),
    ("answer_tokens.language", text_language, "text-language", both(inference, has("answer_tokens.characters"))),
    ("prefix_hit", 0, "prefix-hit", inference),
    ("objectives.ttft", "2 s", "ttft", serving),
    ("objectives.ttft_percentile", 0.95, "ttft-percentile", serving),
    ("objectives.tpot", "50 ms", "tpot", serving),
    ("precision.weights", weights_format, "weights-format", inference),
    ("precision.kv", "bf16", "kv-format", inference),
    ("engine", "vllm", "engine", inference),
    ("max_context", max_context, "max-context", inference),
    ("utilization_cap", 0.7, "utilization-cap", serving),
    ("utilization_cap", 0.9, "utilization-cap-batch", lambda facts: facts.job == "batch-inference"),
    ("spare_nodes", 1, "spare-nodes", serving),
    ("spare_nodes", 0, "spare-nodes-batch", lambda facts: facts.job == "batch-inference"),
)


def fill(raw: Raw, job: str, architecture: Architecture | None) -> list[Assumed]:
    """Writes every missing default into `raw` and lists what was written."""
    assumed = []
    facts = Facts(job, raw, architecture)
    for path, value, reason, applies in ROWS:
        if facts.has(path) or not applies(facts):
            continue
        value = value(facts) if callable(value) else value
        if value is not None and put(raw, path, value):
            assumed.append(Assumed(path, value, reason))
    return assumed
