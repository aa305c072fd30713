"""The first page in words: what is asked for, how long, how large, how much, and why this; all of it live."""

from __future__ import annotations

from typing import Any

from reportgen.formula import Symbol, above, at_least, at_most, count_if, equals, is_known, join, pick, position, where
from reportgen.workbook.model import ADVERSE, FAVOURABLE, Model
from reportgen.workbook.sheets.live_text import (
    decimal,
    duration,
    figure,
    joined,
    money,
    plural,
    sentence,
    shortest,
    tokens,
)

NAMED = 3  # checks that are named: what a line holds


class Sentences:
    """Sentences over the base case of one model."""

    def __init__(self, model: Model):
        self.model, self.words = model, model.words
        self.language, self.currency = model.result.facts.language, model.result.facts.currency
        self.rented = "rent" in model.features

    def all(self) -> list[tuple[str, Any]]:
        """Style and content of each line, from the top."""
        return [
            ("subtitle", self.to_look_at()),
            ("lead", self.request()),
            ("say", self.time()),
            ("say", self.size()),
            ("say", self.price()),
            ("say", self.reason()),
        ]

    # ---- the line of checks

    def to_look_at(self) -> Any:
        """The names of the first checks that do not hold."""
        turns, labels = Symbol("checks_turns"), Symbol("checks_labels")
        found = Symbol("checks_to_look_at")
        pieces: list[Any] = []
        for number in range(1, NAMED + 1):
            name = pick(labels, position(turns, number))
            before = self.words.label("readme_look_first" if number == 1 else "readme_look_next")
            pieces.append(where(at_least(found, number), join(before, name), ""))
        pieces.append(where(above(found, NAMED), self.words.label("readme_look_more"), ""))
        return where(equals(found, 0), self.words.label("readme_nothing_to_look_at"), joined(pieces))

    # ---- the request

    def request(self) -> Any:
        """What is asked for, with "at least" while lines have no price, and a warning when a check fails."""
        key = "readme_request_rent" if self.rented else "readme_request_buy"
        if not self.rented and "fabric" not in self.model.features:
            key = "readme_request_workstation"
        asked = sentence(
            self.words,
            key,
            servers=plural(self.words, "readme_servers", self.base("nodes_bought")),
            workstations=plural(self.words, "readme_workstations", self.base("nodes_bought")),
            per_node=figure(self.base("gpus_per_node")),
            gpus=plural(self.words, "readme_gpus", self.base("gpus" if self.rented else "gpus_bought")),
            cards=figure(self.base("gpus" if self.rented else "gpus_bought")),
            accelerator=self.base("accelerator_name"),
            amount=self.amount(),
        )
        if not self.rented and "owned" in self.model.features:
            asked = where(equals(self.base("gpus_bought"), 0), self._all_owned(), asked)
        stands = where(above(Symbol("checks_failed"), 0), self.words.label("readme_does_not_stand"), "")
        return joined([stands, asked])

    def _all_owned(self) -> Any:
        """The request where equipment that is there does the whole job."""
        return sentence(
            self.words,
            "readme_request_own",
            gpus=plural(self.words, "readme_gpus", self.base("gpus")),
            accelerator=self.base("accelerator_name"),
            amount=self.amount(),
        )

    def amount(self) -> Any:
        """What is paid, tax included."""
        paid = self.base("requested_amount")
        written = money(paid, self.language, self.currency)
        whole, least, others = (
            sentence(self.words, key, amount=written) for key in ("readme_whole", "readme_at_least", self._unpriced())
        )
        unpriced = self.base("rental_unpriced_lines" if self.rented else "unpriced_lines")
        known = where(above(unpriced, 0), least, whole)
        if not self.rented:
            known = where(equals(self.base("main_line_priced"), 1), known, others)
        said = is_known(paid) if self.rented else above(self.base("list_total"), 0)
        return where(said, known, self.words.label("readme_price_to_be_quoted"))

    def _unpriced(self) -> str:
        """The words for a request whose machines have no price."""
        return "readme_servers_unpriced" if "fabric" in self.model.features else "readme_workstations_unpriced"

    # ---- time, size, price

    def time(self) -> Any:
        """How long, by the kind of job, with its own error."""
        if "training" in self.model.features:
            return self._training_time()
        if "serving" in self.model.features:
            return self._serving_time()
        return sentence(
            self.words,
            "readme_time_batch",
            items=figure(self.base("items")),
            hours=duration(self.base("batch_hours")),
            range=self._range("batch_hours"),
            window=shortest(self.base("window_hours")),
        )

    def _training_time(self) -> Any:
        limit: Any = self.words.label("readme_stop")
        if "deadline" in self.model.features:
            limit = sentence(self.words, "readme_deadline", days=shortest(self.base("deadline_days")))
        return sentence(
            self.words,
            "readme_time_training",
            runs=plural(self.words, "readme_runs", self.base("runs")),
            tokens=tokens(self.base("run_tokens"), self.language),
            days=duration(self.base("training_days")),
            range=self._range("training_days"),
            limit=limit,
        )

    def _serving_time(self) -> Any:
        peak = decimal(self.base("peak_requests_per_second"))
        if not self.model.has("ttft_objective_s"):
            return sentence(self.words, "readme_time_measured", peak=peak)
        return sentence(
            self.words,
            "readme_time_serving",
            peak=peak,
            first=decimal(self.base("ttft_s"), 2),
            first_limit=decimal(self.base("ttft_objective_s"), 2),
            next=decimal(self.base("tpot_s") * 1000, 0),
            next_limit=decimal(self.base("tpot_objective_s") * 1000, 0),
        )

    def _range(self, name: str) -> Any:
        base, low, high = self.base(name), f"{name}_p10", f"{name}_p90"
        if not (self.model.has(low) and self.model.has(high)):
            return ""
        return sentence(self.words, "readme_p10_p90", low=duration(self.base(low), base), high=duration(self.base(high), base))

    def size(self) -> Any:
        """Memory of one GPU against what may be used, and the layout."""
        needed, usable = (shortest(self.base(f"memory_{name}_gib")) for name in ("per_gpu", "usable"))
        values: dict[str, Any] = {"needed": needed, "usable": usable, "tensor": figure(self.base("tensor_parallel"))}
        if "training" in self.model.features:
            for name in ("pipeline_parallel", "data_parallel", "zero_stage", "micro_batch"):
                values[name] = figure(self.base(name))
            return sentence(self.words, "readme_size_training", **values)
        values["tensor"] = plural(self.words, "readme_gpus", self.base("tensor_parallel"))
        values["replicas"] = plural(self.words, "readme_replicas", self.base("replicas"))
        if "serving" not in self.model.features:
            return sentence(self.words, "readme_size_batch", **values)
        values["capacity"] = decimal(self.base("capacity_requests_per_second"))
        return sentence(self.words, "readme_size_serving", **values)

    def price(self) -> Any:
        """Favourable to adverse, and what still needs a quotation."""
        paid = [self.model.base("requested_amount", case) for case in (FAVOURABLE, ADVERSE)]
        low, high = (money(value, self.language, self.currency) for value in paid)
        values = {"amount": self.amount(), "low": low, "high": high}
        if self.rented:
            return sentence(self.words, "readme_price_rent", **values)
        unpriced = self.base("unpriced_lines")
        idle = count_if(Symbol("request_quantities"), 0)
        needed = figure(len(self.model.result.lines) - idle)
        quoted = sentence(self.words, "readme_unpriced", count=figure(unpriced), all=needed)
        open_lines = where(at_most(unpriced, 0), self.words.label("readme_stop"), quoted)
        return sentence(self.words, "readme_price_buy", open=open_lines, **values)

    def reason(self) -> Any:
        """The verdict of the requested option, and whether another one costs less."""
        possible, other = (self.words.label(f"readme_reason_{word}") for word in ("possible", "not_possible"))
        verdict = where(equals(Symbol("options_requested_possible"), 1), possible, other)
        return sentence(self.words, "readme_reason", verdict=verdict, cheapest=self._cheapest())

    def _cheapest(self) -> Any:
        best, requested = Symbol("options_cheapest"), self.words.label("readme_cheapest_is_this")
        other = sentence(self.words, "readme_cheaper_exists", option=Symbol("options_cheapest_name"))
        unknown = self.words.label("readme_cheapest_unknown")
        return where(equals(best, 0), unknown, where(equals(best, 1), requested, other))

    def base(self, name: str) -> Any:
        """The cell of the base case."""
        return self.model.base(name)
