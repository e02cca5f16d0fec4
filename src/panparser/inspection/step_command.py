"""`panparser step`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.terminal import (
    PROGRESS_DELAY_SECONDS,
    BeamOption,
    FileFormat,
    InputFormatOption,
    is_quiet,
    progress,
    read_sentences,
)
from panparser.errors import SpecError
from panparser.inspection.derivations import alone
from panparser.inspection.lessons import LESSONS, show_lesson
from panparser.inspection.stepping import DerivationView, TracedDerivation, gold_of
from panparser.pipeline.bundled_models import DEFAULT
from panparser.pipeline.loading import load, parser_in
from panparser.pipeline.pipeline import Pipeline
from panparser.storage.atomic import check_writable
from panparser.treebank.sentences import Sentence
from panparser.treebank.treebank import Treebank


def step(
    source: Annotated[str | None, typer.Argument(metavar="[FILE]", help="Treebank; - is standard input.")] = None,
    models: Annotated[
        list[str] | None,
        typer.Option("--model", "-m", metavar="MODEL", help="Model; several are shown side by side.  [default: en]"),
    ] = None,
    systems: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            metavar="SYSTEM",
            help="Transition system that derives the gold tree, without a model; repeatable.",
        ),
    ] = None,
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="Text to parse instead of a file.")] = None,
    sentence: Annotated[int, typer.Option("--sentence", "-s", min=1, help="Number of the sentence, from 1.")] = 1,
    named: Annotated[
        str | None,
        typer.Option("--lesson", metavar="NAME", help=f"Prepared lesson: {', '.join(LESSONS)}."),
    ] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="FILE.html", help="Output HTML page.")] = None,
    beam: BeamOption = None,
    format: InputFormatOption = FileFormat.auto,
) -> None:
    """Write a page that steps through a derivation.

    The page shows the stack, the buffer, the arcs so far, each legal action with its score, the features of the chosen
    action, and the beam with its pruned hypotheses; if the file has heads, also the exact cost of each action, and when
    the gold derivation left the beam. It is a single file that works offline.
    """
    if output is None:
        raise SpecError("expected an output file: -o step.html")
    path = Path(output)
    check_writable(path, SpecError, source, *(models or ()))
    if named is not None:
        if any(given is not None for given in (source, text, beam)) or models or systems:
            raise SpecError("--lesson cannot be used with a file, --text, --model, --system or --beam")
        found = show_lesson(named)
    else:
        found = _found(source, text, sentence, models or [], systems or [], beam, format.value)
    found.save(path)
    if not is_quiet():
        steps = " and ".join(f"{len(run.steps) - 1} steps of {run.name}" for run in found.runs)
        print(f"{output}: {steps}")


def _found(
    source: str | None,
    text: str | None,
    number: int,
    models: list[str],
    systems: list[str],
    beam: int | None,
    format: str,
) -> DerivationView:
    if (source is None) == (text is None):
        raise SpecError("expected a file, --text or --lesson" + ("; got a file and --text" if source else ""))
    if systems and beam is not None and not models:
        raise SpecError("--beam requires a model: --system follows an oracle")
    loaded = [(name, load(name)) for name in models or ([] if systems else [DEFAULT])]
    pipelines = [Pipeline.from_model(model) for _, model in loaded]
    treebank = read_sentences(source, format) if source is not None else _tokens(pipelines, text or "")
    if not 1 <= number <= len(treebank):
        raise SpecError(f"{source or '--text'}: --sentence must be between 1 and {len(treebank)}; got {number}")
    chosen = treebank[number - 1]
    seen = [_tagged(pipeline, chosen) if text is not None else chosen for pipeline in pipelines]
    runs = []
    with progress(PROGRESS_DELAY_SECONDS) as report:
        for (name, model), own in zip(loaded, seen, strict=True):
            tell = partial(report, f"Stepping {name}")
            runs.append(
                TracedDerivation.from_parser(
                    parser_in(model, name), own, beam=beam, name=Path(name).stem, progress=tell
                )
            )
    return DerivationView.from_runs((seen or [chosen])[0], [*runs, *_oracles(systems, chosen, source)])


def _tokens(pipelines: list[Pipeline], text: str) -> Treebank:
    """The sentences of a text; the first pipeline divides it."""
    if not pipelines:
        raise SpecError("--system requires a file with heads; got --text")
    (treebank,) = pipelines[0].tokens([text])
    if not len(treebank):
        raise SpecError("--text: expected sentences; got none")
    return treebank


def _tagged(pipeline: Pipeline, sentence: Sentence) -> Sentence:
    """The sentence as a pipeline tags it."""
    treebank = alone(sentence)
    pipeline.annotate_words(treebank)
    return treebank[0]


def _oracles(systems: list[str], sentence: Sentence, source: str | None) -> list[TracedDerivation]:
    gold = gold_of(sentence)
    if systems and gold is None:
        place = source or "--text"
        raise SpecError(f"{place}: --system requires a head for each word of the sentence")
    return [TracedDerivation.from_oracle(name, gold) for name in systems] if gold is not None else []
