"""The appendix with the formulas that matter, symbol = substitution = result."""

from __future__ import annotations

from reportgen.formula import symbols_of
from reportgen.memo.appendix_schema import FormulaGroup, FormulaRow, Formulas
from reportgen.memo.compose.case import Case
from reportgen.memo.compose.derivation import Derivation

GROUPS = {
    "training": (
        ("work", ("parameters", "campaign_tokens", "training_flops_per_token")),
        ("memory", ("optimizer_per_gpu_gib", "activations_per_gpu_gib", "memory_per_gpu_gib", "memory_usable_gib")),
        (
            "time",
            (
                "tokens_per_second_per_gpu",
                "seconds_per_token_per_gpu",
                "tokens_per_second",
                "run_seconds",
                "calendar_factor",
                "run_days",
                "training_days",
                "training_days_p90",
                "days_to_deadline",
            ),
        ),
    ),
    "serving": (
        ("load", ("busy_hour_requests_per_second", "peak_requests_per_second", "tokens_per_month")),
        ("memory", ("weights_gib", "key_value_bytes_per_request", "memory_per_gpu_gib")),
        ("speed", ("tpot_s", "prefill_s", "ttft_s")),
        (
            "replicas",
            ("replica_requests_per_second", "replicas_before_rounding", "nodes", "capacity_requests_per_second"),
        ),
    ),
    "batch": (
        ("work", ("items_per_second_needed", "batch_tokens")),
        ("memory", ("weights_gib", "memory_per_gpu_gib")),
        ("speed", ("measured_tokens_per_request", "replica_items_estimated", "replica_items_per_second")),
        ("replicas", ("replicas_before_rounding", "gpus_for_window", "batch_hours")),
    ),
}
MONEY_BUY = ("purchase_tax", "purchase_cost", "lifetime_share", "owned_cost_per_gpu_hour")
MONEY_RENT = ("rental_gpu_cost", "rental_cost", "rental_cost_per_gpu_hour")
POWER = ("it_power_kw", "facility_power_kw")
SELF_EVIDENT = ("tokens_per_second_per_gpu",)  # the reciprocal of another row
LONGEST_SYMBOLS = 30


def formulas(case: Case) -> Formulas | None:
    """Groups of formulas and what their symbols mean."""
    derivation = Derivation(case)
    plan = [
        *GROUPS[case.kind],
        *([] if case.rents else [("power", POWER)]),
        ("money", MONEY_RENT if case.rents else MONEY_BUY),
    ]
    groups, used = [], []
    for name, keys in plan:
        rows = [row for key in keys if (row := _row(case, derivation, key))]
        if rows:
            groups.append(FormulaGroup(name=case.voice.say(f"formulas_{name}"), rows=tuple(rows)))
            used += [key for key in keys if derivation.has(key)]
    if not groups:
        return None
    return Formulas(
        intro=case.voice.say("formulas_intro"), groups=tuple(groups), symbols=_symbols(case, derivation, used)
    )


def _row(case: Case, derivation: Derivation, key: str) -> FormulaRow | None:
    if key in SELF_EVIDENT or not derivation.has(key):
        return None
    mathematics = derivation.equation(key)
    if mathematics is None:
        return None
    return FormulaRow(
        name=case.voice.label(key),
        source=source_name(case, case.result.quantities[key].source),
        mathematics=mathematics,
    )


def source_name(case: Case, key: str) -> str:
    """Who stands behind a formula or a value; nothing for the program itself."""
    if key in ("", "scenario", "reportgen", "catalog"):
        return ""
    found = next((source for source in case.result.sources if source.key == key), None)
    if found is None:
        return ""
    title = case.voice.words.source_title(found.key, found.title)
    return title if found.publisher in ("", "reportgen") else found.publisher


def _symbols(case: Case, derivation: Derivation, used: list[str]) -> tuple[tuple[str, str], ...]:
    """Symbols that occur and are not the left side of a row."""
    names: dict[str, str] = {}
    for key in used:
        for name in symbols_of(derivation.taken(derivation.formulas[key].expression)):
            if name not in used and case.raw(name) is not None:
                names.setdefault(derivation.symbol(name), case.voice.label(name))
    ordered = sorted(names.items(), key=lambda pair: pair[0].casefold())
    return tuple(ordered[:LONGEST_SYMBOLS])
