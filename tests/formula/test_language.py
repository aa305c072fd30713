"""The language: one definition, every reading."""

import inspect
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from reportgen import formula as language
from reportgen.formula import (
    BYTE,
    GIB,
    MISSING,
    Feature,
    FormulaError,
    Graph,
    Symbol,
    above,
    all_of,
    at_least,
    at_most,
    below,
    ceil,
    count_if,
    equals,
    evaluate,
    exp,
    floor,
    formula,
    is_known,
    join,
    least,
    ln,
    maximum,
    minimum,
    modulo,
    pick,
    position,
    round_half_up,
    select,
    smallest,
    sqrt,
    text,
    total,
    where,
)  # fmt: skip
from reportgen.formula.as_excel import EXCEL, excel_formula
from reportgen.formula.as_math import MATH, line, mathematics
from reportgen.formula.as_words import WORDS, words
from reportgen.formula.operations import NUMBER
from tests.formula.dimension_rules import DIMENSIONS

A, B, C = Symbol("a"), Symbol("b"), Symbol("c")


def excel(tree) -> str:
    return excel_formula(tree, lambda key: key.upper() + "1")


def test_every_rule_table_has_every_operation():
    assert set(EXCEL) == set(WORDS) == set(MATH) == set(DIMENSIONS) == set(NUMBER)


@pytest.mark.parametrize(
    ("tree", "expected"),
    [
        (A + B * C, "=A1+B1*C1"),
        ((A + B) * C, "=(A1+B1)*C1"),
        (A - (B - C), "=A1-(B1-C1)"),
        (A / (B / C), "=A1/(B1/C1)"),
        (A / B / C, "=A1/B1/C1"),
        (-(A**2), "=-1*A1^2"),
        ((-A) ** 2, "=(-1*A1)^2"),
        (A ** (B**C), "=A1^(B1^C1)"),
        ((A**B) ** C, "=(A1^B1)^C1"),
        (A * -2, "=A1*(-2)"),
        (A * BYTE / GIB, "=A1/1073741824"),
        (BYTE * A, "=A1"),
        (A * 1e-9, "=A1*1E-9"),
        (A * 5e20, "=A1*5E+20"),
        (A * 0.1, "=A1*0.1"),
        (ceil(A / B), "=ROUNDUP(A1/B1*(1-1E-12),0)"),
        (floor(A + B), "=ROUNDDOWN((A1+B1)*(1+1E-12),0)"),
        (where(at_most(A, B), 1, 0), "=IF(A1<=B1+1E-12*ABS(B1),1,0)"),
        (where(equals(A, "fp8"), A, MISSING), '=IF(A1="fp8",A1,"–")'),
        (join('say "', text(A, "#,##0.0"), '"'), '="say """&TEXT(A1,"#,##0.0")&""""'),
        (total(A, B, C), "=SUM(A1,B1,C1)"),
        (pick(A, position(B, C)), "=INDEX(A1,MATCH(C1,B1,0))"),
        (all_of(is_known(A), above(A, 0)), "=AND(ISNUMBER(A1),A1>0+1E-12*ABS(0))"),
    ],
)  # fmt: skip
def test_excel_text(tree, expected):
    assert excel(tree) == expected


