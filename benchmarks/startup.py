"""Start-up: `reportgen --help` against a bare click program."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.measure import Ratio, whole_process

BARE = "import click\n@click.group()\ndef main():\n    'Bare.'\n@main.command()\ndef one():\n    'One.'\nmain()"


def ratios() -> Iterator[Ratio]:
    """Whole processes."""
    ours, other = whole_process(["-m", "reportgen.cli.main", "--help"], ["-c", BARE, "--help"])
    yield Ratio("reportgen --help", ours, other, "bare click program --help", "at most 1.5")
