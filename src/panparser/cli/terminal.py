"""Tables, progress, input files and arguments, for all commands. It is imported before any command, without numpy."""

from __future__ import annotations

import math
import os
import sys
import time
import zlib
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len

from panparser.errors import SpecError

if TYPE_CHECKING:
    from panparser.treebank.treebank import Treebank
import re
from enum import StrEnum
from typing import Annotated

import typer

from panparser.errors import PanParserError

COMPRESSED_STARTS = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ", b"\x28\xb5\x2f\xfd")  # gzip, bzip2, xz, zstd
COMPRESSED = (".gz", ".bz2", ".xz", ".zst")
FORMATS = {f".{name}": name for name in ("conllu", "json", "jsonl", "svg", "html")}  # of outputs, by suffix
PLAIN_SUFFIXES = ("", ".txt", ".text", ".tsv", ".conll")  # of several formats

_state = {"quiet": False}


def is_quiet() -> bool:
    """Return whether --quiet is set."""
    return _state["quiet"]


def set_quiet(quiet: bool) -> None:
    _state["quiet"] = quiet


def print_notice(message: str) -> None:
    print(f"panparser: {message}", file=sys.stderr)


# --- Tables ---


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], align: str = "") -> None:
    """An aligned table on standard output; `align` is l or r for each column (default: the first l, the rest r).

    Without a header, `align` gives the number of columns.
    """
    align = align or "l" + "r" * (len(header) - 1)
    lines = [header, *rows] if header else rows
    widths = [max(cell_len(line[i]) for line in lines) for i in range(len(align))]
    for number, line in enumerate(lines):
        cells = []
        for text, width, side in zip(line, widths, align, strict=True):
            space = " " * (width - cell_len(text))
            cells.append(text + space if side == "l" else space + text)
        shown = "  ".join(cells).rstrip()
        print(f"\033[1m{shown}\033[0m" if header and number == 0 and sys.stdout.isatty() else shown)


