"""What the global options say. They stand before or after the sub-command; the later one wins, `--set` adds up."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import click


@dataclass
class Settings:
    """The global options as given."""

    language: str | None = None
    currency: str | None = None
    prices_file: str | None = None
    sets: list[str] = field(default_factory=list)
    date: str | None = None
    quiet: bool = False
    verbose: bool = False
    no_color: bool = False
    templates: str | None = None

    def colored(self, stream: Any) -> bool:
        """Whether a stream takes colours: a terminal, and nobody said no."""
        return not (self.no_color or os.environ.get("NO_COLOR")) and is_terminal(stream)


def is_terminal(stream: Any) -> bool:
    """Whether a person looks at the stream."""
    try:
        return stream.isatty() and os.environ.get("TERM") != "dumb"
    except (AttributeError, ValueError):
        return False


class Progress:
    """Lines on stderr for a person who waits: shown on a terminal (or with --verbose), never with --quiet."""

    def __init__(self, settings: Settings):
        self.shown = not settings.quiet and (settings.verbose or is_terminal(sys.stderr))
        self.messages = not settings.quiet

    def line(self, text: str) -> None:
        """Something was done."""
        if self.shown:
            click.echo(text, err=True)

    def message(self, text: str) -> None:
        """Something the user should know, also when piped."""
        if self.messages:
            click.echo(text, err=True)


def _store(ctx: click.Context, parameter: click.Parameter, value: Any) -> Any:
    settings = ctx.ensure_object(Settings)
    if parameter.name == "sets":
        settings.sets.extend(value)
    elif value is not None and value is not False:
        setattr(settings, parameter.name, value)
    return value


def _check_date(ctx: click.Context, parameter: click.Parameter, value: str | None) -> str | None:
    from datetime import date

    try:
        parsed = date.fromisoformat(value).isoformat() if value else None
    except ValueError:
        raise click.BadParameter(f"'{value}' is not a date such as 2027-03-01", ctx, parameter) from None
    return _store(ctx, parameter, parsed)


def _check_set(ctx: click.Context, parameter: click.Parameter, values: tuple[str, ...]) -> Any:
    for value in values:
        if not value.partition("=")[0].strip() or "=" not in value:
            raise click.BadParameter(f"'{value}' is not path=value, such as hardware.count=64", ctx, parameter)
    return _store(ctx, parameter, values)


def _check_folder(ctx: click.Context, parameter: click.Parameter, value: str | None) -> Any:
    if value and not Path(value).is_dir():
        raise click.BadParameter(f"there is no folder '{value}'", ctx, parameter)
    return _store(ctx, parameter, value)


@lru_cache(maxsize=1)
def global_options() -> tuple[click.Option, ...]:
    """The options of the group and of every command."""

    def option(*names: str, callback: Any = _store, **named: Any) -> click.Option:
        return click.Option(list(names), expose_value=False, callback=callback, **named)

    return (
        option(
            "--lang", "language", type=click.Choice(["en", "zh"]), help="Language of the output; else the scenario's."
        ),
        option("--currency", "currency", metavar="CODE", help="Currency of all amounts, such as CNY or USD."),
        option("--prices", "prices_file", metavar="FILE", help="Price book in place of the scenario's."),
        option(
            "--set",
            "sets",
            multiple=True,
            metavar="PATH=VALUE",
            callback=_check_set,
            help="Change a key for this run; may be repeated.",
        ),
        option(
            "--date",
            "date",
            metavar="YYYY-MM-DD",
            callback=_check_date,
            help="Date of the documents; else the scenario's, else today.",
        ),
        option(
            "--templates",
            "templates",
            metavar="DIR",
            callback=_check_folder,
            help="Memo templates in place of the shipped ones.",
        ),
        option("--quiet", "-q", "quiet", is_flag=True, help="Print the result only."),
        option("--verbose", "-v", "verbose", is_flag=True, help="Say what is done, also when piped."),
        option("--no-color", "no_color", is_flag=True, help="No colours (as NO_COLOR=1)."),
    )
