"""`panparser glossed`."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.terminal import OutputOption, is_quiet, progress
from panparser.errors import ModelError, SpecError, TextError
from panparser.pipeline.loading import load
from panparser.pipeline.pipeline import Pipeline
from panparser.storage.atomic import check_writable
from panparser.transfer.glossed.gloss_conversion import GlossedTreebank, convert_glosses, read_igt
from panparser.transfer.glossed.gloss_table import GlossTable
from panparser.treebank.conllu import conllu_output

_SHOWN = 20  # unknown glosses in the summary


class GlossedFormat(StrEnum):
    """Formats of glossed text."""

    auto = "auto"
    flextext = "flextext"
    toolbox = "toolbox"
    leipzig = "leipzig"


def glossed(
    source: Annotated[str, typer.Argument(metavar="FILE", help="Interlinear glossed text; - is standard input.")],
    output: OutputOption = "-",
    trees: Annotated[
        bool,
        typer.Option("--project-trees", help="Project trees of the translation; implies --predict-tags."),
    ] = False,
    tags: Annotated[
        bool, typer.Option("--predict-tags", help="Tag words without a tag from glosses or parts of speech.")
    ] = False,
    model: Annotated[
        str | None,
        typer.Option("--model", "-m", metavar="MODEL", help="Pipeline for the translations.  [default: en]"),
    ] = None,
    table: Annotated[
        str | None, typer.Option("--gloss-table", metavar="FILE.toml", help="Additional or changed glosses.")
    ] = None,
    language: Annotated[
        str | None,
        typer.Option(
            "--gloss-language",
            metavar="CODE",
            help="Language of glosses and translations.  [default: the first in FLEx, or en]",
        ),
    ] = None,
    format: Annotated[
        GlossedFormat, typer.Option("--input-format", help="Format of FILE; auto: by its first lines.")
    ] = GlossedFormat.auto,
) -> None:
    """Make a treebank from interlinear glossed text.

    Reads FLEx, Toolbox, and blocks by the Leipzig glossing rules. Tags and features come from glosses and parts of
    speech by a table, which --gloss-table extends: a TOML file with sections such as `[features]`, `EVIT = "Mood=Adm"`.
    Gloss, MGloss and MSeg are written to MISC, the free translation to a comment.

    With --project-trees, the translation is parsed, its words are matched with the glosses, and its tree is projected;
    unmatched words have no head. `panparser train` trains on such partial trees, and `panparser parse --keep heads`
    completes them.

    Standard error gets a summary with all unknown glosses.
    """
    if output != "-":
        check_writable(Path(output), TextError, source, table, model)
    if model is not None and not (tags or trees):
        raise SpecError("--model requires --predict-tags or --project-trees")
    chosen = None if table is None else GlossTable.read(table)
    sentences = read_igt(source, format=format.value, language=language, table=chosen)
    nlp = _pipeline(model, sentences[0].language) if tags or trees else None
    with progress() as report:
        found = convert_glosses(sentences, table=chosen, nlp=nlp, trees=trees, progress=report)
    with conllu_output(output) as stream:
        stream.write(found.treebank.to_bytes())
    if not is_quiet():
        _summarize(found)


def _pipeline(model: str | None, language: str) -> Pipeline:
    if model is None and not language.startswith("en"):
        raise SpecError(f"--model: expected a pipeline for translations in {language!r}; the default is for en")
    found = load(model or "en")
    if not isinstance(found, Pipeline):
        raise ModelError(f"{model}: expected a pipeline; got {found!r}")
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
