"""YAML as people mean it, with the place of every key and value.

YAML 1.2 core words only: `on`, `yes`, `12:30` and dates stay text, `5e9` is a number. Aliases, tags and duplicate
keys are refused. Numbers remember how they were written, so that a title `2026` or a reference `0042` stays as typed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path

import yaml

from reportgen.errors import Place, Problem, ScenarioError
from reportgen.scenario.yaml_syntax import DEEPEST_NESTING, LONGEST_LINE_SHOWN, syntax_problem, too_deep

LARGEST_FILE = 1_000_000

Path_ = tuple[str | int, ...]


class WrittenInteger(int):
    """A whole number that remembers its text."""

    text: str = ""


class WrittenNumber(float):
    """A number that remembers its text."""

    text: str = ""


@dataclass
class Document:
    """One YAML file: plain data, and where each key and value stands."""

    data: dict
    file: str
    keys: dict[Path_, Place] = field(default_factory=dict)
    values: dict[Path_, Place] = field(default_factory=dict)

    def place_of(self, path: Path_, key: bool = False) -> Place:
        """The place of a value (or its key); of the nearest parent that was written when it was not."""
        for length in range(len(path), 0, -1):
            known = path[:length]
            if known in self.values:
                at_key = key if length == len(path) else self._is_open(known)
                return self.keys.get(known, self.values[known]) if at_key else self.values[known]
        return Place(file=self.file)

    def _is_open(self, path: Path_) -> bool:
        """Whether a mapping or list stands there: what is missing in it is shown at its key."""
        return any(len(other) > len(path) and other[: len(path)] == path for other in self.values)


def read_document(path: str | Path) -> Document:
    """The mapping in a YAML file; ScenarioError when the file cannot be read or is not plain YAML."""
    return parse_document(read_text(path), str(path))


def read_text(path: str | Path) -> str:
    """The text of a small UTF-8 file; ScenarioError says what is wrong with any other."""
    file = Path(path)
    here = Place(file=str(path))
    try:
        if file.is_dir():
            raise ScenarioError.of("not-a-file", f"'{path}' is a folder", "name the file inside it", here)
        with file.open("rb") as stream:
            data = stream.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        message = f"there is no file '{path}'"
        raise ScenarioError.of("file-not-found", message, _nearest_file(file), here, _neighbours(file)) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        fix = "check its name and permissions"
        raise ScenarioError.of("file-unreadable", f"cannot read '{path}': {reason}", fix, here) from None
    if len(data) > LARGEST_FILE:
        message = f"'{path}' has more than {LARGEST_FILE / 1e6:.0f} MB"
        raise ScenarioError.of("file-too-large", message, "a scenario is a page of text: is this the right file?", here)
    return _decode(data, str(path))


def _neighbours(file: Path) -> tuple[str, ...]:
    try:
        names = [other.name for other in file.parent.iterdir()]
    except OSError:
        return ()
    return tuple(str(file.parent / name) for name in get_close_matches(file.name, names, 1, 0.7))


def _nearest_file(file: Path) -> str:
    nearest = _neighbours(file)
    return f"did you mean '{nearest[0]}'?" if nearest else "check the name and the folder"


def _decode(data: bytes, file: str) -> str:
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        kind = "is a binary file" if b"\0" in data[:4096] else f"is not UTF-8 text (byte {error.start + 1})"
        place = Place(file=file, line=line, column=1)
        raise ScenarioError.of("not-text", f"'{file}' {kind}", "save it as UTF-8", place) from None
    if "\0" in text:
        raise ScenarioError.of("not-text", f"'{file}' is a binary file", "save it as UTF-8 text", Place(file=file))
    return text


def parse_document(text: str, file: str = "") -> Document:
    """The mapping that a YAML text holds, with places."""
    node = compose(text, file)
    return Build(text, file).document(node)


def compose(text: str, file: str = "") -> yaml.Node:
    """The one node of a YAML text without aliases, tags and deep nesting."""
    lines = split_lines(text)
    try:
        _scan_events(text, file, lines)
        node = yaml.compose(text, yaml.CSafeLoader)
    except yaml.YAMLError as error:
        raise ScenarioError(syntax_problem(error, file, lines)) from None
    if node is None:
        raise ScenarioError.of(
            "file-empty",
            f"'{file}' holds no keys" if file else "the text holds no keys",
            "start with 'title:' and 'job:'",
            Place(file=file),
        )
    return node


def split_lines(text: str) -> list[str]:
    """Lines as YAML counts them."""
    return re.split("\r\n|[\n\r\x85\u2028\u2029]", text)


def _scan_events(text: str, file: str, lines: list[str]) -> None:
    depth = documents = 0
    for event in yaml.parse(text, yaml.CSafeLoader):
        place = _place_of_marks(event.start_mark, event.end_mark, file, lines)
        if isinstance(event, yaml.AliasEvent) or getattr(event, "anchor", None):
            message = "anchors and aliases ('&name', '*name') are not allowed"
            fix = "write the value again, share keys with 'extends:', or put the text in quotes"
            raise ScenarioError.of("alias", message, fix, place)
        tag = getattr(event, "tag", None)
        if tag and tag != "!":
            raise ScenarioError.of(
                "tag",
                f"the tag '{tag.replace('tag:yaml.org,2002:', '!!')}' is not allowed",
                "remove it, or put the text in quotes",
                place,
            )
        if isinstance(event, yaml.CollectionStartEvent):
            depth += 1
            if depth > DEEPEST_NESTING:
                raise ScenarioError(too_deep(place))
        elif isinstance(event, yaml.CollectionEndEvent):
            depth -= 1
        elif isinstance(event, yaml.DocumentStartEvent):
            documents += 1
            if documents > 1:
                raise ScenarioError.of(
                    "two-documents", "a second document starts here ('---')", "keep one scenario a file", place
                )


def _place_of_marks(start, end, file: str, lines: list[str], path: str = "") -> Place:
    text = lines[start.line] if start.line < len(lines) else ""
    last = end.column if end.line == start.line else len(text)
    width = max(1, min(last, len(text)) - start.column)
    return Place(file, start.line + 1, start.column + 1, path, text[:LONGEST_LINE_SHOWN], width)


def _colon_fix(text: str) -> str:
    if re.match(r"\s*\w+[:：]\S", text):
        return "write a colon and a space after each key: 'title: ...'"
    return "start with 'title:'"


class Build:
    """Turns nodes into plain data, noting places; collects duplicate keys and bad keys before it raises."""

    def __init__(self, text: str, file: str):
        self.file = file
        self.lines = split_lines(text)
        self.problems: list[Problem] = []
        self.keys: dict[Path_, Place] = {}
        self.values: dict[Path_, Place] = {}

    def document(self, node: yaml.Node) -> Document:
        """The whole file, which must be a mapping."""
        if not isinstance(node, yaml.MappingNode):
            kind = "a list" if isinstance(node, yaml.SequenceNode) else "one word or text"
            place = self.place(node, ())
            message = f"a scenario is lines of 'key: value'; this is {kind}"
            raise ScenarioError.of("not-a-mapping", message, _colon_fix(place.text), place)
        data = self.value(node, ())
        if self.problems:
            raise ScenarioError(*self.problems)
        return Document(data, self.file, self.keys, self.values)

    def place(self, node: yaml.Node, path: Path_) -> Place:
        """Where a node stands."""
        return _place_of_marks(node.start_mark, node.end_mark, self.file, self.lines, dotted(path))

    def value(self, node: yaml.Node, path: Path_):
        """Plain data of a node."""
        self.values[path] = self.place(node, path)
        if isinstance(node, yaml.MappingNode):
            return {key: self.value(child, (*path, key)) for key, child in self.pairs(node, path)}
        if isinstance(node, yaml.SequenceNode):
            return [self.value(child, (*path, index)) for index, child in enumerate(node.value)]
        if not node.style and node.value == "" and path:
            self.empty(node, path)
        return node.value if node.style else scalar(node.value)

    def pairs(self, node: yaml.MappingNode, path: Path_) -> Iterator[tuple[str, yaml.Node]]:
        """Keys and nodes of a mapping, once each."""
        seen: dict[str, Place] = {}
        for key_node, child in node.value:
            place = self.place(key_node, path)
            if not isinstance(key_node, yaml.ScalarNode) or key_node.value == "":
                self.problems.append(Problem("key-not-text", "a key must be a word", "write 'key: value'", place))
                continue
            key = key_node.value
            place = self.place(key_node, (*path, key))
            if key in seen:
                self.problems.append(duplicate(key, seen[key], place))
                continue
            seen[key] = self.keys[(*path, key)] = place
            yield key, child

    def empty(self, node: yaml.Node, path: Path_) -> None:
        """A key without a value is a forgotten line, not a wish for nothing."""
        place = self.keys.get(path) or self.place(node, path)
        message = f"'{dotted(path)}' has no value"
        self.problems.append(
            Problem("no-value", message, "write a value, or remove the line ('null' means none)", place)
        )


def duplicate(key: str, first: Place, place: Place) -> Problem:
    """The second of two equal keys."""
    message = f"'{key}' stands twice: on line {first.line} and on line {place.line}"
    return Problem("duplicate-key", message, "remove one of them", place)


def dotted(path: Path_) -> str:
    """A path as people write it, such as hardware.accelerators.0."""
    return ".".join(str(part) for part in path)


INTEGER = re.compile(r"[-+]?[0-9]+")
FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
WORDS = {"": None, "~": None, "null": None, "Null": None, "NULL": None}
WORDS |= {word: True for word in ("true", "True", "TRUE")} | {word: False for word in ("false", "False", "FALSE")}
WORDS |= {sign + word: float(sign + "inf") for sign in ("", "+", "-") for word in (".inf", ".Inf", ".INF")}
WORDS |= {word: float("nan") for word in (".nan", ".NaN", ".NAN")}


def scalar(text: str):
    """A plain YAML 1.2 scalar: null, true, a number, or the text itself."""
    if text in WORDS:
        return WORDS[text]
    if len(text) <= 40 and INTEGER.fullmatch(text):
        return _remember(WrittenInteger(text), text)
    if len(text) <= 40 and FLOAT.fullmatch(text):
        return _remember(WrittenNumber(text), text)
    return text


def _remember(number, text: str):
    number.text = text
    return number
