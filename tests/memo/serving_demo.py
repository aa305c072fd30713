"""An invented serving memo and an invented batch-inference memo, only to look at pages. No figure is an estimate."""
# ruff: noqa: E501  (sentences side by side in two languages)

from __future__ import annotations

from dataclasses import replace

from reportgen.memo import appendix_schema as appendix
from reportgen.memo import chart_schema as chart
from reportgen.memo.context_schema import Confidence, Cost, Figure, KeyFigure, Memo, Option, Options, Risk, Size, Title
from reportgen.memo.table_schema import Column, Row, Table
from tests.memo.training_demo import memory_row, training_memo

PROFILE = (1, 1, 0.5, 0.5, 0.5, 1, 2, 5, 12, 20, 25, 22, 14, 15, 21, 22, 18, 12, 6, 4, 3, 2, 2, 1)


def serving_memo(language: str) -> Memo:
    """Three nodes for an assistant, with a spare node and latency objectives."""

    def t(english: str, chinese: str) -> str:
        return english if language == "en" else chinese

    base = training_memo(language)
    return replace(
        base,
        document=replace(base.document, title=t("Request: 3 nodes × 8 H800 for an assistant (invented)", "申请购置3台8卡H800服务器（虚构示例）"), short=t("3 nodes × 8 H800 for a 70B assistant", "3台8卡H800服务器，700亿参数员工助手")),
        title=Title(
            main=t("Request: 3 nodes × 8 H800 to serve a 70B assistant to 5,000 employees, 8.9 M CNY incl. tax", "申请购置3台8卡H800服务器，含税885万元"),
            sub=t("95 of 100 first tokens within 2 s, then 20 tokens a second; live on 17 May 2027", "为5,000名员工部署700亿参数助手：95%请求2秒内出字、每秒20个token，2027年5月17日上线"),
        ),
        figures=(
            KeyFigure(value="24", unit=t("GPUs", "卡"), name=t("3 nodes × 8 H800 80 GB", "3台 × 8张H800（80 GB）"), note=t("2 nodes carry the peak, the third stands in for a failed one", "两台承担高峰，一台备故障")),
            KeyFigure(value="25.0", unit=t("requests/s", "次/秒"), name=t("at peak; 27.0 carried by 2 nodes", "高峰请求；两台可承担27.0"), note=t("18.1 to 34.4 in 8 of 10 cases; 3 nodes carry 40.5", "八成把握18.1至34.4；三台40.5")),
            KeyFigure(value=t("8.9", "885"), unit=t("M CNY", "万元"), name=t("purchase incl. VAT", "购置费（含税）"), note=t("8.6 to 9.1; 12 % of the value awaits quotations", "860至910；12%待询价")),
            KeyFigure(value="27.5", unit=t("CNY", "元"), name=t("a million tokens", "每百万token，三年全部费用"), note=t("all costs over 36 months; 57 CNY an employee and month", "每名员工每月57元")),
        ),
        why=base.why[:1],
        size=serving_size(t),
        cost=Cost(
            table=Table(
                columns=(Column(name=t("Thousand CNY a month", "每月，万元")), Column(name=t("Own", "自建"), number=True), Column(name=t("Rent", "租用"), number=True), Column(name="API", number=True)),
                rows=(Row(cells=(t("Hardware, rent, fees", "设备、租金、调用费"), "245.6", "269.1", "58.5")), Row(cells=(t("Power, operation", "电费与运维"), "37.2", "25.0", "0.0")), Row(cells=(t("Total", "合计"), "282.8", "294.1", "58.5"), kind="total")),
            ),
            figure=Figure(
                caption=t("Own costs five times the API, if its price holds", "按假设单价，自建约为API的五倍"), unit=t("CNY a million tokens", "元/百万token"),
                chart=chart.BarChart(rows=(
                    chart.Bar(label=t("Own", "自建"), value=27.5, text="27.5", chosen=True), chart.Bar(label=t("Rent", "租用"), value=28.6, text="28.6", note=t("not allowed", "不允许")),
                    chart.Bar(label="API", value=5.7, text="5.7", note=t("not allowed; price assumed", "不允许；单价为假设"))), alt=t("Cost of a million tokens.", "每百万token费用。")),
            ),
            lines=(t("**Rule DS-07 costs 224 thousand CNY a month, 45 CNY an employee.** Owning breaks even with the API at 49.7 billion tokens a month (4.8 × the plan), with rent after 34 months. Own: 19.9 to 37.8 CNY a million in 8 of 10 cases.", "**DS-07号规定的代价为每月22.4万元，即每名员工45元。**每月达497亿token（计划的4.8倍）自建才与API持平；与租用在第34个月持平。"),),
        ),
        options=Options(
            columns=(t("TTFT, s", "TTFT，秒"), t("TPOT, ms", "TPOT，毫秒"), t("M CNY", "万元")),
            rows=(
                Option(name=t("3 nodes × 8 H800", "3台 × 8卡H800"), cells=("0.76", "31", t("8.8", "884")), reason=t("Recommended: survives a lost node", "推荐：一台故障不影响服务"), chosen=True),
                Option(name=t("No spare: 2 nodes × 8 H800", "不设备用：2台 × 8卡H800"), cells=("0.76", "31", t("6.6", "655")), reason=t("Saves 2.3 M CNY; one failure halves it", "省229万元，一台故障则减半")),
                Option(name=t("Domestic: 8 × 910B3 a node", "国产：每台8卡910B3"), cells=("–", "–", t("quote needed", "待询价")), reason=t("No measured 70B serving; loan unit asked", "无700亿参数推理实测，已申请试用"), open=2),
                Option(name=t("Existing equipment: 2 × 8 A800", "利用现有设备：2台 × 8卡A800"), cells=("–", "–", "0.0"), reason=t("Carries 14 % of the peak; used for training", "只能承担高峰的14%，且用于训练"), keep=True),
                Option(name=t("Do nothing", "维持现状"), cells=("–", "–", "0.0"), reason=t("Public chat services go on; section 10", "员工继续使用公共服务，见第十节"), keep=True),
            ),
        ),
        confidence=serving_confidence(t),
        risks=(
            Risk(risk=t("H800 only from stock", "H800停止对华出口，仅有存货"), likely=t("medium", "中"), effect=t("No delivery, no warranty", "无货或无原厂质保"), measure=t("Written proof of both before order", "签约前取得两项书面证明")),
            Risk(risk=t("Prompts longer than planned", "提示长于预计"), likely=t("high", "高"), effect=t("13.6 replicas at 2,500", "需13.6个副本"), measure=t("Prefix cache; limit at the gateway", "前缀缓存；网关限长")),
            Risk(risk=t("Use stays low", "使用量偏低"), likely=t("medium", "中"), effect=t("4 replicas would do", "4个副本即可"), measure=t("Pilot of 300 users; night batch work", "300人试用；夜间跑批处理")),
        ),
        appendices=replace(base.appendices, list=None, cross_check=None, changes=None),
    )  # fmt: skip


