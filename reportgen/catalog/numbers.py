"""How a number is written: by its unit and the language, never with an exponent, a missing one as an en dash."""

from __future__ import annotations

import math
from datetime import date
from decimal import ROUND_HALF_UP, Decimal, localcontext

from reportgen.catalog.look import look

MISSING_TEXT = "–"
MINUS = "−"
MAGNITUDES = {
    "en": ((1e15, "P"), (1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "K")),
    "zh": ((1e12, "万亿"), (1e8, "亿"), (1e4, "万")),
}
# FLOP counts take SI prefixes in every language: B for 1e9 would read as bytes
FLOP_MAGNITUDES = ((1e24, "Y"), (1e21, "Z"), (1e18, "E"), (1e15, "P"), (1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"))
MONEY_MILLION = 1e6
CURRENCY_ZH = {"CNY": "元", "USD": "美元", "EUR": "欧元", "HKD": "港元", "JPY": "日元", "GBP": "英镑"}


def is_missing(value: object) -> bool:
    """Whether a value is absent: None or not a number."""
    return value is None or (isinstance(value, float) and math.isnan(value))


def format_number(value: object, unit: str, language: str = "en", currency: str = "CNY") -> str:
    """A value as people of a language read it, without its unit, except that money carries 万元, 亿元 (zh) or M (en).

    '9.9' for days, '38.0%' for a share, '23.95 M' or '2,395 万元' for money; text and dates pass unchanged.
    """
    if is_missing(value):
        return MISSING_TEXT
    if isinstance(value, (str, date)):
        return str(value)
    rule = look().number_rule(unit)
    if math.isinf(value):
        return "∞" if value > 0 else f"{MINUS}∞"
    match rule.kind:
        case "percent":
            return f"{_plain(value * 100, rule.decimals)}%"
        case "money":
            return _money(value, language, currency)
        case "magnitude":
            return _magnitude(value, rule.decimals, FLOP_MAGNITUDES if unit.endswith("FLOP") else MAGNITUDES[language])
        case "text":
            return _plain(value, 0).replace(",", "")
        case _:
            return _plain(value, rule.decimals)


def format_money(value: object, language: str = "en", currency: str = "CNY") -> str:
    """An amount with its currency: '23.95 M CNY', '1,234 CNY', '2,395 万元', '2,395 万美元'."""
    written = format_number(value, "money", language, currency)
    return written if language == "zh" or written == MISSING_TEXT else f"{written} {currency}"


def excel_format(unit: str) -> str:
    """The number format of a cell that holds a value of a unit."""
    return look().number_rule(unit).excel


def _money(value: float, language: str, currency: str) -> str:
    size = abs(value)
    if language == "zh":
        name = CURRENCY_ZH.get(currency, currency)
        if size >= 1e8:
            return f"{_plain(value / 1e8, 2)} 亿{name}"
        if size >= 1e4:
            return f"{_plain(value / 1e4, 0 if size >= 1e6 else 2)} 万{name}"
        return f"{_plain(value, 0 if size >= 100 else 2)} {name}"
    if size >= MONEY_MILLION:
        return f"{_plain(value / MONEY_MILLION, 2)} M"
    return _plain(value, 0 if size >= 100 or value == 0 else 2)


def _magnitude(value: float, decimals: int, steps: tuple[tuple[float, str], ...]) -> str:
    for size, suffix in steps:
        if abs(value) >= size:
            return f"{_plain(value / size, decimals).removesuffix('.' + '0' * decimals)} {suffix}"
    return _plain(value, 0 if float(value).is_integer() else decimals)


def _plain(value: float, decimals: int) -> str:
    """Grouped digits, rounded half up as spreadsheets do, with a true minus and no negative zero."""
    with localcontext(prec=350):  # the widest float has 309 digits before the point
        rounded = Decimal(repr(float(value))).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    written = f"{abs(rounded):,.{decimals}f}"
    return f"{MINUS}{written}" if rounded < 0 else written
