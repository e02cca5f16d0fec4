"""`panparser convert`."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.terminal import FileArgument, FileFormat, InputFormatOption, OutputOption, choose_format
from panparser.corpora.job import joined, rendered
from panparser.errors import TextError
from panparser.storage.atomic import check_writable
from panparser.text.raw_text import extract_raw_text
from panparser.treebank.conllu import conllu_output, read_conllu


class ConvertFormat(StrEnum):
    """Output formats."""

    text = "text"
    tree = "tree"
    json = "json"
    jsonl = "jsonl"
    svg = "svg"
    html = "html"
    conllu = "conllu"
    horizontal = "horizontal"
    vertical = "vertical"
    plaintext = "plaintext"
    matxin = "matxin"


def convert(
    source: FileArgument,
    output: OutputOption = "-",
    output_format: Annotated[
        ConvertFormat | None,
        typer.Option(
            metavar="FORMAT",
            help="Output format: text, tree, json, jsonl, svg, html, conllu, or one of UDPipe's: horizontal, vertical, "
            "plaintext, matxin.  [default: by the suffix of OUTPUT, or text]",
            show_default=False,
        ),
    ] = None,
    format: InputFormatOption = FileFormat.auto,
) -> None:
    """Write a treebank as raw text, drawings, JSON or in UDPipe's formats.

    text is the raw text: spaces follow SpaceAfter and SpacesAfter in MISC and the comments `# text`; documents and
    paragraphs begin after a blank line. tree draws the arcs as text; svg
    and html draw them for browsers. json and jsonl contain all columns. conllu also converts CoNLL-X.
    """
    if output != "-":
        check_writable(Path(output), TextError, source)
    chosen = choose_format(None if output_format is None else output_format.value, output, default="text")
    treebank = read_conllu(source, format=format.value)
    with conllu_output(output) as stream:
        if chosen == "text":
            stream.write(extract_raw_text(treebank).text.encode())
            return
        for piece in joined(chosen, [rendered(treebank, chosen)]):
            stream.write(piece)
