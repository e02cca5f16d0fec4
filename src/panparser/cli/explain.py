"""`panparser explain`."""

from __future__ import annotations

from typing import Annotated

import typer

from panparser.cli.app import app
from panparser.cli.choices import BeamOption, CsvOption, FileFormat, FormatOption
from panparser.cli.inputs import read_sentences
from panparser.cli.tables import print_csv, print_table, print_values
from panparser.errors import SpecError
from panparser.parsing.inspection.contributions import Contributions
from panparser.parsing.inspection.explaining import Explanation, explained
from panparser.pipeline.bundled import DEFAULT
from panparser.pipeline.loading import load, parser_in
from panparser.pipeline.pipeline import Pipeline
from panparser.treebank.treebank import Treebank

_LABELS_SHOWN = 3  # labels that are shown for an arc
_FEATURES_SHOWN = 8  # that contribute most to a score
_CHARACTERS_SHOWN = 32  # of a stack or a buffer


@app.command()
def explain(
    source: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="CoNLL-U or CoNLL-X; - is standard input.")
    ] = None,
    model: Annotated[
        str, typer.Option("--model", "-m", metavar="MODEL", help="What `panparser train` wrote, or en.")
    ] = DEFAULT,
    text: Annotated[
        str | None, typer.Option("--text", metavar="TEXT", help="Explain this text, which a pipeline tags.")
    ] = None,
    sentence: Annotated[int, typer.Option("--sentence", "-s", min=1, help="Which sentence, from 1.")] = 1,
    step: Annotated[int | None, typer.Option(min=1, help="Explain this step; without it, list all steps.")] = None,
    against: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of the step: why not this action, or label?")
    ] = None,
    top: Annotated[
        int | None, typer.Option(min=1, help="Of the step: how many features to show.  [default: 8]")
    ] = None,
    beam: BeamOption = None,
    format: FormatOption = FileFormat.auto,
    as_csv: CsvOption = False,
) -> None:
    """Show how a model parses a sentence, and why it takes a step.

    Of each step: the state before it, the action, by how much it leads over the next best action (in updates of the
    perceptron; a network's scores are logarithms of probabilities), and, where the file has heads, what it costs and
    what would have been right. Of one step: for each legal action, and for the best labels, the features that
    contribute most to its score; all of them sum to it. What an input of a network contributes is what the score loses
    if it is hidden.

    Examples:

      panparser explain --text "They ate the pizza with anchovies."

      panparser explain --text "They ate the pizza with anchovies." --step 9 --against RIGHT

      panparser explain -m en.panparser gold.conllu --sentence 3

      panparser explain -m en.panparser gold.conllu --sentence 3 --step 7 --top 12

      panparser explain -m en.panparser gold.conllu --sentence 3 --step 7 --against LEFT
    """
    if top is not None and (step is None or as_csv):
        place = "--csv has all features" if as_csv else "features are of one step, --step"
        raise SpecError(f"{place}: expected no --top, found {top}")
    most = top or _FEATURES_SHOWN
    found = load(model)
    parser = parser_in(found, model)
    treebank = _sentences(Pipeline.of(found), source, text, format.value)
    if not 1 <= sentence <= len(treebank):
        place = source or "--text"
        raise SpecError(f"{place}: --sentence must be from 1 to {len(treebank)}; got {sentence}")
    if as_csv or against is not None:
        table = explained(parser, treebank[sentence - 1], step, against=against, beam=beam)
        if as_csv:
            print_csv(table.columns, table.rows)
        else:
            print_values(table.columns, table.rows[:most])
        return
    explanation = Explanation.of(parser, treebank[sentence - 1], beam=beam)
    if step is None:
        _print_steps(explanation)
    else:
        _print_step(explanation, step, most)


def _sentences(pipeline: Pipeline, source: str | None, text: str | None, format: str) -> Treebank:
    """The sentences of a file as they are, or those of a text, tagged."""
    if (source is None) == (text is None):
        raise SpecError("expected a file, or --text, to explain" + ("; found both" if source else ""))
    if source is not None:
        return read_sentences(source, format)
    (treebank,) = pipeline.tokens([text or ""])
    if not len(treebank):
        raise SpecError("--text: expected sentences, found none")
    pipeline.annotate_words(treebank)
    return treebank


def _print_steps(found: Explanation) -> None:
    table, most = found.rows(), _CHARACTERS_SHOWN

    def ahead(text: str) -> str:
        return f"{text[: most - 1]}…" if len(text) > most else text

    shown = {
        "stack": lambda text: f"…{text[1 - most :]}" if len(text) > most else text,
        "list": ahead,
        "buffer": ahead,
    }
    rows = [
        [shown.get(name, lambda value: value)(value) for name, value in zip(table.columns, row, strict=True)]
        for row in table.rows
    ]
    print_values(table.columns, rows)


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
    rest = sum(found.weights[row, column].item() for row in rows[top:])
    lines = [(f"{found.weights[row, column] / found.unit:+.2f}", found.features[row]) for row in shown]
    if rows[top:]:
        lines.append((f"{rest / found.unit:+.2f}", f"({len(rows) - top} more)"))
    mark = "  <- chosen" if column == found.chosen else ""
    print()
    print_table((f"{found.scores[column] / found.unit:.2f}", f"{title}{mark}"), lines, "rl")
