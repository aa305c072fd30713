"""reportgen doctor: what is installed, what is missing, the command that mends it."""

from __future__ import annotations

import ctypes.util
import platform
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from importlib import metadata
from pathlib import Path

import click

from reportgen import __version__
from reportgen.cli.bug_report import version_of
from reportgen.cli.lazy_group import Command
from reportgen.cli.settings import Settings
from reportgen.errors import ReportError

LEAST_PYTHON = (3, 11)
TEXT_ENGINE = ("pango-1.0", "pangoft2-1.0", "harfbuzz", "harfbuzz-subset", "fontconfig")
INSTALLERS = {  # program -> packages of Pango, package of LibreOffice
    "apt-get": (
        "apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz-subset0 libfontconfig1",
        "apt-get install libreoffice-calc-nogui",
    ),
    "dnf": ("dnf install pango fontconfig", "dnf install libreoffice-calc"),
    "apk": ("apk add pango fontconfig harfbuzz-subset", "apk add libreoffice-calc"),
    "pacman": ("pacman -S pango fontconfig", "pacman -S libreoffice-still"),
    "brew": ("brew install pango", "brew install --cask libreoffice"),
}
FONTS_IN_PACKAGE = "memo/fonts"


@dataclass(frozen=True)
class Finding:
    """One part: its state is ok, missing or optional (missing, but only needed for extras)."""

    part: str
    state: str
    found: str = ""
    mend: str = ""


@click.command(cls=Command)
@click.option("--json", "as_json", is_flag=True, help="The findings as JSON.")
@click.pass_obj
def command(settings: Settings, as_json: bool) -> int:
    """What is installed, what is missing, and the command that mends it.

    Exit code 5 when something needed is missing.
    """
    findings = [finding for examine in EXAMINATIONS for finding in examine()]
    if as_json:
        from reportgen.text.json import dumps

        click.echo(dumps({"version": 1, "findings": [asdict(finding) for finding in findings]}))
    else:
        try:
            click.echo(_printed(findings, settings), nl=False)
        except ReportError:  # the words themselves are broken: the findings still say so
            click.echo("\n".join(f"{item.part}: {item.state} {item.found} {item.mend}".rstrip() for item in findings))
    return 5 if any(finding.state == "missing" for finding in findings) else 0


def python() -> list[Finding]:
    """The interpreter."""
    good = sys.version_info[:2] >= LEAST_PYTHON
    mend = "" if good else f"install Python {'.'.join(map(str, LEAST_PYTHON))} or newer"
    return [Finding("Python", "ok" if good else "missing", f"{platform.python_version()}, {sys.executable}", mend)]


def libraries() -> list[Finding]:
    """What the package requires, from its own metadata."""
    findings = []
    for requirement in _requirements():
        if "extra ==" in requirement:
            continue
        name = requirement.split(";")[0].strip()
        bare = name.replace("<", " ").replace(">", " ").replace("=", " ").replace("!", " ").replace("~", " ").split()[0]
        found = version_of(bare)
        findings.append(
            Finding(
                bare,
                "ok" if found else "missing",
                found or "",
                "" if found else f"{sys.executable} -m pip install '{name}'",
            )
        )
    return findings


def _requirements() -> list[str]:
    try:
        return metadata.requires("reportgen") or []
    except metadata.PackageNotFoundError:  # run from its sources
        return ["click", "jinja2", "lxml", "numpy", "openpyxl", "pydantic", "pyyaml", "weasyprint"]


def text_engine() -> list[Finding]:
    """The libraries that set the PDF; tried in a process of their own, since a broken one may crash."""
    trial = subprocess.run(
        [sys.executable, "-c", "import weasyprint; print(weasyprint.__version__)"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    if trial.returncode == 0:
        return [Finding("Pango (pdf)", "ok", ctypes.util.find_library("pango-1.0") or "found by WeasyPrint")]
    absent = [name for name in TEXT_ENGINE if not ctypes.util.find_library(name)]
    return [
        Finding(
            "Pango (pdf)", "missing", f"missing: {', '.join(absent)}" if absent else "cannot be loaded", _installer(0)
        )
    ]


def fonts() -> list[Finding]:
    """The typefaces of the memo."""
    folder = Path(__file__).resolve().parents[1] / FONTS_IN_PACKAGE
    faces = sorted(folder.glob("*.ttf"))
    if faces:
        return [Finding("Fonts (pdf)", "ok", f"{len(faces)} typefaces in {folder}")]
    return [Finding("Fonts (pdf)", "missing", "", f"{sys.executable} -m pip install --force-reinstall reportgen")]


def catalog() -> list[Finding]:
    """The facts and the words: every file is read and checked."""
    from reportgen.catalog import load_catalog
    from reportgen.catalog.wording import languages, wording

    try:
        facts = load_catalog()
        records = len(facts.accelerators) + len(facts.servers) + len(facts.models) + len(facts.rents)
        words = ", ".join(wording(language).language for language in languages())
    except ReportError as error:
        return [
            Finding("Catalog", "missing", str(error), f"{sys.executable} -m pip install --force-reinstall reportgen")
        ]
    return [Finding("Catalog", "ok", f"{records} accelerators, servers, models and prices; words: {words}")]


def office() -> list[Finding]:
    """LibreOffice recalculates workbooks in tests; nothing else needs it."""
    found = shutil.which("soffice") or shutil.which("libreoffice")
    return [Finding("LibreOffice", "ok" if found else "optional", found or "", "" if found else _installer(1))]


def _installer(which: int) -> str:
    return next(
        (commands[which] for program, commands in INSTALLERS.items() if shutil.which(program)),
        INSTALLERS["apt-get"][which],
    )


EXAMINATIONS: tuple[Callable[[], list[Finding]], ...] = (python, libraries, text_engine, fonts, catalog, office)


def _printed(findings: list[Finding], settings: Settings) -> str:
    from reportgen.catalog.wording import wording
    from reportgen.text.blocks import Answer, Cell, Table
    from reportgen.text.table import Terminal

    words = wording(settings.language or "en")
    marks = {"ok": "good", "missing": "bad", "optional": "look"}
    rows = tuple(
        (
            finding.part,
            Cell(words.label(f"cli_doctor_{finding.state}"), marks[finding.state]),
            finding.found,
            finding.mend,
        )
        for finding in findings
    )
    head = tuple(words.label(f"cli_doctor_{key}") for key in ("part", "state", "found", "mend"))
    if not any(finding.mend for finding in findings):
        head, rows = head[:3], tuple(row[:3] for row in rows)
    ready = all(finding.state != "missing" for finding in findings)
    sentence = words.label("cli_doctor_ready" if ready else "cli_doctor_not_ready")
    said = Answer(
        words.text("cli_doctor_title", version=__version__),
        sentence,
        (Table("", head, rows, flexible=tuple(range(2, len(head)))),),
    )
    return Terminal(colored=settings.colored(sys.stdout)).answer(said)
