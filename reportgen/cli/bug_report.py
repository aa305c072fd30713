"""A bug of reportgen itself: everything that helps to find it goes into a file, its path onto the terminal."""

from __future__ import annotations

import platform
import sys
import tempfile
import traceback
from collections.abc import Sequence
from datetime import datetime
from importlib import metadata
from pathlib import Path

from reportgen import __version__

LIBRARIES = ("click", "pydantic", "PyYAML", "numpy", "openpyxl", "lxml", "Jinja2", "weasyprint")


def write_bug_report(error: BaseException, arguments: Sequence[str]) -> str:
    """The path of the report, in the folder for temporary files; the report itself when it cannot be written."""
    content = bug_report(error, arguments)
    try:
        with tempfile.NamedTemporaryFile(
            "w",
            prefix=f"reportgen-bug-{datetime.now():%Y%m%d-%H%M%S}-",
            suffix=".txt",
            delete=False,
            encoding="utf-8",
            errors="replace",
        ) as stream:
            stream.write(content)
        return str(Path(stream.name))
    except OSError:
        return content


def bug_report(error: BaseException, arguments: Sequence[str]) -> str:
    """Versions, the command line and the traceback."""
    lines = [
        f"reportgen {__version__}",
        f"python {platform.python_version()} on {platform.platform()}",
        *(f"{name} {version_of(name) or 'not installed'}" for name in LIBRARIES),
        "",
        f"arguments: {list(arguments)!r}",
        f"encoding of output: {getattr(sys.stdout, 'encoding', None)}",
        "",
        *traceback.format_exception(error),
    ]
    return "\n".join(lines) + "\n"


def version_of(library: str) -> str | None:
    """The installed version of a library."""
    try:
        return metadata.version(library)
    except metadata.PackageNotFoundError:
        return None
