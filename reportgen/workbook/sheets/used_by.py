"""Where a quantity goes: the quantities that are computed from it, and the sheets that show it."""

from __future__ import annotations

from functools import lru_cache

from reportgen.estimator.checks import checks_of
from reportgen.evaluation.shown import OPTION_VALUES
from reportgen.workbook.model import Model

NAMED = 1  # quantities that are named; the others are counted


def users(model: Model, key: str) -> str:
    """The first quantities that read it, how many more do, and the sheets beside Calc that do."""
    found = [name for name in model.graph.users.get(key, ()) if name != key]
    parts = [model.label(name) for name in found[:NAMED]]
    parts += [f"→ {model.words.label(f'sheet_{sheet}')}" for sheet in _sheets(model, key, bool(found))]
    text = "; ".join(parts) if model.words.language == "en" else "；".join(parts)
    return text + (f" +{len(found) - NAMED}" if len(found) > NAMED else "") or "–"


def _sheets(model: Model, key: str, is_read: bool) -> list[str]:
    features = model.features
    sheets = []
    if not is_read and any(key in item.parameters for item in model.layout_rows):
        sheets.append("layouts")
    if key in OPTION_VALUES:
        sheets.append("options")
    if key in _checked(features):
        sheets.append("checks")
    return sheets


@lru_cache(maxsize=16)
def _checked(features: frozenset[str]) -> frozenset[str]:
    sides = {side for rule in checks_of(features) for side in (rule.left, rule.right)}
    return frozenset(side for side in sides if isinstance(side, str))
