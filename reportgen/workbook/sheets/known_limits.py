"""What the numbers of a book do not cover, chosen by the facts of its scenario; each sentence has its rule."""

from __future__ import annotations

from collections.abc import Iterator

from reportgen.workbook.model import Model
from reportgen.workbook.sheets.spoken import spoken

MOST = 8
SAID_ELSEWHERE = {"warning_override"}  # on the inputs sheet
REMARKS = (
    "remark_assumed_choices", "remark_tax_unknown", "remark_exchange_rate", "remark_price_twice", "remark_accelerators_not_shown",
    "remark_whole_servers",
)  # fmt: skip


def known_limits(model: Model) -> list[str]:
    """At most eight sentences: what is open first, then what every estimate of this kind leaves out."""
    return list(_found(model))[:MOST]


def _found(model: Model) -> Iterator[str]:
    result, words = model.result, model.words
    lines = result.rental if "rent" in model.features else result.lines
    remarks = {message.key: spoken(model, message) for message in result.remarks if message.key in REMARKS}
    for message in result.warnings:
        if message.key not in SAID_ELSEWHERE:
            yield spoken(model, message)
    if any(line.basis == "quote_needed" for line in lines):
        yield words.label("limit_unpriced")
    if any(line.basis in ("estimate", "market", "list") for line in lines):
        yield words.label("limit_prices")
    yield from _of_the_job(model)
    yield words.label("limit_cases")
    if any(not option.live and option.values for option in result.options):
        yield words.text("limit_options", date=result.facts.date)
    yield from remarks.values()
    yield words.text("limit_layouts", listed=sum(model.block_sizes))
    if "training" in model.features:
        yield words.label("limit_reruns")
    yield words.label("limit_not_included")


def _of_the_job(model: Model) -> Iterator[str]:
    """What a measurement would narrow most."""
    if "training" in model.features:
        if "given_utilization" not in model.features:
            yield model.words.label("limit_utilization")
    elif "measured_rate" not in model.features:
        yield model.words.label("limit_speed")
