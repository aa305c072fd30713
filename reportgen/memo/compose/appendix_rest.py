"""Cross-check, checks, limits, glossary, and what is attached."""

from __future__ import annotations

from collections.abc import Sequence

from reportgen.evaluation.result import Check as Judged
from reportgen.memo.appendix_schema import Changes, Check, Checks, CrossCheck, Glossary, Lines, Rule
from reportgen.memo.compose.case import Case
from reportgen.memo.compose.measured_runs import measured_runs
from reportgen.memo.compose.messages import sentence, what_to_do

WORDS = {
    "training": (
        "mfu",
        "p10_p90",
        "zero",
        "tensor_parallel",
        "pipeline_parallel",
        "activations",
        "recomputation",
        "lost_time",
        "favourable",
        "list_price",
    ),
    "serving": (
        "ttft",
        "tpot",
        "replica",
        "kv_cache",
        "tensor_parallel",
        "peak_factor",
        "spare_node",
        "p10_p90",
        "favourable",
        "list_price",
    ),
    "batch": ("replica", "kv_cache", "window", "measured_rate", "p10_p90", "favourable", "list_price"),
}
TOLD_ELSEWHERE = ("warning_supply", "warning_nothing_fits", "warning_servers_unpriced", "remark_layouts_not_shown")
LIMITS = {
    "training": ("limit_error", "limit_reruns", "limit_failures", "limit_prices", "limit_options"),
    "serving": ("limit_poisson", "limit_profile", "limit_features", "limit_prices"),
    "batch": ("limit_window", "limit_prices"),
}


# ---- cross-check -----------------------------------------------------------------------------------------------------
def cross_check(case: Case) -> CrossCheck | None:
    """Rules of thumb beside this memo."""
    rules = tuple(
        _rule(case, item)
        for item in case.result.cross_checks
        if item.result == item.result and item.estimate == item.estimate
    )
    if not rules:
        return None
    return CrossCheck(intro=case.voice.say("cross_check_intro"), rules=rules, measured=measured_runs(case))


def _rule(case: Case, item) -> Rule:
    voice = case.voice
    ratio = item.result / item.estimate if item.estimate else float("nan")
    here = voice.number(item.estimate, item.unit)
    return Rule(
        name=voice.say(f"rule_{item.key}"),
        rule=_rule_number(case, item.result, item.unit),
        here=here,
        unit=voice.unit(item.unit, here),
        ratio=_ratio(case, ratio),
        why=voice.say(f"rule_{item.key}_why"),
    )


def _ratio(case: Case, ratio: float) -> str:
    """Two decimals near one, none when a rule is far off."""
    if ratio != ratio:
        return "–"
    if 0 < ratio < 0.005:
        return f"< {case.voice.fixed(0.01, 2)}"
    return case.voice.fixed(ratio, 2 if ratio < 10 else 0)


def _rule_number(case: Case, value: float, unit: str) -> str:
    """What a rule gives; a tiny value keeps its size."""
    text = case.voice.number(value, unit)
    return (
        f"< {case.voice.fixed(0.01, 2)}"
        if 0 < value < 0.005 and not text.strip("0.")
        else (case.voice.fixed(value, 1) if unit == "GPUs" and value < 100 else text)
    )


# ---- checks ----------------------------------------------------------------------------------------------------------
def checks(case: Case) -> Checks:
    """What was compared and how it came out."""
    voice = case.voice
    rows = tuple(_check(case, check) for check in case.result.checks)
    return Checks(intro=voice.say("checks_intro", held=case.result.checks_held, all=len(rows)), rows=rows)


def _check(case: Case, check: Judged) -> Check:
    voice = case.voice
    unit = check.unit or "count"
    return Check(
        name=voice.label(f"check_{check.key}"),
        left=_side(case, check.left, unit),
        right="" if unit == "flag" else f"{_sign(check.relation)} {_side(case, check.right, unit)}",
        verdict=voice.say(f"status_{check.status}"),
        action=what_to_do(case, check) if check.status != "OK" else "",
        failed=check.status != "OK",
    )


def _side(case: Case, value: float, unit: str) -> str:
    voice = case.voice
    if unit == "s" and value == value:
        return voice.say("seconds", n=f"{value:.3f}".rstrip("0").rstrip("."))
    return voice.money(value) if unit == "money" else voice.amount(value, unit)


def _sign(relation: str) -> str:
    return {"<=": "≤", ">=": "≥"}.get(relation, relation)


# ---- limits, words, attachments --------------------------------------------------------------------------------------
def limits(case: Case) -> Lines:
    """What the memo does not know: by kind of job, then the warnings of this result."""
    voice = case.voice
    keys = [
        key
        for key in LIMITS[case.kind]
        if key != "limit_reruns" or case.inputs.get("runs") is None or case.inputs["runs"].origin == "default"
    ]
    lines = [voice.say(key) for key in keys]
    told = [message for message in (*case.result.warnings, *case.result.remarks) if message.key not in TOLD_ELSEWHERE]
    lines += [text for message in told if not message.key.startswith("better_") and (text := sentence(case, message))]
    return Lines(intro="", lines=tuple(lines))


def glossary(case: Case) -> Glossary:
    """Words of this kind of job."""
    voice = case.voice
    return Glossary(words=tuple((voice.say(f"word_{key}"), voice.say(f"word_{key}_text")) for key in WORDS[case.kind]))


def changes(case: Case, attached: Sequence[str]) -> Changes | None:
    """What lies inside the file; a list of changes needs an earlier version, which a single result has not."""
    if not attached:
        return None
    return Changes(rows=(), note=case.voice.say("attached", files=case.voice.listed(list(attached))))
