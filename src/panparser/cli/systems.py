"""`panparser systems`."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer

from panparser.cli.app import app
from panparser.cli.choices import JsonOption, OracleOption, RootOption, SingleRootOption, SpanOption
from panparser.cli.named_systems import find_system
from panparser.cli.tables import print_table
from panparser.errors import TableError
from panparser.systems.python import PythonSteps
from panparser.systems.registry import BUILT_IN
from panparser.systems.table import TransitionSystem


@app.command()
def systems(
    name: Annotated[str | None, typer.Argument(metavar="[SYSTEM]", help="Show this system's table.")] = None,
    root: RootOption = None,
    single_root: SingleRootOption = None,
    k: SpanOption = None,
    oracle: OracleOption = None,
    as_json: JsonOption = False,
) -> None:
    """List the built-in transition systems, or show the table of one.

    Examples:

      panparser systems

      panparser systems arc-hybrid --root first

      panparser systems arc-eager --json > mine.json

      panparser check mine.json
    """
    if name is not None:
        table = find_system(name, root, single_root, k, oracle)
        if isinstance(table, PythonSteps):
            raise TableError(f"{name} is written in Python and has no table")
        print(table.to_json() if as_json else table)
        return
    if any(value is not None for value in (root, single_root, k, oracle)):
        raise TableError("--root, --single-root, -k and --oracle go with the name of a system")
    rows = [(key, _costs(function()), _summary(function)) for key, function in BUILT_IN.items()]
    if as_json:
        print(json.dumps([dict(zip(("name", "costs", "source"), row, strict=True)) for row in rows], indent=2))
        return
    print_table(("system", "costs", "source"), rows, "lll")


def _costs(table: TransitionSystem) -> str:
    if not table.has_dynamic_oracle:
        return "static oracle"
    by_loss = {"arc-standard-loss": "tabular loss", "attardi-loss": "searched loss", "swap-loss": "searched loss"}
    return by_loss.get(table.potential or "", "losses")


def _summary(function: Any) -> str:
    return str(function.__doc__).strip().splitlines()[0].rstrip(".")