def serving_size(t) -> Size:
    """Replicas as a formula, memory of a card, load against capacity."""
    return Size(
        claim=t("The peak asks for 8 replicas, the loss of a node for 4 more.", "承担高峰需8个副本，一台故障时再备4个；"),
        text=t("Speed governs, not memory.", "以速度为准，显存有余。"),
        figures=(
            Figure(
                formula=["R =", {"frac": ["U a r f", "60 ~ μ ρ"]}, "=", {"frac": ["5,000 × 0.20 × 0.60 × 2.5", "60 × 4.82 × 0.70"]}, t("= 7.41 → 8 [and 4 for a lost node] =", "= 7.41 → 8 [个，另备] ~ 4 [个] ="), {"result": t("12 [replicas, 3 nodes]", "12 [个副本，3 台]")}],
                symbols=t("U users, a share active in the busiest hour, r requests a minute, f peak factor; a replica serves μ requests a second, planned to the share ρ.", "U用户数，a最忙一小时的活跃比例，r每人每分钟请求数，f峰值系数；每个副本每秒可承担 μ 次，按比例 ρ 使用。"),
            ),
            Figure(
                caption=t("Memory: 2 cards hold 201 requests, speed allows 99; one card or 16-bit weights do not fit", "显存：两卡一个副本可容201个请求，速度只允许99个；单卡或16位权重装不下"), unit=t("GiB a card", "GiB/卡"),
                chart=chart.MemoryChart(
                    parts=(t("Weights", "权重"), t("KV cache", "KV缓存"), t("activations, libraries", "激活值与运行库")),
                    rows=(memory_row(t("2 cards, 8-bit", "两卡，8位"), (36.4, 13.8, 5.8), t("17.6 free", "余17.6"), chosen=True), memory_row(t("1 card, 8-bit", "单卡，8位"), (72.7, 0, 5.8), over=True), memory_row(t("2 cards, 16-bit", "两卡，16位"), (70.6, 0, 5.8), over=True)),
                    capacity=80, capacity_text="80 GiB", limit=73.6, limit_text=t("planning limit 73.6", "规划上限73.6"), alt=t("Memory per card against the limit.", "单卡显存与规划上限。"),
                ),
            ),
            Figure(
                caption=t("Day: with a node down, 2 nodes carry the peak; a peak at P90 needs all 3", "全天：一台故障时，两台仍可承担高峰；高峰达P90时须三台齐备"), unit=t("requests a second", "次/秒"),
                chart=chart.LoadChart(
                    base=PROFILE, high=tuple(value * 1.376 for value in PROFILE),
                    lines=(chart.LoadLine(value=40.5, texts=(t("3 nodes: 40.5", "三台：40.5"), t("as requested", "本次申请")), mood="chosen"), chart.LoadLine(value=27.0, texts=(t("2 nodes: 27.0", "两台：27.0"), t("one node down", "一台故障时")), mood="limit"), chart.LoadLine(value=13.5, texts=(t("1 node: 13.5", "一台：13.5"),), mood="plain")),
                    axis=(t("Load", "负载"), t("busiest minutes", "各小时内"), t("of each hour", "最忙几分钟")), peak_text=t("peak 25.0", "高峰25.0"), high_text="P90 34.4", hour_text=t("h", "时"),
                    alt=t("Load by hour of the day against capacity.", "全天负载与能力。"),
                ),
            ),
        ),
    )  # fmt: skip


