"""Field types of the schema: a YAML value in, a number in base units (or a tidy word) out, or an error with a fix."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable
from dataclasses import replace
from difflib import get_close_matches
from typing import Annotated, Any

from pydantic import PlainSerializer, PlainValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

from reportgen.scenario import units
from reportgen.scenario.units import Amount, Dimension, QuantityError, Range, quoted

RANGE_KEYS = ("low", "base", "high")


def complain(
    code: str, message: str, fix: str = "", candidates: Iterable[str] = (), key: str = ""
) -> PydanticCustomError:
    """An error that keeps its fix; `key` is the inner key it points at."""
    context = {"message": message, "fix": fix, "candidates": tuple(candidates), "key": key}
    return PydanticCustomError(code, "{message}", context)


def quantity(
    dimension: Dimension,
    *,
    least: float | None = 0,
    above: float | None = None,
    most: float | None = None,
    whole: bool = False,
    ranged: bool = True,
    example: str = "",
) -> Any:
    """A number of a dimension within bounds; `{low, base, high}` too when `ranged`."""
    dimension = replace(dimension, example=example or dimension.example)

    def read_one(value: Any, key: str = "") -> float | int:
        try:
            number = units.read_quantity(value, dimension)
            _within(number, value, dimension, least, above, most)
        except QuantityError as error:
            raise complain(error.code, error.message, error.fix, key=key) from None
        if whole and number != int(number):
            raise complain("not-whole", f"{quoted(value)} is not a whole number", "write a whole number", key=key)
        return int(number) if whole else number

    def read(value: Any) -> float | int | Range:
        if isinstance(value, Range):
            return value
        if not isinstance(value, dict):
            return read_one(value)
        if not ranged:
            raise complain(
                "range-not-possible",
                "a range is not possible here: the value decides the shape of the answer",
                "write one value",
            )
        return _read_range(value, read_one)

    kinds = ["number", "string"] + (["object"] if ranged else [])
    schema = {
        "type": kinds,
        "description": f"{dimension.name}, such as {dimension.example}",
        "examples": [dimension.example],
    }
    return Annotated[float | Range, PlainValidator(read), PlainSerializer(_plain), WithJsonSchema(schema)]


def reader_of(kind: Any) -> Callable[[Any], Any]:
    """The function that reads values of a field type."""
    return kind.__metadata__[0].func


class TokenAmount(float):
    """A batch given in tokens and not in sequences."""


def _read_batch(value: Any) -> int | TokenAmount:
    in_tokens = isinstance(value, str) and re.search(r"(tokens?|词元)\s*$", value, re.IGNORECASE)
    read = reader_of(Tokens if in_tokens else Whole)
    number = read(value)
    if isinstance(number, Range):
        raise complain(
            "range-not-possible",
            "a range is not possible here: the value decides the shape of the answer",
            "write one value",
        )
    return TokenAmount(number) if in_tokens else number


def _plain(value: Any) -> Any:
    return {"low": value.low, "base": value.base, "high": value.high} if isinstance(value, Range) else value


def _within(number: float, value: Any, dimension: Dimension, least, above, most) -> None:
    if least is not None and number < least:
        raise QuantityError(
            "too-small", f"{quoted(value)} is less than {least:g}{_unit(dimension)}", f"write {least:g} or more"
        )
    if above is not None and number <= above:
        message = f"{quoted(value)} is not more than {above:g}{_unit(dimension)}"
        raise QuantityError("too-small", message, f"write more than {above:g}")
    if most is not None and number > most:
        raise QuantityError(
            "too-large",
            f"{quoted(value)} is more than {_most(dimension, most)}",
            _most_fix(number, value, dimension, most),
        )


def _unit(dimension: Dimension) -> str:
    return f" {dimension.base}" if dimension.base else ""


def _most(dimension: Dimension, most: float) -> str:
    return f"{100 * most:g}%" if dimension.name == units.SHARE.name else f"{most:g}{_unit(dimension)}"


def _most_fix(number: float, value: Any, dimension: Dimension, most: float) -> str:
    if dimension.name == units.SHARE.name and 2 <= number <= 100 and "%" not in str(value):
        return f"write '{number:g}%' or '{number / 100:g}'"
    return f"write {_most(dimension, most)} or less"


def _read_range(value: dict, read_one: Callable) -> Range:
    for key in value:
        if key not in RANGE_KEYS:
            nearest = get_close_matches(str(key), RANGE_KEYS, 1)
            fix = f"did you mean '{nearest[0]}'?" if nearest else "a range is {low: ..., base: ..., high: ...}"
            raise complain("unknown-key", f"a range has no key '{key}'", fix, nearest, key=str(key))
    missing = [key for key in RANGE_KEYS if value.get(key) is None]
    if missing:
        raise complain(
            "range-incomplete", f"the range lacks '{missing[0]}'", "a range is {low: ..., base: ..., high: ...}"
        )
    low, base, high = (read_one(value[key], key) for key in RANGE_KEYS)
    if not low <= base <= high:
        raise complain("range-order", "the range is not in order: low <= base <= high", "put the smallest first")
    return Range(float(low), float(base), float(high))


def word(*choices: str, **aliases: str) -> Any:
    """One of a few words; capitals and underscores do not matter. Keyword names are other spellings."""
    known = {choice.lower(): choice for choice in choices} | {_tidy(alias): choice for alias, choice in aliases.items()}

    def read(value: Any) -> str:
        if isinstance(value, bool) or not isinstance(value, str | int | float):
            raise complain(
                "not-a-word", f"{quoted(value)} is not one of: {', '.join(choices)}", "write one of these words"
            )
        text = _tidy(getattr(value, "text", "") or str(value))
        if text in known:
            return known[text]
        nearest = [known[match] for match in get_close_matches(text, known, 3, 0.6)][:1]
        fix = f"did you mean '{nearest[0]}'?" if nearest else f"write one of: {', '.join(choices)}"
        raise complain("unknown-word", f"{quoted(value)} is not one of: {', '.join(choices)}", fix, nearest)

    return Annotated[str, PlainValidator(read), WithJsonSchema({"type": "string", "enum": list(choices)})]


def _tidy(text: str) -> str:
    return text.strip().lower().replace("_", "-")


def _read_text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        raise complain("not-text", f"{quoted(value)} is not text", "write a line of text, in quotes if need be")
    text = (getattr(value, "text", "") or str(value)).strip()
    bad = re.search(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]", text)
    if bad:
        raise complain("control-character", f"the text holds the control character U+{ord(bad[0]):04X}", "delete it")
    if len(text) > 5000:
        raise complain("text-too-long", f"the text has {len(text)} characters; the most is 5000", "shorten it")
    if not text:
        raise complain("text-empty", "the text is empty", "write it, or remove the line")
    return text


def _read_date(value: Any) -> datetime.date:
    text = getattr(value, "text", "") or str(value)
    try:
        if isinstance(value, datetime.date):
            return value
        if not re.fullmatch(r"\d{4}-\d{2}-\d{2}", text.strip()):
            raise ValueError
        return datetime.date.fromisoformat(text.strip())
    except ValueError:
        raise complain("not-a-date", f"{quoted(value)} is not a date", "write it like '2027-03-01'") from None


def _read_flag(value: Any) -> bool:
    if isinstance(value, bool):
        return value
    known = {"yes": True, "on": True, "true": True, "no": False, "off": False, "false": False}
    if isinstance(value, str) and value.strip().lower() in known:
        right = "true" if known[value.strip().lower()] else "false"
        raise complain("not-a-flag", f"{quoted(value)} is text here, not a yes or no", f"write {right}", [right])
    raise complain("not-a-flag", f"{quoted(value)} is neither true nor false", "write true or false")


def money(per: str = "", above: float | None = None) -> Any:
    """Money as an Amount: a value and a currency, which is empty when none was written."""

    def read(value: Any) -> Amount:
        if isinstance(value, Amount):
            return value
        try:
            amount = units.read_money(value, per)
        except QuantityError as error:
            raise complain(error.code, error.message, error.fix) from None
        if amount.value < 0 or (above is not None and amount.value <= above):
            raise complain("too-small", f"{quoted(value)} is not more than 0", "write a positive amount")
        return amount

    example = f"0.8 CNY{per}" if per else "12.5 M CNY"
    schema = {"type": ["number", "string"], "description": f"money, such as {example}", "examples": [example]}
    return Annotated[Amount, PlainValidator(read), WithJsonSchema(schema)]


def listed(value: Any) -> Any:
    """A single item where a list is meant becomes a list of one."""
    return value if isinstance(value, list | tuple) else [value]


Text = Annotated[str, PlainValidator(_read_text), WithJsonSchema({"type": "string"})]
Name = Text
Date = Annotated[datetime.date, PlainValidator(_read_date), WithJsonSchema({"type": "string", "format": "date"})]
Flag = Annotated[bool, PlainValidator(_read_flag), WithJsonSchema({"type": "boolean"})]

Count = quantity(units.COUNT, above=0, least=None)
CountOrZero = quantity(units.COUNT)
Tokens = quantity(units.COUNT, above=0, least=None, example="5B")
Parameters = quantity(units.COUNT, least=0, example="8B")
Whole = quantity(units.COUNT, least=1, whole=True, ranged=False, example="64")
WholeOrZero = quantity(units.COUNT, whole=True, ranged=False, example="2")
Length = quantity(units.LENGTH, least=1, whole=True, ranged=False)
Share = quantity(units.SHARE, most=1)
SharePositive = quantity(units.SHARE, least=None, above=0, most=1)
Percentile = quantity(units.SHARE, least=None, above=0, most=0.9999, ranged=False)
Size = quantity(units.SIZE, least=None, above=0)
Days = quantity(units.DAYS, least=None, above=0, ranged=False)
Seconds = quantity(units.SECONDS, least=None, above=0, ranged=False)
FirstToken = quantity(units.SECONDS, least=None, above=0, ranged=False, example="2 s")
Window = quantity(units.SECONDS, least=None, above=0, ranged=False, example="10 hours")
Years = quantity(units.YEARS, least=None, above=0)
Power = quantity(units.POWER, least=None, above=0, ranged=False)
Speed = quantity(units.SPEED, least=None, above=0, ranged=False)
Batch = Annotated[
    int | TokenAmount,
    PlainValidator(_read_batch),
    WithJsonSchema({"type": ["integer", "string"], "examples": [512, "4M tokens"]}),
]
