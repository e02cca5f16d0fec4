"""The process of a worker: reads tasks from standard input, a line of JSON each, and writes what came of them.

It ends as soon as whoever started it does, in the middle of a run if need be. What runs print goes to standard error.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import traceback
from typing import IO


def main() -> None:
    """Serves until standard input ends."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
    threading.Thread(target=_read, args=(lines,), daemon=True).start()
    from panparser.grid.work import perform

    _answer(answers, {"ready": True})  # from here on, time counts
    while True:
        task = json.loads(lines.get())
        try:
            _answer(answers, {"outcome": perform(task).values})
        except Exception as error:
            traceback.print_exc()
            _answer(answers, {"error": f"{type(error).__name__}: {error}"})


def _read(lines: queue.SimpleQueue[bytes]) -> None:
    for line in sys.stdin.buffer:
        lines.put(line)
    os._exit(0)  # nobody waits for an answer


def _answer(answers: IO[bytes], values: object) -> None:
    answers.write(json.dumps(values, allow_nan=False).encode() + b"\n")
    answers.flush()


if __name__ == "__main__":
    main()
