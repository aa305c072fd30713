"""Title, running lines and the head of the memo; the purpose as it was given."""

from __future__ import annotations

from datetime import date

from reportgen.memo.compose.case import Case
from reportgen.memo.context_schema import SECTIONS, Document, Field, Title, section_number

STYLES = tuple(SECTIONS)
LONGEST_UNBROKEN = 24  # characters of a name that no line breaks
LONGEST = {"en": 78, "zh": 42}  # characters of a sub-title that keeps to one line


def title(case: Case) -> Title:
    """The request in one sentence and what the job is."""
    voice, name = case.voice, case.facts.title
    parts = voice.joined(ABOUT[case.kind](case), "pause")
    named = bool(name) and len(name) + len(parts) < LONGEST[voice.language]
    return Title(
        main=request(case),
        sub=voice.say("subtitle_named", name=name, parts=parts) if named else voice.say("subtitle", parts=parts),
    )


def request(case: Case) -> str:
    """ "Request: 3 servers × 8 H800 to fine-tune ..., 1.82 M CNY incl. tax"; says so when nothing fits."""
    voice = case.voice
    if not case.feasible:
        any_number = "" if case.fixed_count else "_any"
        return voice.say(f"title_nothing_{_lacking(case)}{any_number}", hardware=_tried(case), task=task(case))
    values = {"hardware": case.request_hardware, "task": task(case), "money": case.money_text}
    if case.rents:
        return voice.say("title_rent", **values, time=rental_time(case))
    return voice.say("title_buy", **values)


def _lacking(case: Case) -> str:
    """What the nearest layout misses: memory, or time and speed."""
    return "memory" if not case.chosen_row.fits else ("time" if case.kind == "training" else "speed")


def _tried(case: Case) -> str:
    """The hardware that was tried: a given number, or any number of an accelerator."""
    if case.fixed_count:
        return case.request_hardware
    return case.accelerator()


def rental_time(case: Case) -> str:
    """How long the capacity is rented."""
    if case.kind == "serving":
        return case.voice.count(case.value("months_of_service"), "months")
    hours = case.value("rental_billed_hours")
    hours = hours if hours == hours else case.value("job_hours")
    return case.time.limit_amount(hours / 24)


def unbroken(name: str) -> str:
    """A short name that stays on one line."""
    return name.replace(" ", "\u00a0") if len(name) <= LONGEST_UNBROKEN else name


def task(case: Case) -> str:
    """What is done with which model: "fine-tune Llama 3.1 70B"."""
    voice, model = case.voice, unbroken(case.facts.model_name)
    if case.kind == "serving":
        if case.known("users"):
            return voice.say("task_serving_users", model=model, users=voice.count(case.value("users"), "users"))
        return voice.say("task_serving", model=model)
    if case.kind == "batch":
        return voice.say("task_batch", model=model, items=voice.count(case.value("items"), "requests"))
    job = case.facts.job.replace("-", "_")
    method = case.facts.method
    with_method = voice.say(f"with_{method}") if voice.has(f"with_{method}") and job != "pretraining" else ""
    return voice.say(f"task_{job}", model=model, method=with_method)


def _training(case: Case) -> list[str]:
    voice = case.voice
    parts = [tokens_text(case)]
    if case.runs > 1:
        parts.append(voice.plural("sub_runs", case.runs))
    if case.deadline == case.deadline:
        parts.append(voice.say("sub_deadline", time=case.time.limit_amount(case.deadline)))
    return parts


def tokens_text(case: Case) -> str:
    """The tokens of a run, with the epochs they come from."""
    voice, epochs = case.voice, case.value("epochs")
    tokens = voice.number(case.value("run_tokens"), "tokens")
    if not epochs > 1:
        return voice.say("sub_tokens", tokens=tokens)
    return voice.say(
        "sub_epochs", tokens=tokens, each=voice.number(case.value("training_tokens"), "tokens"), n=f"{epochs:g}"
    )


def _serving(case: Case) -> list[str]:
    voice = case.voice
    if not case.known("ttft_objective_s"):
        return [voice.say("sub_load", peak=case.amount("peak_requests_per_second"))]
    share = voice.number(case.value("ttft_percentile") * 100)
    first = voice.say("sub_first_token", share=share, time=seconds(case, case.value("ttft_objective_s")))
    pace = voice.say("sub_pace", tokens=voice.number(1 / case.value("tpot_objective_s")))
    return [first, pace]


