"""run_grid: gives the runs that are not finished to workers, and takes what came of them."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import suppress
from functools import partial
from itertools import islice
from pathlib import Path
from queue import Empty, SimpleQueue

from panparser.errors import PanParserError, SpecError
from panparser.grid.clusters import Workers, opened
from panparser.grid.grid import Grid
from panparser.grid.listeners import GridListener
from panparser.grid.records import Outcome
from panparser.grid.results import Results, finished_outcomes, forget, write_manifest
from panparser.grid.runs import GridRun
from panparser.grid.work import failure
from panparser.storage.files import settle

_TICK = 0.5  # seconds
_AHEAD = 1000  # runs that workers are given before others have ended
_OF_CLUSTER = (ConnectionError, TimeoutError)


class ClusterLost(PanParserError):  # noqa: N818 - reads as what happened
    """The cluster is gone; what is finished is kept."""


def run_grid(
    grid: Grid,
    *,
    jobs: int | None = None,
    cluster: str | None = None,
    executor: Executor | None = None,
    models: str | os.PathLike[str] | None = None,
    force: bool = False,
    failed: bool = False,
    any_build: bool = False,
    listeners: Sequence[GridListener] = (),
) -> Results:
    """Runs what is not finished, and gives all results. A grid that is stopped or killed goes on when it is run again.

    `jobs` processes of this machine (None: one for each core); in place of them `cluster`, "local" or the address of a
    Dask scheduler, or any `executor`. `models`: a folder for the models. `force` runs all, `failed` also those that
    failed; with `any_build`, what another build of panparser finished counts as finished.
    """
    models = None if models is None else Path(models)
    _make_folders(grid.results, models)
    known = finished_outcomes(grid.results, by_content=any_build)
    runs = list({run.key: run for run in grid.runs}.values())
    waiting = [run for run in runs if not is_finished(run, known, force=force, failed=failed, any_build=any_build)]
    waiting.sort(key=lambda run: -run.effort())
    left = {run.key for run in waiting}
    done = {run.key: known[run.content if any_build else run.key] for run in runs if run.key not in left}
    write_manifest(grid, {key: outcome.key for key, outcome in done.items()})
    if waiting:
        with opened(jobs, cluster, executor) as workers:
            for listener in listeners:
                listener.before_grid(waiting, len(runs) - len(waiting), workers.count)
            for run, outcome in _outcomes(grid, waiting, workers, models, force, listeners):
                done[run.key] = outcome
                for listener in listeners:
                    listener.after_run(run, outcome)
    else:
        for listener in listeners:
            listener.before_grid((), len(runs), 0)
    return Results.of(grid, done)


def _make_folders(*folders: Path | None) -> None:
    for folder in folders:
        if folder is not None:
            try:
                folder.mkdir(parents=True, exist_ok=True)
            except OSError as error:
                raise SpecError(f"{folder}: cannot be made: {error.strerror}") from None


def is_finished(
    run: GridRun, known: Mapping[str, Outcome], *, force: bool = False, failed: bool = False, any_build: bool = False
) -> bool:
    """Is nothing left to do for a run, beside these outcomes?"""
    outcome = known.get(run.content if any_build else run.key)
    return outcome is not None and not force and (outcome.is_done or not failed)


def _outcomes(
    grid: Grid,
    waiting: Sequence[GridRun],
    workers: Workers,
    models: Path | None,
    force: bool,
    listeners: Sequence[GridListener],
) -> Iterator[tuple[GridRun, Outcome]]:
    """What came of each run, as they end. Raises ClusterLost if there will be no more."""
    if force:
        forget(grid.results, {run.key for run in waiting})  # whatever happens from here, they are to be run
    ended: SimpleQueue[tuple[GridRun, Future[str]]] = SimpleQueue()
    held: set[Future[str]] = set()  # Dask forgets those that nobody has
    done, total = 0, len(waiting)
    todo = iter(waiting)
    while done < total:
        for run in islice(todo, _AHEAD - len(held)):
            task = json.dumps(run.task(grid.results, models))
            future = workers.submit(run.key, task, grid.seconds, grid.retries)
            held.add(future)
            future.add_done_callback(partial(_put, ended, run))
        found = _waited(ended)
        held.difference_update(future for _, future in found)
        fault = workers.fault()
        taken: list[tuple[GridRun, Outcome]] = []
        for run, future in found:
            if isinstance(future.exception(), _OF_CLUSTER):
                fault = str(future.exception())
            else:
                taken.append((run, _taken(future, run, grid)))
        settle([grid.results / f"{run.key}.json" for run, _ in taken], SpecError)
        done += len(taken)
        yield from taken
        for listener in listeners:
            listener.tick()
        if fault is not None and done < total:
            raise ClusterLost(_lost(fault, done, total))


def _put(ended: SimpleQueue[tuple[GridRun, Future[str]]], run: GridRun, future: Future[str]) -> None:
    ended.put((run, future))


def _waited(ended: SimpleQueue[tuple[GridRun, Future[str]]]) -> list[tuple[GridRun, Future[str]]]:
    """Those that have ended since the last look; after a moment, perhaps none."""
    found = []
    with suppress(Empty):
        found.append(ended.get(timeout=_TICK))
        while True:
            found.append(ended.get_nowait())
    return found


def _taken(future: Future[str], run: GridRun, grid: Grid) -> Outcome:
    """The outcome of a run, which its worker has written, if it could."""
    error = future.exception()
    if error is not None:
        outcome = failure(run.task(grid.results), f"{type(error).__name__}: {error}")
        outcome.write(grid.results)
        return outcome
    outcome = Outcome.parse(future.result(), run.name)
    if not (grid.results / f"{run.key}.json").exists():  # a worker on another machine may not see the folder
        outcome.write(grid.results)
    return outcome


def _lost(reason: str, done: int, total: int) -> str:
    return f"the cluster is lost ({reason}) after {done} of {total} runs; these are kept, and the same command goes on"
