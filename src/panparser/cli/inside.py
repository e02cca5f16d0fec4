"""`panparser explain`, `panparser weights` and `panparser propagation`: looking inside a model."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Annotated

import typer

from panparser.cli.analysis import _analysis
from panparser.cli.app import app, print_table
from panparser.errors import SpecError
from panparser.pipeline.loading import load_parser
from panparser.treebank.conllu import read_conllu
from panparser.treebank.treebank import Treebank

if TYPE_CHECKING:
    import pandas as pd

    from panparser.parsing.inspection.explaining import Contributions, Explanation

_Model = Annotated[str, typer.Option("--model", "-m", metavar="MODEL", help="What `panparser train` wrote.")]
_File = Annotated[str, typer.Argument(metavar="FILE", help="CoNLL-U or CoNLL-X; - is standard input.")]
_Top = Annotated[int, typer.Option(min=1, help="How many features to show.")]
_Beam = Annotated[int | None, typer.Option(min=1, help="Hypotheses kept.  [default: the model's]")]
_Csv = Annotated[bool, typer.Option("--csv", help="Print all of it as CSV.")]
_LABELS = 3  # labels that are shown for an arc
_STACK, _BUFFER = 32, 32  # characters that are shown of them


@app.command()
def explain(
    model: _Model,
    source: _File,
    sentence: Annotated[int, typer.Option("--sentence", "-s", min=1, help="Which sentence of the file, from 1.")] = 1,
    step: Annotated[int | None, typer.Option(min=1, help="Explain this step; without it, list all steps.")] = None,
    against: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of the step: why not this action, or label?")
    ] = None,
    top: _Top = 8,
    beam: _Beam = None,
    as_csv: _Csv = False,
) -> None:
    """Show how a model parses a sentence, and why it takes a step.

    Of each step: the state before it, the action, by how much it leads over the next best action (in updates of the
    perceptron), and, where the file has heads, what it costs and what would have been right. Of one step: for each
    legal action, and for the best labels, the features that contribute most to its score; all of them sum to it.

    Examples:

      panparser explain -m en.panparser gold.conllu --sentence 3

      panparser explain -m en.panparser gold.conllu --sentence 3 --step 7 --top 12

      panparser explain -m en.panparser gold.conllu --sentence 3 --step 7 --against LEFT
    """
    analysis = _analysis()
    treebank = _read(source)
    if not 1 <= sentence <= len(treebank):
        raise SpecError(f"{source}: --sentence must be from 1 to {len(treebank)}; got {sentence}")
    parser = load_parser(model)
    if as_csv or against is not None:
        table = analysis.explain(parser, treebank[sentence - 1], step, against=against, beam=beam)
        _print(table if as_csv else table.head(top), as_csv)
        return
    found = analysis.Explanation.of(parser, treebank[sentence - 1], beam=beam)
    if step is None:
        frame = found.frame()
        frame["stack"] = [f"…{text[1 - _STACK :]}" if len(text) > _STACK else text for text in frame["stack"]]
        frame["buffer"] = [f"{text[: _BUFFER - 1]}…" if len(text) > _BUFFER else text for text in frame["buffer"]]
        _print_frame(frame)
    else:
        _print_step(found, step, top)


def _read(source: str) -> Treebank:
    treebank = read_conllu(source)
    if not len(treebank):
        raise SpecError(f"{source}: expected sentences, found none")
    return treebank


def _print_frame(frame: pd.DataFrame) -> None:
    """A table with two digits after the point; columns of texts to the left."""
    align = "".join("l" if frame[name].map(type).eq(str).all() else "r" for name in frame.columns)
    rows = [[_cell(value) for value in row] for row in frame.itertuples(index=False)]
    print_table([str(name).replace("_", " ") for name in frame.columns], rows, align)


def _cell(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.2f}"
    return {True: "yes", False: ""}[bool(value)] if type(value).__name__ in ("bool", "bool_") else str(value)


def _print_step(found: Explanation, step: int, top: int) -> None:
    actions, labels, costs = found.actions(step), found.labels(step), found.costs(step)
    print(found.state(step).state.draw(forms=found.sentence.forms))
    for column in actions.ranking:
        name = actions.columns[column]
        cost = "" if costs is None else f", cost {costs[name] - min(costs.values())}"
        _print_class(actions, column, f"{name}{cost}", top)
    if labels is not None:
        for column in labels.ranking[:_LABELS]:
            _print_class(labels, column, f"label {labels.columns[column]}", top)


def _print_class(found: Contributions, column: int, title: str, top: int) -> None:
    rows = found.largest(column)
    shown = rows[:top]
    rest = sum(int(found.weights[row, column]) for row in rows[top:])
    lines = [(f"{found.weights[row, column] / found.unit:+.2f}", found.features[row]) for row in shown]
    if rows[top:]:
        lines.append((f"{rest / found.unit:+.2f}", f"({len(rows) - top} more)"))
    mark = "  <- chosen" if column == found.chosen else ""
    print()
    print_table((f"{found.scores[column] / found.unit:.2f}", f"{title}{mark}"), lines, "rl")


@app.command()
def weights(
    model: _Model,
    source: Annotated[str | None, typer.Argument(metavar="[FILE]", help="Where features are seen.")] = None,
    name: Annotated[str | None, typer.Option("--of", metavar="NAME", help="An action or a label.")] = None,
    other: Annotated[str | None, typer.Option("--with", metavar="MODEL", help="Compare with this model.")] = None,
    feature: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Show all weights of one feature, such as 'S0.upos=NOUN'.")
    ] = None,
    top: _Top = 20,
    as_csv: _Csv = False,
) -> None:
    """Show the strongest weights of an action or a label, or what two models have in common.

    A model knows features by number; their names come from FILE, so only features that it has are shown. Weights are in
    updates of the perceptron.

    Examples:

      panparser weights -m en.panparser dev.conllu --of LEFT

      panparser weights -m en.panparser dev.conllu --of nsubj --top 40

      panparser weights -m en.panparser --feature 'S0.upos=ADJ B0.upos=NOUN'

      panparser weights -m en.panparser dev.conllu --with other.panparser
    """
    analysis = _analysis()
    if sum(value is not None for value in (name, other, feature)) != 1:
        raise SpecError("expected one of --of NAME, --feature TEXT and --with MODEL")
    if feature is not None and source is not None:
        raise SpecError(f"--feature: expected no FILE, since the feature is named; found {source}")
    if feature is None and source is None:
        raise SpecError("expected a treebank whose features are looked at: FILE")
    parser = load_parser(model)
    if feature is not None:
        found = analysis.weights_of(parser, feature).rename("weight").rename_axis("action").reset_index()
    elif other is not None:
        found = analysis.shared(parser, load_parser(other), _read(str(source)))
    else:
        found = analysis.strongest(parser, _read(str(source)), str(name), top=top)
    _print(found, as_csv)


@app.command()
def propagation(
    model: _Model,
    source: Annotated[str, typer.Argument(metavar="GOLD", help="A treebank with heads.")],
    by: Annotated[
        str | None, typer.Option(metavar="COLUMNS", help="What errors are told apart by.  [default: right,action]")
    ] = None,
    top: _Top = 20,
    beam: _Beam = None,
    as_csv: Annotated[bool, typer.Option("--csv", help="Print a row for each error as CSV.")] = False,
) -> None:
    """Show where a model leaves the gold trees, and what comes of it.

    An error is an action that costs more than another would. Each wrong word is traced to the error that made its gold
    arc impossible: it may be attached by that action itself, or later, at no further cost. Columns for --by: right,
    action, S0, B0 (tags), cost, sentence, step.

    Examples:

      panparser propagation -m en.panparser dev.conllu

      panparser propagation -m en.panparser dev.conllu --by action,S0,B0
    """
    found = _analysis().propagation(load_parser(model), _read(source), beam=beam)
    table = found.table(*(by.split(",") if by else ()))
    if as_csv:
        _print(found.errors, True)
        return
    print_table((), [(str(name), _cell(value)) for name, value in found.summary().items()], "lr")
    print()
    _print_frame(table.head(top))


def _print(frame: pd.DataFrame, as_csv: bool) -> None:
    if as_csv:
        print(frame.to_csv(index=False), end="")
    else:
        _print_frame(frame)
