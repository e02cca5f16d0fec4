"""`panparser project`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from operator import and_
from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat, FormatOption
from panparser.cli.inputs import read_sentences
from panparser.cli.progress import PATIENCE, progress
from panparser.errors import SpecError
from panparser.storage.files import check_writable
from panparser.transfer.links import Links, read_links
from panparser.transfer.projection import project as project_treebanks
from panparser.treebank.conllu import write_conllu
from panparser.treebank.treebank import Treebank


@app.command()
def project(
    files: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE... TARGET", help="Treebanks, and last the translation that gets their trees."),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUTPUT", help="- is standard output; .gz, .xz and .zst compress.")
    ] = "-",
    links: Annotated[
        list[str] | None,
        typer.Option(
            "--links",
            metavar="FILE",
            help="Links such as 0-0 1-2, a line for each sentence: one file for each source, in order; of one source, "
            "several are intersected.  [default: as `panparser align` finds them]",
        ),
    ] = None,
    same_tag: Annotated[
        bool | None,
        typer.Option(
            "--same-tag/--any-tag",
            help="Must linked words have the same tag (UPOS)?  [default: yes, where both files have tags]",
            show_default=False,
        ),
    ] = None,
    least: Annotated[
        float, typer.Option(min=0, max=1, help="Leave out sentences where fewer words (a share) get a head.")
    ] = 0.0,
    tags: Annotated[
        bool, typer.Option("--tags", help="Carry tags (UPOS) over, too; words without a link keep theirs.")
    ] = False,
    votes: Annotated[int, typer.Option(min=1, help="Of several sources, how many must have an arc.")] = 1,
    format: FormatOption = FileFormat.auto,
) -> None:
    """Carry trees over to a translation, word by word; words whose heads are not known are left without.

    A word gets the head of the word that it is linked with, if that head is linked, too. Only links of one word with
    one word count. The result is for `panparser train`, which learns from such partial trees as they are; heads, labels
    and DEPS of TARGET are removed before, and all else stays as it is.

    Sentences must be as many in all files, with the same sent_id where both have one. Of several sources, arcs with
    most votes are kept as far as they fit in one tree.

    Examples:

      panparser project en.conllu fr.conllu -o fr-projected.conllu

      panparser project en.conllu fr.conllu --links en-fr.links --any-tag --least 0.5 -o fr-projected.conllu

      panparser project en.conllu es.conllu it.conllu fr.conllu --votes 2 -o fr-projected.conllu
    """
    if len(files) < 2:
        raise SpecError(f"expected SOURCE... TARGET, two files or more; found {files[0]} alone")
    if votes > len(files) - 1:
        raise SpecError(f"--votes: expected at most {len(files) - 1}, the number of sources; found {votes}")
    if tags and same_tag:
        raise SpecError("--tags carries tags over, and does not compare them: expected it without --same-tag")
    if output != "-":
        check_writable(Path(output), SpecError, *files, *(links or ()))
    *sources, target = (read_sentences(path, format.value) for path in files)
    with progress(PATIENCE) as report:
        found = project_treebanks(
            sources,
            target,
            _read(links, sources, target) if links else None,
            same_tag=same_tag,
            least=least,
            tags=tags,
            votes=votes,
            report=report,
        )
    write_conllu(output, found)
    if output != "-" and not is_quiet():
        print(_summary(found, target))


def _read(paths: Sequence[str], sources: Sequence[Treebank], target: Treebank) -> list[Links]:
    """The links of each source."""
    if len(sources) == 1:
        return [reduce(and_, (read_links(path, sources[0], target) for path in paths))]
    if len(paths) != len(sources):
        raise SpecError(f"--links: expected a file for each of the {len(sources)} sources, found {len(paths)}")
    return [read_links(path, source, target) for path, source in zip(paths, sources, strict=True)]


def _summary(found: Treebank, target: Treebank) -> str:
    attached, words = int((found.heads >= 0).sum()), found.words
    share = 100 * attached / words if words else 0.0
    complete = sum(bool((sentence.heads >= 0).all()) for sentence in found)
    return (
        f"{len(found):,} of {len(target):,} sentences, {complete:,} of them complete; "
        f"{attached:,} of {words:,} words have a head ({share:.1f} %)"
    )
