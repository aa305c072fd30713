"""Timing: the least of several runs, alternating between the two sides, so that a busy machine disturbs both."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True)
class Ratio:
    """What was measured, both sides in seconds, and the ratio that is aimed at."""

    what: str
    ours: float
    other: float
    other_name: str
    aim: str

    def line(self) -> str:
        """One row of the table."""
        ours, other = readable(self.ours), readable(self.other)
        return (
            f"{self.what:<44} {ours:>13} {other:>13} {self.ours / self.other:>8.4f}  {self.aim:<16} {self.other_name}"
        )


def readable(seconds: float) -> str:
    """A time in the unit that fits it."""
    if seconds >= 1e-3:
        return f"{seconds * 1e3:.1f} ms"
    return f"{seconds * 1e6:.2f} us"


def alternate(ours: Callable[[], object], other: Callable[[], object], runs: int = 7) -> tuple[float, float]:
    """The least CPU time of each side."""
    best = [float("inf"), float("inf")]
    for _ in range(runs):
        for index, side in enumerate((ours, other)):
            start = time.process_time()
            side()
            best[index] = min(best[index], time.process_time() - start)
    return best[0], best[1]


def whole_process(ours: list[str], other: list[str], runs: int = 9) -> tuple[float, float]:
    """The least wall time of two commands as whole processes."""
    best = [float("inf"), float("inf")]
    for _ in range(runs):
        for index, command in enumerate((ours, other)):
            start = time.perf_counter()
            subprocess.run([sys.executable, *command], check=True, capture_output=True)
            best[index] = min(best[index], time.perf_counter() - start)
    return best[0], best[1]
