"""`panparser restrict`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import ModelOption
from panparser.errors import ModelError, SpecError
from panparser.features.templates import Templates
from panparser.pipeline.bundled import find
from panparser.pipeline.loading import load_parser
from panparser.recipes.parser import ParserPart
from panparser.storage.files import check_writable


@app.command()
def restrict(
    model: ModelOption,
    output: Annotated[str, typer.Option("--output", "-o", metavar="OUTPUT", help="The parser, restricted.")],
    delexicalized: Annotated[
        bool, typer.Option("--delexicalized", help="To templates that read UPOS alone of the annotation.")
    ] = False,
    delexicalized_feats: Annotated[
        bool, typer.Option("--delexicalized-feats", help="The same, and universal features as well.")
    ] = False,
    templates: Annotated[
        str | None,
        typer.Option(metavar="rich|lean|zn11|...|FILE", help="To these templates, as far as the parser has them."),
    ] = None,
) -> None:
    """Drop the weights of a parser for all templates but some, such as those that read no words.

    The other templates stay in its list without weights, so that training can go on with them (train --init): what
    a parser knows of tags, in another language or in the same, is then where a parser with words begins.

    Examples:

      panparser restrict -m en.panparser --delexicalized -o en-tags.panparser

      panparser train -t fr.conllu -d fr-dev.conllu --init en-tags.panparser -o fr.panparser
    """
    if sum((delexicalized, delexicalized_feats, templates is not None)) != 1:
        raise SpecError("expected one of --delexicalized, --delexicalized-feats and --templates")
    check_writable(Path(output), ModelError, find(model), templates)
    parser = load_parser(model)
    used = parser.spec.used_templates
    if templates is None:
        kept = used.delexicalized(feats=delexicalized_feats)
    else:
        wanted = ParserPart(templates=templates).spec().templates
        kept = used - (used - wanted)
    if not kept:
        raise SpecError(f"{model}: expected a parser with such templates, found none among its {len(used)}")
    restricted = parser.restricted_to(Templates(tuple(kept)))
    restricted.save(output)
    if not is_quiet():
        sizes = f"{restricted.weight_bytes:,} bytes of weights of {parser.weight_bytes:,}"
        print(f"{output}: {len(kept)} of {len(used)} templates, {sizes}")
