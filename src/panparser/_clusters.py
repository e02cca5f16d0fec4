"""Processes that share work: of this machine, or of a cluster of Dask's (the extra `grid`)."""

from __future__ import annotations

import logging
import multiprocessing
import os
import re
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol

from panparser.errors import SpecError

PROCESSES, LOCAL = "processes", "local"  # or the address of a scheduler
LOOPBACK = "127.0.0.1"
_ADDRESS = re.compile(r"(tcp|tls|wss?|ucx)://.+:\d+")
_PATIENCE = 5  # seconds until a scheduler that does not answer is given up


class Workers(Protocol):
    """Whoever does the work."""

    @property
    def count(self) -> int:
        """How many things they do at a time."""

    def submit(self, work: Callable[..., Any], *given: Any) -> Future[Any]:
        """The result of a function of some module, called by one of them with values that can be sent there.

        Where a worker is killed, the result is an error that `is_lost`; what is submitted then has others to do it.
        """


def is_lost(error: BaseException) -> bool:
    """Did the worker, or the cluster, end before the work did?"""
    return isinstance(error, BrokenExecutor | CancelledError) or type(error).__name__ == "KilledWorker"


def error_of(future: Future[Any]) -> BaseException | None:
    """What a result that is there raises."""
    return CancelledError() if future.cancelled() else future.exception()


@contextmanager
def workers(cluster: str, jobs: int) -> Iterator[Workers]:
    """`jobs` processes of this machine ("processes"), a cluster of so many ("local"), or that of an address."""
    if cluster == PROCESSES:
        with _Processes(jobs) as processes:
            yield processes
        return
    with dask_client(cluster, jobs) as client:
        yield _OfCluster(client)


class _Processes:
    """Processes of this machine; new ones, if one of them was killed."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = self._started()

    def _started(self) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")  # a fork would take locks of other threads along
        return ProcessPoolExecutor(self.count, mp_context=context, initializer=begin_worker)

    def submit(self, work: Callable[..., Any], *given: Any) -> Future[Any]:
        try:
            return self._pool.submit(work, *given)
        except BrokenExecutor:
            self._pool.shutdown(wait=True)
            self._pool = self._started()
            return self._pool.submit(work, *given)

    def __enter__(self) -> _Processes:
        return self

    def __exit__(self, error: type[BaseException] | None, *details: object) -> None:
        if error is not None:  # nobody takes what they are at, and files are written whole or not at all
            for process in list((self._pool._processes or {}).values()):
                process.kill()
        self._pool.shutdown(wait=True, cancel_futures=True)


def begin_worker() -> None:
    """Libraries start no threads of their own, Ctrl-C is for whoever gives the work, and without that it ends."""
    for name in ("OPENBLAS", "MKL", "OMP", "BLIS"):
        os.environ.setdefault(f"{name}_NUM_THREADS", "1")
    os.environ.setdefault("VECLIB_MAXIMUM_THREADS", "1")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    parent = multiprocessing.parent_process()

    def leave() -> None:
        if parent is not None:
            parent.join()
        os._exit(1)

    threading.Thread(target=leave, daemon=True).start()


@contextmanager
def dask_client(cluster: str, jobs: int) -> Iterator[Any]:
    """A client of Dask's: of a cluster of `jobs` processes here ("local"), or of the scheduler at an address.

    That of this machine listens to this machine alone. Raises SpecError if nobody answers.
    """
    if cluster != LOCAL and not _ADDRESS.fullmatch(cluster):
        expected = f"{PROCESSES}, {LOCAL} or an address such as tcp://{LOOPBACK}:8786"
        raise SpecError(f"--cluster: expected {expected}, found {cluster!r}")
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ImportError("--cluster: a cluster needs Dask: pip install 'panparser[grid]'") from None
    for name in [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # they tell of every worker that goes
    with ExitStack() as stack:
        address: Any = cluster
        if cluster == LOCAL:
            options: dict[str, Any] = {"n_workers": jobs, "threads_per_worker": 1, "processes": True, "host": LOOPBACK}
            options |= {"silence_logs": logging.CRITICAL}
            options |= dict.fromkeys(("dashboard_address", "worker_dashboard_address"), f"{LOOPBACK}:0")
            address = stack.enter_context(LocalCluster(**options))
        try:
            client = Client(address, timeout=_PATIENCE, set_as_default=False)
        except (OSError, ValueError, ImportError) as error:
            reason = str(error).partition("\n")[0]
            raise SpecError(f"--cluster {cluster}: no scheduler answers: {reason}") from None
        stack.callback(client.close, timeout=1)
        yield client


class _OfCluster:
    """Workers of a cluster of Dask's."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._executor = client.get_executor(pure=False, retries=2)

    @property
    def count(self) -> int:
        return max(1, sum(map(int, self._client.ncores().values()))) if self._client.status == "running" else 1

    def submit(self, work: Callable[..., Any], *given: Any) -> Future[Any]:
        if self._client.status != "running":
            raise SpecError("--cluster: the scheduler is gone; the same command, again, goes on where this one stopped")
        found: Future[Any] = self._executor.submit(work, *given)
        return found
