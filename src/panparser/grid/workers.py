"""Workers: each thread that runs tasks has a process of its own for it, which is used again and can be ended.

So a time limit is kept whatever a run does, and a run that takes its process with it is tried again. Any executor of
`concurrent.futures` will do, on this machine or another: it calls `attempt`, with texts in and out.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from panparser.grid.records import Outcome
from panparser.grid.work import failure, finished

_THREADS = tuple("OPENBLAS_NUM_THREADS MKL_NUM_THREADS OMP_NUM_THREADS BLIS_NUM_THREADS VECLIB_MAXIMUM_THREADS".split())
_TAIL = 2000  # characters of what a process said at last
_own = threading.local()
_children: set[Child] = set()
_lock = threading.Lock()
_ended = threading.Event()


class Died(Exception):  # noqa: N818 - it reads as what happened
    """The process ended without an answer."""


class Child:
    """A process that runs tasks, one at a time."""

    def __init__(self) -> None:
        self._said = tempfile.TemporaryFile()  # noqa: SIM115 - closed with the process
        self._process = subprocess.Popen(
            [sys.executable, "-m", "panparser.grid.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            env={**os.environ, **dict.fromkeys(_THREADS, "1")},
            start_new_session=True,  # Ctrl-C is for whoever started it
        )
        self._is_ready = False
        with _lock:
            _children.add(self)

    @property
    def pid(self) -> int:
        return self._process.pid

    def ask(self, task: str, seconds: float | None) -> dict[str, Any]:
        """The answer. Raises TimeoutError if it takes longer, and Died; the process has then ended.

        The time that the process needs to start does not count.
        """
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        if not self._is_ready and not self._process.stdout.readline():
            raise Died(self.end())
        self._is_ready = True
        late = threading.Event()

        def stop() -> None:
            late.set()
            self._process.kill()

        timer = threading.Timer(seconds, stop) if seconds else None
        if timer is not None:
            timer.daemon = True
            timer.start()
        try:
            self._process.stdin.write(task.encode() + b"\n")
            self._process.stdin.flush()
            line = self._process.stdout.readline()
        except OSError:
            line = b""
        finally:
            if timer is not None:
                timer.cancel()
                timer.join()  # it may be at it: from here on, it is known whether it was
        if line.endswith(b"\n"):
            if late.is_set():
                self.end()  # killed just after its answer, it would fail the next task
            answer: dict[str, Any] = json.loads(line)
            return answer
        said = self.end()
        if late.is_set():
            raise TimeoutError
        raise Died(said)

    def end(self) -> str:
        """Ends the process; why it ended, if it did by itself, and what it said at last."""
        with _lock:
            _children.discard(self)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()
        try:
            code = self._process.wait(timeout=5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            code = self._process.wait()
        if self._said.closed:
            return ""
        self._said.seek(0)
        lines = self._said.read().decode(errors="replace")[-_TAIL:].strip().splitlines()
        self._said.close()
        reason = f"killed by signal {-code}" if code < 0 else f"exit code {code}"
        return reason + (f"; it said: {lines[-1]}" if lines else "")

    def kill(self) -> None:
        """Ends the process at once; whoever waits for its answer is told."""
        self._process.kill()


def attempt(task: str, seconds: float | None = None, retries: int = 0) -> str:
    """What came of a task, as JSON, in the process of this thread; it is tried again if that dies."""
    values = json.loads(task)
    message = ""
    start = time.perf_counter()
    for _ in range(retries + 1):
        child: Child | None = getattr(_own, "child", None)
        if child is None or child._process.poll() is not None:
            if child is not None:
                child.end()
            child = _own.child = Child()
        try:
            answer = child.ask(task, seconds)
        except TimeoutError:
            _own.child = None
            return _failed(values, f"it took longer than {seconds:g} s", time.perf_counter() - start)
        except Died as died:
            _own.child = None
            if _ended.is_set():
                raise
            message = f"its process ended: {died}"
            continue
        if "outcome" in answer:
            return Outcome(answer["outcome"]).line()
        message = answer["error"]
    times = f" (tried {retries + 1} times)" if retries else ""
    return _failed(values, message + times, time.perf_counter() - start)


def _failed(task: Mapping[str, Any], message: str, seconds: float) -> str:
    if (done := finished(task)) is not None:  # it was written, and the answer came too late
        return done.line()
    outcome = failure(task, message, seconds=seconds)
    if os.path.isdir(task["results"]):
        outcome.write(Path(task["results"]))
    return outcome.line()


def end_all(*, at_once: bool) -> None:
    """Ends the processes of all threads of this one; `at_once`: in the middle of their runs."""
    with _lock:
        children = list(_children)
    if at_once:
        _ended.set()
        for child in children:
            child.kill()
        return
    for child in children:
        child.end()


def begin() -> None:
    """Processes may start again."""
    _ended.clear()
