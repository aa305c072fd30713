"""When the equipment is there: the slowest line that is needed, its installation, and the date by which it must work."""

from __future__ import annotations

from reportgen.estimator.rental import RENTAL_LINES
from reportgen.estimator.request_list import LINES, STRUCTURES, Line
from reportgen.estimator.structure import buy, deadline, end_date, fabric, rent, training
from reportgen.formula import Constant, Formula, above, formula, maximum, where

DAYS_PER_WEEK = Constant(7.0, "days/weeks", "7")
INSTALLATION = "services"


def _weeks(number: float) -> Constant:
    return Constant(float(number), "weeks", f"{number:g}")


def goods_of(structure: str) -> tuple[Line, ...]:
    """The lines that are delivered."""
    return tuple(line for line in LINES if line.structure == structure and line.category != INSTALLATION)


def _slowest(structure: str) -> Formula:
    lines = goods_of(structure)

    def slowest(*quantities):
        pairs = zip(quantities, lines, strict=True)
        return maximum(0, *(where(above(quantity, 0), _weeks(line.lead_time_weeks), 0) for quantity, line in pairs))

    slowest.__doc__ = "The line with the longest lead time, of those that are needed; offers replace it by a date."
    declare = formula(
        unit="weeks",
        symbol="t_l",
        source="cluster-rules",
        when=STRUCTURES[structure] & buy,
        name="lead_time_longest",
        section="delivery",
    )
    item = declare(slowest)
    item.parameters = tuple(line.quantity for line in lines)
    return item


LONGEST = [_slowest(structure) for structure in STRUCTURES]
INSTALLATION_WEEKS = next(line.lead_time_weeks for line in LINES if line.key == "installation")
RENTAL_WEEKS = max(line.lead_time_weeks for line in RENTAL_LINES)


@formula(unit="weeks", symbol="t_del", source="cluster-rules", when=buy & fabric)
def delivery_weeks(lead_time_longest, installation_lots):
    """From the order to a cluster that works, installation included."""
    return lead_time_longest + installation_lots * _weeks(INSTALLATION_WEEKS)


@formula(unit="weeks", symbol="t_del", source="cluster-rules", when=buy & ~fabric, name="delivery_weeks")
def workstation_delivery_weeks(lead_time_longest):
    """A workstation is plugged in."""
    return lead_time_longest + 0


@formula(unit="weeks", symbol="t_del", source="cluster-rules", when=rent, name="delivery_weeks")
def rental_delivery_weeks():
    """From the contract to instances that answer."""
    return where(above(1, 0), _weeks(RENTAL_WEEKS), 0)


@formula(unit="days", symbol="d_del", source="reportgen")
def delivery_days(delivery_weeks):
    """The same in days, if the order is placed on the date of this request."""
    return delivery_weeks * DAYS_PER_WEEK


@formula(unit="days", symbol="d_end", source="reportgen", when=training & deadline & end_date)
def days_until_done(delivery_days, days_to_deadline):
    """Delivery, then the job, as sure as was asked."""
    return delivery_days + days_to_deadline
