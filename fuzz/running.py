"""Runs a target on many inputs, in a child process with limits of memory and time, and shrinks what fails."""

from __future__ import annotations

import json
import mmap
import os
import resource
import signal
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from panparser.errors import PanParserError

MEMORY = 1 << 30  # bytes of address space
SECONDS = 5  # of processor time a case
_WAITING = 60  # seconds that a case may take if it waits for something
_SHRINKING = 20  # seconds
_MOST_KINDS = 20  # failures of different kinds after which a target is given up


@dataclass(frozen=True)
class Target:
    """A reader: how inputs are made from random numbers, what is done with them, and how they become smaller."""

    name: str
    make: Callable[[Random], bytes]
    check: Callable[[bytes], None]
    smaller: Callable[[bytes, Callable[[bytes], bool]], None]


@dataclass
class Result:
    """How many inputs were accepted and refused, and the first input of each kind of failure."""

    accepted: int = 0
    refused: int = 0
    failures: dict[str, bytes] = field(default_factory=dict)  # the input, by kind
    counts: Counter[str] = field(default_factory=Counter)
    details: dict[str, str] = field(default_factory=dict)


def run_inputs(target: Target, count: int, input_of: Callable[[int], bytes]) -> Result:
    """Runs the inputs 0 to count - 1."""
    result = Result()
    shared = memoryview(mmap.mmap(-1, 24)).cast("q")  # the number of the input that is being read; accepted, refused
    first = 0
    while first < count and len(result.failures) < _MOST_KINDS:
        read, write = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(read)
            with os.fdopen(write, "w") as stream:
                _work(target, range(first, count), input_of, shared, lambda line: print(line, file=stream, flush=True))
            os._exit(0)
        os.close(write)
        with os.fdopen(read) as stream:
            for line in stream:
                _note(result, json.loads(line), input_of)
        status = os.waitpid(child, 0)[1]
        if status == 0:
            break
        number = shared[0]
        _note(result, {"input": number, "kind": _death(status), "detail": ""}, input_of)
        first = number + 1
    result.accepted, result.refused = shared[1], shared[2]
    return result


def _work(
    target: Target,
    numbers: Sequence[int],
    input_of: Callable[[int], bytes],
    shared: memoryview[int],
    report: Callable[[str], None],
) -> None:
    _limit()
    warnings.simplefilter("ignore")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # what commands print
    for number in numbers:
        shared[0] = number
        data = input_of(number)
        signal.setitimer(signal.ITIMER_PROF, SECONDS)
        signal.setitimer(signal.ITIMER_REAL, _WAITING)
        found = outcome(target, data)
        if found is None or not found[0]:
            shared[1 if found is None else 2] += 1
        else:
            report(json.dumps({"input": number, "kind": found[0], "detail": found[1]}))


def _limit() -> None:
    """A native loop cannot hold the timer up: its signal ends the process."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    signal.signal(signal.SIGPROF, signal.SIG_DFL)
    signal.signal(signal.SIGALRM, signal.SIG_DFL)


def outcome(target: Target, data: bytes) -> tuple[str, str] | None:
    """None if the input is accepted; no kind if it is refused properly; else kind and traceback of the failure."""
    try:
        target.check(data)
    except PanParserError:
        return "", ""
    except Exception as error:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if "panparser" in frame.filename]
        place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "?"
        return f"{type(error).__name__} in {place}", traceback.format_exc()[-2000:]
    return None


def _note(result: Result, line: dict[str, object], input_of: Callable[[int], bytes]) -> None:
    kind = str(line["kind"])
    result.counts[kind] += 1
    if kind not in result.failures:
        result.failures[kind] = input_of(int(str(line["input"])))
        result.details[kind] = str(line["detail"])


def _death(status: int) -> str:
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number == signal.SIGPROF:
            return f"took more than {SECONDS} s"
        return (
            f"waited more than {_WAITING} s" if number == signal.SIGALRM else f"died of {signal.Signals(number).name}"
        )
    return f"exited with {os.waitstatus_to_exitcode(status)}"


def shrunk(target: Target, data: bytes, kind: str) -> bytes:
    """A smaller input that fails in the same way, found in bounded time."""
    end, best = time.monotonic() + _SHRINKING, data

    def fails(smaller: bytes) -> bool:
        nonlocal best
        if time.monotonic() > end:
            raise TimeoutError
        found = kind in run_inputs(target, 1, lambda number: smaller).failures
        best = smaller if found else best
        return found

    with suppress(TimeoutError):
        target.smaller(data, fails)
    return best


def smaller_text(data: bytes, fails: Callable[[bytes], bool]) -> None:
    """Leaves out lines, then spans of bytes, as long as the rest fails."""
    for pieces in (data.splitlines(keepends=True), None):
        parts = [bytes([byte]) for byte in data] if pieces is None else pieces
        size = max(1, len(parts) // 2)
        while parts:
            at = 0
            while at < len(parts):
                rest = parts[:at] + parts[at + size :]
                if fails(b"".join(rest)):
                    parts = rest
                else:
                    at += size
            if size == 1:
                break
            size //= 2
        data = b"".join(parts)


def smaller_changes(data: bytes, fails: Callable[[bytes], bool]) -> None:
    """Leaves out changes, as long as the rest fails."""
    values = json.loads(data)
    for change in list(values["changes"]):
        fewer = values | {"changes": [other for other in values["changes"] if other != change]}
        if fewer["changes"] and fails(json.dumps(fewer).encode()):
            values = fewer
