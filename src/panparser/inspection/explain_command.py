"""`panparser explain`."""

from __future__ import annotations

from typing import Annotated

import typer

from panparser.cli.terminal import (
    BeamOption,
    CsvOption,
    FileFormat,
    InputFormatOption,
    ParsingModelOption,
    print_csv,
    print_table,
    print_values,
    read_sentences,
)
from panparser.errors import SpecError
from panparser.inspection.contributions import Contributions
from panparser.inspection.explaining import Explanation, explained
from panparser.pipeline.bundled_models import DEFAULT
from panparser.pipeline.loading import load, parser_in
from panparser.pipeline.pipeline import Pipeline
from panparser.treebank.treebank import Treebank

MAX_LABELS = 3  # labels that are shown for an arc
MAX_FEATURES = 8  # that contribute most to a score
MAX_CHARACTERS = 32  # of a stack or a buffer


def explain(
    source: Annotated[str | None, typer.Argument(metavar="[FILE]", help="Treebank; - is standard input.")] = None,
    model: ParsingModelOption = DEFAULT,
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="Text to parse instead of a file.")] = None,
    sentence: Annotated[int, typer.Option("--sentence", "-s", min=1, help="Number of the sentence, from 1.")] = 1,
    step: Annotated[
        int | None, typer.Option(min=1, help="Number of the step to explain.  [default: list all steps]")
    ] = None,
    compare_with: Annotated[
        str | None, typer.Option(metavar="NAME", help="Action or label to compare the step with.")
    ] = None,
    limit: Annotated[
        int | None, typer.Option(min=1, help="Maximum number of features per action or label.  [default: 8]")
    ] = None,
    beam: BeamOption = None,
    format: InputFormatOption = FileFormat.auto,
    as_csv: CsvOption = False,
) -> None:
    """Show why a parser took a step.

    Without --step, lists all steps: the state, the action, its lead over the second-best action (in perceptron updates;
    scores of networks are log probabilities), and, if the file has heads, the cost of the action and the correct one.
    With --step, lists the features that contribute most to the score of each legal action and of the best labels;
    contributions sum to the score. The contribution of a network input is the loss of score when it is hidden.
    """
    if limit is not None and (step is None or as_csv):
        raise SpecError("--limit requires --step, and cannot be used with --csv")
    max_features = limit or MAX_FEATURES
    found = load(model)
    parser = parser_in(found, model)
    treebank = _sentences(Pipeline.from_model(found), source, text, format.value)
    if not 1 <= sentence <= len(treebank):
        place = source or "--text"
        raise SpecError(f"{place}: --sentence must be between 1 and {len(treebank)}; got {sentence}")
    if as_csv or compare_with is not None:
        table = explained(parser, treebank[sentence - 1], step, compare_with=compare_with, beam=beam)
        if as_csv:
            print_csv(table.columns, table.rows)
        else:
            print_values(table.columns, table.rows[:max_features])
        return
    explanation = Explanation.from_sentence(parser, treebank[sentence - 1], beam=beam)
    if step is None:
        _print_steps(explanation)
    else:
        _print_step(explanation, step, max_features)


def _sentences(pipeline: Pipeline, source: str | None, text: str | None, format: str) -> Treebank:
    """The sentences of a file as they are, or those of a text, tagged."""
    if (source is None) == (text is None):
        raise SpecError("expected either a file or --text" + ("; got both" if source else ""))
    if source is not None:
        return read_sentences(source, format)
    (treebank,) = pipeline.tokens([text or ""])
    if not len(treebank):
        raise SpecError("--text: expected sentences; got none")
    pipeline.annotate_words(treebank)
    return treebank


def _print_steps(found: Explanation) -> None:
    table, most = found.rows(), MAX_CHARACTERS

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
        for column in labels.ranking[:MAX_LABELS]:
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
