"""Widths on a terminal."""

from __future__ import annotations

import pytest

from reportgen.text.width import clip, display_width, harmless, pad, wrap


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("abc", 3),
        ("采购清单", 8),
        ("8 台", 4),
        ("", 0),
        ("e\u0301", 1),
        ("ﾊﾝ", 2),
        ("（含税）", 8),
        ("\x1b[31mred\x1b[0m", 3),
        ("–", 1),
        ("█", 1),
    ],
)
def test_display_width(text, width):
    assert display_width(text) == width


def test_pad_to_either_side():
    assert pad("台", 4) == "台  "
    assert pad("台", 4, right=True) == "  台"
    assert pad("longer", 2) == "longer"


def test_clip_marks_the_cut_and_never_exceeds():
    assert clip("short", 10) == "short"
    assert clip("采购清单列表", 7) == "采购清…"
    assert display_width(clip("采购清单列表", 6)) <= 6


def test_wrap_at_blanks_and_between_han():
    assert wrap("one two three", 8) == ["one two", "three"]
    assert wrap("采购清单含全部设备", 8) == ["采购清单", "含全部设", "备"]
    assert wrap("one two", 20, "  ") == ["  one two"]
    assert wrap("", 20) == []


def test_wrap_cuts_long_words_and_loses_nothing():
    word = "decode_bandwidth_utilization"
    lines = wrap(word, 12)
    assert "".join(lines) == word
    assert max(map(len, lines)) <= 12


@pytest.mark.parametrize("width", [10, 17, 40])
def test_no_line_is_wider_than_asked(width):
    text = "H800 SXM 共 64 卡（8 台），训练 9.9 天，购置 2,395 万元; see https://example.com/a/long/address for details"
    lines = wrap(text, width)
    assert max(map(display_width, lines)) <= width + 2  # closing punctuation may hang
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")


def test_text_of_users_cannot_steer_a_terminal():
    assert harmless("a\x1b[2Jb") == "a�[2Jb"
    assert harmless("a\r\nb\tc") == "a  b c"
    assert harmless("\u202egpj.exe") == "�gpj.exe"
    assert harmless("采购 é ≥") == "采购 é ≥"


def test_an_opening_bracket_does_not_end_a_line():
    assert wrap("合同审查（内部使用）系统", 10) == ["合同审查", "（内部使", "用）系统"]
