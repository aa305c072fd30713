"""An invented comparison, only to look at the page. No figure in it is an estimate."""
# ruff: noqa: E501  (sentences side by side in two languages)

from __future__ import annotations

from dataclasses import replace

from reportgen.memo import chart_schema as chart
from reportgen.memo.context_schema import Comparison, Difference, Figure, Title, Win
from reportgen.memo.table_schema import Column, Row, Table
from tests.memo.training_demo import document


def comparison(language: str) -> Comparison:
    """Three ways to fine-tune, cost against days."""

    def t(english: str, chinese: str) -> str:
        return english if language == "en" else chinese

    point = chart.ScatterPoint
    return Comparison(
        document=document(t),
        title=Title(
            main=t("B costs 30 % less than A and finishes 5.9 days later; C is dearer and slower than both", "B比A省30%，但晚5.9天完成；C既贵且慢"),
            sub=t("Full fine-tuning of a 70B model, 5 billion tokens, 2 epochs, 4 full runs", "700亿参数模型全参数微调，50亿token训练2轮，完整训练4次"),
        ),
        advice=(
            t("**Take A while the 14 days stand:** it is the only one of the three that holds them in 9 of 10 cases.", "**14天不变则选A：**三者中只有A有九成把握按期。"),
            t("If the window may grow to 22 days, take B and save 7.18 M CNY. C has no advantage but its availability.", "若可放宽到22天，选B，省718万元；C除可买到外并无优势。"),
        ),
        figure=Figure(
            caption=t("Cost against days: A and B lie on the front, C does not", "费用与天数：A、B在前沿上，C不在"), unit=t("each dot is one number of nodes", "每点为一种台数"),
            chart=chart.ScatterChart(
                named=(
                    chart.ScatterNamed(letter="A", x=9.9, y=23.95, name=t("8 × 8 H800", "8台 × 8卡H800"), text=t("9.9 days, 23.95", "9.9天，2,395"), chosen=True),
                    chart.ScatterNamed(letter="B", x=15.8, y=16.77, name=t("5 × 8 H800", "5台 × 8卡H800"), text=t("15.8 days, 16.77", "15.8天，1,677")),
                    chart.ScatterNamed(letter="C", x=23.8, y=26.74, name=t("16 × 8 H20", "16台 × 8卡H20"), text=t("23.8 days, 26.74", "23.8天，2,674")),
                ),
                families=(
                    chart.ScatterFamily(name="H800", points=tuple(point(x=79.2 / n, y=2.4 * n + 4.8) for n in (6, 7, 9, 10, 11, 12))),
                    chart.ScatterFamily(name="A800", points=tuple(point(x=214 / n, y=1.5 * n + 3.2) for n in (13, 15, 17, 19, 21, 23))),
                    chart.ScatterFamily(name="H20", points=tuple(point(x=381 / n, y=1.42 * n + 4) for n in (12, 14, 18, 20))),
                ),
                front=tuple((79.2 / n, 2.4 * n + 4.8) for n in (12, 11, 10, 9, 8, 7, 6, 5)),
                x_text=t("days, median", "天数，中位数"), y_text=t("M CNY incl. tax", "百万元，含税"), limit=14, limit_text=t("deadline 14", "时限14"),
                alt=t("Scatter of cost against days.", "费用与天数散点图。"),
            ),
        ),
        wins=(
            Win(letter="A", name=t("wins if 14 days are firm", "适合14天不可放宽时"), text=t("At most 13.3 days in 9 of 10 cases. Pays 7.18 M CNY for 5.9 days.", "九成把握不超过13.3天；为5.9天多付718万元。"), chosen=True),
            Win(letter="B", name=t("wins if 22 days are enough", "适合可放宽到22天时"), text=t("Only 0.3 GiB of memory stays free below the limit: test one step before the order.", "规划上限内显存只余0.3 GiB：签约前须试跑一步。")),
            Win(letter="C", name=t("wins only if no H800 can be had", "仅在买不到H800时"), text=t("Needs 33 days to be safe, and 146 kW of the 150 kW in room B2.", "需33天才稳妥，并占用B2机房150 kW中的146 kW。")),
        ),
        scenarios=Table(
            columns=(Column(name=t("Scenario", "方案")), Column(name="GPU", number=True), Column(name=t("Days, median", "天数，中位数"), number=True), Column(name=t("8 in 10 cases", "八成区间"), number=True), Column(name=t("M CNY incl. tax", "百万元，含税"), number=True), Column(name=t("Site kW", "机房kW"), number=True), Column(name=t("Deadline 14 days", "时限14天"))),
            rows=(
                Row(cells=(t("A\u2002 8 nodes × 8 H800", "A　8台 × 8卡H800"), "64", "9.9", "7.3–13.3", "23.95", "122.6", t("holds", "按期")), kind="chosen"),
                Row(cells=(t("B\u2002 5 nodes × 8 H800", "B　5台 × 8卡H800"), "40", "15.8", "11.7–21.4", "16.77", "81.3", t("misses", "逾期"))),
                Row(cells=(t("C\u2002 16 nodes × 8 H20", "C　16台 × 8卡H20"), "128", "23.8", "17.7–32.1", "26.74", "146.3", t("misses", "逾期"))),
            ),
            note=t("Planning prices; contingency 5 %, VAT 13 % and 6 %.", "按估价；预备费5%，增值税13%和6%。"),
        ),
        letters=("A", "B", "C"),
        inputs=(
            Difference(name=t("Nodes", "台数"), values=("8", "5", "16"), unit="–", because=t("input", "输入")),
            Difference(name=t("Peak speed of a GPU", "单卡峰值算力"), values=("989", "989", "148"), unit="TFLOP/s", because=t("accelerator: H800, H800, H20", "加速卡：H800、H800、H20")),
        ),
        results=(
            Difference(name=t("Useful speed", "有效算力"), values=("22.8", "14.2", "9.5"), unit="PFLOP/s", because=t("GPUs × peak speed × utilisation", "卡数 × 峰值 × 利用率")),
            Difference(name=t("Days against A", "与A相比天数"), values=("0.0", "+5.9", "+13.9"), unit=t("days", "天"), because=t("same work ÷ useful speed", "同样的计算量 ÷ 有效算力")),
            Difference(name=t("Cost against A", "与A相比费用"), values=("0.00", "−7.18", "+2.79"), unit=t("M CNY", "百万元"), because=t("nodes × price; B: 3 servers fewer", "台数 × 单价；B少3台")),
        ),
        differences_note=t("Equal in all three and therefore not listed: model, tokens, epochs, runs, storage, tax rates.", "三者相同而未列：模型、token、轮数、次数、存储、税率。"),
    )  # fmt: skip


