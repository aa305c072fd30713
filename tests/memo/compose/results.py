"""Results of shipped scenarios in both languages, variants of one scenario, and every text of a composed memo."""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from reportgen.evaluation.evaluate import evaluate
from reportgen.evaluation.result import Result
from reportgen.memo import build_pdf
from reportgen.memo.compose import compose_memo
from reportgen.memo.compose.case import Case
from reportgen.memo.context_schema import Memo
from reportgen.scenario import load_scenario, scenario_from_mapping

DAY = "2026-11-30"
LANGUAGES = ("en", "zh")
SCENARIOS = {path.stem: path for path in sorted((Path(__file__).resolve().parents[3] / "scenarios").glob("*.yaml"))}
BASE = {
    "title": "Fine-tune a 70B domain model",
    "job": "fine-tuning",
    "model": "llama-3.1-70b",
    "data": {"tokens": "5B", "epochs": 2},
    "sequence_length": 4096,
    "deadline": "14 days",
    "hardware": {"accelerators": ["h800-sxm", "h20-sxm"]},
}
SERVE = {
    "title": "Serve",
    "job": "serving",
    "model": "llama-3.1-70b",
    "load": {"users": 5000, "profile": "chat"},
    "prompt_tokens": 1500,
    "answer_tokens": 350,
    "objectives": {"ttft": "2 s", "tpot": "50 ms"},
    "precision": {"weights": "fp8", "kv": "fp8"},
    "hardware": {"accelerators": ["h800-sxm"]},
}
VARIANTS: dict[str, dict[str, Any]] = {
    "base": BASE,
    "rent": {**BASE, "hardware": {"accelerators": ["h800-sxm", "h20-sxm"], "acquire": "rent"}},
    "no_rent": {**BASE, "hardware": {"accelerator": "h20-sxm", "acquire": "rent"}},
    "too_small": {**BASE, "hardware": {"accelerator": "h800-sxm", "count": 8}},
    "too_slow": {**BASE, "hardware": {"accelerator": "h800-sxm", "count": 48}, "deadline": "3 days"},
    "never": {**BASE, "data": {"tokens": "200B", "epochs": 2}, "deadline": "1 day"},
    "four_runs": {**BASE, "runs": {"low": 3, "base": 4, "high": 5}, "start": "2027-09-01", "site": {"power": "60 kW"},
                  "owned": [{"accelerator": "a800-sxm-80gb", "count": 16, "utilization": 0}]},
    "past_start": {**BASE, "start": "2026-12-20"},
    "over_budget": {**BASE, "budget": "1M CNY"},
    "one_gpu": {**BASE, "model": "llama-3.1-8b", "method": "lora", "data": {"tokens": "1M"}, "deadline": None,
                "hardware": {"accelerator": "l40s", "count": 1}},
    "many_gpus": {**BASE, "data": {"tokens": "2T"}, "hardware": {"accelerator": "h100-sxm", "count": 4096}, "deadline": "90 days"},
    "feasibility": {**BASE, "style": "feasibility"},
    "allocation": {**BASE, "style": "allocation"},
    "long_words": {**BASE, "title": "A title that says very much about very little " * 5, "purpose": "Because of reasons. " * 60},
    "serve_one_card": {**SERVE, "model": "qwen2.5-7b", "load": {"users": 20, "profile": "chat"}, "hardware": {"accelerator": "l40s"}},
    "serve_short": {**SERVE, "hardware": {"accelerator": "h800-sxm", "count": 8}, "load": {"users": 60000, "profile": "chat"}},
    "serve_rent": {**SERVE, "hardware": {"accelerator": "h800-sxm", "acquire": "rent"}},
}  # fmt: skip


@cache
def shipped(name: str) -> Result:
    """The result of a shipped scenario."""
    return evaluate(load_scenario(SCENARIOS[name], date=DAY))


@cache
def variant(name: str) -> Result:
    """The result of a small scenario."""
    written = {key: value for key, value in VARIANTS[name].items() if value is not None}
    return evaluate(scenario_from_mapping(written, date=DAY))


def found(name: str, language: str) -> Result:
    """A shipped scenario or a variant, its memo to be written in a language."""
    result = shipped(name) if name in SCENARIOS else variant(name)
    return dataclasses.replace(result, facts=dataclasses.replace(result.facts, language=language))


@cache
def case_of(name: str, language: str) -> Case:
    """The result with its words."""
    return Case(found(name, language))


@cache
def memo_of(name: str, language: str) -> Memo:
    """The composed memo."""
    return compose_memo(found(name, language))


@cache
def pdf_of(name: str, language: str) -> tuple[bytes, tuple[str, ...]]:
    """The PDF and what its making warned about."""
    warnings: list[str] = []
    return build_pdf(found(name, language), warnings=warnings), tuple(warnings)


@cache
def pages_of(name: str, language: str) -> tuple[str, ...]:
    """The text of each page, without spaces: lines and columns break anywhere."""
    from pypdf import PdfReader

    reader = PdfReader(io.BytesIO(pdf_of(name, language)[0]))
    return tuple(tight(page.extract_text()) for page in reader.pages)


def tight(text: str) -> str:
    """A text without spaces, joiners and hyphens at line ends."""
    return re.sub(r"[\s\u2060\u200b\u00a0\u202f]", "", text)


def texts(record: Any) -> Iterator[str]:
    """Every text inside a record of the memo."""
    if isinstance(record, str):
        yield record
    elif isinstance(record, (tuple, list)):
        for part in record:
            yield from texts(part)
    elif isinstance(record, dict):
        yield from texts(list(record.values()))
    elif dataclasses.is_dataclass(record) and not isinstance(record, type):
        for part in dataclasses.fields(record):
            yield from texts(getattr(record, part.name))


def figure(text: str) -> float:
    """A printed figure as a number: "≥ 1,823.1" is 1823.1."""
    bare = text.replace("≥", "").replace(",", "").replace("−", "-").replace("\u00a0", "").strip()
    return float(re.match(r"-?\d+(?:\.\d+)?", bare)[0])
