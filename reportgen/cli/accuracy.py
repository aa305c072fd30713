"""reportgen accuracy: estimates against measured runs."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from reportgen.cli.lazy_group import Command
from reportgen.cli.settings import Settings
from reportgen.errors import UsageError

FILE = click.Path(path_type=Path)


@click.command(cls=Command)
@click.option("--training-runs", "training_time", type=FILE, metavar="FILE", help="Measured training speeds, CSV.")
@click.option("--training-memory", type=FILE, metavar="FILE", help="Measured memory of training, CSV.")
@click.option("--serving", type=FILE, metavar="FILE", help="Measured serving, CSV.")
@click.option("--json", "as_json", is_flag=True, help="Every row with its estimate, as JSON.")
@click.option("--csv", "csv_file", type=FILE, metavar="FILE", help="Also write every row with its estimate to FILE.")
@click.pass_obj
def command(settings: Settings, as_json: bool, csv_file: Path | None, **files: Path | None) -> int:
    """How far the estimates are from measured runs.

    Files have the columns of the shipped measurements (reportgen/catalog/measurements). Without a file all shipped
    measurements are evaluated; with files only these. Rows that cannot be expressed say why they are skipped.
    """
    from reportgen.catalog import load_catalog
    from reportgen.evaluation.accuracy import kinds, outcomes

    known = kinds()
    given = {kind: path for kind, path in files.items() if path is not None}
    absent = [kind for kind in given if kind not in known]
    if absent:
        raise UsageError.of("accuracy-kind", f"cannot evaluate {', '.join(absent)}", f"known: {', '.join(known)}")
    catalog = load_catalog()
    chosen = given or dict.fromkeys(known)
    found = {kind: outcomes(kind, path, catalog) for kind, path in chosen.items()}
    if csv_file is not None:
        _write_csv(csv_file, found)
    click.echo(_as_json(found) if as_json else _as_text(found, settings), nl=as_json)
    return 0


def _as_json(found) -> str:
    from reportgen.text.json import dumps

    return dumps({"rows": [outcome.to_json() for rows in found.values() for outcome in rows]})


def _write_csv(path: Path, found) -> None:
    from reportgen.batch.output_files import write_file
    from reportgen.text.accuracy import outcome_rows
    from reportgen.text.csv import table

    write_file(path, table(outcome_rows(found)))


def _as_text(found, settings: Settings) -> str:
    from reportgen.text.accuracy import accuracy_answer
    from reportgen.text.table import Terminal

    return Terminal(colored=settings.colored(sys.stdout)).answer(accuracy_answer(found, settings.language or "en"))
