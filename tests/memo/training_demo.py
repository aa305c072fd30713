"""An invented training memo, only to look at pages and to test the renderer. No figure in it is an estimate."""
# ruff: noqa: E501  (sentences side by side in two languages)

from __future__ import annotations

from reportgen.memo import appendix_schema as appendix
from reportgen.memo import chart_schema as chart
from reportgen.memo.context_schema import (
    Conditions,
    Confidence,
    Cost,
    Document,
    Field,
    Figure,
    KeyFigure,
    Memo,
    NeedGroup,
    Needs,
    Option,
    Options,
    Risk,
    Size,
    Title,
)
from reportgen.memo.table_schema import Column, Line, Row, Table


def training_memo(language: str) -> Memo:
    """Eight nodes for a full fine-tuning, in one of both languages."""

    def t(english: str, chinese: str) -> str:
        return english if language == "en" else chinese

    return Memo(
        document=document(t),
        title=Title(
            main=t("Request: 8 nodes × 8 H800 to fine-tune our 70B legal model, 24.0 M CNY incl. tax",
                   "申请购置8台8卡H800服务器，含税2,395万元"),
            sub=t("5 billion tokens, 2 epochs, inside a 14-day window that opens on 15 April 2027",
                  "用于700亿参数法律大模型全参数微调：50亿token训练2轮，自2027年4月15日起14天内完成"),
        ),
        decision=(
            t("**Approve the purchase** of 8 servers with 8 H800 GPUs each, with network, storage and 36 months of support, for at most **24.0 M CNY** including VAT and 5 % contingency.",
              "**请批准购置**8台8卡H800服务器，含网络、存储及三年维保，含税总额不超过**2,395万元**。"),
            t("**Decide by 15 December 2026.** The server quotation lapses on 18 December, and delivery takes 12 weeks.",
              "**请于2026年12月15日前批复。**服务器报价12月18日到期，到货需12周。"),
            t("On approval, procurement obtains the three missing quotations and orders by 17 December.",
              "批准后，采购部补齐三项询价，并于12月17日前签订合同。"),
        ),
        figures=(
            KeyFigure(value="64", unit=t("GPUs", "卡"), name=t("8 nodes × 8 H800 80 GB", "8台 × 8张H800（80 GB）"),
                      note=t("smallest size that holds the deadline in 9 of 10 cases", "有九成把握按期的最小规模")),
            KeyFigure(value="9.9", unit=t("days", "天"), name=t("for all 4 full runs; 14 allowed", "完成4次完整训练，时限14天"),
                      note=t("7.3 to 13.3 days in 8 of 10 cases", "八成把握：7.3至13.3天")),
            KeyFigure(value=t("24.0", "2,395"), unit=t("M CNY", "万元"), name=t("purchase incl. VAT", "购置费（含税）"),
                      note=t("23.1 to 24.8; 15 % of the value awaits quotations", "2,314至2,475；15%待询价")),
            KeyFigure(value="123", unit="kW", name=t("with cooling; 150 kW in room B2", "含制冷；B2机房可供150 kW"),
                      note=t("0.96 M CNY a year for power and operation", "年电费及运维96万元")),
        ),
        why=(
            t("The contract team works with a model that does not know our clauses. A 70B model, fully fine-tuned on 5 billion tokens of our own contracts, carries the review assistant due in the second quarter of 2027.",
              "合同审查现用的通用模型不熟悉本公司条款。以自有合同语料（50亿token）对700亿参数模型做全参数微调，是2027年二季度上线审查助手的前提。"),
            t("Rule DS-07 keeps contract texts on our premises, so the work cannot go to a cloud. The 16 A800 GPUs we own cannot hold this model: its training states alone take 74.0 of 80 GiB on each.",
              "按DS-07号规定，合同文本不得离开公司场所，无法使用公有云；现有16张A800装不下该模型，仅训练状态每卡就需74.0 GiB，而显存只有80 GiB。"),
        ),
        needs=Needs(
            unit=t("Thousand CNY", "万元"), lines=12,
            groups=(
                NeedGroup(name=t("Servers", "算力服务器"), content=t("8 × (8 H800 80 GB, 2 TB memory, 8 × 400 Gbit/s)", "8台，每台8张H800、内存2 TB、8 × 400 Gbit/s网卡"), amount=14560, text=t("14,560", "1,456.0")),
                NeedGroup(name=t("Storage", "存储与管理"), content=t("200 TB all-flash, 3 management nodes", "全闪存储200 TB，管理节点3台"), amount=1855, text=t("1,855", "185.5")),
                NeedGroup(name=t("Network", "网络"), content=t("2 compute switches of 64 ports, 64 links, 4 others", "64口参数面交换机2台，链路64条，其他交换机4台"), amount=1599, text=t("1,599", "159.9")),
                NeedGroup(name=t("Services", "服务"), content=t("Installation and acceptance, 36 months of support", "安装验收，三年维保"), amount=1470, text=t("1,470", "147.0")),
                NeedGroup(name=t("Room", "机房配套"), content=t("5 racks, 4 cooling doors, spare parts", "机柜5个，背板空调4套，备件"), amount=790, text=t("790", "79.0")),
            ),
            sums=(
                Line(name=t("Subtotal", "小计"), how=t("excluding tax", "不含税"), amount=t("20,274", "2,027.4")),
                Line(name=t("Contingency", "预备费"), how=t("5 % of the subtotal", "小计的5%"), amount=t("1,014", "101.4")),
                Line(name=t("VAT", "增值税"), how=t("13 % on goods, 6 % on services", "货物13%，服务6%"), amount=t("2,659", "265.9")),
                Line(name=t("Total", "合计"), how=t("including tax", "含税"), amount=t("23,947", "2,394.7")),
            ),
        ),
        size=size(t),
        cost=Cost(
            table=Table(
                columns=(Column(name=t("Three years", "三年合计")), Column(name=t("M CNY", "万元"), number=True)),
                rows=(
                    Row(cells=(t("Purchase, support included", "购置费（含三年维保）"), t("23.9", "2,395"))),
                    Row(cells=(t("Power, 3 × 0.51", "电费，每年50.9"), t("1.5", "153"))),
                    Row(cells=(t("Operation, 3 × 0.45", "运维人工，每年45.0"), t("1.4", "135"))),
                    Row(cells=(t("Total", "合计"), t("26.8", "2,683")), kind="total"),
                ),
            ),
            figure=Figure(
                caption=t("In house costs 8.5 M CNY more than renting", "自建比租用多848万元"),
                unit=t("M CNY, 3 years", "万元，三年"),
                chart=chart.BarChart(
                    rows=(chart.Bar(label=t("In house", "自建"), value=26.8, text=t("26.8", "2,683"), chosen=True),
                          chart.Bar(label=t("Rented", "租用"), value=18.3, text=t("18.3", "1,834"), note=t("not allowed for this data", "本数据不允许"))),
                    alt=t("Cost over three years: in house 26.8 M CNY, rented 18.3.", "三年费用：自建2,683万元，租用1,834万元。"),
                ),
                note=t("At 70 % use: 22.8 CNY a GPU-hour in house, 15.6 rented. One campaign: 15,202 GPU-hours, 0.35 M CNY, 0.9 % of the bought hours.",
                       "按70%使用率：自建每卡时22.8元，租用15.6元。每期训练15,202卡时，折合34.6万元，占购入卡时的0.9%。"),
            ),
        ),
        options=options(t),
        confidence=confidence(t),
        risks=(
            Risk(risk=t("H800 only from stock; export ended in October 2023", "H800已于2023年10月停止对华出口，仅有存货"), likely=t("medium", "中"), effect=t("No delivery, or no warranty", "无货或无原厂质保"), measure=t("Written proof of stock and warranty before order", "签约前取得现货及质保书面证明")),
            Risk(risk=t("More than 4 full runs", "完整训练超过4次"), likely=t("medium", "中"), effect=t("13.6 days with 5.5 runs", "5.5次需13.6天"), measure=t("Fix the recipe on an 8B model; stop rule after run 3", "先用80亿模型定方案，第3次后设停止线")),
            Risk(risk=t("Quotations above estimate", "询价高于估价"), likely=t("high", "高"), effect=t("+0.8 M CNY at +25 %", "上浮25%即增78万元"), measure=t("Three quotations; contingency of 1.0 M CNY", "三家比价；预备费101万元")),
            Risk(risk=t("A node fails in the campaign", "训练期间一台故障"), likely=t("low", "低"), effect=t("11.3 days with 7 nodes", "7台需11.3天"), measure=t("Parts on site, hourly checkpoints", "现场备件，每小时存检查点")),
        ),
        conditions=Conditions(
            cells=(
                Field(name=t("Room B2", "B2机房"), value=t("5 racks, 25 kW a rack, 2 nodes in each", "机柜5个，每柜25 kW，装2台")),
                Field(name=t("Power", "供电"), value=t("123 of 150 kW, cooling included", "123 kW（含制冷），可供150 kW")),
                Field(name=t("Cooling", "制冷"), value=t("4 rear doors of 30 kW", "背板空调4套，每套30 kW")),
                Field(name=t("Network", "网络"), value=t("100 Gbit/s to the document store", "至文档库100 Gbit/s")),
                Field(name=t("People", "人员"), value=t("1 operator from April 2027", "2027年4月起运维1人")),
            ),
            timeline=timeline(t),
        ),
        otherwise=(
            t("Full fine-tuning stays impossible in house, and the assistant has no model. The quotation lapses on 18 December; deciding in January moves the campaign to mid-May 2027, at a price not known today.",
              "公司内部无法开展全参数微调，审查助手没有可用模型。报价12月18日到期；若1月再批，训练将推迟到2027年5月中旬，价格须重新询价。"),
        ),
        appendices=appendices(t),
    )  # fmt: skip