@pytest.mark.parametrize(
    ("attempt", "advice"),
    [
        (lambda: 1 if A else 2, "where"),
        (lambda: max(A, B), "maximum"),
        (lambda: min(A, B), "minimum"),
        (lambda: A <= B, "at_most"),
        (lambda: A == B, "equals"),
        (lambda: A != B, "equals"),
        (lambda: round(A), "round_half_up"),
        (lambda: int(A), "floor"),
        (lambda: A // 2, "floor"),
        (lambda: A % 2, "modulo"),
        (lambda: abs(A), "absolute"),
        (lambda: math.ceil(A), "ceil"),
        (lambda: [1, 2][A], "pick"),
        (lambda: A and B, "all_of"),
        (lambda: list(A), "looped"),
        (lambda: 3 in A, "position"),
    ],
)
def test_python_that_cannot_be_exported_is_refused_with_the_replacement(attempt, advice):
    with pytest.raises(FormulaError, match=advice):
        attempt()


def test_numpy_scalars_leave_the_tree_whole():
    assert excel(np.float64(2.0) * A) == "=2*A1"


FUNCTIONS = [
    (lambda a, b, c: where(above(a, b), a / b, b - c), 3),
    (lambda a, b, c: ceil(a / b) + floor(c / b), 3),
    (lambda a, b, c: minimum(a, b, c) * maximum(a, b) ** 2, 3),
    (lambda a, b, c: sqrt(a) + ln(b) + exp(-c / 100), 3),
    (lambda a, b, c: where(all_of(at_least(a, b), below(b, c)), total(a, b), round_half_up(c, 1)), 3),
    (lambda a, b, c: modulo(ceil(a), ceil(b)) + c, 3),
]


@pytest.mark.parametrize("function", [item[0] for item in FUNCTIONS])
@given(values=st.lists(st.tuples(*[st.floats(0.01, 1e6)] * 3), min_size=1, max_size=5))
def test_number_array_and_tree_agree(function, values):
    arrays = [np.array(column) for column in zip(*values, strict=True)]
    tree = function(A, B, C)
    together = function(*arrays)
    for index, (a, b, c) in enumerate(values):
        alone = function(a, b, c)
        assert alone == pytest.approx(together[index], rel=1e-14)
        assert evaluate(tree, {"a": a, "b": b, "c": c}.__getitem__) == alone


@pytest.mark.parametrize(
    ("value", "up", "down"),
    [(0.1 * 3 * 10, 3, 3), (0.57 * 100, 57, 57), (2.0, 2, 2), (2.0001, 3, 2), (1e9 + 0.5, 1e9 + 1, 1e9)],
)
def test_rounding_snaps_noise_away(value, up, down):
    assert ceil(value) == up
    assert floor(value) == down


@pytest.mark.parametrize(
    ("value", "layout", "expected"),
    [
        (1234.5, "#,##0", "1,235"), (2.5, "0", "3"), (0.125, "0.0%", "12.5%"), (2.675, "0.00", "2.68"), (-0.04, "0.0", "0.0"),
        (MISSING, "0", "–"), (23.9471, "#,##0.00", "23.95"), (0.42, "0%", "42%"),
    ],
)  # fmt: skip
def test_text_rounds_as_spreadsheets_do(value, layout, expected):
    assert text(value, layout) == expected


def test_missing_is_skipped_by_totals_and_never_zero_elsewhere():
    assert total(1.0, MISSING, 2.0) == 3.0
    assert not is_known(MISSING)
    assert math.isnan(MISSING * 2)
    assert np.array_equal(total(np.array([1.0, MISSING]), np.array([2.0, 5.0])), [3.0, 5.0])


def test_columns():
    rank = (4.0, 2.0, MISSING, "–", 3.0)
    assert least(rank) == 2.0
    assert smallest(rank, 2) == 3.0
    assert position(("a", "b"), "B") == 2.0
    assert count_if((1.0, 0.0, 1.0), 1) == 2.0
    assert list(pick(np.array([5.0, 6.0]), np.array([2.0, 1.0]))) == [6.0, 5.0]


def declare(function, **options):
    return formula(unit="", symbol="", source="x", **options)(function)


def test_words_and_mathematics():
    tree = (A + B) / (C * GIB)
    assert words(tree, {"a": "Alpha", "b": "Beta", "c": "Gamma"}.get, str) == "(Alpha + Beta) ÷ (Gamma × 2^30)"
    assert line(mathematics(tree, str).atoms) == "(a + b) / (c × 2^30)"


CHOICE = where(at_most(A, 1), B, 3)


@pytest.mark.parametrize(
    ("tree", "said"),
    [
        (where(at_most(CHOICE, 2), A, CHOICE), "if (if A ≤ 1: B; else 3) ≤ 2: A; else if A ≤ 1: B; else 3"),
        (where(is_known(CHOICE), CHOICE, 0), "if (if A ≤ 1: B; else 3) is_known: (if A ≤ 1: B; else 3); else 0"),
        (maximum(CHOICE, 2) + CHOICE, "larger_of((if A ≤ 1: B; else 3), 2) + (if A ≤ 1: B; else 3)"),
    ],
)
def test_choices_inside_others_stand_in_brackets(tree, said):
    assert words(tree, {"a": "A", "b": "B"}.get, str) == said
    assert line(mathematics(CHOICE + maximum(CHOICE, 2), str).atoms) == "(b if a ≤ 1, else 3) + max((b if a ≤ 1, else 3), 2)"


def test_graph_orders_and_evaluates():
    def double(x):
        return x * 2

    def quadruple(double):
        return double * 2

    graph = Graph([declare(quadruple), declare(double)], {"x"})
    assert [item.name for item in graph.order] == ["double", "quadruple"]
    assert graph.evaluate({"x": 3.0})["quadruple"] == 12.0
    assert graph.descendants({"x"}) == {"double", "quadruple"}
    assert (
        Graph([declare(quadruple), declare(double)], {"x", "double"}).evaluate({"x": 1, "double": 5.0})["quadruple"]
        == 10.0
    )


def test_unknown_name_is_reported_with_the_nearest():
    def weights(paramters):
        return paramters * 2

    with pytest.raises(FormulaError, match="weights .* needs paramters.*did you mean parameters"):
        Graph([declare(weights)], {"parameters"})


def test_circle_is_reported():
    def first(second):
        return second

    def second(first):
        return first

    with pytest.raises(FormulaError, match="circle: first -> second -> first"):
        Graph([declare(first), declare(second)], ())


def test_two_formulas_of_one_name_must_exclude_each_other():
    def one(x):
        return x

    moe = Feature("moe")
    pair = [declare(one, name="same", when=moe), declare(one, name="same", when=~moe)]
    assert len(select(pair, frozenset({"moe"}))) == 1
    with pytest.raises(FormulaError, match="two formulas give same"):
        select([declare(one, name="same"), declare(one, name="same")], frozenset())


def test_public_operations_have_docstrings():
    for name in NUMBER:
        operation = getattr(language, name, None)
        assert operation is None or inspect.getdoc(operation)
