"""Every key of a scenario is read by something outside the loading of scenarios: a key that nobody reads promises in vain."""

from __future__ import annotations

import dataclasses
import sys

import pytest

from reportgen.evaluation.evaluate import evaluate
from reportgen.scenario import Scenario, scenario_from_mapping
from reportgen.scenario.schema import ALL_KEYS, RequestKeys
from reportgen.scenario.training_keys import Keys

DAY = "2026-11-30"
READS: dict[type, set[str]] = {}
ELSEWHERE = {  # read while loading, where they become what stands on the right
    "Deadline.within": "Scenario.deadline_days",
    "Deadline.covers": "Scenario.deadline_for",
    "Deadline.quantile": "Scenario.deadline_quantile",
    "Hardware.accelerator": "Hardware.accelerators",
    "Utilization.share": "Scenario.utilization",
    "Utilization.from_run": "Scenario.utilization_run",
    "Scenario.model": "Scenario.architecture",
    "Scenario.epochs": "Data.epochs",
    "TokenLength.language": "TokenLength.characters",
    "Data.language": "Data.text",
}
ELSEWHERE_TESTED = ("Model", "MeasuredTraining", "MeasuredServing", "Stage")  # architecture; what was measured; sums of stages


def keys_classes(kind: type = Keys) -> set[type]:
    """Every class of nested keys."""
    found = set(kind.__subclasses__())
    return found | {item for sub in found for item in keys_classes(sub)}


@pytest.fixture(scope="module")
def reads():
    """Fields that evaluation reads of scenarios which between them write every section."""
    scenarios = [scenario_from_mapping(written, date=DAY) for written in EVERY]
    with pytest.MonkeyPatch.context() as patch:
        for kind in (Scenario, *keys_classes()):
            patch.setattr(kind, "__getattribute__", recorder(kind), raising=False)
        for scenario in scenarios:
            evaluate(scenario)
    return READS


def recorder(kind: type):
    """An attribute access that notes the name when code outside the scenario package asks."""
    seen = READS.setdefault(kind, set())

    def get(self, name):
        caller = sys._getframe(1).f_globals.get("__name__", "")
        if type(self) is kind and caller.startswith("reportgen.") and not caller.startswith("reportgen.scenario."):
            seen.add(name)
        return object.__getattribute__(self, name)

    return get


