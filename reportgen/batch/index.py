"""The two overviews of a batch: summary.csv for programs and spreadsheets, index.html for people."""

from __future__ import annotations

import os
from collections.abc import Sequence
from html import escape
from pathlib import Path

from reportgen.batch.work import CHECK_FAILED, DONE, ERROR, Outcome
from reportgen.catalog.wording import wording
from reportgen.errors import Problem
from reportgen.evaluation.result import Result
from reportgen.text.csv import table
from reportgen.text.headline import HEADLINE
from reportgen.text.speech import NOTHING, Speech

STYLE = """
body{font:15px/1.5 system-ui,"PingFang SC","Microsoft YaHei","Noto Sans CJK SC",sans-serif;color:#18222d;
margin:2rem auto;max-width:80rem;padding:0 1rem}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%}
th,td{padding:.4rem .7rem;border-bottom:1px solid #c5ccd3;text-align:left;vertical-align:top}
th{color:#55616e;border-bottom:2px solid #18222d}a{color:#123f63}
td.figure,th.figure{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}
.check_failed,.error{color:#a8441a;font-weight:600}
""".strip().replace("\n", "")
PAGE = """<!doctype html>
<html lang="{language}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>{title}</title><style>{style}</style>
<h1>{title}</h1>
<p>{summary}
<p>{links}
<div class="wide"><table><thead><tr>{head}</thead><tbody>
{body}
</tbody></table></div>
"""


def summary_rows(outcomes: Sequence[Outcome]) -> list[tuple]:
    """A head, then a row a scenario: state, headline values in base units, the first error."""
    present = [
        key for key in HEADLINE if any(outcome.result and key in outcome.result.quantities for outcome in outcomes)
    ]
    rows: list[tuple] = [
        ("scenario", "file", "state", "exit_code", "id", "title", "accelerator", "currency", *present, "error")
    ]
    for outcome in outcomes:
        result = outcome.result
        known = (
            (result.id, result.facts.title, result.facts.accelerator, result.facts.currency) if result else ("",) * 4
        )
        values = [result.beside(key) if result else None for key in present]
        error = place_and_message(outcome.problems[0]) if outcome.problems else ""
        rows.append((outcome.task.name, outcome.task.file, outcome.state, outcome.exit_code, *known, *values, error))
    return rows


def summary_csv(outcomes: Sequence[Outcome]) -> bytes:
    """The summary as CSV."""
    return table(summary_rows(outcomes))


def place_and_message(problem: Problem) -> str:
    """A problem in one line."""
    place = problem.place
    numbers = [str(number) for number in (place.line, place.column) if number]
    return f"{':'.join([place.file, *numbers])}: {problem.message}" if place.file else problem.message


def counts(outcomes: Sequence[Outcome]) -> dict[str, int]:
    """How many scenarios ended in which state."""
    return {state: sum(outcome.state == state for outcome in outcomes) for state in (DONE, CHECK_FAILED, ERROR)}


def index_html(outcomes: Sequence[Outcome], language: str, output: Path, shared: Sequence[str] = ()) -> bytes:
    """One page with links to every file. `shared` are the files about all scenarios, such as the comparison."""
    words = wording(language)
    found = counts(outcomes)
    title = words.text("cli_batch_title", count=len(outcomes))
    summary = words.text("cli_batch_summary", done=found[DONE], failed=found[CHECK_FAILED], wrong=found[ERROR])
    head = "".join(f"<th>{escape(words.label(f'cli_batch_{key}'))}" for key in ("scenario", "state"))
    figures = ("gpus", "result", "power", "cost")
    head += "".join(f'<th class="figure">{escape(words.label(f"cli_batch_{key}"))}' for key in figures)
    body = "\n".join(_row(outcome, language, output) for outcome in outcomes)
    links = " · ".join(_link(file, output) for file in shared)
    head += f"<th>{escape(words.label('cli_batch_files'))}"
    page = PAGE.format(
        language=language, title=escape(title), style=STYLE, summary=escape(summary), links=links, head=head, body=body
    )
    return page.encode("utf-8", errors="replace")


def _row(outcome: Outcome, language: str, output: Path) -> str:
    state = wording(language).label(f"cli_state_{outcome.state}")
    title = outcome.result.facts.title if outcome.result else outcome.task.file
    errors = "".join(f"<br><small>{escape(place_and_message(problem))}</small>" for problem in outcome.problems)
    name = f"<strong>{escape(outcome.task.name)}</strong><br>{escape(title)}{errors}"
    figures = "".join(f'<td class="figure">{escape(text)}' for text in _figures(outcome.result, language))
    files = " ".join(_link(file, output, Path(file).suffix.lstrip(".")) for file in outcome.files)
    return f'<tr><td>{name}<td class="{outcome.state}">{escape(state)}{figures}<td>{files}'


def _figures(result: Result | None, language: str) -> tuple[str, ...]:
    """GPUs, what they take or carry, power, and what is asked for."""
    if result is None:
        return (NOTHING,) * 4
    speech = Speech(result, language)
    outcome = next((key for key in ("training_days", "batch_hours", "replicas") if result.has(key)), "")
    keys = ("gpus", outcome, "it_power_kw")
    known = [key in result.quantities and result.concerns(key) for key in keys]
    shown = [speech.of(result.quantities[key]) if is_known else NOTHING for key, is_known in zip(keys, known, strict=True)]
    return (*shown, speech.asked())


def _link(file: str, output: Path, name: str = "") -> str:
    relative = Path(os.path.relpath(file, output)).as_posix()
    return f'<a href="{escape(relative, quote=True)}">{escape(name or relative)}</a>'
