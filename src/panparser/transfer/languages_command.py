"""`panparser languages`."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from panparser.cli.terminal import (
    FileFormat,
    InputFormatOption,
    JsonOption,
    is_quiet,
    print_notice,
    print_table,
    progress,
    read_sentences,
)
from panparser.errors import SpecError
from panparser.transfer.typology_options import RelatedLanguageOption, SampleOption, TypologyOption, typology_of

if TYPE_CHECKING:
    from panparser.transfer.similarity import SourceSimilarity, TagTrigramCounts


def languages(
    language: Annotated[
        str | None,
        typer.Argument(
            metavar="[LANGUAGE]", help="Name or code (UD, WALS, ISO 639-3, Glottolog), or tagged sentences to rank by."
        ),
    ] = None,
    sources: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SOURCE]...", help="Treebanks of other languages to rank, or folders of them."),
    ] = None,
    like: RelatedLanguageOption = None,
    file: TypologyOption = None,
    sample: SampleOption = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Maximum number of sources listed.  [default: all]")] = None,
    exponent: Annotated[
        float, typer.Option(min=0, max=100, help="Exponent of source weights: weight = KL ** -exponent.")
    ] = 1.0,
    format: InputFormatOption = FileFormat.auto,
    as_toml: Annotated[bool, typer.Option("--toml", help="Print the word order as a file for --typology.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Rank languages by similarity; show their word order.

    With sources, ranks them by their similarity to the tagged sentences of LANGUAGE, most similar first: by KL, the
    divergence KLcpos3 of tag trigrams (Rosa and Žabokrtský 2015) in nats. About twenty tagged sentences are enough;
    trees are not needed. The weights are for `panparser combine --weights`, with a parser of each source.

    Without sources, shows on which side of their heads a language puts its dependents, whether it has articles, and how
    each is known: from WALS (the World Atlas of Language Structures, 1,628 languages), from --related-language, from
    the genus if three of four of its languages agree, from --typology, or measured on a --sample with trees. Shares are
    those of dependents before their heads.
    """
    if sources:
        if (like, file, sample) != (None,) * 3 or as_toml:
            raise SpecError("--related-language, --typology, --sample and --toml cannot be used with sources")
        _rank(str(language), sources, limit, exponent, format.value, as_json)
        return
    if language is not None and (language == "-" or os.path.isfile(language)):
        raise SpecError(f"{language}: expected sources to rank, or --sample {language} to measure its word order")
    if limit is not None:
        raise SpecError("--limit requires sources to rank")
    _show_word_order(language, like, file, sample, format.value, as_toml=as_toml, as_json=as_json)


# --- Similarity ---


def _rank(target: str, folders: list[str], limit: int | None, exponent: float, format: str, as_json: bool) -> None:
    from panparser.transfer.similarity import TagTrigramCounts, rank_sources
    from panparser.transfer.source_files import find_sources

    files = [source.path for source in find_sources(folders)]
    with progress() as report:
        trigrams = []
        for done, path in enumerate((target, *files)):
            report(path, done, len(files) + 1)
            trigrams.append(TagTrigramCounts.from_treebank(read_sentences(path, format)))
    ranking = rank_sources(trigrams[0], trigrams[1:], exponent=exponent)[:limit]
    if not is_quiet():
        _warn(trigrams, ranking)
    if as_json:
        print(json.dumps([asdict(source) for source in ranking], indent=2))
    elif not is_quiet():
        digits = ".3f" if all(0.001 <= source.weight < 10_000 for source in ranking) else ".3e"  # the same in all rows
        rows = [
            (str(rank), source.path, f"{source.divergence:.3f}", f"{source.weight:{digits}}", f"{source.sentences:,}")
            for rank, source in enumerate(ranking, start=1)
        ]
        print_table(("rank", "source", "KL", "weight", "sentences"), rows, "rlrrr")


def _warn(trigrams: list[TagTrigramCounts], ranking: list[SourceSimilarity]) -> None:
    from panparser.transfer.similarity import MIN_RELIABLE_WORDS

    for treebank in trigrams:
        if treebank.untagged:
            words = treebank.untagged + int(treebank.counts.sum())
            counts = f"{treebank.untagged:,} of {words:,} words"
            print_notice(f"warning: {treebank.path}: {counts} have no tag (UPOS), and are left out")
    for source in ranking:
        if source.has_too_few_words:
            print_notice(f"warning: {source.path}: fewer than {MIN_RELIABLE_WORDS:,} words; ranked as least similar")


# --- Word order ---


def _show_word_order(
    language: str | None,
    like: str | None,
    file: str | None,
    sample: str | None,
    format: str,
    *,
    as_toml: bool,
    as_json: bool,
) -> None:
    from panparser.transfer.dependents import CLASSES

    if (language, like, file, sample) == (None,) * 4:
        raise SpecError("expected a language, --related-language, --typology or --sample")
    if as_toml and as_json:
        raise SpecError("--toml cannot be used with --json")
    typology = typology_of(language, like, file, sample, format)
    if as_toml:
        print(typology.to_toml(), end="")
    elif as_json:
        print(json.dumps({trait.name: {"value": trait.value, "source": trait.source} for trait in typology}, indent=2))
    else:
        traits = {trait.name: trait for trait in typology}
        rows = []
        for dependents in CLASSES:
            trait = traits.get(dependents.name)
            rows.append((dependents.title, *((trait.in_words, trait.source) if trait else ("", ""))))
        print_table(("dependents", "stand", "known from"), rows, "lll")
        if not traits and not is_quiet():
            hint = "; a sample must have trees, with enough dependents of each class" if sample else ""
            print_notice(f"no word order is known{hint}")
