"""Tables of fixed shape, built from the records of the context with heads from the wording file; widths of columns."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from math import floor

from reportgen.memo.appendix_schema import Change, Check, HardwareList, InputRow, Payment, Rule
from reportgen.memo.context_schema import Difference, Needs, Option, Options, Risk
from reportgen.memo.faces import text_width
from reportgen.memo.table_schema import Cell, Column, Row, Table

Words = Callable[..., str]
PADDING, NUMBER_PADDING = 6.0, 11.0
FEW_NUMBERS = 3  # columns of numbers that leave the others fixed shares of the width


def column_widths(table: Table, width: float, size: float) -> list[float]:
    """Shares of the width that sum to 100: numbers get what they need, texts share the rest by length."""
    given = [column.width for column in table.columns]
    if all(share is not None for share in given):
        return _percent([share for share in given if share is not None])
    need, least, grows = [], [], []
    for index, column in enumerate(table.columns):
        cells = [row.cells[index] for row in table.rows if index < len(row.cells)]
        texts = [cell.text if isinstance(cell, Cell) else cell for cell in cells]
        below = [cell.below for cell in cells if isinstance(cell, Cell) and cell.below]
        wide = [
            text_width(column.name, size * 0.93, True),
            *(text_width(text, size, True) for text in [*texts, *below]),
        ]
        words = [max((text_width(word, size, True) for word in _words(text)), default=0.0) for text in texts]
        head = max((text_width(word, size * 0.93, True) for word in _words(column.name)), default=0.0)
        bars = 74.0 if any(isinstance(cell, Cell) and cell.bar is not None for cell in cells) else 0.0
        pad = NUMBER_PADDING if column.number else PADDING
        need.append(max([*wide, bars]) + pad)
        least.append(need[-1] if column.number else min(max([*words, head, bars]) + pad, width * 0.4))
        grows.append(not column.number and any(texts))
    fixed = [share * width if share is not None else None for share in given]
    free = width - sum(share for share in fixed if share is not None)
    open_ones = [index for index, share in enumerate(fixed) if share is None]
    shared = _shared(*([values[index] for index in open_ones] for values in (need, least, grows)), free)
    for index, share in zip(open_ones, shared, strict=True):
        fixed[index] = share
    return _percent([share / width for share in fixed if share is not None])


def _percent(shares: list[float]) -> list[float]:
    """Shares in per cent, rounded down: a table wider than its column by a hair would leave its place."""
    return [floor(share / max(sum(shares), 1e-9) * 9999) / 100 for share in shares]


def _words(text: str) -> list[str]:
    """The parts of a text that a line does not break; Chinese breaks anywhere, but not below four characters."""
    return [piece for word in text.split() for piece in (re.findall(r"[\u3000-\uffff]{1,4}|[^\u3000-\uffff]+", word))]


def _shared(need: list[float], least: list[float], grows: list[bool], room: float) -> list[float]:
    """Widths that fill the room: all they need and the spare to texts, or between least and need if room is short."""
    if not need:
        return []
    if sum(need) <= room:
        spare = room - sum(need)
        texts = [wide if growing else 0.0 for wide, growing in zip(need, grows, strict=True)]
        whole = sum(texts)
        even = spare / len(need) * (0.5 if whole else 1.0)
        extra = [spare * 0.5 * text / whole if whole else 0.0 for text in texts]
        return [wide + even + more for wide, more in zip(need, extra, strict=True)]
    if sum(least) >= room:
        return [small * room / sum(least) for small in least]
    spare = room - sum(least)
    wishes = [max(wide - small, 0.0) ** 0.75 for wide, small in zip(need, least, strict=True)]
    return [small + spare * wish / sum(wishes) for small, wish in zip(least, wishes, strict=True)]


def needs_table(needs: Needs, words: Words, groups: int) -> Table:
    """3 What is needed: groups with a bar each, then the sums."""
    columns = (
        Column(name=words("column_group"), mood="strong", width=0.17),
        Column(name=words("column_content", count=needs.lines), mood="quiet", width=0.47),
        Column(width=0.21),
        Column(name=needs.unit, number=True, width=0.15),
    )
    most = max((group.amount or 0.0 for group in needs.groups), default=0.0) or 1.0
    rows = []
    for index, group in enumerate(needs.groups[:groups]):
        bar = None if group.amount is None else group.amount / most
        amount = Cell(text=group.text, mood="open" if group.open else "")
        rows.append(Row(cells=(group.name, group.content, Cell(bar=bar, chosen=index == 0), amount)))
    for index, line in enumerate(needs.sums):
        total = index == len(needs.sums) - 1
        amount = Cell(text=line.amount, mood="open" if line.open else "")
        how = line.how if total else Cell(text=line.how, mood="quiet")
        rows.append(Row(cells=(line.name, how, "", amount), kind="total" if total else "sum"))
    return Table(columns=columns, rows=tuple(rows), note=needs.note)


def options_table(options: Options, words: Words, most: int) -> Table:
    """6 Alternatives: the requested one first and marked."""
    few = len(options.columns) <= FEW_NUMBERS
    columns = (
        Column(name=words("column_option"), width=0.29 if few else None),
        *(Column(name=name, number=True) for name in options.columns),
        Column(name=words("column_reason"), width=0.37 if few else None),
    )
    rows = []
    for option in _kept(options.rows, most):
        cells = [
            Cell(text=text, mood="open") if index == option.open else text for index, text in enumerate(option.cells)
        ]
        kind = "chosen" if option.chosen else ""
        rows.append(Row(cells=(option.name, *cells, option.reason), kind=kind))
    return Table(columns=columns, rows=tuple(rows), note=options.note)


def _kept(options: Sequence[Option], most: int) -> list[Option]:
    """At most so many options: the chosen one and those to keep always, the others as long as there is room."""
    room = most - sum(option.chosen or option.keep for option in options)
    kept = []
    for option in options:
        free = option.chosen or option.keep
        if free or room > 0:
            kept.append(option)
            room -= not free
    return kept


def risks_table(risks: Sequence[Risk], words: Words, most: int) -> Table:
    """8 Risks; with none, three empty rows for a person to fill in."""
    columns = tuple(
        Column(name=words(f"column_{key}"), width=width)
        for key, width in (("risk", 0.26), ("likely", 0.1), ("effect", 0.21), ("measure", 0.31), ("owner", 0.12))
    )
    rows = [Row(cells=(risk.risk, risk.likely, risk.effect, risk.measure, risk.owner)) for risk in risks[:most]]
    return Table(columns=columns, rows=tuple(rows or [Row(cells=("\u00a0", "", "", "", ""))] * 3))


def list_table(hardware: HardwareList, words: Words) -> Table:
    """The whole hardware list with its sums."""
    columns = (
        Column(width=0.03, mood="quiet"),
        Column(name=words("column_item"), width=0.16, mood="strong"),
        Column(name=words("column_specification"), mood="quiet"),
        Column(name=words("column_quantity"), number=True),
        Column(name=words("column_unit")),
        Column(name=words("column_price"), number=True),
        Column(name=words("column_amount"), number=True),
        Column(name=words("column_basis")),
        Column(name=words("column_weeks"), number=True),
    )
    rows = []
    for number, line in enumerate(hardware.lines, 1):
        basis = Cell(text=line.basis, below=line.as_of, mood="open" if line.open else "")
        rows.append(
            Row(
                cells=(
                    *(str(number), line.name, line.specification, line.quantity, line.unit, line.price, line.amount),
                    *(basis, line.weeks),
                )
            )
        )
    for index, line in enumerate(hardware.sums):
        kind = "total" if index == len(hardware.sums) - 1 else "sum"
        amount = Cell(text=line.amount, mood="open" if line.open else "")
        rows.append(Row(cells=("", line.name, line.how, "", "", "", amount, "", ""), kind=kind))
    return Table(columns=columns, rows=tuple(rows))


def payments_table(payments: Sequence[Payment], unit: str, words: Words) -> Table:
    """Payments by year; the last row is the total."""
    columns = (
        Column(name=words("column_payment"), width=0.38),
        Column(name=words("column_when"), width=0.26),
        Column(name=words("column_share"), number=True, width=0.14),
        Column(name=unit, number=True, width=0.22),
    )
    last = len(payments) - 1
    rows = [
        Row(cells=(part.name, part.when, part.share, part.amount), kind="total" if index == last else "")
        for index, part in enumerate(payments)
    ]
    return Table(columns=columns, rows=tuple(rows))


def rules_table(rules: Sequence[Rule], words: Words) -> Table:
    """Rules of thumb beside this memo."""
    columns = (
        Column(name=words("column_rule"), width=0.24, mood="strong"),
        Column(name=words("column_rule_gives"), number=True),
        Column(name=words("column_here"), number=True),
        Column(name=words("column_unit"), width=0.12),
        Column(name=words("column_ratio"), number=True),
        Column(name=words("column_why"), width=0.3),
    )
    rows = [Row(cells=(rule.name, rule.rule, rule.here, rule.unit, rule.ratio, rule.why)) for rule in rules]
    return Table(columns=columns, rows=tuple(rows))


def inputs_table(inputs: Sequence[InputRow], words: Words) -> Table:
    """Inputs with both ends; a new group opens with its name in bold."""
    columns = (
        Column(name=words("column_input")),
        Column(name=words("column_low"), number=True, mood="quiet"),
        Column(name=words("column_base"), number=True, mood="strong"),
        Column(name=words("column_high"), number=True, mood="quiet"),
        Column(name=words("column_unit")),
        Column(name=words("column_confidence")),
        Column(name=words("column_source"), mood="quiet"),
    )
    rows, group = [], ""
    for line in inputs:
        if line.group and line.group != group:
            group = line.group
            rows.append(Row(cells=(Cell(text=group, mood="strong"), "", "", "", "", "", ""), kind="group"))
        rows.append(Row(cells=(line.name, line.low, line.base, line.high, line.unit, line.confidence, line.source)))
    return Table(columns=columns, rows=tuple(rows))


def checks_table(checks: Sequence[Check], words: Words) -> Table:
    """Checks with both sides and the verdict in a word."""
    columns = (
        Column(name=words("column_check"), mood="strong"),
        Column(name=words("column_left"), number=True),
        Column(name=words("column_right"), number=True),
        Column(name=words("column_verdict")),
        Column(name=words("column_action"), mood="quiet"),
    )
    rows = [
        Row(
            cells=(
                check.name,
                check.left,
                check.right,
                Cell(text=check.verdict, mood="open" if check.failed else ""),
                check.action,
            )
        )  # fmt: skip
        for check in checks
    ]
    return Table(columns=columns, rows=tuple(rows))


def changes_table(changes: Sequence[Change], words: Words) -> Table:
    """What changed since the last version."""
    columns = (
        Column(name=words("column_changed"), width=0.26),
        Column(name=words("column_before"), number=True),
        Column(name=words("column_after"), number=True),
        Column(name=words("column_unit")),
        Column(name=words("column_effect_of_change")),
    )
    rows = [Row(cells=(change.name, change.before, change.after, change.unit, change.effect)) for change in changes]
    return Table(columns=columns, rows=tuple(rows))


def differences_table(
    inputs: Sequence[Difference], results: Sequence[Difference], letters: Sequence[str], words: Words
) -> Table:
    """What differs between scenarios: inputs above, results below, and because of what."""
    columns = (
        Column(mood="quiet", width=0.08),
        Column(name=words("column_quantity_name"), mood="strong"),
        *(Column(name=letter, number=True) for letter in letters),
        Column(name=words("column_unit")),
        Column(name=words("column_because")),
    )
    rows = []
    for kind, lines in (("inputs", inputs), ("results", results)):
        for index, line in enumerate(lines):
            opens = "group" if index == 0 and rows else ""
            name = words(f"differences_{kind}") if index == 0 else ""
            rows.append(Row(cells=(name, line.name, *line.values, line.unit, line.because), kind=opens))
    return Table(columns=columns, rows=tuple(rows))
