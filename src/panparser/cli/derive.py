"""`panparser derive`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import RootOption, SingleRootOption, SpanOption
from panparser.cli.named_systems import find_system
from panparser.cli.progress import progress
from panparser.errors import TableError
from panparser.storage.files import check_writable
from panparser.systems.deriving import derive as find_losses
from panparser.systems.deriving import without_costs


@app.command()
def derive(
    name: Annotated[str, typer.Argument(metavar="SYSTEM", help="A built-in name, or a .json or .toml file.")],
    root: RootOption = None,
    single_root: SingleRootOption = None,
    max_words: Annotated[int, typer.Option(min=1, max=7, help="Prove it for sentences up to this length.")] = 5,
    directions: Annotated[
        bool, typer.Option("--directions/--no-directions", help="Losses for head directions too, if they are exact.")
    ] = True,
    k: SpanOption = None,
    potential: Annotated[
        str | None,
        typer.Option(
            metavar="NAME", help="Find the losses beside this potential: blocked-chain-1, blocked-chain-2 or cycles."
        ),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the table here; the name ends in .toml or .json.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """Find the exact losses of a transition system from its conditions and effects.

    The losses that the system has, if any, its potential and its static oracle are ignored. The true cost of every
    transition in every state comes from exhaustive search; the smallest sum of losses that equals it everywhere is
    proven as by `panparser check`. A system that needs a potential has no exact losses without it: --potential names
    one. Exit code 0: found; 1: no table of losses is exact (the smallest witness is shown), or the system is unsound;
    2: bad input.

    Examples:

      panparser derive arc-hybrid --root first

      panparser derive bare.toml -o mine.toml

      panparser check mine.toml

      panparser derive arc-eager --root first --potential blocked-chain-1

      panparser derive arc-standard
    """
    table = without_costs(find_system(name, root, single_root, k, None), potential)
    if output:
        if output.suffix.lower() not in (".toml", ".json"):
            raise TableError(f"{output}: a table's file ends in .toml or .json")
        check_writable(output, TableError, name)
    with progress() as report:
        found = find_losses(table, max_words, directions=directions, potential=potential, progress=report)
    if found.system is None:
        print(json.dumps({"derived": False, "witness": str(found)}, indent=2) if as_json else found)
        if not as_json:
            print(
                "\nA potential may count what losses cannot (docs/reference/table-language.md): --potential names one."
                '\nIt can be trained all the same, with losses that are nearly right and static_oracle = "rows".'
            )
        raise typer.Exit(1)
    if output:
        found.system.save(output)
    if as_json:
        print(found.system.to_json())
    elif not is_quiet():
        print(found)
