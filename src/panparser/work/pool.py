"""Pool: calls in worker processes, with a time limit and retries; on this machine, with Dask, or with any executor.

A worker process makes one call at a time and is used again. Each thread of this process has a worker, which is started
for its first call: a call that takes too long, or takes its process with it, fails alone. Other executors and Dask run
`attempt`, which does the same in a thread of another process or machine.

A call is a function of a module and its values, pickled. Only processes that this user started exchange calls; none is
ever read from a file.
"""

from __future__ import annotations

import importlib
import logging
import os
import pickle
import queue
import re
import subprocess
import sys
import tempfile
import threading
import time
import traceback
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from typing import IO, Any, TypeVar

from panparser.base.threads import SINGLE_THREADED
from panparser.errors import PanParserError, SpecError

Task = TypeVar("Task")
Reply = tuple[Any, Exception | None, float]  # the result of a call, or what it raised; seconds
Submit = Callable[[bytes, str, float | None, int, str | None], "Future[Reply]"]  # arguments of `attempt`, and a key

PROCESSES, LOCAL = "processes", "local"  # clusters; another one is named by the address of its scheduler
LOOPBACK = "127.0.0.1"
MAX_LOG_BYTES = 2000
STOP_SECONDS = 5.0  # until a worker that should end is killed
TICK_SECONDS = 0.5
CONNECT_SECONDS = 5.0  # until a scheduler that does not answer is given up
LOST_SECONDS = 5.0  # after which a scheduler that stopped answering is lost
_ADDRESS = re.compile(r"(tcp|tls|wss?|ucx)://.+:\d+")
_PROGRAM = "import sys; sys.path[:] = {path!r}; from panparser.work.pool import serve; serve({module!r})"


class WorkerDied(Exception):  # noqa: N818 - reads as what happened
    """A worker process ended without a result; the message is the reason, and the last line that it printed."""


class TimeLimitExceeded(Exception):  # noqa: N818
    """A call took longer than it may, and its process was killed."""


class ClusterLostError(PanParserError):
    """The cluster is gone; finished work is kept."""


# --- Worker processes ---


