"""What every record of the catalog is: frozen, no unknown fields, numbers positive, finite, source and date given."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from reportgen.errors import CatalogError, Place

FORBIDDEN_IN_NAMES = "*?~"  # wildcards of Excel's lookups


class Record(BaseModel):
    """One sourced fact or group of facts. `as_of`: date of the source, or of the snapshot where it prints none."""

    model_config = ConfigDict(frozen=True, extra="forbid", protected_namespaces=(), defer_build=True)

    id: str
    source: str = Field(min_length=1)
    as_of: str = Field(min_length=1)

    @model_validator(mode="before")
    @classmethod
    def _numbers_are_facts(cls, data: Any) -> Any:
        for key, value in data.items():
            if isinstance(value, (int, float)) and not isinstance(value, bool) and not cls._is_allowed(key, value):
                raise ValueError(f"{key} must be a positive, finite number, not {value!r}")
        return data

    @classmethod
    def _is_allowed(cls, key: str, value: float) -> bool:
        return math.isfinite(value) and (value > 0 or (value == 0 and key in cls.may_be_zero()))

    @classmethod
    def may_be_zero(cls) -> frozenset[str]:
        """Fields in which 0 is a fact and not a gap."""
        return frozenset()


R = TypeVar("R", bound=Record)


def build_records(
    kind: type[R], rows: Iterable[Mapping[str, Any]], file: str, as_of: str | None = None
) -> Mapping[str, R]:
    """Rows of a data file as records by id, in the order of the file. Rows without a date take the one of the file.

    Raises CatalogError that names the file and the record.
    """
    records: dict[str, R] = {}
    folded: dict[str, str] = {}
    for position, row in enumerate(rows, start=1):
        name = row.get("id") if isinstance(row, Mapping) else None
        if not isinstance(name, str) or not name:
            raise _broken(file, f"record {position} has no id")
        _check_name(file, name, folded)
        if as_of is not None and "as_of" not in row:
            row = {**row, "as_of": as_of}
        try:
            records[name] = kind.model_validate(row)
        except ValidationError as error:
            raise _broken(file, f"record '{name}': {explain(error)}", name) from error
    return MappingProxyType(records)


def explain(error: ValidationError) -> str:
    """What pydantic found, in one line of plain words."""
    parts = []
    for item in error.errors():
        where = ".".join(str(part) for part in item["loc"])
        message = item["msg"].removeprefix("Value error, ")
        parts.append(f"{where}: {message}" if where else message)
    return "; ".join(parts)


def _check_name(file: str, name: str, folded: dict[str, str]) -> None:
    if any(mark in name for mark in FORBIDDEN_IN_NAMES):
        raise _broken(file, f"id '{name}' contains one of {' '.join(FORBIDDEN_IN_NAMES)}", name)
    other = folded.get(name.casefold())
    if other is not None:
        same = f"id '{name}' occurs twice"
        raise _broken(file, same if other == name else f"ids '{other}' and '{name}' differ only in case", name)
    folded[name.casefold()] = name


def _broken(file: str, message: str, name: str = "") -> CatalogError:
    return CatalogError.of(
        "catalog-record", f"{file}: {message}", f"mend the record in {file}", Place(file=file, path=name)
    )
