"""`panparser rewrite`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat, FormatOption
from panparser.cli.inputs import read_sentences
from panparser.cli.progress import PATIENCE, progress
from panparser.cli.tables import print_table
from panparser.cli.typologies import LikeOption, SampleOption, TypologyOption, typology_of
from panparser.errors import SpecError
from panparser.storage.files import check_writable
from panparser.transfer.dependents import CLASSES
from panparser.transfer.reordering import DISTORTION, MOST_DISTORTION, Reordering, reorder
from panparser.transfer.rewriting import RewriteCount, Rewriting
from panparser.transfer.rewriting import rewrite as rewrite_treebank
from panparser.transfer.tag_model import TagModel, select_sentences
from panparser.transfer.typology import Typology
from panparser.treebank.conllu import write_conllu


class Goal(StrEnum):
    """How far rewriting goes."""

    full = "full"
    cautious = "cautious"


@app.command()
def rewrite(
    treebank: Annotated[str, typer.Argument(metavar="FILE", help="A treebank with UPOS; - is standard input.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUTPUT", help="- is standard output; .gz, .xz and .zst compress.")
    ] = "-",
    to: Annotated[str | None, typer.Option(metavar="LANGUAGE", help="Whose word order it gets: a code or a name.")] = (
        None
    ),
    like: LikeOption = None,
    file: TypologyOption = None,
    sample: SampleOption = None,
    tagged: Annotated[
        str | None,
        typer.Option(
            "--by-tags",
            metavar="FILE",
            help="Instead of all that, tagged text of the language: tags are to follow each other as in it.",
        ),
    ] = None,
    distortion: Annotated[
        int | None,
        typer.Option(
            min=0,
            max=MOST_DISTORTION,
            help=f"With --by-tags: how many words may overtake another; 0: none.  [default: {DISTORTION}]",
        ),
    ] = None,
    select: Annotated[
        float | None,
        typer.Option(help="With --by-tags: keep this share of the sentences, those whose tags are most probable."),
    ] = None,
    source: Annotated[
        str | None,
        typer.Option("--from", metavar="LANGUAGE", help="What it is in, as WALS has it.  [default: it is measured]"),
    ] = None,
    goal: Annotated[
        Goal, typer.Option(help="Nine of ten dependents where the language puts them, or half way there.")
    ] = (Goal.full),
    seed: Annotated[int, typer.Option(min=0, help="Same seed, same bytes.")] = 1,
    format: FormatOption = FileFormat.auto,
) -> None:
    """Give a treebank the word order of another language, so that a parser for that language can learn from it.

    Adpositions, adjectives, subjects, objects and others move to the other side of their heads, with all that is below
    them, and articles that the language lacks are deleted. What the language has comes from WALS, a relative, a file of
    yours, or a few sentences with trees; `panparser typology` shows it. Sentences with crossing arcs stay as they are.

    If nothing but tagged text of the language is known, --by-tags moves words so that their tags (UPOS) follow each
    other as they do there, by a model of three tags; what is below a word stays together.

    With -o FILE, a table tells what was changed.

    Examples:

      panparser rewrite en.conllu --to fr -o en-as-fr.conllu

      panparser rewrite tr.conllu --to kmr --like krd --goal cautious -o tr-as-kmr.conllu

      panparser rewrite en.conllu --typology mine.toml --sample sentences.conllu -o rewritten.conllu

      panparser rewrite en.conllu --by-tags tagged-fr.conllu --select 0.9 -o reordered.conllu
    """
    if tagged is not None:
        if (to, like, file, sample, source) != (None,) * 5 or goal != Goal.full:
            raise SpecError(
                "--by-tags knows nothing of typology: expected it without --to, --like, --typology, "
                "--sample, --from and --goal"
            )
        _reorder(treebank, output, tagged, DISTORTION if distortion is None else distortion, select, format.value)
        return
    if distortion is not None or select is not None:
        raise SpecError("--distortion and --select need --by-tags: a model of tags tells what is probable")
    if (to, like, file, sample) == (None,) * 4:
        raise SpecError(
            "expected the language to rewrite to: --to, --like, --typology, --sample or --by-tags; found none"
        )
    if output != "-":
        check_writable(Path(output), SpecError, treebank, file, sample)
    target = typology_of(to, like, file, sample, format.value)
    known = None if source is None else Typology.of_language(source)
    given = read_sentences(treebank, format.value)
    with progress(PATIENCE) as report:
        rewritten, done = rewrite_treebank(
            given,
            target,
            source=known,
            goal=goal.value,
            seed=seed,
            report=lambda done, total: report("rewriting", done, total),
        )
    write_conllu(output, rewritten)
    if output != "-" and not is_quiet():
        _print(done)
        if not given.column("feats").any():
            print(f"{treebank} has no features (FEATS), without which articles and demonstratives are not recognized")


def _reorder(treebank: str, output: str, tagged: str, distortion: int, select: float | None, format: str) -> None:
    """Moves words, and selects sentences, by a model of tags."""
    if select is not None and not 0 < select <= 1:
        raise SpecError(f"--select: expected a share above 0 and at most 1; found {select:g}")
    if output != "-":
        check_writable(Path(output), SpecError, treebank, tagged)
    model, given = TagModel.of(read_sentences(tagged, format)), read_sentences(treebank, format)
    with progress(PATIENCE) as report:
        chosen = given if select is None else select_sentences(given, model, share=select)
        found, done = reorder(
            chosen, model, distortion=distortion, report=lambda done, total: report("reordering", done, total)
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


def _left(done: Rewriting | Reordering) -> str:
    left = [(done.nonprojective, "with crossing arcs"), (done.incomplete, "with words without heads")]
    return "".join(f"; {count:,} {what} left as they are" for count, what in left if count)


def _print(done: Rewriting) -> None:
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
