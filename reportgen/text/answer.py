"""A result as an answer: headline figures, how the size follows, options, the list, checks, assumptions, warnings."""

from __future__ import annotations

from reportgen.evaluation.result import Check, InputValue, Line, Option, Quantity, Result
from reportgen.text.blocks import Answer, Bars, Cell, Lines, Table
from reportgen.text.headline import LIMIT, MEMORY, TIMES, headline, memory_parts, reasons
from reportgen.text.speech import NOTHING, Speech
from reportgen.text.tracing import Tracing

FORM = ("offer", "discount")  # empty fields of the workbook's form, not assumptions
RELATIONS = {"<=": "≤", ">=": "≥"}
POWER = "it_power_kw"
MACHINES = ("gpus", "nodes", "gpus_bought", "nodes_bought")
STATUS_MARKS = {"OK": "good", "LOOK": "look", "FAIL": "bad"}


def answer(result: Result, language: str | None = None, all_checks: bool = False) -> Answer:
    """Everything that the terminal and a ticket show about one scenario."""
    speech = Speech(result, language)
    blocks = (
        _figures(result, speech),
        _memory(result, speech),
        _reasons(result, speech),
        _options(result, speech),
        _list(result, speech),
        checks_table(result, speech, all_checks),
        _assumed(result, speech),
        _overridden(result, speech),
        _warnings(result, speech),
        _missing(result, speech),
    )
    return Answer(
        result.facts.title,
        request_sentence(result, speech),
        tuple(block for block in blocks if block),
        _footer(result, speech),
    )


def check_answer(result: Result, language: str | None = None) -> Answer:
    """Only the checks, all of them, and the warnings."""
    speech = Speech(result, language)
    blocks = (checks_table(result, speech), _warnings(result, speech), _missing(result, speech))
    sentence = speech.say("verdict_failed" if result.failed else "verdict_valid")
    return Answer(f"{result.facts.name}: {result.facts.title}", sentence, tuple(block for block in blocks if block))


def request_sentence(result: Result, speech: Speech) -> str:
    """The request in one sentence, made of what this job has."""
    values = dict.fromkeys(MACHINES, NOTHING)
    values |= {key: speech.of(quantity) for key, quantity in result.quantities.items() if quantity.unit != "text"}
    parts = [speech.say(_hardware(result), accelerator=_accelerator(result), **values)]
    for key in ("training_days", "batch_hours", "replicas"):
        if result.has(key):
            parts.append(speech.say(f"request_{key}", **_pick(values, key)))
    parts += _price(result, speech)
    sentence = speech.say("request_end", parts=speech.say("request_comma").join(parts))
    failed = [speech.check(check.key) for check in result.checks if check.status == "FAIL"]
    if not failed:
        return sentence
    return speech.say("does_not_stand", sentence=sentence, checks=speech.say("compare_clause").join(failed))


def _hardware(result: Result) -> str:
    """The words for the machines: those at work, those bought, or those bought where only some of them work at once."""
    if result.facts.acquire == "rent" or not result.has("gpus_bought") or result.value("nodes_reused") > 0:
        return "request_hardware"
    spare = result.value("gpus_bought") > result.value("gpus")
    return "request_hardware_spare" if spare else "request_hardware_bought"


def _price(result: Result, speech: Speech) -> list[str]:
    """What it costs to buy or rent; while lines have no price, what the others cost, and how many are open."""
    key = "rental_cost" if result.facts.acquire == "rent" else "capital_cost"
    unpriced = result.value("unpriced_lines") if key == "capital_cost" else 0
    if not result.has(key) or (unpriced > 0 and result.value(key) == 0):
        return [speech.say("request_no_price")]
    cost = speech.of(result.quantities[key])
    if not unpriced > 0:
        return [speech.say(f"request_{key}", cost=cost)]
    said = "request_servers_unpriced" if result.value("main_line_priced") == 0 else "request_at_least"
    return [speech.say(said, cost=cost, count=speech.number(unpriced, "count"), all=result.lines_needed)]


def _pick(values: dict[str, str], *keys: str) -> dict[str, str]:
    return {key: values.get(key, NOTHING) for key in keys}


def _accelerator(result: Result) -> str:
    name = result.value("accelerator_name")
    return name if isinstance(name, str) and name else result.facts.accelerator


def _figures(result: Result, speech: Speech) -> Table | None:
    unpriced = result.facts.acquire != "rent" and result.value("unpriced_lines") > 0
    rows = tuple(
        _figure_row(quantity, speech, "≥ " if unpriced and quantity.key in AT_LEAST else "")
        for quantity in headline(result)
    )
    head = tuple(speech.say(key) for key in ("quantity", "base", "favourable", "adverse", "p10_p90"))
    note = speech.say("ranges_note") if any(row[2] != NOTHING or row[4] != NOTHING for row in rows) else ""
    return Table("", head, rows, frozenset({1, 2, 3, 4}), (0,), note) if rows else None