def document(t) -> Document:
    """Head, footer and properties."""
    return Document(
        title=t("Request: 8 nodes × 8 H800 for full fine-tuning of a 70B legal model (invented)", "申请购置8台8卡H800服务器（虚构示例）"),
        subject=t("Resource request memo, two pages and appendices", "算力资源申请，正文两页及附录"),
        short=t("8 nodes × 8 H800 for a 70B legal model", "8台8卡H800服务器，700亿参数法律大模型微调"),
        identity=t("RQ-2026-118 · version 3 · scenario 7f3a-91c2 · same id on the workbook", "RQ-2026-118　第3版　场景编号7f3a-91c2　与工作簿编号一致"),
        notice=t("INVENTED, NOT A REAL REQUEST", "虚构示例，非真实申请"),
        head=(
            Field(name=t("To", "呈报"), value=t("Vice-President Technology", "分管技术副总裁")),
            Field(name=t("From", "申请部门"), value=t("AI Platform, training team", "AI平台部训练组")),
            Field(name=t("Date", "日期"), value=t("1 December 2026", "2026年12月1日")),
            Field(name=t("Reference", "编号"), value=t("RQ-2026-118, version 3", "RQ-2026-118（第3版）")),
            Field(name=t("Decision by", "批复期限"), value=t("**15 December 2026**", "**2026年12月15日**")),
        ),
    )  # fmt: skip


