"""Clusters: where runs are run. Threads of this process, each with its worker; or Dask, on this machine or others."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from panparser._clusters import LOCAL, dask_client
from panparser._threads import cores
from panparser.errors import SpecError
from panparser.grid.workers import attempt, begin, end_all

_LOST = 5.0  # seconds after which a scheduler that does not answer is lost


@dataclass
class Workers:
    """What runs tasks: how many at a time, how a task is given to them, and what is wrong with them, if anything."""

    count: int
    submit: Callable[[str, str, float | None, int], Future[str]]  # key, task, seconds, retries
    fault: Callable[[], str | None] = field(default=lambda: None)


@contextmanager
def opened(jobs: int | None, cluster: str | None, executor: Executor | None) -> Iterator[Workers]:
    """The workers that a user chose; on an error or Ctrl-C, their runs end at once."""
    if executor is not None and (jobs is not None or cluster is not None):
        raise SpecError("executor of a grid: expected neither jobs nor a cluster beside it")
    if jobs is not None and cluster not in (None, LOCAL):
        raise SpecError(f"jobs of a grid: {cluster} has workers of its own; expected no number of them")
    if jobs is not None and (not isinstance(jobs, int) or jobs < 1):
        raise SpecError(f"jobs of a grid must be an integer >= 1; got {jobs!r}")
    if cluster is not None:
        with _dask(cluster, jobs or cores()) as found:
            yield found
        return
    own = executor or ThreadPoolExecutor(jobs or cores())
    count = int(getattr(own, "_max_workers", 1))
    begin()
    try:
        yield Workers(count, lambda key, task, seconds, retries: own.submit(attempt, task, seconds, retries))
    except BaseException:
        if executor is None:
            own.shutdown(wait=False, cancel_futures=True)
        end_all(at_once=True)
        raise
    else:
        if executor is None:
            own.shutdown()
        end_all(at_once=False)


@contextmanager
def _dask(cluster: str, jobs: int) -> Iterator[Workers]:
    with dask_client(cluster, jobs) as client:
        threads = sum(client.nthreads().values())
        yield _workers(client, threads or 1)


def _workers(client: Any, count: int) -> Workers:
    def submit(key: str, task: str, seconds: float | None, retries: int) -> Future[str]:
        """A future of `concurrent.futures`; its key is that of the run, which no scheduler then has twice."""
        future: Future[str] = Future()
        asked = client.submit(attempt, task, seconds, retries, key=f"panparser-{key}", pure=True)

        def take(done: Any) -> None:
            if future.done():
                return
            if done.status == "finished":
                future.set_result(done.result())
            elif done.status == "error":
                future.set_exception(done.exception())
            else:
                future.set_exception(ConnectionError("the scheduler is gone"))

        asked.add_done_callback(take)
        future.asked = asked  # type: ignore[attr-defined] # as long as there is a reference, Dask works on it
        return future

    lost_since: float | None = None

    def fault() -> str | None:
        nonlocal lost_since
        if client.status == "running":
            lost_since = None
            return None
        lost_since = lost_since or time.monotonic()
        return "the scheduler is gone" if time.monotonic() - lost_since > _LOST else None

    return Workers(count, submit, fault)
