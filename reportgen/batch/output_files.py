"""Files of a build: safe names, no two the same, each written whole or not at all."""

from __future__ import annotations

import os
import re
import tempfile
import unicodedata
from pathlib import Path

from reportgen.errors import OutputError, Place

LONGEST_NAME = 80
RESERVED = re.compile(r"(?i)(con|prn|aux|nul|com[0-9]|lpt[0-9])(\..*)?")


def slug(name: str) -> str:
    """A name that every file system takes: letters, digits, dot, hyphen, underscore."""
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode()
    kept = re.sub(r"[^A-Za-z0-9._-]+", "-", plain)[:LONGEST_NAME].strip("-. ") or "scenario"
    return f"{kept}-" if RESERVED.fullmatch(kept) else kept


def unique_slugs(names: list[str]) -> list[str]:
    """A slug a name; the second of two that differ only in case gets -2."""
    taken: set[str] = set()
    slugs = []
    for name in names:
        first = candidate = slug(name)
        number = 1
        while candidate.casefold() in taken:
            number += 1
            candidate = f"{first}-{number}"
        taken.add(candidate.casefold())
        slugs.append(candidate)
    return slugs


def write_file(path: Path, content: bytes) -> Path:
    """Write beside the target, then put it in place. OutputError when that is not possible."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name[:40]}.", suffix=".part")
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(content)
            os.chmod(temporary, 0o666 & ~_umask())
            os.replace(temporary, path)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        reason = error.strerror or str(error)
        fix = "choose another folder with -o"
        if isinstance(error, (FileExistsError, NotADirectoryError)):
            reason = "a file stands where a folder is needed"
        elif path.exists():
            fix = "close the program that holds it open, or choose another folder with -o"
        raise OutputError.of("cannot-write", f"cannot write '{path}': {reason}", fix, Place(file=str(path))) from error
    return path


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