def memory_row(label: str, values: tuple[float, ...], free: str = "", chosen: bool = False, over: bool = False):
    """A stacked bar whose printed figures follow from its values."""
    segments = tuple(chart.Segment(value=value, text=f"{value:.1f}") for value in values)
    return chart.MemoryRow(label=label, segments=segments, total=f"{sum(values):.1f} GiB", free=free, chosen=chosen, over=over)


def range_row(label: str, low: float, middle: float, high: float, note: str, chosen: bool = False, late: bool = False):
    """A range whose printed figures follow from its values."""
    return chart.RangeRow(
        label=label, low=low, middle=middle, high=high, low_text=f"{low:,.1f}", middle_text=f"{middle:,.1f}",
        high_text=f"{high:,.1f}", note=note, chosen=chosen, late=late,
    )  # fmt: skip


def size(t) -> Size:
    """Memory against capacity, then days against the deadline."""
    return Size(
        claim=t("Memory asks for at least 5 nodes, the deadline for at least 8.", "显存要求至少5台，工期要求至少8台；"),
        text=t("The deadline governs.", "以工期为准。"),
        figures=(
            Figure(
                caption=t("Memory of one GPU: 8 nodes leave 16.2 of 80 GiB free, 4 nodes do not fit", "单卡显存：8台时余16.2 GiB，4台装不下"),
                unit=t("GiB a GPU", "GiB/卡"),
                chart=chart.MemoryChart(
                    parts=(t("Optimizer, gradients, weights", "优化器、梯度、权重"), t("Activations", "激活值"), "logits", t("gathered weights", "聚合权重"), t("CUDA and NCCL", "CUDA与NCCL")),
                    rows=(
                        memory_row(t("8 nodes", "8台"), (19.9, 26.0, 8.4, 5.5, 4.0), t("16.2 free", "余16.2"), chosen=True),
                        memory_row(t("5 nodes", "5台"), (31.8, 26.0, 8.4, 5.5, 4.0)),
                        memory_row(t("4 nodes", "4台"), (39.7, 26.0, 8.4, 5.5, 4.0), over=True),
                    ),
                    capacity=80, capacity_text="80 GiB", limit=76, limit_text=t("planning limit 76", "规划上限76"),
                    alt=t("Memory per GPU against 80 GiB: 63.8 with 8 nodes, 75.7 with 5, 83.6 with 4.", "单卡显存与80 GiB容量：8台63.8，5台75.7，4台83.6。"),
                ),
            ),
            Figure(
                caption=t("Time: work ÷ useful speed = 9.9 days with 8 nodes", "工期：总计算量 ÷ 有效算力，8台需9.9天"),
                unit=t("bars: P10, median, P90", "条内数字：P10、中位数、P90"),
                formula=["T =", {"frac": ["R κ · 6 P D", "N F μ"]}, "=", {"frac": ["4 × 1.15 × 6 × 70.6×10^9 × 10.0×10^9", "64 × 989×10^12 × 0.36"]}, "= 855,136 [s] =", {"result": t("9.9 [days]", "9.9 [天]")}],
                chart=chart.RangeChart(
                    rows=(
                        range_row(t("7 nodes", "7台"), 8.4, 11.3, 15.3, t("late in the bad case", "不利时逾期"), late=True),
                        range_row(t("8 nodes", "8台"), 7.3, 9.9, 13.3, t("smallest that holds", "可按期的最小规模"), chosen=True),
                        range_row(t("9 nodes", "9台"), 6.5, 8.8, 11.9, t("holds, 3.2 M CNY more", "可按期，多花318万元")),
                    ),
                    unit=t("days", "天"), limit=14, limit_text=t("deadline", "时限"), limit_value_text="14",
                    alt=t("Days against the 14-day deadline: 7 nodes 8.4 to 15.3, 8 nodes 7.3 to 13.3, 9 nodes 6.5 to 11.9.", "工期与14天时限：7台8.4至15.3天，8台7.3至13.3天，9台6.5至11.9天。"),
                ),
            ),
        ),
    )  # fmt: skip


