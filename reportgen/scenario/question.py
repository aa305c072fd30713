"""What the rules of meaning look at, and what they find."""

from __future__ import annotations

import datetime
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from reportgen.catalog import Catalog
from reportgen.scenario.architecture import Architecture
from reportgen.scenario.schema import TRAINING_JOBS


@dataclass(frozen=True)
class Finding:
    """One thing that is wrong, at a dotted path; `key` points at the key and not at its value."""

    path: str
    code: str
    message: str
    fix: str = ""
    key: bool = False


@dataclass(frozen=True)
class Question:
    """The valid keys of a scenario by name; keys with errors are missing and their rules say nothing."""

    job: str
    keys: dict[str, Any]
    given: frozenset[str]
    architecture: Architecture | None
    catalog: Catalog
    date: datetime.date
    broken: frozenset[str] = field(default_factory=frozenset)

    def get(self, path: str) -> Any:
        """The read value at a dotted path, or None."""
        head, *rest = path.split(".")
        value = self.keys.get(head)
        for name in rest:
            value = getattr(value, name, None)
        return value

    def wrote(self, path: str) -> bool:
        """Whether the user wrote it."""
        return path in self.given

    def is_ok(self, name: str) -> bool:
        """Whether a top-level key is free of errors, so that its absence is a real absence."""
        return name not in self.broken

    @property
    def training(self) -> bool:
        """Whether the job trains."""
        return self.job in TRAINING_JOBS


Findings = Iterator[Finding]
