"""Reading the YAML files of the catalog: strict (no key twice), quick (libyaml), dates stay text."""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from reportgen.errors import CatalogError, Place

DATA = Path(__file__).parent / "data"

TEXT, NUMBER, WHOLE, TRUTH, NOTHING = (f"tag:yaml.org,2002:{name}" for name in ("str", "float", "int", "bool", "null"))
WHOLE_NUMBER = re.compile(r"[-+]?(?:0|[1-9][0-9]*)")
REAL_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?")
WORDS = {"true": TRUTH, "false": TRUTH, "null": NOTHING, "~": NOTHING, "": NOTHING}
MAKE = {
    TEXT: str,
    NUMBER: float,
    WHOLE: int,
    TRUTH: "true".__eq__,
    NOTHING: lambda _: None,
}


@lru_cache(maxsize=4096)
def _plain_tag(value: str) -> str:
    if value in WORDS:
        return WORDS[value]
    if value[0] not in "-+.0123456789":
        return TEXT
    if WHOLE_NUMBER.fullmatch(value):
        return WHOLE
    return NUMBER if REAL_NUMBER.fullmatch(value) else TEXT


class CatalogLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Safe loading with the scalars of YAML 1.2: `no` and 2026-11-30 are text, 5e9 is a number."""

    def resolve(self, kind, value, implicit):
        if kind is yaml.ScalarNode:
            return _plain_tag(value) if implicit[0] else TEXT
        return "tag:yaml.org,2002:seq" if kind is yaml.SequenceNode else "tag:yaml.org,2002:map"

    def descend_resolver(self, current_node, current_index):
        """Paths select no tags here; the inherited method costs a third of the time."""

    def ascend_resolver(self):
        """See descend_resolver."""

    def build(self, node: yaml.Node) -> Any:
        """The value of a node as plain Python data. Raises ConstructorError on a key that occurs twice."""
        if isinstance(node, yaml.ScalarNode):
            make = MAKE.get(node.tag)
            if make is None:
                raise yaml.constructor.ConstructorError(None, None, f"unknown tag {node.tag}", node.start_mark)
            return make(node.value)
        if isinstance(node, yaml.SequenceNode):
            return [self.build(child) for child in node.value]
        mapping = {self.build(key): self.build(value) for key, value in node.value}
        if len(mapping) != len(node.value):
            keys = [key.value for key, _ in node.value]
            twice = next(key for key in keys if keys.count(key) > 1)
            raise yaml.constructor.ConstructorError(
                None, None, f"key '{twice}' occurs twice in one mapping", node.start_mark
            )
        return mapping


def parse_yaml(text: str | bytes) -> Any:
    """The content of YAML text. Raises yaml.YAMLError."""
    loader = CatalogLoader(text)
    try:
        node = loader.get_single_node()
        return None if node is None else loader.build(node)
    finally:
        loader.dispose()


def read_yaml(path: Path) -> Any:
    """The content of a YAML file. Raises CatalogError with file, line and column when it cannot be read."""
    try:
        return parse_yaml(path.read_bytes())
    except OSError as error:
        message, fix = f"cannot read {path.name}: {error.strerror}", "install reportgen again, or give a readable file"
        raise CatalogError.of("catalog-file", message, fix, Place(file=str(path))) from error
    except yaml.YAMLError as error:
        raise CatalogError.of(
            "catalog-syntax",
            f"{path.name} is not valid YAML: {wrong(error)}",
            "mend the line named",
            place_of(path, error),
        ) from error


def wrong(error: yaml.YAMLError) -> str:
    """What is wrong with YAML text, in a few words."""
    return getattr(error, "problem", None) or str(error)


def place_of(path: Path, error: yaml.YAMLError) -> Place:
    """File, line and column of an error."""
    mark = getattr(error, "problem_mark", None)
    return Place(file=str(path), line=mark.line + 1 if mark else 0, column=mark.column + 1 if mark else 0)


@lru_cache
def read_data(name: str) -> dict[str, Any]:
    """The file data/<name>.yaml as a mapping, which nobody may change. Raises CatalogError."""
    path = DATA / f"{name}.yaml"
    content = read_yaml(path)
    if not isinstance(content, dict):
        raise CatalogError.of("catalog-syntax", f"{path.name} must be a mapping", "", Place(file=str(path)))
    return content
