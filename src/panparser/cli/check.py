"""`panparser check`."""

from __future__ import annotations

import json
import sys
import time
import traceback
from dataclasses import asdict
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any, cast

import typer

from panparser._checks import MAX_PROVEN_WORDS
from panparser.cli.app import app, is_quiet
from panparser.cli.choices import (
    JsonOption,
    OracleOption,
    RootOption,
    SingleRootOption,
    SpanOption,
    SystemArgument,
)
from panparser.cli.named_systems import find_system
from panparser.cli.progress import progress
from panparser.errors import CheckFailed, PanParserError, TableError
from panparser.parsing.constraints.proof import ConstraintReport, ConstraintRow, check_constraints
from panparser.systems.proof.check import CheckReport, CheckRow, check_system
from panparser.systems.proof.golds import GOLD_NOUNS, Golds, default_golds
from panparser.systems.proof.growth import Growth, spelled
from panparser.systems.python import PythonSteps
from panparser.systems.table import TransitionSystem

ANNOUNCED_FROM = 10.0  # seconds


class GoldKind(StrEnum):
    """What costs are counted against."""

    partial = "partial"
    projective = "projective"
    all = "all"
    any = "any"
    derivable = "derivable"
    directions = "directions"
    none = "none"


@app.command()
def check(
    name: SystemArgument,
    root: RootOption = None,
    single_root: SingleRootOption = None,
    max_words: Annotated[
        int, typer.Option(min=1, max=MAX_PROVEN_WORDS, help="Prove it for sentences up to this length.")
    ] = 5,
    golds: Annotated[
        GoldKind | None,
        typer.Option(
            help="Golds to count costs against: all subsets of projective trees, whole projective trees, all trees, "
            "any subset of any tree, those that the system can derive, head directions, or none (structure alone).  "
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
    k: SpanOption = None,
    oracle: OracleOption = None,
    as_json: JsonOption = False,
) -> None:
    """Prove a transition system, or show the smallest counter-example.

    On every sentence up to --max-words: it ends, is never stuck, its output is a tree, and the cost of every
    transition in every reachable state equals the definition, for every gold. With --constraints: a search that follows
    only transitions of least cost keeps every set of heads that some tree of the system has. Each word more takes
    several times as long: what is expected is said beforehand, and Ctrl-C ends with what is proven by then. Exit code
    0: proven; 1: a counter-example; 2: bad input; 130: interrupted.

    Examples:

      panparser check arc-eager --root first --single-root

      panparser check arc-standard --golds all --max-words 4

      panparser check mine.toml

      panparser check arc-eager --root first --constraints --max-words 4

      panparser check my_module:MySystem --max-words 3
    """
    table = find_system(name, root, single_root, k, oracle)
    if constraints and golds is not None:
        raise TableError("--golds are for costs; with --constraints every set of heads that a tree has is tried")
    if isinstance(table, TransitionSystem) and not (table.has_oracle or constraints or golds is GoldKind.none):
        raise TableError(
            f"{table.name} has no losses to prove; --golds none proves its structure, and `panparser derive` finds some"
        )
    talks = not as_json and not is_quiet()
    done = _Rows(max_words, talks)
    if talks:
        print(f"{_title(table)}\n\n{ConstraintReport.header() if constraints else CheckReport.header()}")
    try:
        with progress() as report:
            kind = None if golds is None or golds is GoldKind.none else cast(Golds, golds.value)
            asked: dict[str, Any] = {"progress": report, "proven": done.add}
            proof = (
                check_constraints(table, max_words, **asked)
                if constraints
                else check_system(table, max_words, golds=kind, exact_cost=golds is not GoldKind.none, **asked)
            )
    except KeyboardInterrupt:
        done.report_interrupted(table, as_json)
        raise typer.Exit(130) from None
    except CheckFailed as failure:
        if not as_json:
            print()
            if golds is None and not constraints and default_golds(table) == "any":
                print(
                    "panparser: costs are counted against any part of any tree, as arcs may cross; "
                    "--golds partial asks for less",
                    file=sys.stderr,
                )
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


def _title(table: TransitionSystem | PythonSteps) -> str:
    return f"{table.name}, Root {table.root}{', one child of Root' if table.single_root else ''}"


class _Rows:
    """The lengths that are proven, printed one by one, with the time that the next ones are expected to take."""

    def __init__(self, max_words: int, talks: bool) -> None:
        self.max_words, self.talks = max_words, talks
        self.rows: list[CheckRow | ConstraintRow] = []
        self.growth = Growth()
        self.started = time.monotonic()

    def add(self, row: CheckRow | ConstraintRow) -> None:
        now = time.monotonic()
        self.growth.add(row.words, now - self.started, row.work)
        self.started = now
        self.rows.append(row)
        if not self.talks:
            return
        print(row, flush=True)
        left = {words: self.growth.expected(words) for words in range(row.words + 1, self.max_words + 1)}
        if self.growth.is_measured and sum(left.values()) >= ANNOUNCED_FROM:
            times = ", ".join(f"{spelled(seconds)} for {words} words" for words, seconds in left.items())
            print(f"panparser: expected: {times}", file=sys.stderr)

    def report_interrupted(self, table: TransitionSystem | PythonSteps, as_json: bool) -> None:
        words = self.rows[-1].words if self.rows else 0
        if as_json:
            rows = [asdict(row) for row in self.rows]
            print(json.dumps({"proven": None, "system": table.name, "root": table.root, "rows": rows}, indent=2))
        elif self.talks:
            found = f"proven up to {words} words" if words else "nothing is proven"
            print(f"\ninterrupted at {words + 1} words: {found}")


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
    if isinstance(table, TransitionSystem) and table.is_static_dynamic:
        print(
            f"the cost of every transition equals the exhaustive definition, for every {kind}; "
            f"SHIFT and SWAP may cost 1 more where {table.static_oracle} loses nothing otherwise"
        )
        return
    if table.static_oracle:
        print(f"the static oracle {table.static_oracle} reproduces every {kind}")
        return
    relaxed = " (up to a constant in some states)" if any(row.relaxed for row in proof.rows) else ""
    print(f"the cost of every transition equals the exhaustive definition{relaxed}, for every {kind}")
