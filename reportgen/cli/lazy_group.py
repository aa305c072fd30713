"""A click group that imports the module of a command only when that command runs."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click

from reportgen.cli.settings import global_options


class Command(click.Command):
    """A command that also takes the global options, shown apart in its help."""

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """Its own parameters, then the global ones; an option of the command hides a global one of the same name."""
        own = super().get_params(ctx)
        taken = {name for parameter in own for name in parameter.opts}
        return [*own, *(option for option in global_options() if not taken.intersection(option.opts))]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Two lists: what is special to the command, then what every command takes."""
        shared = {option.name for option in global_options()}
        lists: dict[str, list] = {"Options": [], "Options of every command": []}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                lists["Options of every command" if parameter.name in shared else "Options"].append(record)
        for title, records in lists.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


class LazyGroup(click.Group):
    """Sub-commands by name: `commands_listed` maps each to its line of help; `package` holds a module for each."""

    command_class = Command

    def __init__(self, *arguments: Any, package: str, commands_listed: Mapping[str, str], **named: Any):
        super().__init__(*arguments, **named)
        self.package = package
        self.commands_listed = commands_listed

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names in the order of the table."""
        return list(self.commands_listed)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command, imported now."""
        if cmd_name not in self.commands_listed:
            return None
        command = importlib.import_module(f"{self.package}.{cmd_name}").command
        command.short_help = self.commands_listed[cmd_name]
        return command

    def resolve_command(self, ctx: click.Context, args: list[str]):
        """As click does, with the nearest command named for one that does not exist."""
        name = args[0]
        if name not in self.commands_listed and not name.startswith("-"):
            raise UnknownCommand(name, tuple(self.commands_listed), ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list of commands, without importing them."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.commands_listed.items()))


class UnknownCommand(click.UsageError):
    """A sub-command that does not exist, with all that do."""

    def __init__(self, name: str, known: tuple[str, ...], ctx: click.Context):
        super().__init__(f"no such command '{name}'", ctx)
        self.name = name
        self.known = known
