"""The mapping of a scenario as written: shorthands spelled out, paths looked up, a base under a file."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

Raw = dict[str, Any]

# Keys that exclude each other: writing one removes the others that came from `extends:` or stand below a `--set`.
EXCLUSIVE = (
    ("hardware.accelerator", "hardware.accelerators"),
    ("epochs", "data.epochs"),
    ("deadline.in", "deadline.by"),
    ("utilization.share", "utilization.from_run"),
    ("prompt_tokens.tokens", "prompt_tokens.characters"),
    ("answer_tokens.tokens", "answer_tokens.characters"),
)
DATA_WAYS = (("tokens",), ("text", "language"), ("samples", "length"))
# Mappings that a new value replaces whole.
WHOLE = frozenset({"model", "deadline", "utilization", "prompt_tokens", "answer_tokens", "vary", "overrides"})
RANGE_KEYS = frozenset({"low", "base", "high"})


def look_up(raw: Mapping[str, Any], path: str) -> Any:
    """The value at a dotted path, or None."""
    value: Any = raw
    for part in path.split("."):
        if isinstance(value, Mapping):
            value = value.get(part)
        elif isinstance(value, list) and part.isdecimal() and int(part) < len(value):
            value = value[int(part)]
        else:
            return None
    return value


def put(raw: Raw, path: str, value: Any) -> bool:
    """Writes a value at a dotted path, making mappings on the way; False when something else stands there."""
    parts = path.split(".")
    here: Any = raw
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        if isinstance(here, list):
            if not part.isdecimal() or int(part) >= len(here):
                return False
            if last:
                here[int(part)] = value
            else:
                here = here[int(part)]
        elif isinstance(here, dict):
            if last:
                here[part] = value
            else:
                if here.get(part) is None:
                    here[part] = {}
                here = here[part]
        else:
            return False
    return True


def drop(raw: Raw, path: str) -> None:
    """Removes the value at a dotted path, if it is there."""
    *parents, last = path.split(".")
    here = look_up(raw, ".".join(parents)) if parents else raw
    if isinstance(here, dict):
        here.pop(last, None)


def without_nulls(value: Any) -> Any:
    """The same data without keys that are null."""
    if isinstance(value, dict):
        return {key: without_nulls(child) for key, child in value.items() if child is not None}
    if isinstance(value, list):
        return [without_nulls(child) for child in value]
    return value


def plain(value: Any) -> Any:
    """The same data with ordinary numbers, fit for any writer."""
    if isinstance(value, dict):
        return {str(key): plain(child) for key, child in value.items()}
    if isinstance(value, list | tuple):
        return [plain(child) for child in value]
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    return int(value) if isinstance(value, int) else float(value)


def merged(base: Raw, over: Raw, top: bool = True) -> Raw:
    """`over` written on top of `base`; lists, ranges and the mappings of WHOLE are replaced, null removes."""
    result = copy.deepcopy(base)
    for key, value in over.items():
        old = result.get(key)
        if (
            isinstance(value, dict)
            and isinstance(old, dict)
            and not (top and key in WHOLE)
            and not RANGE_KEYS & set(value)
        ):
            result[key] = merged(old, value, top=False)
        else:
            result[key] = copy.deepcopy(value)
    if top:
        _remove_rivals(result, over)
    return result


def _remove_rivals(result: Raw, over: Raw) -> None:
    for names in EXCLUSIVE:
        written = [name for name in names if look_up(over, name) is not None]
        if written:
            for name in set(names) - set(written):
                drop(result, name)
    new = over.get("data")
    if isinstance(new, dict):
        ways = [way for way in DATA_WAYS if any(new.get(name) is not None for name in way)]
        for way in DATA_WAYS if ways else ():
            for name in way if way not in ways else ():
                drop(result, f"data.{name}")


def paths_of(value: Any, prefix: str = "") -> Iterator[str]:
    """Every dotted path in the data, parents too."""
    pairs = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, child in pairs:
        path = f"{prefix}{key}"
        yield path
        yield from paths_of(child, f"{path}.")


def spelled_out(raw: Raw, training: bool) -> Raw:
    """Shorthands as mappings: `deadline: 14 days` is `{in: 14 days}`, `precision: bf16` is `{compute: bf16}`."""
    result = dict(raw)
    _wrap(result, "model", "id", (dict, list))
    _wrap(result, "deadline", "in", (dict, list))
    _wrap(result, "precision", "compute" if training else "weights", (dict, list))
    _wrap(result, "lora", "rank", (dict, list))
    _wrap(result, "tax", "rate", (dict, list))
    _wrap_number(result, "utilization", "share", "from_run")
    for name in ("prompt_tokens", "answer_tokens"):
        _wrap_number(result, name, "tokens", "characters", "tokens", "language")
    hardware = result.get("hardware")
    if isinstance(hardware, str | list):
        result["hardware"] = {"accelerators": hardware}
    if training and "epochs" in result and isinstance(result.get("data"), dict) and "epochs" not in result["data"]:
        result["data"] = result["data"] | {"epochs": result.pop("epochs")}
    return result


def _wrap(raw: Raw, key: str, inner: str, untouched: tuple[type, ...]) -> None:
    if key in raw and not isinstance(raw[key], untouched):
        raw[key] = {inner: raw[key]}


def _wrap_number(raw: Raw, key: str, inner: str, *keys: str) -> None:
    value = raw.get(key)
    if value is None or isinstance(value, list):
        return
    if not isinstance(value, dict) or (RANGE_KEYS & set(value) and not set(keys) & set(value)):
        raw[key] = {inner: value}