AT_LEAST = {
    "capital_cost",
    "total_cost",
    "purchase_cost",
    "requested_amount",
    "purchase_total_cost",
}  # until all is priced


def _figure_row(quantity: Quantity, speech: Speech, at_least: str = "") -> tuple[str, ...]:
    values, unit = speech.scaled(
        (quantity.value, quantity.favourable, quantity.adverse, quantity.p10, quantity.p90), quantity.unit
    )
    base, favourable, adverse, p10, p90 = values
    moved = favourable != base or adverse != base
    ends = [at_least + speech.number(end, unit) if moved else NOTHING for end in (favourable, adverse)]
    error = speech.range(p10, p90, unit) if p10 != p90 else NOTHING
    return (speech.label(quantity.key), Cell(at_least + speech.amount(base, unit), "strong"), *ends, error)


def _memory(result: Result, speech: Speech) -> Bars | None:
    parts, limit = memory_parts(result), result.value(LIMIT)
    if not parts or not isinstance(limit, float) or not limit > 0:
        return None
    rows = tuple((speech.label(part.key), speech.of(part), part.value / limit) for part in parts)
    title = speech.say("memory", used=speech.of(result.quantities[MEMORY]), limit=speech.amount(limit, "GiB"))
    return Bars(title, rows)


def _reasons(result: Result, speech: Speech) -> Table | None:
    tracing = Tracing(result)
    rows = tuple(row for key in reasons(result) if (row := _reason(key, tracing, speech)))
    return Table(speech.say("size"), ("", ""), rows, flexible=(1,)) if rows else None


def _reason(key: str, tracing: Tracing, speech: Speech) -> tuple[str, str] | None:
    """A quantity with its formula and its figures; nothing for one that only repeats another."""
    symbols = tracing.symbols(key, taken=True)
    figures = tracing.substituted(key, speech)
    value = speech.exact(tracing.items[key]) if symbols else ""
    if not symbols or value.startswith(figures):
        return None
    return speech.label(key), f"{tracing.symbol(key)} = {symbols} = {figures} = {value}"


def _options(result: Result, speech: Speech) -> Table | None:
    if not result.options:
        return None
    time = next((key for key in TIMES if any(_known(option.values.get(key)) for option in result.options)), "")
    keys = [*([time] if time else []), POWER]
    units = [result.quantities[key].unit if key in result.quantities else "" for key in keys]
    scales = [speech.scaled((result.value(key),), unit)[1] for key, unit in zip(keys, units, strict=True)]
    heads = [speech.say(f"column_{key}", unit=speech.unit(scale)) for key, scale in zip(keys, scales, strict=True)]
    head = (
        speech.say("option"),
        speech.say("column_gpus"),
        *heads,
        speech.say("column_cost", currency=speech.currency),
        speech.say("verdict"),
    )
    rows = tuple(
        (
            Cell(option_name(option, speech), "strong" if option.chosen else ""),
            speech.number(option.gpus, "count"),
            *(
                NOTHING
                if key == POWER and option.way == "rent"
                else speech.in_unit(option.values.get(key), unit, scale)
                for key, unit, scale in zip(keys, units, scales, strict=True)
            ),
            _cost(option, speech),
            _verdict(option, speech),
        )
        for option in result.options
    )
    right = frozenset(range(1, len(keys) + 3))
    return Table(speech.say("options"), head, rows, right, (0, len(head) - 1), speech.say("options_note"))


def _cost(option: Option, speech: Speech) -> str:
    """What is paid: the purchase, or the rent of this job; with a sign while lines without a price come on top."""
    key = {"rent": "rental_cost", "buy": "purchase_cost"}.get(option.way, "owned_job_cost")
    written = speech.number(option.values.get(key), "money")
    return (
        f"≥ {written}"
        if option.way == "buy" and option.values.get("unpriced_lines", 0) > 0 and written != NOTHING
        else written
    )


def option_name(option: Option, speech: Speech) -> str:
    """An option by accelerator, method and way."""
    if option.kind == "nothing":
        return speech.say("option_nothing")
    variant = {"method": speech.words.value("method", option.method), "model": option.key.removeprefix("model-")}.get(option.kind, "")
    return speech.say("compare_joint").join(
        part for part in (option.accelerator, variant, speech.say(f"way_{option.way}")) if part
    )


def _verdict(option: Option, speech: Speech) -> Cell:
    mark = speech.say("compare_clause")
    reasons = mark.join(speech.message(reason) for reason in option.reasons)
    if option.chosen:
        said = any(reason.key == "reason_requested" for reason in option.reasons)
        return Cell(reasons if said else mark.join(part for part in (speech.say("chosen"), reasons) if part), "strong")
    failures = [
        key
        for key, good in (("fits", option.fits), ("in_time", option.in_time), ("permitted", option.permitted))
        if not good
    ]
    said = (
        reasons
        or speech.say("compare_joint").join(speech.say(f"not_{key}") for key in failures)
        or speech.say("possible")
    )
    return Cell(said, "soft" if failures else "")