def print_values(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table of values: numbers with two digits after the point, columns of texts to the left."""
    align = "".join("l" if all(isinstance(row[place], str) for row in rows) else "r" for place in range(len(columns)))
    print_table(
        [name.replace("_", " ") for name in columns], [[shown_value(value) for value in row] for row in rows], align
    )


def shown_value(value: object) -> str:
    if isinstance(value, float):
        return "" if math.isnan(value) else f"{value:.2f}"
    return {True: "yes", False: ""}[bool(value)] if type(value).__name__ in ("bool", "bool_") else str(value)


def print_csv(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A table of values as CSV, with nothing where there is no number."""
    import csv  # lazy: few tables are written as CSV

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(["" if isinstance(v, float) and math.isnan(v) else v for v in row] for row in rows)


PROGRESS_DELAY_SECONDS = 1.0  # seconds before a bar appears, of commands that are often done by then


@contextmanager
def progress(delay: float = 0.0, unit: str = "") -> Iterator[Callable[[str, int, int], None]]:
    """A bar on standard error, if that is a terminal and the work takes longer: report(description, done, total)."""
    if is_quiet() or not sys.stderr.isatty():
        yield lambda description, done, total: None
        return
    start, bars = time.monotonic(), ExitStack()
    update: Callable[..., None] | None = None

    def report(description: str, done: int, total: int) -> None:
        nonlocal update
        if update is None and time.monotonic() - start >= delay:
            update = bars.enter_context(_bar(unit))
        if update is not None:
            update(description=escape(description), completed=done, total=total or None)

    from rich.markup import escape

    with bars:
        yield report


@contextmanager
def _bar(unit: str) -> Iterator[Callable[..., None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    done = TextColumn(f"{{task.completed:,.0f}}{unit}")
    columns = (TextColumn("{task.description}"), BarColumn(), done, TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield partial(bar.update, bar.add_task(""))


def read_to_score(path: str, format: Any = "auto") -> Treebank:
    """Reads a file leniently: problems are summarized in one line, unless a sentence cannot be read at all."""
    from panparser.treebank.conllu import accept, read_conllu

    treebank = read_conllu(path, format=format, lenient=True)
    accept(treebank.parse_problems, fatal_only=True)
    problems = [problem for problem in treebank.parse_problems if not problem.harmless]
    if problems and not is_quiet():
        print(
            f"panparser: {path}: {len(problems)} problem{'s' * (len(problems) > 1)}; the first: {problems[0]}",
            file=sys.stderr,
        )
    return treebank


def read_sentences(source: str, format: Any = "auto") -> Treebank:
    """Reads a file that must have sentences."""
    from panparser.treebank.conllu import read_conllu

    treebank = read_conllu(source, format=format)
    if not len(treebank):
        raise SpecError(f"{source}: expected sentences, found none")
    return treebank


def listed(text: str) -> list[str]:
    """The names in an option, which are separated by commas."""
    return [part.strip() for part in text.split(",")]


def parse_numbers(flag: str, text: str) -> list[float]:
    """Return the numbers of an option such as --weights 1,0.5."""
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise SpecError(f"{flag}: expected comma-separated numbers; got {text!r}") from None


class FileFormat(StrEnum):
    """Formats of treebanks."""

    auto = "auto"
    conllu = "conllu"
    conllx = "conllx"


class RootPlace(StrEnum):
    """Positions of the artificial root token; none: there is no such token."""

    first = "first"
    last = "last"
    none = "none"


class TagsBy(StrEnum):
    """Taggers of a pipeline: the parser's network, one joint tagger, or one per column."""

    by_parser = "by-parser"
    jointly = "jointly"
    one_by_one = "one-by-one"


class LabelKind(StrEnum):
    """Labels of a parser, with subtypes or without."""

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
    typer.Argument(
        metavar="SYSTEM", help="Transition system: built-in name, .json/.toml file, or file.py:Class (module:Class)."
    ),
]
RootOption = Annotated[
    RootPlace | None, typer.Option(help="Position of the artificial root token, or none.  [default: last]")
]
SingleRootOption = Annotated[
    bool | None,
    typer.Option("--single-root/--multi-root", help="Allow exactly one root word per sentence, or any number."),
]
SpanOption = Annotated[
    int | None, typer.Option("-k", "--max-arc-span", help="Maximum arc length of the Span systems.  [default: 3]")
]
OracleOption = Annotated[SwapOracle | None, typer.Option(help="Oracle of swap-standard.  [default: lazy]")]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON.")]
CsvOption = Annotated[bool, typer.Option("--csv", help="Print all rows as CSV.")]
ModelOption = Annotated[str, typer.Option("--model", "-m", metavar="MODEL", help="Model file.")]
ParsingModelOption = Annotated[
    str,
    typer.Option(
        "--model", "-m", metavar="MODEL", help="Model file, or en, the bundled English pipeline (a file en is ./en)."
    ),
]
FileArgument = Annotated[str, typer.Argument(metavar="FILE", help="Treebank; - is standard input.")]
FilesArgument = Annotated[list[str], typer.Argument(metavar="FILE...", help="Treebanks; - is standard input.")]
OutputOption = Annotated[
    str, typer.Option("--output", "-o", metavar="OUTPUT", help="Output file; - is standard output.")
]
BeamOption = Annotated[int | None, typer.Option(min=1, help="Beam size.  [default: the model's]")]
SeedOption = Annotated[int, typer.Option(min=0, help="Random seed.")]
ThreadsOption = Annotated[
    int | None,
    typer.Option(min=1, max=1024, help="Number of threads; does not affect the result.  [default: all cores]"),
]
InputFormatOption = Annotated[
    FileFormat, typer.Option("--input-format", help="Treebank format; auto: CoNLL-X only if unambiguous.")
]


def is_model(name: str, *, pipe: bool) -> bool:
    """Return whether a name is a bundled model or a file that begins as models do, with the size of its manifest.

    A named pipe can be opened only once: what it contains is up to the command (`pipe`).
    """
    from panparser.pipeline.bundled_models import SUFFIX, bundled

    if name in bundled() or name.endswith(SUFFIX):
        return True
    if name != "-" and os.path.exists(name) and not os.path.isfile(name):
        return pipe
    try:
        start = _first_bytes(name)
    except (OSError, EOFError, zlib.error):
        return "." not in PurePath(name).name and not os.path.exists(name)  # neither: the message names both
    return len(start) == 8 and start[4:] == bytes(4) and not start.startswith(COMPRESSED_STARTS)


def _first_bytes(name: str) -> bytes:
    """Return the first eight bytes of a file, decompressed if it is a gzip file, or of standard input."""
    if name == "-":
        stdin: Any = sys.stdin.buffer
        start: bytes = stdin.peek(8)[:8]
        return start
    with open(name, "rb") as stream:
        start = stream.read(8)
    if not start.startswith(b"\x1f\x8b"):
        return start
    import gzip  # few models are compressed

    with gzip.open(name) as packed:
        return packed.read(8)


def choose_format(format: str | None, output: str, default: str) -> str:
    """Return the format of an output: `format`, or by the suffix of its name. Raise SpecError if these contradict."""
    path = PurePath(output)
    suffix = (path.with_suffix("") if path.suffix.lower() in COMPRESSED else path).suffix.lower()
    by_suffix = FORMATS.get(suffix)
    if format is not None:
        if by_suffix not in (None, format):
            raise SpecError(f"{output}: --output-format {format} does not match the suffix {suffix}")
        return format
    if by_suffix is None and suffix not in PLAIN_SUFFIXES:
        raise SpecError(f"{output}: unknown suffix {suffix}; expected one of {', '.join(FORMATS)}, or --output-format")
    return by_suffix or default


@contextmanager
def in_flags(owner: str, **flags: str) -> Iterator[None]:
    """Turns `OWNER: method` into `--method`, in errors, and `(raw)` into `(--raw)`, if `flags` has that name.

    A flag has the name of the argument, with hyphens, unless `flags` has another.
    """
    try:
        yield
    except PanParserError as error:
        text = re.sub(rf"\b{owner}: (\w+)\b", lambda found: _flag(found[1], flags), str(error))
        text = re.sub(r"\((\w+)\)", lambda found: f"({flags[found[1]]})" if found[1] in flags else found[0], text)
        if text == str(error):
            raise
        raise type(error)(text) from None


def _flag(argument: str, flags: dict[str, str]) -> str:
    return flags.get(argument, f"--{argument.replace('_', '-')}")
