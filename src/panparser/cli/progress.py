"""A progress bar on standard error."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

from panparser.cli.app import is_quiet

PATIENCE = 1.0  # seconds before a bar appears, of commands that are often done by then


@contextmanager
def progress(patience: float = 0.0, unit: str = "") -> Iterator[Callable[[str, int, int], None]]:
    """A bar on standard error, if that is a terminal and the work takes longer: report(description, done, total)."""
    if is_quiet() or not sys.stderr.isatty():
        yield lambda description, done, total: None
        return
    start, bars = time.monotonic(), ExitStack()
    update: Callable[..., None] | None = None

    def report(description: str, done: int, total: int) -> None:
        nonlocal update
        if update is None and time.monotonic() - start >= patience:
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