class Worker:
    """A process that makes one call at a time; it imports a module before it takes the first one."""

    def __init__(self, module: str) -> None:
        self._log = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        flags: list[str] = subprocess._args_from_interpreter_flags()  # type: ignore[attr-defined]
        try:
            self.process = subprocess.Popen(
                [sys.executable, *flags, "-c", _PROGRAM.format(path=sys.path, module=module)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._log,
                env=os.environ | SINGLE_THREADED,
                start_new_session=True,  # Ctrl-C is for the process that started it
            )
        except OSError as error:
            self._log.close()
            raise WorkerDied(f"it cannot be started: {error}") from None
        self._frames: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._is_ready = False
        self._stopping = threading.Lock()
        threading.Thread(target=self._read_frames, daemon=True).start()

    def _read_frames(self) -> None:
        assert self.process.stdout is not None
        with self.process.stdout as stream, suppress(OSError):
            while (frame := _read_frame(stream)) is not None:
                self._frames.put(frame)
        self._frames.put(None)

    @property
    def is_alive(self) -> bool:
        return self.process.poll() is None

    def call(self, call: bytes, seconds: float | None) -> Any:
        """Return the result of a call, or raise what it raised, TimeLimitExceeded or WorkerDied.

        The seconds that the process needs to start do not count.
        """
        assert self.process.stdin is not None
        if not self._is_ready and self._frames.get() is None:
            raise WorkerDied(self.stop())
        self._is_ready = True
        with suppress(OSError):  # a process that has ended sends no frame
            _write_frame(self.process.stdin, call)
        try:
            frame = self._frames.get(timeout=seconds)
        except queue.Empty:
            self.kill()
            self.stop()
            raise TimeLimitExceeded(f"it took longer than {seconds:g} s") from None
        if frame is None:
            raise WorkerDied(self.stop())
        result, error = pickle.loads(frame)
        if error is not None:
            raise error
        return result

    def kill(self) -> None:
        """Kill the process; the thread that waits for its result gets WorkerDied."""
        self.process.kill()

    def stop(self) -> str:
        """End the process, and return why it ended if it did by itself."""
        assert self.process.stdin is not None
        with self._stopping:
            with suppress(OSError):
                self.process.stdin.close()
            try:
                code = self.process.wait(timeout=STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self.process.kill()
                code = self.process.wait()
            lines = []
            if not self._log.closed:
                self._log.seek(max(0, self._log.seek(0, os.SEEK_END) - MAX_LOG_BYTES))
                lines = self._log.read().decode(errors="replace").strip().splitlines()
                self._log.close()
        reason = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        return reason + (f"; it printed: {lines[-1]}" if lines else "")


class Workers:
    """The worker of each thread that makes calls."""

    def __init__(self) -> None:
        self._local = threading.local()
        self._workers: set[Worker] = set()
        self._lock = threading.Lock()
        self._is_killed = False

    def attempt(self, call: bytes, module: str, seconds: float | None, retries: int) -> Reply:
        """Make a call in the worker of this thread; if it fails or the worker dies, try again."""
        start = time.perf_counter()
        for tries_left in range(retries, -1, -1):
            try:
                result = self._worker(module).call(call, seconds)
            except Exception as error:
                if isinstance(error, TimeLimitExceeded) or self._is_killed or not tries_left:
                    return None, error, time.perf_counter() - start
            else:
                return result, None, time.perf_counter() - start
        raise AssertionError

    def _worker(self, module: str) -> Worker:
        worker: Worker | None = getattr(self._local, "worker", None)
        if worker is not None and worker.is_alive and not self._is_killed:
            return worker
        with self._lock:
            if self._is_killed:
                raise WorkerDied("its pool was stopped")
            started = self._local.worker = Worker(module)
            self._workers.add(started)
            if worker is not None:
                self._workers.discard(worker)
        if worker is not None:
            worker.stop()
        return started

    def stop(self) -> None:
        """End all workers; none should be at work. A call that is made later starts a new one."""
        with self._lock:
            workers, self._workers = self._workers, set()
        for worker in workers:
            worker.stop()

    def kill(self) -> None:
        """Kill all workers in the middle of their calls; calls that are made later fail."""
        with self._lock:
            self._is_killed = True
            for worker in self._workers:
                worker.kill()
        self.stop()

    def allow(self) -> None:
        """Allow calls again after `kill`."""
        self._is_killed = False


_workers = Workers()  # of threads that other executors run in this process


def attempt(call: bytes, module: str, seconds: float | None = None, retries: int = 0) -> Reply:
    """Make a call in the worker of this thread; executors and Dask run this function."""
    return _workers.attempt(call, module, seconds, retries)


# --- Pools ---


class CallFuture(Future[Any]):
    """The future of a call, and how long the call took with all retries."""

    seconds = 0.0

    def __init__(self, reply: Future[Reply]) -> None:
        super().__init__()
        self._reply = reply  # Dask drops work to which nothing refers
        reply.add_done_callback(self._take)

    def _take(self, reply: Future[Reply]) -> None:
        lost = CancelledError("the call was canceled") if reply.cancelled() else reply.exception()
        if lost is None:
            result, error, self.seconds = reply.result()
            if error is None:
                self.set_result(result)
            else:
                self.set_exception(error)
        elif isinstance(lost, ConnectionError | TimeoutError):
            self.set_exception(ClusterLostError(str(lost)))
        else:  # the executor, or its process, ended before the call did
            self.set_exception(WorkerDied(f"{type(lost).__name__}: {lost}"))


class Pool:
    """Workers that share calls."""

    def __init__(
        self,
        submit: Submit,
        *,
        count: Callable[[], int],
        stop_workers: Callable[[], None] = lambda: None,
        fault: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._submit, self._count, self._fault = submit, count, fault
        self.stop_workers = stop_workers

    @property
    def count(self) -> int:
        """Number of workers."""
        return self._count()

    def submit(
        self,
        function: Callable[..., Any],
        *values: Any,
        seconds: float | None = None,
        retries: int = 0,
        key: str | None = None,
    ) -> CallFuture:
        """Submit the call of a function of a module, and return the future of its result.

        A call that fails, or whose worker dies (WorkerDied), is tried again; one that takes longer than `seconds` is
        not (TimeLimitExceeded). Dask makes calls of the same key once.
        """
        call = pickle.dumps((function, values))
        return CallFuture(self._submit(call, function.__module__, seconds, retries, key))

    def completed(
        self, tasks: Iterable[Task], submit: Callable[[Task], CallFuture], *, ahead: Callable[[], int]
    ) -> Iterator[list[tuple[Task, CallFuture]]]:
        """Yield tasks with their futures as these complete, in lists; an empty list if none did for a moment.

        At most `ahead` tasks are submitted before others have completed. Raise ClusterLost if no more will complete.
        """
        done: queue.SimpleQueue[Any] = queue.SimpleQueue()
        pending: dict[CallFuture, Task] = {}
        remaining = iter(tasks)
        while True:
            for task in islice(remaining, max(0, ahead() - len(pending))):
                future = submit(task)
                pending[future] = task
                future.add_done_callback(done.put)
            if not pending:
                return
            errors = []
            completed: list[tuple[Task, CallFuture]] = []
            for future in _wait(done):
                task = pending.pop(future)
                if isinstance(error := future.exception(), ClusterLostError):
                    errors.append(error)
                else:
                    completed.append((task, future))
            yield completed
            if errors:
                raise errors[0]
            if pending and (fault := self._fault()) is not None:
                raise ClusterLostError(fault)


def _wait(done: queue.SimpleQueue[Any]) -> Iterator[CallFuture]:
    """Yield the futures that are done, waiting a moment for the first one."""
    with suppress(queue.Empty):
        yield done.get(timeout=TICK_SECONDS)
        while True:
            yield done.get_nowait()


@contextmanager
def open_pool(jobs: int, cluster: str = PROCESSES, executor: Executor | None = None) -> Iterator[Pool]:
    """Open a pool of `jobs` processes, of a cluster ("local", or the address of a Dask scheduler) or of an executor.

    An error or Ctrl-C within the block ends all calls at once. Raise SpecError if no scheduler answers.
    """
    if executor is not None:
        with _running(_workers):
            yield Pool(_submit_attempt(executor, attempt), count=lambda: int(getattr(executor, "_max_workers", 1)))
    elif cluster == PROCESSES:
        workers = Workers()
        with ThreadPoolExecutor(jobs) as threads, _running(workers, threads):
            submit = _submit_attempt(threads, workers.attempt)
            yield Pool(submit, count=lambda: jobs, stop_workers=workers.stop)
    else:
        with _open_client(cluster, jobs) as client:
            yield _cluster_pool(client)


def _submit_attempt(executor: Executor, attempt: Callable[..., Reply]) -> Submit:
    return lambda call, module, seconds, retries, _: executor.submit(attempt, call, module, seconds, retries)


@contextmanager
def _running(workers: Workers, threads: ThreadPoolExecutor | None = None) -> Iterator[None]:
    """End workers after the calls of their threads, or at once after an error."""
    workers.allow()
    try:
        yield
        if threads is not None:
            threads.shutdown()
    except BaseException:
        if threads is not None:
            threads.shutdown(wait=False, cancel_futures=True)
        workers.kill()
        raise
    workers.stop()


# --- Dask ---


@contextmanager
def _open_client(cluster: str, jobs: int) -> Iterator[Any]:
    """Open a client of Dask: of a cluster of `jobs` processes of this machine, or of the scheduler at an address.

    The cluster of this machine listens to this machine alone.
    """
    if cluster != LOCAL and not _ADDRESS.fullmatch(cluster):
        expected = f"{PROCESSES}, {LOCAL} or an address such as tcp://{LOOPBACK}:8786"
        raise SpecError(f"--cluster: expected {expected}, found {cluster!r}")
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise ImportError("--cluster: a cluster needs Dask: pip install 'panparser[grid]'") from None
    for name in [name for name in logging.root.manager.loggerDict if name.startswith("distributed")]:
        logging.getLogger(name).setLevel(logging.CRITICAL)  # they report every worker that leaves
    with ExitStack() as stack:
        address: Any = cluster
        if cluster == LOCAL:
            options: dict[str, Any] = {"n_workers": jobs, "threads_per_worker": 1, "processes": True, "host": LOOPBACK}
            options |= {"silence_logs": logging.CRITICAL}
            options |= dict.fromkeys(("dashboard_address", "worker_dashboard_address"), f"{LOOPBACK}:0")
            address = stack.enter_context(LocalCluster(**options))
        try:
            client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, ImportError) as error:
            reason = str(error).partition("\n")[0]
            raise SpecError(f"--cluster {cluster}: no scheduler answers: {reason}") from None
        stack.callback(client.close, timeout=1)
        yield client


def _cluster_pool(client: Any) -> Pool:
    def submit(call: bytes, module: str, seconds: float | None, retries: int, key: str | None) -> Future[Reply]:
        if client.status not in ("running", "connecting"):
            raise ClusterLostError("the scheduler is gone")
        reply: Future[Reply] = Future()
        options = {"pure": False} if key is None else {"pure": True, "key": f"panparser-{key}"}
        submitted = client.submit(attempt, call, module, seconds, retries, **options)

        def pass_on(done: Any) -> None:
            if reply.done():
                return
            if done.status == "finished":
                reply.set_result(done.result())
            elif done.status == "error":
                reply.set_exception(done.exception())
            else:
                reply.set_exception(ConnectionError("the scheduler is gone"))

        submitted.add_done_callback(pass_on)
        reply.submitted = submitted  # type: ignore[attr-defined] # Dask drops work to which nothing refers
        return reply

    lost_since: float | None = None

    def fault() -> str | None:
        nonlocal lost_since
        if client.status == "running":
            lost_since = None
            return None
        lost_since = lost_since or time.monotonic()
        return "the scheduler is gone" if time.monotonic() - lost_since > LOST_SECONDS else None

    def count() -> int:
        return max(1, sum(client.nthreads().values())) if client.status == "running" else 1

    return Pool(submit, count=count, fault=fault)


# --- Worker side ---


def serve(module: str) -> None:
    """Make calls until standard input ends, if need be in the middle of one; what they print goes to standard error."""
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    calls: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read_calls, args=(calls,), daemon=True).start()
    try:
        importlib.import_module(module)
        _write_frame(replies, b"ready")  # from here on, time counts
        while True:
            _write_frame(replies, _make_call(calls.get()))
    except BaseException:
        traceback.print_exc()
        os._exit(1)  # the interpreter cannot end while a thread reads


def _make_call(call: bytes) -> bytes:
    """Make a call, and return its reply, pickled."""
    try:
        function, values = pickle.loads(call)
        return _pickle_reply(function(*values), None)
    except Exception as error:
        error.add_note(traceback.format_exc())  # tracebacks are not pickled
        return _pickle_reply(None, error)


def _read_calls(calls: queue.SimpleQueue[bytes]) -> None:
    while (call := _read_frame(sys.stdin.buffer)) is not None:
        calls.put(call)
    os._exit(0)  # the process that waits for results is gone


def _pickle_reply(result: Any, error: Exception | None) -> bytes:
    """Pickle a reply, or an error that states why it cannot be sent."""
    try:
        frame = pickle.dumps((result, error))
        if error is not None:
            pickle.loads(frame)  # which fails if its constructor takes other arguments
        return frame
    except Exception as reason:
        cause = error or reason
        return pickle.dumps((None, RuntimeError(f"{type(cause).__name__}: {cause}")))


def _write_frame(stream: IO[bytes], frame: bytes) -> None:
    stream.write(len(frame).to_bytes(8, "little") + frame)
    stream.flush()


def _read_frame(stream: IO[bytes]) -> bytes | None:
    """Read a frame; None at the end of the stream."""
    head = stream.read(8)
    size = int.from_bytes(head, "little")
    frame = stream.read(size) if len(head) == 8 else b""
    return frame if frame and len(frame) == size else None
