"""Several stages in one job (continued pretraining, then instruction tuning, then preferences): their work, time and end.

The whole job is planned with the stage that needs most memory; the operations of every stage are computed by the formulas
of work, declared once more under `stage_<number>_`, with the length and the method of the stage.
"""

from __future__ import annotations

import functools
import operator
from collections.abc import Callable

from reportgen.estimator import adapters, work
from reportgen.estimator.structure import STAGES, training
from reportgen.formula import DAY, EXAFLOP, Feature, Formula, formula

METHODS = frozenset({"full", "lora", "qlora", "freeze", "reference_model"})
TARGET = "training_flops_per_token"
CALENDAR = "reportgen"


def _declared() -> list[Formula]:
    return [value for module in (work, adapters) for value in vars(module).values() if isinstance(value, Formula)]


def _dependent(known: list[Formula]) -> set[str]:
    """Names below the target that depend on the length or on the method."""
    names, waiting = set(), [TARGET]
    while waiting:
        name = waiting.pop()
        variants = [item for item in known if item.name == name]
        if name not in names and variants:
            names.add(name)
            waiting += [parameter for item in variants for parameter in item.parameters]
    return names


def _when(item: Formula, number: int) -> Feature:
    own = f"stage_{number}_"

    def holds(features: frozenset[str]) -> bool:
        if f"stage_{number}" not in features:
            return False
        of_stage = {name for name in METHODS if own + name in features}
        return item.when((features - METHODS) | of_stage)

    return Feature(f"stage {number} and ({item.when.name})", holds)


def _of_stage(number: int) -> list[Formula]:
    known = _declared()
    names = _dependent(known)
    own, found = f"stage_{number}_", []
    for item in known:
        if item.name in names:
            again = Formula(
                item.function, own + item.name, item.unit, item.symbol, item.source, _when(item, number), "stages"
            )
            again.parameters = tuple(
                own + parameter if parameter in names | {"sequence_length"} else parameter
                for parameter in item.parameters
            )
            found.append(again)
    return [*found, *_time_of_stage(number)]


def _renamed(
    function: Callable, name: str, parameters: tuple[str, ...], when: Feature, unit: str, symbol: str
) -> Formula:
    declared = formula(unit=unit, symbol=symbol, source=CALENDAR, when=when, name=name, section="stages")(function)
    declared.parameters = parameters
    return declared


def _time_of_stage(number: int) -> list[Formula]:
    own, when = f"stage_{number}_", Feature(f"stage_{number}")

    def steps(tokens, sequence_length, global_batch):
        """Updates of the weights in this stage."""
        return tokens / (sequence_length * global_batch)

    def seconds(tokens, flops, seconds_per_token_per_gpu, training_flops_per_token, gpus):
        """A token takes as much longer as it has more operations than one of the stage that the layout is planned for."""
        return tokens * seconds_per_token_per_gpu * flops / training_flops_per_token / gpus

    def days(seconds, calendar_factor):
        """Calendar time of this stage."""
        return seconds * calendar_factor / DAY

    def end(days, before):
        """Stages follow one another."""
        return before + days

    def first_end(days):
        """The first stage begins with the job."""
        return days + 0

    ends = ((f"{own}days",), first_end) if number == 1 else ((f"{own}days", f"stage_{number - 1}_end_days"), end)
    lengths = (f"{own}tokens", f"{own}sequence_length", f"{own}global_batch")
    speed = (f"{own}tokens", own + TARGET, "seconds_per_token_per_gpu", TARGET, "gpus")
    return [
        _renamed(steps, f"{own}steps", lengths, when, "steps", f"n_s{number}"),
        _renamed(seconds, f"{own}seconds", speed, when, "s", f"t_s{number}"),
        _renamed(days, f"{own}days", (f"{own}seconds", "calendar_factor"), when, "days", f"d_s{number}"),
        _renamed(ends[1], f"{own}end_days", ends[0], when, "days", f"d_e{number}"),
    ]


def _sums(count: int) -> list[Formula]:
    """What a job of so many stages adds up."""
    when = training & Feature(f"stages_{count}")
    numbers = range(1, count + 1)

    def tokens(*parts):
        """All stages, each read once."""
        return functools.reduce(operator.add, parts)

    def steps(*parts):
        """Updates of the weights in all stages."""
        return functools.reduce(operator.add, parts)

    def seconds(*parts):
        """One stage after the other."""
        return functools.reduce(operator.add, parts)

    def eflop(*parts):
        """Useful work of all stages; recomputation is not counted."""
        pairs = zip(parts[:count], parts[count:], strict=True)
        return functools.reduce(operator.add, [amount * flops for amount, flops in pairs]) / EXAFLOP

    def each(name: str) -> tuple[str, ...]:
        return tuple(f"stage_{number}_{name}" for number in numbers)

    return [
        _renamed(tokens, "training_tokens", each("tokens"), when, "tokens", "T_1"),
        _renamed(steps, "steps", each("steps"), when, "steps", "n_step"),
        _renamed(eflop, "run_work_eflop", (*each("tokens"), *each(TARGET)), when, "EFLOP", "C_run"),
        _renamed(seconds, "run_seconds", each("seconds"), when, "s", "t_run"),
    ]


OF_STAGES = [item for number in range(1, STAGES + 1) for item in _of_stage(number)]
SUMS = [item for count in range(2, STAGES + 1) for item in _sums(count)]
