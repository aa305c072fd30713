"""Rules of the house: layers, sizes, sources, both languages."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from reportgen.catalog import load_catalog
from reportgen.catalog.wording import wording
from reportgen.estimator import formulas
from reportgen.formula import Constant, Expression, Symbol

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "reportgen"
LAYERS = (
    ("errors",), ("formula",), ("catalog",), ("scenario",), ("estimator",), ("evaluation",), ("text", "workbook", "memo"),
    ("formats",), ("batch",), ("cli",),
)  # fmt: skip
RANK = {name: index for index, names in enumerate(LAYERS) for name in names}
MODULES = sorted(PACKAGE.rglob("*.py"))


def imported(path: Path) -> set[str]:
    """First parts of what a module imports from the package."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        names = []
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("reportgen"):
            names = [node.module] if node.module != "reportgen" else [f"reportgen.{item.name}" for item in node.names]
        elif isinstance(node, ast.Import):
            names = [item.name for item in node.names if item.name.startswith("reportgen.")]
        found |= {name.split(".")[1] for name in names if "." in name}
    return found


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_imports_go_down_only(path):
    own = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
    if own == "__init__":
        return
    for other in imported(path) - {own, "__version__"}:
        assert RANK[other] < RANK[own], f"{own} imports {other}"


@pytest.mark.parametrize("path", [*MODULES, *sorted((ROOT / "tests").rglob("*.py"))], ids=lambda path: path.name)
def test_files_hold_one_idea(path):
    assert len(path.read_text().splitlines()) <= 400


def test_no_vague_module_names():
    vague = {"utils", "helpers", "common", "base", "manager", "misc"}
    assert not [path for path in MODULES if path.stem in vague]


def literals(node) -> list[float]:
    """Bare numbers of a formula's tree."""
    if isinstance(node, Symbol):
        return []
    if isinstance(node, Expression):
        return [value for argument in node.arguments for value in literals(argument)]
    return [float(node)] if isinstance(node, (int, float)) and not isinstance(node, (bool, Constant)) else []


PUBLISHED_FRACTIONS = {0.5, 1e-7}  # half a step; the tie-break of layout ranks


@pytest.mark.parametrize("item", formulas(), ids=lambda item: f"{item.name}-{item.when.name}")
def test_formulas_are_declared_whole(item):
    assert item.doc, "one sentence on why"
    assert item.source in load_catalog().sources
    assert item.unit
    for value in literals(item.expression):
        assert value != value or value.is_integer() or value in PUBLISHED_FRACTIONS, f"{value} belongs into constants"


def test_every_formula_has_a_label_in_both_languages():
    for language in ("en", "zh"):
        words = wording(language)
        missing = [item.name for item in formulas() if not words.has(item.name)]
        assert not missing


def test_inputs_and_constants_have_labels_in_both_languages():
    catalog = load_catalog()
    for language in ("en", "zh"):
        words = wording(language)
        assert not [key for key in (*catalog.inputs, *catalog.constants) if not words.has(key)]


WORDS_OF_NO_CONCERN = re.compile(r"TODO|FIXME|XXX")


@pytest.mark.parametrize("path", MODULES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nothing_is_left_unfinished(path):
    assert not WORDS_OF_NO_CONCERN.search(path.read_text())
