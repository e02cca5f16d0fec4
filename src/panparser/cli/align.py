"""`panparser align`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat, FormatOption
from panparser.cli.inputs import read_sentences
from panparser.cli.progress import PATIENCE, progress
from panparser.errors import SpecError
from panparser.storage.files import check_writable
from panparser.transfer.alignment import Aligner
from panparser.transfer.alignment import align as align_treebanks
from panparser.transfer.links import write_links


@app.command()
def align(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="Sentences; - is standard input.")],
    target: Annotated[str, typer.Argument(metavar="TARGET", help="Their translations, one for each.")],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUTPUT", help="- is standard output; .gz, .xz and .zst compress.")
    ] = "-",
    threshold: Annotated[float, typer.Option(help="Least probability of a link, above 0.")] = Aligner.threshold,
    no_tags: Annotated[bool, typer.Option("--no-tags", help="Do not look at tags (UPOS).")] = False,
    probabilities: Annotated[
        bool, typer.Option("--probabilities", help="Write how probable each link is: 0-0:0.83.")
    ] = False,
    format: FormatOption = FileFormat.auto,
) -> None:
    """Find which words of parallel sentences translate each other.

    The output has a line for each pair of sentences, with links such as `0-0 1-2`: word 0 of the source is word 0 of
    the target. Words count from 0; multiword tokens and empty nodes do not count. Each word has one link at most.

    Links are learned from these sentences alone: by lemmas (or the first five letters of forms), by tags where both
    files have them, by words that begin alike, by order, and by the trees of the source, if it has any.
    `panparser project` takes files of other aligners as well.

    Examples:

      panparser align en.conllu fr.conllu -o en-fr.links

      panparser align en.conllu fr.conllu --threshold 0.5 --probabilities
    """
    if not 0 < threshold <= 1:
        raise SpecError(f"--threshold: expected a probability above 0 and at most 1; found {threshold:g}")
    if output != "-":
        check_writable(Path(output), SpecError, source, target)
    treebanks = [read_sentences(path, format.value) for path in (source, target)]
    aligner = Aligner(threshold=threshold, tags=not no_tags)
    with progress(PATIENCE) as report:
        links = align_treebanks(
            treebanks[0], treebanks[1], aligner=aligner, report=lambda done, total: report("aligning", done, total)
        )
    write_links(output, links, probabilities=probabilities)
    if output != "-" and not is_quiet():
        shares = ", ".join(f"{100 * links.count / each.words:.1f} % of {each.path}" for each in treebanks)
        print(f"{links.count:,} links in {len(links):,} sentences; words with a link: {shares}")
