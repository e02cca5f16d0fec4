"""`panparser glossed`."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.progress import progress
from panparser.errors import ModelError, SpecError, TextError
from panparser.pipeline.loading import load
from panparser.pipeline.pipeline import Pipeline
from panparser.storage.files import check_writable
from panparser.transfer.glossed.conversion import GlossedTreebank, glossed_treebank
from panparser.transfer.glossed.reading import read_glossed
from panparser.transfer.glossed.table import GlossTable
from panparser.treebank.conllu import conllu_output

_SHOWN = 20  # unknown glosses in the summary


class GlossedFormat(StrEnum):
    """Formats of glossed text."""

    auto = "auto"
    flextext = "flextext"
    toolbox = "toolbox"
    leipzig = "leipzig"


@app.command()
def glossed(
    source: Annotated[str, typer.Argument(metavar="FILE", help="Interlinear glossed text; - is standard input.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUTPUT", help="- is standard output; .gz, .xz and .zst compress.")
    ] = "-",
    trees: Annotated[
        bool, typer.Option("--trees", help="Heads and labels of the translation, through the glosses; implies --tags.")
    ] = False,
    tags: Annotated[
        bool, typer.Option("--tags", help="The model tags words that glosses and parts of speech do not.")
    ] = False,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="MODEL", help="Of the language of the translations.  [default: en]"),
    ] = None,
    table: Annotated[
        str | None, typer.Option(metavar="FILE.toml", help="Glosses that mean something else, or are missing.")
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="Of glosses and translations.  [default: en; without it, FLEx's first]"),
    ] = None,
    format: Annotated[GlossedFormat, typer.Option(help="Recognized by how the file begins.")] = GlossedFormat.auto,
) -> None:
    """Make a treebank of interlinear glossed text: FLEx, Toolbox, or blocks by the Leipzig rules.

    Tags and features come from glosses and parts of speech, by a table that --table extends: a TOML file with sections
    such as `[features]`, `EVIT = "Mood=Adm"`. Gloss, MGloss and MSeg go to MISC, the free translation to a comment.

    With --trees, the translation is parsed, its words are matched with the glosses, and its tree is projected: words
    that nothing matches have no head. `panparser train` learns from such partial trees as they are, and
    `panparser parse --keep heads` completes them.

    A summary goes to standard error, with glosses that the table does not know.

    Examples:

      panparser glossed story.flextext -o story.conllu

      panparser glossed story.flextext --trees --table mine.toml -o story.conllu

      panparser glossed texts.sfm --trees -m es.panparser --language es -o texts.conllu
    """
    if output != "-":
        check_writable(Path(output), TextError, source, table, model)
    if model is not None and not (tags or trees):
        raise SpecError("--model needs --tags or --trees: without them no model is used")
    chosen = None if table is None else GlossTable.read(table)
    sentences = read_glossed(source, format=format.value, language=language, table=chosen)
    nlp = _pipeline(model, sentences[0].language) if tags or trees else None
    with progress() as report:
        found = glossed_treebank(sentences, table=chosen, nlp=nlp, trees=trees, report=report)
    with conllu_output(output) as stream:
        stream.write(found.treebank.to_bytes())
    if not is_quiet():
        _summarize(found)


def _pipeline(model: str | None, language: str) -> Pipeline:
    if model is None and not language.startswith("en"):
        raise SpecError(f"--model: expected one for translations in {language!r}, found none; the default is for en")
    found = load(model or "en")
    if not isinstance(found, Pipeline):
        raise ModelError(f"{model}: expected a pipeline, found {found!r}")
    return found


def _summarize(found: GlossedTreebank) -> None:
    """Prints counts on standard error, where they do not mix with a treebank on standard output."""
    words = found.treebank.words
    rows = [
        ("sentences", f"{len(found.treebank):,}"),
        ("words", f"{words:,}"),
        ("tagged", f"{found.tagged / words:.1%}"),
        ("with a head", f"{found.headed / words:.1%}"),
        ("glosses unknown", f"{found.unknown.total():,}"),
    ]
    width = max(len(value) for _, value in rows)
    for name, value in rows:
        print(f"{name:<15}  {value:>{width}}", file=sys.stderr)
    for gloss, count in found.unknown.most_common(_SHOWN):
        print(f"  {gloss}  {count:,}", file=sys.stderr)
    if (more := len(found.unknown) - _SHOWN) > 0:
        print(f"  ... and {more:,} more", file=sys.stderr)
