"""Which scenarios a batch means: folders, patterns and files, each file once, in a stable order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches
from glob import glob, has_magic
from pathlib import Path

from reportgen.errors import Place, Problem, UsageError

ENDINGS = (".yaml", ".yml", ".json")
LOOKS_LIKE_A_SCENARIO = re.compile(r"(?m)^(job|extends)\s*:")


def find_scenarios(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Files to do, and files of folders that are no scenarios, such as price books.

    UsageError with every name that means nothing.
    """
    found: dict[Path, str] = {}
    skipped: list[str] = []
    problems: list[Problem] = []
    for name in names:
        for file in _meant(name, skipped, problems):
            found.setdefault(Path(file).resolve(), file)
    if problems:
        raise UsageError(*problems)
    return list(found.values()), skipped


def _meant(name: str, skipped: list[str], problems: list[Problem]) -> list[str]:
    path, place = Path(name), Place(file=name)
    if path.is_dir():
        inside = sorted(
            str(file) for file in path.iterdir() if file.suffix.lower() in ENDINGS[:2] and not file.name.startswith(".")
        )
        chosen = [file for file in inside if _is_scenario(file)]
        skipped += [file for file in inside if file not in chosen]
        if not chosen:
            message = f"no scenario in folder '{name}'"
            problems.append(Problem("no-scenarios", message, "name a folder with .yaml files", place))
        return chosen
    if path.exists():
        return [name]
    if has_magic(name):
        matches = sorted(file for file in glob(name, recursive=True) if Path(file).is_file())
        if not matches:
            problems.append(Problem("no-scenarios", f"nothing matches '{name}'", "check the pattern", place))
        return matches
    near = _neighbours(path)
    fix = f"did you mean '{near[0]}'?" if near else "check the name and the folder"
    problems.append(Problem("no-scenarios", f"there is no file or folder '{name}'", fix, place, near))
    return []


def _neighbours(path: Path) -> tuple[str, ...]:
    """The nearest name beside one that does not exist."""
    try:
        names = [other.name for other in path.parent.iterdir()]
    except OSError:
        return ()
    return tuple(str(path.parent / name) for name in get_close_matches(path.name, names, 1, 0.7))


def _is_scenario(file: str) -> bool:
    try:
        return bool(LOOKS_LIKE_A_SCENARIO.search(Path(file).read_text(encoding="utf-8-sig")))
    except (OSError, UnicodeDecodeError):
        return True  # read later, where the error gets its place
