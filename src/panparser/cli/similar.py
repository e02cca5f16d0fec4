"""`panparser similar`."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict
from typing import Annotated

import typer

from panparser.cli.app import app, is_quiet
from panparser.cli.choices import FileFormat, FormatOption, JsonOption
from panparser.cli.inputs import read_sentences
from panparser.cli.progress import progress
from panparser.cli.tables import print_table
from panparser.transfer.sources import find_sources
from panparser.transfer.tag_trigrams import FEW_WORDS, TagTrigrams
from panparser.transfer.tag_trigrams import similar as similar_sources


@app.command()
def similar(
    target: Annotated[
        str, typer.Argument(metavar="TARGET", help="Tagged sentences of a language; trees are not needed.")
    ],
    sources: Annotated[
        list[str], typer.Argument(metavar="SOURCE...", help="Treebanks of other languages, or folders of them.")
    ],
    top: Annotated[int | None, typer.Option(min=1, help="Show only so many.  [default: all]")] = None,
    power: Annotated[float, typer.Option(min=0, max=100, help="A source weighs KL to the power of minus this.")] = 1.0,
    format: FormatOption = FileFormat.auto,
    as_json: JsonOption = False,
) -> None:
    """Rank treebanks by their similarity to a language: which one to learn from, to parse it?

    KL is the divergence KLcpos3 of Rosa & Žabokrtský (2015), in nats: the less, the more alike are the sequences of
    three tags (UPOS) in the two files. Twenty tagged sentences of the target are enough to rank. The weights are those
    for `panparser combine --weights`, if a parser of each source has parsed the target.

    Examples:

      panparser similar target.conllu sv.conllu de.conllu fi.conllu

      panparser similar target.conllu treebanks/ --top 4 --json
    """
    files = [each.path for each in find_sources(sources)]
    with progress() as report:
        counted = []
        for done, path in enumerate((target, *files)):
            report(path, done, len(files) + 1)
            counted.append(TagTrigrams.of(read_sentences(path, format.value)))
    found = similar_sources(counted[0], counted[1:], power=power)[:top]
    if not is_quiet():
        for each in counted:
            if each.untagged:
                words = each.untagged + int(each.counts.sum())
                what = f"{each.untagged:,} of {words:,} words have no tag (UPOS), and are left out"
                print(f"panparser: warning: {each.path}: {what}", file=sys.stderr)
        for small in (source.path for source in found if source.is_small):
            what = f"has less than {FEW_WORDS:,} words, too few to tell how far it is: it is taken for the furthest"
            print(f"panparser: warning: {small}: {what}", file=sys.stderr)
    if as_json:
        print(json.dumps([asdict(each) for each in found], indent=2))
    elif not is_quiet():
        digits = ".3f" if all(0.001 <= each.weight < 10_000 for each in found) else ".3e"  # the same in all rows
        rows = [
            (str(rank), each.path, f"{each.divergence:.3f}", f"{each.weight:{digits}}", f"{each.sentences:,}")
            for rank, each in enumerate(found, start=1)
        ]
        print_table(("rank", "source", "KL", "weight", "sentences"), rows, "rlrrr")
