"""Clusters: where runs are run. Threads of this process, each with its worker; or Dask, on this machine or others."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from panparser._threads import cores
from panparser.errors import PanParserError, SpecError
from panparser.grid.workers import attempt, begin, end_all

LOCAL = "local"
_LOST = 5.0  # seconds after which a scheduler that does not answer is lost
_LOOPBACK = "127.0.0.1"


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
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise PanParserError("a cluster needs Dask: pip install panparser[grid]") from None
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # it tells of every worker that goes
    if cluster == LOCAL:
        options: dict[str, Any] = {"n_workers": jobs, "threads_per_worker": 1, "processes": True, "host": _LOOPBACK}
        options |= {"silence_logs": logging.CRITICAL}
        options |= dict.fromkeys(("dashboard_address", "worker_dashboard_address"), f"{_LOOPBACK}:0")
        with (
            LocalCluster(**options) as own,
            Client(own) as client,
        ):
            yield _workers(client, jobs)
        return
    try:
        client = Client(cluster, timeout=_LOST)
    except (OSError, ValueError, ImportError) as error:
        reason = str(error).partition("\n")[0]
        raise PanParserError(f"--cluster {cluster}: no scheduler answers: {reason}") from None
    try:
        threads = sum(each["nthreads"] for each in client.scheduler_info(n_workers=-1)["workers"].values())
        yield _workers(client, threads or 1)
    finally:
        client.close(timeout=1)


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
