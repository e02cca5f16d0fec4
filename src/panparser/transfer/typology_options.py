"""Command-line options for the typology of a language: WALS, a relative, a file, sentences; later ones overrule."""

from __future__ import annotations

from typing import Annotated

import typer

from panparser.cli.terminal import read_sentences
from panparser.errors import SpecError
from panparser.transfer.typology import Typology

_HINT = (
    'write its word order to a file, --typology mine.toml, with lines such as `adposition = "before"`, '
    '`adjective = "after"`, `subject = "before"`, `definite_article = false` (`panparser languages en --toml` prints '
    "all), or name a related language, --related-language LANGUAGE"
)

RelatedLanguageOption = Annotated[
    str | None,
    typer.Option("--related-language", metavar="LANGUAGE", help="Related language, for features that WALS lacks."),
]
TypologyOption = Annotated[
    str | None,
    typer.Option("--typology", metavar="FILE.toml", help="Typology file; overrides WALS."),
]
SampleOption = Annotated[
    str | None,
    typer.Option(metavar="FILE", help="Treebank to measure word order on; overrides WALS and --typology."),
]


def typology_of(
    language: str | None, related_language: str | None, file: str | None, sample: str | None, format: str = "auto"
) -> Typology:
    """What all sources that were given say."""
    known = known_typology(language, related_language, file)
    return known if sample is None else known | Typology.from_treebank(read_sentences(sample, format))


def known_typology(language: str | None, related_language: str | None, file: str | None) -> Typology:
    """What WALS and a file say."""
    try:
        return (
            Typology.combine_sources(language, related_language)
            if file is None
            else Typology.read(file, language=language, related_language=related_language)
        )
    except SpecError as error:
        if file is None:
            raise SpecError(f"{error}; {_HINT}") from None
        if language is not None:
            raise SpecError(f"{error} (the file alone can tell the word order)") from None
        raise
