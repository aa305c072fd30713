"""Colours and sizes of the workbook."""

from __future__ import annotations

from dataclasses import dataclass

FONTS = {"en": "Calibri", "zh": "Microsoft YaHei"}
LINE_HEIGHTS = {"en": 13.5, "zh": 15.5}  # points of one line of 10-point text


@dataclass(frozen=True)
class Palette:
    """Colours by their part in the book, as RRGGBB."""

    ink: str = "1F2933"
    grey: str = "56616C"
    navy: str = "1F3A5F"
    rule: str = "CBD3DC"
    grid: str = "DDE2E8"
    header_fill: str = "E3EAF2"
    base_tint: str = "F3F6FA"
    chosen_row: str = "DCE7F3"
    rejected_ink: str = "6B757F"
    faded: str = "A7B0B9"
    as_issued: str = "8A939C"
    group_rule: str = "8A96A3"
    input_ink: str = "0B4FA8"
    input_fill: str = "FFF7DB"
    input_box: str = "C9A227"
    link_ink: str = "1B6B3A"
    ok: tuple[str, str] = ("DDEFE2", "1B5E32")  # fill, ink
    look: tuple[str, str] = ("FCE8C5", "7A4B00")
    fail: tuple[str, str] = ("F7D4D0", "8E1B12")
    changed: tuple[str, str] = ("E4E0F4", "43348A")
    stack: tuple[str, ...] = ("1F3A5F", "5B8DB8", "A9CCE3", "C8611A", "F3BC80", "7D8791", "FFFFFF", "DDE2E8")
    chart_chosen: str = "1F3A5F"
    chart_other: str = "B8C2CC"
    chart_good: str = "5B8DB8"
    chart_bad: str = "C8611A"
    lines: tuple[tuple[str, str, str], ...] = (
        ("1F3A5F", "solid", "circle"),
        ("C8611A", "dash", "square"),
        ("7D8791", "sysDot", "triangle"),
        ("1F2933", "lgDashDot", ""),
    )

    tabs = {"read": "1F3A5F", "type": "E0A800", "work": "7D8791", "proof": "1B6B3A", "reference": "B8C2CC"}


PALETTE = Palette()
