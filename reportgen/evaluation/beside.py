"""Accelerators that stand beside the candidates unasked: variants made for the region, and those made in it."""

from __future__ import annotations

from reportgen.evaluation.features import is_workstation
from reportgen.evaluation.question import Question

DOMESTIC_VENDORS = {"CN": {"Huawei"}}


def region_of(question: Question) -> str:
    """The country of the site; China where nothing says otherwise."""
    return (question.scenario.region or "CN")[:2].upper()


def is_domestic(question: Question, accelerator: str) -> bool:
    """Whether the accelerator is made in the region."""
    vendor = question.catalog.accelerators[accelerator].vendor
    return vendor in DOMESTIC_VENDORS.get(region_of(question), set())


def beside(question: Question) -> tuple[str, ...]:
    """Ids in the order of the catalog, without the candidates; nothing where no vendor of the region is known."""
    if region_of(question) not in DOMESTIC_VENDORS:
        return ()
    named = question.scenario.hardware.accelerators
    small = is_workstation(question.scenario, question.catalog)
    return tuple(
        record.id
        for record in question.catalog.accelerators.values()
        if record.id not in named
        and (_is_variant(question, record.id) or (not small and is_domestic(question, record.id)))
    )


def _is_variant(question: Question, accelerator: str) -> bool:
    """Whether it was made for the region in place of the requested one, or of the one that the requested one replaces."""
    records = question.catalog.accelerators
    first = records[question.scenario.hardware.accelerators[0]]
    original = records[accelerator].restricted_variant_of
    return original is not None and original in (first.id, first.restricted_variant_of)
