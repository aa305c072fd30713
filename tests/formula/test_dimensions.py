"""The declared unit of every formula is the unit that its tree computes, scale included."""

import pytest

from reportgen.catalog import load_catalog
from reportgen.catalog.accelerator_table import COLUMN_UNITS
from reportgen.estimator import formulas
from reportgen.formula import GIB, Symbol
from tests.formula.dimension_rules import DimensionError, Literal, dimension, same, unit_of


def column_unit(field: str) -> str:
    return COLUMN_UNITS.get(field, "count")


def known_units() -> dict[str, str]:
    catalog = load_catalog()
    units = {item.name: item.unit for item in formulas()}
    for key, record in (*catalog.inputs.items(), *catalog.constants.items()):
        units.setdefault(key, record.unit)
    for name, unit in list(units.items()):
        units[f"layouts_{name}"] = unit
    return units


UNITS = known_units()


def unit_of_name(name: str):
    if name.startswith("accelerators_"):
        return unit_of(column_unit(name.removeprefix("accelerators_")))
    return unit_of(UNITS.get(name, "count"))


def test_declared_units_are_computed_units():
    wrong = [found for item in formulas() if (found := wrong_unit(item))]
    assert not wrong, "\n".join(wrong)


def wrong_unit(item) -> str:
    """What is wrong with the declared unit of a formula; empty when nothing is."""
    try:
        computed = dimension(item.expression, unit_of_name)
        if item.unit == "text":
            return ""
        same(computed, unit_of(item.unit), "declared")
    except DimensionError as error:
        return f"{item.name} ({item.when.name}): declared {item.unit}; {error}"
    return "" if not isinstance(computed, Literal) or computed.value == computed.value else f"{item.name} is not a number"


def test_the_proof_notices_a_wrong_unit():
    def lookup(name):
        return {"p": unit_of("parameters"), "b": unit_of("B")}[name]

    right = dimension(Symbol("p") * Symbol("b") / GIB, lookup)
    same(right, unit_of("GiB"), "right")
    with pytest.raises(DimensionError):
        same(dimension(Symbol("p") * Symbol("b"), lookup), unit_of("GiB"), "forgotten conversion")
    with pytest.raises(DimensionError):
        dimension(Symbol("p") + Symbol("b"), lookup)
