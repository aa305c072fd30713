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


PARTS = sorted({path.relative_to(PACKAGE).parts[0] for path in MODULES} - {"__init__.py"})


@pytest.mark.parametrize("part", PARTS)
def test_imports_go_down_only(part):
    own = part.removesuffix(".py")
    for path in [PACKAGE / part] if part.endswith(".py") else sorted((PACKAGE / part).rglob("*.py")):
        for other in imported(path) - {own, "__version__"}:
            assert RANK[other] < RANK[own], f"{path.relative_to(PACKAGE)} imports {other}"


def test_files_hold_one_idea():
    lines = {path: len(path.read_text().splitlines()) for path in [*MODULES, *(ROOT / "tests").rglob("*.py")]}
    assert not {path.name: count for path, count in lines.items() if count > 400}


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


def test_formulas_are_declared_whole():
    for item in formulas():
        assert item.doc, f"{item.name}: one sentence on why"
        assert item.source in load_catalog().sources, item.name
        assert item.unit, item.name
        for value in literals(item.expression):
            whole = value != value or value.is_integer() or value in PUBLISHED_FRACTIONS
            assert whole, f"{item.name}: {value} belongs into constants"


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


UNFINISHED = re.compile(r"TODO|FIXME|XXX")


def test_nothing_is_left_unfinished():
    assert not [path.name for path in MODULES if UNFINISHED.search(path.read_text())]
