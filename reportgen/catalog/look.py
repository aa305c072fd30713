"""The look that memo, page and workbook share: palette, sizes, spaces, fonts, and the number rules by unit."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from reportgen.catalog.record import explain
from reportgen.catalog.yaml_data import DATA, read_data
from reportgen.errors import CatalogError, Place


class NumberRule(BaseModel):
    """How numbers of a unit are written, and the format of a cell that holds one."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    kind: Literal["count", "decimal", "percent", "magnitude", "money", "price", "date", "text"]
    decimals: int
    excel: str


class Look(BaseModel):
    """Design tokens. Colours are RRGGBB without #; sizes and spaces are points."""

    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)

    colour: Mapping[str, str]
    memory: Mapping[str, str]
    size: Mapping[str, float]
    space: Mapping[str, float]
    font: Mapping[str, Mapping[str, str | float]]
    numbers: Mapping[str, NumberRule]

    def css(self, name: str) -> str:
        """A colour of the palette or of the memory bar as #RRGGBB. Raises KeyError for an unknown name."""
        return f"#{self.colour[name] if name in self.colour else self.memory[name]}"

    def number_rule(self, unit: str) -> NumberRule:
        """The rule of a unit; for a ratio of its longest listed front part (tokens/s/GPU: tokens/s); else a count."""
        front = unit
        while front not in self.numbers and "/" in front:
            front = front.rpartition("/")[0]
        return self.numbers.get(front) or self.numbers["count"]


@lru_cache(maxsize=1)
def look() -> Look:
    """The shipped design tokens. Raises CatalogError when the file is not valid."""
    try:
        return Look.model_validate(read_data("look"))
    except ValidationError as error:
        path = DATA / "look.yaml"
        raise CatalogError.of(
            "catalog-record", f"look.yaml: {explain(error)}", "mend look.yaml", Place(file=str(path))
        ) from error
