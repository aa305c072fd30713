"""The accuracy of estimates as tables: all rows, then by class, then what was skipped."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from reportgen.catalog.wording import Wording, wording
from reportgen.evaluation.accuracy.report import Score, score, scores, skip_reasons
from reportgen.evaluation.accuracy.rows import UNLISTED, Outcome
from reportgen.evaluation.nearest_runs import held_out
from reportgen.text.blocks import Answer, Block, Lines, Table

COLUMNS = ("rows", "median", "ninth_decile", "bias", "covered")
WHOLE_RUN_COLUMNS = ("gpus", "hours_measured", "estimated", "days_measured", "estimated", "ratio")
REASONS_SHOWN = 12
FIRST_TOKEN = "ttft_ms"


def outcome_rows(outcomes: Mapping[str, Sequence[Outcome]]) -> list[tuple]:
    """Every row for a table of programs: numbers, error, the reason where there is no estimate, and its classes."""
    every = [outcome for found in outcomes.values() for outcome in found]
    classes = tuple(dict.fromkeys(name for outcome in every for name in outcome.classes if name != "metric"))
    head = ("id", "kind", "measured", "predicted", "p10", "p90", "error", "skipped", "regime", *classes)
    return [head, *(_outcome_row(outcome, classes) for outcome in every)]


def _outcome_row(outcome: Outcome, classes: Sequence[str]) -> tuple:
    error = outcome.predicted / outcome.measured - 1 if outcome.counts else None
    numbers = (outcome.measured, outcome.predicted, outcome.p10, outcome.p90, error)
    said = (outcome.classes.get(name) for name in classes)
    return (outcome.id, outcome.kind, *numbers, outcome.skipped, outcome.regime, *said)


def accuracy_answer(outcomes: Mapping[str, Sequence[Outcome]], language: str) -> Answer:
    """Tables of every kind that was evaluated."""
    words = wording(language)
    blocks: list[Block] = []
    for kind, found in outcomes.items():
        blocks += _blocks(kind, found, words)
    return Answer(words.label("accuracy_title"), words.label("accuracy_sentence"), tuple(blocks))


def _blocks(kind: str, outcomes: Sequence[Outcome], words: Wording) -> list[Block]:
    compared = [outcome for outcome in outcomes if outcome.counts and outcome.whole_run is None]
    whole = [outcome for outcome in outcomes if outcome.counts and outcome.whole_run is not None]
    if not compared:
        return [*_whole_runs(whole, words), *_skipped(outcomes, words)]
    title = words.label(f"accuracy_{kind}")
    totals = [score(words.label("accuracy_all"), compared)]
    if unseen := held_out(compared) if kind == "training_time" else []:
        totals.append(score(words.label("accuracy_held_out"), unseen))
    blocks: list[Block] = [_table(title, totals, words)]
    by_metric = scores(compared, lambda outcome: outcome.classes.get("metric", ""))
    blocks += [_table(words.label("accuracy_by_metric"), by_metric, words)] if by_metric else []
    for said, part in _parts(compared, words):
        blocks += _by_class(part, said, words)
    return blocks + _unlisted(compared, words) + _whole_runs(whole, words) + _skipped(outcomes, words)


def _unlisted(compared: Sequence[Outcome], words: Wording) -> list[Block]:
    """Which rows have the widest range, and why."""
    rows = [outcome for outcome in compared if outcome.classes.get("regime") == UNLISTED]
    names = ", ".join(dict.fromkeys(outcome.classes["accelerator"] for outcome in rows))
    return [Lines("", (words.text("accuracy_unlisted", rows=len(rows), names=names),))] if rows else []


def _parts(compared: Sequence[Outcome], words: Wording) -> list[tuple[str, list[Outcome]]]:
    """The first token is a rougher estimate than all others: its errors are not mixed with theirs."""
    first = [outcome for outcome in compared if outcome.classes.get("metric") == FIRST_TOKEN]
    others = [outcome for outcome in compared if outcome.classes.get("metric") != FIRST_TOKEN]
    if not first or not others:
        return [("", list(compared))]
    return [(words.label("accuracy_without_first"), others), (words.label("accuracy_first"), first)]


def _by_class(part: Sequence[Outcome], said: str, words: Wording) -> list[Block]:
    names = dict.fromkeys(name for outcome in part for name in outcome.classes if name != "metric")
    found = [(name, scores(part, lambda outcome, name=name: outcome.classes.get(name, ""))) for name in names]
    return [_table(words.label(f"accuracy_by_{name}") + said, rows, words) for name, rows in found if rows]


def _whole_runs(outcomes: Sequence[Outcome], words: Wording) -> list[Block]:
    """Published hours and days of whole trainings, beside the estimate with everything that is lost."""
    if not outcomes:
        return []
    title = words.label("accuracy_whole_runs")
    head = (title, *(words.label(f"accuracy_{column}") for column in WHOLE_RUN_COLUMNS))
    rows = tuple(_whole_run(outcome) for outcome in outcomes)
    return [
        Table("", head, rows, right=frozenset(range(1, len(head)))),
        _table(title, [score(words.label("accuracy_all"), outcomes)], words),
    ]


def _whole_run(outcome: Outcome) -> tuple[str, ...]:
    run = outcome.whole_run
    days = (run.days(outcome.measured), run.days(outcome.predicted))
    return (
        f"{run.model}, {run.accelerator}",
        f"{run.gpus:,}" if run.gpus else "–",
        *(f"{run.gpu_hours(value):,.0f}" for value in (outcome.measured, outcome.predicted)),
        *("–" if value is None else f"{value:.3g}" for value in days),
        f"{outcome.predicted / outcome.measured:.2f}",
    )


def _table(title: str, found: Sequence[Score], words: Wording) -> Table:
    head = (title, *(words.label(f"accuracy_{column}") for column in COLUMNS))
    rows = tuple(
        (item.name, str(item.rows), *(_percent(value) for value in (item.median, item.ninth_decile)),
         _percent(item.bias, signed=True), _percent(item.covered))
        for item in found
    )  # fmt: skip
    return Table("", head, rows, right=frozenset(range(1, 6)))


def _percent(value: float, signed: bool = False) -> str:
    if value != value:
        return "–"
    return f"{100 * value:{'+' if signed else ''}.1f} %".replace("-", "−")


def _skipped(outcomes: Sequence[Outcome], words: Wording) -> list[Block]:
    reasons = skip_reasons(outcomes)
    if not reasons:
        return []
    shown = [(reason, str(count)) for reason, count in reasons[:REASONS_SHOWN]]
    rest = sum(count for _, count in reasons[REASONS_SHOWN:])
    if rest:
        shown.append((words.label("accuracy_other_reasons"), str(rest)))
    head = (words.label("accuracy_skipped"), words.label("accuracy_rows"))
    return [Table("", head, tuple(shown), right=frozenset({1}))]