def serving_confidence(t) -> Confidence:
    """Replicas before rounding, then both latencies in their parts."""

    def row(label: str, low: float, high: float) -> chart.TornadoRow:
        return chart.TornadoRow(label=label, low=low, high=high, span=f"{low:.1f}–{high:.1f}")

    return Confidence(
        figure=Figure(
            caption=t("What moves the number of replicas most", "对副本数影响最大的五项"), unit=t("before rounding", "取整前"),
            chart=chart.TornadoChart(
                rows=(row(t("Prompt, 1,000 to 2,500", "提示1,000至2,500"), 5.2, 13.6), row(t("Requests/min, 0.3 to 0.9", "每分钟0.3至0.9次"), 3.7, 11.1), row(t("Active, 13 to 27 %", "活跃13%至27%"), 4.8, 10.0), row(t("Speed, +20 to −20 %", "速度+20%至−20%"), 5.7, 10.8), row(t("Peak factor, 1.8 to 3.2", "峰值系数1.8至3.2"), 5.3, 9.5)),
                base=7.4, base_text="7.4", limit=12, limit_text=t("ordered 12", "申请12"), unit=t("replicas", "副本"), alt=t("Tornado on replicas.", "副本数的敏感性。"),
            ),
        ),
        lines=(
            t("**Only long prompts break the size:** 2,500 tokens need 13.6 replicas. A prefix cache with 40 % hits brings that to 8.0.", "**只有长提示会突破规模：**提示达2,500个token时需13.6个副本；前缀缓存命中40%即降到8.0个。"),
            t("**Load and speed together:** 5.1 to 10.8 in 8 of 10 cases: 12 hold, 8 hold only the base case.", "**负载与速度合计：**八成把握5.1至10.8个，12个够用。"),
            t("**Cheapest test:** a rented node for two days with made-up prompts, 6 thousand CNY.", "**最省的验证：**租一台服务器，用编写的提示压测两天，约6,000元。"),
        ),
        more=(
            Figure(
                caption=t("The first token is mostly waiting and known roughly; the pace is firmer", "首字延迟多为排队，只能粗估；后续速度较为可靠"), unit=t("peak, one node down; brackets: planning band", "高峰且一台故障；括线为规划区间"),
                chart=chart.LatencyChart(
                    rows=(
                        chart.LatencyRow(label=t("First token", "首字"), note=t("TTFT, p95", "TTFT，95分位"), parts=(chart.LatencyPart(value=0.05, name=t("fixed 0.05", "固定0.05")), chart.LatencyPart(value=0.55, name=t("waiting", "排队"), text="0.55"), chart.LatencyPart(value=0.16, name=t("reading the prompt", "读入提示"), text="0.16")), total=0.76, total_text=t("0.76 s", "0.76秒"), low=0.50, high=1.14, band_text=t("0.50–1.14 s (× or ÷ 1.5)", "0.50–1.14秒（乘除1.5）"), objective=2.0, objective_text=t("objective 2 s", "目标2秒")),
                        chart.LatencyRow(label=t("Each next token", "其后每个token"), note=t("TPOT, mean", "TPOT，均值"), parts=(chart.LatencyPart(value=22, name=t("one step", "单步"), text="22"), chart.LatencyPart(value=9, name=t("prompts of others", "他人提示插入"), text="9")), total=31, total_text=t("31 ms", "31毫秒"), low=25, high=37, band_text=t("25–37 ms (±20 %)", "25–37毫秒（±20%）"), objective=50, objective_text=t("objective 50 ms", "目标50毫秒")),
                    ),
                    alt=t("Latencies in their parts.", "两项延迟的构成。"),
                ),
            ),
        ),
    )  # fmt: skip


