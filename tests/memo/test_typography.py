"""Spaces, marks and glyphs: what a text becomes before it is printed."""

import pytest

from reportgen.memo.faces import SUBSTITUTE, covered, cut_to_width, substituted, text_width, wrapped
from reportgen.memo.polish import plain, polish

NO_BREAK, NARROW = "\u00a0", "\u202f"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("8 nodes × 8 H800", f"8{NO_BREAK}nodes{NO_BREAK}×{NO_BREAK}8 H800"),
        ("about 95 % of 80 GiB", f"about 95{NARROW}% of 80{NO_BREAK}GiB"),
        ("12 tokens/s", f"12{NO_BREAK}tokens/\u2060s"),
        ("≥ 3", "≥\u2060 3"),
        ("**Buy** now", "<strong>Buy</strong> now"),
        ("10^12 of them, 10^−3", "10<sup>12</sup> of them, 10<sup>−3</sup>"),
        ("a < b & c", "a &lt; b &amp; c"),
        ("line\nbreak\tand\x00bell\u202e", "line break andbell"),
    ],
)
def test_english(text, expected):
    assert polish(text, False) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("购置8台8卡H800服务器", f"购置 8{NO_BREAK}台 8{NO_BREAK}卡 H800{NO_BREAK}服务器"),
        ("含税2,395万元", f"含\u2060税 2,395{NO_BREAK}万元"),
        ("**请批准**8台", f"<strong>请批准 </strong>8{NO_BREAK}台"),
        ("（第3版）。", f'（第 3{NO_BREAK}版<span class="half">）</span>。'),
        ("token训练", "token 训练"),
    ],
)
def test_chinese(text, expected):
    assert polish(text, True) == expected


@pytest.mark.parametrize("text", ["申请购置8台8卡H800服务器，含税2,395万元", "8 nodes × 8 H800, 95 % of 80 GiB"])
@pytest.mark.parametrize("chinese", [True, False])
def test_spacing_twice_changes_nothing(text, chinese):
    assert plain(plain(text, chinese), chinese) == plain(text, chinese)


def test_plain_text_keeps_superscripts_as_raised_digits():
    assert plain("**10^12** a second", False) == "10¹² a second"


def test_every_character_of_gb2312_has_a_glyph():
    known = covered()
    missing = []
    for high in range(0xA1, 0xF8):
        for low in range(0xA1, 0xFF):
            try:
                character = bytes((high, low)).decode("gb2312")
            except UnicodeDecodeError:
                continue
            if ord(character) not in known:
                missing.append(character)
    assert not missing


def test_names_beyond_gb2312_have_glyphs():
    assert not [character for character in "喆镕堃祎翀玥珺甯旻昇淼晟煜𫖮" if ord(character) not in covered()]


def test_every_sign_of_the_memo_has_a_glyph():
    signs = "≥≤×÷−–—…·→←↑↓✓≈≠±°µμσρηκλταβ√∑∞²³⁹〓“”‘’（），。；：、《》℃%‰€¥$£●○■▲Δ∂"
    assert not [sign for sign in signs if ord(sign) not in covered()]


def test_a_missing_glyph_becomes_a_mark():
    missing = set()
    assert substituted("王龘 🚀", missing) == f"王{SUBSTITUTE} {SUBSTITUTE}"
    assert missing == {"龘", "🚀"}
    assert substituted("plain", missing) == "plain"


def test_widths_and_cuts():
    assert text_width("汉字", 10) == 20
    assert text_width("MM", 10, True) > text_width("ii", 10, True)
    cut = cut_to_width("a long label that must be cut", 40, 7.6)
    assert cut.endswith("…") and text_width(cut, 7.6) <= 40
    assert cut_to_width("short", 400, 7.6) == "short"


@pytest.mark.parametrize(
    ("text", "width", "lines"),
    [
        ("Optimizer, gradients, weights", 70, 2),
        ("优化器、梯度、权重", 40, 2),
        ("aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", 20, 3),
        ("", 20, 2),
    ],
)
def test_wrapped_lines_fit(text, width, lines):
    found = wrapped(text, width, 7.6, lines)
    assert len(found) <= lines
    assert all(text_width(line, 7.6) <= width + 0.01 for line in found)
