"""`panparser grid`."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from panparser.cli.terminal import is_quiet, print_table
from panparser.lab.grid_running import GridListener
from panparser.lab.grid_runs import GridRun
from panparser.lab.outcomes import RunOutcome

if TYPE_CHECKING:
    from panparser.lab.grid_file import Grid
    from panparser.lab.results import GridResults

MAX_LISTED_RUNS = 12  # rows of the live table, and failures that are told
REFRESH_SECONDS = 0.5  # seconds between two looks of the live table


def grid(
    file: Annotated[str, typer.Argument(metavar="GRID.toml", help="Recipe with axes.")],
    treebanks: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Folder of treebanks; overrides the file's.")
    ] = None,
    results: Annotated[
        str | None,
        typer.Option("--results", "-o", metavar="FOLDER", help="Output folder for results; overrides the file's."),
    ] = None,
    jobs: Annotated[
        int | None,
        typer.Option("--jobs", "-j", min=1, max=1024, help="Number of parallel runs.  [default: number of cores]"),
    ] = None,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="local|ADDRESS", help="Run on a Dask cluster: local, or tcp://HOST:PORT."),
    ] = None,
    keep_models: Annotated[
        str | None, typer.Option(metavar="FOLDER", help="Output folder for models, as KEY.panparser.")
    ] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="List the runs without starting any.")] = False,
    retry_failed: Annotated[bool, typer.Option("--retry-failed", help="Repeat failed runs.")] = False,
    force: Annotated[bool, typer.Option("--force", help="Repeat all runs.")] = False,
    accept_other_builds: Annotated[
        bool, typer.Option("--accept-other-builds", help="Accept finished runs of other builds of panparser.")
    ] = False,
) -> None:
    """Run a recipe over axes: systems, treebanks, seeds.

    Any setting of a recipe can be an axis. Each combination is a run: a model is trained, and scored on the development
    and test sets. The key of a run is a hash of its recipe, the bytes of its data and the build of panparser; finished
    runs are skipped, also those of other grids with the same results folder. The same command resumes an interrupted
    grid.

    Results are small files in a folder; `panparser results` makes tables of them. Failed runs are stored with their
    error, and the exit code is then 1.

    --cluster requires `pip install 'panparser[grid]'`. A local cluster listens on the loopback address only. Anyone who
    can reach a scheduler can run any program on its workers: protect a scheduler that listens elsewhere.
    """
    from panparser.lab.grid_file import Grid
    from panparser.lab.grid_running import run_grid

    declared = Grid.read(file, treebanks=treebanks, results=results)
    if dry_run:
        _list(declared, force=force, failed=retry_failed, any_build=accept_other_builds)
        return
    watch = GridProgress()
    try:
        with watch:
            found = run_grid(
                declared,
                jobs=jobs,
                cluster=cluster,
                model_folder=keep_models,
                force=force,
                retry_failed=retry_failed,
                accept_other_builds=accept_other_builds,
                listeners=[watch],
            )
    except KeyboardInterrupt:
        if not is_quiet():
            print(f"panparser: interrupted: {watch.status_line()}; the same command resumes", file=sys.stderr)
        raise typer.Exit(130) from None
    _print_results(found, declared.results)
    if found.failed_runs:
        raise typer.Exit(1)


def _list(grid: Grid, *, force: bool, failed: bool, any_build: bool) -> None:
    from panparser.lab.grid_running import is_finished
    from panparser.lab.results import finished_outcomes

    known = finished_outcomes(grid.results, by_content=any_build) if grid.results.is_dir() else {}
    rows, waiting = [], set()
    for run in grid.runs:
        outcome = known.get(run.content if any_build else run.key)
        status = "waiting" if outcome is None else "done" if outcome.is_finished else "failed"
        if not is_finished(run, known, force=force, retry_failed=failed, accept_other_builds=any_build):
            status = "waiting" if outcome is None else f"{status}, again"
            waiting.add(run.key)  # that of several rows, if these ask for the same
        rows.append((run.key[:12], status, *run.labels.values()))
    print_table(("key", "status", *(axis.name for axis in grid.axes)), rows, "l" * (2 + len(grid.axes)))
    runs = len({run.key for run in grid.runs})
    same = f" in {len(rows)} rows" if runs < len(rows) else ""
    print(f"\n{runs} runs{same}, {len(waiting)} waiting; results: {grid.results}")


def _print_results(results: GridResults, folder: Path) -> None:
    from panparser.lab.result_tables import ResultTableLayout

    if is_quiet():
        return
    if results.finished_runs:
        table = ResultTableLayout().table(results)
        print(f"{table.title}\n")
        print_table(table.head, table.texts(), table.align)
        print()
    for row in results.failed_runs[:MAX_LISTED_RUNS]:
        assert row.outcome is not None
        print(f"failed: {', '.join(row.labels.values())}: {row.outcome.error}", file=sys.stderr)
    if len(results.failed_runs) > MAX_LISTED_RUNS:
        print(f"... and {len(results.failed_runs) - MAX_LISTED_RUNS} more failed", file=sys.stderr)
    print(results.signature())
    print(f"panparser results {folder}    makes tables of them")


class GridProgress(GridListener):
    """Tells of progress on standard error: a bar and a table on a terminal, else a line for each run."""

    def __init__(self) -> None:
        self._stack = ExitStack()
        self._live: Any = None
        self._total = self._ended = self._failed = 0
        self._effort = self._done = 0.0
        self._start = self._last = time.monotonic()
        self._scores: dict[str, list[float]] = {}

    def __enter__(self) -> GridProgress:
        return self

    def __exit__(self, *details: object) -> None:
        self._stack.close()

    def status_line(self) -> str:
        return f"{self._ended} of {self._total} runs have ended" if self._total else "no run has begun"

    def before_grid(self, pending: Sequence[GridRun], finished: int, workers: int) -> None:
        self._total, self._effort = len(pending), sum(run.effort() for run in pending)
        self._start = time.monotonic()
        if is_quiet() or not pending:
            return
        more = f", {finished} are finished" if finished else ""
        by = "1 worker" if workers == 1 else f"{workers} workers"
        print(f"{len(pending)} runs by {by}{more}", file=sys.stderr)
        if sys.stderr.isatty():
            from rich.console import Console
            from rich.live import Live

            console = Console(stderr=True)
            self._live = self._stack.enter_context(Live(console=console, auto_refresh=False, transient=True))

    def after_run(self, run: GridRun, outcome: RunOutcome) -> None:
        self._ended += 1
        self._done += run.effort()
        self._failed += not outcome.is_finished
        setting = ", ".join(label for axis, label in run.labels.items() if axis not in ("treebank", "seed")) or "all"
        score = next(
            (
                found
                for metric in ("LAS", "UAS")
                if (found := outcome.score("test", metric) or outcome.score("dev", metric)) is not None
            ),
            None,
        )
        if score is not None:
            self._scores.setdefault(setting, []).append(score)
        if is_quiet() or self._live is not None:
            return
        what = f"{score:.2f}" if score is not None else f"failed: {outcome.error}"
        line = f"[{self._ended}/{self._total}] {run.name}: {what}, {outcome.seconds:.1f} s{self._rest()}"
        print(line, file=sys.stderr, flush=True)

    def on_tick(self) -> None:
        if self._live is not None and time.monotonic() - self._last >= REFRESH_SECONDS:
            self._last = time.monotonic()
            self._live.update(self._picture(), refresh=True)

    def _rest(self) -> str:
        """An estimate of the time that is left."""
        if not self._done or self._ended == self._total:
            return ""
        seconds = (time.monotonic() - self._start) * (self._effort - self._done) / self._done
        hours, minutes = int(seconds // 3600), int(seconds % 3600 // 60)
        shown = f"{hours} h {minutes} min" if hours else f"{minutes} min" if minutes else f"{seconds:.0f} s"
        return f"; about {shown} left"

    def _picture(self) -> Any:
        from rich.console import Group
        from rich.markup import escape
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        table = Table("setting", "runs", "mean", box=None, padding=(0, 2, 0, 0))
        ranked = sorted(self._scores.items(), key=lambda item: -sum(item[1]) / len(item[1]))
        for name, scores in ranked[:MAX_LISTED_RUNS]:
            table.add_row(escape(name), str(len(scores)), f"{sum(scores) / len(scores):.2f}")
        more = [Text(f"... and {len(ranked) - MAX_LISTED_RUNS} more settings")] if len(ranked) > MAX_LISTED_RUNS else []
        failed = f", {self._failed} failed" if self._failed else ""
        line = Table.grid(padding=(0, 1))
        line.add_row(
            ProgressBar(self._total, self._ended, width=40),
            Text(f"{self._ended} of {self._total} runs{failed}{self._rest()}"),
        )
        shown: list[Any] = [table, *more, line] if ranked else [line]
        return Group(*shown)
