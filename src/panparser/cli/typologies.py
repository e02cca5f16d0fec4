"""The typology of a language as options give it: WALS, a relative, a file, sentences; later ones overrule earlier."""

from __future__ import annotations

from typing import Annotated

import typer

from panparser.cli.inputs import read_sentences
from panparser.transfer.typology import Typology

LikeOption = Annotated[
    str | None, typer.Option(metavar="LANGUAGE", help="A relative, for what WALS does not say of the language.")
]
TypologyOption = Annotated[
    str | None,
    typer.Option("--typology", metavar="FILE.toml", help="What you know of the language; it overrules WALS."),
]
SampleOption = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Sentences of the language with trees, to measure; they overrule the rest."),
]


def typology_of(
    language: str | None, like: str | None, file: str | None, sample: str | None, format: str = "auto"
) -> Typology:
    """What all sources that were given say."""
    known = Typology.known(language, like) if file is None else Typology.read(file, language=language, like=like)
    return known if sample is None else known | Typology.of(read_sentences(sample, format))
