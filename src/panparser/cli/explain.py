"""`panparser explain`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from panparser.cli.app import app
from panparser.cli.choices import BeamOption, CsvOption, FileArgument, FileFormat, FormatOption, ModelOption, TopOption
from panparser.cli.frames import import_analysis, print_rows, print_rows_or_csv
from panparser.cli.inputs import read_sentences
from panparser.cli.tables import print_table
from panparser.errors import SpecError
from panparser.pipeline.loading import load_parser

if TYPE_CHECKING:
    from panparser.parsing.inspection.explaining import Contributions, Explanation

_LABELS_SHOWN = 3  # labels that are shown for an arc
_CHARACTERS_SHOWN = 32  # of a stack or a buffer


@app.command()
def explain(
    model: ModelOption,
    source: FileArgument,
    sentence: Annotated[int, typer.Option("--sentence", "-s", min=1, help="Which sentence of the file, from 1.")] = 1,
    step: Annotated[int | None, typer.Option(min=1, help="Explain this step; without it, list all steps.")] = None,
    against: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of the step: why not this action, or label?")
    ] = None,
    top: TopOption = 8,
    beam: BeamOption = None,
    format: FormatOption = FileFormat.auto,
    as_csv: CsvOption = False,
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
    analysis = import_analysis()
    treebank = read_sentences(source, format.value)
    if not 1 <= sentence <= len(treebank):
        raise SpecError(f"{source}: --sentence must be from 1 to {len(treebank)}; got {sentence}")
    parser = load_parser(model)
    if as_csv or against is not None:
        table = analysis.explain(parser, treebank[sentence - 1], step, against=against, beam=beam)
        print_rows_or_csv(table if as_csv else table.head(top), as_csv)
        return
    found = analysis.Explanation.of(parser, treebank[sentence - 1], beam=beam)
    if step is None:
        frame = found.frame()
        most = _CHARACTERS_SHOWN
        frame["stack"] = [f"…{text[1 - most :]}" if len(text) > most else text for text in frame["stack"]]
        frame["buffer"] = [f"{text[: most - 1]}…" if len(text) > most else text for text in frame["buffer"]]
        print_rows(frame)
    else:
        _print_step(found, step, top)


def _print_step(found: Explanation, step: int, top: int) -> None:
    actions, labels, costs = found.actions(step), found.labels(step), found.costs(step)
    print(found.state(step).state.draw(forms=found.sentence.forms))
    for column in actions.ranking:
        name = actions.columns[column]
        cost = "" if costs is None else f", cost {costs[name] - min(costs.values())}"
        _print_class(actions, column, f"{name}{cost}", top)
    if labels is not None:
        for column in labels.ranking[:_LABELS_SHOWN]:
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
