"""`run_grid`: runs of a grid in processes or on a cluster, and listeners that follow them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path

from panparser.base.threads import cores
from panparser.errors import SpecError
from panparser.lab.grid_file import Grid
from panparser.lab.grid_runs import GridRun
from panparser.lab.grid_work import failure, finished_outcome, outcome_line
from panparser.lab.outcomes import RunOutcome
from panparser.lab.results import GridResults, delete_outcomes, finished_outcomes, write_manifest
from panparser.storage.atomic import settle
from panparser.work.pool import (
    LOCAL,
    PROCESSES,
    CallFuture,
    ClusterLostError,
    Pool,
    TimeLimitExceeded,
    WorkerDied,
    open_pool,
)


class GridListener:
    """Is notified of what happens; overrides what it needs."""

    def before_grid(self, pending: Sequence[GridRun], finished: int, workers: int) -> None:
        """The runs that are waiting, in the order in which they will begin; so many others are finished already."""

    def after_run(self, run: GridRun, outcome: RunOutcome) -> None:
        """A run has ended, well or not."""

    def on_tick(self) -> None:
        """A moment has passed."""


MAX_SUBMITTED_RUNS = 1000


def run_grid(
    grid: Grid,
    *,
    jobs: int | None = None,
    cluster: str | None = None,
    executor: Executor | None = None,
    model_folder: str | os.PathLike[str] | None = None,
    force: bool = False,
    retry_failed: bool = False,
    accept_other_builds: bool = False,
    listeners: Sequence[GridListener] = (),
) -> GridResults:
    """Runs what is not finished, and gives all results. A grid that is stopped or killed goes on when it is run again.

    `jobs` processes of this machine (None: one for each core); in place of them `cluster`, "local" or the address of a
    Dask scheduler, or any `executor`. `model_folder`: a folder for the models. `force` runs all, `retry_failed` also
    those that failed; with `accept_other_builds`, what another build of panparser finished counts as finished.
    """
    models = None if model_folder is None else Path(model_folder)
    _make_folders(grid.results, models)
    known = finished_outcomes(grid.results, by_content=accept_other_builds)
    runs = list({run.key: run for run in grid.runs}.values())
    waiting = [
        run
        for run in runs
        if not is_finished(run, known, force=force, retry_failed=retry_failed, accept_other_builds=accept_other_builds)
    ]
    waiting.sort(key=lambda run: -run.effort())
    left = {run.key for run in waiting}
    done = {run.key: known[run.content if accept_other_builds else run.key] for run in runs if run.key not in left}
    write_manifest(grid, {key: outcome.key for key, outcome in done.items()})
    if waiting:
        _check_workers(jobs, cluster, executor)
        with open_pool(jobs or cores(), cluster or PROCESSES, executor) as pool:
            for listener in listeners:
                listener.before_grid(waiting, len(runs) - len(waiting), pool.count)
            for run, outcome in _outcomes(grid, waiting, pool, models, force, listeners):
                done[run.key] = outcome
                for listener in listeners:
                    listener.after_run(run, outcome)
    else:
        for listener in listeners:
            listener.before_grid((), len(runs), 0)
    return GridResults.from_grid(grid, done)


def _check_workers(jobs: int | None, cluster: str | None, executor: Executor | None) -> None:
    if executor is not None and (jobs is not None or cluster is not None):
        raise SpecError("run_grid: executor cannot be combined with jobs or cluster")
    if jobs is not None and cluster not in (None, LOCAL):
        raise SpecError(f"run_grid: jobs cannot be combined with cluster={cluster!r}, which has its own workers")
    if jobs is not None and (not isinstance(jobs, int) or jobs < 1):
        raise SpecError(f"run_grid: jobs must be an integer >= 1; got {jobs!r}")


def _make_folders(*folders: Path | None) -> None:
    for folder in folders:
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise SpecError(f"{folder}: cannot be made: {error.strerror}") from None


def is_finished(
    run: GridRun,
    outcomes: Mapping[str, RunOutcome],
    *,
    force: bool = False,
    retry_failed: bool = False,
    accept_other_builds: bool = False,
) -> bool:
    """Is nothing left to do for a run, beside these outcomes?"""
    outcome = outcomes.get(run.content if accept_other_builds else run.key)
    return outcome is not None and not force and (outcome.is_finished or not retry_failed)


def _outcomes(
    grid: Grid,
    waiting: Sequence[GridRun],
    pool: Pool,
    models: Path | None,
    force: bool,
    listeners: Sequence[GridListener],
) -> Iterator[tuple[GridRun, RunOutcome]]:
    """Yield runs with their outcomes, as they end. Raise ClusterLost if no more will end."""
    if force:
        delete_outcomes(grid.results, {run.key for run in waiting})  # whatever happens from here, they are to be run
    done = 0

    def submit(run: GridRun) -> CallFuture:
        task = run.task(grid.results, models)
        return pool.submit(outcome_line, task, seconds=grid.seconds, retries=grid.retries, key=run.key)

    try:
        for batch in pool.completed(waiting, submit, ahead=lambda: MAX_SUBMITTED_RUNS):
            outcomes = [(run, _outcome_of(future, run, grid)) for run, future in batch]
            settle([grid.results / f"{run.key}.json" for run, _ in outcomes], SpecError)
            done += len(outcomes)
            yield from outcomes
            for listener in listeners:
                listener.on_tick()
    except ClusterLostError as lost:
        kept = f"after {done} of {len(waiting)} runs; these are kept, and the same command goes on"
        raise ClusterLostError(f"the cluster is lost ({lost}) {kept}") from None


def _outcome_of(future: CallFuture, run: GridRun, grid: Grid) -> RunOutcome:
    """Return the outcome of a run, which its worker has written if it could; else write it."""
    if (error := future.exception()) is None:
        outcome = RunOutcome.parse(future.result(), run.name)
        if (grid.results / f"{run.key}.json").exists():  # a worker on another machine may not see the folder
            return outcome
    else:
        task = run.task(grid.results)
        if (outcome_in_file := finished_outcome(task)) is not None:  # the reply came too late
            return outcome_in_file
        outcome = failure(task, _message(error, grid.retries), seconds=future.seconds)
    outcome.write(grid.results)
    return outcome


def _message(error: BaseException, retries: int) -> str:
    if isinstance(error, TimeLimitExceeded):
        return str(error)
    reason = f"its process ended: {error}" if isinstance(error, WorkerDied) else f"{type(error).__name__}: {error}"
    return reason + (f" (tried {retries + 1} times)" if retries else "")
