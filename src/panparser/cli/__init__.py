"""The command line: a module for each command, under its name, and a few that commands share."""

from __future__ import annotations

import gc
import io
import os
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

from panparser.errors import CheckFailed, ConlluError, ConlluWarning, PanParserError

__all__ = ["COMMANDS", "import_commands", "main"]

_SHARED = frozenset("app choices descriptions frames help inputs jobs named_systems progress sources tables".split())
COMMANDS = tuple(sorted({path.stem for path in Path(__file__).parent.glob("[a-z]*.py")} - _SHARED))
# Modules and models stay in memory: looking for garbage among them at the default rate takes a good part of the
# start-up time of a command.
_GC_THRESHOLD = 100_000
_INTERRUPTED = 130  # exit code after Ctrl-C


def import_commands(arguments: list[str]) -> None:
    """Imports the module of the command that is called; all of them, for help and hints, if there is none."""
    called = next((argument for argument in arguments if not argument.startswith("-")), "")
    for command in (called,) if called in COMMANDS else COMMANDS:
        import_module(f"panparser.cli.{command}")


def _quiet_first(arguments: list[str]) -> list[str]:
    """Moves --quiet, which may stand anywhere, to the front."""
    quiet = [argument for argument in arguments if argument in ("--quiet", "-q")]
    return [*quiet[:1], *(argument for argument in arguments if argument not in quiet)]


def main() -> None:
    """Runs the command line; errors are one message and exit code 2 (1 for a counter-example)."""
    gc.set_threshold(_GC_THRESHOLD)
    sys.stdout = sys.stdout or open(os.devnull, "w")  # noqa: SIM115 - closed by whoever started us
    sys.stderr = sys.stderr or open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="replace")  # a terminal that cannot show a character gets a ?
    received = _end_as_by_ctrl_c()
    try:
        _run(sys.argv[1:])
    except CheckFailed as error:
        print(error)
        sys.exit(1)
    except PanParserError as error:
        more = isinstance(error, ConlluError) and error.problems > 1
        _complain(f"{error}{'; `panparser validate` lists them all' if more else ''}")
        sys.exit(2)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nobody reads what is left
        sys.exit(141)
    except OSError as error:
        _complain(f"cannot write: {error.strerror}")
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(2)
    except KeyboardInterrupt:
        sys.exit(128 + received[0] if received else _INTERRUPTED)
    except SystemExit:
        if received:
            sys.exit(128 + received[0])
        raise


def _complain(message: str) -> None:
    with suppress(OSError):  # standard error may be closed
        print(f"panparser: {message}", file=sys.stderr)


def _end_as_by_ctrl_c() -> list[int]:
    """What ends a process in the ordinary way ends it as Ctrl-C does: the best model is kept, nothing is left behind.

    Returns a list that gets the signals that were received. What is ignored, as by `nohup`, stays so.
    """
    received: list[int] = []

    def end(number: int, frame: FrameType | None) -> None:
        received.append(number)
        raise KeyboardInterrupt

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has but the first
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, end)
    return received


def _run(arguments: list[str]) -> None:
    if arguments == ["--version"]:
        from panparser import __version__

        print(f"panparser {__version__}")
        return
    with _leaving_at_once():
        from panparser.cli.app import app  # typer takes longer to import than to print a version

        import_commands(_completed_words() or arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("always", ConlluWarning)
        warnings.showwarning = partial(_show_warning, warnings.showwarning, set())
        app(_quiet_first(arguments), prog_name="panparser")


@contextmanager
def _leaving_at_once() -> Iterator[None]:
    """Ctrl-C ends the process while modules are imported; an exception would be one of the module that it hits."""
    usual = signal.getsignal(signal.SIGINT)
    if usual is not signal.default_int_handler:
        yield
        return
    signal.signal(signal.SIGINT, lambda number, frame: os._exit(_INTERRUPTED))
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


def _completed_words() -> list[str]:
    """What stands on the line that a shell asks to complete."""
    if "_PANPARSER_COMPLETE" not in os.environ:
        return []
    return os.environ.get("COMP_WORDS", os.environ.get("_TYPER_COMPLETE_ARGS", "")).split()[1:]


def _show_warning(
    others: Callable[..., None], shown: set[str], message: Warning, category: type[Warning], *place: Any
) -> None:
    """Prints a warning about a file as commands print errors, once; others as Python does."""
    from panparser.cli.app import is_quiet

    if not issubclass(category, ConlluWarning):
        others(message, category, *place)
    elif not is_quiet() and str(message) not in shown:
        shown.add(str(message))
        print(f"panparser: warning: {message}", file=sys.stderr)
