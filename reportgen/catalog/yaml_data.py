"""Reading the YAML files of the catalog: strict (no key twice), quick (libyaml), dates stay text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

from reportgen.errors import CatalogError, Place

DATA = Path(__file__).parent / "data"


class CatalogLoader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):
    """Safe loading with the scalars of YAML 1.2: `no` and 2026-11-30 are text, 5e9 is a number."""

    def construct_mapping(self, node, deep=False):
        mapping = super().construct_mapping(node, deep=deep)
        if len(mapping) != len(node.value):
            raise yaml.constructor.ConstructorError(None, None, _repeated_key(node), node.start_mark)
        return mapping


def _repeated_key(node) -> str:
    seen = set()
    for key, _ in node.value:
        if key.value in seen:
            return f"key '{key.value}' occurs twice in one mapping"
        seen.add(key.value)
    return "a key occurs twice in one mapping"


def _real_number(loader, node) -> float:
    return float(node.value)


CatalogLoader.yaml_implicit_resolvers = {}
CatalogLoader.add_implicit_resolver("tag:yaml.org,2002:bool", re.compile(r"^(?:true|false)$"), list("tf"))
CatalogLoader.add_implicit_resolver(
    "tag:yaml.org,2002:int", re.compile(r"^[-+]?(?:0|[1-9][0-9]*)$"), list("-+0123456789")
)
CatalogLoader.add_implicit_resolver(
    "tag:yaml.org,2002:float",
    re.compile(r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$"),
    list("-+0123456789."),
)
CatalogLoader.add_implicit_resolver("tag:yaml.org,2002:null", re.compile(r"^(?:~|null|)$"), ["~", "n", ""])
CatalogLoader.add_constructor("tag:yaml.org,2002:float", _real_number)


def read_yaml(path: Path) -> Any:
    """The content of a YAML file. Raises CatalogError with file, line and column when it cannot be read."""
    try:
        with path.open("rb") as stream:
            return yaml.load(stream, Loader=CatalogLoader)
    except OSError as error:
        raise CatalogError.of(
            "catalog-file",
            f"cannot read {path.name}: {error.strerror}",
            "install reportgen again, or give a readable file",
            Place(file=str(path)),
        ) from error
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        place = Place(file=str(path), line=mark.line + 1 if mark else 0, column=mark.column + 1 if mark else 0)
        problem = getattr(error, "problem", None) or str(error)
        raise CatalogError.of(
            "catalog-syntax", f"{path.name} is not valid YAML: {problem}", "mend the line named", place
        ) from error


def read_data(name: str) -> dict[str, Any]:
    """The file data/<name>.yaml as a mapping. Raises CatalogError."""
    path = DATA / f"{name}.yaml"
    content = read_yaml(path)
    if not isinstance(content, dict):
        raise CatalogError.of(
            "catalog-syntax", f"{path.name} must be a mapping", "see docs/architecture.md", Place(file=str(path))
        )
    return content
