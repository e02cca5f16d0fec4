"""`panparser check` and `panparser derive`."""

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

from panparser.base.checks import MAX_PROVEN_WORDS
from panparser.cli.named_systems import find_system
from panparser.cli.terminal import (
    JsonOption,
    OracleOption,
    RootOption,
    SingleRootOption,
    SpanOption,
    SystemArgument,
    is_quiet,
    progress,
)
from panparser.errors import DeclarationError, PanParserError, ProofError
from panparser.proofs.constraint_proof import ConstraintReport, ConstraintRow, check_constraints
from panparser.proofs.deriving import derive_losses as find_losses
from panparser.proofs.deriving import without_costs
from panparser.proofs.system_proof import (
    GOLD_NOUNS,
    CheckReport,
    CheckRow,
    Golds,
    Growth,
    check_system,
    default_golds,
    format_seconds,
)
from panparser.storage.atomic import check_writable
from panparser.systems.python_system import PythonSteps
from panparser.systems.transition_system import TransitionSystem

MIN_ANNOUNCED_SECONDS = 10.0


class GoldKind(StrEnum):
    """What costs are counted against."""

    partial = "partial"
    projective = "projective"
    all = "all"
    any = "any"
    derivable = "derivable"
    directions = "directions"
    none = "none"


def check(
    name: SystemArgument,
    root: RootOption = None,
    single_root: SingleRootOption = None,
    max_words: Annotated[
        int, typer.Option(min=1, max=MAX_PROVEN_WORDS, help="Maximum sentence length of the proof.")
    ] = 5,
    golds: Annotated[
        GoldKind | None,
        typer.Option(
            "--gold-kinds",
            help="References that costs are proven for.  [default: partial; any if arcs may cross; all for static "
            "oracles]",
            show_default=False,
        ),
    ] = None,
    constraints: Annotated[
        bool,
        typer.Option("--constraints", help="Prove that parsing keeps all given heads, instead of proving costs."),
    ] = False,
    k: SpanOption = None,
    oracle: OracleOption = None,
    as_json: JsonOption = False,
) -> None:
    """Prove a transition system, or find a counter-example.

    For every sentence up to --max-words words: every derivation ends, is never stuck and outputs a tree, and the cost
    of every transition in every reachable state equals the definition, for every reference. With --constraints: a
    search that follows only transitions of minimum cost keeps every set of heads that some tree of the system contains.
    Each additional word takes several times as long; the expected time is printed, and Ctrl-C ends with the lengths
    proven so far.

    References (--gold-kinds): all subsets of projective trees (partial), projective trees (projective), all trees
    (all), any subset of any tree (any), the trees that the system can derive (derivable), directions of heads
    (directions), or none.

    Exit code 0: proven; 1: counter-example; 2: invalid input; 130: interrupted.
    """
    table = find_system(name, root, single_root, k, oracle)
    if constraints and golds is not None:
        raise DeclarationError(
            "--gold-kinds cannot be used with --constraints, which tries every set of heads of a tree"
        )
    if isinstance(table, TransitionSystem) and not (table.has_oracle or constraints or golds is GoldKind.none):
        raise DeclarationError(
            f"{table.name}: no losses to prove; --gold-kinds none proves its structure, `panparser derive` finds losses"
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
    except ProofError as failure:
        if not as_json:
            print()
            if golds is None and not constraints and default_golds(table) == "any":
                print(
                    "panparser: since arcs may cross, costs are proven for any part of any tree; "
                    "--gold-kinds partial proves less",
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
        raise DeclarationError(f"{table.name} raised {_describe(error)}") from error
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
        if self.growth.is_measured and sum(left.values()) >= MIN_ANNOUNCED_SECONDS:
            times = ", ".join(f"{format_seconds(seconds)} for {words} words" for words, seconds in left.items())
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


def derive(
    name: Annotated[
        str, typer.Argument(metavar="SYSTEM", help="Transition system: built-in name, or .json/.toml file.")
    ],
    root: RootOption = None,
    single_root: SingleRootOption = None,
    max_words: Annotated[int, typer.Option(min=1, max=7, help="Maximum sentence length of the proof.")] = 5,
    directions: Annotated[
        bool, typer.Option("--directions/--no-directions", help="Also derive losses for head directions, if exact.")
    ] = True,
    k: SpanOption = None,
    potential: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Potential to add: blocked-chain-1, blocked-chain-2 or cycles."),
    ] = None,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", metavar="FILE", help="Output table: .toml or .json.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the table as JSON.")] = False,
) -> None:
    """Derive the exact costs of a transition system.

    Losses, potential and static oracle of the system are ignored. The true cost of every transition in every state is
    computed by exhaustive search; the smallest sum of losses that equals it everywhere is proven as by `panparser
    check`. Some systems have no exact losses without a --potential.

    Exit code 0: derived; 1: no table of losses is exact (the smallest witness is shown), or the system is unsound; 2:
    invalid input.
    """
    table = without_costs(find_system(name, root, single_root, k, None), potential)
    if output:
        if output.suffix.lower() not in (".toml", ".json"):
            raise DeclarationError(f"{output}: expected a file name that ends in .toml or .json")
        check_writable(output, DeclarationError, name)
    with progress() as report:
        found = find_losses(table, max_words, directions=directions, potential=potential, progress=report)
    if found.system is None:
        print(json.dumps({"derived": False, "witness": str(found)}, indent=2) if as_json else found)
        if not as_json:
            print(
                '\nA potential may express what losses cannot: see --potential, and the reference "Table language".'
                '\nThe system can be trained anyway, with approximate losses and static_oracle = "rows".'
            )
        raise typer.Exit(1)
    if output:
        found.system.save(output)
    if as_json:
        print(found.system.to_json())
    elif not is_quiet():
        print(found)
