"""`panparser info`."""

from __future__ import annotations

import json
import os
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import typer

from panparser.cli.terminal import (
    FileFormat,
    InputFormatOption,
    JsonOption,
    OracleOption,
    RootOption,
    SingleRootOption,
    SpanOption,
    is_model,
    is_quiet,
    print_table,
    progress,
)
from panparser.errors import DeclarationError, SpecError
from panparser.pipeline.bundled_models import bundled

if TYPE_CHECKING:
    from panparser.systems.transition_system import TransitionSystem

MAX_PRINTED_LABELS = 20  # per table of tags or labels
TABLE_SUFFIXES = (".json", ".toml")


def info(
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[NAME]...",
            help="Model, treebanks, or transition system (file or built-in name).  [default: list built-in names]",
            show_default=False,
        ),
    ] = None,
    root: RootOption = None,
    single_root: SingleRootOption = None,
    k: SpanOption = None,
    oracle: OracleOption = None,
    format: InputFormatOption = FileFormat.auto,
    as_json: JsonOption = False,
) -> None:
    """Show what a model, a treebank or a transition system is.

    Of a model: its parts and settings, how and on what it was trained, and its scores. Of treebanks, side by side: the
    numbers of sentences, words, tags and labels, and the shapes of trees. Of a transition system: its table;
    --root, --single-root, --max-arc-span and --oracle select a variant of a built-in system.

    Without arguments, lists the models and transition systems that come with panparser.
    """
    variant = {"--root": root, "--single-root": single_root, "--max-arc-span": k, "--oracle": oracle}
    options = [name for name, value in variant.items() if value is not None]
    if names and _is_system(names[0]):
        if len(names) > 1:
            raise SpecError(f"{names[0]}: expected one transition system; got {len(names)} names")
        _show_system(names[0], (root, single_root, k, oracle), as_json)
        return
    if options:
        raise DeclarationError(f"{options[0]} requires a transition system")
    if not names:
        _list_built_in(as_json)
    elif is_model(names[0], pipe=True):
        if len(names) > 1:
            raise SpecError(f"{names[0]}: expected one model; got {len(names)} names")
        from panparser.cli.model_info import show_model  # takes time to import

        show_model(names[0], as_json)
    else:
        _show_treebanks(names, format.value, as_json)


# --- Kinds of arguments ---


def _is_system(name: str) -> bool:
    from panparser.systems.registry import BUILT_IN

    if name in BUILT_IN or name.lower().endswith(TABLE_SUFFIXES):
        return True
    return ":" in name and not os.path.exists(name)


# --- Treebanks ---


def _show_treebanks(paths: list[str], format: Any, as_json: bool) -> None:
    from panparser.treebank.conllu import read_conllu
    from panparser.treebank.statistics import treebank_statistics

    with progress() as report:
        values = {}
        for path in paths:
            report(path, 0, 0)
            values[path] = treebank_statistics(read_conllu(path, format=format))
    if as_json:
        print(json.dumps(values, indent=2))
    elif not is_quiet():
        _print_statistics(values)


def _print_statistics(values: dict[str, dict[str, Any]]) -> None:
    percent = ("annotated", "head to the right", "non-projective sentences", "non-projective arcs")
    first = next(iter(values.values()))
    rows = []
    for name, sample in first.items():
        if name in ("upos", "labels"):
            continue
        if isinstance(sample, dict):
            cells = ["{mean:.2f} (median {median:.0f}, max {max})".format(**each[name]) for each in values.values()]
        else:
            unit = " %" if name in percent else ""
            cells = [f"{each[name]:.2f}{unit}" if unit else f"{each[name]:,}" for each in values.values()]
        rows.append((name, *cells))
    print_table(("", *values), rows)
    for name in ("upos", "labels"):
        print()
        total = Counter[str]()
        for each in values.values():
            total.update(each[name])
        top = [key for key, _ in total.most_common(MAX_PRINTED_LABELS)]
        rows = [(key, *(f"{each[name].get(key, 0):,}" for each in values.values())) for key in top]
        print_table((name, *values), rows)
        if len(total) > len(top):
            print(f"... and {len(total) - len(top)} more")


# --- Transition systems ---


def _show_system(name: str, variant: tuple[Any, Any, Any, Any], as_json: bool) -> None:
    from panparser.cli.named_systems import find_system
    from panparser.systems.python_system import PythonSteps

    table = find_system(name, *variant)
    if isinstance(table, PythonSteps):
        raise DeclarationError(f"{name} is written in Python and has no table")
    print(table.to_json() if as_json else table)


def _list_built_in(as_json: bool) -> None:
    from panparser.systems.registry import BUILT_IN

    rows = [(name, _costs(function()), _summary(function)) for name, function in BUILT_IN.items()]
    if as_json:
        systems = [dict(zip(("name", "costs", "source"), row, strict=True)) for row in rows]
        print(json.dumps({"models": bundled(), "systems": systems}, indent=2))
    elif not is_quiet():
        print(f"models: {', '.join(bundled())}\n")
        print_table(("system", "costs", "source"), rows, "lll")


def _costs(table: TransitionSystem) -> str:
    if not table.has_dynamic_oracle:
        return "static oracle"
    by_loss = {"arc-standard-loss": "tabular loss", "attardi-loss": "searched loss", "swap-loss": "searched loss"}
    return by_loss.get(table.potential or "", "losses")


def _summary(function: Any) -> str:
    return str(function.__doc__).strip().splitlines()[0].rstrip(".")
