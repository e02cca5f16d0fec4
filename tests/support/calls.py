"""Functions that workers call in tests of pools."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path


class TwoValuesError(Exception):
    """An error that cannot be unpickled: its constructor takes other arguments than it keeps."""

    def __init__(self, first, second):
        super().__init__(f"{first} {second}")


def add(first, second):
    return first + second


def pid():
    return os.getpid()


def environment(name):
    return os.environ.get(name)


def flags():
    return sys.flags.dont_write_bytecode, sys.path


def wait(seconds):
    time.sleep(seconds)
    return os.getpid()


def write_and_wait(path, seconds):
    Path(path).write_text(str(os.getpid()))
    time.sleep(seconds)


def die():
    print("last words", file=sys.stderr)
    print("printed", flush=True)
    os.kill(os.getpid(), signal.SIGKILL)


def leave():
    os._exit(3)


def is_first(path):
    """Return whether no call has been made with this path."""
    try:
        Path(path).touch(exist_ok=False)
    except FileExistsError:
        return False
    return True


def die_once(path):
    if is_first(path):
        os._exit(3)
    return "second"


def fail_once(path):
    if is_first(path):
        raise ValueError("first")
    return "second"


def fail(message):
    raise LookupError(message)


def time_out():
    raise TimeoutError("of the call")


def raise_two_values():
    raise TwoValuesError(1, 2)


def unpicklable():
    return lambda: 1


def say(text):
    print(text)
    return text
