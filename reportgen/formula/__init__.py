"""The language of formulas: one plain function gives the number, the array, the Excel formula, the words and the mathematics."""

from reportgen.formula.column import Column
from reportgen.formula.constants import (
    BILLION, BITS_PER_BYTE, BYTE, DAY, DAYS_PER_YEAR, EXAFLOP, FLOP, GIB, GIGABIT, GIGABYTE, GIGAFLOP, HOUR, HOURS_PER_DAY,
    HOURS_PER_MONTH, HOURS_PER_YEAR, KIB, KILOBYTE, KILOWATT, MEGABYTE, MIB, MICROSECOND, MILLION, MILLISECOND, MINUTE,
    MONTHS_PER_YEAR, TERABYTE, TERAFLOP, THOUSAND,
)  # fmt: skip
from reportgen.formula.declare import ALWAYS, Feature, Formula, formula
from reportgen.formula.expression import Constant, Expression, FormulaError, Symbol, symbols_of
from reportgen.formula.graph import Graph, select
from reportgen.formula.operations import (
    MISSING, above, absolute, all_of, any_of, at_least, at_most, below, ceil, count_if, equals, evaluate, exp, floor,
    greatest, is_known, join, least, ln, maximum, minimum, modulo, negate_condition, pick, position, round_half_up, smallest,
    sqrt, sum_of, text, total, where,
)  # fmt: skip

__all__ = [name for name in dir() if not name.startswith("_")]
