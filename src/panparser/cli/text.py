"""`panparser text`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from panparser.cli.app import app
from panparser.cli.choices import FileArgument, FileFormat, FormatOption
from panparser.errors import TextError
from panparser.storage.files import check_writable
from panparser.text.raw import raw_text
from panparser.treebank.conllu import conllu_output, read_conllu


@app.command()
def text(
    source: FileArgument,
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="OUTPUT", help="- is standard output; .gz, .xz and .zst compress.")
    ] = "-",
    format: FormatOption = FileFormat.auto,
) -> None:
    """Write the raw text of a treebank.

    Spaces are those that MISC (SpaceAfter, SpacesAfter, ...) and the comments `# text` tell of; documents and
    paragraphs begin after a blank line.

    Examples:

      panparser text test.conllu -o test.txt

      panparser text test.conllu | panparser parse -m en | panparser evaluate test.conllu -
    """
    if output != "-":
        check_writable(Path(output), TextError, source)
    found = raw_text(read_conllu(source, format=format.value)).text
    with conllu_output(output) as stream:
        stream.write(found.encode())
