"""A column of a table that formulas read: the accelerator table, or a range of the Layouts sheet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from reportgen.formula.operations import MISSING


@dataclass(frozen=True)
class Column:
    """Values of one fact, a row a key. Missing numbers are MISSING."""

    name: str
    keys: tuple[str, ...]
    values: tuple

    def __iter__(self):
        return iter(self.values)

    def __len__(self) -> int:
        return len(self.values)

    def __getitem__(self, index: int) -> Any:
        return self.values[index]

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        numeric = not any(isinstance(value, str) for value in self.values)
        return np.array(self.values, dtype=dtype or (float if numeric else object))

    @cached_property
    def _rows(self) -> dict[str, int]:
        return {key: index for index, key in enumerate(self.keys)}

    def get(self, key: str) -> Any:
        """The value of a key; MISSING when the table has no such key."""
        index = self._rows.get(key)
        return MISSING if index is None else self.values[index]
