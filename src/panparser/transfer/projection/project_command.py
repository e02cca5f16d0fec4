"""`panparser align` and `panparser project`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.terminal import (
    PROGRESS_DELAY_SECONDS,
    FileFormat,
    InputFormatOption,
    OutputOption,
    is_quiet,
    progress,
    read_sentences,
)
from panparser.errors import SpecError
from panparser.storage.atomic import check_writable
from panparser.transfer.projection.alignment import AlignerConfig
from panparser.transfer.projection.alignment import align_words as align_treebanks
from panparser.transfer.projection.links import WordAlignments, read_alignments, write_alignments
from panparser.transfer.projection.projecting import project_trees as project_treebanks
from panparser.treebank.conllu import write_conllu
from panparser.treebank.treebank import Treebank


def align(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Treebank; - is standard input.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Translation, sentence by sentence.")],
    output: OutputOption = "-",
    threshold: Annotated[
        float, typer.Option("--min-probability", help="Minimum probability of a link, in (0, 1].")
    ] = AlignerConfig.min_probability,
    no_tags: Annotated[bool, typer.Option("--no-tags", help="Ignore tags (UPOS).")] = False,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Write the probability of each link: 0-0:0.83.")
    ] = False,
    format: InputFormatOption = FileFormat.auto,
) -> None:
    """Align the words of translations.

    The output has one line per sentence pair with links such as `0-0 1-2`: word 0 of the source is translated by word 0
    of the target. Words count from 0, without multiword tokens and empty nodes. Each word has at most one link.

    The aligner is trained on these sentences only: on lemmas (or the first five letters of forms), tags if both files
    have them, common beginnings of words, order, and the trees of the source, if any. `panparser project` also reads
    files of other aligners.
    """
    if not 0 < threshold <= 1:
        raise SpecError(f"--min-probability must be in (0, 1]; got {threshold:g}")
    if output != "-":
        check_writable(Path(output), SpecError, source, target)
    treebanks = [read_sentences(path, format.value) for path in (source, target)]
    aligner = AlignerConfig(min_probability=threshold, tags=not no_tags)
    with progress(PROGRESS_DELAY_SECONDS) as report:
        links = align_treebanks(
            treebanks[0], treebanks[1], aligner=aligner, progress=lambda done, total: report("aligning", done, total)
        )
    write_alignments(output, links, probabilities=probabilities)
    if output != "-" and not is_quiet():
        shares = ", ".join(f"{100 * links.count / each.words:.1f} % of {each.path}" for each in treebanks)
        print(f"{links.count:,} links in {len(links):,} sentences; words with a link: {shares}")


def project(
    files: Annotated[
        list[str], typer.Argument(metavar="SOURCE... TARGET", help="Source treebanks, and last their translation.")
    ],
    output: OutputOption = "-",
    links: Annotated[
        list[str] | None,
        typer.Option(
            "--alignments",
            metavar="FILE",
            help="Alignment of each source, in order; several of one source are intersected.  [default: computed]",
        ),
    ] = None,
    same_tag: Annotated[
        bool | None,
        typer.Option(
            "--same-tag/--any-tag",
            help="Only use links between words with the same UPOS.  [default: same-tag if both files have tags]",
            show_default=False,
        ),
    ] = None,
    least: Annotated[
        float,
        typer.Option("--min-attached-share", min=0, max=1, help="Minimum share of words with a head per sentence."),
    ] = 0.0,
    tags: Annotated[bool, typer.Option("--project-tags", help="Also project tags (UPOS) to linked words.")] = False,
    votes: Annotated[
        int, typer.Option("--min-sources", min=1, help="Minimum number of sources that must agree on an arc.")
    ] = 1,
    format: InputFormatOption = FileFormat.auto,
) -> None:
    """Project trees to a translation.

    A word gets the head of the word that it is linked with, if that head is linked, too; only links of one word with
    one word count. Other words have no head: `panparser train` trains on such partial trees as they are. Heads, labels
    and DEPS of TARGET are removed first; everything else is kept.

    All files must have the same number of sentences, with the same sent_id where both have one. Of several sources, the
    arcs with most votes are kept as far as they form one tree.
    """
    if len(files) < 2:
        raise SpecError(f"expected at least two files, SOURCE... TARGET; got only {files[0]}")
    if votes > len(files) - 1:
        raise SpecError(f"--min-sources must be <= {len(files) - 1}, the number of sources; got {votes}")
    if tags and same_tag:
        raise SpecError("--project-tags cannot be used with --same-tag")
    if output != "-":
        check_writable(Path(output), SpecError, *files, *(links or ()))
    *sources, target = (read_sentences(path, format.value) for path in files)
    with progress(PROGRESS_DELAY_SECONDS) as report:
        found = project_treebanks(
            sources,
            target,
            _read(links, sources, target) if links else None,
            same_tag=same_tag,
            min_attached_share=least,
            tags=tags,
            min_sources=votes,
            progress=report,
        )
    write_conllu(output, found)
    if output != "-" and not is_quiet():
        print(_summary(found, target))


def _read(paths: Sequence[str], sources: Sequence[Treebank], target: Treebank) -> list[WordAlignments]:
    """The links of each source."""
    if len(sources) == 1:
        return [reduce(and_, (read_alignments(path, sources[0], target) for path in paths))]
    if len(paths) != len(sources):
        raise SpecError(f"--alignments: expected a file for each of the {len(sources)} sources; got {len(paths)}")
    return [read_alignments(path, source, target) for path, source in zip(paths, sources, strict=True)]


def _summary(found: Treebank, target: Treebank) -> str:
    attached, words = int((found.heads >= 0).sum()), found.words
    share = 100 * attached / words if words else 0.0
    complete = sum(bool((sentence.heads >= 0).all()) for sentence in found)
    return (
        f"{len(found):,} of {len(target):,} sentences, {complete:,} of them complete; "
        f"{attached:,} of {words:,} words have a head ({share:.1f} %)"
    )
