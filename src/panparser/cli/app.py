"""What the commands share: the application, its global options, progress, tables."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from enum import StrEnum
from functools import partial
from typing import Annotated

import typer
from rich.cells import cell_len

from panparser.errors import SpecError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
    help="""Transition-based dependency parsing.

Examples:

  panparser train -t train.conllu -d dev.conllu -o en.panparser

  panparser parse -m en.panparser raw.conllu -o parsed.conllu

  panparser systems arc-hybrid

  panparser check arc-eager --root first

  panparser derive arc-hybrid

  panparser validate train.conllu

  panparser evaluate gold.conllu mine.conllu

  panparser analyze gold.conllu mine.conllu --by upos

  panparser combine a.conllu b.conllu c.conllu -o best.conllu
""",
)
_state = {"quiet": False}


class FileFormat(StrEnum):
    """Of treebanks."""

    auto = "auto"
    conllu = "conllu"
    conllx = "conllx"


def is_quiet() -> bool:
    """Was --quiet given?"""
    return _state["quiet"]


@app.callback(invoke_without_command=True)
def _options(
    version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Print errors only.")] = False,
) -> None:
    _state["quiet"] = quiet
    if version:
        from panparser import __version__

        print(f"panparser {__version__}")
        raise typer.Exit


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def refuse_inputs(output: str, *inputs: str | None) -> None:
    """Raises SpecError if a file that is written is one of those that are read."""
    for each in inputs:
        if each is not None and os.path.isfile(each) and os.path.isfile(output) and os.path.samefile(each, output):
            raise SpecError(f"{output}: is an input, and would be replaced; choose another -o")


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], align: str = "") -> None:
    """An aligned table on standard output; `align` is l or r for each column (default: the first l, the rest r).

    Without a header `align` says how many columns there are.
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


@contextmanager
def progress(patience: float = 0.0) -> Iterator[Callable[[str, int, int], None]]:
    """A bar on standard error, if that is a terminal and the work takes longer: report(description, done, total)."""
    if is_quiet() or not sys.stderr.isatty():
        yield lambda description, done, total: None
        return
    start, bars = time.monotonic(), ExitStack()
    update: Callable[..., None] | None = None

    def report(description: str, done: int, total: int) -> None:
        nonlocal update
        if update is None and time.monotonic() - start >= patience:
            update = bars.enter_context(_bar())
        if update is not None:
            update(description=escape(description), completed=done, total=total or None)

    from rich.markup import escape

    with bars:
        yield report


@contextmanager
def _bar() -> Iterator[Callable[..., None]]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,.0f}"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        yield partial(bar.update, bar.add_task(""))
