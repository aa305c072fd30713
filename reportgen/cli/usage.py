"""Click's complaints about the command line as problems of our own, with the same look as every other error."""

from __future__ import annotations

from difflib import get_close_matches

import click

from reportgen.cli.lazy_group import UnknownCommand
from reportgen.errors import Problem


def usage_problem(error: click.ClickException) -> Problem:
    """What is wrong with the command line, and the nearest thing that exists."""
    ctx = getattr(error, "ctx", None)
    help_line = f"{ctx.command_path if ctx else 'reportgen'} --help"
    if isinstance(error, UnknownCommand):
        return _unknown("unknown-command", error.format_message(), error.name, error.known, help_line)
    if isinstance(error, click.NoSuchOption):
        known = [name for parameter in ctx.command.get_params(ctx) for name in parameter.opts] if ctx else []
        message = f"no such option '{error.option_name}'"
        return _unknown("unknown-option", message, error.option_name, known, help_line)
    if isinstance(error, click.MissingParameter):
        return Problem("missing-argument", f"{_name(error)} is missing", f"see {help_line}")
    if isinstance(error, click.BadParameter):
        return Problem("bad-option", f"{_name(error)}: {_plain(error.message)}", f"see {help_line}")
    return Problem("usage", _plain(error.format_message()), f"see {help_line}")


def _unknown(code: str, message: str, name: str, known, help_line: str) -> Problem:
    near = tuple(get_close_matches(name, list(known), 3, 0.5))
    fix = f"did you mean '{near[0]}'?  ({help_line})" if near else f"see {help_line}"
    return Problem(code, message, fix, candidates=near)


def _name(error: click.BadParameter) -> str:
    parameter = error.param
    if parameter is None:
        return str(error.param_hint or "value")
    return (
        parameter.opts[0]
        if isinstance(parameter, click.Option)
        else (parameter.metavar or parameter.name or "").rstrip(".").upper()
    )


def _plain(message: str) -> str:
    message = message.strip().rstrip(".")
    return message[:1].lower() + message[1:]