def options(t) -> Options:
    """The ways that were weighed."""
    none = "–"
    return Options(
        columns=(t("Days (P90)", "天数（P90）"), t("M CNY", "万元"), "kW"),
        rows=(
            Option(name=t("8 nodes × 8 H800", "8台 × 8卡H800"), cells=("9.9 (13.3)", t("23.9", "2,395"), "123"), reason=t("Recommended: smallest that holds", "推荐：可按期的最小规模"), chosen=True),
            Option(name=t("Smaller: 7 nodes × 8 H800", "减配：7台 × 8卡H800"), cells=("11.3 (15.3)", t("21.6", "2,156"), "109"), reason=t("Saves 2.4 M CNY; late in the bad case", "省239万元，但不利时逾期")),
            Option(name=t("Older: 21 nodes × 8 A800", "上一代：21台 × 8卡A800"), cells=("10.2 (13.8)", t("34.7", "3,474"), "197"), reason=t("10.8 M CNY dearer; more than 150 kW", "多花1,079万元，且超出机房150 kW")),
            Option(name=t("Domestic: 25 nodes × 8 910B3", "国产：25台 × 8卡910B3"), cells=("10.0 (13.5)", t("quote needed", "待询价"), "201"), reason=t("No measured 70B run; more than 150 kW", "无700亿参数实测，且超出机房150 kW"), open=1),
            Option(name=t("Rent 64 H800 for 14 days", "租用64张H800，14天"), cells=("9.9 (13.3)", t("0.3", "33"), none), reason=t("Per campaign; forbidden by rule DS-07", "每期费用，最省，但DS-07不允许")),
            Option(name=t("Existing equipment: 2 × 8 A800", "利用现有设备：2台 × 8卡A800"), cells=(none, t("0.0", "0"), "22"), reason=t("Does not fit; LoRA fits but takes 72 days", "装不下；改用LoRA可行，但需72天"), keep=True),
            Option(name=t("Do nothing", "维持现状"), cells=(none, t("0.0", "0"), "0"), reason=t("No review assistant in 2027; see section 10", "2027年无审查助手，见第十节"), keep=True),
        ),
    )  # fmt: skip


