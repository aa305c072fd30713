"""Rules about the request itself: hardware, dates, model, options, site."""

from __future__ import annotations

from reportgen.scenario.question import Finding, Findings, Question


def hardware(question: Question) -> Findings:
    """Accelerators are named once; a server holds that accelerator."""
    if not question.is_ok("hardware") or not question.get("hardware"):
        return
    one, many = question.get("hardware.accelerator"), question.get("hardware.accelerators")
    if one and many:
        yield Finding(
            "hardware.accelerators",
            "contradiction",
            "both 'accelerator' and 'accelerators' are written",
            "keep one of them",
            True,
        )
    elif not one and not many:
        message = "'hardware' names no accelerator"
        yield Finding(
            "hardware", "missing-key", message, "add 'accelerators: [h200-sxm]' (reportgen catalog accelerators)", True
        )
    names = [one] if one else list(many or ())
    for index, name in enumerate(names):
        if name in names[:index]:
            yield Finding(
                f"hardware.accelerators.{index}", "contradiction", f"'{name}' is named twice", "remove one of them"
            )
    server = question.catalog.servers.get(question.get("hardware.server") or "")
    if server and names and server.accelerator != names[0]:
        message = f"the server '{server.id}' holds '{server.accelerator}', not '{names[0]}'"
        yield Finding("hardware.server", "contradiction", message, "choose a server of the first accelerator")
    count = question.get("hardware.count")
    if server and count and count > server.gpus_per_node and count % server.gpus_per_node:
        message = f"{count} GPUs are not whole servers of {server.gpus_per_node}"
        below = count // server.gpus_per_node * server.gpus_per_node
        yield Finding("hardware.count", "contradiction", message, f"write {below} or {below + server.gpus_per_node}")
    if (
        question.get("hardware.acquire") == "rent"
        and question.get("policy.cloud_allowed") is False
        and question.wrote("hardware.acquire")
    ):
        message = "'acquire: rent' contradicts 'policy.cloud_allowed: false'"
        yield Finding("hardware.acquire", "contradiction", message, "write 'acquire: buy', or allow the cloud")


def dates(question: Question) -> Findings:
    """A deadline lies after the start, the start not before the request."""
    start, by = question.get("start"), question.get("deadline.by")
    first = start or question.date
    if by and question.get("deadline.within"):
        yield Finding("deadline", "contradiction", "the deadline has both 'in' and 'by'", "keep one of them")
    elif by and by <= first:
        since = f"the start {start}" if start else f"the date of the request {question.date}"
        yield Finding(
            "deadline.by", "date-in-the-past", f"the deadline {by} is not after {since}", "write a later date"
        )
    elif question.get("deadline") and not by and not question.get("deadline.within"):
        yield Finding(
            "deadline",
            "missing-key",
            "the deadline says neither 'in' nor 'by'",
            "write it like 'deadline: 14 days'",
            True,
        )
    if start and start < question.date:
        yield Finding(
            "start",
            "date-in-the-past",
            f"the start {start} is before the date of the request {question.date}",
            "write a later date",
        )


def model(question: Question) -> Findings:
    """The model is said in one way."""
    ways = [name for name in ("id", "config", "layers") if question.wrote(f"model.{name}")]
    if len(ways) > 1:
        yield Finding(
            f"model.{ways[1]}",
            "contradiction",
            "the model is given in two ways",
            "keep the id, the config or the spelled-out fields",
            True,
        )
    elif (
        question.wrote("model.id")
        and question.get("model")
        and any(path.startswith("model.") for path in question.given - {"model.id", "model.name"})
    ):
        other = sorted(
            path for path in question.given if path.startswith("model.") and path not in ("model.id", "model.name")
        )[0]
        yield Finding(
            other,
            "contradiction",
            "a model of the catalog has its shape already",
            "remove this, or spell out the whole architecture",
            True,
        )


def options(question: Question) -> Findings:
    """Alternatives fit the job."""
    if question.wrote("options.methods") and not question.training:
        yield Finding(
            "options.methods",
            "key-of-other-job",
            f"'options.methods' has no meaning for {question.job}",
            "remove it",
            True,
        )
    if question.wrote("options.quantized") and question.training:
        yield Finding(
            "options.quantized",
            "key-of-other-job",
            f"'options.quantized' has no meaning for {question.job}",
            "remove it",
            True,
        )
    if (
        question.wrote("options.rent")
        and question.get("options.rent")
        and question.get("policy.cloud_allowed") is False
    ):
        yield Finding(
            "options.rent",
            "contradiction",
            "'options.rent' contradicts 'policy.cloud_allowed: false'",
            "remove one of them",
            True,
        )


def site(question: Question) -> Findings:
    """Racks fit the power of the room."""
    power, racks, each = (question.get(f"site.{name}") for name in ("power", "racks", "rack_power"))
    if power and each and each > power:
        yield Finding(
            "site.rack_power",
            "contradiction",
            f"a rack of {each:g} kW exceeds the {power:g} kW of the site",
            "correct one of them",
        )
