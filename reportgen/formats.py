"""The outputs by name. A format is one entry of FORMATS; its module is imported when the format is asked for."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from reportgen.errors import OutputError, ReportError, UsageError

if TYPE_CHECKING:
    from reportgen.evaluation.compare import Comparison
    from reportgen.evaluation.result import Result


@dataclass(frozen=True)
class Manner:
    """How to render: choices that are not part of the result."""

    templates: str | None = None  # folder of memo templates
    warnings: list[str] = field(default_factory=list, compare=False)  # what renderers have to say goes here
    latest: list[tuple[Result, bytes]] = field(default_factory=list, compare=False)  # the workbook made last


@dataclass(frozen=True)
class Renderer:
    """The ending of the file, what makes it of one result, and what makes it of several (None: not offered)."""

    extension: str
    one: Callable[[Result, Manner], bytes]
    several: Callable[[Comparison, Sequence[Result], Manner], bytes] | None = None


def _xlsx(result: Result, manner: Manner) -> bytes:
    from reportgen.workbook import build_workbook

    if not manner.latest or manner.latest[0][0] is not result:
        manner.latest[:] = [(result, build_workbook(result))]
    return manner.latest[0][1]


def _xlsx_several(comparison: Comparison, results: Sequence[Result], manner: Manner) -> bytes:
    from reportgen.workbook import build_comparison_workbook

    return build_comparison_workbook(results)


def _pdf(result: Result, manner: Manner) -> bytes:
    from reportgen.memo import build_pdf

    files = [*attachments(result), workbook_file(result, manner)]
    return build_pdf(result, files, manner.templates, manner.warnings)


def _pdf_several(comparison: Comparison, results: Sequence[Result], manner: Manner) -> bytes:
    from reportgen.memo import build_comparison_pdf

    files = [
        dataclasses.replace(file, name=f"{letter} {file.name}")
        for letter, result in zip(comparison.letters, results, strict=True)
        for file in attachments(result)
    ]
    return build_comparison_pdf(comparison, files, manner.templates, manner.warnings)


def _html(result: Result, manner: Manner) -> bytes:
    from reportgen.memo import build_html

    return build_html(result, templates_dir=manner.templates).encode()


def _html_several(comparison: Comparison, results: Sequence[Result], manner: Manner) -> bytes:
    from reportgen.memo import build_comparison_html

    return build_comparison_html(comparison, templates_dir=manner.templates).encode()


def _markdown(result: Result, manner: Manner) -> bytes:
    from reportgen.text.answer import answer
    from reportgen.text.markdown import markdown

    return markdown(answer(result)).encode()


def _markdown_several(comparison: Comparison, results: Sequence[Result], manner: Manner) -> bytes:
    from reportgen.text.comparison import comparison_answer
    from reportgen.text.markdown import markdown

    return markdown(comparison_answer(comparison, results)).encode()


def _csv(result: Result, manner: Manner) -> bytes:
    from reportgen.text.csv import hardware_list

    return hardware_list(result)


def _csv_several(comparison: Comparison, results: Sequence[Result], manner: Manner) -> bytes:
    from reportgen.text.csv import summary

    return summary(results)


def _json(result: Result, manner: Manner) -> bytes:
    from reportgen.text.json import result_json

    return (result_json(result) + "\n").encode()


def _json_several(comparison: Comparison, results: Sequence[Result], manner: Manner) -> bytes:
    from reportgen.text.json import comparison_json

    return (comparison_json(comparison) + "\n").encode()


def _supplier(result: Result, manner: Manner) -> bytes:
    from reportgen.workbook import build_supplier_workbook

    return build_supplier_workbook(result)


FORMATS: dict[str, Renderer] = {
    "xlsx": Renderer("xlsx", _xlsx, _xlsx_several),
    "pdf": Renderer("pdf", _pdf, _pdf_several),
    "html": Renderer("html", _html, _html_several),
    "md": Renderer("md", _markdown, _markdown_several),
    "csv": Renderer("csv", _csv, _csv_several),
    "json": Renderer("json", _json, _json_several),
    "supplier": Renderer("supplier.xlsx", _supplier),
}
OTHER_NAMES = {"excel": "xlsx", "workbook": "xlsx", "memo": "pdf", "markdown": "md", "htm": "html", "rfq": "supplier"}


def named_formats(names: str) -> tuple[str, ...]:
    """The formats of a list such as "xlsx,pdf", each once. UsageError for one that does not exist."""
    wanted = [OTHER_NAMES.get(name, name) for part in names.split(",") if (name := part.strip().lower().lstrip("."))]
    unknown = next((name for name in wanted if name not in FORMATS), None)
    if unknown or not wanted:
        from difflib import get_close_matches

        near = tuple(get_close_matches(unknown or "", FORMATS, 1, 0.5))
        fix = f"did you mean '{near[0]}'?" if near else f"choose from: {', '.join(FORMATS)}"
        raise UsageError.of("unknown-format", f"unknown format '{unknown or names}'", fix, candidates=near)
    return tuple(dict.fromkeys(wanted))


def render(name: str, result: Result, manner: Manner | None = None) -> bytes:
    """One result in a format. OutputError when the renderer cannot run on this machine."""
    return _made(name, lambda: FORMATS[name].one(result, manner or Manner()))


def render_several(name: str, comparison: Comparison, results: Sequence[Result], manner: Manner | None = None) -> bytes:
    """Several results beside each other in a format."""
    several = FORMATS[name].several
    if several is None:
        raise UsageError.of("unknown-format", f"a comparison cannot be written as {name}", "choose another format")
    return _made(name, lambda: several(comparison, results, manner or Manner()))


def _made(name: str, make: Callable[[], bytes]) -> bytes:
    try:
        return make()
    except ReportError:
        raise
    except (ImportError, OSError) as error:
        if str(getattr(error, "name", "") or "").startswith("reportgen"):
            raise  # a fault of this program, not of the machine
        missing = f"cannot write {name}: {error}".splitlines()[0]
        raise OutputError.of("renderer-missing", missing, "reportgen doctor names the command that mends it") from error


def attachments(result: Result) -> list[Any]:
    """What lies inside the PDF: the scenario as written and the result as JSON."""
    from reportgen.memo import Attachment

    name = result.facts.name or "scenario"
    files = [Attachment(f"{name}.json", _json(result, Manner()), "The result: every input and every computed value")]
    if result.facts.scenario_text:
        files.insert(0, Attachment(f"{name}.yaml", result.facts.scenario_text.encode(), "The scenario as written"))
    return files


def workbook_file(result: Result, manner: Manner) -> Any:
    """The workbook as a file inside the memo: whoever gets the one has the other."""
    from reportgen.memo import Attachment

    name = f"{result.facts.name or 'scenario'}.xlsx"
    return Attachment(name, _xlsx(result, manner), "The workbook with live formulas")