def confidence(t) -> Confidence:
    """The tornado and what it says."""

    def row(label: str, low: float, high: float) -> chart.TornadoRow:
        return chart.TornadoRow(label=label, low=low, high=high, span=f"{low:.1f}–{high:.1f}")

    return Confidence(
        figure=Figure(
            caption=t("What moves the duration most", "对工期影响最大的五项"), unit=t("days", "天"),
            chart=chart.TornadoChart(
                rows=(
                    row(t("Full runs, 3 to 5.5", "完整训练3至5.5次"), 7.4, 13.6), row(t("Tokens, 4 to 6 billion", "语料40至60亿token"), 7.9, 11.9),
                    row(t("Lost time, ×1.0 to 1.4", "损耗系数1.0至1.4"), 8.6, 12.0), row(t("Utilisation, 0.42 to 0.30", "利用率42%至30%"), 8.5, 11.9),
                    row(t("Nodes working, 8 to 7", "可用服务器8至7台"), 9.9, 11.3),
                ),
                base=9.9, base_text="9.9", limit=14, limit_text=t("deadline 14", "时限14"), unit=t("days", "天"),
                alt=t("Tornado of the five inputs with the largest effect on days, base 9.9, deadline 14.", "对工期影响最大的五项输入，基准9.9天，时限14天。"),
            ),
        ),
        lines=(
            t("**No single input breaks the deadline.** Utilisation 0.36 comes from a measured 70B run (0.40 on 512 H100) less 10 % for the slower NVLink of the H800.", "**任何单项变化都不会突破时限。**36%利用率取自700亿级模型实测（512张H100为40%），再因H800卡间互联较慢下调10%。"),
            t("**One premise decides buy or rent:** if DS-07 is waived, rent. At today's prices buying never breaks even (102 % use needed).", "**买还是租取决于一个前提：**若DS-07可豁免，应改为租用。按现价，自建需102%使用率才能持平，即永不持平。"),
            t("**Cheapest test:** one day on one rented node with public data, 3 thousand CNY.", "**最省的验证：**租一台服务器，用公开数据试跑一天，约3,000元。"),
        ),
    )  # fmt: skip


def timeline(t) -> chart.TimelineChart:
    """From the decision to the hand-over."""

    def task(label: str, start: float, end: float, dates: str, chosen: bool = False) -> chart.Task:
        return chart.Task(label=label, start=start, end=end, dates=dates, chosen=chosen)

    return chart.TimelineChart(
        rows=(
            task(t("Quotations and order", "询价与签约"), 0, 2, t("15–17 Dec", "12.15–12.17")),
            task(t("Room preparation", "机房改造"), 20, 94, t("4 Jan–19 Mar", "1.4–3.19")),
            task(t("Delivery (12 weeks)", "到货（12周）"), 2, 86, t("17 Dec–11 Mar", "12.17–3.11")),
            task(t("Installation, burn-in", "安装与老化测试"), 100, 121, t("25 Mar–15 Apr", "3.25–4.15")),
            task(t("Campaign (14 days)", "训练（14天）"), 121, 135, t("15–29 Apr", "4.15–4.29"), True),
            task(t("Evaluation, hand-over", "评测与移交"), 135, 149, t("29 Apr–13 May", "4.29–5.13")),
        ),
        ticks=tuple(
            chart.Tick(day=day, name=name)
            for day, name in ((17, t("Jan 2027", "2027年1月")), (48, t("Feb", "2月")), (76, t("Mar", "3月")), (107, t("Apr", "4月")), (137, t("May", "5月")))
        ),
        start_text=t("approval 15 Dec", "12月15日批复"),
        alt=t("Timeline from approval on 15 December 2026 to hand-over on 13 May 2027.", "进度：2026年12月15日批复，2027年5月13日移交。"),
    )  # fmt: skip


