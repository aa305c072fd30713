"""Measured rows of a CSV file: reading cells, finding the accelerator they name, what becomes of a row."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from reportgen.catalog import Catalog
from reportgen.catalog.hardware_records import AcceleratorRecord
from reportgen.catalog.names import fold
from reportgen.errors import Place, UsageError

MEASUREMENTS = Path(__file__).resolve().parents[2] / "catalog" / "measurements"
UNLISTED = "unlisted hardware"  # regime of rows whose accelerator has no published run
NOT_STATED = {"", "-", "n/a", "na", "none stated", "not stated", "not-stated", "unknown", "any", "?"}
NUMBER = re.compile(r"[-+]?\d[\d,]*\.?\d*(?:[eE][-+]?\d+)?")

COUNT = re.compile(r"^\s*\d+\s*[x×*]\s*")
SAID_OF_ALL = {
    "nvidia", "amd", "instinct", "geforce", "tesla", "huawei", "hbm2", "hbm2e", "hbm3", "hbm3e", "superchip", "nvl72", "tensor", "core",
    "gpu",
}  # fmt: skip
LARGEST = 1e18  # no count, size, rate or time of a measurement is beyond
MEMORY_APART = 0.12  # decimal and binary gigabytes, and what the driver keeps, differ by less


class Skipped(Exception):
    """A row that cannot be estimated; the text is the reason, for a reader of the report."""


@dataclass(frozen=True)
class MeasuredRow:
    """One row of the file, cells as text by column."""

    cells: Mapping[str, str]
    line: int

    @property
    def id(self) -> str:
        """The name of the row; its line where the file gives none."""
        return self.text("id") or f"line-{self.line}"

    def text(self, column: str) -> str:
        """The cell without blanks at its ends; empty when it says that nothing is stated."""
        cell = (self.cells.get(column) or "").strip()
        return "" if cell.casefold() in NOT_STATED else cell

    def number(self, column: str) -> float | None:
        """The cell as a number, or None when it holds none. Raises Skipped for anything else."""
        cell = self.text(column)
        if not cell:
            return None
        if not NUMBER.fullmatch(cell):
            raise Skipped(f"{column} is not a number: {cell}")
        value = float(cell.replace(",", ""))
        if not 0 <= value <= LARGEST:
            raise Skipped(f"{column} is out of range: {cell}")
        return value

    def positive(self, column: str) -> float | None:
        """A number above zero, or None."""
        value = self.number(column)
        return value if value is not None and value > 0 else None

    def needed(self, column: str) -> float:
        """A number above zero. Raises Skipped when there is none."""
        value = self.positive(column)
        if value is None:
            raise Skipped(f"{column} is not stated")
        return value


@dataclass(frozen=True)
class WholeRun:
    """A training whose hours or days were published, everything lost included."""

    model: str
    accelerator: str
    gpus: int | None  # None where the source does not say
    tokens: float

    def gpu_hours(self, seconds_per_token: float) -> float:
        """Hours of one GPU for the whole run."""
        return seconds_per_token * self.tokens / 3600

    def days(self, seconds_per_token: float) -> float | None:
        """Days on the calendar; None without a number of GPUs."""
        return self.gpu_hours(seconds_per_token) / 24 / self.gpus if self.gpus else None


@dataclass(frozen=True)
class Outcome:
    """What became of a row: estimate and range beside the measured value, or the reason why there is none.

    `classes` sort the rows in the report (accelerator, precision, stack, ...); `regime` names the range that was used;
    `whole_run` is the training that was measured, where that is a whole one.
    """

    id: str
    kind: str
    measured: float | None = None
    predicted: float | None = None
    p10: float | None = None
    p90: float | None = None
    skipped: str | None = None
    classes: Mapping[str, str] = field(default_factory=dict)
    regime: str = ""
    whole_run: WholeRun | None = None

    @property
    def counts(self) -> bool:
        """Whether measured and estimated values can be compared."""
        return self.skipped is None and bool(self.measured) and bool(self.predicted)

    def to_json(self) -> dict[str, Any]:
        """The row as programs read it."""
        return {
            "id": self.id,
            "kind": self.kind,
            "measured": self.measured,
            "predicted": self.predicted,
            "p10": self.p10,
            "p90": self.p90,
            "skipped": self.skipped,
        }


def read_rows(path: Path, columns: tuple[str, ...]) -> Iterator[MeasuredRow]:
    """The rows of a file that has at least the columns. Raises UsageError when it cannot be read."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        message = f"cannot read {path}: {getattr(error, 'strerror', None) or 'it is not UTF-8 text'}"
        raise UsageError.of("measurements-file", message, "give a CSV file", Place(file=str(path))) from error
    reader = csv.DictReader(text.splitlines(keepends=True))
    absent = [column for column in columns if column not in (reader.fieldnames or ())]
    if absent:
        message = f"{path} has no column {', '.join(absent)}"
        raise UsageError.of(
            "measurements-columns",
            message,
            "use the columns of the shipped measurements",
            Place(file=str(path), line=1),
        )
    for cells in reader:
        yield MeasuredRow(cells, reader.line_num)


def accelerator_of(row: MeasuredRow, catalog: Catalog) -> AcceleratorRecord:
    """The accelerator that a row names. Raises Skipped for a name that the catalog does not know."""
    word = row.text("gpu")
    if not word:
        raise Skipped("gpu is not stated")
    known = {**{key: key for key in catalog.accelerators}, **catalog.accelerator_aliases}
    key = known.get(fold(word)) or _by_words(word, known, catalog)
    if key is None:
        raise Skipped(f"accelerator not in the catalog: {word}")
    return catalog.accelerators[key]


def _by_words(printed: str, known: Mapping[str, str], catalog: Catalog) -> str | None:
    """The accelerator by its words in any order, as drivers print it: maker, count and kind of memory say nothing new."""
    words, memory = _words(COUNT.sub("", printed))
    by_words = {frozenset(_words(name)[0]): key for name, key in reversed(known.items())}
    whole = {(frozenset(_words(name)[0]), _words(name)[1]): key for name, key in reversed(known.items())}
    key = whole.get((frozenset(words), memory)) or by_words.get(frozenset(words)) or by_words.get(frozenset(words) - {"sxm"})
    held = catalog.accelerators[key].memory_gib if key else None
    if memory and held and abs(memory - held) > MEMORY_APART * held:
        return None
    return key


def _words(name: str) -> tuple[list[str], float]:
    """The words of a name that tell the part, and the gigabytes it gives."""
    words, memory = [], 0.0
    for word in re.split(r"[-()/]+", fold(name)):
        size = re.fullmatch(r"(\d+)gb?", word)
        memory = float(size[1]) if size else memory
        form = re.fullmatch(r"(sxm)\d", word)
        if word and not size and word not in SAID_OF_ALL:
            words.append(form[1] if form else word)
    return words, memory
