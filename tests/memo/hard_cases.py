"""Memos that a scenario can bring and a page can hardly hold: each must print, and read well enough."""
# ruff: noqa: E501  (sentences side by side in two languages)

from __future__ import annotations

from dataclasses import replace

from reportgen.memo import appendix_schema as appendix
from reportgen.memo import chart_schema as chart
from reportgen.memo.context_schema import (
    Conditions,
    Confidence,
    Cost,
    Figure,
    KeyFigure,
    Memo,
    NeedGroup,
    Options,
    Title,
)
from tests.memo.serving_demo import serving_memo
from tests.memo.training_demo import memory_row, range_row, training_memo

WORD = "Llama-3.1-405B-Instruct-FP8-dynamic-quantized-by-the-platform-team-for-contracts"


def long_title(language: str) -> Memo:
    """A title of two hundred characters."""
    base = training_memo(language)
    title = ("Request: 8 nodes × 8 H800 to fine-tune our 70B legal model and to evaluate it against the four models that the "
             "contract team uses today, with storage and support for thirty-six months in all, 24.0 M CNY")
    chinese = "申请购置8台8卡H800服务器用于700亿参数法律大模型全参数微调并与合同团队现用四个模型对比评测" * 4
    return replace(base, title=replace(base.title, main=title if language == "en" else chinese[:200]))  # fmt: skip


def one_gpu(language: str) -> Memo:
    """The smallest request: one GPU, one group, one row in each chart."""
    base = training_memo(language)
    memory, days = base.size.figures
    small = chart.RangeRow(label="1 GPU", low=0.2, middle=0.3, high=0.4, low_text="0.2", middle_text="0.3",
                           high_text="0.4", note="holds", chosen=True)  # fmt: skip
    return replace(
        base,
        figures=(KeyFigure(value="1", unit="GPU", name="1 × L40S", note="smallest that fits"), *base.figures[1:]),
        needs=replace(base.needs, lines=1, groups=base.needs.groups[:1]),
        size=replace(base.size, figures=(replace(memory, chart=replace(memory.chart, rows=memory.chart.rows[:1])),
                                         replace(days, chart=replace(days.chart, rows=(small,))))),
        appendices=replace(base.appendices, list=replace(base.appendices.list, lines=base.appendices.list.lines[:1])),
    )  # fmt: skip


def many_gpus(language: str) -> Memo:
    """Four thousand GPUs, thirty lines in the list, eleven options, nine risks."""
    base = training_memo(language)
    lines = tuple(base.appendices.list.lines[index % 5] for index in range(30))
    big = replace(base.needs.groups[0], text="3,912,480", amount=3912480.0)
    return replace(
        base,
        figures=(KeyFigure(value="4,096", unit="GPUs", name="512 nodes × 8 H800", note="smallest that holds"),
                 KeyFigure(value="1,234.5", unit="days", name="for all runs", note="1,001.2 to 1,499.9 days in 8 of 10 cases"),
                 KeyFigure(value="12,345.6", unit="M CNY", name="purchase incl. VAT", note="11,000.0 to 14,000.0"),
                 KeyFigure(value="7,813", unit="kW", name="with cooling", note="")),
        needs=replace(base.needs, lines=30, groups=(big, *base.needs.groups[1:], *base.needs.groups[1:4])),
        options=replace(base.options, rows=(*base.options.rows, *base.options.rows[1:5])),
        risks=(*base.risks, *base.risks, base.risks[0]),
        appendices=replace(base.appendices, list=replace(base.appendices.list, lines=lines)),
    )  # fmt: skip


def no_prices(language: str) -> Memo:
    """No price is known anywhere."""
    base = training_memo(language)
    needed = "quote needed" if language == "en" else "待询价"
    figure = Figure(caption=needed, chart=chart.BarChart(
        rows=(chart.Bar(label="Buy", value=None, text=needed, chosen=True), chart.Bar(label="Rent", value=None, text=needed)),
        alt=needed))  # fmt: skip
    groups = tuple(replace(group, amount=None, text=needed, open=True) for group in base.needs.groups)
    sums = tuple(replace(line, amount=needed, open=True) for line in base.needs.sums)
    options = tuple(replace(row, cells=(row.cells[0], needed, row.cells[2]), open=1) for row in base.options.rows)
    money = KeyFigure(value=needed, name="purchase incl. VAT", note="12 lines without a price", open=True)
    return replace(
        base, figures=(*base.figures[:2], money, base.figures[3]), needs=replace(base.needs, groups=groups, sums=sums),
        cost=Cost(figure=figure, lines=("No price is known; three quotations are asked for.",)),
        options=replace(base.options, rows=options),
    )  # fmt: skip