def appendices(t) -> appendix.Appendices:
    """All appendices, filled."""
    line = appendix.ListLine
    return appendix.Appendices(
        list=appendix.HardwareList(
            intro=t("Thousand CNY excluding tax. Lines marked “quote needed” carry a planning figure until a quotation arrives.", "单价与金额为不含税万元。标注“待询价”的先按估价计列，收到报价后替换。"),
            unit=t("Thousand CNY", "万元"),
            lines=(
                line(name=t("Accelerator server", "算力服务器"), specification=t("8 H800 80 GB with NVLink 400 GB/s; 96 cores; 2 TB memory; 30.7 TB NVMe; 8 × 400 and 2 × 200 Gbit/s; at most 10.2 kW", "8张H800（80 GB，卡间400 GB/s）；CPU 96核；内存2 TB；NVMe 30.7 TB；8 × 400及2 × 200 Gbit/s；功耗≤10.2 kW"), quantity="8", unit=t("each", "台"), price=t("1,820.0", "182.00"), amount=t("14,560.0", "1,456.00"), basis=t("quotation", "书面报价"), as_of="2026-11-18", weeks="12"),
                line(name=t("Compute switch", "参数面交换机"), specification=t("64 ports of 400 Gbit/s, lossless RDMA; rails split 4 + 4 over two switches", "64口400 Gbit/s，支持无损RDMA；两台各接4轨"), quantity="2", unit=t("each", "台"), price=t("330.0", "33.00"), amount=t("660.0", "66.00"), basis=t("list price", "公开标价"), as_of="2024-08", weeks="10"),
                line(name=t("Links 400 Gbit/s", "400G链路"), specification=t("Transceivers at both ends and fibre, 30 m, certified for switch and card", "两端光模块及光纤，30 m，须通过兼容认证"), quantity="64", unit=t("link", "条"), price=t("9.3", "0.93"), amount=t("595.2", "59.52"), basis=t("estimate", "估算"), as_of="2024-08", weeks="10"),
                line(name=t("Parallel storage", "并行文件存储"), specification=t("200 TB usable all-flash; at least 40 GB/s read, 20 GB/s write, measured with 8 clients", "全闪，可用200 TB；8客户端实测读≥40 GB/s、写≥20 GB/s"), quantity="1", unit=t("set", "套"), price=t("1,600.0", "160.00"), amount=t("1,600.0", "160.00"), basis=t("quote needed", "待询价"), weeks="12", open=True),
                line(name=t("Support", "维保"), specification=t("36 months, 7 × 24, answer in 4 h, parts next day, disks stay with us", "三年7 × 24，4小时响应，次日到件，硬盘不返还"), quantity="1", unit=t("lot", "项"), price=t("1,050.0", "105.00"), amount=t("1,050.0", "105.00"), basis=t("quote needed", "待询价"), open=True),
            ),
            sums=(
                Line(name=t("Subtotal", "小计"), how=t("excluding tax", "不含税"), amount=t("20,274.2", "2,027.42")),
                Line(name=t("Contingency", "预备费"), how=t("5 % of 20,274.2", "2,027.42的5%"), amount=t("1,013.7", "101.37")),
                Line(name=t("VAT", "增值税"), how=t("13 % on goods, 6 % on services", "货物13%，服务6%"), amount=t("2,659.4", "265.94")),
                Line(name=t("Total including tax, thousand CNY", "含税合计（万元）"), amount=t("23,947.3", "2,394.73")),
            ),
            notes=(t("Quotation: integrator A, 18 November 2026, valid 30 days. Range of the total, 8 in 10 cases: 23,143.3 to 24,751.3.", "“周期”为到货周数。集成商甲报价，2026年11月18日，有效期30天。合计的八成区间2,314.33至2,475.13万元。"),
                   t("Left out on purpose: a spare node (parts on site instead), resale value after three years.", "未计列：备用服务器（以现场备件代替）、三年后残值。")),
            payments=(
                appendix.Payment(name=t("On order", "预付款"), when=t("December 2026", "2026年12月"), share="30 %", amount=t("7,184.2", "718.42")),
                appendix.Payment(name=t("On acceptance", "验收款"), when=t("April 2027", "2027年4月"), share="60 %", amount=t("14,368.4", "1,436.84")),
                appendix.Payment(name=t("Retention", "质保金"), when=t("April 2028", "2028年4月"), share="10 %", amount=t("2,394.7", "239.47")),
                appendix.Payment(name=t("Total", "合计"), share="100 %", amount=t("23,947.3", "2,394.73")),
            ),
        ),
        formulas=formulas(t),
        cross_check=appendix.CrossCheck(
            intro=t("Rules that readers know, applied to this case. A ratio far from 1 is explained, not averaged away.", "用大家熟悉的经验法则核对本测算。比值远离1的，说明原因，不做折中。"),
            rules=(
                appendix.Rule(name=t("6PD at Llama 2 utilisation (43.5 %)", "6PD，取Llama 2利用率43.5%"), rule="2,735", here="3,801", unit=t("GPU-hours a run", "卡时/次"), ratio="0.72", why=t("Tuned team, lost time included; we take 36 % and 15 % lost time on top.", "大团队调优结果，已含损耗；本测算取36%，另计15%损耗。")),
                appendix.Rule(name=t("20 bytes a parameter", "每参数20字节"), rule="1,315", here="1,184", unit=t("GiB in all", "GiB（总量）"), ratio="1.11", why=t("The rule keeps 16-bit and 32-bit gradients; our stack keeps one copy.", "法则同时保留16位与32位梯度，我们只留一份。")),
            ),
            measured=Table(
                columns=(Column(name=t("Run", "训练")), Column(name="GPU"), Column(name=t("Tokens/s a GPU", "token/秒·卡"), number=True), Column(name=t("Utilisation", "利用率"), number=True), Column(name=t("Source", "来源"))),
                rows=(Row(cells=(t("MPT-70B, 2,048 context, full recompute", "MPT-70B，上下文2,048，全部重算"), "512 × H100 80 GB", "1,007", "39.6 %", t("benchmark table [2]", "测试表 [2]"))),
                      Row(cells=(t("This request, 4,096 context", "本申请，上下文4,096"), "64 × H800 80 GB", "841", "36.0 %", t("estimate", "估算")), kind="chosen")),
                note=t("Utilisation counts 6 FLOP a parameter and token, without attention.", "利用率按每参数每token 6次运算计，不含注意力。"),
            ),
        ),
        inputs=appendix.Inputs(
            intro=t("Everything typed or assumed. Numbers in brackets point to the sources.", "全部输入与假设。方括号内为来源编号。"),
            rows=(
                appendix.InputRow(name=t("Tokens an epoch", "每轮token"), low="4.0", base="5.0", high="6.0", unit=t("billion", "十亿"), confidence=t("requester", "申请人"), source=t("scenario, 1 Dec 2026", "场景文件，2026-12-01"), group=t("Work", "工作量")),
                appendix.InputRow(name=t("Full runs", "完整训练"), low="3.0", base="4.0", high="5.5", confidence=t("requester", "申请人"), source=t("2 recipes, 1 repeat, 1 final", "两种方案，一次重复，一次定版"), group=t("Work", "工作量")),
                appendix.InputRow(name=t("Peak speed", "峰值算力"), base="989", unit="TFLOP/s bf16", confidence=t("vendor", "厂商"), source=t("data sheet [3]", "数据表 [3]"), group=t("Machine", "设备")),
                appendix.InputRow(name=t("Utilisation", "利用率"), low="0.30", base="0.36", high="0.42", confidence=t("measured", "实测"), source="0.40 × 0.90 [2]", group=t("Machine", "设备")),
            ),
        ),
        sources=appendix.Lines(lines=(t("Kaplan et al., Scaling laws for neural language models, 2020: 6 FLOP a parameter and token.", "Kaplan等，Scaling laws for neural language models，2020：每参数每token 6次运算。"), t("Shipped run tables of reportgen.", "reportgen随附的实测表。"), t("Vendor data sheets.", "厂商数据表。"))),
        limits=appendix.Lines(lines=(t("The range covers utilisation and lost time. The amount of work (runs, tokens) is fixed by this request.", "区间只含利用率与损耗；工作量（次数、token）由本申请给定。"), t("Attention is not counted in 6PD; at 4,096 tokens it adds 3 to 5 %.", "6PD不含注意力，4,096时另加3%至5%。"), t("Quality of the model is outside this estimate.", "模型质量不在本测算内。"))),
        glossary=appendix.Glossary(words=(("FLOP", t("One floating-point operation; TFLOP/s is 10^12 of them a second.", "一次浮点运算；TFLOP/s为每秒10^12次。")), (t("Epoch", "轮"), t("One pass over the training texts.", "训练语料完整过一遍。")), (t("P10 and P90", "P10与P90"), t("Values undercut in 10 and in 90 of 100 cases.", "100种情况中有10种、90种低于该值。")), ("PUE", t("Power of the site divided by power of the equipment.", "机房总功率与设备功率之比。")))),
        checks=appendix.Checks(rows=(appendix.Check(name=t("Memory fits", "显存可容纳"), left="63.8", right="76.0", verdict="OK"), appendix.Check(name=t("All lines priced", "全部有价"), left="2", right="0", verdict=t("LOOK", "关注"), action=t("Obtain the quotations of 2 lines.", "补齐2项询价。"), failed=True))),
        changes=appendix.Changes(rows=(appendix.Change(name=t("Full runs", "完整训练"), before="3.0", after="4.0", effect=t("+2.5 days", "+2.5天")),), note=t("Attached inside this PDF: scenario.yaml, result.json.", "本文件内附：scenario.yaml、result.json。")),
    )  # fmt: skip


