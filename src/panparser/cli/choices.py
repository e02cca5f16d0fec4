"""Options that several commands have, and what they can be."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer


class FileFormat(StrEnum):
    """Formats of treebanks."""

    auto = "auto"
    conllu = "conllu"
    conllx = "conllx"


class RootPlace(StrEnum):
    """Where Root stands; nowhere, if no token stands for it."""

    first = "first"
    last = "last"
    none = "none"


class TagsBy(StrEnum):
    """What predicts the tags of a pipeline: its parser's network, one tagger, or one for each column."""

    by_parser = "by-parser"
    jointly = "jointly"
    one_by_one = "one-by-one"


class LabelKind(StrEnum):
    """Labels that a parser learns."""

    full = "full"
    universal = "universal"


class SwapOracle(StrEnum):
    """Oracles of swap-standard."""

    eager = "eager"
    lazy = "lazy"
    dynamic = "dynamic"
    static_dynamic = "static-dynamic"


SystemArgument = Annotated[
    str,
    typer.Argument(metavar="SYSTEM", help="A built-in name, a .json or .toml file, or file.py:Class (module:Class)."),
]
ROOT_HELP = "Where Root stands; none: no token stands for it.  [default: last]"
RootOption = Annotated[RootPlace | None, typer.Option(help=ROOT_HELP, show_default=False)]
SingleRootOption = Annotated[
    bool | None, typer.Option("--single-root/--multi-root", help="One child of Root, or any number.")
]
SpanOption = Annotated[int | None, typer.Option("-k", help="Longest arc of the Span systems.  [default: 3]")]
OracleOption = Annotated[SwapOracle | None, typer.Option(help="Oracle of swap-standard.  [default: lazy]")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
ModelOption = Annotated[str, typer.Option("--model", "-m", metavar="MODEL", help="What `panparser train` wrote.")]
FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="CoNLL-U or CoNLL-X; - is standard input.")]
BeamOption = Annotated[int | None, typer.Option(min=1, help="Hypotheses kept.  [default: the model's]")]
CsvOption = Annotated[bool, typer.Option("--csv", help="Print all of it as CSV.")]
FilesArgument = Annotated[list[str], typer.Argument(metavar="FILE...", help="Files; - is standard input.")]
FormatOption = Annotated[FileFormat, typer.Option(help="CoNLL-X (2006) is recognized where the file leaves no doubt.")]