def _known(value: float | None) -> bool:
    return value is not None and value == value


def _list(result: Result, speech: Speech) -> Table | None:
    lines = [line for line in result.rental or result.lines if line.quantity > 0]
    if not lines:
        return None
    head = tuple(speech.say(key) for key in ("number", "item", "count", "unit_price", "amount", "basis"))
    rows = tuple(_list_row(number, line, speech) for number, line in enumerate(lines, start=1))
    rows += (_list_total(result, lines, speech),)
    title = speech.say("list", currency=result.facts.currency)
    return Table(title, head, rows, frozenset({0, 2, 3, 4}), (1,), speech.say("list_note"))


def _list_total(result: Result, lines: list[Line], speech: Speech) -> tuple[str, ...]:
    """The sum of what has a price, without tax; with a sign while other lines come on top."""
    key = "rental_list_total" if result.rental else "list_total"
    written = speech.number(result.value(key), "money")
    open_lines = any(line.amount != line.amount for line in lines) and written != NOTHING
    return ("", Cell(speech.label(key), "strong"), "", "", Cell(f"≥ {written}" if open_lines else written, "strong"), "")


def _list_row(number: int, line: Line, speech: Speech) -> tuple[str, ...]:
    count = speech.amount(line.quantity, line.unit)
    unpriced = line.basis == "quote_needed"
    prices = [speech.number(value, "money") for value in (line.unit_price, line.amount)]
    return (
        str(number),
        speech.line(line.key),
        count,
        *prices,
        Cell(speech.label(f"basis_{line.basis}"), "look" if unpriced else ""),
    )


def checks_table(result: Result, speech: Speech, everything: bool = True) -> Table | Lines | None:
    """The checks; those that hold are only counted unless everything is asked for."""
    if not result.checks:
        return None
    shown = [check for check in result.checks if everything or check.status != "OK"]
    summary = speech.say("checks_passed", passed=result.checks_held, all=len(result.checks))
    if not shown:
        return Lines(speech.say("checks"), (Cell(summary, "good"),), bullets=False)
    rows = tuple(_check_row(check, check.unit, speech) for check in shown)
    heads = ("check", "left", "is", "right", "result", "to_do")
    if all(check.status == "OK" for check in shown):
        heads, rows = heads[:-1], tuple(row[:-1] for row in rows)
    head = tuple(speech.say(key) for key in heads)
    flexible = (0, len(head) - 1) if len(head) == 6 else (0,)
    return Table(speech.say("checks"), head, rows, frozenset({1, 3}), flexible, summary)


def _check_row(check: Check, unit: str, speech: Speech) -> tuple[str, ...]:
    (left, right), unit = speech.scaled((check.left, check.right), unit)
    relation = RELATIONS.get(check.relation, check.relation)
    status = Cell(speech.say(f"status_{check.status}"), STATUS_MARKS.get(check.status, "look"))
    said = [speech.message(message) for message in check.changes]
    to_do = "" if check.status == "OK" else speech.say("compare_clause").join([*said, speech.to_do(check.key)])
    return (speech.check(check.key), speech.amount(left, unit), relation, speech.amount(right, unit), status, to_do)


def _assumed(result: Result, speech: Speech) -> Lines | None:
    return _inputs(result, speech, "default", "assumed")


def _overridden(result: Result, speech: Speech) -> Lines | None:
    return _inputs(result, speech, "override", "overridden")


def _inputs(result: Result, speech: Speech, origin: str, title: str) -> Lines | None:
    lines = tuple(
        _input_line(item, speech) for item in result.inputs if item.origin == origin and item.note not in FORM
    )
    return Lines(speech.say(title), lines, running=True) if lines else None


def _input_line(item: InputValue, speech: Speech) -> str:
    ends = f" ({speech.range(item.low, item.high, item.unit)})" if item.ranged else ""
    return f"{speech.label(item.key)} {speech.of(item)}{ends}"


def _warnings(result: Result, speech: Speech) -> Lines | None:
    lines = [Cell(speech.message(warning), "look") for warning in result.warnings]
    lines += [Cell(speech.message(remark)) for remark in result.remarks]
    share, least = result.value("lifetime_share"), result.value("rent_compared_below_share")
    bought = result.facts.acquire == "buy" and result.value("gpus_bought") != 0
    if bought and share < least and result.has("rental_cost"):
        rent = speech.of(result.quantities["rental_cost"])
        lines.append(Cell(speech.say("small_share", share=speech.number(share, "share"), rent=rent), "look"))
    return Lines(speech.say("warnings"), tuple(lines)) if lines else None


def _missing(result: Result, speech: Speech) -> Lines | None:
    lines = tuple(Cell(speech.line(key), "look") for key in result.missing)
    return Lines(speech.say("missing"), lines, running=True) if lines else None


def _footer(result: Result, speech: Speech) -> str:
    return speech.say(
        "footer", id=result.id, date=result.facts.date, tool=result.tool, price_date=result.facts.price_date or NOTHING
    )
