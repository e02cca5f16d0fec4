"""`panparser rewrite`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.terminal import (
    PROGRESS_DELAY_SECONDS,
    FileFormat,
    InputFormatOption,
    OutputOption,
    SeedOption,
    is_quiet,
    print_table,
    progress,
    read_sentences,
)
from panparser.errors import SpecError
from panparser.storage.atomic import check_writable
from panparser.transfer.dependents import CLASSES
from panparser.transfer.reordering import DEFAULT_DISTORTION, MAX_DISTORTION, ReorderingReport, reorder_words
from panparser.transfer.rewriting import RewriteCount, RewritingReport
from panparser.transfer.rewriting import rewrite_word_order as rewrite_treebank
from panparser.transfer.similarity import TagLanguageModel, select_similar_sentences
from panparser.transfer.typology import Typology
from panparser.transfer.typology_options import RelatedLanguageOption, SampleOption, TypologyOption, typology_of
from panparser.treebank.conllu import write_conllu


class Goal(StrEnum):
    """How far rewriting goes."""

    full = "full"
    cautious = "cautious"


def rewrite(
    treebank: Annotated[str, typer.Argument(metavar="FILE", help="Treebank with UPOS; - is standard input.")],
    output: OutputOption = "-",
    to: Annotated[
        str | None, typer.Option("--target-language", metavar="LANGUAGE", help="Language whose word order to use.")
    ] = None,
    like: RelatedLanguageOption = None,
    file: TypologyOption = None,
    sample: SampleOption = None,
    tagged: Annotated[
        str | None,
        typer.Option(
            "--tag-model", metavar="FILE", help="Tagged text whose tag sequences to follow, instead of a typology."
        ),
    ] = None,
    distortion: Annotated[
        int | None,
        typer.Option(
            "--max-distortion",
            min=0,
            max=MAX_DISTORTION,
            help="Maximum number of words that may overtake another (with --tag-model).  "
            f"[default: {DEFAULT_DISTORTION}]",
        ),
    ] = None,
    select: Annotated[
        float | None,
        typer.Option("--keep-share", help="Share of sentences to keep, the most probable ones (with --tag-model)."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option(
            "--source-language", metavar="LANGUAGE", help="Language of FILE, as in WALS.  [default: measured]"
        ),
    ] = None,
    goal: Annotated[
        Goal, typer.Option("--strength", help="Move dependents fully (nine of ten), or cautiously (half way).")
    ] = Goal.full,
    seed: SeedOption = 1,
    format: InputFormatOption = FileFormat.auto,
) -> None:
    """Reorder a treebank as another language would.

    Adpositions, adjectives, subjects, objects and others move to the other side of their heads with their subtrees, and
    articles that the language lacks are deleted, so that a parser for that language can be trained on the result. The
    word order comes from WALS, a related language, a typology file, or a few sentences with trees; `panparser
    languages` shows it. Sentences with crossing arcs are not changed.

    With only tagged text of the language, --tag-model moves subtrees so that tags (UPOS) follow each other as there,
    by a trigram model.

    With --output FILE, a table of all changes is printed.
    """
    if tagged is not None:
        if (to, like, file, sample, source) != (None,) * 5 or goal != Goal.full:
            raise SpecError(
                "--tag-model cannot be used with --target-language, --related-language, --typology, --sample, "
                "--source-language or --strength"
            )
        _reorder(
            treebank, output, tagged, DEFAULT_DISTORTION if distortion is None else distortion, select, format.value
        )
        return
    if distortion is not None or select is not None:
        raise SpecError("--max-distortion and --keep-share require --tag-model")
    if (to, like, file, sample) == (None,) * 4:
        raise SpecError("expected --target-language, --related-language, --typology, --sample or --tag-model")
    if output != "-":
        check_writable(Path(output), SpecError, treebank, file, sample)
    target = typology_of(to, like, file, sample, format.value)
    known = None if source is None else Typology.from_language(source)
    given = read_sentences(treebank, format.value)
    with progress(PROGRESS_DELAY_SECONDS) as report:
        rewritten, done = rewrite_treebank(
            given,
            target,
            source=known,
            strength=goal.value,
            seed=seed,
            progress=lambda done, total: report("rewriting", done, total),
        )
    write_conllu(output, rewritten)
    if output != "-" and not is_quiet():
        _print(done)
        if not given.column("feats").any():
            print(f"{treebank}: no features (FEATS): articles and demonstratives are not recognized")


def _reorder(treebank: str, output: str, tagged: str, distortion: int, select: float | None, format: str) -> None:
    """Moves words, and selects sentences, by a model of tags."""
    if select is not None and not 0 < select <= 1:
        raise SpecError(f"--keep-share must be in (0, 1]; got {select:g}")
    if output != "-":
        check_writable(Path(output), SpecError, treebank, tagged)
    model, given = TagLanguageModel.from_treebank(read_sentences(tagged, format)), read_sentences(treebank, format)
    with progress(PROGRESS_DELAY_SECONDS) as report:
        chosen = given if select is None else select_similar_sentences(given, model, share=select)
        found, done = reorder_words(
            chosen, model, max_distortion=distortion, progress=lambda done, total: report("reordering", done, total)
        )
    write_conllu(output, found)
    if output == "-" or is_quiet():
        return
    if select is not None:
        print(
            f"{len(chosen):,} of {len(given):,} sentences selected, of perplexity {model.perplexity(chosen):.2f} "
            f"where all have {model.perplexity(given):.2f}"
        )
    print(
        f"perplexity of tags {done.before:.2f} before, {done.after:.2f} now; {done.moved:,} words moved; "
        f"{done.changed:,} of {done.sentences:,} sentences changed{_left(done)}"
    )


def _left(done: RewritingReport | ReorderingReport) -> str:
    left = [(done.nonprojective, "with crossing arcs"), (done.missing_heads, "with words without heads")]
    return "".join(f"; {count:,} {what} left as they are" for count, what in left if count)


def _print(done: RewritingReport) -> None:
    """What was changed, in words."""
    rows = [_row(title, count) for title, count in zip((each.title for each in CLASSES), done.counts, strict=True)]
    header = ("dependents", "found", "moved", "deleted", "before head", "goal", "now", "target")
    print_table(header, rows, "lrrrrrrl")
    print(f"\n{done.changed:,} of {done.sentences:,} sentences changed{_left(done)}")


def _row(title: str, count: RewriteCount) -> tuple[str, ...]:
    shares = ("" if share is None else f"{100 * share:.0f} %" for share in (count.before, count.goal, count.after))
    numbers = (f"{number:,}" if number else "" for number in (count.moved, count.deleted))
    target = "" if count.trait is None else f"{count.trait.in_words}: {count.trait.source}"
    return title, f"{count.found:,}", *numbers, *shares, target
