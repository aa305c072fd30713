"""A memo or a comparison as HTML or PDF.

The PDF is PDF/A-3 with tags: title, language, bookmarks, and files attached inside. The same context gives the same
bytes. Nothing is fetched: the only addresses that resolve are the shipped typefaces.
"""

from __future__ import annotations

import datetime
import logging
from base64 import b64encode
from collections.abc import Iterable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import TemplateError
from markupsafe import Markup

from reportgen.catalog.look import look
from reportgen.errors import OutputError
from reportgen.memo.context_schema import APPENDICES, SECTIONS, Comparison, Memo, appendix_letter
from reportgen.memo.environment import (
    MISSING,
    PAGE_WIDTH,
    Typesetter,
    environment,
    find_templates,
    fixed_words,
    language_of,
    style_sheet,
    template_error,
)
from reportgen.memo.faces import FONTS, text_width
from reportgen.memo.fit import Fit, first_fit, tightened

VARIANT = "pdf/a-3u"
LAYOUTS = 3  # a memo that overflows two pages is laid out again with less, at most so often in all
PANGO = (
    "apt-get install libpango-1.0-0 libpangoft2-1.0-0 libharfbuzz0b libharfbuzz-subset0 libfontconfig1"
    " (macOS: brew install pango)"
)
PAGE_TOP, PAGE_BOTTOM, GAP = 19.0, 297.0 - 17.0, 4.6  # millimetres: where text begins and ends, between sections
POINTS = 72 / 25.4
PIXELS = 96 / 25.4  # WeasyPrint counts in CSS pixels


@dataclass(frozen=True)
class Attachment:
    """A file inside the PDF."""

    name: str
    content: bytes
    description: str = ""


# ---- HTML ------------------------------------------------------------------------------------------------------------
def render_html(
    context: Memo | Comparison, language: str, date: datetime.date | str = "", templates_dir: str | Path | None = None
) -> str:
    """One self-contained page: styles and Latin typefaces inside, Chinese from the reader's machine."""
    folder = find_templates(templates_dir)
    style = _inlined(folder, language_of(language))
    return _page(context, language, folder, Fit(), str(date), Markup(style))


@cache
def _inlined(folder: Path, language: str) -> str:
    """The style sheet with typefaces as data."""
    sheet = style_sheet(folder, language, screen=True)
    for face in sorted((FONTS / "web").glob("*.woff2")):
        data = b64encode(face.read_bytes()).decode("ascii")
        sheet = sheet.replace(f"asset:{face.name}", f"data:font/woff2;base64,{data}")
    return sheet


def _page(context: Memo | Comparison, language: str, folder: Path, fit: Fit, date: str, style: Markup | str) -> str:
    """The document as HTML text."""
    language = language_of(language)
    env = environment(language, folder, bool(style))
    words = fixed_words(language)
    memo = isinstance(context, Memo)
    kind = context.document.style if memo else "comparison"
    values = {
        "c": context, "d": context.document, "fit": fit, "date": date, "inline_style": style,
        "kind": words(f"kind_{kind}"), "purpose": words(f"purpose_{kind}"),
        "title_long": _title_is_long(context.title.main, language),
    }  # fmt: skip
    if memo:
        values |= _parts(context, words)
    try:
        return env.get_template("memo.html.j2" if memo else "comparison.html.j2").render(values)
    except TemplateError as error:
        raise template_error(error) from error


def _parts(memo: Memo, words: Any) -> dict[str, Any]:
    """Order, numbers and names of the sections and appendices."""
    pages = SECTIONS[memo.document.style]
    sections = [name for page in pages for name in page if name != "figures"]
    present = [name for name in APPENDICES if getattr(memo.appendices, name) is not None]
    return {
        "pages": pages,
        "numbers": dict(zip(sections, words("marks").split("|"), strict=False)),
        "heads": {name: words(f"section_{name}") for name in sections}
        | {name: words(f"appendix_{name}") for name in present},
        "appendix_names": present,
        "letters": {name: appendix_letter(present, name) for name in present},
    }


def _title_is_long(title: str, language: str) -> bool:
    """Whether the title needs more than two lines of the large type."""
    size = look().size["title"] * 1.05 if language == "en" else 17.0
    return text_width(Typesetter(language).flat(title), size, True) > 1.94 * PAGE_WIDTH


