"""`panparser transfer`."""

from __future__ import annotations

import json
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.terminal import (
    FileFormat,
    InputFormatOption,
    SeedOption,
    ThreadsOption,
    in_flags,
    is_quiet,
    progress,
    read_sentences,
)
from panparser.errors import SpecError
from panparser.recipes.recipe_run import Target
from panparser.storage.atomic import check_writable, write_whole
from panparser.tagging.lexicon import Lexicon
from panparser.transfer.source_files import find_sources
from panparser.transfer.typology import Typology
from panparser.transfer.typology_options import RelatedLanguageOption, TypologyOption, known_typology


class Method(StrEnum):
    """Methods of transfer."""

    joint = "joint"
    combined_joint = "combined-joint"
    combined = "combined"
    pool = "pool"
    all = "all"
    vote = "vote"
    sample = "sample"
    target_first = "target-first"
    transfer_first = "transfer-first"
    region_wise = "region-wise"


def transfer(
    files: Annotated[
        list[str] | None,
        typer.Argument(metavar="[SOURCES...]", help="Source treebanks; same as --sources.", hidden=True),
    ] = None,
    sample: Annotated[
        str | None, typer.Option("--sample", metavar="SAMPLE", help="Sentences of the target language with trees.")
    ] = None,
    sources: Annotated[
        list[str] | None,
        typer.Option("--sources", "-s", metavar="SOURCES...", help="Treebanks of other languages, or folders of them."),
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", "-l", metavar="LANGUAGE", help="Target language, as in WALS.")
    ] = None,
    like: RelatedLanguageOption = None,
    file: TypologyOption = None,
    tagged_text: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Tagged sentences of the target language without trees."),
    ] = None,
    self_training: Annotated[
        int, typer.Option(min=0, metavar="ROUNDS", help="Rounds of self-training on --tagged-text.")
    ] = 0,
    min_confidence: Annotated[
        float, typer.Option(min=0.01, max=1, help="Minimum confidence of heads used by --self-training.")
    ] = 0.9,
    tagger: Annotated[
        bool, typer.Option("--tagger", help="Train a tagger on the sample as well: a pipeline for untagged sentences.")
    ] = False,
    lexicon: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORDS.tsv", help="Word list with UPOS tags for the tagger; implies --tagger; repeatable."
        ),
    ] = None,
    dev: Annotated[
        str | None,
        typer.Option(
            "--dev", "-d", metavar="DEV", help="Treebank to select by.  [default: cross-validation on SAMPLE]"
        ),
    ] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="MODEL", help="Output model file.")] = None,
    report_file: Annotated[
        str | None, typer.Option("--report", metavar="FILE.json", help="Output report, as JSON.")
    ] = None,
    method: Annotated[
        Method | None,
        typer.Option(metavar="METHOD", help=f"Method: {', '.join(Method)}.  [default: the best]", show_default=False),
    ] = None,
    max_sources: Annotated[int, typer.Option(min=1, help="Number of nearest sources for --method pool.")] = 4,
    max_source_sentences: Annotated[int, typer.Option(min=1, help="Maximum number of sentences per source.")] = 1000,
    seed: SeedOption = 1,
    threads: ThreadsOption = None,
    format: InputFormatOption = FileFormat.auto,
) -> None:
    """Train a parser from treebanks of other languages.

    For a language with few trees, or none. Source treebanks are reordered to the word order of the target language (as
    in WALS or --typology) and delexicalized; sources whose tag sequences (UPOS) resemble the sample or --tagged-text
    get higher weights. The method joint trains on sources and sample together. It is compared with the sample only,
    all sources, the nearest sources, a vote of single-source parsers, and combinations of their trees, by
    cross-validation on the sample; the best method is kept if the difference is significant, otherwise the combination
    of sources and sample (without a sample: of the sources). Labels have no subtypes.

    The report lists what was done and estimates the gain of ten more sentences; the model stores it with the licenses
    of the sources (`panparser info`). Training with the recipe MODEL.toml reproduces the parser; combinations have
    no recipe.

    --tagger and --lexicon make a pipeline of a tagger and a parser; the report then also contains scores with predicted
    tags. --self-training also trains on heads of --tagged-text above --min-confidence, unless scores drop. The methods
    target-first, transfer-first and region-wise make a cascade: each parser predicts the arcs at which it is best on
    the sample, the last one all others.
    """
    named = [*(sources or ()), *(files or ())]
    if output is None or output == "-":
        raise SpecError("expected an output file: -o MODEL")
    if not named:
        raise SpecError("expected treebanks of other languages: --sources FOLDER, or files")
    found = [replace(each, format=format.value) for each in find_sources(named, exclude=(sample, tagged_text, dev))]
    inputs = [*(each.path for each in found), sample, tagged_text, dev, file, *(lexicon or ())]
    target = Target(Path(output))
    target.check(*inputs)
    if report_file is not None:
        check_writable(Path(report_file), SpecError, *inputs, output)
        if Path(report_file).resolve() == Path(output).resolve():
            raise SpecError(f"--report: expected another file than --output; got {output} for both")
    typology = _typology(language, like, file)
    texts = [None if each is None else read_sentences(each, format.value) for each in (sample, tagged_text, dev)]
    words = Lexicon.read(*lexicon) if lexicon else None
    from panparser.transfer.recipe_sections import transfer_recipe
    from panparser.transfer.transferring import train_transfer  # the learners, once the flags are checked

    with (
        in_flags(
            "train_transfer",
            tagged_text="--tagged-text",
            sample="--sample",
            tagger="--tagger",
        ),
        progress() as tell,
    ):
        made = train_transfer(
            found,
            texts[0],
            tagged_text=texts[1],
            dev=texts[2],
            typology=typology,
            language=language,
            method=None if method is None else method.value,
            max_sources=max_sources,
            max_source_sentences=max_source_sentences,
            self_training=self_training,
            min_confidence=min_confidence,
            tagger=tagger,
            lexicon=words,
            seed=seed,
            threads=threads,
            progress=tell,
        )
    made.model.save(output)
    recipe = transfer_recipe(
        made, sample=sample, dev=dev, typology=typology, lexicon=lexicon or (), format=format.value
    )
    if recipe is not None and target.recipe is not None:
        recipe.write(target.recipe)
    if report_file is not None:
        text = json.dumps(made.report.to_values(), indent=2, ensure_ascii=False) + "\n"
        write_whole(Path(report_file), text.encode(), SpecError)
    if not is_quiet():
        print(made.report)
        print(f"\nThe model is {output}, {Path(output).stat().st_size:,} bytes{_recipe_told(recipe, target)}.")


def _recipe_told(recipe: object, target: Target) -> str:
    if target.recipe is None:
        return ""
    return f"; its recipe is {target.recipe}" if recipe is not None else "; it is not made by one recipe"


def _typology(language: str | None, like: str | None, file: str | None) -> Typology | None:
    """What is known of the language; None if it is not named."""
    if (language, like, file) == (None,) * 3:
        return None
    return known_typology(language, like, file)
