"""The question: a scenario file read, checked and brought into base units."""

from reportgen.scenario.architecture import Architecture
from reportgen.scenario.load import load_scenario, scenario_from_mapping
from reportgen.scenario.scenario import Assumed, Scenario
from reportgen.scenario.units import Amount, Range, base_of

__all__ = [
    "Amount",
    "Architecture",
    "Assumed",
    "Range",
    "Scenario",
    "base_of",
    "load_scenario",
    "scenario_from_mapping",
]
