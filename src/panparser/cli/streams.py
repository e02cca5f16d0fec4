"""Standard output and standard error, whatever has become of them."""

from __future__ import annotations

import io
import os
import sys
from contextlib import suppress
from typing import Any


class Unfailing:
    """Standard error that may be full or closed: what nobody can read is lost, and the work goes on."""

    def __init__(self, stream: Any) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        with suppress(OSError):
            self._stream.write(text)
        return len(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._stream.flush()

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def mend_streams() -> None:
    """Replaces streams that whoever started us has closed; a terminal that cannot show a character gets a ?."""
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")
    if not isinstance(sys.stderr, Unfailing):
        sys.stderr = Unfailing(sys.stderr)


def forget_stdout() -> None:
    """What is left is written to nowhere: nobody reads it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
