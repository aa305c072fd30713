"""The result of one scenario: the only thing that text, workbook and memo read. Frozen, versioned, JSON both ways.

Numbers are in the unit stated beside them. NaN inside is missing; it is written to JSON as null.
Sentences are messages (a key of the wording and its values), so a result has no language.
"""

from __future__ import annotations

import dataclasses
import json
import math
import types
import typing
from dataclasses import dataclass, field
from typing import Any

from reportgen.formula import MISSING, Column

VERSION = 1
Value = float | str
OF_BUYING = ("gpus_bought", "nodes_bought", "it_power_kw", "facility_power_kw")  # of no meaning to whoever rents


@dataclass(frozen=True)
class Message:
    """A sentence: a key of the wording and the values it takes (numbers stay numbers)."""

    key: str
    values: dict[str, Any] = field(default_factory=dict)

    @property
    def count(self) -> float:
        """The first number of the sentence, which decides between singular and plural; 0 without one."""
        return next((float(value) for value in self.values.values() if isinstance(value, (int, float))), 0.0)


@dataclass(frozen=True)
class InputValue:
    """A typed cell: what the user gave, a default, a catalog fact or a constant. low and high are None without a range."""

    key: str
    value: Value
    unit: str = ""
    symbol: str = ""
    group: str = ""
    low: float | None = None
    high: float | None = None
    favourable: float | None = None  # the end that lowers cost (or time, where cost does not move)
    adverse: float | None = None
    source: str = "scenario"
    as_of: str = ""
    confidence: str = "given"  # measured | published | vendor | assumed | given
    origin: str = "given"  # given | default | catalog | override
    note: str = ""
    path: str = ""  # the key of the scenario that sets it

    @property
    def ranged(self) -> bool:
        """Whether the input has ends other than its base."""
        return self.low is not None and self.high is not None and self.low != self.high


@dataclass(frozen=True)
class Quantity:
    """A computed value in the three cases; p10 and p90 are the estimate's own error at the base."""

    key: str
    section: str
    value: Value
    favourable: Value
    adverse: Value
    unit: str
    symbol: str
    source: str
    depends_on: tuple[str, ...] = ()
    p10: float | None = None
    p90: float | None = None


@dataclass(frozen=True)
class LayoutBlock:
    """Candidate layouts of one accelerator: column name -> values, a row a candidate. chosen counts from 0."""

    accelerator: str
    columns: dict[str, list]
    chosen: int
    feasible: bool
    at_edge: bool  # the winner stands at the first or last GPU count of the list
    considered: int  # how many candidates the search looked at


@dataclass(frozen=True)
class Option:
    """A way to do the job: an accelerator, bought or rented; another method; equipment there is; nothing."""

    key: str
    kind: str  # accelerator | method | owned | nothing
    way: str  # buy | rent | owned | nothing
    accelerator: str = ""
    method: str = ""
    values: dict[str, float] = field(default_factory=dict)
    fits: bool = True
    in_time: bool = True
    permitted: bool = True
    reasons: tuple[Message, ...] = ()
    chosen: bool = False
    live: bool = True  # recalculated in the workbook; otherwise a value of the day it was made

    @property
    def gpus(self) -> float:
        """What every table of options counts: GPUs bought, those of spare servers included; else those at work."""
        return self.values.get("gpus_bought" if self.way == "buy" else "gpus", MISSING)


@dataclass(frozen=True)
class Line:
    """A line of the hardware list. Money excludes tax unless the name says otherwise; missing is NaN."""

    key: str
    category: str
    quantity: float
    unit: str
    unit_price: float
    amount: float
    tax_rate: float
    amount_with_tax: float
    basis: str  # quote | list | market | estimate | quote_needed | included
    source: str = ""
    as_of: str = ""
    lead_time_weeks: float = MISSING
    facts: dict[str, Any] = field(default_factory=dict)  # values for the specification sentence
    quantity_low: float = MISSING  # the ends over the cases; equal to the base without ranged inputs
    quantity_high: float = MISSING
    amount_low: float = MISSING
    amount_high: float = MISSING


@dataclass(frozen=True)
class Check:
    """left (relation) right. status: OK, or the word of the check if not met: LOOK, FAIL."""

    key: str
    left: float
    relation: str
    right: float
    unit: str
    tolerance: float
    status: str
    changes: tuple[Message, ...] = ()  # with numbers, what would have to change for it to hold


@dataclass(frozen=True)
class Test:
    """One end of one ranged input, everything else at its base, the layout kept."""

    input: str
    end: str  # low | high
    value: float
    results: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class CrossCheck:
    """A rule of thumb beside this estimate."""

    key: str
    result: float
    estimate: float
    unit: str
    compared_with: str  # key of the quantity


@dataclass(frozen=True)
class NearestRun:
    """A measured run like this one, beside an estimate by constants that have not seen it. Speeds in tokens/s of one GPU."""

    id: str
    model: str
    method: str
    accelerator: str
    gpus: float  # 0 where the source does not say
    precision: str
    sequence_length: float
    stack: str
    source: str
    measured: float
    estimated: float


@dataclass(frozen=True)
class Source:
    """Where a value or a formula comes from."""

    key: str
    title: str
    publisher: str = ""
    address: str = ""
    read_on: str = ""
    supports: str = ""


