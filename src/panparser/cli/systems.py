"""`panparser systems`, `panparser check` and `panparser derive`."""

from __future__ import annotations

import importlib
import json
import sys
import traceback
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from panparser.cli.app import app, is_quiet, print_table, progress
from panparser.errors import CheckFailed, PanParserError, TableError, UnknownSystemError
from panparser.parsing.constraints.proof import ConstraintReport, ConstraintRow, check_constraints
from panparser.storage.files import check_writable
from panparser.systems.deriving import derive as find_losses
from panparser.systems.deriving import without_costs
from panparser.systems.proof.check import GOLD_NOUNS, CheckReport, CheckRow, Golds, check_system
from panparser.systems.python import PythonSteps, PythonSystem
from panparser.systems.registry import BUILT_IN
from panparser.systems.registry import system as as_system
from panparser.systems.table import TransitionSystem


class RootPlace(StrEnum):
    first = "first"
    last = "last"


class GoldKind(StrEnum):
    partial = "partial"
    projective = "projective"
    all = "all"
    any = "any"
    directions = "directions"
    none = "none"


class SwapOracle(StrEnum):
    eager = "eager"
    lazy = "lazy"


_System = Annotated[
    str,
    typer.Argument(metavar="SYSTEM", help="A built-in name, a .json or .toml file, or file.py:Class (module:Class)."),
]
_Root = Annotated[RootPlace | None, typer.Option(help="Where Root stands.  [default: last]", show_default=False)]
_SingleRoot = Annotated[
    bool | None, typer.Option("--single-root/--multi-root", help="One child of Root, or any number.")
]
_K = Annotated[int | None, typer.Option("-k", help="Longest arc of the Span systems.  [default: 3]")]
_Oracle = Annotated[SwapOracle | None, typer.Option(help="Static oracle of swap-standard.  [default: lazy]")]
_Json = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command()
def systems(
    name: Annotated[str | None, typer.Argument(metavar="[SYSTEM]", help="Show this system's table.")] = None,
    root: _Root = None,
    single_root: _SingleRoot = None,
    k: _K = None,
    oracle: _Oracle = None,
    as_json: _Json = False,
) -> None:
    """List the built-in transition systems, or show the table of one.

    Examples:

      panparser systems

      panparser systems arc-hybrid --root first

      panparser systems arc-eager --json > mine.json     (then edit it, and: panparser check mine.json)
    """
    if name is not None:
        table = _load(name, root, single_root, k, oracle)
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
    if table.static_oracle:
        return "static oracle"
    by_loss = {"arc-standard-loss": "tabular loss", "attardi-loss": "searched loss"}
    return by_loss.get(table.potential or "", "losses")


def _summary(function: Any) -> str:
    return str(function.__doc__).strip().splitlines()[0].rstrip(".")


@app.command()
def check(
    name: _System,
    root: _Root = None,
    single_root: _SingleRoot = None,
    max_words: Annotated[int, typer.Option(min=1, max=7, help="Prove it for sentences up to this length.")] = 5,
    golds: Annotated[
        GoldKind | None,
        typer.Option(
            help="Golds to count costs against: all subsets of projective trees, whole projective trees, all trees, "
            "any subset of any tree, head directions, or none (structure alone).  "
            "[default: partial; any if arcs may cross; all for static oracles]",
            show_default=False,
        ),
    ] = None,
    constraints: Annotated[
        bool,
        typer.Option(
            "--constraints", help="Prove instead that parsing with given heads keeps all of them, whatever the scores."
        ),
    ] = False,
    k: _K = None,
    oracle: _Oracle = None,
    as_json: _Json = False,
) -> None:
    """Prove a transition system, or show the smallest counter-example.

    On every sentence up to --max-words: it ends, is never stuck, its output is a tree, and the cost of every
    transition in every reachable state equals the definition, for every gold. With --constraints: a search that follows
    only transitions of least cost keeps every set of heads that some tree of the system has. Exit code 0: proven; 1: a
    counter-example; 2: bad input.

    Examples:

      panparser check arc-eager --root first --single-root

      panparser check arc-standard --golds all --max-words 4

      panparser check mine.toml

      panparser check arc-eager --root first --constraints --max-words 4

      panparser check my_module:MySystem --max-words 3
    """
    table = _load(name, root, single_root, k, oracle)
    if constraints and golds is not None:
        raise TableError("--golds are for costs; with --constraints every set of heads that a tree has is tried")
    talks = not as_json and not is_quiet()
    if talks:
        print(f"{_title(table)}\n\n{ConstraintReport.header() if constraints else CheckReport.header()}")
    try:
        with progress() as report:
            kind = None if golds is None or golds is GoldKind.none else cast(Golds, golds.value)
            asked: dict[str, Any] = {"progress": report, "proven": _print_row if talks else None}
            proof = (
                check_constraints(table, max_words, **asked)
                if constraints
                else check_system(table, max_words, golds=kind, exact_cost=golds is not GoldKind.none, **asked)
            )
    except CheckFailed as failure:
        if not as_json:
            print()
            raise
        print(json.dumps({"proven": False, "counter_example": str(failure)}, indent=2))
        raise typer.Exit(1) from None
    except PanParserError:
        raise
    except Exception as error:
        if isinstance(table, TransitionSystem):
            raise
        raise TableError(f"{table.name} raised {_describe(error)}") from error
    if as_json:
        print(json.dumps({"proven": True, "system": table.name, "root": table.root, **asdict(proof)}, indent=2))
    elif talks:
        _print_proof(table, proof)