def crowded_comparison(language: str) -> Comparison:
    """Six scenarios close together, twenty differences, no advice."""
    base = comparison(language)
    figure = base.figure
    named = tuple(
        chart.ScatterNamed(letter="ABCDEF"[index], x=9.0 + index * 0.4, y=20.0 + index * 0.5, name=f"{index + 2} × 8 H800-with-a-long-name", text=f"{9.0 + index * 0.4:.1f}, {20 + index * 0.5:.2f}", chosen=index == 2)
        for index in range(6)
    )  # fmt: skip
    row = base.scenarios.rows[1]
    rows = tuple(replace(row, kind="chosen" if index == 2 else "") for index in range(6))
    wide = tuple(replace(item, values=("1,234.56",) * 6) for item in (*base.inputs, *base.results))
    return replace(
        base, advice=(), figure=replace(figure, chart=replace(figure.chart, named=named, families=(), front=())),
        wins=base.wins * 2, scenarios=replace(base.scenarios, rows=rows), letters=tuple("ABCDEF"), inputs=wide * 2, results=wide * 2,
    )  # fmt: skip


def bare_comparison(language: str) -> Comparison:
    """Two scenarios without a chart, wins or differences."""
    base = comparison(language)
    return replace(
        base, figure=None, wins=(), inputs=(), results=(), differences_note="",
        scenarios=replace(base.scenarios, rows=base.scenarios.rows[:2]),
    )  # fmt: skip
