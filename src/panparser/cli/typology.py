"""`panparser typology`."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat, FormatOption, JsonOption
from panparser.cli.tables import print_table
from panparser.cli.typologies import LikeOption, SampleOption, TypologyOption, typology_of
from panparser.errors import SpecError
from panparser.transfer.dependents import CLASSES


@app.command()
def typology(
    language: Annotated[
        str | None,
        typer.Argument(
            metavar="[LANGUAGE]", help="A code (Universal Dependencies, WALS, ISO 639-3, Glottolog) or a name."
        ),
    ] = None,
    like: LikeOption = None,
    file: TypologyOption = None,
    sample: SampleOption = None,
    format: FormatOption = FileFormat.auto,
    as_toml: Annotated[bool, typer.Option("--toml", help="Print a file for --typology, to be corrected.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Show where a language puts its dependents and whether it has articles, and how that is known.

    WALS, the World Atlas of Language Structures, comes with panparser: 1,628 languages with at least one of the twelve
    features. Where it says nothing of a language, its relative is asked (--like), then its genus, if three of four
    languages agree. Shares are those of dependents before their heads.

    Examples:

      panparser typology fr

      panparser typology kmr --like krd --typology mine.toml

      panparser typology --sample sentences.conllu --toml > mine.toml
    """
    if (language, like, file, sample) == (None,) * 4:
        raise SpecError("expected a language, --like, --typology or --sample, found none")
    if as_toml and as_json:
        raise SpecError("expected --toml or --json, found both")
    found = typology_of(language, like, file, sample, format.value)
    if as_toml:
        print(found.to_toml(), end="")
    elif as_json:
        print(json.dumps({trait.name: {"value": trait.value, "source": trait.source} for trait in found}, indent=2))
    else:
        known = {trait.name: trait for trait in found}
        rows = [(trait.in_words, trait.source) if (trait := known.get(each.name)) else ("", "") for each in CLASSES]
        titled = [(each.title, *row) for each, row in zip(CLASSES, rows, strict=True)]
        print_table(("dependents", "stand", "known from"), titled, "lll")
        if not known and not is_quiet():
            why = "; a sample must have trees, and enough dependents of a kind" if sample else ""
            print(f"panparser: nothing is known of it{why}", file=sys.stderr)
