"""What ends a command from outside."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

INTERRUPTED = 130  # exit code after Ctrl-C


def end_as_by_ctrl_c() -> list[int]:
    """What ends a process in the ordinary way ends it as Ctrl-C does: the best model is kept, nothing is left behind.

    Returns a list that gets the signal that was received; more of them do not disturb the clearing up. What is ignored,
    as by `nohup`, stays so.
    """
    received: list[int] = []
    names = ("SIGTERM", "SIGHUP")  # Windows has but the first
    numbers = [number for name in names if (number := getattr(signal, name, None)) is not None]
    ending = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]

    def end(number: int, frame: FrameType | None) -> None:
        for each in ending:
            signal.signal(each, signal.SIG_IGN)
        received.append(number)
        raise KeyboardInterrupt

    for number in ending:
        signal.signal(number, end)
    return received


@contextmanager
def leaving_at_once() -> Iterator[None]:
    """Ctrl-C ends the process while modules are imported; an exception would be one of the module that it hits."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)