REQUEST = {
    "title": "All keys", "purpose": "To test.", "requester": "A person", "reference": "T-1", "budget": "9 M CNY", "region": "CN",
    "tax": {"rate": 0.13, "included": False}, "contingency": 0.05, "currency": "CNY", "language": "en", "style": "memo",
    "site": {
        "name": "Hall 2", "power": "90 kW", "racks": 9, "rack_power": "40 kW", "cooling": "air", "pue": 1.3,
        "electricity_price": "0.8 CNY/kWh", "carbon_intensity": 500,
    },
    "owned": [{"accelerator": "h100-sxm", "count": 8, "utilization": 0.5}],
    "policy": {"cloud_allowed": True, "domestic_only": False, "vendors": ["NVIDIA"], "approval_limit": "1 M CNY"},
    "ownership": {"years": "4 years", "residual": 0.1, "utilization": 0.8},
    "hardware": {
        "accelerators": ["h100-sxm"], "count": 8, "server": "dgx-h100", "network": "400 Gbit/s", "acquire": "buy", "term": "month",
    },
    "overrides": {"warranty_years": 2},
}  # fmt: skip
TUNING = {
    **REQUEST, "job": "fine-tuning", "model": "llama-3.1-8b", "data": {"text": "1 GB", "language": "en", "epochs": 2},
    "sequence_length": 2048,
}  # fmt: skip
TRAINING = {
    **TUNING, "method": "qlora", "lora": {"rank": 8, "targets": "all", "embeddings": True, "base": "nf4"},
    "deadline": {"in": "30 days", "for": "run", "quantile": 0.8}, "global_batch": 64, "packing": True, "optimizer": "adamw",
    "precision": {"compute": "bf16", "master": "fp32", "moments": "fp32"}, "gradient_precision": "fp32", "runs": 2,
    "stack": "megatron", "cross_entropy": "standard", "attention": "flash", "utilization": 0.4, "tokenizer": "llama3",
    "layout": {"tp": 1, "pp": 1, "cp": 1, "ep": 1, "micro_batch": 1, "zero": 1, "recompute": "full", "recompute_layers": 8},
    "options": {"smaller_models": ["qwen3-8b"], "methods": ["lora"], "rent": True},
}  # fmt: skip
PAST_RUN = {
    **TUNING, "job": "continued-pretraining", "utilization": {
        "from_run": {"params": "8B", "tokens": "1B", "gpu_hours": 90, "accelerator": "h100-sxm", "precision": "bf16"},
    }, "start": "2027-12-01", "deadline": {"by": "2028-03-01"}, "data": {"samples": 1e6, "length": 900},
    "stages": [{"name": "one", "tokens": 1e8, "sequence_length": 2048, "global_batch": 64}],
}  # fmt: skip
PAST_RUN.pop("data")
FROZEN = {
    **TUNING, "job": "preference-tuning", "algorithm": "dpo", "method": "freeze", "data": {"samples": 1e5, "length": 900},
    "freeze": {"trainable_layers": 2, "embeddings": True}, "layout": {"offload": "none", "virtual_stages": 1},
    "measured": [{
        "name": "ours", "accelerator": "h100-sxm", "count": 8, "params": "8B", "sequence_length": 2048, "global_batch": 64,
        "tokens_per_second": 90_000, "memory_per_gpu": "60 GB", "precision": "bf16", "source": "our log",
    }],
}  # fmt: skip
REWARDED = {
    **TUNING, "job": "preference-tuning", "algorithm": "ppo", "data": {"samples": 1e5, "length": 500},
    "rollouts": {
        "answers": 2, "answer_tokens": 300, "passes": 2, "reference": True, "critic": "8B", "reward": "8B", "tensor_parallel": 1,
    },
}  # fmt: skip
ASKED = {
    "prompt_tokens": {"characters": 900, "language": "en"}, "answer_tokens": 200, "prefix_hit": 0.1, "engine": "vllm",
    "precision": {"weights": "bf16", "kv": "bf16"}, "max_context": 4096, "utilization_cap": 0.6, "spare_nodes": 1,
}  # fmt: skip
SERVING = {
    **REQUEST, **ASKED, "job": "serving", "model": "mixtral-8x7b", "separate_prefill": True, "attention_groups": 2,
    "load": {"users": 90, "active_share": 0.1, "requests_per_minute": 1, "peak_factor": 2, "profile": "chat"},
    "objectives": {"ttft": "3 s", "ttft_percentile": 0.9, "tpot": "60 ms"}, "options": {"quantized": True},
    "speculative": {"draft_tokens": 2, "acceptance": 0.6}, "api_price": {"prompt": "1 CNY", "answer": "4 CNY"},
}  # fmt: skip
RATE = {
    **REQUEST, "conversation": {"turns": 3, "shared_prefix": 200}, "other_services": [{"title": "Embeddings", "gpus": 1}],
    "job": "serving", "model": "llama-3.1-8b", "load": {"requests_per_minute": 90, "profile": "chat"},
    "measured": {
        "tokens_per_second": 900, "accelerator": "h100-sxm", "count": 1, "concurrency": 8,
        "prompt_tokens": 900,
        "answer_tokens": 200, "ttft": "1 s", "tpot": "20 ms", "weights": "bf16", "engine": "vllm", "source": "our log",
    },
}  # fmt: skip
BATCH = {**REQUEST, **ASKED, "job": "batch-inference", "model": "llama-3.1-8b", "items": 1e5, "window": "10 h"}


EVERY = (TRAINING, PAST_RUN, FROZEN, REWARDED, SERVING, RATE, BATCH)


def test_every_key_of_a_section_is_read(reads):
    kinds = [kind for kind in keys_classes() if kind.__name__ not in ELSEWHERE_TESTED]
    sections = [kind for kind in kinds if not issubclass(kind, RequestKeys)]
    assert {"Hardware", "Site", "Policy", "Options"} <= {kind.__name__ for kind in sections}
    unread = [
        f"{kind.__name__}.{name}"
        for kind in sections
        for name in kind.model_fields
        if name not in reads.get(kind, set()) and f"{kind.__name__}.{name}" not in ELSEWHERE
    ]
    assert not unread


def test_every_key_of_a_request_is_read(reads):
    fields = {item.name for item in dataclasses.fields(Scenario)}
    unread = [name for name in ALL_KEYS if name not in reads[Scenario] and f"Scenario.{name}" not in ELSEWHERE]
    assert not unread, unread
    assert {target.split(".")[1] for target in ELSEWHERE.values() if target.startswith("Scenario")} <= fields & reads[Scenario]
