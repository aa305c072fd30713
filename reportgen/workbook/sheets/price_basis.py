"""Where the price of a line comes from: the words of its basis, its source and its date, following edits."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from reportgen.estimator.rental import RentalLine
from reportgen.estimator.request_list import Line
from reportgen.evaluation.result import InputValue
from reportgen.evaluation.result import Line as ResultLine
from reportgen.formula import above, at_most, equals, is_known, pick, where
from reportgen.workbook.model import Model
from reportgen.workbook.sheets.live_text import DASH

NODE_PRICES = ("node_price", "workstation_price")


class PriceBasis:
    """Basis, source and date of one line: of an offer, of the accelerator's server, or of the price input in force."""

    def __init__(self, model: Model, rule: Line, line: ResultLine):
        self.model, self.rule, self.line = model, rule, line
        self.offer = model.offers[rule.offer]
        self.price = model.base(rule.unit_price)
        self.needed = model.base(rule.quantity)

    def basis(self) -> Any:
        """In words."""
        words = self.model.words
        fallback = words.label("basis_estimate")
        known = self._found("basis", lambda item: words.label(f"basis_{item.note or 'estimate'}"), fallback)
        priced = where(is_known(self.price), known, words.label("basis_quote_needed"))
        offered = where(above(self.offer, 0), words.label("basis_quote"), priced)
        return where(at_most(self.needed, 0), words.label("request_not_needed"), offered)

    def source(self) -> Any:
        """Key of the sources sheet."""
        known = self._found("source", lambda item: item.source, self.line.source or "cluster-rules")
        priced = where(is_known(self.price), known, DASH)
        return where(above(self.offer, 0), self.model.words.label("request_offer"), priced)

    def as_of(self) -> Any:
        """Date of the price."""
        known = self._found("date", lambda item: item.as_of or DASH, DASH)
        return where(above(self.offer, 0), DASH, where(is_known(self.price), known, DASH))

    def _found(self, fact: str, of_input: Callable[[InputValue], str], fallback: str) -> Any:
        if self.rule.price in NODE_PRICES:
            table = self.model.tables.get(f"accelerators_price_{fact}")
            return fallback if table is None else pick(table, self.model.base("accelerator_row"))
        inputs = [self.model.inputs_by_key[key] for key in self.rule.price_inputs if key in self.model.inputs_by_key]
        if len({of_input(item) for item in inputs}) == 1:
            return of_input(inputs[0])
        found: Any = fallback
        for item in reversed(inputs):
            listed = self.model.base(item.key)
            is_this_one = where(is_known(listed), equals(self.price, listed), False)
            found = where(is_this_one, of_input(item), found)
        return found


class RentalBasis:
    """The same for a line of the rental list; what has no price of its own stands in the allowance while there is one."""

    def __init__(self, model: Model, rule: RentalLine, line: ResultLine):
        self.model, self.rule, self.line = model, rule, line
        self.price = model.base(rule.price)
        self.allowance = model.base("rental_extras_share")
        self.offer = model.base("offer_rental") if rule.key == "rental_instances" else None

    def amount(self) -> Any:
        """The amount of the line: 0 where the allowance covers it."""
        amount = self.model.base(self.rule.amount)
        return where(self._covered(), 0, amount) if self.rule.price_input else amount

    def _covered(self) -> Any:
        return where(is_known(self.price), False, above(self.allowance, 0))

    def basis(self) -> Any:
        """In words."""
        say = self.model.words.label
        issued = self.line.basis if self.line.basis not in ("quote_needed", "included", "quote") else "estimate"
        known = where(is_known(self.price), say(f"basis_{issued}"), say("basis_quote_needed"))
        if self.rule.price_input:
            known = where(self._covered(), say("basis_included"), known)
        return known if self.offer is None else where(above(self.offer, 0), say("basis_quote"), known)

    def source(self) -> Any:
        """Key of the sources sheet."""
        known = where(is_known(self.price), self.line.source or DASH, DASH)
        offered = self.model.words.label("request_offer")
        return known if self.offer is None else where(above(self.offer, 0), offered, known)

    def as_of(self) -> Any:
        """Date of the price."""
        known = where(is_known(self.price), self.line.as_of or DASH, DASH)
        return known if self.offer is None else where(above(self.offer, 0), DASH, known)
