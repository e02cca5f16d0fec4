"""`panparser step`."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import BeamOption, FileFormat, FormatOption
from panparser.cli.inputs import read_sentences
from panparser.cli.progress import PATIENCE, progress
from panparser.errors import SpecError
from panparser.parsing.inspection.derivations import alone
from panparser.parsing.inspection.stepping import Run, Stepping, gold_of
from panparser.pipeline.bundled import DEFAULT
from panparser.pipeline.lessons import LESSONS, lesson
from panparser.pipeline.loading import load, parser_in
from panparser.pipeline.pipeline import Pipeline
from panparser.storage.files import check_writable
from panparser.treebank.sentence import Sentence
from panparser.treebank.treebank import Treebank


@app.command()
def step(
    source: Annotated[
        str | None, typer.Argument(metavar="[FILE]", help="CoNLL-U or CoNLL-X; - is standard input.")
    ] = None,
    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            "-m",
            metavar="MODEL",
            help="What `panparser train` wrote, or en; several stand side by side.  [default: en]",
        ),
    ] = None,
    systems: Annotated[
        list[str] | None,
        typer.Option(
            "--system",
            metavar="SYSTEM",
            help="A system that derives the tree of the file by its oracle, without a model; several stand side by "
            "side.",
        ),
    ] = None,
    text: Annotated[str | None, typer.Option("--text", metavar="TEXT", help="A text, which a pipeline tags.")] = None,
    sentence: Annotated[int, typer.Option("--sentence", "-s", min=1, help="Which sentence, from 1.")] = 1,
    named: Annotated[
        str | None,
        typer.Option("--lesson", metavar="NAME", help=f"Instead of all that, a lesson: {', '.join(LESSONS)}."),
    ] = None,
    output: Annotated[
        str | None, typer.Option("--output", "-o", metavar="FILE", help="The page to write, such as step.html.")
    ] = None,
    beam: BeamOption = None,
    format: FormatOption = FileFormat.auto,
) -> None:
    """Write the derivation of a sentence as one page, to step through in a browser.

    The page shows stack and buffer, the arcs as they grow, each legal action with its score, the features behind the
    chosen one, and the beam with what fell off it; where the file has heads, the exact cost of each action too, and
    when the gold derivation left the beam. It is one file that needs no network and can be sent to others.

    Examples:

      panparser step --text "They ate the pizza with anchovies." -o step.html

      panparser step -m en.panparser gold.conllu --sentence 3 -o step.html

      panparser step -m one.panparser -m two.panparser gold.conllu -o both.html

      panparser step --system arc-standard --system arc-eager gold.conllu -o systems.html

      panparser step --lesson crossing-arcs -o lesson.html
    """
    if output is None:
        raise SpecError("expected a file for the page: -o step.html")
    path = Path(output)
    check_writable(path, SpecError, source, *(models or ()))
    if named is not None:
        if any(given is not None for given in (source, text, beam)) or models or systems:
            raise SpecError("--lesson stands alone: it has its own sentence, models and systems")
        found = lesson(named)
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
) -> Stepping:
    if (source is None) == (text is None):
        raise SpecError("expected a file, --text or --lesson, to step through" + ("; found both" if source else ""))
    if systems and beam is not None and not models:
        raise SpecError("--beam is for models; found only systems, whose oracles need none")
    loaded = [(name, load(name)) for name in models or ([] if systems else [DEFAULT])]
    pipelines = [Pipeline.of(model) for _, model in loaded]
    treebank = read_sentences(source, format) if source is not None else _tokens(pipelines, text or "")
    if not 1 <= number <= len(treebank):
        raise SpecError(f"{source or '--text'}: --sentence must be from 1 to {len(treebank)}; got {number}")
    chosen = treebank[number - 1]
    seen = [_tagged(pipeline, chosen) if text is not None else chosen for pipeline in pipelines]
    runs = []
    with progress(PATIENCE) as report:
        for (name, model), own in zip(loaded, seen, strict=True):
            tell = partial(report, f"Stepping {name}")
            runs.append(Run.of_parser(parser_in(model, name), own, beam=beam, name=Path(name).stem, report=tell))
    return Stepping.of((seen or [chosen])[0], [*runs, *_oracles(systems, chosen, source)])


def _tokens(pipelines: list[Pipeline], text: str) -> Treebank:
    """The sentences of a text; the first pipeline divides it."""
    if not pipelines:
        raise SpecError("--system derives the tree of a file; `panparser parse` makes one of a text; found --text")
    (treebank,) = pipelines[0].tokens([text])
    if not len(treebank):
        raise SpecError("--text: expected sentences, found none")
    return treebank


def _tagged(pipeline: Pipeline, sentence: Sentence) -> Sentence:
    """The sentence as a pipeline tags it."""
    treebank = alone(sentence)
    pipeline.annotate_words(treebank)
    return treebank[0]


def _oracles(systems: list[str], sentence: Sentence, source: str | None) -> list[Run]:
    gold = gold_of(sentence)
    if systems and gold is None:
        place = source or "--text"
        raise SpecError(f"{place}: --system needs a tree to derive: expected a head for each word of the sentence")
    return [Run.of_oracle(name, gold) for name in systems] if gold is not None else []
