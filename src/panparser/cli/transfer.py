"""`panparser transfer`."""

from __future__ import annotations

import json
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat, FormatOption
from panparser.cli.flags import in_flags
from panparser.cli.inputs import read_sentences
from panparser.cli.progress import progress
from panparser.cli.typologies import LikeOption, TypologyOption, known_typology
from panparser.errors import SpecError
from panparser.recipes.target import Target
from panparser.sequences.lexicon import Lexicon
from panparser.storage.files import check_writable, write_whole
from panparser.transfer.sources import find_sources
from panparser.transfer.typology import Typology


class Way(StrEnum):
    """Ways to a parser."""

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


@app.command()
def transfer(
    files: Annotated[
        list[str] | None, typer.Argument(metavar="[SOURCES...]", help="More of --sources.", hidden=True)
    ] = None,
    sample: Annotated[
        str | None, typer.Option("--train", "-t", metavar="SAMPLE", help="Sentences of the language with trees.")
    ] = None,
    sources: Annotated[
        list[str] | None,
        typer.Option("--sources", "-s", metavar="SOURCES...", help="Treebanks of other languages, or folders of them."),
    ] = None,
    language: Annotated[
        str | None, typer.Option("--language", "-l", metavar="LANGUAGE", help="Its code or name, to look up in WALS.")
    ] = None,
    like: LikeOption = None,
    file: TypologyOption = None,
    raw: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="Tagged text of the language without trees, to find the nearest sources."),
    ] = None,
    self_training: Annotated[
        int, typer.Option(min=0, metavar="ROUNDS", help="Learn from the --raw text as well, in so many rounds.")
    ] = 0,
    least_confidence: Annotated[
        float, typer.Option(min=0.01, max=1, help="Of heads that --self-training learns from.")
    ] = 0.9,
    tagger: Annotated[
        bool,
        typer.Option("--tagger", help="Learn a tagger from the sample as well: a pipeline for untagged sentences."),
    ] = False,
    lexicon: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORDS.tsv", help="Words and their tags (UPOS), for the tagger; may be repeated; implies --tagger."
        ),
    ] = None,
    dev: Annotated[
        str | None,
        typer.Option("--dev", "-d", metavar="DEV", help="Treebank to compare by.  [default: the sample, in folds]"),
    ] = None,
    output: Annotated[str | None, typer.Option("--output", "-o", metavar="MODEL", help="The model file.")] = None,
    report_file: Annotated[
        str | None, typer.Option("--report", metavar="FILE.json", help="Write what was done, and why, as JSON.")
    ] = None,
    method: Annotated[
        Way | None,
        typer.Option(
            metavar="METHOD",
            help=f"What to learn from: {', '.join(Way)}.  [default: what scores best]",
            show_default=False,
        ),
    ] = None,
    nearest: Annotated[int, typer.Option(min=1, help="Sources that --method pool learns from.")] = 4,
    sentences: Annotated[int, typer.Option(min=1, help="Sentences of each source, at most.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same model.")] = 1,
    threads: Annotated[
        int | None, typer.Option(min=1, max=1024, help="They change no byte of the model.  [default: all cores]")
    ] = None,
    format: FormatOption = FileFormat.auto,
) -> None:
    """Make a parser for a language with few trees, or none, from treebanks of other languages.

    The sources get the word order of the language, as WALS or a file of yours tells it, and lose their words; they
    count the more, the more their tags (UPOS) follow each other as in the sample, or in the --raw text. The parser
    learns from them and from the sample together. That is compared with the sample alone, with all sources alone, with
    the nearest alone, with a vote of parsers of single sources, and with models that combine the trees of such parsers,
    each sentence of the sample parsed by a parser that did not learn from it. What scores best is kept, if that is more
    than chance, or else the combination of sources and sample; without a sample, that of the sources. Labels have no
    subtypes. At the end it tells what was done, and what ten more sentences would bring; the model keeps that, with the
    licenses of the sources (`panparser info`). The recipe in MODEL.toml makes the same parser again, without comparing
    (`panparser train --recipe MODEL.toml`); several parsers, such as those of a combination, have none.

    With --tagger, or a --lexicon, the model is a pipeline of a tagger and a parser. The tagger learns from the sample
    and the words of the lexicon, and the report has scores with its tags beside those with the tags of the sample.

    With --self-training, heads of the --raw text that this parser is sure of are learned from, too, unless that scores
    worse. The methods target-first, transfer-first and region-wise make a cascade: each parser finds the arcs that it
    is the best at, by the sample, and the last one the rest.

    Examples:

      panparser transfer -t sample.conllu --sources ud-treebanks/ --language br -o br.panparser

      panparser transfer -t sample.conllu --sources fr.conllu ga.conllu cy.conllu --typology mine.toml -o br.panparser

      panparser transfer -t sample.conllu --raw tagged.conllu --self-training 1 --sources ud-treebanks/ -o br.panparser

      panparser transfer -t sample.conllu --lexicon words.tsv --sources ud-treebanks/ --language br -o br.panparser

      panparser transfer --raw tagged.conllu --sources ud-treebanks/ --language fo --like is -o fo.panparser
    """
    named = [*(sources or ()), *(files or ())]
    if output is None or output == "-":
        raise SpecError("expected a file for the model: -o MODEL")
    if not named:
        raise SpecError("expected treebanks of other languages: --sources FOLDER, or files; found none")
    found = [replace(each, format=format.value) for each in find_sources(named, but=(sample, raw, dev))]
    inputs = [*(each.path for each in found), sample, raw, dev, file, *(lexicon or ())]
    target = Target(Path(output))
    target.check(*inputs)
    if report_file is not None:
        check_writable(Path(report_file), SpecError, *inputs, output)
        if Path(report_file).resolve() == Path(output).resolve():
            raise SpecError(f"--report: expected another file than that of the model, found {output} for both")
    typology = _typology(language, like, file)
    texts = [None if each is None else read_sentences(each, format.value) for each in (sample, raw, dev)]
    words = Lexicon.read(*lexicon) if lexicon else None
    from panparser.recipes.transferring import transfer_recipe
    from panparser.transfer.transferring import train_transfer  # the learners, once the flags are checked

    with (
        in_flags("train_transfer", raw="--raw", sample="--train", least="--least-confidence", tagger="--tagger"),
        progress() as tell,
    ):
        made = train_transfer(
            found,
            texts[0],
            raw=texts[1],
            dev=texts[2],
            typology=typology,
            language=language,
            method=None if method is None else method.value,
            nearest=nearest,
            sentences=sentences,
            self_training=self_training,
            least=least_confidence,
            tagger=tagger,
            lexicon=words,
            seed=seed,
            threads=threads,
            report=tell,
        )
    made.model.save(output)
    options: dict[str, Any] = {"sample": sample, "dev": dev, "typology": typology, "lexicon": lexicon or ()}
    recipe = transfer_recipe(made, **options, format=format.value)
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