def _batch(case: Case) -> list[str]:
    voice = case.voice
    parts = [voice.amount(case.value("batch_tokens"), "tokens")]
    if case.known("window_hours"):
        parts.append(voice.say("sub_window", time=case.time.limit_amount(case.value("window_hours") / 24)))
    return parts


ABOUT = {"training": _training, "serving": _serving, "batch": _batch}


def seconds(case: Case, value: float) -> str:
    """A latency objective: "2 s", "50 ms"."""
    voice = case.voice
    if value < 0.1:
        return voice.say("milliseconds", n=f"{value * 1000:g}")
    return voice.say("seconds", n=f"{value:g}")


def document(case: Case) -> Document:
    """What stands on every page and in the properties of the file."""
    facts, voice = case.facts, case.voice
    parts = [
        facts.reference,
        voice.say("identity_scenario", id=case.result.id),
        voice.say("identity_tool", tool=case.result.tool),
    ]
    return Document(
        title=request(case),
        subject=voice.say("subject", title=facts.title),
        short=facts.title or request(case),
        identity=voice.say("identity", parts=voice.say("identity_mark").join(part for part in parts if part)),
        head=(
            Field(name=voice.say("head_to")),
            Field(name=voice.say("head_from"), value=facts.requester),
            Field(name=voice.say("head_date"), value=long_date(case, facts.date)),
            Field(name=voice.say("head_reference"), value=facts.reference),
            Field(name=voice.say("head_decide"), value=_decide_by(case)),
        ),
        style=facts.style if facts.style in STYLES else "memo",
    )


def _decide_by(case: Case) -> str:
    """The day by which the order must be placed; blank when no start is given, or the day is past."""
    latest = latest_order(case)
    if latest is None or order_overdue(case):
        return ""
    return f"**{long_date(case, latest.isoformat())}**"


def latest_order(case: Case) -> date | None:
    """The start less delivery and installation; None without a start, or when nothing is bought."""
    from datetime import timedelta

    weeks = _weeks(case, "delivery_weeks")
    if not case.facts.start or case.rents or not weeks:
        return None
    return date.fromisoformat(case.facts.start) - timedelta(weeks=weeks)


def order_overdue(case: Case) -> bool:
    """Whether the last day to order is past; on that day itself it is not."""
    latest = latest_order(case)
    return latest is not None and latest.isoformat() < case.facts.date


def delivery_weeks(case: Case) -> float:
    """Until the slowest line is there, installation aside; a promised date of the whole may be sooner."""
    return min(_weeks(case, "lead_time_longest"), _weeks(case, "delivery_weeks"))


def installation_weeks(case: Case) -> float:
    """Weeks for installation and acceptance; 0 where nothing is installed."""
    return _weeks(case, "delivery_weeks") - delivery_weeks(case)


def _weeks(case: Case, key: str) -> float:
    return case.value(key) if case.known(key) else 0.0


def long_date(case: Case, iso: str) -> str:
    """A date as letters write it: "30 November 2026", "2026年11月30日"."""
    day = date.fromisoformat(iso)
    month = case.voice.say(f"month_{day.month}")
    return case.voice.say("long_date", day=day.day, month=month, year=day.year)


def short_date(case: Case, day: date) -> str:
    """ "15 Dec 2026", "2026年12月15日"."""
    return case.voice.say("short_date", day=day.day, month=case.voice.say(f"month_short_{day.month}"), year=day.year)


def section_name(case: Case, section: str) -> str:
    """The number of a section as its head prints it: "5", "五"."""
    marks = case.voice.say("marks").split("|")
    style = case.facts.style if case.facts.style in STYLES else "memo"
    return marks[section_number(style, section) - 1].rstrip("、 ")


def why(case: Case) -> tuple[str, ...]:
    """The purpose word for word; nothing, and so ruled lines, where the scenario is silent."""
    paragraphs = [part.strip() for part in case.facts.purpose.split("\n\n")]
    return tuple(" ".join(part.split()) for part in paragraphs if part)