@app.command()
def derive(
    name: Annotated[str, typer.Argument(metavar="SYSTEM", help="A built-in name, or a .json or .toml file.")],
    root: _Root = None,
    single_root: _SingleRoot = None,
    max_words: Annotated[int, typer.Option(min=1, max=7, help="Prove it for sentences up to this length.")] = 5,
    directions: Annotated[
        bool, typer.Option("--directions/--no-directions", help="Losses for head directions too, if they are exact.")
    ] = True,
    k: _K = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="Write the table here; the name ends in .toml or .json.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """Find the exact losses of a transition system from its conditions and effects.

    The losses that the system has, if any, are ignored. The true cost of every transition in every state comes from
    exhaustive search; the smallest sum of losses that equals it everywhere is proven as by `panparser check`. Exit code
    0: found; 1: no table of losses is exact (the smallest witness is shown), or the system is unsound; 2: bad input.

    Examples:

      panparser derive arc-hybrid --root first

      panparser derive bare.toml -o mine.toml     (then: panparser check mine.toml)

      panparser derive arc-standard
    """
    table = without_costs(_load(name, root, single_root, k, None))
    if output:
        if output.suffix.lower() not in (".toml", ".json"):
            raise TableError(f"{output}: a table's file ends in .toml or .json")
        check_writable(output, TableError)
    with progress() as report:
        found = find_losses(table, max_words, directions=directions, progress=report)
    if found.system is None:
        print(json.dumps({"derived": False, "witness": str(found)}, indent=2) if as_json else found)
        raise typer.Exit(1)
    if output:
        found.system.save(output)
    if as_json:
        print(found.system.to_json())
    elif not is_quiet():
        print(found)


def _title(table: TransitionSystem | PythonSteps) -> str:
    return f"{table.name}, Root {table.root}{', one child of Root' if table.single_root else ''}"


def _print_row(row: CheckRow | ConstraintRow) -> None:
    print(row, flush=True)


def _describe(error: Exception) -> str:
    """The error of a user's own code, with its place."""
    frames = traceback.extract_tb(error.__traceback__)
    place = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return f"{type(error).__name__}: {error}{place}"


def _print_proof(table: TransitionSystem | PythonSteps, proof: CheckReport | ConstraintReport) -> None:
    if isinstance(proof, ConstraintReport):
        print(f"\nproven up to {proof.rows[-1].words} words: no search is stuck, and all given heads are kept")
        return
    single = ", one child of Root" if table.single_root else ""
    tree = "forest" if table.partial else "tree"
    print(f"\nproven up to {proof.rows[-1].words} words: always ends, never stuck, every output a {tree}{single}")
    if proof.golds is None:
        return
    kind = GOLD_NOUNS[proof.golds]
    if isinstance(table, TransitionSystem) and table.static_oracle:
        print(f"the static oracle {table.static_oracle} reproduces every {kind}")
        return
    relaxed = " (up to a constant in some states)" if any(row.relaxed for row in proof.rows) else ""
    print(f"the cost of every transition equals the exhaustive definition{relaxed}, for every {kind}")


def _load(
    name: str, root: RootPlace | None, single_root: bool | None, k: int | None, oracle: SwapOracle | None
) -> TransitionSystem | PythonSteps:
    given = {
        "root": root.value if root else None,
        "single_root": single_root,
        "k": k,
        "oracle": oracle.value if oracle else None,
    }
    options = {key: value for key, value in given.items() if value is not None}
    return as_system(_python_system(name) if ":" in name else name, **options)


def _python_system(name: str) -> PythonSystem:
    module, _, attribute = name.rpartition(":")
    path = Path(module)
    folder, module = (path.parent, path.stem) if path.suffix == ".py" else (Path.cwd(), module)
    sys.path.insert(0, str(folder.resolve()))
    try:
        declared = getattr(importlib.import_module(module), attribute)
        if isinstance(declared, type) and issubclass(declared, PythonSystem):
            return declared()
    except (Exception, SystemExit) as error:
        raise UnknownSystemError(f"cannot import {name}: {type(error).__name__}: {error}") from None
    finally:
        sys.path.remove(str(folder.resolve()))
    if isinstance(declared, PythonSystem):
        return declared
    raise UnknownSystemError(f"{name} must be a subclass of panparser.PythonSystem; got {declared!r}")