@dataclass(frozen=True)
class Facts:
    """What the scenario says in words; nothing here is computed."""

    title: str
    name: str  # the file's name without its ending
    job: str
    method: str
    model: str
    model_name: str
    accelerator: str
    acquire: str
    language: str
    currency: str
    date: str
    purpose: str = ""
    requester: str = ""
    reference: str = ""
    region: str = ""
    site: str = ""  # the name of the room
    start: str = ""
    style: str = "memo"
    deadline_for: str = "campaign"
    scenario_text: str = ""  # the YAML as written, attached to the memo
    price_date: str = ""


@dataclass(frozen=True)
class Result:
    """Everything known about one scenario."""

    id: str
    facts: Facts
    features: tuple[str, ...]
    inputs: tuple[InputValue, ...]
    quantities: dict[str, Quantity]
    layouts: tuple[LayoutBlock, ...]
    options: tuple[Option, ...]
    lines: tuple[Line, ...]
    checks: tuple[Check, ...]
    sensitivity: tuple[Test, ...]
    cross_checks: tuple[CrossCheck, ...]
    sources: tuple[Source, ...]
    warnings: tuple[Message, ...] = ()
    missing: tuple[str, ...] = ()
    nearest_runs: tuple[NearestRun, ...] = ()
    rental: tuple[Line, ...] = ()  # the list of a request to rent, in place of `lines`
    remarks: tuple[
        Message, ...
    ] = ()  # which options are cheaper, faster, smaller; what was not looked at; exchange rates
    tables: dict[str, Column] = field(default_factory=dict)
    tool: str = ""
    version: int = VERSION

    def value(self, key: str) -> Any:
        """The base value of a quantity or an input; MISSING when this kind of job has none."""
        if key in self.quantities:
            return self.quantities[key].value
        return next((item.value for item in self.inputs if item.key == key), MISSING)

    def has(self, key: str) -> bool:
        """Whether the quantity exists and is known."""
        value = self.value(key)
        return isinstance(value, str) or value == value

    def concerns(self, key: str) -> bool:
        """Whether a figure says something about this request: who rents buys nothing, and others power the machines."""
        return self.facts.acquire != "rent" or key not in OF_BUYING

    def beside(self, key: str) -> Any:
        """The value that stands beside those of other scenarios; missing where it says nothing about this one."""
        return self.value(key) if self.concerns(key) else MISSING

    @property
    def gpus(self) -> float:
        """GPUs that are asked for: bought, those of spare servers included, or rented."""
        key = "gpus_bought" if self.facts.acquire == "buy" and self.has("gpus_bought") else "gpus"
        return float(self.value(key))

    @property
    def lines_needed(self) -> int:
        """How many lines of the hardware list this size needs; the others stand there with a quantity of 0."""
        return sum(line.quantity > 0 for line in self.lines)

    @property
    def checks_held(self) -> int:
        """How many checks of the estimate hold."""
        return sum(check.status == "OK" for check in self.checks)

    @property
    def failed(self) -> bool:
        """Whether a check failed: the exit code is then 1."""
        return any(check.status == "FAIL" for check in self.checks)

    def to_json(self) -> dict[str, Any]:
        """Plain data for json.dumps; missing numbers are null."""
        data = _plain(self)
        data["results"] = list(data.pop("quantities").values())
        return {"version": data.pop("version"), "id": data.pop("id"), "scenario": data.pop("facts"), **data}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Result:
        """The result again. ValueError for another version."""
        if data.get("version") != VERSION:
            raise ValueError(f"result version {data.get('version')!r}; this program reads version {VERSION}")
        renamed = dict(data)
        renamed["facts"] = renamed.pop("scenario")
        renamed["quantities"] = {item["key"]: item for item in renamed.pop("results")}
        return _revive(cls, renamed)

    def dumps(self) -> str:
        """JSON text with sorted, stable content."""
        return json.dumps(self.to_json(), ensure_ascii=False, indent=1, allow_nan=False)


def _plain(value: Any) -> Any:
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {item.name: _plain(getattr(value, item.name)) for item in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple, frozenset)):
        return [_plain(item) for item in value]
    if isinstance(value, float):
        return (
            None if not math.isfinite(value) else (int(value) if value.is_integer() and abs(value) < 2**53 else value)
        )
    return value


def _revive(kind: Any, data: Any) -> Any:
    """Rebuild typed data from plain data. A null where a number is meant is MISSING."""
    origin = typing.get_origin(kind)
    if dataclasses.is_dataclass(kind):
        hints = typing.get_type_hints(kind)
        return kind(**{key: _revive(hints[key], item) for key, item in data.items() if key in hints})
    if origin in (typing.Union, types.UnionType):
        return _revive_union(typing.get_args(kind), data)
    if origin is dict:
        return {key: _revive(typing.get_args(kind)[1], item) for key, item in data.items()}
    if origin is tuple:
        return tuple(_revive(typing.get_args(kind)[0], item) for item in data)
    if kind is tuple or kind is list:
        return kind(MISSING if item is None else item for item in data)
    if kind is float:
        return MISSING if data is None else float(data)
    return data


def _revive_union(kinds: tuple, data: Any) -> Any:
    if data is None:
        return None if types.NoneType in kinds else MISSING
    if isinstance(data, str):
        return data
    return float(data) if float in kinds else data
