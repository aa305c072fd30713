"""Named conversion constants. Each carries a unit, so that the test suite can prove the dimensions of every formula."""

from reportgen.formula.expression import Constant

KIB = Constant(2.0**10, "B/KiB", "2^10")
MIB = Constant(2.0**20, "B/MiB", "2^20")
GIB = Constant(2.0**30, "B/GiB", "2^30")
KILOBYTE = Constant(1e3, "B/kB", "10^3")
MEGABYTE = Constant(1e6, "B/MB", "10^6")
GIGABYTE = Constant(1e9, "B/GB", "10^9")
TERABYTE = Constant(1e12, "B/TB", "10^12")
TERAFLOP = Constant(1e12, "FLOP/TFLOP", "10^12")
EXAFLOP = Constant(1e18, "FLOP/EFLOP", "10^18")
GIGAFLOP = Constant(1e9, "FLOP/GFLOP", "10^9")
BILLION = Constant(1e9, "1/billion", "10^9")
MILLION = Constant(1e6, "1/million", "10^6")
THOUSAND = Constant(1e3, "1/thousand", "10^3")
MINUTE = Constant(60.0, "s/min", "60")
HOUR = Constant(3600.0, "s/h", "3,600")
DAY = Constant(86400.0, "s/days", "86,400")
HOURS_PER_DAY = Constant(24.0, "h/days", "24")
HOURS_PER_YEAR = Constant(8760.0, "h/years", "8,760")
DAYS_PER_YEAR = Constant(365.0, "days/years", "365")
MONTHS_PER_YEAR = Constant(12.0, "months/years", "12")
HOURS_PER_MONTH = Constant(730.0, "h/months", "730")
MILLISECOND = Constant(1e-3, "s/ms", "10^-3")
MICROSECOND = Constant(1e-6, "s/us", "10^-6")
KILOWATT = Constant(1e3, "W/kW", "10^3")
BITS_PER_BYTE = Constant(8.0, "bit/B", "8")
GIGABIT = Constant(1e9, "bit/Gbit", "10^9")

# Units of value 1: they prove dimensions and vanish from formulas and words.
BYTE = Constant(1.0, "B", "")
FLOP = Constant(1.0, "FLOP", "")