def formulas(t) -> appendix.Formulas:
    """Formulas in every form the typesetting knows."""
    row = appendix.FormulaRow
    days, gib = t("[days]", "[天]"), "[GiB]"
    return appendix.Formulas(
        intro=t("Each line reads symbol = substitution = result. The same formulas are live in sheet Calc of the workbook.", "每行依次为符号、代入、结果；同样的公式在工作簿“计算”表中可实时重算。"),
        groups=(
            appendix.FormulaGroup(name=t("Time", "工期"), rows=(
                row(name=t("Training compute", "训练计算量"), source=t("6 FLOP a parameter and token [1]", "每参数每token 6次运算 [1]"), mathematics=["C = 6 P D = 6 × 70.6×10^9 × 10.0×10^9 =", {"result": "4.236×10^21 [FLOP]"}]),
                row(name=t("Duration", "工期"), source=t("86,400 s a day", "每天86,400秒"), mathematics=["T =", {"frac": ["W", "86,400 ~ S"]}, "=", {"frac": ["1.949×10^22", "86,400 × 2.279×10^16"]}, "=", {"result": f"9.90 {days}"}]),
                row(name=t("Range", "区间"), source=t("log-normal, 80 % of cases [2]", "对数正态，覆盖八成 [2]"), mathematics=["T_90 = T ~ exp(1.28 σ) = 9.90 × exp(1.28 × 0.233) =", {"result": f"13.3 {days}"}]),
            )),
            appendix.FormulaGroup(name=t("Memory of one GPU", "单卡显存"), rows=(
                row(name=t("Optimizer states", "优化器状态"), source="zero-2020", mathematics=["M_opt", " = ", {"frac": [["N", " × ", "b_opt"], ["d"]]}, " = ", {"frac": [["70.6B", " × ", "12"], ["64"]]}, " = ", {"result": f"12.3 {gib}"}]),
                row(name=t("Step time", "单步时间"), source=t("a long sum, broken before its terms", "长式，在各项前换行"), mathematics=["T_step = L τ +", {"frac": ["M", "t w"]}, "+", {"frac": ["B k c", "t w"]}, "+ 2 L (α + 2 h B ÷ b) + T_dp + T_pp + T_cp + T_ep + T_bubble + T_optimizer + T_data = 3.61 + 12.44 + 4.05 + 2.31 + 0.84 + 0.12 + 0.00 + 0.00 + 1.05 + 0.33 + 0.02 =", {"result": "24.8 [ms]"}]),
                row(name=t("Spread", "分布"), mathematics=["p = e^", "(", "−", "x^2", " ÷ ", "2 σ^2", ")", " if x > 0, else 1"]),
            )),
        ),
        symbols=(("P", t("parameters", "参数量")), ("D", t("tokens seen, 5 billion × 2 epochs", "训练token数，50亿 × 2轮")), ("κ", t("lost-time factor", "损耗系数")), ("N", "GPU"), ("μ", t("utilisation", "利用率")), ("b_opt", t("optimizer bytes a parameter", "每参数优化器字节")), ("σ", t("spread of ln T", "对数标准差"))),
    )  # fmt: skip
