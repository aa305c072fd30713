"""Measured runs nearest to the request, each beside its estimate."""

from __future__ import annotations

from reportgen.evaluation.result import NearestRun
from reportgen.memo.compose.case import Case
from reportgen.memo.table_schema import Cell, Column, Row, Table

NONE = "–"
NUMBERS = ("measured", "estimated", "error")
COLUMNS = (
    ("run", 0.3),
    ("hardware", 0.16),
    ("sequence", 0.16),
    ("measured", 0.14),
    ("estimated", 0.14),
    ("error", 0.1),
)


def measured_runs(case: Case) -> Table | None:
    """This request first, then the runs; nothing where no run is comparable."""
    found = case.result.nearest_runs
    if not found:
        return None
    columns = tuple(
        Column(name=case.voice.say(f"runs_column_{key}"), number=key in NUMBERS, width=width) for key, width in COLUMNS
    )
    rows = (_request(case), *(_run(case, run) for run in found))
    return Table(columns=columns, rows=rows, note=case.voice.say("runs_note"))


def _request(case: Case) -> Row:
    voice, facts = case.voice, case.facts
    speed = voice.number(case.value("tokens_per_second_per_gpu"), "tokens/s")
    hardware = _hardware(case, case.value("gpus"), facts.accelerator)
    sequence = _sequence(case, str(case.raw("compute_precision")), case.value("sequence_length"))
    return Row(cells=(voice.say("runs_request"), hardware, sequence, NONE, speed, NONE), kind="chosen")


def _run(case: Case, run: NearestRun) -> Row:
    voice = case.voice
    method = "" if run.method == "full" else f", {voice.say(f'method_{run.method}')}"
    error = run.estimated / run.measured - 1
    return Row(
        cells=(
            Cell(text=f"{run.model}{method}", below=run.source),
            _hardware(case, run.gpus, run.accelerator),
            _sequence(case, run.precision, run.sequence_length),
            voice.number(run.measured, "tokens/s"),
            voice.number(run.estimated, "tokens/s"),
            f"{'+' if error >= 0 else '−'}{voice.fixed(abs(100 * error), 0)}%",
        )
    )


def _hardware(case: Case, gpus: float, accelerator: str) -> str:
    name = case.accelerator(accelerator)
    return f"{case.voice.number(gpus)} × {name}" if gpus else name


def _sequence(case: Case, precision: str, length: float) -> str:
    return f"{precision}, {case.voice.number(length)}"
