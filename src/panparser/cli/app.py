"""What the commands share: the application, its global options, progress, tables."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from panparser import __version__

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    help="Transition-based dependency parsing.",
)
_state = {"quiet": False}


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
        print(f"panparser {__version__}")
        raise typer.Exit


def print_table(header: Sequence[str], rows: Sequence[Sequence[str]], numbers: bool = True) -> None:
    """An aligned table on standard output; all columns but the first to the right if they are `numbers`."""
    table = Table(box=None, pad_edge=False, header_style="bold")
    for index, name in enumerate(header):
        table.add_column(name, justify="right" if numbers and index else "left", no_wrap=True)
    for row in rows:
        table.add_row(*map(escape, row))
    Console(width=None if sys.stdout.isatty() else 200, highlight=False).print(table)


@contextmanager
def progress() -> Iterator[Callable[[str, int, int], None]]:
    """A bar on standard error, if that is a terminal: report(description, done, total)."""
    console = Console(stderr=True)
    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f}"),
        TimeElapsedColumn(),
        console=console,
        transient=True,
        disable=is_quiet() or not console.is_terminal,
    )
    with bar:
        task = bar.add_task("")

        def report(description: str, done: int, total: int) -> None:
            bar.update(task, description=escape(description), completed=done, total=total or None)

        yield report