# ---- PDF -------------------------------------------------------------------------------------------------------------
def render_pdf(
    context: Memo | Comparison,
    language: str,
    attachments: Iterable[Attachment] = (),
    date: datetime.date | str = "",
    templates_dir: str | Path | None = None,
    warnings: list[str] | None = None,
) -> bytes:
    """The PDF. `date` (ISO) dates the file and its attachments; warnings about characters and layout are appended."""
    engine = _engine()
    day = _day(date)
    folder = find_templates(templates_dir)
    sheet = _parsed_sheet(folder, language_of(language))
    found: list[str] = []
    missing: set[str] = set()
    token = MISSING.set(missing)
    try:
        with _listening(found):
            document = _fitted_layout(engine, context, language, folder, day.date().isoformat(), sheet)
            files = [
                engine.Attachment(string=file.content, name=file.name, description=file.description or None,
                                  relationship="Source", created=day, modified=day)
                for file in attachments
            ]  # fmt: skip
            pdf = document.write_pdf(attachments=files, pdf_variant=VARIANT, pdf_tags=True)
    except engine.urls.FatalURLFetchingError as error:
        raise OutputError.of("fetch", f"a template asks for something outside: {error}", "remove it") from None
    finally:
        MISSING.reset(token)
    if missing:
        shown = " ".join(f"{character} (U+{ord(character):04X})" for character in sorted(missing))
        found.insert(0, f"no shipped typeface holds {shown}: printed as 〓 in the PDF")
    if warnings is not None:
        warnings.extend(found)
    return pdf


def _day(date: datetime.date | str) -> datetime.datetime:
    """Midnight UTC of the date; a fixed day when none is given, so that no clock reaches the bytes."""
    text = str(date)[:10] or "1980-01-01"
    return datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC)


def _fitted_layout(engine: Any, context: Any, language: str, folder: Path, date: str, sheet: Any) -> Any:
    """The pages; a memo that overflows its two pages is laid out again with less."""
    fit = first_fit(context) if isinstance(context, Memo) else Fit()
    for attempt in range(LAYOUTS):
        html = _page(context, language, folder, fit, date, "")
        page = engine.HTML(string=html, url_fetcher=_fetcher())
        document = page.render(font_config=_font_configuration(), stylesheets=[sheet], pdf_variant=VARIANT)
        if not isinstance(context, Memo) or attempt == LAYOUTS - 1:
            break
        missing = overflow(document, SECTIONS[context.document.style])
        if not any(missing):
            break
        fit, lacking = tightened(fit, context, missing)
        if attempt == LAYOUTS - 2 and lacking > 0:
            fit = replace(fit, flow=True)
    return document


def overflow(document: Any, pages: tuple[tuple[str, ...], ...]) -> tuple[float, float]:
    """How many points the first and the second page of the body lack; 0 where everything fits."""
    where = {
        name: (index, y / PIXELS)
        for index, page in enumerate(document.pages)
        for name, (_, y, *_) in page.anchors.items()
    }
    lacking, start = [], 0
    for sections in pages:
        ends = [where[f"end-{name}"] for name in sections if f"end-{name}" in where]
        last = ends[-1][0] if ends else start
        lack = 0.0
        if last > start:
            filled = {page: max(y for number, y in ends if number == page) for page in {number for number, _ in ends}}
            moved = sum(y - PAGE_TOP for page, y in filled.items() if page > start)
            lack = max((filled.get(start, PAGE_TOP) + GAP + moved - PAGE_BOTTOM) * POINTS, 1.0)
        lacking.append(lack)
        start = last + 1
    return lacking[0], lacking[1]


# ---- WeasyPrint, once a process --------------------------------------------------------------------------------------
@cache
def _engine() -> Any:
    """WeasyPrint, or an error that says what to install."""
    logging.getLogger("fontTools").setLevel(logging.ERROR)
    try:
        import weasyprint
    except ModuleNotFoundError as error:
        raise OutputError.of("renderer", f"PDF needs WeasyPrint: {error}", "pip install 'weasyprint>=70,<71'") from None
    except (ImportError, OSError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise OutputError.of("renderer", f"PDF needs WeasyPrint and Pango: {reason}", PANGO) from None
    return weasyprint


@cache
def _fetcher() -> Any:
    """Resolves asset:NAME to a shipped typeface and refuses everything else."""
    urls = _engine().urls

    class Assets(urls.URLFetcher):
        """No file, no network."""

        def fetch(self, url: str, headers: Any = None) -> Any:
            name = url.removeprefix("asset:")
            if url.startswith("asset:") and name in {face.name for face in FONTS.glob("RG*.ttf")}:
                return urls.URLFetcherResponse(url, (FONTS / name).read_bytes(), {"Content-Type": "font/ttf"})
            raise urls.FatalURLFetchingError(f"'{url[:80]}' is not a shipped typeface")

    return Assets()


@cache
def _font_configuration() -> Any:
    from weasyprint.text.fonts import FontConfiguration

    return FontConfiguration()


@cache
def _parsed_sheet(folder: Path, language: str) -> Any:
    engine = _engine()
    text = style_sheet(folder, language, screen=False)
    return engine.CSS(string=text, font_config=_font_configuration(), url_fetcher=_fetcher())


@contextmanager
def _listening(found: list[str]):
    """Collects what WeasyPrint warns about instead of printing it."""

    class Collector(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            text = record.getMessage()
            if text not in found:
                found.append(text)

    logger, handler = logging.getLogger("weasyprint"), Collector(logging.WARNING)
    before, logger.propagate = logger.propagate, False
    logger.addHandler(handler)
    try:
        yield
    finally:
        logger.removeHandler(handler)
        logger.propagate = before
