"""Which scenarios a batch means: folders, patterns and files, each file once, in a stable order."""

from __future__ import annotations

import re
from collections.abc import Iterable
from glob import glob, has_magic
from pathlib import Path

from reportgen.errors import Place, ScenarioError

ENDINGS = (".yaml", ".yml", ".json")
LOOKS_LIKE_A_SCENARIO = re.compile(r"(?m)^(job|extends)\s*:")


def find_scenarios(names: Iterable[str]) -> tuple[list[str], list[str]]:
    """Files to do, and files of folders that are no scenarios, such as price books.

    ScenarioError when a name means nothing.
    """
    found: dict[Path, str] = {}
    skipped: list[str] = []
    for name in names:
        for file in _meant(name, skipped):
            found.setdefault(Path(file).resolve(), file)
    return list(found.values()), skipped


def _meant(name: str, skipped: list[str]) -> list[str]:
    path = Path(name)
    if path.is_dir():
        inside = sorted(
            str(file) for file in path.iterdir() if file.suffix.lower() in ENDINGS[:2] and not file.name.startswith(".")
        )
        chosen = [file for file in inside if _is_scenario(file)]
        skipped += [file for file in inside if file not in chosen]
        if not chosen:
            raise ScenarioError.of(
                "no-scenarios", f"no scenario in folder '{name}'", "name a folder with .yaml files", Place(file=name)
            )
        return chosen
    if has_magic(name) and not path.exists():
        matches = sorted(file for file in glob(name, recursive=True) if Path(file).is_file())
        if not matches:
            raise ScenarioError.of("no-scenarios", f"nothing matches '{name}'", "check the pattern", Place(file=name))
        return matches
    return [name]


def _is_scenario(file: str) -> bool:
    try:
        return bool(LOOKS_LIKE_A_SCENARIO.search(Path(file).read_text(encoding="utf-8-sig")))
    except (OSError, UnicodeDecodeError):
        return True  # read later, where the error gets its place