def batch_memo(language: str) -> Memo:
    """Overnight work without latency objectives: a window instead of a day's load."""

    def t(english: str, chinese: str) -> str:
        return english if language == "en" else chinese

    base = serving_memo(language)
    window = chart.RangeChart(
        rows=(chart.RangeRow(label=t("1 node", "1台"), low=6.1, middle=7.9, high=10.2, low_text="6.1", middle_text="7.9", high_text="10.2", note=t("late in the bad case", "不利时逾期"), late=True), chart.RangeRow(label=t("2 nodes", "2台"), low=3.1, middle=4.0, high=5.1, low_text="3.1", middle_text="4.0", high_text="5.1", note=t("holds the window", "窗口内完成"), chosen=True)),
        unit=t("hours", "小时"), limit=10, limit_text=t("window", "窗口"), limit_value_text="10", alt=t("Hours against the window.", "时长与窗口。"),
    )  # fmt: skip
    figures = (base.size.figures[1], Figure(caption=t("Night: 2 nodes finish in 4.0 hours", "夜间：2台4.0小时完成"), formula=["T =", {"frac": ["n (I + O)", "N μ"]}, "=", {"result": t("4.0 [hours]", "4.0 [小时]")}], chart=window))
    return replace(
        base,
        title=Title(main=t("Request: 2 nodes × 8 H800 to label 1.2 million documents a night, 6.6 M CNY incl. tax", "申请购置2台8卡H800服务器，每夜标注120万份文档，含税655万元")),
        size=replace(base.size, claim=t("The window asks for 2 nodes.", "窗口要求2台。"), text="", figures=figures),
        confidence=replace(base.confidence, more=()),
        appendices=appendix.Appendices(formulas=base.appendices.formulas),
    )  # fmt: skip
