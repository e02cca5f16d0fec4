"""Processes that share work: of this machine, or of a cluster of Dask's (the extra `grid`)."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import BrokenExecutor, CancelledError, Executor, Future, ProcessPoolExecutor
from contextlib import ExitStack, contextmanager
from typing import Any, Protocol

from panparser.errors import SpecError

PROCESSES, LOCAL = "processes", "local"  # or the address of a scheduler
LOOPBACK = "127.0.0.1"
_SCHEMES = ("tcp://", "tls://", "ws://", "wss://", "ucx://")
_PATIENCE = 10  # seconds until a scheduler that does not answer is given up


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


@contextmanager
def workers(cluster: str, count: int) -> Iterator[Workers]:
    """`count` processes of this machine ("processes"), a cluster of so many ("local"), or that of an address."""
    if cluster == PROCESSES:
        with _Processes(count) as processes:
            yield processes
        return
    if cluster != LOCAL and not cluster.startswith(_SCHEMES):
        address = f"an address such as tcp://{LOOPBACK}:8786"
        raise SpecError(f"--cluster: expected {PROCESSES}, {LOCAL} or {address}, found {cluster!r}")
    with _dask(None if cluster == LOCAL else cluster, count) as found:
        yield found


class _Processes:
    """Processes of this machine; new ones, if one of them was killed."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._pool = self._started()

    def _started(self) -> Executor:
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

    def __exit__(self, *error: object) -> None:
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
def _dask(address: str | None, count: int) -> Iterator[Workers]:
    try:
        import dask
        import distributed
    except ImportError:
        raise ImportError("--cluster: a cluster needs packages: pip install 'panparser[grid]'") from None
    with dask.config.set({"distributed.admin.large-graph-warning-threshold": "1GB"}), ExitStack() as opened:
        try:
            if address is None:
                options = {"n_workers": count, "threads_per_worker": 1, "host": LOOPBACK, "dashboard_address": None}
                address = opened.enter_context(distributed.LocalCluster(**options))
            client = opened.enter_context(distributed.Client(address, timeout=_PATIENCE, set_as_default=False))
        except OSError as error:
            raise SpecError(f"--cluster: no scheduler answers at {address}: {error}") from None
        yield _Dask(client)


class _Dask:
    """Workers of a cluster."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._executor = client.get_executor(pure=False, retries=2)

    @property
    def count(self) -> int:
        return max(1, sum(map(int, self._client.ncores().values())))

    def submit(self, work: Callable[..., Any], *given: Any) -> Future[Any]:
        if self._client.status != "running":
            raise SpecError("--cluster: the scheduler is gone; the same command, again, goes on where this one stopped")
        found: Future[Any] = self._executor.submit(work, *given)
        return found
