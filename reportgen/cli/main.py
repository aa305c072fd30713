"""The entry of the command line, and the one place where errors are printed and exit codes are given."""

from __future__ import annotations

import errno
import gc
import os
import sys
from collections.abc import Sequence
from typing import Any

import click

from reportgen import __version__
from reportgen.cli.lazy_group import LazyGroup
from reportgen.cli.settings import Settings, global_options
from reportgen.errors import ReportError, UsageError

BUG = 70
INTERRUPTED = 130

COMMANDS = {
    "estimate": "The answer in the terminal: hardware, time, cost and why.",
    "check": "Validate scenarios and evaluate their guardrails.",
    "explain": "Where a number comes from: substitution, causes, sources.",
    "build": "Write the workbook, the memo and other formats.",
    "compare": "Two or more scenarios beside each other.",
    "batch": "Many scenarios: a folder each, an index, a summary, a comparison.",
    "accuracy": "Estimates against measured runs, the shipped ones or your own.",
    "catalog": "Accelerators, models, servers, prices, with source and age.",
    "schema": "The JSON Schema of a scenario, for editors.",
    "doctor": "What is installed, what is missing, the command that mends it.",
}


class Reportgen(LazyGroup):
    """The group. Every way out of a command ends here with an exit code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        standalone_mode: bool = True,
        **extra: Any,
    ) -> Any:
        """Run; exit with the code (or return it when not standalone)."""
        if "_REPORTGEN_COMPLETE" in os.environ:
            return super().main(args, "reportgen", standalone_mode=standalone_mode, **extra)
        code = self._guarded(sys.argv[1:] if args is None else list(args), extra)
        if standalone_mode:
            sys.exit(code)
        return code

    def _guarded(self, arguments: list[str], extra: dict[str, Any]) -> int:
        _prepare_streams()
        settings = extra.pop("obj", None) or Settings()
        as_json = "--json" in arguments
        try:
            code = self._run(arguments, settings, extra)
            sys.stdout.flush()
            return code
        except ReportError as error:
            return _complain(error, settings, as_json)
        except click.ClickException as error:
            from reportgen.cli.usage import usage_problem

            return _complain(UsageError(usage_problem(error)), settings, as_json)
        except (KeyboardInterrupt, click.Abort):
            click.echo("reportgen: interrupted", err=True)
            return INTERRUPTED
        except OSError as error:
            if error.errno not in (errno.EPIPE, errno.EINVAL) or not _reader_left():
                return _bug(error, arguments)
            return 0
        except (SystemExit, GeneratorExit):
            raise
        except BaseException as error:
            return _bug(error, arguments)

    def _run(self, arguments: list[str], settings: Settings, extra: dict[str, Any]) -> int:
        try:
            with self.make_context("reportgen", arguments, obj=settings, **extra) as ctx:
                return int(self.invoke(ctx) or 0)
        except click.exceptions.Exit as exit:
            return exit.exit_code


def _prepare_streams() -> None:
    """UTF-8 into pipes and files, so that Chinese arrives everywhere; a terminal keeps its own encoding."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors="replace")


def _reader_left() -> bool:
    """Whether stdout is a pipe that nobody reads any more; further output is then dropped."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return True
    return False


def _complain(error: ReportError, settings: Settings, as_json: bool) -> int:
    from reportgen.cli.error_output import problems_as_json, problems_as_text

    if as_json:
        click.echo(problems_as_json(error.problems))
    else:
        click.echo(problems_as_text(error.problems, settings.colored(sys.stderr), settings.language or "en"), err=True)
    return error.exit_code


def _bug(error: BaseException, arguments: Sequence[str]) -> int:
    from reportgen.cli.bug_report import write_bug_report

    click.echo(f"reportgen: a bug: {type(error).__name__}: {error}", err=True)
    click.echo(f"report: {write_bug_report(error, arguments)}", err=True)
    click.echo("fix: send the report to the maintainers; it names your files but holds nothing of them", err=True)
    return BUG


def _show_help(ctx: click.Context) -> None:
    if ctx.invoked_subcommand is None:
        click.echo(ctx.get_help())


cli = Reportgen(
    name="reportgen",
    package="reportgen.cli",
    commands_listed=COMMANDS,
    callback=click.pass_context(_show_help),
    invoke_without_command=True,
    params=[
        *global_options(),
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            help="Print the version.",
            callback=lambda ctx, parameter, value: _version(ctx, value),
        ),
    ],
    help="One YAML scenario in; a live Excel workbook and a PDF memo out, for requests of GPU hardware.",
    epilog="Options stand before or after the command. Exit: 0 done, 1 a check or a scenario failed, 2 usage, "
    "3 scenario, 4 catalog or prices, 5 output, 70 a bug.",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


def _version(ctx: click.Context, value: bool) -> None:
    if value and not ctx.resilient_parsing:
        click.echo(f"reportgen {__version__}")
        ctx.exit()


def main() -> None:
    """The console script."""
    gc.set_threshold(100_000, 20, 20)  # expressions and cells are many and live long: rare collections save a fifth
    cli.main(prog_name="reportgen")


if __name__ == "__main__":
    main()