def nothing_fits(language: str) -> Memo:
    """No layout fits: the title says so, the chart shows by how much."""
    base = training_memo(language)
    memory = base.size.figures[0]
    rows = (memory_row("8 nodes", (790.0, 210.0, 55.0, 33.0, 4.0), over=True), memory_row("4 nodes", (1580.0, 210.0, 55.0, 33.0, 4.0), over=True))
    return replace(
        base, title=Title(main="No size tried holds this model: the best of 96 layouts needs 1,092 GiB a GPU, 80 GiB are there"),
        decision=("**No purchase is proposed.** Change the method, or allow a larger machine.",),
        figures=(KeyFigure(value="none", name="of 96 layouts fits", open=True),),
        size=replace(base.size, figures=(replace(memory, chart=replace(memory.chart, rows=rows)),)),
        cost=Cost(), confidence=Confidence(lines=("**Sure:** the weights alone exceed the card.",)),
    )  # fmt: skip


def nothing_known(language: str) -> Memo:
    """No purpose, no deadline, no risks, one option, no tornado bar, no timeline, no appendix."""
    base = training_memo(language)
    memory, days = base.size.figures
    free = replace(days, chart=replace(days.chart, limit=None, limit_text="", limit_value_text=""))
    tornado = replace(base.confidence.figure, chart=replace(base.confidence.figure.chart, rows=()))
    return replace(
        base, why=(), risks=(), otherwise=(), options=Options(columns=base.options.columns, rows=base.options.rows[:1]),
        size=replace(base.size, figures=(memory, free)), confidence=replace(base.confidence, figure=tornado),
        conditions=Conditions(), appendices=appendix.Appendices(),
        document=replace(base.document, head=tuple(replace(item, value="") for item in base.document.head), notice=""),
    )  # fmt: skip


def unbreakable_names(language: str) -> Memo:
    """Names without a space, wherever a name can stand."""
    base = training_memo(language)
    memory, days = base.size.figures
    return replace(
        base, title=Title(main=f"Request: 8 nodes × 8 H800 for {WORD}{WORD}", sub=WORD * 2), decision=(WORD * 3,),
        why=(WORD * 4,), document=replace(base.document, short=WORD * 3, identity=WORD * 3, notice=WORD),
        figures=tuple(replace(figure, name=WORD, note=WORD) for figure in base.figures),
        needs=replace(base.needs, groups=(NeedGroup(name=WORD, content=WORD, amount=1.0, text="1,000"), *base.needs.groups[1:])),
        options=replace(base.options, rows=tuple(replace(row, name=WORD, reason=WORD) for row in base.options.rows)),
        size=replace(base.size, claim=WORD, figures=(
            replace(memory, caption=WORD, chart=replace(memory.chart, rows=tuple(replace(row, label=WORD) for row in memory.chart.rows))),
            replace(days, chart=replace(days.chart, rows=tuple(replace(row, label=WORD, note=WORD[:40]) for row in days.chart.rows))))),
        risks=tuple(replace(risk, risk=WORD, measure=WORD) for risk in base.risks),
    )  # fmt: skip


def far_ranges(language: str) -> Memo:
    """Ranges a hundred times the deadline, narrow ranges, and figures that leave no room."""
    base = training_memo(language)
    memory, days = base.size.figures
    rows = (range_row("1 node", 700.0, 900.0, 1200.0, "far too late", late=True),
            range_row("64 nodes", 12.1, 12.6, 13.0, "smallest that holds", chosen=True),
            range_row("128 nodes", 0.1, 0.1, 0.2, "holds"))  # fmt: skip
    return replace(base, size=replace(base.size, figures=(memory, replace(days, chart=replace(days.chart, rows=rows)))))


def rare_characters(language: str) -> Memo:
    """A person's name and signs that no shipped typeface holds."""
    base = training_memo(language)
    head = (replace(base.document.head[0], value="王喆 朱镕基 龘"), *base.document.head[1:])
    return replace(base, document=replace(base.document, head=head), why=("Emoji 🚀 and ⌈x⌉, ☃.",))


def serving_crowded(language: str) -> Memo:
    """A serving memo with more than both pages hold."""
    base = serving_memo(language)
    return replace(
        base, why=training_memo(language).why * 2, risks=(*base.risks, *base.risks),
        options=replace(base.options, rows=(*base.options.rows, *base.options.rows[1:], *base.options.rows[1:3])),
        cost=replace(base.cost, lines=base.cost.lines * 2),
    )  # fmt: skip


HARD_CASES = {
    case.__name__: case
    for case in (long_title, one_gpu, many_gpus, no_prices, nothing_fits, nothing_known, unbreakable_names, far_ranges,
                 rare_characters, serving_crowded)
}  # fmt: skip


def feasibility(language: str) -> Memo:
    """The same memo as a feasibility study: other names and another order."""
    base = training_memo(language)
    return replace(base, document=replace(base.document, style="feasibility"))


def allocation(language: str) -> Memo:
    """The same memo as a request for an allocation."""
    base = training_memo(language)
    return replace(base, document=replace(base.document, style="allocation"))


STYLED = {case.__name__: case for case in (feasibility, allocation)}
